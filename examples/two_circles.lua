-- Two circles that are one surface g = 0: `rattle sample two_circles.lua --method "random_walk(solutions=all, reach=8)" --step 0.5`.
-- `rattle run two_circles.lua` stays on one of them.
--
-- What to see. With solutions=all a step takes any solution of the constraint equation within reach, so that chains go from circle to circle.
-- The mean of `right` is 1/(1 + exp(2 tilt distance)) = 0.2315, the weight of the right circle for V = tilt*x. With --method random_walk
-- each chain stays where it begins, and --starts x=1,-1 shows it: R-hat is far from 1.
--
-- Try measure=delta, near=0.6, and -P distance=4, which needs reach=12.
title "Two circles"
local distance = parameter("distance", 2.0)
local tilt = parameter("tilt", 0.3)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + tilt*x)
constrain("circles", ((x - distance)^2 + y^2 - 1)*((x + distance)^2 + y^2 - 1))
observe("right", (1 + x/abs(x))/2)
draw { surface = "circles", over = {x, y} }
start { x = distance - 1, py = 1 }
integrate { step = 0.05, stop = 10 }
