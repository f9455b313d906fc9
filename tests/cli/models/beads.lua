title "Two ring polymers and a solvent"
local m = molecule { beads = 30, copies = 2, bonds = "ring", length = 1, temperature = 1, spacing = 1 }
molecule { beads = 20, mass = 2, temperature = 1, place = function(copy, i) return i*1.3, -20, i % 3 end }
angles { molecule = m, kind = "cosine", k = 1 }
torsions { k = 0.3, n = 2 }
pair_potential { kind = "lennard_jones", smooth = 2, box = 60 }
integrate { method = "rattle(verlet)", step = 0.002, stop = 0.8 }
