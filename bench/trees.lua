-- Bodies on hinges and balls, by the parameter `system`: 1 a chain of ten bars on hinges whose axes alternate, 2 a binary tree of 30 bodies
-- on hinges, 3 a bent chain of 50 bodies on balls; with rows of other forms 4 a slider-crank in space, 5 the chain of 1 with a rod of fixed
-- length from its third body to its last, 6 a robot arm of six hinges whose gripper has two fingers, one of which follows the other; 7 an arm of twelve hinges with dampers;
-- 8 a free body that turns about its middle axis; loops of rods on hinges, from rest: 9 a four-bar in the plane y = 0, whose hinges are hinges in space,
-- 10 Bricard's mechanism (examples/bricard.lua).
local mech = require "mechanics"
local system = parameter("system", 1)
mech.coordinates(parameter("joints", 0) > 0 and "joints" or "bodies")
mech.gravity(0, 0, -9.81)

local function about(axis, angle) return mech.about(axis, angle) end
local bodies = {}
local function add(parent, turn, arm, centre, inertia, axis)
  local up = bodies[parent] or {R = about({1, 0, 0}, 0), joint = mech.vec3(0, 0, 0), body = mech.ground}
  local R = up.R*turn
  local joint = up.joint + up.R*mech.vec3(arm)
  local at, name = joint + R*mech.vec3(centre), "b" .. #bodies + 1
  local body = mech.body { name = name, mass = 1, inertia = inertia, at = {at.x, at.y, at.z}, rotation = R }
  bodies[#bodies + 1] = {R = R, joint = joint, body = body}
  local one, two = up.body:here(joint.x, joint.y, joint.z), body:here(joint.x, joint.y, joint.z)
  if not axis then return mech.spherical("j" .. name, one, two) end
  local a = up.R*mech.vec3(axis)
  mech.revolute("j" .. name, one:along(a.x, a.y, a.z), two:along(a.x, a.y, a.z))
end

local bar = {0.02, 0.09, 0.1}
local function slider_crank()
  local ground = mech.ground
  local crank = mech.body { name = "crank", mass = 1, inertia = {0.02, 0.09, 0.1}, at = {0.1, 0, 0.25} }
  local rod = mech.body { name = "rod", mass = 0.7, inertia = {0.01, 0.1, 0.1}, at = {0.6, 0.1, 0.3} }
  local block = mech.body { name = "block", mass = 2, inertia = {0.1, 0.1, 0.1}, at = {1.2, 0.2, 0.1} }
  mech.revolute("pin", crank:here(0, 0, 0):along(0, 1, 0.1), ground:here(0, 0, 0):along(0, 1, 0.1))
  mech.spherical("knee", rod:here(0, 0, 0.5), crank:here(0, 0, 0.5))
  mech.universal("wrist", block:here(1.2, 0.2, 0.1):along(0, 1, 0), rod:here(1.2, 0.2, 0.1):along(0, 0, 1))
  mech.prismatic("rail", block:here(1.2, 0.2, 0.1):along(1, 0.1, 0), ground:here(1.2, 0.2, 0.1):along(1, 0.1, 0))
end

local function robot()
  local links = {{name = "base"}}
  for i = 1, 6 do
    links[#links + 1] = {name = "l" .. i, parent = i == 1 and "base" or "l" .. i - 1, type = "revolute", position = 0.3*i, origin = {0, 0, i == 1 and 0.1 or 0.4},
      axis = i % 2 == 1 and {0, 0, 1} or {0, 1, 0}, mass = 3 - 0.4*i, com = {0.02, 0, 0.2}, inertia = {0.04, 0.05, 0.02}}
  end
  for i, side in ipairs {"left", "right"} do
    links[#links + 1] = {name = side, parent = "l6", joint = side, type = "prismatic", origin = {0, 0, 0.4}, axis = {0, 3 - 2*i, 0}, mass = 0.1, com = {0, 0, 0.05},
      inertia = {1e-4, 1e-4, 1e-4}, mimic = i == 2 and {joint = "left"} or nil}
  end
  local arm = mech.links(links)
  mech.spring(arm:point("left", {0, 0, 0}), arm:point("l6", {0, 0.05, 0.4}), { k = 50 })
end

local function damped_arm()
  local links = {{name = "base"}}
  for i = 1, 12 do
    links[#links + 1] = {name = "l" .. i, parent = i == 1 and "base" or "l" .. i - 1, type = "revolute", position = 0.3, origin = {0, 0, i == 1 and 0.1 or 0.3},
      axis = i % 2 == 1 and {0, 0.6, 0.8} or {0, 1, 0}, mass = 1, com = {0.02, 0, 0.2}, inertia = {0.02, 0.025, 0.01}, damping = 0.1}
  end
  mech.links(links)
end

-- Rods from each point to the next, on hinges at all of them, the first and the last on the ground.
local function rods(points, axes)
  for i = 1, #points - 1 do
    local p, q = mech.vec3(points[i]), mech.vec3(points[i + 1])
    local x, y, l = mech.unit(q - p), mech.vec3(axes[i]), mech.norm(q - p)
    local at, here, before = (p + q)/2, nil, bodies[i - 1] and bodies[i - 1].body or mech.ground
    here = mech.body { name = "b" .. i, mass = l, inertia = {0.02*l/12, (l^2 + 0.01)*l/12, (l^2 + 0.01)*l/12}, at = {at.x, at.y, at.z},
      rotation = mech.columns(x, y, mech.cross(x, y)) }
    bodies[i] = {body = here}
    mech.revolute("jb" .. i, before:here(p.x, p.y, p.z):along(y.x, y.y, y.z), here:here(p.x, p.y, p.z):along(y.x, y.y, y.z))
  end
  local q, y = points[#points], axes[#points]
  mech.revolute("closer", bodies[#bodies].body:here(q[1], q[2], q[3]):along(y[1], y[2], y[3]), mech.ground:here(q[1], q[2], q[3]):along(y[1], y[2], y[3]))
end

-- Bars of 0.4, 1 and 0.8 over a frame of 1.
local function four_bar()
  local a, b, c, d, angle = 0.4, 1, 0.8, 1, 1
  local x, z = a*math.cos(angle), a*math.sin(angle)
  local D = math.sqrt((d - x)^2 + z^2)
  local up = math.atan(-z, d - x) + math.acos((b*b + D*D - c*c)/(2*b*D))
  local y = {0, 1, 0}
  rods({{0, 0, 0}, {x, 0, z}, {x + b*math.cos(up), 0, z + b*math.sin(up)}, {d, 0, 0}}, {y, y, y, y})
end

local function bricard()
  rods({{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {1, -1, -1}, {0, -1, -1}, {0, -1, 0}}, {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}})
end

if system == 1 or system == 5 then
  for i = 0, 9 do
    local axis = i % 2 == 0 and {0, 1, 0} or {0, 0, 1}
    add(i, about(axis, 0.3 + 0.2*math.sin(i)), i == 0 and {0, 0, 0} or {1, 0, 0}, {0.5, 0, 0}, bar, axis)
  end
  if system == 5 then mech.distance("rod", bodies[3].body:at(0, 0, 0.1), bodies[10].body:at(0.2, 0, 0)) end
elseif system == 4 then
  slider_crank()
elseif system == 6 then
  robot()
elseif system == 8 then
  mech.body { name = "racket", mass = 1, inertia = {1, 2, 2.5}, at = {0, 0, 0}, spin = {0.1, 4, 0.1} }
elseif system == 9 then
  four_bar()
elseif system == 10 then
  bricard()
elseif system == 7 then
  damped_arm()
elseif system == 2 then
  local axes = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
  for i = 0, 29 do
    local axis = axes[math.floor(math.log(i + 1, 2)) % 3 + 1]
    add(i == 0 and 0 or (i - 1)//2 + 1, about(axis, 0.5 + 0.3*math.sin(1 + i)), i == 0 and {0, 0, 0} or {i % 2 == 1 and 0.13 or -0.07, 0.05, -0.5},
      {0.03, 0, -0.25}, {0.025, 0.02, 0.012}, axis)
  end
else
  for i = 0, 49 do
    add(i, about({0, 1, 0}, i == 0 and 0.8 or 0.25*math.cos(0.7*i)), i == 0 and {0, 0, 0} or {1, 0, 0}, {0.5, 0, 0}, bar)
  end
end
