-- Contacts that constrain velocities, with the reaction along them: wheels, balls and discs that roll on a plane, blades, motors with a given
-- speed: a part of "mechanics".
--
-- The motion of a body in a unit of time is written in the symbols velocity(coordinate), so that any form of body will do.
local V, B, J, F = require "vectors", require "mechanics_bodies", require "mechanics_rows", require "mechanics_forces"
local vec3, dot, cross = V.vec3, V.dot, V.cross
local M = {}

local function rate(e) return type(e) == "userdata" and velocity(e) or 0 end
local function rates(v) return vec3(rate(v[1]), rate(v[2]), rate(v[3])) end

-- The angular velocity along the principal axes of a body in space.
local function spins_of_matrix(body)
  local spins, e = {}, body.e
  for j = 1, 3 do
    local k, l = j % 3 + 1, (j + 1) % 3 + 1
    if body.moves[k] and e[l] then
      spins[j] = dot(e[l], rates(e[k]))
    elseif body.moves[l] and e[k] then
      spins[j] = -dot(e[k], rates(e[l]))
    end
  end
  return spins
end

local function spins_of_quaternion(body)
  local q, spins = body.q, {}
  local turned = V.conjugate(q)*V.quat(rate(q[1]), rate(q[2]), rate(q[3]), rate(q[4]))
  for j = 1, 3 do spins[j] = 2*turned[j + 1] end
  return spins
end

-- The velocity of the centre, and the angular velocity, both in space.
local function motion(body)
  if body.ground then return vec3(0, 0, 0), vec3(0, 0, 0) end
  if body.planar then return rates(body.x), vec3(0, 0, rate(body.angle)) end
  local spins, w = body.moves and spins_of_matrix(body) or spins_of_quaternion(body), vec3(0, 0, 0)
  for j = 1, 3 do
    if not spins[j] then error("\"" .. body.name .. "\" has no thickness: its spin about its axis means nothing", 4) end
    w = w + spins[j]*body.e[j]
  end
  return rates(body.x), w
end

-- How fast the body is at a place in space, as if that were fixed to it.
local function velocity_at(body, place)
  local v, w = motion(body)
  if body.ground then return v end
  return v + cross(w, place - body.x)
end

-- body:velocity(point): how fast a point of the body moves in space, in symbols of velocities, for velocity_constrain. A point is one of
-- body:at(x, y, z), or {x, y, z} in the body's own frame, numbers or expressions.
function B.body_meta.velocity(body, point)
  if point == nil then point = {0, 0, 0} end
  if B.is_marker(point) then
    if point.body ~= body then error("the point is one of \"" .. point.body.name .. "\", not of \"" .. body.name .. "\"", 2) end
    return velocity_at(body, point:position())
  end
  if type(point) ~= "table" then error("expected a point, body:at(x, y, z) or {x, y, z}, found a " .. type(point), 2) end
  return velocity_at(body, body.x + body:turn(vec3(point[1], point[2], point[3] or 0)))
end

local function keep(name, e)
  if type(e) ~= "userdata" then error("\"" .. name .. "\" constrains nothing: no body there can move so", 3) end
  velocity_constrain(name, e)
  J.note(name, e, true)
end

-- How fast a slips over b at a place in space.
local function slip(a, b, place) return velocity_at(a.body, place) - velocity_at(b.body, place) end

-- skate(name, a, b): the point of a moves along its own direction over the body of b: a blade, or a wheel seen from above. In space the direction is the
-- second one, a:along(axis):across_to(direction), and the axis is normal to the plane.
function M.skate(name, a, b)
  local blade, planar = a
  if not B.is_marker(blade) then error("a skate is a point with a direction: skate(\"name\", body:at(x, y):along(x, y))", 2) end
  a, b, planar = J.check_markers("skate", name, a, b or B.ground)
  local left
  if planar then
    local _, side = J.plane_directions("skate", blade)
    left = side
  else
    if not blade.turned then error("a skate in space needs the normal and the direction of its blade: point:along(x, y, z):across_to(x, y, z)", 2) end
    local normal, along = blade:directions()
    left = cross(normal, along)
  end
  keep(name, dot(slip(a, b, blade:position()), left))
  return J.made()
end

-- The place where a ball, or a disc of no thickness about the axis of a, touches a plane with that normal.
local function touching(form, a, normal, radius)
  if form == "ball" then return a:position() - radius*normal end
  local axis = a:directions()
  local down = normal - dot(normal, axis)*axis
  return a:position() - radius/V.norm(down)*down
end

-- On a circle or a sphere about b: the distance of the centres, and how fast what rolls slips where it touches, across the line of centres. In space each
-- field of directions across the line vanishes somewhere. So all three components are taken, with a coordinate s whose velocity stands along the line: the
-- distance is kept, so that s stands still, whatever its mass, and so the reaction has no part along the line.
local function roll_around(name, a, b, planar, radius, around, o)
  local away = o.inside and around - radius or around + radius
  local r = a:position() - b:position()
  J.hold(name .. ".distance", (dot(r, r) - away^2)/(2*away))
  local out = r/away
  local over = slip(a, b, a:position() + (o.inside and radius or -radius)*out)
  if planar then return keep(name, dot(over, cross(vec3(0, 0, 1), out))) end
  local s = pair(name .. ".s", name .. ".ps")
  mass(s, a.body.mass)
  local rows = over + velocity(s)*out
  for _, axis in ipairs {"x", "y", "z"} do keep(name .. "." .. axis, rows[axis]) end
end

-- rolls(name, a, b, { radius, form, inside | outside }): a ball with its centre at a, or a disc (form = "disc") about the axis of a, rolls without slip on the plane through
-- b that is normal to b's axis; the body of b may move. With inside = R or outside = R: a ball in or on a sphere of that radius about b, in the plane a wheel
-- in a shell or on a wheel. In the plane else: a wheel seen from the side rolls on the line through b, whose place does not count.
function M.rolls(name, a, b, o)
  local planar
  a, b, planar = J.check_markers("rolling contact", name, a, b)
  B.check_options("rolls", o, {"radius", "form", "inside", "outside"})
  local radius = B.radius(o.radius, "the radius of what rolls")
  if o.inside and o.outside then error("what rolls is inside or outside, not both", 2) end
  if o.inside or o.outside then
    if o.form == "disc" then error("a disc rolls on a plane, not in or on a sphere", 2) end
    local around = B.positive(o.inside or o.outside, "the radius of what it rolls in or on")
    if B.positive(radius, "the radius of what rolls in or on another") >= around and o.inside then
      error("what rolls inside needs a smaller radius than " .. around, 2)
    end
    roll_around(name, a, b, planar, radius, around, o)
    return J.made()
  end
  if planar then
    local along, left = J.plane_directions("rolling contact", b)
    J.hold(name .. ".height", dot(a:position() - b:position(), left) - radius)
    keep(name, dot(slip(a, b, a:position() - radius*left), along))
    return J.made()
  end
  local form = o.form or "ball"
  if form ~= "ball" and form ~= "disc" then error("the form of what rolls is \"ball\" or \"disc\", found " .. tostring(o.form), 2) end
  local normal, u, v = b:directions()
  local place = touching(form, a, normal, radius)
  if form == "disc" and V.norm(cross(a.body.R0*a.axis, b.body.R0*b.axis)) < 2^-49 then
    error("the disc of \"" .. a.body.name .. "\" lies flat at the start: its axis, a:along(x, y, z), is normal to the plane (z by default)", 2)
  end
  if form == "disc" then -- along the disc, and across it: of wheels on one axle those across it are the same
    local axis = a:directions()
    u = cross(axis, normal)
    v = cross(normal, u)
  end
  J.hold(name .. ".height", dot(place - b:position(), normal))
  local over = slip(a, b, place)
  keep(name .. ".u", dot(over, u))
  keep(name .. ".v", dot(over, v))
  return J.made()
end

local torque = F.motor

-- motor(name, a, b, { speed }): turns a against b with that speed, a number or an expression of time and coordinates, about the axis of the first point in
-- space; motor(a, b, torque) is a torque.
function M.motor(name, a, b, o)
  if type(name) ~= "string" then return torque(name, a, b) end
  if B.is_body(a) then a = a:at(0, 0, 0) end
  local first, planar = a
  a, b, planar = J.check_markers("motor", name, a, b)
  B.check_options("motor", o, {"speed"})
  if type(o.speed) ~= "number" and type(o.speed) ~= "userdata" then error("a motor needs speed = a number or an expression", 2) end
  local _, wa = motion(a.body)
  local _, wb = motion(b.body)
  local turns = wa - wb
  local about = planar and vec3(0, 0, 1) or (first:directions())
  keep(name, (first == a and 1 or -1)*dot(turns, about) - o.speed)
  return J.made()
end

return M
