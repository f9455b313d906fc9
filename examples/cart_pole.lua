-- A pole on a cart, held upright by a controller that pushes the cart, with friction in the rail. Units of pole length, cart mass and the time
-- sqrt(length/gravity).
--
-- What to see. The pole starts tilted by 0.3 and at rest. The controller first moves the cart under the bob, then brings both back to the
-- middle of the rail. Its force is no gradient: force { ... } adds it to p', beside H and the constraint. `rattle run` prints the
-- work of these forces, and as the energy H less this work, which the motion keeps: its largest error is 5.2e-6 of the energies,
-- and decreases fourfold with half the step.
--
-- Try -P gain=0: the pole falls, and friction is the only force. Try --method rk4(dirac), or discrete_gradient, which refuses and names
-- a method that takes forces.
title "Pole on a cart, held upright"
local gain = parameter("gain", 1)
local friction = parameter("friction", 0.1)
local mass_of_bob = 0.5
local X, pX = pair("X")                            -- the cart
local x, px = pair("x")                            -- the bob
local y, py = pair("y")
mass { X = 1, x = mass_of_bob, y = mass_of_bob }
potential(mass_of_bob*y)
constrain("pole", (x - X)^2 + y^2 - 1)
local tilt, tilting = x - X, px/mass_of_bob - pX
local push = gain*(6*tilt + 4*tilting + 0.5*X + 1.2*pX)
force { X = push - friction*pX }
draw { box = {X, 0}, size = {0.4, 0.2, 0.1}, colour = "grey" }
draw { link = {{X, 0}, {x, y}} }
draw { point = {x, y} }
start { X = 0, x = math.sin(0.3), y = math.cos(0.3) }
integrate { method = "rattle(midpoint)", step = 0.02, stop = 30 }
output { every = 5 }
observe("push", push)
