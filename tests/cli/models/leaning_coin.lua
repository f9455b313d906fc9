title "A coin that leans against a spring and may turn about the vertical: a direction without stiffness"
local mech = require "mechanics"
local r, lean = 0.4, parameter("lean", 0.3)
mech.gravity(0, 0, -9.81)
local coin = mech.body { name = "coin", mass = 1, inertia = {0.04,0.04,0.08}, at = {0,0,r*math.cos(lean)},
  euler = {0, math.pi/2 - lean, 0}, axes = "zxz" }
mech.rolls("table", coin:at(0,0,0):along(0,0,1), mech.ground:at(0,0,0), { radius = r, form = "disc" })
mech.spring(coin:at(0,0,0), mech.ground:at(0,0,1), {k=50})
start { project = true }
