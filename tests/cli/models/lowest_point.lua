-- A pendulum whose lowest point is the origin: the coordinates vanish there, but not the terms of g.
title "Pendulum with the origin at its lowest point"
local x, px = pair("x")
local y, py = pair("y")
mass { x = 1, y = 1 }
potential(y)
constrain("rod", x^2 + (y - 1)^2 - 1)
start { x = 0.6, y = 0.2 }
integrate { method = "rattle(verlet)", step = 0.01, steps = 20000 }
