-- no step, and frequencies of 1e-10
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + 1e-20*(x^2 + 4*y^2)/2)
