-- Joint coordinates: angles and displacements along a spanning tree of the joints in place of those of bodies: a part of "mechanics".
--
-- Bodies are declared as ever, with coordinates that everything else refers to; when the file has been read these become functions of the
-- coordinates of the joints (chart), and the kinetic energy comes from mechanics_sweeps. A joint whose bodies are joined already, by
-- joints before it, closes a loop: its constraints stay.
local V, B, S, I = require "vectors", require "mechanics_bodies", require "mechanics_sweeps", require "mechanics_inverse"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

local joints = {} -- of the tree: { name, a, b, steps }
local charted = false
local group = {} -- of bodies joined so far, as a forest: body -> another

local function root_of(body)
  while group[body] do body = group[body] end
  return body
end

-- ---- words ----

-- coordinates "joints" or "bodies" (the default): before the first body
function M.coordinates(which)
  if which ~= "joints" and which ~= "bodies" then
    error("coordinates are \"joints\" or \"bodies\", found " .. tostring(which), 2)
  end
  if #B.all() > 0 then error("choose the coordinates before the first body", 2) end
  B.by_joints = which == "joints"
  if B.by_joints and not charted then
    charted = true
    chart(function(project, push) return M.chart(project, push) end)
  end
end

-- The turns and slides of each kind of joint, from the frame of b to that of a, in which axes are those in space at the start.
local function steps_of(kind, a, b)
  local along, from = a.body.R0*a.axis, b.body.R0*b.axis
  if dot(along, from) < 0 and kind ~= "universal" then from = -from end
  if a.body.planar then along, from = vec3(0, 0, 1), b.body.R0*b.axis end
  if kind == "revolute" then return {{"turn", along}} end
  if kind == "prismatic" then return {{"slide", b.body.R0*b.axis}} end
  if kind == "spherical" then return {a.body.planar and {"turn", along} or {"ball"}} end
  if kind == "universal" then return {{"turn", from}, {"turn", along}} end
  if kind == "cylindrical" then return {{"slide", from}, {"turn", along}} end
  if kind == "planar joint" then return {{"slide", b.body.R0*b.across}, {"slide", b.body.R0*cross(b.axis, b.across)}, {"turn", along}} end
  if kind == "free" and a.body.planar then return {{"slide", vec3(1, 0, 0)}, {"slide", vec3(0, 1, 0)}, {"turn", vec3(0, 0, 1)}} end
  if kind == "free" then return {{"slide", vec3(1, 0, 0)}, {"slide", vec3(0, 1, 0)}, {"slide", vec3(0, 0, 1)}, {"ball"}} end
  return {}
end

-- The pairs of the steps, by the name of the joint or their own: .angle, .slide, with a number if there are several; .qw, .qx, .qy, .qz of a ball.
local function name_pairs(name, steps)
  local count, number = {turn = 0, slide = 0, ball = 0}, {turn = 0, slide = 0}
  for _, step in ipairs(steps) do count[step[1]] = count[step[1]] + 1 end
  for _, step in ipairs(steps) do
    local kind = step[1]
    if kind == "ball" then
      local q, p = {}, {}
      for i, letter in ipairs({"w", "x", "y", "z"}) do q[i], p[i] = pair((step.name or name) .. ".q" .. letter, (step.name or name) .. ".pq" .. letter) end
      step.q, step.p = V.quat(q[1], q[2], q[3], q[4]), V.quat(p[1], p[2], p[3], p[4])
    else
      number[kind] = number[kind] + 1
      local called, own = (kind == "turn" and "angle" or "slide") .. (count[kind] > 1 and not step.name and number[kind] or ""), step.name or name
      step.q, step.p = pair(own .. "." .. called, own .. ".p" .. called)
      if kind == "turn" then draw {angles = {step.q}} end
    end
  end
end

-- The joint that becomes part of the tree, so that it needs no constraint; else nil. steps, if they are not those of the kind: { kind, axis, at, name },
-- from b to a, axis and place in space at the start.
function M.takes(kind, name, a, b, steps)
  if not B.by_joints then return nil end
  local one, two = root_of(a.body), root_of(b.body)
  if one == two then return nil end
  steps = steps or steps_of(kind, a, b)
  name_pairs(name, steps)
  -- the ground stays the root of its group
  if one.ground then group[two] = one else group[one] = two end
  joints[#joints + 1] = {kind = kind, name = name, a = a, b = b, steps = steps}
  return joints[#joints]
end

-- Symbols of the force of a joint of the tree on the body of its first point, and of the moment about that point.
local asked = false
function M.felt(joint)
  if not joint.felt then
    local planar = joint.a.body.planar
    local function line() return planar and 0 or awaited() end
    joint.felt = {F = vec3(awaited(), awaited(), line()), T = vec3(line(), line(), awaited())}
    asked = true
  end
  return joint.felt.F, joint.felt.T
end

-- The couples of the turns of the tree that an expression contains, as {body, moment in space}, each the derivative by the angle.
function M.couples(e)
  local list = {}
  for _, joint in ipairs(joints) do
    for _, step in ipairs(joint.steps) do
      local d = step[1] == "turn" and derivative(e, step.q)
      if d and d ~= derivative(step.p, step.q) then -- the constant 0
        local axis = joint.a.body.planar and vec3(0, 0, 1) or joint.a.body:carry(V.transpose(joint.a.body.R0)*step[2])
        list[#list + 1] = {joint.a.body, d*axis}
        list[#list + 1] = {joint.b.body, -1*d*axis}
      end
    end
  end
  return list
end

-- free(name, body): a body that floats, under a name for its coordinates; in the coordinates of bodies it says nothing.
function M.free(name, body)
  if not B.is_body(body) or body.ground then error("free takes a name and a body", 2) end
  B.claim_name("joint", name)
  if B.by_joints and not M.takes("free", name, body:at(0, 0, 0), B.ground:at(0, 0, 0)) then error("\"" .. body.name .. "\" is joined to the ground already", 2) end
end

-- The turn of a hinge or cylinder of the tree between the bodies of two points about the axis of a, and its sign as mech.angle(a, b) has it; nil if there
-- is none.
function M.hinge(a, b)
  if not B.by_joints then return nil end
  if B.is_body(a) then a = a:at(0, 0, 0) end
  if B.is_body(b) then b = b:at(0, 0, 0) end
  if not B.is_marker(a) or not B.is_marker(b) then return nil end
  for _, joint in ipairs(joints) do
    local same, swapped = joint.a.body == a.body and joint.b.body == b.body, joint.a.body == b.body and joint.b.body == a.body
    local last = joint.steps[#joint.steps]
    if (same or swapped) and last and last[1] == "turn" and joint.kind ~= "universal" then
      local axis = a.body.planar and b.body.planar and vec3(0, 0, 1) or a.body.R0*a.axis
      if V.norm2(cross(axis, last[2])) < 2^-98 then return last, (dot(axis, last[2]) > 0) == same and 1 or -1 end
    end
  end
end

function M.angle(a, b)
  local turn, sign = M.hinge(a, b)
  return turn and (sign > 0 and turn.q or -turn.q)
end

-- A damper on such a turn, or on a slide, whose rate is known when all joints are.
local damped, rated = {}, {}
function M.damp(step, c) damped[#damped + 1] = {step = step, c = c} end

-- The rate of a step, to be seen.
function M.rate(step)
  step.awaited = step.awaited or awaited()
  rated[#rated + 1] = step
  return step.awaited
end

-- ---- places at the start ----

local function refuse(joint, what, size, unit)
  error(string.format("%s \"%s\" does not fit at the start: %s are %.6g %s; correct the bodies, or move them onto the joint: start { project = true }",
    joint.kind, joint.name, what, size, unit), 0)
end

local function axes_fit(joint, wanted, found)
  if not (math.abs(wanted - found) <= 1e-12) then
    refuse(joint, wanted == 0 and "the axes, which should be perpendicular," or "the axes, which should be parallel,", math.acos(math.min(1, math.abs(found))), "rad apart")
  end
end

-- The pose of the body that the joint places, where its declaration and the joint agree; else an error, or with `project` the nearest one.
local function fit(joint, child, parent, project)
  local c, p = child.body, parent.body
  local axis_c, axis_p = c.R0*child.axis, p.R0*parent.axis
  if project and joint.turns_axes then
    local n, d = cross(axis_c, axis_p), dot(axis_c, axis_p)
    if d < 0 then n, d = -n, -d end
    local s = V.norm(n)
    if s > 1e-12 then c.R0 = V.about({n.x, n.y, n.z}, math.atan(s, d))*c.R0 end
  end
  local gap = child:start() - parent:start()
  local free = {prismatic = 1, cylindrical = 1, ["planar joint"] = 2}
  local axis = joint.b.body.R0*joint.b.axis
  if free[joint.kind] == 1 then gap = gap - dot(gap, axis)*axis end
  if free[joint.kind] == 2 then gap = dot(gap, axis)*axis end
  if joint.kind == "free" or joint.kind == "row" then gap = vec3(0, 0, 0) end
  local size = 0
  for _, v in ipairs({c.x0, p.x0, child.point, parent.point}) do size = math.max(size, V.norm(v)) end
  if V.norm(gap) > 1e-12*size then
    if not project then refuse(joint, "its points", V.norm(gap), "apart") end
    c.x0 = c.x0 - gap
  end
  if joint.turns_axes then axes_fit(joint, 1, math.abs(dot(c.R0*child.axis, axis_p))) end
  if joint.kind == "universal" then axes_fit(joint, 0, dot(c.R0*child.axis, axis_p)) end
end

-- ---- the tree ----

-- The joints in the order outwards from the ground, each with its outer and its inner point.
local function outwards(project)
  local at, seen, order = {}, {[B.ground] = true}, {}
  for _, joint in ipairs(joints) do
    for _, m in ipairs({joint.a, joint.b}) do
      at[m.body] = at[m.body] or {}
      table.insert(at[m.body], joint)
    end
  end
  local queue, next = {B.ground}, 1
  while queue[next] do
    local body = queue[next]
    next = next + 1
    for _, joint in ipairs(at[body] or {}) do
      local child, parent = joint.a, joint.b
      if seen[child.body] then child, parent = parent, child end
      if not seen[child.body] then
        seen[child.body] = true
        queue[#queue + 1] = child.body
        joint.turns_axes = not child.body.planar and (joint.kind == "revolute" or joint.kind == "prismatic" or joint.kind == "cylindrical" or joint.kind == "planar joint")
        fit(joint, child, parent, project)
        order[#order + 1] = {joint = joint, child = child, parent = parent}
      end
    end
  end
  return order
end

-- The axis of step i of a joint, seen outwards.
local function step_axis(joint, sign, i)
  local step = joint.steps[sign > 0 and i or #joint.steps + 1 - i]
  return step and step[2]
end

-- The nodes of a joint after that of its inner body, and the last of them; next is the axis of a joint that comes after it.
local function add_nodes(nodes, before, joint, child, parent, next)
  local sign, count = child == joint.a and 1 or -1, #joint.steps
  local pivot = parent:start()
  if joint.kind == "free" or joint.kind == "prismatic" or joint.kind == "cylindrical" or joint.kind == "planar joint" then pivot = child:start() end
  for i = 1, count do
    local step = joint.steps[sign > 0 and i or count + 1 - i]
    local node = S.node {before = before, kind = step[1], axis = step[2], at = step[1] ~= "slide" and (step.at or pivot) or nil, q = step.q, p = step.p, sign = sign, name = joint.name,
      armature = step.rotor and step.rotor.inertia, next = i < count and step_axis(joint, sign, i + 1) or next}
    nodes[#nodes + 1] = node
    before = node
    step.node, node.rotor = node, step.rotor
  end
  return before
end

local function second_moment(body, j)
  local k, l = j % 3 + 1, (j + 1) % 3 + 1
  return (body.inertia[k] + body.inertia[l] - body.inertia[j])/2
end

-- The body in its node: c the place of its centre, Q its axes.
local function put_body(body, node)
  body.node = node
  body.c, body.Q = S.place_body(node, body.x0, body.R0)
  local moments = body.planar and {0, 0, body.inertia} or body.inertia
  S.add_body(node, body.mass, moments, body.c, body.Q)
end

local function place_of(body, image)
  local node = body.node
  local x = node.x + node.R*body.c
  for i = 1, body.planar and 2 or 3 do image[body.x[i]] = x[i] end
  if body.planar then
    image[body.angle] = node.angle + body.angle0
    return
  end
  for j = 1, 3 do
    if body.moves[j] then
      local e = node.R*V.column(body.Q, j)
      for i = 1, 3 do image[body.e[j][i]] = e[i] end
    end
  end
end

local function momenta_of(body, image)
  local node = body.node
  local P = body.mass*(node.R*(node.v + cross(node.omega, body.c)))
  for i = 1, body.planar and 2 or 3 do image[body.p[i]] = P[i] end
  if body.planar then
    image[body.pangle] = body.inertia*(node.R*node.omega).z
    return
  end
  for j = 1, 3 do
    if body.moves[j] then
      local p = second_moment(body, j)*(node.R*cross(node.omega, V.column(body.Q, j)))
      for i = 1, 3 do image[body.moves[j][i]] = p[i] end
    end
  end
end

-- Forces of joints need momenta that are those of T alone.
local function check_momenta(nodes, push)
  local function check(p)
    if push(p) ~= 0 then error("forces of joints in joint coordinates need a Hamiltonian and constraints without momenta of bodies or joints: use mech.coordinates \"bodies\"", 0) end
  end
  for _, node in ipairs(nodes) do
    for _, p in ipairs(node.kind == "ball" and node.p or {node.p}) do check(p) end
  end
  for _, body in ipairs(B.all()) do
    for i = 1, body.planar and 2 or 3 do check(body.p[i]) end
    if body.planar then check(body.pangle) end
    for j = 1, body.planar and 0 or 3 do
      for i = 1, body.moves[j] and 3 or 0 do check(body.moves[j][i]) end
    end
  end
end

-- The images of the coordinates of bodies, T, the tree in numbers, and a function that gives the images of the momenta of bodies: rates of frames
-- are made if these, or something else, ask for them.
function M.chart(project, push)
  for _, body in ipairs(B.all()) do
    if not root_of(body).ground then
      M.takes("free", B.claim_name("joint", body.name .. ".free"), body:at(0, 0, 0), B.ground:at(0, 0, 0))
    end
  end
  local root, nodes, image = S.root(), {}, {}
  B.ground.node = root
  local places = outwards(project)
  local next = {}
  for i = #places, 1, -1 do
    local at = places[i]
    next[at.parent.body] = step_axis(at.joint, at.child == at.joint.a and 1 or -1, 1)
  end
  for _, at in ipairs(places) do
    put_body(at.child.body, add_nodes(nodes, at.parent.body.node, at.joint, at.child, at.parent, next[at.child.body]))
  end
  local numbers, weights, g = S.numbers(nodes), {}, B.gravity_of() or vec3(0, 0, 0)
  for _, body in ipairs(B.all()) do
    for i = 1, body.planar and 2 or 3 do
      if body.node ~= root and g[i] ~= 0 then weights[body.x[i]] = -body.mass*g[i] end
    end
  end
  local T = S.kinetic(nodes)
  local moves = false
  local function move()
    if not moves then S.move(nodes, root) end
    moves = true
  end
  if #damped > 0 or #rated > 0 or asked then move() end
  for _, one in ipairs(damped) do force {[one.step.q] = -one.c*one.step.node.rate} end
  for _, step in ipairs(rated) do image[step.awaited] = step.node.rate end
  for _, node in ipairs(nodes) do
    if node.rotor then
      move()
      image[node.rotor.x], image[node.rotor.p] = node.q + node.rotor.start, node.rotor.inertia*node.rate
    end
  end
  if asked then
    check_momenta(nodes, push)
    I.forces(places, nodes, root, push, image)
  end
  for _, body in ipairs(B.all()) do place_of(body, image) end
  local function momenta()
    move()
    local of_bodies = {}
    for _, body in ipairs(B.all()) do momenta_of(body, of_bodies) end
    return of_bodies
  end
  return image, T, {gravity = {g.x, g.y, g.z}, nodes = numbers, weights = weights}, momenta
end

return M
