-- A slider-crank: a crank at constant speed, a connecting rod, and a piston with a pressure that depends on its place. Units: m, kg, s, N.
--
-- What to see. The largest force in the crank pin, and which part of it the gas has: `rattle run slider_crank.lua --extremes`, and for other cranks
-- `rattle sweep slider_crank.lua --set r=0.03:0.06:0.005 --keep extremes -o cranks.h5`. Without gas, `-P gas=0`, the peak is at the dead centre: 0.8 kg
-- and 0.5 kg times the accelerations r w^2 (1 + r/l) and r w^2 (1 + r/2l) of the piston and of the middle of the rod, 781.25 N.
title "Slider-crank"
local mech = require "mechanics"
local r, gas = parameter("r", 0.05), parameter("gas", 300)
local l, w = 0.2, 100
local crank = mech.planar { name = "crank", mass = 1, inertia = 0.001, at = {0, 0}, spin = w }
local rod = mech.planar { name = "rod", shape = mech.rod { mass = 0.5, length = l }, at = {r + l/2, 0}, spin = -r*w/l, velocity = {0, r*w/2} }
local piston = mech.planar { name = "piston", mass = 0.8, inertia = 0.01, at = {r + l, 0} }
mech.revolute("bearing", crank:at(0, 0), mech.ground:at(0, 0))
local pin = mech.revolute("pin", rod:at(-l/2, 0), crank:at(r, 0))
mech.revolute("wrist", rod:at(l/2, 0), piston:at(0, 0))
local guide = mech.prismatic("guide", piston:at(0, 0), mech.ground:at(0, 0):along(1, 0))
local motor = mech.motor("motor", crank, mech.ground, { speed = w })

-- A gas that is shut in: pressure by volume^(-1.3), the room above the piston being a tenth of the stroke at the dead centre.
local room = 2*r/10
potential(gas*room/0.3*((r + l + room - piston.x.x)/room)^(-0.3))

observe("pin force", mech.norm(pin:force()))
observe("along the rod", pin:force { axes = rod }.x)
observe("side force", guide:force().y)
observe("torque", motor:torque().z)
start { project = true }
integrate { method = "rattle(verlet)", step = 1e-5, stop = 0.0628 }
