-- A quarter of a car with a double wishbone suspension, seen from the front, that goes over a bump. Units: m, kg, s, N.
--
-- What to see. The car sinks into its springs, and goes over the bump at t = 2. The upper arm is shorter than the lower one, so that the wheel leans
-- inwards as it rises: its camber is compared with two circles that intersect, from the angle of the lower arm alone. At rest the tyre carries all,
-- and the wheel is 346 kg g/k = 16.97 mm lower than without load.
title "Double wishbone"
local mech = require "mechanics"
local g, body_mass, wheel_mass = 9.81, 300, 40
mech.gravity(0, -g)
local vec3 = mech.vec3
-- on the car: the inner ends of the arms and the top of the strut; on the upright at the start: the outer ends, and the middle of the wheel
local A, B, top = vec3(0.30, 0.25, 0), vec3(0.36, 0.50, 0), vec3(0.42, 0.80, 0)
local a, b, hub = vec3(0.68, 0.22, 0), vec3(0.64, 0.52, 0), vec3(0.75, 0.32, 0)
local radius = 0.32

local car = mech.planar { name = "car", shape = mech.plate { mass = body_mass, size = {0.6, 0.7} }, at = {0.1, 0.6} }
local function arm(name, from, to)
  local d, length = to - from, mech.norm(to - from)
  local body = mech.planar { name = name, shape = mech.rod { mass = 3, length = length }, at = {(from.x + to.x)/2, (from.y + to.y)/2}, angle = math.atan(d.y, d.x) }
  mech.revolute(name .. " inner", body:at(-length/2, 0), car:here(from.x, from.y))
  return body
end
local lower, upper = arm("lower", A, a), arm("upper", B, b)
local upright = mech.planar { name = "upright", mass = wheel_mass, inertia = 1.5, at = {hub.x, hub.y} }
mech.revolute("lower ball", upright:here(a.x, a.y), lower:here(a.x, a.y))
mech.revolute("upper ball", upright:here(b.x, b.y), upper:here(b.x, b.y))
mech.prismatic("guide", car, mech.ground:at(0.1, 0.6):along(0, 1))

local seat = lower:here(0.55, 0.2303, 0)
mech.spring(seat, car:here(top.x, top.y), { k = 3.5e4, length = 0.72 })
mech.damper(seat, car:here(top.x, top.y), { c = 2500 })
-- The tyre, a spring between hub and road; the road has a bump of 5 cm.
local road = 0.05*exp(-((time() - 2)/0.03)^2)
potential(2e5/2*(upright.x.y - radius - road)^2)

local wheel = upright:at(0.11, 0):position()
draw { box = {wheel.x, wheel.y}, size = {0.2, 2*radius, 0.01}, turn = upright:rotation(), colour = "grey" }

-- The same by hand: the lower ball from the angle of its arm, the upper one where two circles meet.
local la, lb, ab = mech.norm(a - A), mech.norm(b - B), mech.norm(b - a)
local turn = lower.angle - math.atan(a.y - A.y, a.x - A.x)
local function camber(P)
  local w = B - P
  local D2 = mech.norm2(w)
  local x = (D2 + ab^2 - lb^2)/(2*D2)
  local y = -sqrt(ab^2/D2 - x^2)
  local up = x*w + y*vec3(-w.y, w.x, 0)
  return atan2(up.y, up.x) - math.atan(b.y - a.y, b.x - a.x)
end
local reach = lower.angle
observe("camber", upright.angle*180/math.pi)
observe("off", upright.angle - camber(A + la*vec3(cos(reach), sin(reach), 0)))
observe("car", car.x.y - 0.6)
observe("wheel", upright.x.y - hub.y)
integrate { step = 0.001, stop = 6 }
output { every = 5 }
