-- A block on a spring stands on a belt that moves with the speed v. Friction holds it up to Fs, and slows it with Fk while it slides: it sticks,
-- is drawn along, tears off, slides back, and sticks again, as a string under a bow does. Units: m, kg, s.
--
-- What to see. With w = sqrt(k/m) and d = (Fs - Fk)/k the block sticks for 2 d/v = 0.125 s, then slides for (pi + 2 atan(v/(w d)))/w =
-- 0.8744 s: from its first event on the motion has the period 0.9994 s. While it sticks, friction is the multiplier of the constraint `grip`; while it
-- slides, it is a force on the side from which the sliding speed comes, which is constant between the events.
--
-- Try -P Fs=1: with Fs = Fk the block never sticks again after it has torn off.
title "A block that sticks and slips on a belt"
units { length = "m", mass = "kg", time = "s" }
local v, k, m = parameter("v", 0.2), parameter("k", 40), 1
local Fs, Fk = parameter("Fs", 1.5), parameter("Fk", 1)
local x, px = pair("x")
mass { x = m }
potential(k/2*x^2)
start { px = m*v }
local sliding = px/m - v
constrain("grip", x - v*time())
local grip = switch { constraint = "grip", active = true, hold = true, begins = sliding, either = true, ends = lambda("grip")^2 - Fs^2 }
force { x = -(1 - grip.on)*Fk*grip.side }
observe("friction", where(grip.on, -lambda("grip"), -Fk*grip.side))
integrate { step = 0.005, stop = 10 }
output { every = 2 }
draw { mark = {0, 0} }
draw { spring = {{0, 0}, {0.3 + x, 0}} }
draw { point = {0.3 + x, 0}, colour = "orange" }
