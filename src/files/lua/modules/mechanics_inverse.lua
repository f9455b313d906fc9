-- Forces in the joints of a tree, which have no constraint and no multiplier: a part of "mechanics" for its own use.
--
-- Accelerations come from the sweeps of articulated bodies (Featherstone, Int. J. Robotics Research 2 (1983) 13) with the inertias of mechanics_sweeps: a
-- node has the rates (w, v) of its frame, the bias (xL, xP) of its subtree, so that (J, H; H^T, M) (w', v') + (xL, xP) is the moment and force that its joint
-- transmits. The force in a joint is then that of Newton's and Euler's laws for all bodies beyond it: the rates of their momenta less what acts on them,
-- springs, loads, dampers and constraints that close loops included. A motor, a spring or a damper of the joint's own coordinate acts along it and is no part of
-- the joint, so that this is taken off.
local V = require "vectors"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local add, sub, mul = V.plus, V.minus, V.times
local M = {}

-- The force that acts on a body, and the moment about its centre, in space (mechanics_reactions has the same of single joints).
local function acting(body, push)
  local function on(v, count)
    local f = {0, 0, 0}
    for i = 1, count do f[i] = push(v[i]) end
    return vec3(f)
  end
  local F, T = on(body.x, body.planar and 2 or 3), vec3(0, 0, 0)
  if body.planar then return F, vec3(0, 0, push(body.angle)) end
  for j = 1, 3 do
    if body.moves[j] then T = T + cross(body.e[j], on(body.e[j], 3)) end
  end
  return F, T
end

-- The force or moment that acts on the coordinates of a node, in its own sense: a number, of a ball a vector.
local function acting_on(node, push)
  if node.kind ~= "ball" then return mul(node.sign, add(push(node.q), node.rotor and push(node.rotor.x) or 0)) end
  local f = V.quat(push(node.q[1]), push(node.q[2]), push(node.q[3]), push(node.q[4]))
  local t = 0.5*(node.sign > 0 and V.conjugate(node.q)*f or node.q*V.conjugate(f))
  return vec3(t[2], t[3], t[4])
end

-- (J, H; H^T, M) (a, b)
local function of_inertia(I, a, b) return I.J*a + I.H*b, V.transpose(I.H)*a + I.M*b end

-- The acceleration of the frame that the rates alone give, V x S q'.
local function turn_rates(node)
  local w, v = node.omega, node.v
  if node.kind == "ball" then
    local own = w - V.transpose(node.E)*node.before.omega
    return cross(w, own), cross(v, own)
  end
  local along = vec3(0, 0, 0)
  along[node.k] = mul(node.sign, node.rate)
  if node.kind == "turn" then return cross(w, along), cross(v, along) end
  return vec3(0, 0, 0), cross(w, along)
end

-- Towards the root: the bias of each node, and what is left of it without its joint.
local function eliminate(node, push)
  local w, v, tau = node.omega, node.v, acting_on(node, push)
  local L, P = of_inertia(node.own, w, v)
  node.xL = node.xL + cross(w, L) + cross(v, P)
  node.xP = node.xP + cross(w, P)
  node.cw, node.cv = turn_rates(node)
  local toL, toP = of_inertia(node.out, node.cw, node.cv)
  if node.kind == "ball" then
    node.left = tau - node.xL
    toL, toP = tau, toP + node.xP + V.transpose(node.H)*(node.K*node.left)
  else
    local own = node.kind == "turn" and node.xL or node.xP
    node.left = sub(tau, own[node.k])
    local share = node.left/node.D
    toL, toP = toL + node.xL + share*vec3(node.ua), toP + node.xP + share*vec3(node.ul)
  end
  local before = node.before
  if not before.before then return end
  toP = node.E*toP
  before.xL, before.xP = before.xL + node.E*toL + cross(node.r, toP), before.xP + toP
end

-- From the root: aw, av, the rates of w and v in the node's own axes.
local function accelerate(node)
  local before, back = node.before, V.transpose(node.E)
  local a, b = back*before.aw + node.cw, back*(before.av + cross(before.aw, node.r)) + node.cv
  if node.kind == "ball" then
    a = node.K*(node.left - node.H*b)
  else
    local own = node.kind == "turn" and a or b
    own[node.k] = add(own[node.k], sub(node.left, add(dot(vec3(node.ua), a), dot(vec3(node.ul), b)))/node.D)
  end
  node.aw, node.av = a, b
end

-- The rate of the momenta of a body less what acts on it: force, and moment about its centre, in space.
local function unbalanced(body, F, T)
  local node = body.node
  local w, a, c = node.omega, node.aw, body.c
  local rate = node.av + cross(w, node.v) + cross(a, c) + cross(w, cross(w, c))
  local moments = body.planar and {0, 0, body.inertia} or body.inertia
  local I = body.Q*V.diagonal(moments[1], moments[2], moments[3])*V.transpose(body.Q)
  return body.mass*(node.R*rate) - F, node.R*(I*a + cross(w, I*w)) - T
end

-- The places are those of all bodies, { joint, child, parent } outwards from the ground, of which joint.steps[i].node are the nodes and joint.felt the
-- symbols { F, T } of those that are asked for, of the force on joint.a and the moment about its point. image: where these symbols get their meaning.
function M.forces(places, nodes, root, push, image)
  local acts = {}
  for _, node in ipairs(nodes) do node.xL, node.xP = vec3(0, 0, 0), vec3(0, 0, 0) end
  for _, at in ipairs(places) do
    local body = at.child.body
    local F, T = acting(body, push)
    acts[body] = {F, T}
    local node = body.node
    if node ~= root then
      local back = V.transpose(node.R)
      local f = back*F
      node.xL, node.xP = node.xL - back*T - cross(body.c, f), node.xP - f
    end
  end
  for i = #nodes, 1, -1 do eliminate(nodes[i], push) end
  root.aw, root.av = vec3(0, 0, 0), vec3(0, 0, 0)
  for _, node in ipairs(nodes) do accelerate(node) end
  -- of all that a joint holds, about the centre of its outer body
  local held = {}
  for i = #places, 1, -1 do
    local at = places[i]
    local body, joint = at.child.body, at.joint
    local F, T = vec3(0, 0, 0), vec3(0, 0, 0)
    if body.node == root then
      F, T = -acts[body][1], -acts[body][2]
    else
      F, T = unbalanced(body, acts[body][1], acts[body][2])
    end
    for _, outer in ipairs(held[body] or {}) do
      F, T = F + outer.F, T + outer.T + cross(outer.body.x - body.x, outer.F)
    end
    local inner = at.parent.body
    held[inner] = held[inner] or {}
    table.insert(held[inner], {body = body, F = F, T = T})
    if joint.felt then
      T = T - cross(joint.a:position() - body.x, F)
      for _, step in ipairs(joint.steps) do
        if step[1] == "ball" then
          T = vec3(0, 0, 0)
        else
          local s = V.column(step.node.R, step.node.k)
          if step[1] == "turn" then T = T - dot(T, s)*s else F = F - dot(F, s)*s end
        end
      end
      local sign, felt = at.child == joint.a and 1 or -1, joint.felt
      for c = 1, 3 do
        if type(felt.F[c]) == "userdata" then image[felt.F[c]] = mul(sign, F[c]) end
        if type(felt.T[c]) == "userdata" then image[felt.T[c]] = mul(sign, T[c]) end
      end
    end
  end
end

return M
