-- A disc that rolls upright without slipping, steered by a constant torque about its vertical axis.
--
-- What to see. Two constraints on velocities, x' = r f' cos(a) and y' = r f' sin(a): four coordinates, two degrees of freedom in velocity,
-- and yet any place and any position of the disc can be reached. Without the torque its track is a circle of radius r f'/a'; with it, a
-- spiral (Cornu's): plot y against x.
title "Rolling upright disc"
local r = parameter("r", 0.5)
local torque = parameter("torque", 0.05)
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
local f, pf = pair("f")
mass { x = 1, y = 1, a = 0.1, f = 0.2 }
potential(-torque*a)
velocity_constrain("along", velocity(x) - r*cos(a)*velocity(f))
velocity_constrain("across", velocity(y) - r*sin(a)*velocity(f))
local axle = {-sin(a)/20, cos(a)/20, 0} -- half of it
draw { cylinder = {{x - axle[1], y - axle[2], r}, {x + axle[1], y + axle[2], r}}, size = r, colour = "grey" }
draw { point = {x + r*cos(a)*sin(f), y + r*sin(a)*sin(f), r + r*cos(f)}, size = 0.1 } -- at the rim
draw { angles = {a, f} }
velocity { x = 1, a = -3, f = 2 }
integrate { method = "rattle(verlet)", step = 0.005, stop = 12 }
output { every = 10 }
