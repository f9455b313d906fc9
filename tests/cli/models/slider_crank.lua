-- A slider-crank whose rod is a little longer than the crank. (x2 - x1)^2 = rod^2 - y1^2 > 0: no motion changes the sign of x2 - x1,
-- but the other sign is near when the crank is upright.
title "Slider-crank"
local rod = parameter("rod", 1.01)
local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
mass { x1 = 1, y1 = 1, x2 = 1, y2 = 1 }
potential(0.5*y1)
constrain("crank", x1^2 + y1^2 - 1)
constrain("rod", (x2 - x1)^2 + (y2 - y1)^2 - rod^2)
constrain("rail", y2)
observe("side", x2 - x1)
start { x1 = 0.8, y1 = 0.6, x2 = 0.8 + math.sqrt(rod^2 - 0.36), y2 = 0, px1 = -0.9, py1 = 1.2, project = true }
integrate { method = "rattle(verlet)", step = 0.02, stop = 20 }
