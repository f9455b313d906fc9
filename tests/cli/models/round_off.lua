-- Two constraints whose bracket 0.1 + 0.2 - 0.3 is 0 but for the round-off of the decimals (5.6e-17).
title "Two constraints that commute to round-off"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + x^2 + y^2/2 + z^4)
constrain("a", 0.1*x + 0.2*y - 0.3*z)
constrain("P", px + py + pz, { dirac = true })
start { x = 1, y = 1, z = 1, px = 0.3, project = true }
integrate { method = "rattle(midpoint)", step = 0.01, steps = 300 }
