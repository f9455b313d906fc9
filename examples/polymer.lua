-- A ring polymer of beads on rigid rods, with bending stiffness and excluded volume: a bead-rod model in reduced units
-- (energy epsilon, length sigma, mass of a bead).
--
-- What to see. molecule{...} declares the beads, their rods and a start: a random coil that does not overlap itself, with
-- velocities of the temperature. angles{...} and torsions{...} take all bonds in a row, pair_potential{...} all beads but
-- bonded ones; cells and lists of neighbours find those that meet, so that 10 000 beads cost 100 times as much as 100.
-- Momentum and angular momentum are constant to round-off, and the error of the energy falls with h^2. The mean square radius of
-- gyration grows as the hairpin that the ring starts from opens.
--
-- kind = "wca" is the Lennard-Jones potential up to its minimum. Its force is continuous, its slope is not: methods keep
-- order 2. For higher orders use -P smooth=7, which cuts off at 2.5 sigma with seven continuous derivatives.
title "Ring polymer"
local N = parameter("N", 100)
local T = parameter("temperature", 1)
local smooth = parameter("smooth", 0)

local ring = molecule { beads = N, bonds = "ring", length = 0.97, mass = 1, temperature = T }
angles { molecule = ring, kind = "cosine", k = 2 }
if smooth > 0 then
  pair_potential { kind = "lennard_jones", epsilon = 1, sigma = 1, smooth = smooth }
else
  pair_potential { kind = "wca", epsilon = 1, sigma = 1 }
end

-- the mean square radius of gyration: mean of the squares less the square of the mean
local square = 0
for _, axis in ipairs { ring.x, ring.y, ring.z } do
  local mean = sum(axis)/N
  square = square + abs2(table.unpack(axis))/N - mean^2
end
if N <= 200 then observe("radius of gyration squared", square) end
integrate { method = "rattle(verlet)", step = 0.002, stop = 20 }
output { every = 50 }
