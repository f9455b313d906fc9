title "Bead with a mass that depends on the place"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/(2*(1 + x^2/4)) + sin(z) + 0.2*x*y)
constrain("ellipsoid", x^2 + 2*y^2 + 3*z^2 - 1)
start { x = 0.6, y = 0.3, z = 0.5, px = 0.5, py = 0.2, pz = -0.3, project = true }
integrate { step = 0.01, stop = 1 }
