-- A skate on an inclined plane: the blade below its centre of mass, turning at a constant rate.
--
-- What to see. It does not slide down: on average it moves across the slope, along a cycloid, and rises again to the height where it began,
-- x = g/(2 w^2) sin^2(w t), y = g/(2 w^2) (w t - sin(2 w t)/2). Plot y against x. Another motion with the same constraint, Dirac's
-- constrain("blade", ..., { dirac = true }), lets the blade slip sideways.
title "Skate on an incline"
local g = parameter("g", 1.0)
local w = parameter("w", 1.0)
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
mass { x = 1, y = 1, a = 0.4 }
potential(-g*x)
velocity_constrain("blade", velocity(y)*cos(a) - velocity(x)*sin(a))
observe("x in closed form", g/(2*w^2)*sin(a)^2)
observe("y in closed form", g/(2*w^2)*(a - sin(2*a)/2))
draw { link = {{x - 0.2*cos(a), y - 0.2*sin(a)}, {x + 0.2*cos(a), y + 0.2*sin(a)}} }
draw { point = {x, y} }
draw { angles = {a} }
velocity { a = w }
integrate { method = "rattle(verlet)", step = 0.01, stop = 20 }
output { every = 10 }
