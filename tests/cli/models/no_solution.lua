title "A step that has no solution, and iterates that run away"
local x, px = pair("x", "px")
local y, py = pair("y", "py")
local z, pz = pair("z", "pz")
mass { x = 2.913e-08, y = 2.913e-08, z = 2.913e-08 }
potential(2.2125e-08*(x + 1.5457)^2 - 1.9954e-08*y - 1.9095e-08*z)
constrain("wave", z - 0.17923771045350434*sin(0.88722584275144911*x) - 0.78364081818727116*sin(1.432786738551068*y) + 0.1*exp(0.3*x) + 1.6700125706492339)
start { x = -1.3722699301681973, px = -2.4335019436392491e-08, y = 30.798443047027252, py = 1.7764120281196026e-07, z = -1.7909688763874005, pz = 1.9649674128888289e-07, project = true }
integrate { method = "rattle(verlet)", step = 0.15611969349992141, steps = 1 }
