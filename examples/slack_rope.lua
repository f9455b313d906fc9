-- A mass falls beside a peg to which it is tied by a slack rope of length 1. The rope goes taut, takes the part of the momentum along it, and the
-- mass swings. Units: m, kg, s.
--
-- What to see. The rope is taut at (0.6, -0.8), after sqrt(2*0.8/g) = 0.4039 s. Of the speed v = sqrt(2*0.8*g) = 3.962 m/s there the part
-- 0.8 v along the rope is turned into -e times itself, and (1 - e^2) m (0.8 v)^2/2 = 15.07 (1 - e^2) J are lost, for which the summary has `work`
-- and the run rope.lost. With e = 0 the rope holds at once; with e = 0.5 it does after bounces, each of half the speed of the last.
--
-- Try -P e=0.5, and -P e=1, which never ends. Record a run and plot tension: it is 0 while the rope is slack.
title "A mass falls on a slack rope"
units { length = "m", mass = "kg", time = "s" }
local e = parameter("e", 0, { range = {0, 1} })
local g, m = 9.81, 3
local x, px = pair("x")
local y, py = pair("y")
mass { x = m, y = m }
potential(m*g*y)
start { x = 0.6, y = 0 }
constrain("rope", 1 - x^2 - y^2)                      -- 0 or more while it is slack
local rope = one_sided { constraint = "rope", restitution = e }
observe("tension", -2*lambda("rope")*sqrt(x^2 + y^2))  -- of the force -lambda g'
observe("lost", rope.lost)
integrate { step = 0.005, stop = 3 }
output { every = 2 }
draw { mark = {0, 0} }
draw { link = {{0, 0}, {x, y}} }
draw { point = {x, y}, colour = "orange" }
