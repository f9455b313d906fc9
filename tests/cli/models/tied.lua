-- Second-class constraints: a coordinate that is 0, and its momentum a function of the others.
title "A coordinate and its momentum tied"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + x^2 + y^2/2 + 0.3*y^4 + 0.5*sin(y + z) + z^2 + 0.2*px*py*cos(z))
constrain("a", x)
constrain("b", px - 0.3*y^2 + 0.2*sin(z)*py, { dirac = true })
start { y = 1, z = 0.3, pz = 0.5, py = 0.2, project = true }
integrate { method = "second_class(midpoint)", step = 0.01, steps = 1000 }
