-- A Stewart platform: six actuators, whose lengths are prescribed in time, carry a plate. Units: m, kg, s.
--
-- What to see. No degree of freedom is left: the actuators lead the plate, and their multipliers give their forces. The summary states the energy that
-- they supply.
title "Stewart platform"
local mech = require "mechanics"
mech.gravity(0, 0, -9.81)
local t = time()
local plate = mech.body { name = "plate", shape = mech.cylinder { mass = 20, radius = 0.5, length = 0.05 }, at = {0, 0, 1} }
for i = 1, 6 do
  local side = i - 2*math.floor(i/2) == 0 and 0.2 or -0.2
  local a, b = 2*math.pi/3*math.floor(i/2) - side, 2*math.pi/3*math.floor((i - 1)/2) + math.pi/3 + side
  local foot, head = mech.ground:at(math.cos(b), math.sin(b), 0), plate:at(0.5*math.cos(a), 0.5*math.sin(a), 0)
  local length = mech.norm(head:start() - foot:start())
  mech.distance("leg" .. i, foot, head, { length = length + 0.05*(math.cos(i) - cos(2*t + i)) })
end
start { project = true }
observe("height", plate.x.z)
integrate { step = 0.005, stop = 6 }
output { every = 10 }
