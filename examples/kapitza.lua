-- Kapitza's pendulum (1951): upside down it is stable if its pivot moves up and down fast enough, a^2 w^2 > 2 g l.
-- The pivot is at (0, a cos(w t)): the rod is a constraint that depends on time
title "Kapitza's pendulum"
local g = parameter("gravity", 1)
local a = parameter("a", 0.1)
local w = parameter("w", 30)
local x, px = pair("x")
local y, py = pair("y")
local t = time()
local pivot = a*cos(w*t)
hamiltonian((px^2 + py^2)/2 + g*y)
constrain("rod", x^2 + (y - pivot)^2 - 1)
observe("angle", atan2(x, y - pivot)) -- from upright
draw { mark = {0, pivot} }
draw { link = {{0, pivot}, {x, y}} }
draw { point = {x, y} }
start { x = 0.2, y = 1.08, project = true }
integrate { method = "rattle(verlet)", step = 0.005, stop = 40 }
output { every = 5 }
