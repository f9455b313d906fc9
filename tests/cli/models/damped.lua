title "Damped pendulum in the plane"
local c = parameter("damping", 0.3)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + y)
constrain("rod", x^2 + y^2 - 1)
force { x = -c*px, y = -c*py }
start { x = 1, y = 0, px = 0, py = -0.5 }
integrate { method = "rattle(verlet)", step = 0.025, stop = 10 }
