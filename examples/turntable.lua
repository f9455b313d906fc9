-- A ball on a turning table.
--
-- What to see. It does not fly off: its centre moves on a circle, at 2/7 of the rate of the table, whatever its place and its speed
-- (Neimark and Fufaev, 1972). The table is a body of its own that a motor turns at a given rate, so that energy goes in and out: H + p_t is
-- kept. Plot ball.y against ball.x; "radius" is that of the circle in closed form.
title "Ball on a turning table"
local mech = require "mechanics"
local rate = parameter("rate", 1.4)
local r, x, y, vx, vy = 0.25, 0.5, 0.1, 0.3, -0.2
local ball = mech.body { name = "ball", shape = mech.ball { mass = 2, radius = r }, at = {x, y, r}, velocity = {vx, vy, 0},
  spin = {-(vy - rate*x)/r, (vx + rate*y)/r, 0.4} }
local disc = mech.body { name = "table", mass = 3, inertia = {1, 1, 2}, spin = {0, 0, rate} }
mech.revolute("axle", disc:at(0, 0, 0), mech.ground:at(0, 0, 0))
mech.motor("drive", disc, mech.ground, { speed = rate })
mech.rolls("contact", ball, disc, { radius = r })
local w = 2/7*rate
observe("radius", sqrt((ball.x.x - (x - vy/w))^2 + (ball.x.y - (y + vx/w))^2))
integrate { method = "yoshida4(rattle(verlet))", step = 0.02, stop = 16 }
output { every = 5 }
