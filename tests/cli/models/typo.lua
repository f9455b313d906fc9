local x, px = pair("x")
hamiltonian(px^2/2 + x)
start { xx = 1 }
