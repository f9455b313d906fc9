local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + y)
constrain("rod", x^2 + y^2 - 1)
integrate { step = 0.01, stop = 1 }
