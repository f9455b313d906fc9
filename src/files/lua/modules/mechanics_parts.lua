-- Ropes over pulleys, belts, bushings and beams: a part of "mechanics".
local V, B, R, C, J, F = require "vectors", require "mechanics_bodies", require "mechanics_rows", require "mechanics_contacts", require "mechanics_joints", require "mechanics_forces"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

-- ---- ropes ----

local function markers_of(points)
  if type(points) ~= "table" or #points < 2 then error("a rope needs a list of at least two points: rope(\"name\", {a:at(x, y), wheel:at(0, 0), b:at(x, y)})", 3) end
  local markers, planar, spatial = {}, false, false
  for k, point in ipairs(points) do
    if B.is_body(point) then point = point:at(0, 0, 0) end
    if not B.is_marker(point) then error("a rope goes over points of bodies, as body:at(x, y, z); number " .. k .. " is a " .. type(point), 3) end
    if not point.body.ground then
      planar, spatial = planar or point.body.planar, spatial or not point.body.planar
    end
    markers[k] = point
  end
  if planar and spatial then error("a rope cannot go from a body in the plane to one in space", 3) end
  if not (planar or spatial) then error("a rope needs a body that moves", 3) end
  return markers
end

-- A rope without mass that slides over points without friction: the sum of its parts keeps its length, a number or an expression, or that of the start.
-- A point may stand in the list more than once, as the blocks of a tackle do. With slack the sum is at most the length, and restitution is that of the impact
-- where the rope goes taut; the rope then has the values `on` and `lost` of one_sided.
function M.rope(name, points, o)
  o = o or {}
  B.check_options("rope", o, {"length", "slack", "restitution"})
  if o.slack ~= nil and type(o.slack) ~= "boolean" then error("slack of a rope is true or false, found a " .. type(o.slack), 2) end
  if o.restitution ~= nil and not o.slack then error("restitution is that of a rope that goes taut: add slack = true", 2) end
  local markers, others, first = markers_of(points), {}, nil
  B.claim_name("rope", name)
  redundant "omit"
  local known = {}
  for _, marker in ipairs(markers) do
    if not known[marker.body] then others[#others + 1], known[marker.body] = marker, true end
    first = first or not marker.body.ground and marker
  end
  local joint = R.begin("rope", name, first, markers[#markers])
  joint.others, joint.pulls = others, o.slack and -1 or 1 -- tension = pulls lambda
  local sum, start = 0, 0
  for k = 2, #markers do
    local a, b = markers[k - 1], markers[k]
    if a ~= b and not (a.body.ground and b.body.ground) then sum = sum + V.norm(a:position() - b:position()) else sum = sum + V.norm(a:start() - b:start()) end
    start = start + V.norm(a:start() - b:start())
    B.tied[#B.tied + 1] = {"link", a, b}
  end
  local length = o.length or start
  if type(length) ~= "userdata" and B.number(length, "a length") <= 0 then error("the length of a rope must be positive", 2) end
  R.hold(name, joint.pulls*(sum - length))
  if o.slack then
    local switch = one_sided {constraint = name, restitution = o.restitution}
    joint.on, joint.lost = switch.on, switch.lost
  end
  return R.made()
end

-- ---- belts ----

-- The two straight parts of a belt, between the wheels a and b with the radii ra and rb; rb is negative of a crossed one.
local function draw_belt(a, b, ra, rb)
  local apart = V.norm(b:start() - a:start())
  local lean = (ra - rb)/apart
  if lean^2 >= 1 then error("the wheels of a belt are one in the other: their centres must be further apart than " .. math.abs(ra - rb), 3) end
  local from, to = a:position(), b:position()
  local along = (to - from)/apart
  local left = cross(vec3(0, 0, 1), along)
  for _, side in ipairs({1, -1}) do
    local out = lean*along + (side*math.sqrt(1 - lean^2))*left
    local p, q = from + ra*out, to + rb*out
    draw {link = {{p.x, p.y}, {q.x, q.y}}}
  end
end

-- A belt or a chain without slip between two wheels in the plane, whose centres a carrier holds, or the ground: radii[1] angle_a = radii[2] angle_b, or
-- minus that if it is crossed.
function M.belt(name, a, b, o)
  if type(o) == "table" then B.check_options("belt", o, {"radii", "crossed", "carrier"}) end
  local radii = type(o) == "table" and o.radii
  if type(radii) ~= "table" then error("a belt needs radii = {ra, rb}", 2) end
  local ra, rb = B.positive(radii[1], "a radius"), B.positive(radii[2], "a radius")
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) or not (a.body.planar and b.body.planar) then
    error("a belt joins two bodies in the plane: belt(\"name\", a, b, { radii = {ra, rb} }); in space use gear with teeth", 2)
  end
  draw_belt(a, b, ra, o.crossed and -rb or rb)
  C.show_wheel(b, rb)
  return C.gear(name, a, b, {radii = {ra, o.crossed and rb or -rb}, carrier = o.carrier})
end

-- ---- bushings ----

-- A number for all axes, or one for each of them.
local function along_axes(value, what, count)
  value = value or 0
  if type(value) == "number" then return {value, value, value} end
  if type(value) ~= "table" or #value ~= count then error(what .. " of a bushing is a number" .. (count > 1 and ", or a list of " .. count or ""), 3) end
  for k = 1, count do B.number(value[k], what, 3) end
  return {value[1], value[2], value[3] or 0}
end

-- The potential of springs that are slack where far is 0, and what dampers do: k and c along the axes e of that list, far and rate as vectors along them.
local function resist(axes, e, k, c, far, rate)
  local energy, push = 0, vec3(0, 0, 0)
  for _, j in ipairs(axes) do
    if k[j] ~= 0 then energy = energy + k[j]/2*far[j]^2 end
    if c[j] ~= 0 then push = push - (c[j]*dot(rate, e[j]))*e[j] end
  end
  if type(energy) == "userdata" then potential(energy) end
  return push
end

-- How far a has turned against b since the start, along the axes of b: in space n sin(angle) about an axis n.
local function turned(a, b, planar)
  if planar then return {0, 0, a.angle - b.angle - (a.angle0 - b.angle0)} end
  local sum, e = vec3(0, 0, 0), b.column
  for j = 1, 3 do sum = sum + 0.5*cross(e[j], a:carry(V.transpose(a.R0)*b:start_column(j))) end
  return {dot(sum, e[1]), dot(sum, e[2]), dot(sum, e[3])}
end

local function spin_of(body) return body.ground and vec3(0, 0, 0) or body:turn(body:spin()) end

-- Rubber between points of two bodies: springs and dampers along the axes of the body of b and about them, slack at the start. k and c for displacements,
-- turn and turn_c for rotations: numbers for all axes, or lists of one for each.
function M.bushing(name, a, b, o)
  B.claim_name("bushing", name)
  B.check_options("bushing", o, {"k", "c", "turn", "turn_c"})
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) or a.body == b.body then error("a bushing stands between points of two bodies", 2) end
  if a.body.ground then a, b = b, a end
  local planar = a.body.planar
  if not b.body.ground and (planar and 1 or 0) ~= (b.body.planar and 1 or 0) then error("a bushing cannot stand between a body in the plane and one in space", 2) end
  local count, e, r = planar and 2 or 3, b.body.column, a:position() - b:position()
  local r0, far = a:start() - b:start(), {}
  for j = 1, count do far[j] = dot(r, e[j]) - dot(r0, b.body:start_column(j)) end
  local spin, v = spin_of(b.body), a:velocity() - b:velocity()
  local F = resist(planar and {1, 2} or {1, 2, 3}, e, along_axes(o.k, "k", count), along_axes(o.c, "c", count), far, v - cross(spin, r))
  local turn, turn_c = along_axes(o.turn, "turn", planar and 1 or 3), along_axes(o.turn_c, "turn_c", planar and 1 or 3)
  local T = resist(planar and {3} or {1, 2, 3}, e, turn, turn_c, turned(a.body, b.body, planar), spin_of(a.body) - spin)
  B.tied[#B.tied + 1] = {"spring", a, b}
  a.body:push(a.point, F)
  b.body:push(b.point, -F)
  a.body:twist(T)
  b.body:twist(-T - cross(r, F))
end

-- ---- beams ----

-- beam { name, from, to, pieces, mass, bending }: a beam in the plane, straight at the start, as rods with springs between them whose stiffness is that of the
-- bending stiffness E I: deflections and frequencies are off by a part of 1/pieces^2. It returns its bodies and both ends as points.
local beam_meta = {}
beam_meta.__index = beam_meta
function M.beam(o)
  B.check_options("beam", o, {"name", "from", "to", "pieces", "mass", "bending", "colour"})
  local count = B.number(o.pieces or 8, "the number of pieces")
  if count < 1 or count ~= math.floor(count) or count > 10000 then error("the number of pieces of a beam is a whole number between 1 and 10000", 2) end
  local mass, EI = B.positive(o.mass, "the mass of a beam"), B.positive(o.bending, "the bending stiffness of a beam")
  if type(o.from) ~= "table" or type(o.to) ~= "table" then error("a beam has ends: from = {x, y}, to = {x, y}", 2) end
  local x, y = B.number(o.from[1], "from"), B.number(o.from[2], "from")
  local dx, dy = (B.number(o.to[1], "to") - x)/count, (B.number(o.to[2], "to") - y)/count
  local h = math.sqrt(dx^2 + dy^2)
  if h == 0 then error("the ends of a beam are at one place", 2) end
  local beam = setmetatable({name = o.name, pieces = {}, stiffness = EI/h}, beam_meta)
  for k = 1, count do
    local name = o.name .. "." .. k
    local piece = B.planar {name = name, shape = B.rod {mass = mass/count, length = h}, at = {x + (k - 0.5)*dx, y + (k - 0.5)*dy}, angle = math.atan(dy, dx), colour = o.colour}
    beam.pieces[k] = piece
    if k > 1 then
      J.revolute(name .. ".bend", piece:at(-h/2, 0), beam.pieces[k - 1]:at(h/2, 0))
      F.torsion_spring(piece, beam.pieces[k - 1], {k = EI/h})
    end
  end
  beam.from, beam.to = beam.pieces[1]:at(-h/2, 0), beam.pieces[count]:at(h/2, 0)
  return beam
end

-- clamp(name, point, other): an end of the beam, its `from` or `to`, built into another body or the ground at a point of that. The half of a piece bends.
function beam_meta.clamp(beam, name, point, other)
  if point ~= beam.from and point ~= beam.to then error("a clamp takes an end of the beam: beam.from or beam.to", 2) end
  local joint = J.revolute(name, point, other)
  local body, wall = point.body, (B.is_body(other) and other or other.body)
  F.torsion_spring(body, wall, {k = 2*beam.stiffness, angle = body.angle0 - wall.angle0})
  return joint
end

return M
