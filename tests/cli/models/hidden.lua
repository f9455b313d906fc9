-- a quantity that is no number on half of the way
local x, px = pair("x")
local y, py = pair("y")
hamiltonian(px^2/2 + py^2/2 + y)
constrain("c", x^2 + y^2 - 1)
observe("o", sqrt(x))
start { x = 1, py = 0.1 }
integrate { method = "rattle(verlet)", step = 0.1, stop = 10 }
