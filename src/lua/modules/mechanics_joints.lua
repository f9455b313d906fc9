-- Joints between points of bodies, as constraints: a part of "mechanics".
--
-- A joint joins two markers a and b. Axes are the markers' axes. Constraints are called after the joint: "crank.x", "crank.u" ...
local V, B = require "vectors", require "mechanics_bodies"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

-- ---- what joints have in common ----

-- The two markers, the ground's last, and whether both are in the plane.
local function check_markers(what, name, a, b)
  B.claim_name(what, name)
  redundant "omit"
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) then
    error("a " .. what .. " joins two points of bodies, as in (\"name\", body:at(x, y, z), other:at(x, y, z))", 3)
  end
  if a.body == b.body then error("a " .. what .. " joins two bodies, found \"" .. a.body.name .. "\" twice", 3) end
  if a.body.ground then a, b = b, a end
  if not b.body.ground and (a.body.planar and 1 or 0) ~= (b.body.planar and 1 or 0) then
    error("a joint cannot connect a body in the plane with one in space", 3)
  end
  return a, b, a.body.planar
end

local function in_space(what, planar)
  if planar then error("a " .. what .. " is one in space", 3) end
end
local function in_plane(what, planar)
  if not planar then error("a " .. what .. " is one in the plane: of bodies declared by planar { ... }", 3) end
end

-- e = 0
local function hold(name, e)
  if type(e) == "userdata" then constrain(name, e) end
end

local function hold_point(name, a, b, planar)
  local r = a:position() - b:position()
  hold(name .. ".x", r.x)
  hold(name .. ".y", r.y)
  if not planar then hold(name .. ".z", r.z) end
end

-- The axis of a is that of b.
local function hold_axis(name, a, b)
  local axis = a:directions()
  local _, u, v = b:directions()
  hold(name .. ".u", dot(axis, u))
  hold(name .. ".v", dot(axis, v))
end

-- The point of a is on the axis of b.
local function hold_on_axis(name, a, b)
  local r, _, u, v = a:position() - b:position(), b:directions()
  hold(name .. ".x", dot(r, u))
  hold(name .. ".y", dot(r, v))
end

-- The directions across, third and axis of b at the start, as vectors fixed to the body of a.
local function of_start(a, b)
  local into = V.transpose(a.body.R0)*b.body.R0
  return into*b.across, into*cross(b.axis, b.across), into*b.axis
end

-- No turn about the common axis: that of the start, or where both markers have a second direction, those coincide.
local function hold_turn(name, a, b)
  local _, u = b:directions()
  local _, third = of_start(a, b)
  if a.turned and b.turned then third = cross(a.axis, a.across) end
  hold(name .. ".turn", dot(a.body:turn(third), u))
end

-- The direction of a marker in the plane, and the one that is left of it.
local function plane_directions(what, marker)
  local axis = marker:directions()
  if type(axis.z) ~= "number" or axis.z ~= 0 then error("a " .. what .. " in the plane needs a direction: marker:along(x, y)", 3) end
  return axis, cross(vec3(0, 0, 1), axis)
end

-- ---- joints ----

-- Points coincide; in the plane this is the revolute joint too.
function M.spherical(name, a, b)
  local planar
  a, b, planar = check_markers("spherical joint", name, a, b)
  hold_point(name, a, b, planar)
end

-- Points and axes coincide.
function M.revolute(name, a, b)
  local planar
  a, b, planar = check_markers("revolute joint", name, a, b)
  hold_point(name, a, b, planar)
  if not planar then hold_axis(name, a, b) end
end

-- Points coincide, axes are perpendicular.
function M.universal(name, a, b)
  local planar
  a, b, planar = check_markers("universal joint", name, a, b)
  in_space("universal joint", planar)
  hold_point(name, a, b)
  hold(name .. ".axes", dot((a:directions()), (b:directions())))
end

-- Axes coincide: bodies slide along them and turn about them.
function M.cylindrical(name, a, b)
  local planar
  a, b, planar = check_markers("cylindrical joint", name, a, b)
  in_space("cylindrical joint", planar)
  hold_on_axis(name, a, b)
  hold_axis(name, a, b)
end

-- Axes coincide, and bodies slide along them only.
function M.prismatic(name, a, b)
  local planar
  a, b, planar = check_markers("prismatic joint", name, a, b)
  if planar then
    local _, left = plane_directions("prismatic joint", b)
    hold(name .. ".y", dot(a:position() - b:position(), left))
    hold(name .. ".turn", a.body.angle - b.body.angle - (a.body.angle0 - b.body.angle0))
    return
  end
  hold_on_axis(name, a, b)
  hold_axis(name, a, b)
  hold_turn(name, a, b)
end

-- The point of a stays in the plane through b across its axis, to which both axes are normal.
function M.planar_joint(name, a, b)
  local planar
  a, b, planar = check_markers("planar joint", name, a, b)
  in_space("planar joint", planar)
  hold(name .. ".z", dot(a:position() - b:position(), (b:directions())))
  hold_axis(name, a, b)
end

-- Points coincide, and bodies do not turn against each other.
function M.fixed(name, a, b)
  local planar
  a, b, planar = check_markers("fixed joint", name, a, b)
  hold_point(name, a, b, planar)
  if planar then
    hold(name .. ".turn", a.body.angle - b.body.angle - (a.body.angle0 - b.body.angle0))
    return
  end
  local u, v, w = of_start(a, b)
  local axis, across, third = b:directions()
  hold(name .. ".u", dot(a.body:turn(u), third))
  hold(name .. ".v", dot(a.body:turn(v), axis))
  hold(name .. ".w", dot(a.body:turn(w), across))
end

-- Points keep their distance: length, or that of the start.
function M.distance(name, a, b, o)
  o = o or {}
  B.check_options("distance", o, {"length"})
  a, b = check_markers("distance", name, a, b)
  local length = o.length and B.number(o.length, "a length") or V.norm(a:start() - b:start())
  if length <= 0 then error("a distance must be positive: give length, or use spherical", 2) end
  hold(name, V.norm2(a:position() - b:position()) - length^2)
end

-- The point of a as b's body sees it, from the point b.
local function seen_from(a, b)
  local r = a:position() - b:position()
  return dot(r, b.body.column[1]), dot(r, b.body.column[2]), dot(r, b.body.column[3])
end

local function hold_on(what, name, a, b, f, count)
  if type(f) ~= "function" then error("a " .. what .. " is a function of x, y and z whose " .. count .. " values are 0 on it", 3) end
  local values = {f(seen_from(a, b))}
  if #values ~= count then error("a " .. what .. " has " .. count .. " functions, found " .. #values, 3) end
  for i, value in ipairs(values) do hold(count == 1 and name or name .. "." .. i, value) end
end

-- The point of a is where f(x, y, z) = 0, in coordinates of b's body from the point b; in the plane f(x, y).
function M.on_surface(name, a, b, f)
  a, b = check_markers("surface", name, a, b)
  hold_on("surface", name, a, b, f, 1)
end

-- The same of a curve: f returns two values in space, one in the plane.
function M.on_curve(name, a, b, f)
  local planar
  a, b, planar = check_markers("curve", name, a, b)
  hold_on("curve", name, a, b, f, planar and 1 or 2)
end

-- Bodies in the plane whose wheels of these radii roll on each other, while their centres are carried by a third body, or by none: r_a
-- (angle_a - angle_c) + r_b (angle_b - angle_c) stays what it is. The radius of a wheel with inner teeth is negative.
function M.gear(name, a, b, o)
  B.claim_name("gear", name)
  B.check_options("gear", o, {"radii", "carrier"})
  local c, r = o.carrier or B.ground, o.radii
  for _, body in ipairs({a, b, c}) do
    if not B.is_body(body) or not body.planar then error("a gear joins two bodies in the plane: gear(\"name\", a, b, { radii = {ra, rb} })", 2) end
  end
  if type(r) ~= "table" then error("a gear needs radii = {ra, rb}", 2) end
  local ra, rb = B.number(r[1], "a radius"), B.number(r[2], "a radius")
  local start = ra*(a.angle0 - c.angle0) + rb*(b.angle0 - c.angle0)
  hold(name, ra*(a.angle - c.angle) + rb*(b.angle - c.angle) - start)
end

-- A wheel in the plane with its centre at a rolls on the line through b along b's direction, on its left side.
function M.rolling(name, a, b, o)
  local planar
  a, b, planar = check_markers("rolling contact", name, a, b)
  in_plane("rolling contact", planar)
  B.check_options("rolling", o, {"radius"})
  local along, left = plane_directions("rolling contact", b)
  local radius, r = B.number(o.radius, "the radius of a wheel"), a:position() - b:position()
  local from = dot(a:start() - b:start(), b.body.R0*b.axis) + radius*(a.body.angle0 - b.body.angle0)
  hold(name .. ".y", dot(r, left) - radius)
  hold(name .. ".roll", dot(r, along) + radius*(a.body.angle - b.body.angle) - from)
end

return M
