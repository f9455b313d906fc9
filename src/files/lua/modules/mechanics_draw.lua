-- Drawings of mechanisms: bodies by their shapes, or as bars from their centres to their joints; marks at joints, rails of those
-- that slide, guides of points on curves; springs and dampers. A part of "mechanics".
local V, B = require "vectors", require "mechanics_bodies"
local vec3 = V.vec3
local M = {}

local most, drawn, hidden, flat = 2000, 0, false, true
local hues = {"blue", "orange", "green", "pink", "yellow", "sky", "purple", "grey"}

-- draw_nothing(): mechanisms do not draw themselves; only the drawings of the model remain
function M.draw_nothing() hidden = true end

local function put(thing)
  drawn = drawn + 1
  if drawn <= most then draw(thing) end
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

-- The shape of a body: the given one, or else the largest wheel of its gears and contacts.
local function shape_of(body)
  local given = body.shape
  if given and shapes[given.form] then return given end
  local radius = 0
  for _, wheel in ipairs(B.wheels) do
    if wheel.body == body then radius = math.max(radius, wheel.radius) end
  end
  return radius > 0 and {form = "cylinder", drawn = {radius = radius, length = radius}} or nil
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
local function draw_bars(body, shape, hue)
  local function bar(marker)
    if marker.body ~= body or (shape and not is_outside(shape, marker.point)) then return end
    put {link = {place(body.x), at(marker)}, colour = hue}
  end
  for _, joint in ipairs(B.joined) do
    bar(joint[1])
    bar(joint[2])
  end
  for _, tie in ipairs(B.tied) do
    bar(tie[2])
    bar(tie[3])
  end
end

local function draw_all()
  if hidden then return end
  for _, body in ipairs(B.all()) do flat = flat and body.planar end
  for i, body in ipairs(B.all()) do
    local hue, shape = body.colour or hues[(i - 1) % #hues + 1], shape_of(body)
    if body.planar and not B.by_joints then draw {angles = {body.angle}} end
    if shape then shapes[shape.form](body, shape.drawn, hue) else put {point = place(body.x), colour = hue} end
    draw_bars(body, shape, hue)
  end
  for _, tie in ipairs(B.tied) do put {[tie[1]] = {at(tie[2]), at(tie[3])}} end
  for _, joint in ipairs(B.joined) do
    put {mark = at(joint.guide and joint[1] or joint[2])}
    if joint.slides then -- the line of the joint, as far as the motion goes
      local r, axis = joint[1]:position() - joint[2]:position(), joint.slides
      put {rail = {at(joint[2]), place(joint[2]:position() + axis)}, at = V.dot(r, axis)}
    end
    if joint.guide then put {guide = place(joint.guide), at = at(joint[2]), turn = turn_of(joint[2].body)} end
    if joint.apart then put {link = {at(joint[1]), at(joint[2])}} end
  end
end
draw(draw_all)

return M
