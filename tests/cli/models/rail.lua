-- A bead on the rail x = 0 with a full mass matrix: p_x does not vanish where x' does.
title "Bead on a rail, full mass matrix"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((2*px^2 + 1.4*px*py + py^2)/2 + (x^2 + y^2)/2 + 0.3*sin(x + y) + 0.1*x*y^3)
constrain("rail", x)
start { y = 1, py = 0.5, project = true }
integrate { method = "rattle(verlet)", step = 0.01, stop = 10 }
