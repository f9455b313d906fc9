-- Mechanisms: rigid bodies in the plane and in space, joints, springs, gravity, with the algebra of vectors. docs/mechanics.md describes
-- all of it.
local M = {}
for _, part in ipairs({"vectors", "mechanics_bodies", "mechanics_joints", "mechanics_contacts", "mechanics_forces", "mechanics_rolling", "mechanics_parts", "mechanics_links", "mechanics_control",
  "mechanics_draw"}) do
  for name, value in pairs(require(part)) do M[name] = value end
end
M.coordinates, M.free = require("mechanics_tree").coordinates, require("mechanics_tree").free

-- assemble { hold = {body, ...} }: moves the bodies onto their joints at the start, but for those that are held
function M.assemble(o)
  o = o or {}
  M.check_options("assemble", o, {"hold"})
  local held = {}
  for _, body in ipairs(o.hold or {}) do
    if not M.is_body(body) then error("hold is a list of bodies, found a " .. type(body), 2) end
    for _, variable in ipairs(body.variables) do held[#held + 1] = variable end
  end
  start {project = true, hold = held}
end

-- The energies, to be observed after all parts are there: H, H at rest, and what is left, that of the motion.
function M.energy() return hamiltonian() end
function M.potential() return potential() end
function M.kinetic() return hamiltonian() - potential() end

function M.hold(name, e)
  M.held[#M.held + 1] = name
  if type(e) == "userdata" then M.constrain(name, e) end
end

return M
