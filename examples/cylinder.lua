-- A heavy ball that rolls on the inside of an upright cylinder.
--
-- What to see. It does not sink to the ground, as a golf ball that leaves the hole again knows: its centre goes round at a constant rate W, and up and
-- down by (5 g/2 + r W spin)/W^2 at sqrt(2/7) W, in closed form; "reach" is constant. Plot ball.z against ball.y. The reason is its spin about the line of
-- contact, which turns with it. Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972).
--
-- The ball slips neither along the wall nor up: two constraints on velocities. Nothing is to be said of the third direction, as "wall" implies it.
title "Ball in a cylinder"
local mech = require "mechanics"
local W, spin = parameter("rate", 5), parameter("spin", 3)
local g, r, d = 9.81, 0.25, 0.75 -- d: of the centre from the axis
mech.gravity(0, 0, -g)
local ball = mech.body { name = "ball", shape = mech.ball { mass = 2, radius = r }, at = {d, 0, 0}, velocity = {0, W*d, 0}, spin = {spin, 0, -W*d/r} }
local x, y = ball.x.x/d, ball.x.y/d
local slip = ball:velocity(r*(mech.transpose(ball:rotation())*mech.vec3(x, y, 0)))
constrain("wall", d/2*(x^2 + y^2 - 1))
velocity_constrain("along", x*slip.y - y*slip.x)
velocity_constrain("up", slip.z)
local reach = (5/2*g + r*W*spin)/W^2 -- in closed form, and as it moves:
observe("reach", sqrt((ball.x.z + reach)^2 + 7/2*(ball.p.z/ball.mass/W)^2))
draw { surface = abs2(ball.x.x, ball.x.y) - (d + r)^2, over = {ball.x.x, ball.x.y, ball.x.z} }
integrate { method = "kahan_li6(rattle(verlet))", step = 0.01, stop = 5 }
output { every = 2 }
