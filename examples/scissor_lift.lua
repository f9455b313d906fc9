-- A scissor lift of n pairs of crossed arms, which a spindle at its foot raises at constant speed. Units: m, kg, s, N.
--
-- What to see. The force in the spindle is large at the start, where the arms lie, and falls as they rise. Its closed form is in the model: with arms of
-- length l at the angle phi, the platform is at n l sin(phi), the spindle at x = l cos(phi), and power in is power out,
-- F x' = d/dt(kinetic energy + weight). With P speed=0.001, without inertia to speak of, F tan(phi) = n (M + n m) g for a platform of mass M and 2 n arms of mass m.
title "Scissor lift"
local mech = require "mechanics"
local n, l, m, M = 3, 1.2, 4, parameter("M", 60)
local speed, phi0 = parameter("speed", 0.05), math.rad(15)
local g = 9.81
mech.gravity(0, -g)

local w, h = l*math.cos(phi0), l*math.sin(phi0)
local shape = mech.rod { mass = m, length = l }
local arms = {} -- of each stage: rising to the right, and to the left
for k = 1, n do
  local at = {w/2, (k - 0.5)*h}
  arms[k] = { mech.planar { name = "right" .. k, shape = shape, at = at, angle = phi0 }, mech.planar { name = "left" .. k, shape = shape, at = at, angle = math.pi - phi0 } }
  mech.revolute("cross" .. k, arms[k][1]:at(0, 0), arms[k][2]:at(0, 0))
end
local function foot(arm) return arm:at(-l/2, 0) end
local function head(arm) return arm:at(l/2, 0) end
for k = 2, n do
  mech.revolute("a" .. k, foot(arms[k][1]), head(arms[k - 1][2]))
  mech.revolute("b" .. k, foot(arms[k][2]), head(arms[k - 1][1]))
end
local platform = mech.planar { name = "platform", mass = M, inertia = 5, at = {w/2, n*h} }
mech.revolute("foot", foot(arms[1][1]), mech.ground:at(0, 0))
mech.revolute("top", head(arms[n][2]), platform:at(-w/2, 0))
mech.on_curve("roller", foot(arms[1][2]), mech.ground:at(0, 0), function(x, y) return y end)
mech.on_curve("upper roller", head(arms[n][1]), platform:at(0, 0), function(x, y) return y end)
local t = time()
local spindle = mech.distance("spindle", foot(arms[1][2]), foot(arms[1][1]), { length = w - speed*t })

-- x, h and their rates by hand: the answer without joints
local x = w - speed*t
local y = sqrt(l^2 - x^2)
local y_t, y_tt, phi_t, phi_tt = speed*x/y, -speed^2*l^2/y^3, speed/y, -speed^2*x/y^3
local inertia = M*n^2
for k = 1, n do inertia = inertia + 2*m*(k - 0.5)^2 end
local power = inertia*y_t*y_tt + 2*n*m*l^2/12*phi_t*phi_tt + n*(M + n*m)*g*y_t
observe("force", spindle:tension())
observe("off", spindle:tension() - power/speed)
observe("height", platform.x.y)
start { project = true }
integrate { method = "rattle(verlet)", step = 0.001, stop = 15 }
output { every = 20 }
