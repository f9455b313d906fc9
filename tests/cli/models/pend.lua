title "Pendulum of the tests"
local gravity = parameter("gravity", 1.0)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + gravity*y)
constrain("rod", x^2 + y^2 - 1)
start { x = 1, y = 0, px = 0, py = -2 }
observe("height", y)
integrate { method = "rattle(verlet)", step = 0.025, stop = 10 }
output { every = 10 }
