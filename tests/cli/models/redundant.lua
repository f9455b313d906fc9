local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + y)
constrain("rod", x^2 + y^2 - 1)
constrain("again", 2*x^2 + 2*y^2 - 2)
start { x = 1, py = -2 }
integrate { step = 0.01, stop = 1 }
