-- A double pendulum in angles whose elbow is locked: the mass matrix depends on the angles, the constraint is a coordinate.
title "Double pendulum with a locked elbow"
local a, pa = pair("a")
local b, pb = pair("b")
local D = 1 + sin(a - b)^2
hamiltonian((pa^2 + 2*pb^2 - 2*pa*pb*cos(a - b))/(2*D) - 2*cos(a) - cos(b))
constrain("lock", b - 0.4)
start { a = 1, b = 0.4, pa = 0.3, project = true }
integrate { method = "rattle(midpoint)", step = 0.01, stop = 10 }
