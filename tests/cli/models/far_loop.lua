-- Four bars in space on parallel hinges, which three of their rows follow from others, at a distance X from the origin.
local mech = require "mechanics"
local X = parameter("X", 0)
local points = {{0, 0, 0}, {0.2, 0, 0.35}, {1.1, 0, 0.75}, {1, 0, 0}}
local function hinge(name, one, two, p) mech.revolute(name, one:here(p[1] + X, 0, p[3]):along(0, 1, 0), two:here(p[1] + X, 0, p[3]):along(0, 1, 0)) end
mech.gravity(0, 0, -9.81)
local last = mech.ground
for i = 1, 3 do
  local p, q = points[i], points[i + 1]
  local body = mech.body { name = "b" .. i, mass = 1, inertia = {0.02, 0.1, 0.1}, at = {(p[1] + q[1])/2 + X, 0, (p[3] + q[3])/2} }
  hinge("j" .. i, last, body, p)
  last = body
end
hinge("closer", last, mech.ground, points[4])
integrate { method = "rattle(verlet)", step = 0.004, stop = 1 }
