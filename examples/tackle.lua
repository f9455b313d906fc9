-- A block and tackle: one rope goes four times between a beam and a load, and over a last pulley down to a counterweight. Units: m, kg, s, N.
--
-- What to see. The counterweight is a quarter of the load and a little more, so that it sinks four times as fast as the load rises. The tension of the
-- rope is the same in all its parts; its closed form is in the model.
title "Block and tackle"
local mech = require "mechanics"
local M, m, g = 100, parameter("m", 26), 9.81
mech.gravity(0, -g)
local load = mech.planar { name = "load", shape = mech.plate { mass = M, size = {0.5, 0.4} }, at = {0, -3} }
local weight = mech.planar { name = "weight", shape = mech.plate { mass = m, size = {0.25, 0.3} }, at = {0.8, -0.5} }
mech.prismatic("load rail", load, mech.ground:at(0, 0):along(0, 1))
mech.prismatic("weight rail", weight, mech.ground:at(0.8, 0):along(0, 1))
local beam, pulley, block = mech.ground:at(0, 0), mech.ground:at(0.8, 0), load:at(0, 0.2)
local rope = mech.rope("rope", {beam, block, beam, block, beam, pulley, weight:at(0, 0.15)})

local rise = (4*m - M)*g/(M + 16*m)
observe("tension", rope:tension())
observe("off", rope:tension() - m*(g - 4*rise))
observe("height", load.x.y)
observe("on the beam", -rope:force { on = mech.ground }.y)
integrate { method = "rattle(verlet)", step = 0.005, stop = 3.5 }
output { every = 5 }
