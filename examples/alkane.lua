-- Decane in united atoms, as chemists write it: species with their own epsilon and sigma, mixed by Lorentz and Berthelot, no forces between
-- beads of a molecule up to three bonds apart, rigid bonds. Units: nm, ps, u, so that energies are in kJ/mol.
--
-- What to see. molecule{...} gives each bead a species, pair_potential{...} has their parameters; exclude = 3 leaves bonded pairs, 1-3
-- and 1-4 to the bonds, angles and torsions. The error of the energy falls with h^2: 2.3, 0.58 and 0.14 kJ/mol with steps of 4, 2 and
-- 1 fs. The end-to-end distances begin as those of straight molecules.
--
-- Parameters: M. G. Martin, J. I. Siepmann, J. Phys. Chem. B 102 (1998) 2569 (TraPPE-UA), which cuts off at 1.4 nm with a jump; here the
-- potential is switched off between 1.1 and 1.4 nm.
title "Decane"
local N = parameter("N", 16) -- molecules
local beads = parameter("beads", 10)
local T = parameter("temperature", 300)
local kB = 0.0083144626

local length, theta = 0.154, 114*math.pi/180
local species, mass, at = {}, {}, {}
for i = 1, beads do
  local last = i == 1 or i == beads
  species[i], mass[i] = last and "CH3" or "CH2", last and 15.035 or 14.027
  at[i] = { length*math.sin(theta/2)*i, 0.2 + length*math.cos(theta/2)*(i % 2) }
end
local apart, edge = 0.55, math.ceil(math.sqrt(N))
local decane = molecule {
  beads = beads, copies = N, bonds = "chain", length = length, mass = mass, species = species, temperature = kB*T,
  place = function(copy, i) return at[i][1], apart*((copy - 1) % edge) + at[i][2], apart*((copy - 1)//edge) end,
}
angles { k = 62500*kB, theta = theta }
torsions { k = 355.03*kB, n = 1 }
torsions { k = -68.19*kB, n = 2, phase = math.pi }
torsions { k = 791.32*kB, n = 3 }
pair_potential {
  kind = "lennard_jones", cutoff = 1.4, switch = 1.1, exclude = 3, mixing = "lorentz_berthelot",
  species = { CH3 = { epsilon = 98*kB, sigma = 0.375 }, CH2 = { epsilon = 46*kB, sigma = 0.395 } },
}

local distance = 0
for copy = 0, N - 1 do
  local a, b = copy*beads + 1, (copy + 1)*beads
  distance = distance + abs2(decane.x[b] - decane.x[a], decane.y[b] - decane.y[a], decane.z[b] - decane.z[a])/N
end
observe("end-to-end distance squared", distance)
integrate { method = "rattle(verlet)", step = 0.004, stop = 2 }
output { every = 25 }
