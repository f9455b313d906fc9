title "Harmonic constraint"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian(x*y + (px - x)^2/2 + py^2/4)
constrain("sphere", x^2 + y^2 + px^2 + py^2 - 1)
start { x = 0.8, y = 0.1, px = 0.3, py = 0.4, project = true }
integrate { step = 0.01, stop = 1 }
