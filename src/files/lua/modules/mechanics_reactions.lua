-- Forces and moments of joints: a part of "mechanics" for its own use.
--
-- A row e of a joint, on coordinates or on velocities, pushes the momentum of each coordinate c with -lambda de/dc, or -lambda de/dc'. These are
-- the parts of a wrench by virtual power: of a body in space sum_j f_j . (w x e_j) = w . (sum_j e_j x f_j) over its columns e_j, of a quaternion
-- f . (0, w) q/2. Rows that hold the body itself (R^T R = 1) do no work under turns, and have no part in it. The angle of a hinge in joint
-- coordinates is pushed by a couple. Joints that are coordinates have no rows, and their wrench follows from all that moves (mechanics_inverse).
local V, B, Tree = require "vectors", require "mechanics_bodies", require "mechanics_tree"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

-- The push of the rows of a joint on the coordinate c.
local function push_on(joint, c)
  local sum = 0
  for _, row in ipairs(joint.rows) do sum = sum - lambda(row.name)*derivative(row.e, row.on_velocities and velocity(c) or c) end
  return sum
end

-- The force on a body, and the moment about its centre, in space.
local function on_body(joint, body)
  local function push(v, count)
    local f = {0, 0, 0, 0}
    for i = 1, count do f[i] = push_on(joint, v[i]) end
    return f
  end
  local F, T = vec3(push(body.x, body.planar and 2 or 3)), vec3(0, 0, 0)
  for _, row in ipairs(B.by_joints and joint.rows or {}) do
    for _, couple in ipairs(Tree.couples(row.e)) do
      if couple[1] == body then T = T - lambda(row.name)*couple[2] end
    end
  end
  if body.planar then return F, T + vec3(0, 0, push_on(joint, body.angle)) end
  if not body.moves then
    local q, f = body.q, push(body.q, 4)
    local function along(i) return 0.5*dot(V.quat(0, i == 1 and 1 or 0, i == 2 and 1 or 0, i == 3 and 1 or 0)*q, V.quat(f[1], f[2], f[3], f[4])) end
    return F, vec3(along(1), along(2), along(3))
  end
  for j = 1, 3 do
    if body.moves[j] then T = T + cross(body.e[j], vec3(push(body.e[j], 3))) end
  end
  return F, T
end

-- The force, and the moment about a place in space. That on the ground is the opposite of those on all other bodies of the joint.
local wrench
function wrench(joint, body, place)
  if joint.of_tree then
    local F, T = Tree.felt(joint.of_tree)
    if body == joint.a.body then return F, T end
    return -F, -T
  end
  if not body.ground then
    local F, T = on_body(joint, body)
    return F, T - cross(place - body.x, F)
  end
  local F, T = vec3(0, 0, 0), vec3(0, 0, 0)
  for _, other in ipairs(joint.others or {joint.a}) do
    if not other.body.ground then
      local f, moment = wrench(joint, other.body, place)
      F, T = F - f, T - moment
    end
  end
  return F, T
end

-- The body that is meant, and the place of the joint on it.
local function place_on(joint, o, what)
  if o ~= nil then B.check_options(what, o, {"on", "axes"}) else o = {} end
  local body = o.on or joint.a.body
  if not B.is_body(body) then error("on is a body of the joint, or mech.ground, found a " .. type(body), 3) end
  local marker, found = body == joint.b.body and joint.apart and joint.b or joint.a, body == joint.a.body or body == joint.b.body
  for _, other in ipairs(joint.others or {}) do
    if other.body == body then marker, found = joint.pulls and other or marker, true end
  end
  if not found then
    error("\"" .. joint.name .. "\" joins \"" .. joint.a.body.name .. "\" and \"" .. joint.b.body.name .. "\", not \"" .. body.name .. "\"", 3)
  end
  return body, marker:position(), o.axes
end

-- In the axes of space, or of a body.
local function in_axes(v, axes)
  if axes == nil or axes == "space" then return v end
  if not B.is_body(axes) then error("axes are those of a body, or \"space\", found " .. tostring(axes), 3) end
  return vec3(dot(v, axes:turn(vec3(1, 0, 0))), dot(v, axes:turn(vec3(0, 1, 0))), dot(v, axes:turn(vec3(0, 0, 1))))
end

local meta, optional = {}, {apart = true, slides = true, guide = true, others = true, pulls = true, inner = true, of_tree = true}
function meta.__index(_, key)
  local value = rawget(meta, key)
  if value == nil and not optional[key] then error("a joint has no \"" .. tostring(key) .. "\"; it has force, torque, tension and name", 2) end
  return value
end

-- force { on = body, axes = body or "space" }: the force of the joint on a body, that of the first point without `on`
function meta.force(joint, o)
  local body, place, axes = place_on(joint, o, "force")
  local F = wrench(joint, body, place)
  return in_axes(F, axes)
end

-- torque { on, axes }: the moment about the point of the joint
function meta.torque(joint, o)
  local body, place, axes = place_on(joint, o, "torque")
  local _, T = wrench(joint, body, place)
  return in_axes(T, axes)
end

-- tension(): how strongly a distance, or a rope, pulls its points together; negative where it pushes them apart
function meta.tension(joint)
  if joint.pulls then return joint.pulls*lambda(joint.name) end
  if not joint.apart then error("a tension is one of a distance or a rope; a \"" .. joint.what .. "\" has force and torque", 2) end
  local r = joint.a:position() - joint.b:position()
  local F = wrench(joint, joint.a.body, joint.a:position())
  return -dot(F, r)/V.norm(r)
end

-- A joint of the points a and b, to which its rows are added. others: one point each of all its bodies, if there are more than two.
function M.joint(what, name, a, b)
  return setmetatable({a, b, what = what, name = name, a = a, b = b, rows = {}}, meta)
end

return M
