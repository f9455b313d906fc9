-- A Geneva drive, as it moves the film of a projector: the pin of a crank that turns steadily enters a slot of a wheel with four slots, turns the wheel
-- by a quarter, and leaves. In between a disc on the crank holds the wheel. Units: a unit of length and of mass, s.
--
-- What to see. Seen from the wheel, the pin stands at the angle b, tan(b) = r sin(a)/(d - r cos(a)), a being the angle of the crank, both from the line of
-- centres: the wheel turns with it while the pin is in a slot, for a quarter of the time. With d = sqrt(2) r the pin enters along the slot, so that
-- nothing jumps but accelerations. The slots are one constraint: in axes of the wheel the pin is on one of two lines, (u - v)(u + v) = 0. It begins and
-- ends with the way of the pin, and so does the lock, which has a little play. The motor gives J b' b'' times the square of its speed, b' = db/da.
title "Geneva drive"
local mech = require "mechanics"
local r, J, speed = 1, 0.5, 2*math.pi*parameter("rate", 1)
local d = math.sqrt(2)*r
local crank = mech.planar { name = "crank", mass = 1, inertia = 1, at = {0, 0}, angle = math.pi, spin = speed }
local wheel = mech.planar { name = "wheel", mass = 1, inertia = J, at = {d, 0} }
mech.revolute("axle", crank, mech.ground:at(0, 0))
mech.revolute("shaft", wheel, mech.ground:at(d, 0))
local motor = mech.drive("motor", crank, mech.ground, speed*time())

local pin = crank:at(r, 0):position()
local way = pin - wheel.x
local u, v = mech.dot(way, wheel.column[1]), mech.dot(way, wheel.column[2])
local depth, play = d^2 - r^2 - mech.norm2(way), 0.01*r^2
constrain("lock", wheel.angle)
constrain("slot", u^2 - v^2)
local lock = switch { constraint = "lock", active = true, hold = true, begins = -depth - play, ends = depth }
local slot = switch { constraint = "slot", begins = depth, ends = -depth }

local a = crank.angle
local b, D = atan2(r*sin(a), d - r*cos(a)), d^2 + r^2 - 2*d*r*cos(a)
local b1, b2 = r*(d*cos(a) - r)/D, -r*d*(d^2 - r^2)*sin(a)/D^2
local quarters = slot.on*sin(4*(wheel.angle + b + math.pi/4)) + (1 - slot.on)*sin(4*wheel.angle)
observe("turned", wheel.angle)
observe("off", quarters/4)
observe("moment", motor:torque().z)
observe("off_moment", motor:torque().z - slot.on*J*speed^2*b1*b2)
integrate { method = "rattle(verlet)", step = 0.002, stop = 4 }
output { every = 5 }

-- The outlines of wheel and disc.
mech.draw_nothing()
local function outline(body, places, colour)
  local line = {}
  for k, place in ipairs(places) do
    local P = body:at(place[1], place[2]):position()
    line[k] = {P.x, P.y}
  end
  draw { link = line, colour = colour }
end
local radius, wide, bottom, places = 0.75*r, 0.06*r, 0.9*(d - r), {}
local most = math.acos((d^2 - r^2 + radius^2)/(2*d*radius))
for k = 0, 4 do
  local c, s = math.cos(k*math.pi/2), math.sin(k*math.pi/2)
  local function add(x, y) places[#places + 1] = {c*x - s*y, s*x + c*y} end
  for i = -4, 4 do add(d - radius*math.cos(i/4*most), radius*math.sin(i/4*most)) end
  if k == 4 then break end
  local e = wide/math.sqrt(2)
  for _, at in ipairs { {r, 1}, {bottom, 1}, {bottom, -1}, {r, -1} } do add(at[1]/math.sqrt(2) + at[2]*e, at[1]/math.sqrt(2) - at[2]*e) end
end
outline(wheel, places, "blue")
places = {}
for i = 0, 16 do
  local angle = math.pi/3*(1 + i/4)
  places[i + 1] = {radius*math.cos(angle), radius*math.sin(angle)}
end
outline(crank, places, "orange")
outline(crank, { {0, 0}, {r, 0} }, "orange")
draw { point = {pin.x, pin.y}, size = 0.05*r, colour = "green" }
draw { mark = {0, 0} }
draw { mark = {d, 0} }
