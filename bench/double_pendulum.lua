title "Double pendulum, for timing: both links at 1 rad, from rest"
local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
hamiltonian((px1^2 + py1^2 + px2^2 + py2^2)/2 + y1 + y2)
constrain("inner", x1^2 + y1^2 - 1)
constrain("outer", (x2 - x1)^2 + (y2 - y1)^2 - 1)
start { x1 = math.sin(1), y1 = -math.cos(1), x2 = 2*math.sin(1), y2 = -2*math.cos(1) }
