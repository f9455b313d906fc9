-- a ball in a bowl that turns, with masses that depend on where it is
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian(px^2/(2 + y^2) + (py + 0.5*x)^2/2 + pz^2/2 - 0.4*(x*py - y*px) + z)
constrain("bowl", z - 0.5*x^2 - 0.3*sin(y)^2)
start { x = 0.5, px = 0.3, py = 0.4, project = true }
integrate { step = 0.05, stop = 2 }
