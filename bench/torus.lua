title "A point on a torus, for timing: its g has the fourth degree"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + z)
constrain("torus", (x^2 + y^2 + z^2 + 3/4)^2 - 4*(x^2 + y^2))
start { x = 3/2, py = 1, pz = 1 }
