-- A heavy top: a disc on a thin shaft whose tip is fixed. Units: m, kg, s, J.
--
-- What to see. Let go at 0.5 rad from the vertical with a spin of 150 rad/s, the top falls, turns sideways, and rises again: its tilt oscillates
-- between 0.5 and 0.73 rad every 0.49 s while it precesses about the vertical. The spin and the vertical angular momentum keep
-- their values to round-off. The height follows an elliptic function to 1e-12 with kahan_li8(rattle(verlet)) and a step of 0.0025 (tests/unit/test_mechanics.c).
--
-- The rotation matrix has nine coordinates and six constraints; -P quaternion=1 uses four with one, for which H depends on both q and p.
title "Heavy top"
local mech = require "mechanics"
local tilt = parameter("tilt", 0.5)  -- rad
local spin = parameter("spin", 150)  -- rad/s
local form = parameter("quaternion", 0) == 1 and "quaternion" or "matrix"

mech.gravity(0, 0, -9.81)
local R = mech.about({1, 0, 0}, tilt)
local top = mech.body { name = "top", shape = mech.cylinder { mass = 1, radius = 0.1, length = 0.05 }, form = form,
  point = {0, 0, -0.2}, at = {0, 0, 0}, rotation = R, spin = R*mech.vec3(0, 0, spin) }
mech.spherical("tip", top:at(0, 0, -0.2), mech.ground)

observe("height", top.column[3].z)
observe("spin", top:spin().z)
observe("Lz", (top:angular_momentum() + mech.cross(top.x, top.p)).z)
integrate { method = form == "matrix" and "rattle(verlet)" or "rattle(midpoint)", step = 0.0005, stop = 5 }
output { every = 10 }
