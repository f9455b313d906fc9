local x, px = pair("x")
local b = free("b")
hamiltonian(px^2/2 + b^2*x^2/2 + b^4/4 - b*px)
start { x = 0.4, px = 0.7, b = 0.5 }
