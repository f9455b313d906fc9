-- A pendulum with friction, drag, a follower force and a drive
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + y)
constrain("rod", x^2 + y^2 - 1)
force { x = -0.3*px - 0.2*px*sqrt(px^2 + py^2 + 0.01), y = -0.3*py }
force { x = -0.5*y + 0.2*cos(time()), y = 0.5*x }
start { x = 1, y = 0, px = 0, py = -0.5 }
