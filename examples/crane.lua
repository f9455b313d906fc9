-- A crane: a trolley with a controller, and a load whose rope is hoisted while it swings. Units: m, kg, s.
--
-- What to see. The trolley drives to 5 m. The rope is a constraint that depends on time. The energy supplied by the winch and the work of the
-- controller have lines of their own in the summary, and the energy is the balance of all.
title "Crane with a hoist"
local x, px = pair("trolley")
local u, pu = pair("u")
local v, pv = pair("v")
local t = time()
local rope = 10 - parameter("hoist", 0.3)*t
mass { trolley = 500, u = 200, v = 200 }
potential(200*9.81*v)
constrain("rope", (u - x)^2 + v^2 - rope^2)
force { trolley = 300*(5 - x) - 400*px/500 }
start { v = -10, project = true }
observe("swing", atan2(u - x, -v))
event("plumb", u - x, { direction = 1 })
draw { mark = {x, 0} }
draw { link = {{x, 0}, {u, v}} }
draw { point = {u, v}, colour = "orange" }
integrate { step = 0.01, stop = 20 }
output { every = 10 }
