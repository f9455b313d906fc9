-- A Poincare section of a double pendulum: two bobs of mass 1 on two rods of length 1, in the plane, gravity 1.
--
-- What to see. Whenever the inner rod passes its lowest position from left to right the angle of the outer rod and its rate are recorded, as
-- the event "section". At an energy of 0.3 above rest (-P energy=0.3) the points of a run lie on a curve; at 3 they fill an area: the motion is
-- chaotic. rattle run section.lua -o section.h5, then rattle plot section.h5 --style section --x angle --y rate -o section.svg
--
-- Each point is the end of a step of fractional length from the last whole step: it satisfies the constraints to round-off,
-- and the inner rod is vertical to round-off.
title "Poincare section of a double pendulum"
local energy = parameter("energy", 3)      -- above that at rest
local angle = parameter("angle", 0.5)      -- of the outer rod at the start, the inner one hanging down

local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
mass { x1 = 1, y1 = 1, x2 = 1, y2 = 1 }
potential(y1 + y2)
constrain("inner rod", x1^2 + y1^2 - 1)
constrain("outer rod", (x2 - x1)^2 + (y2 - y1)^2 - 1)
observe("angle", atan2(x2 - x1, y1 - y2))
observe("rate", (x2 - x1)*(py2 - py1) - (y2 - y1)*(px2 - px1))
event("section", x1, { direction = 1 })

-- both bobs begin with the velocity (v, 0): the inner rod turns, the outer one is carried along
local v = sqrt(energy - (1 - cos(angle)))
start { y1 = -1, x2 = sin(angle), y2 = -1 - cos(angle), px1 = v, px2 = v }
integrate { method = "rattle(verlet)", step = 0.02, stop = 2000 }
output { every = 100 }
