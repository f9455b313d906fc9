-- Peaucellier's cell: seven bars without a guide that draw a straight line. Units: m, kg, s, N.
--
-- What to see. The linkage swings in gravity, and its pen stays on the line y = -(L^2 - s^2)/(2 a) to round-off. L are the bars from the pole, s those
-- of the rhombus, a is the crank, whose centre is at the distance a from the pole: it leads a corner P of the rhombus on a circle through the pole.
-- The opposite corner Q is inverse to it, |OP| |OQ| = L^2 - s^2, and an inversion makes lines of such circles (A. Peaucellier, 1864).
title "Peaucellier's cell"
local mech = require "mechanics"
local L, s, a, turned = parameter("L", 1), parameter("s", 0.5), parameter("a", 0.35), parameter("turned", 1.2)
mech.gravity(0, -9.81)

local function bar(name, from, to)
  local d, length = to - from, mech.norm(to - from)
  local middle = 0.5*(from + to)
  local body = mech.planar { name = name, shape = mech.rod { mass = length, length = length }, at = {middle.x, middle.y}, angle = math.atan(d.y, d.x) }
  return { from = body:at(-length/2, 0), to = body:at(length/2, 0) }
end
local O, C = mech.vec3(0, 0, 0), mech.vec3(0, -a, 0)
local P = C + mech.vec3(a*math.sin(turned), -a*math.cos(turned), 0)
local p = mech.norm(P)
local along, q = P/p, (L^2 - s^2)/p
local across = mech.vec3(-along.y, along.x, 0)
local middle, half = (p + q)/2, math.sqrt(s^2 - (q - p)^2/4)
local A, B, Q = middle*along + half*across, middle*along - half*across, q*along

local crank = bar("crank", C, P)
local long = { bar("upper", O, A), bar("lower", O, B) }
local inner = { bar("inner1", P, A), bar("inner2", P, B) }
local outer = { bar("outer1", Q, A), bar("outer2", Q, B) }
mech.revolute("centre", crank.from, mech.ground:at(C.x, C.y))
for k = 1, 2 do
  mech.revolute("pole" .. k, long[k].from, mech.ground:at(0, 0))
  mech.revolute("P" .. k, inner[k].from, crank.to)
  mech.revolute("inside" .. k, inner[k].to, long[k].to)
  mech.revolute("outside" .. k, outer[k].to, long[k].to)
end
mech.revolute("Q", outer[1].from, outer[2].from)

local pen = outer[1].from:position()
draw { point = {pen.x, pen.y} }
observe("pen", pen.x)
observe("off", pen.y + (L^2 - s^2)/(2*a))
integrate { method = "rattle(verlet)", step = 0.001, stop = 10 }
output { every = 10 }
