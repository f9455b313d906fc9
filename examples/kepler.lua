-- A planet of a sun at the origin, on an ellipse of half-axis 1 AU and eccentricity 0.6, without any constraint. Units:
-- AU, year, and energies per unit of mass; the sun's GM is 4 pi^2, so that the period is one year.
--
-- What to see. The planet starts at its perihelion, 0.4 AU from the sun, at twice the speed of a circular orbit of 1
-- AU, and should be back there each year. With verlet the ellipse keeps its shape but turns slowly: watch `perihelion`,
-- the direction of the perihelion in radians, drift steadily while the energy error stays bounded and the angular
-- momentum L stays at round-off.
--
-- Methods of higher order turn it less: in 100 years, with a step of 0.005, verlet turns it by -0.63 rad,
-- suzuki4(verlet) by 7e-4, kahan_li8(verlet) by -2e-9, at 1, 5 and 17 forces a step. Without constraints the base map
-- is used as it is, no rattle(...) around it. The step has to resolve the half turn nearest to the sun, which takes a
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
start { x = 1 - e, py = sqrt(GM*(1 + e)/(1 - e)) }
integrate { method = "suzuki4(verlet)", step = 0.005, stop = 100 }
output { every = 10 }
