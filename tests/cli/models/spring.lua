-- A bead on a circle, held by a stiff spring: h omega is near 1 with the step 0.1.
title "Bead on a circle with a spring"
local x, px = pair("x")
local y, py = pair("y")
local k = parameter("k", 100)
hamiltonian((px^2 + py^2)/2 + k*((x - 0.9)^2 + y^2)/2)
constrain("circle", x^2 + y^2 - 1)
start { x = 1, py = 0.3 }
integrate { method = "rattle(verlet(b))", step = 0.1, steps = 1000 }
