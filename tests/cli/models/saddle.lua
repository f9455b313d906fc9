-- Two constraints with nearly parallel normals: y > 0 for ever, and the first step finds y < 0 with residuals of round-off.
local x, px = pair("x") local y, py = pair("y") local z, pz = pair("z")
hamiltonian(0.35*px^2 + 0.5*py^2 + 0.5*pz^2 - 0.04*x)
constrain("saddle", 200*z + y^2 - 64*x^2 - 7e-9)
constrain("plane", z)
start { x = 0.02, y = 0.155, px = -0.32, py = -1.83, project = true }
integrate { method = "rattle(verlet)", step = 0.085, steps = 30 }
