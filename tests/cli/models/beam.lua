-- A cantilever of length 1, mass 1 and bending stiffness 1 in 40 pieces: w_k = (1.875104, 4.694091, 7.854757, ...)^2.
local mech = require "mechanics"
local beam = mech.beam { name = "b", from = {0, 0}, to = {1, 0}, pieces = 40, mass = 1, bending = 1 }
beam:clamp("wall", beam.from, mech.ground:at(0, 0))
integrate { step = 1e-3, stop = 0.1 }
