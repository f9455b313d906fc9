-- Mechanisms of mech.links as files of robots, in MJCF and URDF: a part of "mechanics". Links keep their frames in MJCF; in URDF, where the frame of
-- a link is that of its joint, they are moved to it. A part that the format cannot say is refused by name.
local V, B, L = require "vectors", require "mechanics_bodies", require "mechanics_links"
local vec3, cross = V.vec3, V.cross
local M = {}

local function refuse(why) error("this model has no file of that format: " .. why, 0) end

-- ---- texts ----

local function number(x)
  if x == math.floor(x) and math.abs(x) < 1e9 then return string.format("%.0f", x) end
  for digits = 15, 17 do
    local text = string.format("%." .. digits .. "g", x)
    if tonumber(text) == x then return text end
  end
end
local function numbers(list)
  local texts = {}
  for i, x in ipairs(list) do texts[i] = number(x) end
  return table.concat(texts, " ")
end
local function quoted(name)
  return (string.gsub(name, "[&<>\"]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ["\""] = "&quot;"}))
end

local function is_zero(v) return v[1] == 0 and v[2] == 0 and v[3] == 0 end
local function list_of(v) return {v[1], v[2], v[3]} end
local function quat_list(R)
  local q = V.quat_of(R)
  return {q[1], q[2], q[3], q[4]}
end

local function joint_name(link) return link.joint or link.name end
local function turns_or_slides(link) return link.type == "revolute" or link.type == "prismatic" end

-- ---- what there is ----

-- The only list of links, with nothing around it that links do not say.
local function the_robot()
  if #L.made ~= 1 then refuse("it has " .. #L.made .. " lists of links (mech.links): expected one") end
  local robot = L.made[1]
  local bodies = {}
  for _, place in pairs(robot.robot.place) do
    if place.body then bodies[place.body] = true end
  end
  for _, body in ipairs(B.all()) do
    if not bodies[body] then refuse("the body \"" .. body.name .. "\" is in no link") end
  end
  if #B.wheels > 0 then refuse("bodies roll or mesh") end
  if #B.tied > 0 then refuse("a " .. B.tied[1][1] .. " acts between points") end
  if #B.held > 0 then refuse("the constraint \"" .. B.held[1] .. "\" is of no joint (mech.hold)") end
  return robot
end

-- A link that a marker's body is in, and the marker's point and axis in its frame.
local function seen(robot, marker)
  local body = marker.body
  for _, link in ipairs(robot.list) do
    local place = robot.robot.place[link.name]
    if place.body == body then
      local back, P = V.transpose(place.R), body.P
      local point, axis = marker.point, marker.axis
      if P then point, axis = P*point, P*axis end
      return link, back*(point - place.o), back*axis
    end
  end
end

-- Mass, centre and tensor of a link; nil if it has none.
local function weight(link)
  local I = L.inertia_of(link)
  if (link.mass or 0) == 0 then
    if V.trace(I) ~= 0 then refuse("link \"" .. link.name .. "\" has inertia and no mass") end
    return nil
  end
  return link.mass, link.com or {0, 0, 0}, {I[1][1], I[2][2], I[3][3], I[1][2], I[1][3], I[2][3]}
end

-- Joints that close loops: {what, name, first, second}, each end a link with point and axis; welds are {name, a, b, at, quat}.
local function loops_of(robot)
  local loops = {}
  for _, joint in ipairs(B.joined) do
    if not joint.inner and joint.what ~= "weld" then
      local one = {what = joint.what, name = joint.name}
      for i = 1, 2 do
        local link, point, axis = seen(robot, joint[i])
        one[i] = {link = link, point = point, axis = axis}
      end
      loops[#loops + 1] = one
    end
  end
  return loops
end

-- ---- MJCF ----

local mjcf = {}

function mjcf.joint(out, link, indent, point, axis)
  local kinds = {revolute = "hinge", prismatic = "slide", spherical = "ball", free = "free"}
  if not kinds[link.type] then refuse("the joint of link \"" .. link.name .. "\" is " .. link.type) end
  local text = string.format("%s<joint name=\"%s\" type=\"%s\"", indent, quoted(joint_name(link)), kinds[link.type])
  local function put(name, value) if value and value ~= 0 then text = text .. string.format(" %s=\"%s\"", name, number(value)) end end
  if link.type ~= "free" and not is_zero(point) then text = text .. string.format(" pos=\"%s\"", numbers(list_of(point))) end
  if turns_or_slides(link) then text = text .. string.format(" axis=\"%s\"", numbers(list_of(axis))) end
  put("ref", link.ref) put("damping", link.damping) put("armature", link.armature)
  put("stiffness", link.stiffness) put("springref", link.stiffness and link.stiffness ~= 0 and link.rest)
  out[#out + 1] = text .. "/>"
end

-- A body with its joints: those of links without mass before it are its own, each in the frame that those before have moved.
function mjcf.body(out, robot, chain, indent)
  local link = chain[#chain]
  local turn, at = V.identity(), vec3(0, 0, 0)
  for _, one in ipairs(chain) do
    at, turn = at + turn*vec3(one.origin or {0, 0, 0}), turn*L.turn_of(one)
  end
  local text = string.format("%s<body name=\"%s\"", indent, quoted(link.name))
  if not is_zero(at) then text = text .. string.format(" pos=\"%s\"", numbers(list_of(at))) end
  local quat = quat_list(turn)
  if quat[1] ~= 1 then text = text .. string.format(" quat=\"%s\"", numbers(quat)) end
  out[#out + 1] = text .. ">"
  for k, one in ipairs(chain) do
    if one.type ~= "fixed" then
      local p, axis = vec3(one.pivot or {0, 0, 0}), vec3(one.axis or {1, 0, 0})
      for j = k + 1, #chain do -- in the frame of the body
        if chain[j].origin then p = p - vec3(chain[j].origin) end
        if chain[j].rpy or chain[j].quat then
          local back = V.transpose(L.turn_of(chain[j]))
          p, axis = back*p, back*axis
        end
      end
      mjcf.joint(out, one, indent .. "  ", p, axis)
    end
  end
  local m, com, I = weight(link)
  if m then out[#out + 1] = string.format("%s  <inertial pos=\"%s\" mass=\"%s\" fullinertia=\"%s\"/>", indent, numbers(com), number(m), numbers(I)) end
  for _, site in ipairs(robot.sites[link.name] or {}) do out[#out + 1] = indent .. "  " .. site end
  mjcf.children(out, robot, link, indent .. "  ")
  out[#out + 1] = indent .. "</body>"
end

function mjcf.children(out, robot, parent, indent)
  for _, link in ipairs(robot.list) do
    if link.parent == parent.name then
      local chain, last = {link}, link
      while not weight(last) and last.type ~= "fixed" do
        local next
        for _, one in ipairs(robot.list) do
          if one.parent == last.name then next = next and error("links without mass") or one end
        end
        if not next then refuse("link \"" .. last.name .. "\" moves and has no mass") end
        chain[#chain + 1], last = next, next
      end
      mjcf.body(out, robot, chain, indent)
    end
  end
end

-- Places that equalities hold together, as sites of links.
local function add_site(robot, name, link, point, quat)
  local list = robot.sites[link.name] or {}
  local text = string.format("<site name=\"%s\" pos=\"%s\"", quoted(name), numbers(list_of(point)))
  if quat then text = text .. string.format(" quat=\"%s\"", numbers(quat)) end
  list[#list + 1] = text .. "/>"
  robot.sites[link.name] = list
end

local function add_pair(robot, equalities, name, ends)
  for i = 1, 2 do add_site(robot, name .. "." .. i, ends[i].link, ends[i].point) end
  equalities[#equalities + 1] = string.format("    <connect name=\"%s\" site1=\"%s.1\" site2=\"%s.2\"/>", quoted(name), quoted(name), quoted(name))
end

function mjcf.equalities(robot)
  local out = {}
  for _, loop in ipairs(loops_of(robot)) do
    if loop.what ~= "spherical joint" and loop.what ~= "revolute joint" then refuse("a " .. loop.what .. " closes a loop: \"" .. loop.name .. "\"") end
    add_pair(robot, out, loop.name, loop)
    if loop.what == "revolute joint" then -- a second point of the axis
      local along = {}
      for i = 1, 2 do along[i] = {link = loop[i].link, point = loop[i].point + loop[i].axis} end
      add_pair(robot, out, loop.name .. ".axis", along)
    end
  end
  for _, weld in ipairs(robot.robot.welds) do
    add_site(robot, weld.name .. ".1", robot.by[weld.a], vec3(weld.at), weld.quat)
    add_site(robot, weld.name .. ".2", robot.by[weld.b], vec3(0, 0, 0))
    out[#out + 1] = string.format("    <weld name=\"%s\" site1=\"%s.1\" site2=\"%s.2\"/>", quoted(weld.name), quoted(weld.name), quoted(weld.name))
  end
  for _, one in ipairs(robot.robot.couples) do
    local other = one.other and string.format(" joint2=\"%s\"", quoted(one.other)) or ""
    out[#out + 1] = string.format("    <joint name=\"%s\" joint1=\"%s\"%s polycoef=\"%s\"/>", quoted(one.name), quoted(one.joint), other, numbers(one.c))
  end
  for _, link in ipairs(robot.list) do
    local m = link.mimic
    if m then
      local ref = robot.joints[m.joint].ref or 0
      local offset = (m.offset or 0) + (m.multiplier or 1)*ref - (link.ref or 0)
      out[#out + 1] = string.format("    <joint name=\"%s.follows\" joint1=\"%s\" joint2=\"%s\" polycoef=\"%s\"/>", quoted(joint_name(link)), quoted(joint_name(link)),
        quoted(m.joint), numbers({offset, m.multiplier or 1, 0, 0, 0}))
    end
  end
  return out
end

-- The start as a keyframe, in the order of the bodies.
local function walk(robot, parent, visit)
  for _, link in ipairs(robot.list) do
    if link.parent == parent.name then
      visit(link)
      walk(robot, link, visit)
    end
  end
end

function mjcf.key(robot)
  local q, v, moves = {}, {}, false
  local function add(list, ...) for _, x in ipairs({...}) do list[#list + 1] = x end end
  walk(robot, robot.list[1], function(link)
    if turns_or_slides(link) then
      local start = robot.robot.start[link.name]
      add(q, start[1])
      add(v, start[2])
      moves = moves or start[1] ~= (link.ref or 0) or start[2] ~= 0
    elseif link.type == "spherical" or link.type == "free" then
      local turn = link.type == "free" and L.turn_of(link) or link.rotation and V.rotation(V.unit(V.quat(table.unpack(link.rotation)))) or V.identity()
      local spin = link.spin or {0, 0, 0}
      if link.type == "free" then
        add(q, table.unpack(link.origin or {0, 0, 0}))
        add(v, table.unpack(list_of(turn*vec3(link.velocity or {0, 0, 0}))))
      end
      moves = moves or link.rotation or link.velocity or link.spin
      add(q, table.unpack(quat_list(turn)))
      add(v, table.unpack(spin))
    end
  end)
  return q, v, moves
end

function mjcf.write(robot)
  local root, out = robot.list[1], {}
  if root.type == "free" or root.origin or root.rpy or root.quat then refuse("its root \"" .. root.name .. "\" is not the ground") end
  robot.sites = {}
  local equalities, g = mjcf.equalities(robot), B.gravity_of() or {0, 0, 0}
  out[1] = "<mujoco>"
  out[2] = "  <compiler angle=\"radian\"/>"
  out[3] = string.format("  <option gravity=\"%s\"/>", numbers(list_of(g)))
  out[4] = "  <worldbody>"
  for _, site in ipairs(robot.sites[root.name] or {}) do out[#out + 1] = "    " .. site end
  mjcf.children(out, robot, root, "    ")
  out[#out + 1] = "  </worldbody>"
  if #equalities > 0 then out[#out + 1] = "  <equality>\n" .. table.concat(equalities, "\n") .. "\n  </equality>" end
  local q, v, moves = mjcf.key(robot)
  if moves then out[#out + 1] = string.format("  <keyframe>\n    <key name=\"start\" qpos=\"%s\" qvel=\"%s\"/>\n  </keyframe>", numbers(q), numbers(v)) end
  out[#out + 1] = "</mujoco>\n"
  return table.concat(out, "\n")
end

-- ---- URDF ----

local urdf = {}

-- Roll, pitch and yaw of a link's joint.
local function rpy_of(link)
  if not link.quat then return link.rpy or {0, 0, 0} end
  local R = L.turn_of(link)
  return {math.atan(R[3][2], R[3][3]), math.atan(-R[3][1], math.sqrt(R[3][2]^2 + R[3][3]^2)), math.atan(R[2][1], R[1][1])}
end

local function pose(at, rpy)
  local text = ""
  if not is_zero(at) then text = text .. string.format(" xyz=\"%s\"", numbers(list_of(at))) end
  if rpy and not is_zero(rpy) then text = text .. string.format(" rpy=\"%s\"", numbers(rpy)) end
  return text == "" and "" or "<origin" .. text .. "/>"
end

-- The place of the frame of a link, in the frame that it has here.
local function shift(link) return vec3(link.pivot or {0, 0, 0}) end

function urdf.link(out, link)
  local m, com, I = weight(link)
  out[#out + 1] = string.format("  <link name=\"%s\"%s>", quoted(link.name), m and "" or "/")
  if not m then return end
  out[#out + 1] = string.format("    <inertial>%s<mass value=\"%s\"/><inertia ixx=\"%s\" iyy=\"%s\" izz=\"%s\" ixy=\"%s\" ixz=\"%s\" iyz=\"%s\"/></inertial>",
    pose(vec3(com) - shift(link)), number(m), number(I[1]), number(I[2]), number(I[3]), number(I[4]), number(I[5]), number(I[6]))
  out[#out + 1] = "  </link>"
end

function urdf.joint(out, robot, link)
  local kinds = {revolute = "continuous", prismatic = "prismatic", fixed = "fixed", planar = "planar", free = "floating"}
  local called = "the joint of link \"" .. link.name .. "\""
  if not kinds[link.type] then refuse(called .. " is " .. link.type) end
  for _, name in ipairs({"armature", "stiffness", "ref"}) do
    if (link[name] or 0) ~= 0 then refuse(called .. " has " .. name) end
  end
  local turn = L.turn_of(link)
  local at = vec3(link.origin or {0, 0, 0}) + turn*shift(link) - shift(robot.by[link.parent])
  out[#out + 1] = string.format("  <joint name=\"%s\" type=\"%s\">", quoted(joint_name(link)), kinds[link.type])
  out[#out + 1] = string.format("    <parent link=\"%s\"/><child link=\"%s\"/>%s", quoted(link.parent), quoted(link.name), pose(at, rpy_of(link)))
  if link.type ~= "fixed" and link.type ~= "free" then out[#out + 1] = string.format("    <axis xyz=\"%s\"/>", numbers(link.axis or {1, 0, 0})) end
  if link.type == "prismatic" then out[#out + 1] = "    <limit lower=\"-1000000\" upper=\"1000000\" effort=\"1000000\" velocity=\"1000000\"/>" end
  if (link.damping or 0) ~= 0 then out[#out + 1] = string.format("    <dynamics damping=\"%s\"/>", number(link.damping)) end
  local m = link.mimic
  if m then out[#out + 1] = string.format("    <mimic joint=\"%s\" multiplier=\"%s\" offset=\"%s\"/>", quoted(m.joint), number(m.multiplier or 1), number(m.offset or 0)) end
  out[#out + 1] = "  </joint>"
end

function urdf.write(robot)
  local root, loop = robot.list[1], loops_of(robot)[1]
  if root.type == "free" or root.origin or root.rpy or root.quat then refuse("its root \"" .. root.name .. "\" is not the ground") end
  if loop then refuse("a " .. loop.what .. " closes a loop: \"" .. loop.name .. "\"; MJCF has loops") end
  local couple = robot.robot.couples[1]
  if couple then refuse("joints are coupled by \"" .. couple.name .. "\"; MJCF has that") end
  if #robot.robot.welds > 0 then refuse("a weld closes a loop: \"" .. robot.robot.welds[1].name .. "\"; MJCF has loops") end
  local out = {"<robot name=\"robot\">"}
  for _, link in ipairs(robot.list) do urdf.link(out, link) end
  for k = 2, #robot.list do urdf.joint(out, robot, robot.list[k]) end
  out[#out + 1] = "</robot>\n"
  return table.concat(out, "\n")
end

-- The text of the model in a format, and how many constraints it has by joints and bodies: two entries of metadata.
function M.export(format)
  local robot = the_robot()
  robot.by = {}
  for _, link in ipairs(robot.list) do robot.by[link.name] = link end
  local g = B.gravity_of() or {0, 0, 0}
  return {["robot." .. format] = (format == "mjcf" and mjcf or urdf).write(robot), ["robot.constraints"] = B.constraints(),
    ["robot.gravity"] = "mech.gravity(" .. table.concat({number(g[1]), number(g[2]), number(g[3])}, ", ") .. ")"}
end

return M
