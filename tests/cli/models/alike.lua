-- two spheres that meet in a circle at a small angle: from far away their gradients are one
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + x)
constrain("a", x^2 + y^2 + z^2 - 1)
constrain("b", x^2 + y^2 + z^2 - 1 + 1e-6*z)
start { x = 1e9, y = 2e8, z = 3e8 }
