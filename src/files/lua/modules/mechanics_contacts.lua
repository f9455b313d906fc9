-- Holonomic contacts: gears, racks, screws and rolling in one direction; angles about axes: a part of "mechanics".
--
-- In the plane an angle is a coordinate and counts turns. In space it is atan2 of directions: a condition n angle + x = constant with whole n
-- is then sin(n angle + x - constant) = 0, which is analytic, and the same after each turn. `angle` counts turns.
local V, B, J, T = require "vectors", require "mechanics_bodies", require "mechanics_rows", require "mechanics_tree"
local dot, cross = V.dot, V.cross
local M = {}

local function is_planar(a, b) return a.body.planar and b.body.planar end

-- The angle between the bodies of a and b about the axis of a, 0 at the start; in space of(y, x) for a direction (x, y).
local function angle_by(of, a, b)
  if is_planar(a, b) then return a.body.angle - b.body.angle - (a.body.angle0 - b.body.angle0) end
  local into = V.transpose(b.body.R0)*a.body.R0
  local axis, u = into*a.axis, into*a.across
  local now, x, y = a.body:carry(a.across), b.body:carry(u), b.body:carry(cross(axis, u))
  return of(dot(now, y), dot(now, x))
end

-- A direction of b across an axis of numbers, both in the body's principal axes: the part across it of the one of b's two directions that is less along
-- it; and the direction of the body that shows it: of a body without thickness its own, the only one that is known. The axis, turned into the body, is off
-- by a few units of round-off.
local function across(b, axis)
  local e, v = b.body.e, math.abs(dot(b.across, axis)) <= math.abs(dot(b.axis, axis)) and b.across or b.axis
  local thin = not (e[1] and e[2] and e[3])
  if thin then v = V.column(V.identity(), e[1] and 1 or e[2] and 2 or 3) end
  local part = v - dot(v, axis)*axis
  if V.norm(part) < 2^-49 then error("\"" .. b.body.name .. "\" has no thickness: its angle about its axis means nothing", 5) end
  part = V.unit(part)
  return part, thin and v or part
end

-- The angle of b about the axis of a point of the ground, 0 at the start
local function angle_about(of, ground, b)
  if is_planar(ground, b) then return angle_by(of, b, ground) end
  local x, shown = across(b, V.transpose(b.body.R0)*ground.axis)
  local start, now = b.body.R0*x, b.body:carry(shown)
  return of(dot(now, cross(ground.axis, start)), dot(now, start))
end

local function angle_of(a, b) return angle_by(atan2, a, b) end

local function angle_between(of, a, b)
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) then error("an angle is one of two points of bodies, as in angle(body:at(x, y, z), other:at(x, y, z))", 3) end
  if a.body.ground then return -angle_about(of, a, b) end
  return angle_by(of, a, b)
end

-- angle(a, b): how far the body of a has turned against the body of b about the axis of a since the start, as an expression that counts turns
function M.angle(a, b)
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  return T.angle(a, b) or (angle_between(turning_angle, a, b))
end

-- The same as it is read from the bodies, between -pi and pi: it costs no coordinate, and jumps
function M.angle_within(a, b)
  local angle = angle_between(atan2, a, b)
  return angle
end

-- A body without a shape is drawn as a wheel.
local function show_wheel(marker, radius)
  local body = marker.body
  if body.planar and not body.ground and radius > 0 then B.wheels[#B.wheels + 1] = {body = body, radius = radius} end
end

M.show_wheel = show_wheel

-- length*phase = 0, where phase is one of angles in space
local function hold_phase(name, planar, phase, length) J.hold(name, planar and length*phase or length*sin(phase)) end

local function whole(value, what)
  if math.type(B.number(value, what, 3)) ~= "integer" and value ~= math.floor(value) then
    error(what .. " in space is a whole number: give the numbers of teeth", 3)
  end
  if value == 0 then error(what .. " must not be 0", 3) end
  return value
end

local function divisor(a, b)
  a, b = math.abs(a), math.abs(b)
  while b > 0 do a, b = b, a % b end
  return a
end

-- Wheels in mesh, whose centres are carried by a third body, or by none: n_a angle_a + n_b angle_b is constant; the angles are measured against
-- the carrier, about the axes of the points. n are radii, in space numbers of teeth; n is negative for inner teeth.
function M.gear(name, a, b, o)
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  local markers = B.is_marker(a) and B.is_marker(b)
  if not markers or (a.body.planar and 1 or 0) ~= (b.body.planar and 1 or 0) and not a.body.ground and not b.body.ground then
    error("a gear joins two bodies in the plane or two in space: gear(\"name\", a, b, { radii = {ra, rb} })", 2)
  end
  B.claim_name("gear", name)
  redundant "omit"
  B.check_options("gear", o, {"radii", "teeth", "carrier"})
  local joint = J.begin("gear", name, a.body.ground and b or a, a.body.ground and a or b)
  joint.others = o.carrier and {a, b, o.carrier:at(0, 0, 0)}
  local c, n, planar = (o.carrier or B.ground):at(0, 0, 0), o.radii or o.teeth, a.body.planar and b.body.planar
  if type(n) ~= "table" then error("a gear needs radii = {ra, rb}, or in space teeth = {na, nb}", 2) end
  local na, nb = B.radius(n[1], "a radius"), B.radius(n[2], "a radius")
  if planar then
    J.hold(name, na*angle_of(a, c) + nb*angle_of(b, c))
    if not o.radii then return J.made() end
    show_wheel(a, na)
    show_wheel(b, nb)
    return J.made()
  end
  if not o.teeth then error("a gear in space needs teeth = {na, nb}", 2) end
  local common = divisor(whole(na, "a number of teeth"), whole(nb, "a number of teeth"))
  J.hold(name, sin(na//common*angle_of(a, c) + nb//common*angle_of(b, c)))
  return J.made()
end

-- A rack: a pinion with its centre at a moves the body of b along b's direction, in the plane b:along(x, y), in space the second direction,
-- b:across_to(x, y, z), with the axis of both across it. Other joints hold the two apart.
local function roll(name, a, b, radius, along, sense)
  local planar, r = is_planar(a, b), a:position() - b:position()
  local r0 = dot(a:start() - b:start(), along.start)
  hold_phase(name, planar, dot(r, along.now)/radius + sense*M.angle(a, b) - r0/radius, radius)
end

-- The direction of rolling of b, now and at the start; the direction to the left of it; and the sense of the axis of a: 1, or -1 if it is opposite.
local function directions(what, a, b, planar)
  if planar then
    local along, left = J.plane_directions(what, b)
    return {now = along, start = b.body.R0*b.axis}, left, 1
  end
  if not b.turned then error("a " .. what .. " in space needs the axis of rolling and the direction across it: point:along(x, y, z):across_to(x, y, z)", 3) end
  local axis, along, left = b:directions()
  local same = dot(a.body.R0*a.axis, b.body.R0*b.axis)
  if math.abs(math.abs(same) - 1) > 1e-9 then error("the axes of a " .. what .. " are not parallel", 3) end
  return {now = along, start = b.body.R0*b.across}, left, same > 0 and 1 or -1
end

function M.rack(name, a, b, o)
  local planar
  a, b, planar = J.check_markers("rack", name, a, b)
  B.check_options("rack", o, {"radius"})
  local along, _, sense = directions("rack", a, b, planar)
  roll(name, a, b, B.radius(o.radius, "the radius of a pinion"), along, sense)
  show_wheel(a, o.radius)
  return J.made()
end

-- A wheel with its centre at a rolls on the outside of a circle about b, or inside it where one of the two radii is negative: with phi the
-- direction from b to a, (r + R) phi = r angle_a + R angle_b.
local function roll_on_circle(name, a, b, r, R)
  local from, between = a:position() - b:position(), a:start() - b:start()
  local distance = r + R
  if distance == 0 then error("a wheel cannot roll inside a circle of its own radius", 3) end
  local x, y = V.unit(between), V.cross(V.vec3(0, 0, 1), V.unit(between))
  J.hold(name .. ".y", V.norm2(from) - distance^2)
  local sign = distance > 0 and 1 or -1
  local turned = (r*(a.body.angle - a.body.angle0) + R*(b.body.angle - b.body.angle0))/distance
  J.hold(name .. ".roll", sign*distance*sin(atan2(dot(from, y), dot(from, x)) - turned))
end

-- A wheel with its centre at a rolls on the line through b along b's direction, on its left side; with circle = R on a circle about b. In space
-- a cylinder about the axis of a, on the plane through b of this axis and the direction across it, without slip along either.
function M.rolling(name, a, b, o)
  local planar
  a, b, planar = J.check_markers("rolling contact", name, a, b)
  B.check_options("rolling", o, {"radius", "circle"})
  local radius = B.radius(o.radius, "the radius of a wheel")
  show_wheel(a, radius)
  if o.circle then
    J.in_plane("rolling contact on a circle", planar)
    roll_on_circle(name, a, b, radius, B.radius(o.circle, "the radius of a circle"))
    show_wheel(b, o.circle)
    return J.made()
  end
  local along, left, sense = directions("rolling contact", a, b, planar)
  local r = a:position() - b:position()
  J.hold(name .. ".y", dot(r, left) - radius)
  roll(name .. ".roll", a, b, radius, along, sense)
  if planar then return J.made() end
  J.hold_axis(name, a, b)
  J.hold(name .. ".x", dot(r, (b:directions())) - dot(a:start() - b:start(), b.body.R0*b.axis))
  return J.made()
end

-- Axes coincide, and a moves by the pitch along them with each turn: of a right-handed thread, a negative pitch of a left-handed one.
function M.screw(name, a, b, o)
  local planar
  a, b, planar = J.check_markers("screw", name, a, b)
  if planar then error("a screw is one in space", 2) end
  B.check_options("screw", o, {"pitch"})
  local lead = B.number(o.pitch, "the pitch of a screw")/(2*math.pi)
  if lead == 0 then error("the pitch of a screw must not be 0: use revolute", 2) end
  J.hold_on_axis(name, a, b)
  J.hold_axis(name, a, b)
  local axis = b:directions()
  local r, r0 = a:position() - b:position(), dot(a:start() - b:start(), b.body.R0*b.axis)
  local same = dot(a.body.R0*a.axis, b.body.R0*b.axis) > 0 and 1 or -1
  hold_phase(name .. ".turn", false, (dot(r, axis) - r0)/lead - same*M.angle(a, b), lead)
  return J.made()
end

-- The displacement of a along the axis of b follows an expression that is 0 at the start, of time or of coordinates; in the plane b needs a
-- direction. Other joints guide the two.
function M.slide(name, a, b, displacement)
  local planar
  a, b, planar = J.check_markers("slide", name, a, b)
  if type(displacement) ~= "number" and type(displacement) ~= "userdata" then error("a slide needs a displacement, a number or an expression", 2) end
  if planar then J.plane_directions("slide", b) end
  local axis = b:directions()
  J.hold(name, dot(a:position() - b:position(), axis) - dot(a:start() - b:start(), b.body.R0*b.axis) - displacement)
  return J.made()
end

-- The angle about the axis of a follows an expression that is 0 at the start, of time or of coordinates.
function M.drive(name, a, b, angle)
  local turn, planar = angle_between(atan2, a, b)
  a, b, planar = J.check_markers("drive", name, a, b)
  hold_phase(name, planar, turn - angle, 1)
  return J.made()
end

return M
