-- A gyroscope in a gimbal: a rotor in an inner ring in an outer ring, whose axes are across one another. Units: m, kg, s, N.
--
-- What to see. A weight of 2 N hangs on the inner ring, on the axis of the rotor. The axis does not fall: it goes round with 2 N d/(C w), C being the
-- moment of inertia of the rotor about its axis and w its spin, whatever the rings weigh. Started without that motion, by -P steady=0, it nods too.
title "Gyroscope in a gimbal"
local mech = require "mechanics"
local w, d, weight, steady = parameter("w", 100), 0.15, 2, parameter("steady", 1)
local disc = mech.cylinder { mass = 1, radius = 0.1, length = 0.03 }
local C = disc.inertia[3]
local rate = weight*d/(C*w)
local going = {0, 0, steady*rate}

-- The axis of the rotor lies along x at the start; that of the inner ring along y, that of the outer one along z.
local rotor = mech.body { name = "rotor", shape = disc, rotation = mech.about({0, 1, 0}, math.pi/2), spin = {w, 0, steady*rate} }
local inner = mech.body { name = "inner", mass = 0.3, inertia = {0.002, 0.001, 0.002}, spin = going, colour = "orange" }
local outer = mech.body { name = "outer", mass = 0.4, inertia = {0.003, 0.003, 0.002}, spin = going, colour = "green" }
mech.revolute("bearing", rotor, inner:at(0, 0, 0):along(1, 0, 0))
mech.revolute("trunnion", inner:at(0, 0, 0):along(0, 1, 0), outer:at(0, 0, 0):along(0, 1, 0))
mech.revolute("pivot", outer, mech.ground)
mech.load(inner:at(d, 0, 0), {0, 0, -weight})
local axis = inner:turn(mech.vec3(1, 0, 0))
draw { link = {{0, 0, 0}, {d*axis.x, d*axis.y, d*axis.z}} }
observe("turned", mech.angle(outer, mech.ground))
observe("off", mech.angle(outer, mech.ground) - rate*time())
observe("height", axis.z)
integrate { method = "kahan_li8(rattle(verlet))", step = 0.002, stop = 10 }
output { every = 10 }
