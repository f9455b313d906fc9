local l = parameter("length", 1)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + 9.81*y)
constrain("rod", x^2 + y^2 - l^2)
observe("height, m", y + l)
start { x = 0.8*l, y = -0.6*l }
integrate { method = "rattle(verlet)", step = 0.01, stop = 2 }
