-- falls into the place where the root ends
local x, px = pair("x")
hamiltonian(px^2/2 + sqrt(x))
start { x = 0.5 }
integrate { method = "verlet", step = 0.01, stop = 100 }
