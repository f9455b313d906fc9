-- A chain of rigid rods in space, each joined to the last one by a ball: 50 bodies, 600 coordinates, 450 constraints
title "A chain of bodies in space"
local mech = require "mechanics"
local N = parameter("bodies", 50)
mech.gravity(0, 0, -1)
local last = mech.ground:at(0, 0, 0)
for i = 1, N do
  local body = mech.body { name = "b" .. i, mass = 1, inertia = {0.02, 0.09, 0.1}, at = {i - 0.5, 0, 0} }
  mech.spherical("j" .. i, last, body:at(-0.5, 0, 0))
  last = body:at(0.5, 0, 0)
end
integrate { method = "rattle(verlet)", step = 0.002, stop = 0.2 }
