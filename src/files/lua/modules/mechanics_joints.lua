-- Joints between points of bodies, as constraints: a part of "mechanics".
--
-- A joint joins two markers a and b. Axes are the markers' axes. Constraints are called after the joint: "crank.x", "crank.u" ...
local V, B, R, T = require "vectors", require "mechanics_bodies", require "mechanics_rows", require "mechanics_tree"
local dot = V.dot
local check_markers, in_space, hold, hold_point, hold_axis = R.check_markers, R.in_space, R.hold, R.hold_point, R.hold_axis
local hold_on_axis, hold_turn, of_start, plane_directions, made = R.hold_on_axis, R.hold_turn, R.of_start, R.plane_directions, R.made
local M = {}

-- True if the joint moves the bodies by coordinates of its own, and needs no constraint.
local function taken(kind, name, a, b)
  local joint = T.takes(kind, name, a, b)
  if joint then R.of_tree(joint) end
  return joint
end

-- Points coincide; in the plane this is the revolute joint too.
function M.spherical(name, a, b)
  local planar
  a, b, planar = check_markers("spherical joint", name, a, b)
  if taken("spherical", name, a, b) then return made() end
  hold_point(name, a, b, planar)
  return made()
end

-- Points and axes coincide.
function M.revolute(name, a, b)
  local planar
  a, b, planar = check_markers("revolute joint", name, a, b)
  if taken("revolute", name, a, b) then return made() end
  hold_point(name, a, b, planar)
  if not planar then hold_axis(name, a, b) end
  return made()
end

-- Points coincide, axes are perpendicular.
function M.universal(name, a, b)
  local planar
  a, b, planar = check_markers("universal joint", name, a, b)
  in_space("universal joint", planar)
  if taken("universal", name, a, b) then return made() end
  hold_point(name, a, b)
  hold(name .. ".axes", dot((a:directions()), (b:directions())))
  return made()
end

-- A joint that slides along the axis of its second marker, for its picture.
local function made_sliding()
  local joint = made()
  joint.slides = (joint[2]:directions())
  return joint
end

-- Axes coincide: bodies slide along them and turn about them.
function M.cylindrical(name, a, b)
  local planar
  a, b, planar = check_markers("cylindrical joint", name, a, b)
  in_space("cylindrical joint", planar)
  if taken("cylindrical", name, a, b) then return made_sliding() end
  hold_on_axis(name, a, b)
  hold_axis(name, a, b)
  return made_sliding()
end

-- Axes coincide, and bodies slide along them only.
function M.prismatic(name, a, b)
  local planar
  a, b, planar = check_markers("prismatic joint", name, a, b)
  if taken("prismatic", name, a, b) then return made_sliding() end
  if planar then
    local _, left = plane_directions("prismatic joint", b)
    hold(name .. ".y", dot(a:position() - b:position(), left))
    hold(name .. ".turn", a.body.angle - b.body.angle - (a.body.angle0 - b.body.angle0))
    return made_sliding()
  end
  hold_on_axis(name, a, b)
  hold_axis(name, a, b)
  hold_turn(name, a, b)
  return made_sliding()
end

-- The point of a stays in the plane through b across its axis, to which both axes are normal.
function M.planar_joint(name, a, b)
  local planar
  a, b, planar = check_markers("planar joint", name, a, b)
  in_space("planar joint", planar)
  if taken("planar joint", name, a, b) then return made() end
  hold(name .. ".z", dot(a:position() - b:position(), (b:directions())))
  hold_axis(name, a, b)
  return made()
end

-- Points coincide, and bodies do not turn against each other.
function M.fixed(name, a, b)
  local planar
  a, b, planar = check_markers("fixed joint", name, a, b)
  if taken("fixed", name, a, b) then return made() end
  hold_point(name, a, b, planar)
  if planar then
    hold(name .. ".turn", a.body.angle - b.body.angle - (a.body.angle0 - b.body.angle0))
    return made()
  end
  local u, v, w = of_start(a, b)
  local axis, across, third = b:directions()
  hold(name .. ".u", dot(a.body:carry(u), third))
  hold(name .. ".v", dot(a.body:carry(v), axis))
  hold(name .. ".w", dot(a.body:carry(w), across))
  return made()
end

-- Points keep their distance: length, a number or an expression, or the distance at the start.
function M.distance(name, a, b, o)
  o = o or {}
  B.check_options("distance", o, {"length"})
  a, b = check_markers("distance", name, a, b)
  local length = o.length or V.norm(a:start() - b:start())
  if type(length) ~= "userdata" and B.number(length, "a length") <= 0 then error("a distance must be positive: give length, or use spherical", 2) end
  hold(name, V.norm2(a:position() - b:position()) - length^2)
  local joint = made()
  joint.apart = true
  return joint
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
  return made()
end

-- The same of a curve: f returns two values in space, one in the plane.
function M.on_curve(name, a, b, f)
  local planar
  a, b, planar = check_markers("curve", name, a, b)
  hold_on("curve", name, a, b, f, planar and 1 or 2)
  local joint = made()
  joint.guide = {seen_from(a, b)} -- for its picture
  return joint
end

return M
