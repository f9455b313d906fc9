local x, px = pair("x")
hamiltonian(px^2/2 + x)
constrain("a", x^2 - 1)
constrain("b", x^3 - 1)
start { x = 1 }
integrate { step = 0.01, stop = 1 }
