title "A bead on a sphere whose mass grows with its height: not separable"
local gravity = parameter("gravity", 1)
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2) / (2 + z) + gravity*z)
constrain("sphere", x^2 + y^2 + z^2 - 1)
start { x = 0.8, z = -0.6, py = 1, px = 0.6, pz = 0.8 }
