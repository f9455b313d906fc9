-- Bodies on hinges and balls, by the parameter `system`: 1 a chain of ten bars on hinges whose axes alternate, 2 a binary tree of 30 bodies
-- on hinges, 3 a bent chain of 50 bodies on balls.
local mech = require "mechanics"
local system = parameter("system", 1)
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
if system == 1 then
  for i = 0, 9 do
    local axis = i % 2 == 0 and {0, 1, 0} or {0, 0, 1}
    add(i, about(axis, 0.3 + 0.2*math.sin(i)), i == 0 and {0, 0, 0} or {1, 0, 0}, {0.5, 0, 0}, bar, axis)
  end
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
