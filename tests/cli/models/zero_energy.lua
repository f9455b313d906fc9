-- H vanishes at the start but for 1e-11
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + 9.81*(y - 0.3))
constrain("rod", x^2 + y^2 - 1)
start { x = math.sqrt(1 - (0.3 + 1e-12)^2), y = 0.3 + 1e-12 }
integrate { step = 0.01, stop = 2 }
