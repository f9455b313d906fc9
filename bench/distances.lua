-- Molecules of rods that are no long chains, without forces, for distances.c.
local case, copies = parameter("case", 1), parameter("copies", 100)
local function corner(k) return {k % 2, k // 2 % 2, k // 4} end
local edges, corners = {}, {}
for a = 0, 7 do
  corners[a + 1] = corner(a)
  for _, b in ipairs {1, 2, 4} do
    if a // b % 2 == 0 then edges[#edges + 1] = {a + 1, a + b + 1} end
  end
end
local s = 1/math.sqrt(3)
-- a tree: each bead has two more at random directions
local tree, branches, N = {{0, 0, 0}}, {}, 1023
for i = 2, N do
  local d, r = {}, 0
  repeat
    for k = 1, 3 do d[k] = 2*random() - 1 end
    r = math.sqrt(d[1]^2 + d[2]^2 + d[3]^2)
  until r > 0.1 and r < 1
  local from = tree[i // 2]
  tree[i] = {from[1] + d[1]/r, from[2] + d[2]/r, from[3] + d[3]/r}
  branches[i - 1] = {i // 2, i}
end
local angle = math.acos(1 - 1.633^2/2)
local cases = {
  {name = "water", beads = 3, mass = {16, 1, 1}, bonds = {{1, 2, 1}, {1, 3, 1}, {2, 3, 1.633}},
    place = {{0, 0, 0}, {1, 0, 0}, {math.cos(angle), math.sin(angle), 0}}},
  {name = "stars of 4", beads = 5, mass = {12, 1, 1, 1, 1}, length = 1, bonds = {{1, 2}, {1, 3}, {1, 4}, {1, 5}},
    place = {{0, 0, 0}, {s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}}},
  {name = "rings of 6", beads = 6, mass = 1, length = 1, bonds = "ring"},
  {name = "cubes", beads = 8, mass = 1, length = 1, bonds = edges, place = corners},
  {name = "chains of 50", beads = 50, mass = 1, length = 1, bonds = "chain"},
  {name = "trees of 1023", beads = N, mass = 1, length = 1, bonds = branches, place = tree},
}
local own = cases[case]
title(own.name)
molecule { beads = own.beads, mass = own.mass, length = own.length, bonds = own.bonds, place = own.place, copies = copies, temperature = 1 }
integrate { method = "rattle(verlet)", step = 0.005, steps = 100 }
