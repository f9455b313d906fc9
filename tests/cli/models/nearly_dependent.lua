-- Two constraints that differ by 1e-6 z: N is regular, with the condition number 1e13.
title "Nearly dependent constraints"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + y + 0.3*z*x)
constrain("a", x^2 + y^2 + z^2 - 1)
constrain("b", x^2 + y^2 + z^2 - 1 + 1e-6*z)
start { x = 1, py = -2 }
integrate { method = "rattle(verlet)", step = 0.025, stop = 5 }
