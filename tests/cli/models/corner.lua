title "A bead on a ring in a trough with a corner, the root of a square"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2)
constrain("ring", x^2 + y^2 - 1)
force {x = -sqrt(y^2)}
start {x = 1, y = 0, py = 1}
integrate {method = "rattle(midpoint)", step = 0.05, stop = 1}
