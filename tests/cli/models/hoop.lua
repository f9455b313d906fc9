local a, k, m = parameter("a", 2), parameter("k", 0.3), parameter("m", 1)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/(2*m) + k*(x^2 + y^2))
constrain("ring", x^2 + y^2 - a)
start { x = 1, y = 1 }
integrate { step = 0.3 }
