-- Rigid bodies in the plane and in space, points on them, gravity: a part of "mechanics".
--
-- A body in space is its centre x and the columns of its rotation matrix R that carry mass: T = |p|^2/(2 m) + sum_j |P_j|^2/(2 d_j), with
-- the second moments d_j = (I_k + I_l - I_j)/2 about the principal axes; R^T R = 1 are constraints. So H is natural with a constant mass
-- matrix. Its own frame is that of its principal axes unless `inertia` has products of inertia: then P turns from the principal axes,
-- whose columns are `e`, to the frame that points, axes and spins are given in, whose columns are `column`. As a unit quaternion it is four coordinates with T = sum_j (q e_j . p)^2/(8 I_j) + (q . p)^2/(8 I), nondegenerate in p.
-- A body in the plane is x, y and an angle.
local V = require "vectors"
local inertia = require "mechanics_inertia"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

local bodies, gravity, names = {}, nil, {}
-- For drawing: pairs of markers of joints; { kind, a, b } of springs and dampers; bodies that roll or mesh, with radii.
M.joined, M.tied, M.wheels = {}, {}, {}
function M.all() return bodies end
M.by_joints = false -- mechanics_tree: the coordinates of bodies follow from those of joints

-- For files of robots: constraints by mech.hold, and how many there are by bodies and joints; the gravity, or nil.
M.held = {}
local constrained, constrain_anything = 0, constrain
local function constrain(name, e)
  constrained = constrained + 1
  constrain_anything(name, e)
end
M.constrain = constrain
function M.constraints() return constrained end
function M.gravity_of() return gravity end

-- ---- options ----

function M.check_options(what, options, known)
  if type(options) ~= "table" then error("expected " .. what .. " { ... }, found a " .. type(options), 3) end
  for key in pairs(options) do
    local found
    for _, name in ipairs(known) do found = found or name == key end
    if not found then error(what .. " has no option \"" .. tostring(key) .. "\"; it has " .. table.concat(known, ", "), 3) end
  end
end
local check_options = M.check_options

function M.number(value, what, level)
  if type(value) ~= "number" then
    error("expected a number for " .. what .. ", found " .. (type(value) == "userdata" and "an expression" or "a " .. type(value)), (level or 2) + 1)
  end
  return value
end
local number = M.number

local function positive(value, what, level)
  if number(value, what, (level or 2) + 1) <= 0 then error(what .. " must be positive", (level or 2) + 1) end
  return value
end
M.positive = positive

-- A radius, negative on the other side.
function M.radius(value, what)
  if number(value, what, 3) == 0 then error(what .. " must not be 0", 3) end
  return value
end

-- A list of numbers as a vector: three, or with `planar` two or three.
local function vector(value, what, planar)
  local least = planar and 2 or 3
  if type(value) ~= "table" then error("expected {x, y, z} for " .. what .. ", found a " .. type(value), 3) end
  if #value < least or #value > 3 then
    error("expected " .. (planar and "{x, y}" or "{x, y, z}") .. " for " .. what .. ", found " .. #value .. " of them", 3)
  end
  if planar and value[3] and value[3] ~= 0 then error(what .. " in the plane has no z", 3) end
  return vec3(number(value[1], "x of " .. what, 3), number(value[2], "y of " .. what, 3), number(value[3] or 0, "z of " .. what, 3))
end

-- ---- shapes: mass and principal moments of inertia about the axes x, y, z of the body ----

function M.ball(o)
  check_options("ball", o, {"mass", "radius"})
  local m, r = positive(o.mass, "the mass of a ball"), positive(o.radius, "the radius of a ball")
  return {mass = m, inertia = {2/5*m*r^2, 2/5*m*r^2, 2/5*m*r^2}, form = "ball", drawn = o}
end

-- size = {a, b, c}: lengths of the edges along x, y, z
function M.box(o)
  check_options("box", o, {"mass", "size"})
  local m, s = positive(o.mass, "the mass of a box"), vector(o.size, "the size of a box")
  return {mass = m, inertia = {m/12*(s.y^2 + s.z^2), m/12*(s.z^2 + s.x^2), m/12*(s.x^2 + s.y^2)}, form = "box", drawn = o}
end

-- about z
function M.cylinder(o)
  check_options("cylinder", o, {"mass", "radius", "length"})
  local m, r = positive(o.mass, "the mass of a cylinder"), positive(o.radius, "the radius of a cylinder")
  local across = m/12*(3*r^2 + number(o.length, "the length of a cylinder")^2)
  return {mass = m, inertia = {across, across, m*r^2/2}, form = "cylinder", drawn = o}
end

-- along x, without thickness
function M.rod(o)
  check_options("rod", o, {"mass", "length"})
  local across = positive(o.mass, "the mass of a rod")/12*positive(o.length, "the length of a rod")^2
  return {mass = o.mass, inertia = {0, across, across}, form = "rod", drawn = o}
end

-- size = {a, b}: edges along x and y, without thickness
function M.plate(o)
  check_options("plate", o, {"mass", "size"})
  local m, s = positive(o.mass, "the mass of a plate"), vector(o.size, "the size of a plate", true)
  return {mass = m, inertia = {m/12*s.y^2, m/12*s.x^2, m/12*(s.x^2 + s.y^2)}, form = "plate", drawn = o}
end

-- ---- bodies ----

local body_meta, marker_meta = {}, {}
M.body_meta = body_meta

-- Members that few ask for are made when they are asked for first: the rates of the columns that move by themselves, and
-- w_j = e_l . e_k' = -e_k . e_l' of these.
local asked = {}
function asked.rates(body)
  local rates = {}
  for j = 1, 3 do rates[j] = body.moves and body.moves[j] and body.moves[j]/body.second[j] end
  return rates
end
function asked.spins(body)
  local column, momentum, second, spins = body.e, body.moves, body.second, {}
  for j = 1, 3 do
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    if momentum[k] and column[l] then
      spins[j] = dot(column[l], momentum[k])/second[k]
    elseif momentum[l] and column[k] then
      spins[j] = -dot(column[k], momentum[l])/second[l]
    end
  end
  return spins
end

-- Reading a member that an object does not have is an error, but for members that only some of its kind have.
-- asked: functions by the names of members that are made when they are asked for.
local function strict(meta, what, has, optional, asked)
  function meta.__index(object, key)
    local value = rawget(meta, key)
    if value == nil and asked and asked[key] then
      value = asked[key](object)
      rawset(object, key, value)
    end
    if value == nil and not optional[key] then error(what .. " has no \"" .. tostring(key) .. "\"; it has " .. has, 2) end
    return value
  end
end
strict(body_meta, "a body",
  "x, p, column, angle (in the plane), at, here, turn, rotation, spin, velocity, angular_momentum; x and p are vectors, as in b.x.z",
  {ground = true, planar = true, mass = true, inertia = true, shape = true, colour = true, moves = true, q = true, P = true, pangle = true, second = true}, asked)
-- A vector given in the body's own frame, in that of its principal axes.
local function inside(body, v) return body.P and V.transpose(body.P)*v or v end

local directions = {} -- made when they are asked for, since joints are given others
function directions.axis(marker)
  local z = vec3(0, 0, 1)
  return marker.world and V.transpose(marker.body.R0)*z or inside(marker.body, z)
end
function directions.across(marker) return (V.perpendicular(marker.axis)) end
strict(marker_meta, "a point", "along, across_to, start, position, velocity", {world = true, turned = true}, directions)

function M.is_body(a) return getmetatable(a) == body_meta end

function M.claim_name(what, name)
  if type(name) ~= "string" then error("expected a name for a " .. what .. ", as in name = \"crank\"", 3) end
  if names[name] then error("the name \"" .. name .. "\" is already that of a " .. names[name], 3) end
  names[name] = what
  return name
end
local claim_name = M.claim_name

local function weigh(body)
  if gravity then potential(-body.mass*dot(gravity, body.x)) end
end

local function give(variable, value)
  if value ~= 0 then start {[variable] = value} end
end
local function give_velocity(variable, value)
  if value ~= 0 then velocity {[variable] = value} end
end

-- The rotation that a body starts with: rotation = a matrix or a quaternion, angle = a with axis = {x, y, z}, or euler = {a, b, c} with
-- axes = "zxz"
local function start_rotation(o)
  local given = (o.rotation and 1 or 0) + (o.angle and 1 or 0) + (o.euler and 1 or 0)
  if given > 1 then error("a body takes one of rotation, angle and euler", 3) end
  if o.angle then return V.about(o.axis or {0, 0, 1}, number(o.angle, "the angle of a body")) end
  if o.euler then return V.euler(o.euler, o.axes) end
  if not o.rotation then return V.identity() end
  if #o.rotation == 4 then return V.rotation(V.unit(o.rotation)) end
  local R = V.mat3(o.rotation)
  if V.determinant(R) <= 0 then error("the rotation of a body has determinant 1; that of this matrix is " .. V.determinant(R) .. ": it mirrors the body", 3) end
  return R
end

local function shape_of(o)
  if o.shape and (o.mass or o.inertia) then error("a body takes a shape, or mass and inertia", 3) end
  local shape = o.shape or o
  return positive(shape.mass, "the mass of a body"), shape.inertia
end

-- The three coordinates of the centre, with mass and start: so that a point of the body is at o.at.
local function make_centre(body, o)
  local function option(name) return o[name] and vector(o[name], name, body.planar) or vec3(0, 0, 0) end
  local at, v = option("at"), option("velocity")
  if o.point then at = at - body.R0*inside(body, option("point")) end
  local x, p, letters = {}, {}, {"x", "y", "z"}
  for i = 1, body.planar and 2 or 3 do
    x[i], p[i] = pair(body.name .. "." .. letters[i], body.name .. ".p" .. letters[i])
    mass(x[i], body.mass)
    give(x[i], at[i])
    give_velocity(x[i], v[i])
  end
  body.variables = {table.unpack(x)}
  body.x, body.p = vec3(x[1], x[2], x[3] or 0), vec3(p[1], p[2], p[3] or 0)
  body.x0 = vec3(at[1], at[2], x[3] and at[3] or 0)
end

-- The second moments along the principal axes, of which round-off is 0; nil if they are those of no body.
function M.second_moments(I)
  local second, largest = {}, math.max(I[1], I[2], I[3])
  for j = 1, 3 do
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    second[j] = (I[k] + I[l] - I[j])/2
    if math.abs(second[j]) < 1e-12*largest then second[j] = 0 end
    if second[j] < 0 then return nil end
  end
  return second
end

-- The columns of R as coordinates: those whose second moment is 0 follow from the others.
local function make_matrix(body, I, R0, spin)
  local second, column, momentum = M.second_moments(I), {}, {}
  local turning = V.hat(spin)*R0
  if not second then error("the moments of inertia of \"" .. body.name .. "\" are those of no body: each is at most the sum of the others", 3) end
  for j = 1, 3 do
    if second[j] > 0 then
      local c, p = {}, {}
      for i = 1, 3 do
        c[i], p[i] = pair(body.name .. ".r" .. i .. j, body.name .. ".p" .. i .. j)
        mass(c[i], second[j])
        give(c[i], R0[i][j])
        give_velocity(c[i], turning[i][j])
        body.variables[#body.variables + 1] = c[i]
      end
      column[j], momentum[j] = vec3(c), vec3(p)
      if not M.by_joints then constrain(body.name .. ".r" .. j, V.norm2(column[j]) - 1) end
    end
  end
  for j = 1, 3 do
    for k = j + 1, 3 do
      if column[j] and column[k] and not M.by_joints then constrain(body.name .. ".r" .. j .. k, dot(column[j], column[k])) end
    end
  end
  for j = 1, 3 do
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    if not column[j] and column[k] and column[l] then column[j] = cross(column[k], column[l]) end
  end
  body.e, body.moves, body.second = column, momentum, second
end

local function make_quaternion(body, I, R0, spin)
  if M.by_joints then error("a body in joint coordinates is no quaternion: omit form = \"quaternion\" of \"" .. body.name .. "\"", 3) end
  local q0, q, p, name = V.quat_of(R0), {}, {}, {"w", "x", "y", "z"}
  for j = 1, 3 do
    if I[j] <= 0 then error("a body without a moment of inertia about an axis cannot be a quaternion: use form = \"matrix\"", 3) end
  end
  local turning = 0.5*(V.quat(0, spin)*q0)
  body.spins = {}
  for i = 1, 4 do
    q[i], p[i] = pair(body.name .. ".q" .. name[i], body.name .. ".p" .. "q" .. name[i])
    give(q[i], q0[i])
    give_velocity(q[i], turning[i])
    body.variables[#body.variables + 1] = q[i]
  end
  q, p = V.quat(q[1], q[2], q[3], q[4]), V.quat(p[1], p[2], p[3], p[4])
  for j = 1, 3 do
    local e = V.quat(0, j == 1 and 1 or 0, j == 2 and 1 or 0, j == 3 and 1 or 0)
    local k = dot(q*e, p)
    hamiltonian(k^2/(8*I[j]))
    body.spins[j] = k/(2*I[j])
  end
  hamiltonian(dot(q, p)^2*(3/(8*(I[1] + I[2] + I[3]))))
  constrain(body.name .. ".q", V.norm2(q) - 1)
  local R = V.rotation(q)
  body.q, body.e = q, {V.column(R, 1), V.column(R, 2), V.column(R, 3)}
end

-- body { name, mass, inertia = {Ix, Iy, Iz}, {Ixx, Iyy, Izz, Ixy, Ixz, Iyz} or a matrix, or shape, at, rotation | angle, axis | euler, axes, velocity, spin, form }
function M.body(o)
  check_options("body", o, {"name", "mass", "inertia", "shape", "at", "point", "rotation", "angle", "axis", "euler", "axes", "velocity", "spin", "form", "colour"})
  local m, I = shape_of(o)
  local moments, P = inertia.principal(I)
  local body = setmetatable({name = claim_name("body", o.name), mass = m, inertia = moments, R0 = start_rotation(o), shape = o.shape, colour = o.colour}, body_meta)
  if P then body.P, body.R0 = P, body.R0*P end
  make_centre(body, o)
  local spin = o.spin and vector(o.spin, "spin") or vec3(0, 0, 0)
  local make = ({matrix = make_matrix, quaternion = make_quaternion})[o.form or "matrix"]
  if not make then error("the form of a body is \"matrix\" or \"quaternion\", found " .. tostring(o.form), 2) end
  make(body, moments, body.R0, spin)
  body.column = P and {} or body.e
  for j = 1, P and 3 or 0 do body.column[j] = body:turn(V.column(V.identity(), j)) end
  bodies[#bodies + 1] = body
  weigh(body)
  return body
end

-- planar { name, mass, inertia or shape, at = {x, y}, angle, velocity, spin }: a body in the plane; of a shape the moment about z is taken
function M.planar(o)
  check_options("planar", o, {"name", "mass", "inertia", "shape", "at", "point", "angle", "velocity", "spin", "colour"})
  local m, I = shape_of(o)
  I = positive(type(I) == "table" and inertia.about_z(I) or I, "the moment of inertia of a body")
  local angle = o.angle and number(o.angle, "the angle of a body") or 0
  local body = setmetatable({name = claim_name("body", o.name), mass = m, inertia = I, shape = o.shape, colour = o.colour, planar = true, angle0 = angle, R0 = V.about({0, 0, 1}, angle)}, body_meta)
  make_centre(body, o)
  local spin
  body.angle, spin = pair(body.name .. ".angle", body.name .. ".pangle")
  body.pangle, body.spins = spin, {0, 0, spin/I}
  mass(body.angle, I)
  give(body.angle, angle)
  give_velocity(body.angle, o.spin and number(o.spin, "the spin of a body") or 0)
  body.variables[#body.variables + 1] = body.angle
  local c, s = cos(body.angle), sin(body.angle)
  body.e = {vec3(c, s, 0), vec3(-s, c, 0), vec3(0, 0, 1)}
  body.column = body.e
  bodies[#bodies + 1] = body
  weigh(body)
  return body
end

M.ground = setmetatable({name = "ground", ground = true, planar = true, x = vec3(0, 0, 0), x0 = vec3(0, 0, 0), angle = 0, angle0 = 0, spins = {0, 0, 0},
  R0 = V.identity(), variables = {}, e = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)}}, body_meta)
M.ground.column = M.ground.e

-- gravity(gx, gy, gz): the acceleration of all bodies, those that are declared later included
function M.gravity(x, y, z)
  if gravity then error("gravity was already given", 2) end
  gravity = vector({x, y, z or 0}, "gravity")
  for _, body in ipairs(bodies) do weigh(body) end
end

-- A vector fixed to the body, given along its principal axes, as it stands in space.
function body_meta.carry(body, v)
  local sum = V.combine(v, body.e)
  return sum or error("\"" .. body.name .. "\" has no thickness: only points on its axis are known; use a cylinder or a box", 3)
end

-- The axis j of the body's own frame at the start.
function body_meta.start_column(body, j) return body.R0*inside(body, V.column(V.identity(), j)) end

-- The same of a vector given in the body's own frame.
function body_meta.turn(body, v) return body:carry(inside(body, v)) end

-- The angular velocity in the body's own frame, and the angular momentum about the centre in space, as expressions.
function body_meta.spin(body)
  for j = 1, 3 do
    if not body.spins[j] then error("\"" .. body.name .. "\" has no thickness: its spin about its axis means nothing", 2) end
  end
  local w = vec3(body.spins)
  return body.P and body.P*w or w
end
-- By the momenta of the columns, so that it generates the rotations of the body off the constraints too.
function body_meta.angular_momentum(body)
  local sum = vec3(0, 0, 0)
  if body.moves then
    for j = 1, 3 do
      if body.moves[j] then sum = sum + cross(body.e[j], body.moves[j]) end
    end
    return sum
  end
  for j = 1, 3 do
    local moment = body.planar and (j == 3 and body.inertia or 0) or body.inertia[j]
    if moment ~= 0 then sum = sum + (moment*body.spins[j])*body.e[j] end
  end
  return sum
end

-- A force F, a vector of expressions in space, at the point r of the body's own frame, as forces on its coordinates: their power is
-- F . (x + sum_j r_j e_j)'.
local function push_columns(body, r, F)
  for j = 1, 3 do
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    local function on(i, e)
      for axis = 1, 3 do force {[body.e[i][axis]] = e[axis]} end
    end
    if type(r[j]) == "number" and r[j] == 0 then
      -- nothing
    elseif body.moves[j] then
      on(j, r[j]*F)
    elseif body.moves[k] and body.moves[l] then -- e_j = e_k x e_l
      on(k, r[j]*cross(body.e[l], F))
      on(l, r[j]*cross(F, body.e[k]))
    else
      error("\"" .. body.name .. "\" has no thickness: forces act on its axis only", 4)
    end
  end
end
function body_meta.push(body, r, F)
  if body.ground then return end
  for axis = 1, body.planar and 2 or 3 do force {[body.x[axis]] = F[axis]} end
  if body.planar then
    force {[body.angle] = cross(body:carry(r), F).z}
  elseif body.moves then
    push_columns(body, r, F)
  else
    local torque = cross(r, V.transpose(body:principal())*F)
    for j = 1, 3 do
      local axis = body.q*V.quat(0, j == 1 and 1 or 0, j == 2 and 1 or 0, j == 3 and 1 or 0)
      for i = 1, 4 do force {[body.q[i]] = 2*torque[j]*axis[i]} end
    end
  end
end

-- A torque T in space, as forces on the coordinates: their power is T . w. Each of three columns e_j takes T x e_j/2; fewer columns take the whole.
function body_meta.twist(body, T)
  if body.ground then return end
  if body.planar then
    force {[body.angle] = T.z}
  elseif body.moves then
    local count = (body.moves[1] and 1 or 0) + (body.moves[2] and 1 or 0) + (body.moves[3] and 1 or 0)
    local left = T
    for j = 1, 3 do
      local e = body.e[j]
      if body.moves[j] then
        local f = cross(count == 3 and 0.5*T or left, e)
        for axis = 1, 3 do force {[e[axis]] = f[axis]} end
        if count == 2 then left = dot(left, e)*e end -- the part that the first column cannot take
      end
    end
  else
    local torque = V.transpose(body:principal())*T
    for j = 1, 3 do
      local axis = body.q*V.quat(0, j == 1 and 1 or 0, j == 2 and 1 or 0, j == 3 and 1 or 0)
      for i = 1, 4 do force {[body.q[i]] = 2*torque[j]*axis[i]} end
    end
  end
end

-- The rotation matrix as expressions; that of the principal axes.
function body_meta.principal(body) return V.columns(body:carry(vec3(1, 0, 0)), body:carry(vec3(0, 1, 0)), body:carry(vec3(0, 0, 1))) end
function body_meta.rotation(body) return V.columns(body:turn(vec3(1, 0, 0)), body:turn(vec3(0, 1, 0)), body:turn(vec3(0, 0, 1))) end

-- ---- markers: a point of a body, with an axis and a second axis across it ----

local function make_marker(body, point, world)
  return setmetatable({body = body, point = point, world = world}, marker_meta)
end

-- The point with these coordinates in the body's own frame, from its centre.
function body_meta.at(body, x, y, z)
  return make_marker(body, inside(body, vector({x or 0, y or 0, z or 0}, "a point")), false)
end
-- The point of the body that is there in space at the start.
function body_meta.here(body, x, y, z)
  return make_marker(body, V.transpose(body.R0)*(vector({x, y, z or 0}, "a point") - body.x0), true)
end

local function direction(marker, x, y, z)
  local v = V.unit(vector({x, y, z or 0}, "a direction"))
  return marker.world and V.transpose(marker.body.R0)*v or inside(marker.body, v)
end

-- The axis of joints at this marker: in the body's frame after at, in space after here. The default is z.
function marker_meta.along(marker, x, y, z)
  marker.axis, marker.across = direction(marker, x, y, z), nil
  return marker
end

-- A second direction, across the axis, where a joint needs one.
function marker_meta.across_to(marker, x, y, z)
  local v = direction(marker, x, y, z)
  v = v - dot(v, marker.axis)*marker.axis
  marker.across, marker.turned = V.unit(v), true
  return marker
end

-- The position of the marker in space at the start.
function marker_meta.start(marker) return marker.body.x0 + marker.body.R0*marker.point end

-- How fast it moves in space.
function marker_meta.velocity(marker)
  local body = marker.body
  if body.ground then return vec3(0, 0, 0) end
  local v, r = body.p/body.mass, marker.point
  if V.norm2(r) == 0 then return v end
  if not body.moves then return v + body:carry(cross(vec3(body.spins), r)) end
  for j = 1, 3 do -- e_j' is linear in the momenta, or the derivative of e_k x e_l
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    if r[j] ~= 0 and body.moves[j] then
      v = v + r[j]*body.rates[j]
    elseif r[j] ~= 0 then
      if not (body.moves[k] and body.moves[l]) then
        error("\"" .. body.name .. "\" has no thickness: only points on its axis are known; use a cylinder or a box", 2)
      end
      v = v + r[j]*(cross(body.rates[k], body.e[l]) + cross(body.e[k], body.rates[l]))
    end
  end
  return v
end

-- The position of the marker in space, and its directions: axis, across, and the third.
function marker_meta.position(marker) return marker.body.x + marker.body:carry(marker.point) end
function marker_meta.directions(marker)
  local b = marker.body
  return b:carry(marker.axis), b:carry(marker.across), b:carry(cross(marker.axis, marker.across))
end

function M.is_marker(a) return getmetatable(a) == marker_meta end

return M
