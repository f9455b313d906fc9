-- A 1 kg bob on a 1 m rod that can swing in every direction. Units: m, kg, s, J.
--
-- What to see. The bob is released 45 degrees from the vertical with a sideways push of 1 m/s. Seen from above it
-- describes an ellipse that does not close: its long axis precesses in the direction of the motion, because large swings
-- are slower than small ones. Plot y against x to see the rosette fill a ring whose inner and outer radius never change; z stays
-- between -0.957 and -0.707.
--
-- Two quantities are conserved: the energy, up to a bounded error of the order of step^2, and the vertical angular
-- momentum Lz, to round-off: the rod and gravity are symmetric about the vertical, and rattle(verlet) preserves every
-- such symmetry exactly. A drift in Lz would be a defect of the method.
title "Spherical pendulum"
local gravity = parameter("gravity", 9.81)   -- m/s^2
local length = parameter("length", 1.0)      -- m
local m = parameter("mass", 1.0)             -- kg
local angle = parameter("angle", 45)         -- degrees from the downward vertical
local push = parameter("push", 1.0)          -- m/s, sideways

local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
mass { x = m, y = m, z = m }
potential(m*gravity*z)
constrain("rod", abs2(x, y, z) - length^2)
observe("Lz", x*py - y*px)

local a = math.rad(angle)
start { x = length*sin(a), z = -length*cos(a) }
velocity { y = push }
integrate { method = "rattle(verlet)", step = 0.005, stop = 60 }
output { every = 4 }
