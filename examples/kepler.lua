-- A planet around a sun at the origin, on an ellipse of semi-axis 1 AU and eccentricity 0.6, without constraints. Units:
-- AU, year, and energies per unit of mass; the sun's GM is 4 pi^2, so that the period is one year.
--
-- What to see. The planet starts at its perihelion, 0.4 AU from the sun, at twice the speed of a circular orbit of 1
-- AU, and should be back there each year. With verlet the ellipse keeps its shape but precesses slowly: watch `perihelion`,
-- the direction of the perihelion in radians, drift steadily while the energy error stays bounded and the angular
-- momentum L stays at round-off.
--
-- Methods of higher order reduce the precession: in 100 years, with a step of 0.005, it is -0.63 rad with verlet,
-- 7e-4 with suzuki4(verlet), -2e-9 with kahan_li8(verlet), at 1, 5 and 17 forces per step. Without constraints the base
-- map is used directly, without rattle(...). The step must resolve the half turn nearest to the sun, which takes a
-- seventh of a year.
title "Kepler problem"
local GM = parameter("GM", 4*math.pi^2)          -- AU^3/year^2
local e = parameter("eccentricity", 0.6)
local x, px = pair("x")
local y, py = pair("y")
local r = sqrt(x^2 + y^2)
local L = x*py - y*px
hamiltonian((px^2 + py^2)/2 - GM/r)
observe("L", L)
observe("perihelion", atan2(-px*L/GM - y/r, py*L/GM - x/r)) -- of the Laplace-Runge-Lenz vector
draw { mark = {0, 0} } -- the centre
draw { point = {x, y} }
start { x = 1 - e, py = sqrt(GM*(1 + e)/(1 - e)) }
integrate { method = "suzuki4(verlet)", step = 0.005, stop = 100 }
output { every = 10 }
