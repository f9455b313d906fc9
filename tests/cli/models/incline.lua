-- a skate on an incline, its blade below the centre of mass; in closed form x = g/(2 w^2) sin^2(w t)
local g, w = parameter("g", 1.2), parameter("w", 0.9)
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
mass { x = 1, y = 1, a = 0.4 }
potential(-g*x)
velocity_constrain("blade", velocity(y)*cos(a) - velocity(x)*sin(a))
observe("off", x - g/(2*w^2)*sin(a)^2)
event("turn", px*cos(a) + py*sin(a))
velocity { a = w }
integrate { step = 0.01, stop = 10 }
