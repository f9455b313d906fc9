-- Joints in a row between two bodies, with links without mass between them: a part of "mechanics" for its own use.
--
-- The links between leave no trace but their axes: with one hinge the axis is fixed in both bodies; with two the first is fixed in one body and the
-- second in the other, at a constant angle; with three that meet in a point there is the point alone. Slides come before the hinges, or after them.
local V, B, R, F = require "vectors", require "mechanics_bodies", require "mechanics_rows", require "mechanics_forces"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

-- A direction that a body carries, given as it stands in space at the start.
local function carried(body, v) return body:carry(V.transpose(body.R0)*v) end
local function spin_of(body) return body.ground and vec3(0, 0, 0) or body:turn(body:spin()) end

-- Vectors d with d_i . v_j = 1 for i = j and else 0, for one to three independent vectors, in the space that they span; nil if they are dependent.
local function duals(v)
  local n = #v
  if n == 0 then return {} end
  if n == 1 then return {v[1]/V.norm2(v[1])} end
  local third = n == 3 and v[3] or cross(v[1], v[2])
  local det = dot(v[1], cross(v[2], third))
  if type(det) == "number" and det == 0 then return nil end
  local d = {cross(v[2], third)/det, cross(third, v[1])/det, cross(v[1], v[2])/det}
  return d
end

local function refuse(chain, why) error("the joints of link \"" .. chain.called .. "\" " .. why, 5) end

-- The hinges and slides of the steps from the parent to the child; with the slides last, those of the steps back, whose positions are the negatives.
local function sort(chain)
  local steps, hinges, slides = chain.steps, {}, {}
  local function kind(s) return s.type == "prismatic" end
  local back = not kind(steps[1]) and kind(steps[#steps])
  for k = 1, #steps do
    local s = steps[back and #steps + 1 - k or k]
    if kind(s) then
      if #hinges > 0 then refuse(chain, "slide between hinges, with links without mass between them: give these mass and inertia") end
      slides[#slides + 1] = s
    elseif s.type == "revolute" or s.type == "spherical" then
      hinges[#hinges + 1] = s
    else
      refuse(chain, "are a " .. s.type .. " one and others, with a link without mass between them: give it mass and inertia")
    end
  end
  chain.sign = back and -1 or 1
  chain.a, chain.b = back and chain.parent or chain.child, back and chain.child or chain.parent
  chain.hinges, chain.slides = hinges, slides
  chain.ball = #hinges == 3 or (hinges[1] and hinges[1].type == "spherical")
  for _, s in ipairs(hinges) do
    if (s.type == "spherical" and #hinges > 1) or #hinges > 3 then refuse(chain, "turn about more than three axes, with links without mass between them") end
  end
end

-- Two facts of the file: the hinges meet in a point; their axes are orthogonal in turn.
local function look(chain)
  chain.meet, chain.square = true, true
  for k = 2, #chain.steps do
    local s, before = chain.steps[k], chain.steps[k - 1]
    if s.type == "revolute" and before.type == "revolute" then
      chain.meet = chain.meet and s.meets
      chain.square = chain.square and math.abs(s.along) <= 2^-50
    end
  end
  if not chain.meet and (#chain.hinges == 3 or #chain.slides > 0) then refuse(chain, "have axes that do not meet, with links without mass between them: give these mass and inertia") end
end

local function hold_turns(chain)
  local name, A, B_, n = chain.called, chain.A, chain.B, #chain.hinges
  if chain.ball then return end
  if n == 2 then return R.hold(name .. ".axes", dot((A:directions()), (B_:directions())) - dot(chain.hinges[1].axis, chain.hinges[2].axis)) end
  if n == 1 then return R.hold_axis(name, A, B_) end
  local u, v, w = R.of_start(A, B_)
  local axis, across, third = B_:directions()
  R.hold(name .. ".u", dot(A.body:carry(u), third))
  R.hold(name .. ".v", dot(A.body:carry(v), axis))
  R.hold(name .. ".w", dot(A.body:carry(w), across))
end

-- The point of the last hinge, from that of the first: it has its place between the two axes, at which both are fixed.
local function hold_apart(chain)
  local u, w, r0 = chain.hinges[1].axis, chain.hinges[2].axis, chain.hinges[2].at - chain.hinges[1].at
  local d = duals({u, w, cross(u, w)})
  local now, then_ = {(chain.B:directions()), (chain.A:directions())}, {dot(d[1], r0), dot(d[2], r0), dot(d[3], r0)}
  local r = chain.A:position() - chain.B:position() - then_[1]*now[1] - then_[2]*now[2] - then_[3]*cross(now[1], now[2])
  for i, letter in ipairs({"x", "y", "z"}) do R.hold(chain.called .. "." .. letter, r[i]) end
end

local function hold_places(chain)
  local name, slides = chain.called, chain.slides
  if #slides == 0 and not chain.meet then return hold_apart(chain) end
  if #slides == 0 then return R.hold_point(name, chain.A, chain.B) end
  local r = chain.A:position() - chain.B:position()
  if #slides == 1 then
    local u = V.perpendicular(slides[1].axis)
    R.hold(name .. ".x", dot(r, carried(chain.b, u)))
    R.hold(name .. ".y", dot(r, carried(chain.b, cross(slides[1].axis, u))))
  elseif #slides == 2 then
    R.hold(name .. ".z", dot(r, carried(chain.b, V.unit(cross(slides[1].axis, slides[2].axis)))))
  end
end

-- ---- how far each joint stands ----

local function slide_position(chain, k) return dot(chain.A:position() - chain.B:position(), carried(chain.b, chain.across[k])) end

-- The angle by which a vector, v at the start and `now`, has turned about an axis as `body` sees it.
local function seen_angle(of, body, axis, v, now)
  local x = V.unit(v - dot(v, axis)*axis)
  local angle = of(dot(now, carried(body, cross(axis, x))), dot(now, carried(body, x)))
  return angle
end

local function hinge_angle(chain, k, of)
  local h = chain.hinges
  local first, last = h[1].axis, h[#h].axis
  if #h == 1 then
    local x = V.perpendicular(first)
    return seen_angle(of, chain.b, first, x, carried(chain.a, x))
  end
  local now_first, now_last = carried(chain.b, first), carried(chain.a, last)
  if #h == 2 then
    if k == 1 then return seen_angle(of, chain.b, first, last, now_last) end
    return -seen_angle(of, chain.a, last, first, now_first)
  end
  if not chain.square then refuse(chain, "turn about three axes that are not orthogonal in turn: their angles are not known one by one") end
  local second = cross(last, first)
  local sign = dot(second, h[2].axis) > 0 and 1 or -1
  local now = sign*cross(now_last, now_first)
  if k == 1 then return seen_angle(of, chain.b, first, sign*second, now) end
  if k == 3 then return -seen_angle(of, chain.a, last, sign*second, now) end
  local x, y = dot(first, last), -sign*V.norm(second) -- of the last axis, along the first and across it
  local X, Y = dot(now_first, now_last), -sign*V.norm(now)
  return of(x*Y - y*X, x*X + y*Y)
end

-- ---- how fast, and forces ----

-- The axes of the hinges as they stand
local function axes_now(chain)
  if chain.now then return chain.now end
  local h, now = chain.hinges, {}
  if #h > 0 then now[1] = carried(chain.b, h[1].axis) end
  if #h > 1 then now[#h] = carried(chain.a, h[#h].axis) end
  if #h == 3 then
    local sign = dot(cross(h[3].axis, h[1].axis), h[2].axis) > 0 and 1 or -1
    now[2] = sign*V.unit(cross(now[3], now[1]))
  end
  chain.now, chain.toward = now, duals(now)
  return now
end

local function hinge_rate(chain, k)
  axes_now(chain)
  return dot(spin_of(chain.a) - spin_of(chain.b), chain.toward[k])
end
local function slide_rate(chain, k)
  local r = chain.A:position() - chain.B:position()
  return dot(chain.A:velocity() - chain.B:velocity() - cross(spin_of(chain.b), r), carried(chain.b, chain.across[k]))
end

-- A force on one joint of the row, which does no work at the others.
local function push_hinge(chain, k, torque)
  axes_now(chain)
  local T = torque*chain.toward[k]
  chain.a:twist(T)
  chain.b:twist(-T)
end
local function push_slide(chain, k, force)
  local f = force*carried(chain.b, chain.across[k])
  F.push(chain.A, f)
  F.push(chain.B, -f)
  chain.b:twist(-cross(chain.A:position() - chain.B:position(), f))
end

local function joint_of(chain, k, slides)
  local sign = chain.sign
  local function along(of) return sign*(slides and slide_position(chain, k) or hinge_angle(chain, k, of)) end
  local function rate() return sign*(slides and slide_rate or hinge_rate)(chain, k) end
  local function push(f) return (slides and push_slide or push_hinge)(chain, k, sign*f) end
  return {along = along, rate = rate, push = push, damp = function(c) push(-c*rate()) end}
end

-- chain { called, parent, child (bodies), steps = { {name, type, axis, at (both in space at the start), meets, along}, ... } }: holds the child, and
-- returns for each step that turns or slides the functions along(atan2 or turning_angle), rate(), push(force) and damp(constant)
function M.chain(chain)
  sort(chain)
  look(chain)
  local h, s = chain.hinges, chain.slides
  local at = h[1] and h[1].at or s[1].at
  chain.B = chain.b:here(at.x, at.y, at.z)
  if h[1] and h[1].axis then chain.B = chain.B:along(h[1].axis.x, h[1].axis.y, h[1].axis.z) end
  local last = h[#h]
  at = last and last.at or at
  chain.A = chain.a:here(at.x, at.y, at.z)
  if last and last.axis then chain.A = chain.A:along(last.axis.x, last.axis.y, last.axis.z) end
  local axes, slides = {}, {}
  for k, one in ipairs(h) do axes[k] = one.axis end
  for k, one in ipairs(s) do slides[k] = one.axis end
  chain.across = duals(slides)
  if not duals(axes) or not chain.across then refuse(chain, "have axes that are in one plane or parallel at the start, so that their rates are not known") end
  R.check_markers("joint", chain.called, chain.A, chain.B)
  if #s == 1 then B.joined[#B.joined].slides = carried(chain.b, s[1].axis) end -- for its picture
  hold_turns(chain)
  hold_places(chain)
  local made = {}
  for k, one in ipairs(h) do
    if one.type == "revolute" then made[one.name] = joint_of(chain, k, false) end
  end
  for k, one in ipairs(s) do made[one.name] = joint_of(chain, k, true) end
  return made
end

return M
