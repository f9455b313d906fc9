-- a force without a second derivative at x = 0: methods lose their order there
title "Kink"
local x, px = pair("x")
hamiltonian(px^2/2 + (x^2)^1.25)
start { x = 0.7, px = 0.3 }
integrate { method = "kahan_li8(verlet)", step = 0.1, stop = 9 }
