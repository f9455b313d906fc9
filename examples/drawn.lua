-- Pendulum on springs: what a model looks like
--
-- A bead slides on a sphere and is held by a spring; a bob hangs from it by a rod. `draw` says what is drawn and where: places are
-- expressions of the coordinates. Reports show it; nothing that is computed depends on it.
title "Bead on a sphere, with a pendulum"
units { length = "m", mass = "kg", time = "s" }
local gravity, k, length = parameter("gravity", 9.81), parameter("k", 20), 0.6

local x, y, z = pair("x1"), pair("y1"), pair("z1")
local u, v, w = pair("x2"), pair("y2"), pair("z2")
mass { x1 = 1, y1 = 1, z1 = 1, x2 = 0.3, y2 = 0.3, z2 = 0.3 }
local pole = {0, 0, 1.6}
potential(gravity*(z + 0.3*w) + k/2*(x^2 + y^2 + (z - pole[3])^2))
constrain("sphere", x^2 + y^2 + z^2 - 1)
constrain("rod", (u - x)^2 + (v - y)^2 + (w - z)^2 - length^2)

draw { surface = "sphere", over = {x, y, z}, colour = "sky" }
draw { spring = {pole, {x, y, z}}, colour = "green" }
draw { mark = pole }
draw { link = {{x, y, z}, {u, v, w}}, size = 0.03 }
draw { point = {x, y, z}, size = 0.06, colour = "blue" }
draw { point = {u, v, w}, size = 0.09, colour = "orange" }

start { x1 = 0.8, z1 = 0.6, x2 = 0.8, y2 = 0.6, z2 = 0.6, py1 = 0.8, pz2 = 0.3, project = true }
integrate { method = "rattle(verlet)", step = 0.002, stop = 20 }
output { every = 5 }
