-- Watt's flyball governor: a shaft that turns freely, two arms with balls, and a slider on the shaft that stiff springs with dampers couple to the
-- arms. Problem A05 of the IFToMM library of multibody benchmarks (M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, Multibody Syst. Dyn. 16
-- (2006) 295). Units: m, kg, s, N.
--
-- What to see. The shaft starts with one turn per second; the balls are too high for that, fall, and turn the shaft faster. The slider goes up and
-- down with them. Springs of 8e5 N/m and dampers of 4e4 N s/m hold the slider to the arms: their time is that of 1/13000 s, and an
-- explicit method needs steps of that size. The default rattle(midpoint) is implicit in forces, and takes steps of 2 ms.
title "Flyball governor"
local mech = require "mechanics"
mech.gravity(0, 0, -9.81)
local density, alpha, omega = 3000, math.rad(30), 2*math.pi
local function bar(x, y, z) return mech.box { mass = density*x*y*z, size = {x, y, z} } end

local shaft = mech.body { name = "shaft", shape = bar(0.01, 0.01, 1), at = {0, 0, 0.5}, spin = {0, 0, omega} }
local slider = mech.body { name = "slider", shape = bar(0.1, 0.1, 0.1), at = {0, 0, 0.5}, spin = {0, 0, omega} }
mech.revolute("bearing", shaft, mech.ground:at(0, 0, 0.5))
mech.prismatic("guide", slider, shaft)

-- An arm of 1 m with a ball of 5 kg at its end, as one body: x along the arm.
local arm = bar(1, 0.01, 0.01)
local mass, ball = arm.mass + 5, 5
local centre = (arm.mass*0.5 + ball)/mass
local across = arm.inertia[2] + arm.mass*(centre - 0.5)^2 + ball*(1 - centre)^2
for i, side in ipairs {1, -1} do
  local name = "arm" .. i
  local x, y = mech.vec3(side*cos(alpha), 0, -sin(alpha)), mech.vec3(0, side, 0)
  local reach = side*(0.05 + centre*cos(alpha))
  local body = mech.body { name = name, spin = {0, 0, omega}, velocity = {0, omega*reach, 0}, mass = mass, inertia = {arm.inertia[1], across, across},
    point = {-centre, 0, 0}, at = {0.05*side, 0, 1}, rotation = mech.columns(x, y, mech.cross(x, y)) }
  mech.revolute("hinge" .. i, body:at(-centre, 0, 0):along(0, 1, 0), shaft:at(0.05*side, 0, 0.5):along(0, side, 0))
  local middle, edge = body:at(0.5 - centre, 0, 0), slider:at(0.05*side, 0, 0)
  mech.spring(middle, edge, { k = 8e5, length = 0.5 })
  mech.damper(middle, edge, { c = 4e4 })
end

observe("s", slider.x.z)
observe("turns per second", shaft:spin().z/omega)
integrate { step = 0.002, stop = 10 }
output { every = 5 }
