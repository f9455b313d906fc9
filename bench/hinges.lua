-- N bars on hinges whose axes alternate: with tree = 0 a chain, with 1 a binary tree; joints = 1: in joint coordinates.
local mech = require "mechanics"
local N, tree = parameter("N", 1000), parameter("tree", 1) > 0
local joints = parameter("joints", 1) > 0
mech.coordinates(joints and "joints" or "bodies")
mech.gravity(0, 0, -9.81)
local axes, bodies, at = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {}, {}
for i = 1, N do
  local up = tree and i//2 or i - 1
  local level = tree and math.floor(math.log(i, 2)) or i
  local joint = up == 0 and {0, 0, 0} or {at[up][1] + 1, at[up][2] + (tree and (i % 2 - 0.5)/2^(level/2) or 0), 0}
  at[i] = joint
  bodies[i] = mech.body { name = "b" .. i, mass = 1, inertia = {0.02, 0.09, 0.1}, at = {joint[1] + 0.5, joint[2], 0} }
  local one = (bodies[up] or mech.ground):here(joint[1], joint[2], joint[3])
  local axis = axes[level % 3 + 1]
  mech.revolute("j" .. i, one:along(axis[1], axis[2], axis[3]), bodies[i]:here(joint[1], joint[2], joint[3]):along(axis[1], axis[2], axis[3]))
end
integrate { method = joints and "gauss(4)" or "rattle(verlet)", step = 0.0005 }
