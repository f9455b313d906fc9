-- Mechanisms as trees of links, each placed by its joint to the one before it, as files of robots describe them: a part of "mechanics".
--
-- A link has a frame of its own. That of its joint lies in the frame of the parent at `origin`, turned by `rpy` (about the fixed axes x, y, z,
-- in this order); the joint moves the link in it by `position`, about or along `axis`. Links that `fixed` joints hold together are one body, whose
-- mass, centre and inertia are the sums; those held to the root are the ground, unless the root is free.
local V, B, J, C, F = require "vectors", require "mechanics_bodies", require "mechanics_joints", require "mechanics_contacts", require "mechanics_forces"
local R, row, inertia, T = require "mechanics_rows", require "mechanics_chains", require "mechanics_inertia", require "mechanics_tree"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

local kinds = {revolute = true, prismatic = true, spherical = true, planar = true, fixed = true, free = true}
local options = {"name", "parent", "joint", "type", "origin", "rpy", "quat", "pivot", "axis", "ref", "position", "rate", "rotation", "velocity", "spin",
  "mimic", "damping", "armature", "stiffness", "rest", "mass", "com", "com_rpy", "inertia", "form", "colour"}

-- Entries that some joints alone have; position and rate of a joint that follows another are those of its leader.
local needs = {
  axis = {revolute = true, prismatic = true, planar = true}, pivot = {revolute = true, prismatic = true, planar = true, spherical = true},
  velocity = {spherical = true, planar = true, free = true}, spin = {spherical = true, planar = true, free = true},
  rotation = {spherical = true},
}
for _, name in ipairs({"position", "rate", "mimic", "damping", "armature", "stiffness", "rest", "ref"}) do
  needs[name] = {revolute = true, prismatic = true}
end
for _, name in ipairs({"damping", "armature"}) do needs[name].spherical, needs[name].free = true, true end

local function check_joint(link, kind)
  for name, has in pairs(needs) do
    if link[name] ~= nil and not has[kind] then error("link \"" .. link.name .. "\" has no " .. name .. ": its joint is " .. kind, 4) end
  end
end

local function triple(value, what)
  if value == nil then return vec3(0, 0, 0) end
  if type(value) ~= "table" or #value ~= 3 then error("expected {x, y, z} for " .. what, 4) end
  for i = 1, 3 do B.number(value[i], what, 4) end
  return vec3(value)
end

-- The rotation by roll, pitch and yaw about the fixed axes x, y and z.
local function rotation_of(rpy, what)
  local a = triple(rpy, what)
  return V.euler({a.z, a.y, a.x}, "zyx")
end

local function rotation_by(quat, what)
  if type(quat) ~= "table" or #quat ~= 4 then error("expected a quaternion {w, x, y, z} for " .. what, 4) end
  for i = 1, 4 do B.number(quat[i], what, 4) end
  return V.rotation(V.unit(V.quat(quat[1], quat[2], quat[3], quat[4])))
end

-- How the frame of a link's joint is turned in that of the parent.
local function turn_of(link)
  if not link.quat then return rotation_of(link.rpy, "rpy of link \"" .. link.name .. "\"") end
  if link.rpy then error("link \"" .. link.name .. "\" has both rpy and quat", 4) end
  return rotation_by(link.quat, "quat of link \"" .. link.name .. "\"")
end

-- ---- the tree: checked, and how far each joint stands ----

local function check(list)
  if type(list) ~= "table" then error("expected links { {...}, ... }, found a " .. type(list), 3) end
  local by, joints = {}, {}
  for i, link in ipairs(list) do
    B.check_options("a link", link, options)
    if type(link.name) ~= "string" then error("link " .. i .. " has no name", 3) end
    local called = "link \"" .. link.name .. "\""
    if by[link.name] then error("two links have the name \"" .. link.name .. "\"", 3) end
    by[link.name] = link
    if i == 1 and link.parent then error("the first link is the root, which has no parent", 3) end
    if i > 1 and not (link.parent and by[link.parent]) or link.parent == link.name then
      error("the parent of " .. called .. " is not one of the links before it: expected its name", 3)
    end
    local kind = link.type or (i == 1 and "fixed") or nil
    if not kinds[kind] then
      error("the joint of " .. called .. " is of no type that is known; types are revolute, prismatic, spherical, planar, fixed, free", 3)
    end
    check_joint(link, kind)
    if kind == "free" and i > 1 and link.parent ~= list[1].name then error(called .. " is free: its parent can be the root alone", 3) end
    local joint = link.joint or (kind ~= "fixed" and link.name)
    if joint and joints[joint] then error("two joints have the name \"" .. joint .. "\"", 3) end
    if joint then joints[joint] = link end
  end
  return joints
end

-- Position and rate of a joint at the start; of one that follows another, by that one.
local function stand(link, joints, depth)
  local m = link.mimic
  if not m then return link.position or link.ref or 0, link.rate or 0 end
  local leader = joints[m.joint]
  if not leader then error("the joint of link \"" .. link.name .. "\" follows \"" .. tostring(m.joint) .. "\", which is no joint", 4) end
  for _, one in ipairs({leader, link}) do
    if one.type ~= "revolute" and one.type ~= "prismatic" then
      error("the joint of link \"" .. link.name .. "\" follows another: both must be revolute or prismatic", 4)
    end
  end
  if depth > 1000 then error("the joint of link \"" .. link.name .. "\" follows itself", 4) end
  local position, rate = stand(leader, joints, depth + 1)
  return (m.multiplier or 1)*position + (m.offset or 0), (m.multiplier or 1)*rate
end

-- ---- places and velocities at the start ----

-- A frame: rotation, origin, velocity of the origin, angular velocity, all in space.
local function follow(parent, link, joints)
  local turn, at = turn_of(link), triple(link.origin, "origin of link \"" .. link.name .. "\"")
  local f = {R = parent.R*turn, w = parent.w}
  local arm = parent.R*at
  f.o, f.v = parent.o + arm, parent.v + cross(parent.w, arm)
  local kind = link.type or "fixed"
  if kind == "fixed" then return f end
  local pivot = link.pivot and triple(link.pivot, "pivot of link \"" .. link.name .. "\"")
  if pivot then
    f.o = f.o + f.R*pivot
    f.v = f.v + cross(f.w, f.R*pivot)
  end
  local function back() -- to the origin of the link, from its pivot
    if not pivot then return f end
    f.o, f.v = f.o - f.R*pivot, f.v - cross(f.w, f.R*pivot)
    return f
  end
  if kind == "free" or kind == "planar" or kind == "spherical" then
    if link.rotation then f.R = f.R*rotation_by(link.rotation, "rotation of link \"" .. link.name .. "\"") end
    f.v, f.w = f.v + f.R*triple(link.velocity, "velocity"), f.w + f.R*triple(link.spin, "spin")
    return back()
  end
  local axis = V.unit(triple(link.axis or {1, 0, 0}, "axis of link \"" .. link.name .. "\""))
  local position, rate = stand(link, joints, 0)
  B.number(position, "the position of link \"" .. link.name .. "\"", 3)
  B.number(rate, "the rate of link \"" .. link.name .. "\"", 3)
  position = position - (link.ref or 0)
  local along = f.R*axis
  if kind == "revolute" then
    f.R, f.w = f.R*V.about({axis.x, axis.y, axis.z}, position), f.w + rate*along
  else
    local slide = position*along
    f.o, f.v = f.o + slide, f.v + cross(f.w, slide) + rate*along
  end
  return back()
end

-- ---- bodies: links that are fixed to one another ----

-- Names of coordinates and constraints have no slash, those of links and joints may.
local function plain(name) return (string.gsub(name, "/", "_")) end

local function symmetric(I)
  for i = 1, 3 do
    for j = i + 1, 3 do
      local mean = (I[i][j] + I[j][i])/2
      I[i][j], I[j][i] = mean, mean
    end
  end
  return I
end

-- The inertia that a link's numbers are, along the axes of its frame.
local function inertia_of(link)
  local I = link.inertia or {0, 0, 0}
  if #I == 3 and type(I[1]) == "number" then I = {I[1], I[2], I[3], 0, 0, 0} end
  if #I ~= 6 then error("the inertia of link \"" .. link.name .. "\" is three or six numbers {Ixx, Iyy, Izz, Ixy, Ixz, Iyz}", 4) end
  local A = V.mat3({I[1], I[4], I[5]}, {I[4], I[2], I[6]}, {I[5], I[6], I[3]})
  if not link.com_rpy then return A end
  local turn = rotation_of(link.com_rpy, "com_rpy of link \"" .. link.name .. "\"")
  return symmetric(turn*A*V.transpose(turn))
end

-- m (r.r - r r^T): what moving the point of reference by r adds
local function moved(m, r) return m*(dot(r, r)*V.identity() - V.outer(r, r)) end

-- Adds a link to its group; R, o: its frame in that of the group's first link.
local function join(group, link, turn, o)
  group.member[#group.member + 1] = {link = link, R = turn, o = o}
  link = link.mass and link or {name = link.name, mass = 0, inertia = link.inertia}
  local m = B.number(link.mass, "the mass of link \"" .. link.name .. "\"", 4)
  if m < 0 then error("the mass of link \"" .. link.name .. "\" is negative", 4) end
  group.mass = group.mass + m
  group.first = group.first + m*(o + turn*triple(link.com, "com of link \"" .. link.name .. "\""))
end

-- Mass, centre and inertia of the group in the frame of its first link.
local function weigh(group)
  if group.mass <= 0 then
    local name = group.member[1].link.name
    error("link \"" .. name .. "\" moves and has no mass: give it mass and inertia, or fix its joint (type = \"fixed\")", 4)
  end
  group.com = group.first/group.mass
  if #group.member == 1 then
    local link = group.member[1].link
    group.com = triple(link.com, "com")
    group.inertia = inertia_of(link)
  else
    local sum = V.diagonal(0, 0, 0)
    for _, part in ipairs(group.member) do
      local r = part.o + part.R*triple(part.link.com, "com") - group.com
      sum = sum + part.R*inertia_of(part.link)*V.transpose(part.R) + moved(part.link.mass or 0, r)
    end
    group.inertia = symmetric(sum)
  end
  local link = group.link
  if (link.armature or 0) ~= 0 and (link.type == "free" or link.type == "spherical") then
    B.positive(link.armature, "the armature of link \"" .. link.name .. "\"", 4)
    if not group.parent.ground then
      error("the armature of link \"" .. link.name .. "\", whose joint is spherical, is that of a joint to the ground alone: leave it out", 4)
    end
    group.inertia = group.inertia + link.armature*V.identity()
  end
  if V.trace(group.inertia) == 0 then
    error("link \"" .. group.member[1].link.name .. "\" has a mass and no inertia: a joint cannot hold a point; give it inertia", 4)
  end
end

-- The form of a body. Inertias that no body has, which files give, are taken on request.
local as_written
local function form_of(link, I)
  if link.form or B.second_moments((inertia.principal(I))) then return link.form end
  as_written = as_written or parameter("as_written", 0)
  if as_written ~= 0 then return "quaternion" end
  error("the moments of inertia of link \"" .. link.name .. "\" are those of no body, where each is at most the sum of the others: " ..
    "correct the file, or take them as they are written by -P as_written=1", 4)
end

local function make_body(group)
  local first, frame = group.member[1].link, group.frame
  local I, arm = group.inertia, frame.R*group.com
  local o, v, w = frame.o + arm, frame.v + cross(frame.w, arm), frame.w
  I = {I[1][1], I[2][2], I[3][3], I[1][2], I[1][3], I[2][3]}
  return B.body {name = plain(first.name), mass = group.mass, inertia = I,
    at = {o.x, o.y, o.z}, rotation = frame.R, velocity = {v.x, v.y, v.z}, spin = {w.x, w.y, w.z}, form = form_of(first, I), colour = first.colour}
end

-- ---- what the model gets ----

local robot_meta = {}
robot_meta.__index = robot_meta

local function place_of(robot, name)
  local place = robot.place[name]
  if not place then error("there is no link \"" .. tostring(name) .. "\"", 3) end
  if not place.body then error("link \"" .. name .. "\" has no mass and is part of no body", 3) end
  return place
end

local function marker(place, point, axis)
  local p, a = place.o + place.R*point, place.R*axis
  return place.body:at(p.x, p.y, p.z):along(a.x, a.y, a.z)
end

-- The point {x, y, z} of a link, in the link's frame, with an axis, z by default.
function robot_meta.point(robot, name, point, axis)
  return marker(place_of(robot, name), triple(point, "a point"), triple(axis or {0, 0, 1}, "an axis"))
end

-- The body that a link is part of.
function robot_meta.body(robot, name) return place_of(robot, name).body end

local function joint_of(robot, name)
  local joint = robot.moving[name]
  if not joint then error("there is no joint \"" .. tostring(name) .. "\" that turns or slides", 3) end
  return joint
end

-- The joint itself, with the forces that it bears.
function robot_meta.joint(robot, name)
  local joint = robot.joined[name]
  if not joint then error("there is no joint \"" .. tostring(name) .. "\" between two links with mass, whose forces are known", 2) end
  return joint
end

-- How far one joint stands, and how fast it moves, as expressions; angles count turns.
local function position_of(joint)
  if not joint.now then joint.now = joint.place and joint.place() or joint.along(turning_angle) + joint.start end
  return joint.now
end
function robot_meta.position(robot, name) return position_of(joint_of(robot, name)) end
-- The same to look at: the angle as it is read from the bodies, within half a turn of the start, without a coordinate that counts turns.
function robot_meta.reading(robot, name)
  local joint = joint_of(robot, name)
  return joint.type == "revolute" and joint.along(atan2) + joint.start or position_of(joint)
end
function robot_meta.rate(robot, name) return joint_of(robot, name).rate() end

-- One joint between two points of bodies, with the functions of those in a row (mechanics_chains).
local function alone(type, a, b, ref)
  local turns, joint = type == "revolute", {type = type}
  function joint.along(of) return (of == atan2 and C.angle_within or C.angle)(a, b) end
  if not turns then
    function joint.place()
      local slide = dot(a:position() - b:position(), (b:directions()))
      return ref == 0 and slide or slide + ref
    end
  end
  function joint.rate()
    local axis = b:directions()
    local w = b.body.ground and vec3(0, 0, 0) or b.body:turn(b.body:spin())
    if turns then return dot(a.body:turn(a.body:spin()) - w, axis) end
    return dot(a:velocity() - b:velocity() - cross(w, a:position() - b:position()), axis)
  end
  function joint.damp(c)
    if turns then return F.torsion_damper(a, b, {c = c}) end
    joint.push(-c*joint.rate())
  end
  function joint.push(f)
    if turns then return F.motor(a, b, f) end
    local force = f*(b:directions()) -- along the line of the joint, so that it acts at both points
    F.push(a, force)
    F.push(b, -force)
  end
  return joint
end

-- The same of a turn or slide of the tree in joint coordinates; rate(): the function that has its rate, by default a symbol to be seen.
local function of_tree(step, rate)
  local joint = {type = step[1] == "turn" and "revolute" or "prismatic", step = step}
  function joint.along(of) return of == atan2 and step[1] == "turn" and atan2(sin(step.q), cos(step.q)) or step.q end
  joint.rate = rate or function() return T.rate(step) end
  function joint.push(f) force {[step.q] = f} end
  function joint.damp(c) T.damp(step, c) end
  return joint
end

-- Holds a joint of these functions at `value` from its start, an expression that is 0 there.
local function follow_value(joint, name, value)
  if joint.step then return R.hold(name, joint.step.q - value) end
  if joint.type ~= "revolute" then return R.hold(name, position_of(joint) - joint.start - value) end
  R.hold(name, sin(joint.along(atan2) - value))
end

-- A rotor on a joint: an inertia that has the rate of the joint, on its own coordinate; in joint coordinates on that of the joint.
local function add_rotor(joint, link)
  local inertia = B.positive(link.armature, "the armature of link \"" .. link.name .. "\"", 4)
  local called = joint.called .. ".rotor"
  local turn, momentum = pair(called, called .. ".p")
  mass(turn, inertia)
  if joint.start ~= 0 then start {[turn] = joint.start} end
  if joint.rate0 ~= 0 then velocity {[turn] = joint.rate0} end
  if joint.step then
    joint.step.rotor = {x = turn, p = momentum, inertia = inertia, start = joint.start}
    return
  end
  follow_value(joint, called .. ".turn", turn - joint.start)
  joint.now = turn
  -- A damper acts on the rotor, whose inertia is the armature: links may be so light that a step is long beside the time in which it stops them.
  function joint.damp(c) force {[turn] = -c/inertia*momentum} end
end

-- The parts that act at a joint: a rotor, a spring, a damper.
local function load_joint(joint, link)
  local function entry(name) return B.number(link[name] or 0, "the " .. name .. " of link \"" .. link.name .. "\"", 4) end
  if entry("armature") ~= 0 then add_rotor(joint, link) end
  if entry("stiffness") ~= 0 then potential(entry("stiffness")/2*(position_of(joint) - entry("rest"))^2) end
  if entry("damping") ~= 0 then joint.damp(entry("damping")) end
end

local function keep_joint(robot, name, joint, link)
  joint.called = plain(name) .. (robot.place[name] and ".joint" or "") -- a link may have the name of a joint
  joint.ref = link.ref or 0
  joint.start, joint.rate0 = robot.start[link.name][1], robot.start[link.name][2]
  robot.moving[name] = joint
end

-- The damper of a joint that turns freely, or not at all held: c times the rate of each freedom.
local function damp_all(link, a, b)
  local c = B.number(link.damping or 0, "the damping of link \"" .. link.name .. "\"", 4)
  if c == 0 then return end
  local function spin(body) return body.ground and vec3(0, 0, 0) or body:turn(body:spin()) end
  local torque = -c*(spin(a.body) - spin(b.body))
  a.body:twist(torque)
  b.body:twist(-torque)
  if link.type == "free" then F.push(a, -c*a:velocity()) end
end

-- The armature of a free body, c for each freedom: its turn is in the inertia (weigh); its place is a mass without weight that stays at the origin.
local function carry_armature(link, origin, v, free)
  for k, axis in ipairs({"x", "y", "z"}) do
    local called = plain(link.name) .. ".armature." .. axis
    local at, momentum = pair(called, called .. ".p")
    mass(at, link.armature)
    start {[at] = origin:start()[axis]}
    if v[axis] ~= 0 then velocity {[at] = v[axis]} end
    if free then
      free.steps[k].rotor = {x = at, p = momentum, inertia = link.armature, start = origin:start()[axis]}
    else
      R.hold(called .. ".stays", at - origin:position()[axis])
    end
  end
end

-- A link that moves freely, but for its dampers.
local function make_free(link, place, frame)
  local origin = marker(place, vec3(0, 0, 0), vec3(0, 0, 1))
  local free = T.takes("free", plain(link.joint or link.name), origin, B.ground:at(0, 0, 0))
  damp_all(link, origin, B.ground:at(0, 0, 0))
  if (link.armature or 0) ~= 0 then carry_armature(link, origin, frame.v, free) end
end

local function make_joint(robot, link, name, before, here)
  local axis = V.unit(triple(link.axis or {1, 0, 0}, "axis"))
  local turn, pivot = turn_of(link), triple(link.pivot, "pivot")
  local a, b = marker(here, pivot, axis), marker(before, triple(link.origin, "origin") + turn*pivot, turn*axis)
  local called = plain(name) .. (robot.place[name] and ".joint" or "")
  if link.type == "spherical" then
    damp_all(link, a, b)
    robot.joined[name] = J.spherical(called, a, b)
    return
  end
  robot.joined[name] = (link.type == "planar" and J.planar_joint or J[link.type])(called, a, b)
  if link.type == "planar" then return end
  local joint, tree = alone(link.type, a, b, B.number(link.ref or 0, "the ref of link \"" .. link.name .. "\"", 3)), robot.joined[name].of_tree
  if tree then joint = of_tree(tree.steps[1], joint.rate) end
  keep_joint(robot, name, joint, link)
  load_joint(joint, link)
end

-- The joint of a link in a row: where it is in space at the start; whether it meets the one before, and the product of their axes.
local function step_of(link, frame, before)
  local step = {name = link.joint or link.name, type = link.type, link = link}
  local pivot, axis = triple(link.pivot, "pivot"), V.unit(triple(link.axis or {1, 0, 0}, "axis"))
  step.at = frame.o + frame.R*pivot
  if link.type ~= "spherical" then step.axis = frame.R*axis end
  if not before or before.type == "spherical" then return step end
  local turn = turn_of(link)
  local gap = triple(link.origin, "origin") + turn*pivot - triple(before.pivot, "pivot")
  step.meets, step.along = V.norm2(gap) == 0, dot(V.unit(triple(before.axis or {1, 0, 0}, "axis")), turn*axis)
  return step
end

-- The same as a joint of the tree in joint coordinates, with one turn, slide or ball for each; nil where it closes a loop.
local function row_of_tree(robot, called, steps, parent, child)
  local list, made = {}, {}
  for k, step in ipairs(steps) do
    local kind = ({revolute = "turn", prismatic = "slide", spherical = "ball"})[step.type]
    if not kind then return nil end
    list[k] = {kind, step.axis, at = step.at, name = plain(step.name) .. (robot.place[step.name] and ".joint" or "")}
  end
  local first, last = steps[1].at, steps[#steps].at
  if not T.takes("row", called, child:here(last.x, last.y, last.z), parent:here(first.x, first.y, first.z), list) then return nil end
  for k, step in ipairs(steps) do
    if step.type ~= "spherical" then made[step.name] = of_tree(list[k]) end
  end
  return made
end

-- The joints of links in a row, of which the last alone has mass.
local function make_row(robot, links, frames, parent, child)
  local steps = {}
  for k, link in ipairs(links) do steps[k] = step_of(link, frames[link.name], links[k - 1]) end
  local called = plain(links[#links].name) .. ".joints"
  local made = row_of_tree(robot, called, steps, parent, child) or row.chain {called = called, parent = parent, child = child, steps = steps}
  for _, link in ipairs(links) do
    local name = link.joint or link.name
    if made[name] then
      made[name].type = link.type
      keep_joint(robot, name, made[name], link)
    end
  end
  for _, link in ipairs(links) do
    if made[link.joint or link.name] then load_joint(made[link.joint or link.name], link) end
  end
end

-- A joint that follows another: position = multiplier*position of the other + offset.
local function couple(robot, name, mimic)
  local joint, leader = robot.moving[name], robot.moving[mimic.joint]
  local value = (mimic.multiplier or 1)*(position_of(leader) - leader.start)
  follow_value(joint, joint.called .. ".follows", value)
end

-- Holds a joint at a polynomial of another one, both from the pose of the list: c[1] + c[2] x + ... + c[5] x^4; without another at c[1].
function robot_meta.couple(robot, name, joint, other, c)
  local function from_pose(of) return of.ref == 0 and position_of(of) or position_of(of) - of.ref end
  local own, value = from_pose(joint_of(robot, joint)), c[1]
  local x = other and from_pose(joint_of(robot, other))
  for k = 2, x and #c or 0 do
    if c[k] ~= 0 then value = value + c[k]*(k == 2 and x or x^(k - 1)) end
  end
  robot.couples[#robot.couples + 1] = {name = name, joint = joint, other = other, c = c}
  R.hold(name, own - value)
end

-- Holds link b in the place `at` and turned by the quaternion `quat` in the frame of link a.
function robot_meta.weld(robot, name, a, b, at, quat)
  robot.welds[#robot.welds + 1] = {name = name, a = a, b = b, at = at, quat = quat}
  local one, two, turn = place_of(robot, a), place_of(robot, b), rotation_by(quat, "a weld")
  local A, B_ = marker(one, triple(at, "a point"), vec3(0, 0, 1)), marker(two, vec3(0, 0, 0), vec3(0, 0, 1))
  R.check_markers("weld", name, A, B_)
  R.hold_point(name, A, B_)
  local function axis(place, R_, j) return place.body:turn(place.R*V.column(R_, j)) end
  for k, letter in ipairs({"u", "v", "w"}) do
    R.hold(name .. "." .. letter, dot(axis(one, turn, k), axis(two, V.identity(), k % 3 + 1)))
  end
end

-- Groups without mass and inertia that carry one joint more; each other group gets its body.
local function make_bodies(groups)
  for _, group in ipairs(groups) do
    if group.parent.mass <= 0 and not group.parent.ground then group.parent.carries = (group.parent.carries or 0) + 1 end
  end
  for _, group in ipairs(groups) do
    local hollow = group.mass <= 0
    for _, part in ipairs(group.member) do hollow = hollow and V.trace(inertia_of(part.link)) == 0 end
    group.between = hollow and group.carries == 1 and group.link.type ~= "free"
    if hollow and group.carries and group.carries > 1 then
      error("link \"" .. group.link.name .. "\" has no mass and carries several joints: give it mass and inertia", 4)
    end
    if not group.between then
      weigh(group)
      group.body = make_body(group)
    end
  end
end

local function make_joints(robot, groups, frames)
  for _, group in ipairs(groups) do
    local links, parent = {group.link}, group.parent
    while parent.between do
      table.insert(links, 1, parent.link)
      parent = parent.parent
    end
    local link = group.link
    if #links > 1 and not group.between then
      make_row(robot, links, frames, parent.body or B.ground, group.body)
    elseif link.type == "free" then
      make_free(link, robot.place[link.name], frames[link.name])
    elseif not group.between then
      make_joint(robot, link, link.joint or link.name, robot.place[link.parent], robot.place[link.name])
    end
  end
end

-- links { {name, mass, com, inertia ...}, {name, parent, joint, type, origin, rpy, axis, position ...}, ... }: the first is the root
function M.links(list)
  local joints, joined = check(list), #B.joined
  local robot = setmetatable({place = {}, moving = {}, joined = {}, start = {}, welds = {}, couples = {}}, robot_meta)
  local group_of, frames, groups = {}, {}, {}
  local space = {R = V.identity(), o = vec3(0, 0, 0), v = vec3(0, 0, 0), w = vec3(0, 0, 0)}
  local ground = {ground = true, mass = 0, first = vec3(0, 0, 0), member = {}, frame = space}
  for i, link in ipairs(list) do
    local parent = i > 1 and frames[link.parent] or space
    local frame = follow(parent, link, joints)
    frames[link.name], robot.start[link.name] = frame, {stand(link, joints, 0)}
    local group, turn, o = i == 1 and ground or group_of[link.parent], nil, nil
    if (link.type or "fixed") == "fixed" then
      local before = i > 1 and robot.place[link.parent] or {R = space.R, o = space.o}
      turn, o = before.R*turn_of(link), before.o + before.R*triple(link.origin, "origin")
    else
      group = {mass = 0, first = vec3(0, 0, 0), member = {}, frame = frame, link = link, parent = i > 1 and group or ground}
      turn, o = V.identity(), vec3(0, 0, 0)
      groups[#groups + 1] = group
    end
    group_of[link.name], robot.place[link.name] = group, {R = turn, o = o}
    join(group, link, turn, o)
  end
  make_bodies(groups)
  for name, place in pairs(robot.place) do
    local group = group_of[name]
    place.body = group.body or (group.ground and B.ground or nil)
    if group.body then place.o = place.o - group.com end
  end
  make_joints(robot, groups, frames)
  for _, link in ipairs(list) do
    if link.mimic then couple(robot, link.joint or link.name, link.mimic) end
  end
  for k = joined + 1, #B.joined do B.joined[k].inner = true end
  M.made[#M.made + 1] = {list = list, robot = robot, joints = joints}
  return robot
end

M.made, M.turn_of, M.inertia_of = {}, turn_of, inertia_of -- for mechanics_export

return M
