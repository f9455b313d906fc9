title "A wheel on a plane, held by springs, with friction: its heading comes to 0.7 of itself"
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
local s, ps = pair("s")
local c = parameter("c", 0.2)
mass { x = 1, y = 1, a = 0.1, s = 0.2 }
potential(3*((x - 1)^2 + y^2)/2 + 0.5*(a - 0.7)^2/2)
velocity_constrain("along", velocity(x) - 0.5*cos(a)*velocity(s))
velocity_constrain("across", velocity(y) - 0.5*sin(a)*velocity(s))
force { x = -c*px, y = -c*py, a = -c*pa, s = -c*ps }
start { x = 0.2, y = 0.5, a = 0.1 }
