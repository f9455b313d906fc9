-- A coin that rolls on a table: a thin disc, as a rigid body in space.
--
-- What to see. It runs on a circle to the side to which it leans, and nods: plot coin.y against coin.x, coin.z against t. Energy is kept, angular
-- momentum is not. With a speed below sqrt(g r/3) it falls over, nearly flat, and rises again.
title "Rolling disc that leans"
local mech = require "mechanics"
local r, lean = 0.4, parameter("lean", 0.3)
mech.gravity(0, 0, -9.81)
local coin = mech.body { name = "coin", mass = 1, inertia = {0.04, 0.04, 0.08}, at = {0, 0, r*math.cos(lean)},
  euler = {0, math.pi/2 - lean, 0}, axes = "zxz", velocity = {3, 0, 0}, spin = {0, 3/r*math.cos(lean), -3/r*math.sin(lean)} }
mech.rolls("table", coin:at(0, 0, 0):along(0, 0, 1), mech.ground:at(0, 0, 0), { radius = r, form = "disc" })
start { project = true }
integrate { method = "rattle(verlet)", step = 0.002, stop = 10 }
output { every = 10 }
