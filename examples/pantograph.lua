-- A pantograph: five-bar linkage that copies a drawing k times as large. Units: m, kg, s.
--
-- What to see. The tracer P is led along a figure of eight; the pen Q draws the same figure, Q = k P from the pole, to round-off at every step, since
-- the bars keep a parallelogram (C. Scheiner, 1631). With -P k=4 it is four times as large.
title "Pantograph"
local mech = require "mechanics"
local k, l = parameter("k", 2.5), 1
local up, down = math.rad(70), math.rad(-50) -- how the two long bars lean at the start

local function bar(name, from, angle, length)
  local body = mech.planar { name = name, shape = mech.rod { mass = length, length = length }, angle = angle,
    at = {from.x + length/2*math.cos(angle), from.y + length/2*math.sin(angle)} }
  return body, function(s) return body:at(s - length/2, 0) end -- the point at the distance s from its beginning
end
local pole = mech.vec3(0, 0, 0)
local function ahead(from, angle, length) return from + length*mech.vec3(math.cos(angle), math.sin(angle), 0) end
local arm, on_arm = bar("arm", pole, up, l)
local fore, on_fore = bar("forearm", ahead(pole, up, l), down, l)
local inner, on_inner = bar("inner", ahead(pole, up, l/k), down, l/k)
local link, on_link = bar("link", ahead(ahead(pole, up, l/k), down, l/k), up, l - l/k)
mech.revolute("pole", on_arm(0), mech.ground:at(0, 0))
mech.revolute("elbow", on_fore(0), on_arm(l))
mech.revolute("C", on_inner(0), on_arm(l/k))
mech.revolute("tracer", on_link(0), on_inner(l/k))
mech.revolute("D", on_link(l - l/k), on_fore(l/k))

local t, at = 2*math.pi*time(), on_inner(l/k):start()
mech.slide("x", on_inner(l/k), mech.ground:at(at.x, at.y):along(1, 0), 0.05*sin(t))
mech.slide("y", on_inner(l/k), mech.ground:at(at.x, at.y):along(0, 1), 0.05*sin(2*t))

local P, Q = on_inner(l/k):position(), on_fore(l):position()
draw { point = {P.x, P.y}, colour = "blue" }
draw { point = {Q.x, Q.y}, colour = "orange" }
observe("pen x", Q.x)
observe("pen y", Q.y)
observe("off", mech.norm2(Q - k*P)^0.5)
start { project = true }
integrate { method = "rattle(verlet)", step = 0.001, stop = 2 }
output { every = 10 }
