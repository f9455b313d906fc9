-- Two 1 kg bobs on two 1 m rods, the second attached to the first, in the plane. Units: m, kg, s, J.
--
-- What to see. Both rods start at 1 rad from the downward vertical, at rest. They swing nearly in phase, the outer one a
-- little further, and never repeat exactly. The energy error of rattle(verlet) stays below 1.4e-4 J, without a
-- trend, and both rods keep their lengths to round-off.
--
-- From this start errors grow slowly: kahan_li8(rattle(verlet)) with steps of 0.01 and 0.005 s agrees on the inner
-- angle after 30 s to 1e-12 rad (0.34759063399). From horizontal rods (-P angle=1.5707963) errors grow so fast that the
-- same method with steps of 0.005 and 0.0025 s differs by 2e-3 rad after 30 s, and a little later no computation in
-- double precision can determine where the bobs are: only conserved quantities can be checked then.
title "Double pendulum"
local gravity = parameter("gravity", 9.81)   -- m/s^2
local angle = parameter("angle", 1.0)        -- rad, of both rods from the downward vertical
local length = {parameter("length1", 1.0), parameter("length2", 1.0)} -- m
local m = {parameter("mass1", 1.0), parameter("mass2", 1.0)}          -- kg

local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
mass { x1 = m[1], y1 = m[1], x2 = m[2], y2 = m[2] }
potential(gravity*(m[1]*y1 + m[2]*y2))
constrain("inner rod", x1^2 + y1^2 - length[1]^2)
constrain("outer rod", (x2 - x1)^2 + (y2 - y1)^2 - length[2]^2)
observe("inner angle", atan2(x1, -y1))
observe("outer angle", atan2(x2 - x1, y1 - y2))

start { x1 = length[1]*sin(angle), y1 = -length[1]*cos(angle) }
start { x2 = (length[1] + length[2])*sin(angle), y2 = -(length[1] + length[2])*cos(angle) }
integrate { method = "rattle(verlet)", step = 0.002, stop = 30 }
output { every = 10 }
