-- Springs and constant loads, as potentials; dampers and other forces: a part of "mechanics".
local V, B, C, T = require "vectors", require "mechanics_bodies", require "mechanics_contacts", require "mechanics_tree"
local M = {}

local function marker_of(a, what)
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if not B.is_marker(a) then error("a " .. what .. " acts on points of bodies: body:at(x, y, z)", 3) end
  return a
end

local function turning_bodies(what, a, b)
  for _, body in ipairs({a, b}) do
    if not B.is_body(body) or not body.planar then error("a " .. what .. " acts between two bodies in the plane", 3) end
  end
end

-- Two bodies in the plane as they are, and nil; else two points of bodies in space, and the axis of the first as it stands there.
local function turning(what, a, b)
  if B.is_body(a) and B.is_body(b) and a.planar and b.planar then return a, b end
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) then
    error("a " .. what .. " acts between two bodies in the plane, or in space between two points of bodies about the axis of the first", 3)
  end
  return a, b, (a:directions())
end

-- spring(a, b, { k, length }): k (|a - b| - length)^2/2; with length 0, the default, it is smooth where the points meet
function M.spring(a, b, o)
  B.check_options("spring", o, {"k", "length"})
  local k, length = B.number(o.k, "the stiffness of a spring"), B.number(o.length or 0, "the length of a spring")
  a, b = marker_of(a, "spring"), marker_of(b, "spring")
  B.tied[#B.tied + 1] = {"spring", a, b}
  local square = V.norm2(a:position() - b:position())
  potential(length == 0 and k/2*square or k/2*(sqrt(square) - length)^2)
end

-- torsion_spring(a, b, { k, angle }): k (angle - angle0)^2/2 for the angle of a against b, which counts turns; for points in space the angle about the
-- axis of a, since the start
function M.torsion_spring(a, b, o)
  B.check_options("torsion_spring", o, {"k", "angle"})
  local axis
  a, b, axis = turning("torsion spring", a, b)
  local angle = axis and C.angle(a, b) or a.angle - b.angle
  potential(B.number(o.k, "the stiffness of a spring")/2*(angle - B.number(o.angle or 0, "the angle of a spring"))^2)
end

-- torque(a, b, value): a constant torque on a, and its opposite on b
function M.torque(a, b, value)
  turning_bodies("torque", a, b)
  potential(-B.number(value, "a torque")*(a.angle - b.angle))
end

-- load(a, {fx, fy, fz}): a constant force at a point
function M.load(a, force)
  if type(force) ~= "table" then error("expected a force {fx, fy, fz}, found a " .. type(force), 2) end
  potential(-V.dot(V.vec3(force[1], force[2], force[3] or 0), marker_of(a, "load"):position()))
end

-- push(a, {fx, fy, fz}): a force of any expressions at a point, such as a drive or a follower force
function M.push(a, f)
  a = marker_of(a, "force")
  if type(f) ~= "table" then error("expected a force {fx, fy, fz}, found a " .. type(f), 2) end
  a.body:push(a.point, V.vec3(f[1], f[2], f[3] or 0))
end

-- damper(a, b, { c }): pulls two points together along their line by c times the rate at which they part
function M.damper(a, b, o)
  B.check_options("damper", o, {"c"})
  a, b = marker_of(a, "damper"), marker_of(b, "damper")
  B.tied[#B.tied + 1] = {"damper", a, b}
  local r, v = a:position() - b:position(), a:velocity() - b:velocity()
  local F = (-B.number(o.c, "the constant of a damper")*V.dot(r, v)/V.norm2(r))*r
  a.body:push(a.point, F)
  b.body:push(b.point, -F)
end

-- torsion_damper(a, b, { c }): the torque -c (spin_a - spin_b) on a, and its opposite on b; of points in space about the axis of a
function M.torsion_damper(a, b, o)
  B.check_options("torsion_damper", o, {"c"})
  local c, axis = B.number(o.c, "the constant of a damper")
  a, b, axis = turning("torsion damper", a, b)
  local hinge = T.hinge(a, b)
  if hinge then return T.damp(hinge, c) end
  if not axis then
    M.motor(a, b, -c*(a.spins[3] - b.spins[3]))
    return
  end
  local function rate(body) return body.ground and 0 or V.dot(body:turn(body:spin()), axis) end
  M.motor(a, b, -c*(rate(a.body) - rate(b.body)))
end

-- motor(a, b, torque): a torque of any expression on a, and its opposite on b; of points in space about the axis of a
function M.motor(a, b, torque)
  local axis
  a, b, axis = turning("motor", a, b)
  if type(torque) ~= "number" and type(torque) ~= "userdata" then error("expected a torque, found a " .. type(torque), 2) end
  local hinge, sign = T.hinge(a, b)
  if hinge then
    force {[hinge.q] = sign*torque}
    return
  end
  local moment = torque*(axis or V.vec3(0, 0, 1))
  local on, from = axis and a.body or a, axis and b.body or b
  on:twist(moment)
  from:twist(-moment)
end

return M
