-- The kinetic energy of bodies along a tree of joints, in the angles and displacements q of the joints and their canonical momenta p, and what
-- moves how fast: a part of "mechanics" for its own use.
--
-- A node is a frame that one hinge, slide or ball moves in the frame before it: E turns from its axes to those before, r is its origin there.
-- (J, H; H^T, M) is the articulated inertia of its subtree, (bL, bP) the articulated momentum: with the angular velocity w of the frame and the
-- velocity v of its origin, L = J w + H v + bL and P = H^T w + M v + bP are the momenta of the subtree for given p (Featherstone, The Calculation
-- of Robot Dynamics Using Articulated-Body Inertias, 1983, with momenta in the place of forces). Each joint is eliminated on the way to the root,
-- T = sum u^2/(2 D) with D = S.I S + the inertia of a rotor on the joint and u = p - S.b, so that no mass matrix is made and the work is proportional to the number of joints. The
-- axes of a node are chosen such that the joint acts along its axis k.
local V = require "vectors"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

local function zero3() return V.diagonal(0, 0, 0) end
local is, mul, add, sub = V.is_number, V.times, V.plus, V.minus

-- The symmetric matrix with f(i, j) for i <= j
local function symmetric(f)
  local m = zero3()
  for i = 1, 3 do
    for j = i, 3 do
      m[i][j] = f(i, j)
      m[j][i] = m[i][j]
    end
  end
  return m
end

-- E A E^T of a symmetric A
local function turned(E, A)
  local B = E*A
  return symmetric(function(i, j) return dot(V.row(B, i), V.row(E, j)) end)
end

-- The turn about axis k by an angle of which c and s are cosine and sine.
local function turn_about(k, c, s)
  local i, j, R = k % 3 + 1, (k + 1) % 3 + 1, V.identity()
  R[i][i], R[j][j], R[i][j], R[j][i] = c, c, mul(-1, s), s
  return R
end

-- node { before, kind, axis (world, at the start), at (origin, world, at the start), q, p, sign, armature, next }: next is the axis of the joint after it, armature an inertia that has the
-- rate of a turn or slide, F is its rotation and o its origin at the start.
function M.root() return {mass = 0, first = vec3(0, 0, 0), J = zero3(), H = zero3(), M = zero3(), F = V.identity(), o = vec3(0, 0, 0), R = V.identity(), x = vec3(0, 0, 0), angle = 0} end

-- A vector in other axes, without what is round-off of its parts: numbers that are 0 leave no operations in the sweeps.
local function clean(v)
  local least = 2^-50*V.norm(v)
  return vec3(math.abs(v.x) < least and 0 or v.x, math.abs(v.y) < least and 0 or v.y, math.abs(v.z) < least and 0 or v.z)
end

-- The same of each column of a rotation.
local function clean_axes(R) return V.columns(clean(V.column(R, 1)), clean(V.column(R, 2)), clean(V.column(R, 3))) end

-- The turn about axis k of a frame F that brings another axis along the joint that comes next, if they are perpendicular: then its matrix has four
-- entries too.
local function turn_towards(F, k, next)
  local a = next and clean(V.transpose(F)*next)
  if not a or a[k] ~= 0 then return V.identity() end
  local i, j = k % 3 + 1, (k + 1) % 3 + 1
  local c, s = math.abs(a[i]), a[i] < 0 and -a[j] or a[j]
  local size = math.sqrt(c^2 + s^2)
  return turn_about(k, c/size, s/size)
end

local function place_axis(node, before, axis, next)
  local s = clean(V.transpose(before.F)*axis)
  for k = 1, 3 do
    if s[k % 3 + 1] == 0 and s[(k + 1) % 3 + 1] == 0 then
      node.k, node.sign, node.C = k, s[k] > 0 and node.sign or -node.sign, turn_towards(before.F, k, next)
      node.F = before.F*node.C
      return
    end
  end
  s = V.unit(s) -- or the round-off of its length would double from node to node
  local u, v = V.perpendicular(s)
  node.k, node.C = 3, V.columns(u, v, s)
  node.F = before.F*node.C
end

function M.node(o)
  local node, before = {before = o.before, kind = o.kind, q = o.q, p = o.p, sign = o.sign, name = o.name, armature = o.armature or 0}, o.before
  node.J, node.H, node.M, node.bL, node.bP = zero3(), zero3(), zero3(), vec3(0, 0, 0), vec3(0, 0, 0)
  node.mass, node.first = 0, vec3(0, 0, 0)
  node.o = o.at or before.o
  node.r = clean(V.transpose(before.F)*(node.o - before.o))
  local place = node.r
  if o.kind == "ball" then
    node.C, node.F = V.identity(), before.F
    local size = V.norm2(node.q)
    local w, x, y, z = node.q[1], node.q[2], node.q[3], node.q[4]
    local function entry(one, a, b, sign, c, d) return one and 1 - 2*(a*a + b*b)/size or 2*(a*b + sign*(c*d))/size end
    node.E = V.mat3({entry(true, y, z), entry(false, x, y, -1, w, z), entry(false, x, z, 1, w, y)},
      {entry(false, x, y, 1, w, z), entry(true, x, z), entry(false, y, z, -1, w, x)},
      {entry(false, x, z, -1, w, y), entry(false, y, z, 1, w, x), entry(true, x, y)})
    if o.sign < 0 then node.E = V.transpose(node.E) end
  else
    place_axis(node, before, o.axis, o.kind == "turn" and o.next or nil)
    if o.kind == "turn" then
      node.E = node.C*turn_about(node.k, cos(node.q), node.sign > 0 and sin(node.q) or -sin(node.q))
    else
      node.E = node.C
      node.r = node.r + (node.sign > 0 and node.q or -node.q)*V.column(node.C, node.k)
    end
  end
  node.R, node.x, node.place = before.R*node.E, before.x + before.R*node.r, place
  node.angle = before.angle
  if o.kind == "turn" then node.angle = add(before.angle, node.sign > 0 and node.q or -node.q) end
  return node
end

-- The centre c and the axes Q, in the node's frame, of a body that has its centre at x and the axes R at the start.
function M.place_body(node, x, R)
  local back = V.transpose(node.F)
  return clean(back*(x - node.o)), clean_axes(back*R)
end

-- The inertia of a body with mass m whose centre is at c and whose principal axes are the columns of Q in the node's frame.
function M.add_body(node, m, moments, c, Q)
  local r, I = V.hat(c), turned(Q, V.diagonal(moments[1], moments[2], moments[3]))
  -- The inertia along Q of a quaternion Q, so large that round-off of Q.p, which is 0, does not stretch it.
  node.mean = (node.mean or 0) + 2^20*(moments[1] + moments[2] + moments[3])/3
  node.mass, node.first = node.mass + m, node.first + m*c
  node.J, node.H, node.M = node.J + I - m*(r*r), node.H + m*r, node.M + m*V.identity()
end

-- The same in numbers, for sweeps in the library.
local kinds = {turn = 0, slide = 1, ball = 2}
function M.numbers(nodes)
  local number, list = {}, {}
  for i, node in ipairs(nodes) do
    number[node] = i - 1
    local J, C, r = node.J, node.C, node.place
    list[i] = {
      kind = kinds[node.kind], before = number[node.before] or -1, axis = (node.k or 3) - 1, sign = node.sign, scale = node.mean or 1, armature = node.armature,
      turn = {C[1][1], C[1][2], C[1][3], C[2][1], C[2][2], C[2][3], C[3][1], C[3][2], C[3][3]}, r = {r.x, r.y, r.z},
      mass = node.mass, first = {node.first.x, node.first.y, node.first.z}, inertia = {J[1][1], J[1][2], J[1][3], J[2][2], J[2][3], J[3][3]},
      q = node.kind == "ball" and {node.q[1], node.q[2], node.q[3], node.q[4]} or {node.q},
    }
  end
  return list
end

-- ---- towards the root ----

local function eliminate_line(node)
  local turns, k, J, H, M_ = node.kind == "turn", node.k, node.J, node.H, node.M
  local own, geared = turns and J or M_, node.armature ~= 0
  local D = add(own[k][k], node.armature)
  if is(D, 0) or type(D) == "number" and D <= 0 then
    error("nothing with mass or inertia moves at joint \"" .. node.name .. "\": give the bodies after it " .. (turns and "inertia about its axis" or "mass"), 0)
  end
  local u = sub(node.sign > 0 and node.p or -node.p, (turns and node.bL or node.bP)[k])
  local w = u/D
  node.D, node.w, node.ua, node.ul = D, w, {}, {}
  for j = 1, 3 do
    if turns then node.ua[j], node.ul[j] = J[j][k], H[k][j] else node.ua[j], node.ul[j] = H[j][k], M_[k][j] end
  end
  local ua, ul = node.ua, node.ul
  local function share(a) return is(a, 0) and 0 or a/D end
  local ga, gl = {share(ua[1]), share(ua[2]), share(ua[3])}, {share(ul[1]), share(ul[2]), share(ul[3])}
  local out = {}
  local function cut(i) return i == k and not geared end -- without a rotor nothing is left along the joint
  out.J = symmetric(function(i, j) return turns and (cut(i) or cut(j)) and 0 or sub(J[i][j], mul(ga[i], ua[j])) end)
  out.M = symmetric(function(i, j) return not turns and (cut(i) or cut(j)) and 0 or sub(M_[i][j], mul(gl[i], ul[j])) end)
  out.H = zero3()
  for i = 1, 3 do
    for j = 1, 3 do
      if not cut(turns and i or j) then out.H[i][j] = sub(H[i][j], mul(ga[i], ul[j])) end
    end
  end
  out.bL = node.bL + w*vec3(ua)
  out.bP = node.bP + w*vec3(ul)
  local sp = node.sign > 0 and node.p or -node.p
  if not geared then
    if turns then out.bL[k] = sp else out.bP[k] = sp end
  end
  return out, u*w/2
end

local function inverse(A)
  local a, b, c = V.row(A, 1), V.row(A, 2), V.row(A, 3)
  local bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
  local det = dot(a, bc)
  if is(det, 0) then return nil end
  local cofactor = {bc, ca, ab}
  return symmetric(function(i, j) return is(cofactor[i][j], 0) and 0 or cofactor[i][j]/det end)
end

-- The momentum of a ball: half of the vector of Q* p, and of p Q* if the frame before is the one that turns.
local function eliminate_ball(node)
  local Q, p = node.q, node.p
  local t = 0.5*(node.sign > 0 and V.conjugate(Q)*p or Q*V.conjugate(p))
  t = vec3(t[2], t[3], t[4])
  local K = inverse(node.J)
  if not K or not node.mean then error("the bodies after joint \"" .. node.name .. "\" have no inertia about an axis: give them thickness", 0) end
  local u = t - node.bL
  local w = K*u
  node.K, node.w = K, w
  local KH = K*node.H
  local HKH = V.transpose(node.H)*KH
  local along = dot(Q, p)
  local out = {J = zero3(), H = zero3(), M = symmetric(function(i, j) return sub(node.M[i][j], HKH[i][j]) end), bL = t, bP = node.bP + V.transpose(node.H)*w}
  return out, dot(u, w)/2 + along*along/(8*node.mean)
end

local function pass(out, E, r, before)
  local M_, H, J, rx = turned(E, out.M), E*out.H*V.transpose(E), turned(E, out.J), V.hat(r)
  local Hp = H + rx*M_
  local J1, J2 = H*rx, rx*V.transpose(Hp)
  before.J = symmetric(function(i, j) return add(before.J[i][j], add(sub(J[i][j], J1[i][j]), J2[i][j])) end)
  before.H, before.M = before.H + Hp, symmetric(function(i, j) return add(before.M[i][j], M_[i][j]) end)
  local P = E*out.bP
  before.bL, before.bP = before.bL + E*out.bL + cross(r, P), before.bP + P
end

-- T by the nodes, each after the one before it.
function M.kinetic(nodes)
  local T = 0
  for _, node in ipairs(nodes) do node.own = {J = node.J, H = node.H, M = node.M} end
  for i = #nodes, 1, -1 do
    local node = nodes[i]
    local out, energy = (node.kind == "ball" and eliminate_ball or eliminate_line)(node)
    T, node.out = add(T, energy), out
    if node.before.before then pass(out, node.E, node.r, node.before) end
  end
  return T
end

-- ---- from the root ----

-- Angular velocity w and velocity v of each frame in its own axes, and the rate of each hinge and slide.
function M.move(nodes, root)
  root.omega, root.v = vec3(0, 0, 0), vec3(0, 0, 0)
  for _, node in ipairs(nodes) do
    local back, b = V.transpose(node.E), node.before
    local omega, v = back*b.omega, back*(b.v + cross(b.omega, node.r))
    if node.kind == "ball" then
      omega = node.w - node.K*(node.H*v)
    else
      local carried = add(dot(vec3(node.ua), omega), dot(vec3(node.ul), v))
      local rate = is(carried, 0) and node.w or node.w - carried/node.D
      node.rate = node.sign > 0 and rate or -rate
      local own = node.kind == "turn" and omega or v
      own[node.k] = add(own[node.k], rate)
    end
    node.omega, node.v = omega, v
  end
end

return M
