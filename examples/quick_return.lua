-- The drive of a shaping machine: a crank turns a slotted lever, which pushes the ram slowly forward and quickly back. Units: m, kg, s.
--
-- What to see. The crank turns once a second. The lever stands still (the event `ends`) where the crank is across it, so that of each turn the way
-- forward takes 1/2 + asin(r/d)/pi and the way back 1/2 - asin(r/d)/pi: 2/3 and 1/3 for a crank r that is half of the distance d of the two bearings.
title "Quick return"
local mech = require "mechanics"
local d, l, rod = 0.2, 0.45, 0.3
local r = parameter("r", 0.1)
local crank = mech.planar { name = "crank", shape = mech.cylinder { mass = 2, radius = 0.04, length = 0.02 }, at = {0, 0}, spin = 2*math.pi }
-- The pin of the crank is to the right of its bearing at the start, in the slot of the lever, which turns about a point below.
local lean = math.atan(d, r)
local lever = mech.planar { name = "lever", shape = mech.rod { mass = 1, length = l }, at = {l/2*math.cos(lean), l/2*math.sin(lean) - d}, angle = lean }
local head = lever:at(l/2, 0):start()
local ram = mech.planar { name = "ram", shape = mech.plate { mass = 3, size = {0.2, 0.05} }, at = {head.x - math.sqrt(rod^2 - 0.02^2), head.y + 0.02} }
mech.revolute("bearing", crank:at(0, 0), mech.ground:at(0, 0))
mech.revolute("foot", lever:at(-l/2, 0), mech.ground:at(0, -d))
mech.on_curve("slot", crank:at(r, 0), lever:at(0, 0), function(_, y) return y end)
mech.distance("rod", lever:at(l/2, 0), ram:at(0, 0))
mech.prismatic("guide", ram:at(0, 0), mech.ground:at(ram:at(0, 0):start().x, ram:at(0, 0):start().y):along(1, 0))
local motor = mech.drive("motor", crank, mech.ground, 2*math.pi*time())

-- tan(angle of the lever) by hand
local turn = 2*math.pi*time()
observe("off", lever.angle - atan2(d + r*sin(turn), r*cos(turn)))
observe("torque", motor:torque().z)
observe("ram", ram.x.x)
observe("speed", ram:at(0, 0):velocity().x)
event("ends", lever:spin().z)
start { project = true }
integrate { method = "rattle(verlet)", step = 0.0005, stop = 3 }
output { every = 10 }
