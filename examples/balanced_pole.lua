-- A pole on a cart, balanced by a digital controller: 50 times a second it reads where the cart is and how far the pole leans, and sets the
-- force on the cart, which is constant until the next sample. Units: m, kg, s.
--
-- What to see. The controller has no sensor of speeds: it takes differences of its last two readings, which it keeps as states. Its gains
-- minimise the sum of 10 X^2 + 100 tilt^2 + speeds^2 + push^2/10 for the linear equations at rest, sampled every 0.02 s (the discrete
-- Riccati equation). Push and readings are coordinates of the run, with steps at the samples: record it, and plot push.
--
-- Try -P every=0.12: at that rate the same gains make the pole fall, after 1.2 s. Try --step 0.003, which refuses and names a step that ends at
-- the samples.
title "A pole balanced by a digital controller"
local every = parameter("every", 0.02)
local strongest = parameter("strongest", 20)
local length, mass_of_bob = 0.5, 0.2
local X, pX = pair("X")                            -- the cart
local x, px = pair("x")                            -- the bob
local y, py = pair("y")
mass { X = 1, x = mass_of_bob, y = mass_of_bob }
potential(9.81*mass_of_bob*y)
constrain("pole", (x - X)^2 + y^2 - length^2)
local lean = 0.15
start { x = length*math.sin(lean), y = length*math.cos(lean) }
local tilt = atan2(x - X, y)
local control = controller {
  every = every,
  outputs = { push = 0 },
  states = { old_X = 0, old_tilt = lean },
  sample = function(s)
    local speed, rate = (X - s.old_X)/every, (tilt - s.old_tilt)/every
    local push = 8.353*X + 64.39*tilt + 9.828*speed + 13.05*rate
    return { push = max(-strongest, min(push, strongest)), old_X = X, old_tilt = tilt }
  end
}
force { X = control.push }
observe("tilt", tilt)
event("fallen", y - 0.2, { direction = -1, stop = true })
integrate { step = 0.004, stop = 8 }
output { every = 5 }
draw { mark = {X, 0} }
draw { link = {{X, 0}, {x, y}} }
draw { point = {x, y}, colour = "orange" }
