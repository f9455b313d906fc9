-- Drawings of mechanisms: bodies by their shapes, or as bars from their centres to their joints; marks at joints, rails of those
-- that slide, guides of points on curves; springs and dampers. A part of "mechanics".
local V, B = require "vectors", require "mechanics_bodies"
local vec3 = V.vec3
local M = {}

local most, drawn, hidden, flat = 2000, 0, false, true
local hues = {"blue", "orange", "green", "pink", "yellow", "sky", "purple", "grey"}

-- draw_nothing(): mechanisms do not draw themselves; only the drawings of the model remain
function M.draw_nothing() hidden = true end

-- True if no more things are drawn.
local function is_full() return drawn >= most end

local function put(thing)
  if is_full() then return end
  drawn = drawn + 1
  draw(thing)
end

-- A place, without its third component if all bodies are in the plane.
local function place(v)
  return flat and {v[1], v[2]} or v
end
local function at(marker) return place(marker:position()) end

-- R if it is known, else nil: bodies without thickness have one or two columns.
local function turn_of(body)
  if body.column[1] and body.column[2] and body.column[3] then return body:rotation() end
end

local function end_to_end(body, axis, length)
  return {place(body.x - (length/2)*body.column[axis]), place(body.x + (length/2)*body.column[axis])}
end

local shapes = {}
function shapes.ball(body, o, hue) put {sphere = place(body.x), size = o.radius, colour = hue} end
function shapes.rod(body, o, hue) put {link = end_to_end(body, 1, o.length), colour = hue} end
function shapes.box(body, o, hue) put {box = place(body.x), size = o.size, turn = turn_of(body), colour = hue} end
function shapes.plate(body, o, hue)
  local thin = math.max(o.size[1], o.size[2])/50
  put {box = place(body.x), size = {o.size[1], o.size[2], thin}, turn = turn_of(body), colour = hue}
end
function shapes.cylinder(body, o, hue)
  if body.planar then -- seen along its axis
    put {sphere = place(body.x), size = o.radius, colour = hue}
    put {link = {place(body.x), place(body.x + o.radius*body.column[1])}}
  else
    put {cylinder = end_to_end(body, 3, o.length), size = o.radius, colour = hue}
  end
end

-- By bodies: the largest radius of the gears and contacts of each, and its points that are joined or tied.
local function parts_of_all()
  local radius, points = {}, {}
  for _, wheel in ipairs(B.wheels) do radius[wheel.body] = math.max(radius[wheel.body] or 0, wheel.radius) end
  local function add(marker)
    local list = points[marker.body] or {}
    points[marker.body] = list
    list[#list + 1] = marker
  end
  for _, joint in ipairs(B.joined) do
    add(joint[1])
    add(joint[2])
  end
  for _, tie in ipairs(B.tied) do
    add(tie[2])
    add(tie[3])
  end
  return radius, points
end

-- The shape of a body: the given one, or else a wheel of that radius.
local function shape_of(body, radius)
  local given = body.shape
  if given and shapes[given.form] then return given end
  return radius and radius > 0 and {form = "cylinder", drawn = {radius = radius, length = radius}} or nil
end

-- True if a point of a body is outside its shape.
local function is_outside(shape, p)
  local o = shape.drawn
  if shape.form == "rod" then return false end
  if shape.form == "ball" then return V.norm(p) > 1.001*o.radius end
  if shape.form == "cylinder" then return V.norm2(vec3(p.x, p.y, 0)) > (1.001*o.radius)^2 or 2*math.abs(p.z) > 1.001*o.length end
  return 2*math.abs(p.x) > 1.001*o.size[1] or 2*math.abs(p.y) > 1.001*o.size[2]
end

-- Bars from the centre to joints and springs: of a body without a shape all, else those that are outside it.
local function draw_bars(body, shape, hue, points)
  for _, marker in ipairs(points) do
    if is_full() then return end
    if not shape or is_outside(shape, marker.point) then put {link = {place(body.x), at(marker)}, colour = hue} end
  end
end

local function draw_all()
  if hidden then return end
  for _, body in ipairs(B.all()) do flat = flat and body.planar end
  local radius, points = parts_of_all()
  for i, body in ipairs(B.all()) do
    if body.planar and not B.by_joints then draw {angles = {body.angle}} end
    if not is_full() then
      local hue, shape = body.colour or hues[(i - 1) % #hues + 1], shape_of(body, radius[body])
      if shape then shapes[shape.form](body, shape.drawn, hue) else put {point = place(body.x), colour = hue} end
      draw_bars(body, shape, hue, points[body] or {})
    end
  end
  for _, tie in ipairs(B.tied) do
    if is_full() then return end
    put {[tie[1]] = {at(tie[2]), at(tie[3])}}
  end
  for _, joint in ipairs(B.joined) do
    if is_full() then return end
    put {mark = at(joint.guide and joint[1] or joint[2])}
    if joint.slides and not is_full() then -- the line of the joint, as far as the motion goes
      local r, axis = joint[1]:position() - joint[2]:position(), joint.slides
      put {rail = {at(joint[2]), place(joint[2]:position() + axis)}, at = V.dot(r, axis)}
    end
    if joint.guide and not is_full() then put {guide = place(joint.guide), at = at(joint[2]), turn = turn_of(joint[2].body)} end
    if joint.apart and not is_full() then put {link = {at(joint[1]), at(joint[2])}} end
  end
end
draw(draw_all)

return M
