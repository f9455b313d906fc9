-- equal momenta, as a constraint of Dirac
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2 + px*pz/2)/2 + x^2 + x*y/2 + y^2 + z^2)
constrain("together", px - py, { dirac = true })
start { z = 1, px = 0.5, py = 0.5, pz = 0.3, project = true }
integrate { step = 0.01, stop = 1 }
