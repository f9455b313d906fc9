-- Bricard's mechanism: five rods and the frame along edges of a cube, with six hinges whose axes are perpendicular to both rods that they join
-- (R. Bricard, J. Math. Pures Appl. 3 (1897) 113). Problem A04 of the IFToMM library of multibody benchmarks (M. Gonzalez, D. Dopico,
-- U. Lugris, J. Cuadrado, Multibody Syst. Dyn. 16 (2006) 295). Units: m, kg, s, J.
--
-- What to see. Counting joints, 5*6 - 6*5 = 0 degrees of freedom remain, but one of the 30 constraints of the hinges follows from the others,
-- and the mechanism moves. Rods of 1 kg, 1 m long and 0.1 m thick, fall under gravity from rest. The benchmark compares
-- how far the energy changes in 10 s: with this step by 1.6e-5 J.
title "Bricard's mechanism"
local mech = require "mechanics"
mech.gravity(0, -9.81, 0)
local points = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}} -- corners of the cube
local axes = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}

local rod = {}
for i = 1, 5 do
  local p, q = mech.vec3(points[i]), mech.vec3(points[i + 1])
  local x, y = mech.unit(q - p), mech.vec3(axes[i])
  rod[i] = mech.body { name = "rod" .. i, shape = mech.box { mass = 1, size = {1, 0.1, 0.1} },
    at = (p + q)/2, rotation = mech.columns(x, y, mech.cross(x, y)) }
end
for i = 1, 6 do
  local here, before = rod[i] or mech.ground, rod[i - 1] or mech.ground
  local x, y, z = table.unpack(points[i])
  local u, v, w = table.unpack(axes[i])
  mech.revolute("hinge" .. i, before:here(x, y, z):along(u, v, w), here:here(x, y, z):along(u, v, w))
end
local corner = rod[3]:here(1, -1, 1):position()
observe("x", corner.x)
observe("y", corner.y)
observe("z", corner.z)
integrate { method = "rattle(verlet)", step = 0.002, stop = 10 }
output { every = 5 }
