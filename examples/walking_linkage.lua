-- A leg of Theo Jansen's walking beasts: a crank, two triangles and four bars, with the lengths that he found by an evolution in 1990. Units: a unit of
-- length of his, s.
--
-- What to see. While the crank turns, the foot goes back along the ground on a nearly straight line, is lifted and swung forward. The place of the foot
-- is compared with circles that intersect in turn, from the angle of the crank alone.
title "Walking linkage"
local mech = require "mechanics"
local a, b, c, d, e, f, g, h, i, j, k, l, m = 38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15
local vec3, norm = mech.vec3, mech.norm

-- Of the points at the distances r and s from P and Q, the one to the left of the way from P to Q.
local function meet(P, r, Q, s, root)
  local w = Q - P
  local D2 = mech.norm2(w)
  local x = (D2 + r^2 - s^2)/(2*D2)
  local y = root(r^2/D2 - x^2)
  return P + x*w + y*vec3(-w.y, w.x, 0)
end
-- All points of the leg for the crank's pin X.
local Y = vec3(-a, -l, 0)
local function leg(X, root)
  local W = meet(Y, b, X, j, root)
  local V = meet(Y, d, W, e, root)
  local U = meet(X, k, Y, c, root)
  local T = meet(U, g, V, f, root)
  return W, V, U, T, meet(U, i, T, h, root)
end

local W, V, U, T, S = leg(vec3(m, 0, 0), math.sqrt)
local crank = mech.planar { name = "crank", mass = 1, inertia = 100, at = {0, 0} }
-- A plate in the form of a triangle, and its corners as points of it.
local function plate(name, A, B, C)
  local centre = (A + B + C)/3
  local own = { A - centre, B - centre, C - centre }
  local square = 0
  for n = 1, 3 do square = square + mech.norm2(own[n]) end
  local body = mech.planar { name = name, mass = 1, inertia = square/12, at = {centre.x, centre.y} }
  return body:at(own[1].x, own[1].y), body:at(own[2].x, own[2].y), body:at(own[3].x, own[3].y)
end
local pivot, top, back = plate("thigh", Y, W, V)
local knee, shin, foot = plate("shank", U, T, S)
local pin = crank:at(m, 0)
mech.revolute("axle", crank:at(0, 0), mech.ground:at(0, 0))
mech.revolute("pivot", pivot, mech.ground:at(Y.x, Y.y))
mech.distance("j", pin, top)
mech.distance("k", pin, knee)
mech.distance("c", knee, mech.ground:at(Y.x, Y.y))
mech.distance("f", shin, back)
local turn = 2*math.pi*time()
mech.drive("motor", crank, mech.ground, -turn)

local _, _, _, _, answer = leg(vec3(m*cos(turn), -m*sin(turn), 0), sqrt)
local now = foot:position()
for _, corner in ipairs { knee, shin } do
  local at = corner:position()
  draw { link = {{at.x, at.y}, {now.x, now.y}}, colour = "green" }
end
draw { point = {now.x, now.y}, colour = "green" }
observe("along", now.x)
observe("height", now.y)
observe("off", norm(now - answer))
start { project = true }
integrate { method = "rattle(verlet)", step = 0.001, stop = 2 }
output { every = 5 }
