-- The common part of joints: the points that they join, and the constraints that several of them make. A part of "mechanics" for its own use.
local V, B, Reactions = require "vectors", require "mechanics_bodies", require "mechanics_reactions"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

-- The joint whose constraints are declared, and those that it has: what a joint function returns.
local current
local function begin(what, name, a, b)
  current = Reactions.joint(what, name, a, b)
  return current
end
local function made() -- it takes no more rows
  local joint = current
  current = nil
  return joint
end
local function of_tree(joint) current.of_tree = joint end
local function note(name, e, on_velocities)
  local own = current and (name == current.name or name:sub(1, #current.name + 1) == current.name .. ".")
  if own then current.rows[#current.rows + 1] = {name = name, e = e, on_velocities = on_velocities} end
end

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
  B.joined[#B.joined + 1] = begin(what, name, a, b)
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
  if type(e) ~= "userdata" then return end
  B.constrain(name, e)
  note(name, e)
end

local function hold_point(name, a, b, planar)
  local r = a:position() - b:position()
  hold(name .. ".x", r.x)
  hold(name .. ".y", r.y)
  if not planar then hold(name .. ".z", r.z) end
end

-- The axes of a and b are parallel.
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

-- No turn about the common axis from the start on; or, if both markers have a second direction, these coincide.
local function hold_turn(name, a, b)
  local _, u = b:directions()
  local _, third = of_start(a, b)
  if a.turned and b.turned then third = cross(a.axis, a.across) end
  hold(name .. ".turn", dot(a.body:carry(third), u))
end

-- The direction of a marker in the plane, and the one that is left of it.
local function plane_directions(what, marker)
  local axis = marker:directions()
  if type(axis.z) ~= "number" or axis.z ~= 0 then error("a " .. what .. " in the plane needs a direction: marker:along(x, y)", 3) end
  return axis, cross(vec3(0, 0, 1), axis)
end

M.begin, M.made, M.note, M.of_tree = begin, made, note, of_tree
M.check_markers, M.in_space, M.in_plane, M.hold, M.hold_point, M.hold_axis = check_markers, in_space, in_plane, hold, hold_point, hold_axis
M.hold_on_axis, M.hold_turn, M.of_start, M.plane_directions = hold_on_axis, hold_turn, of_start, plane_directions

return M
