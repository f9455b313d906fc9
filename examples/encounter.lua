-- Two beads that repel each other, like equal charges, on a ring of radius 1. Units: the radius, the mass of a bead.
--
-- What to see. The beads move in opposite directions and meet head-on every 8.4 units of time. Most of the time they are
-- far apart and hardly interact; then, for a hundredth of a unit, the force grows 300 000-fold and reverses their motion.
-- A fixed step must be as short as the encounter requires. Here the model observes a step density, and adaptive(...)
-- makes steps shorter as the beads approach and longer as they separate, in a reversible way: the energy error returns
-- to 0 after each encounter, and does not drift. Every step is a sample: plot the distance against time, with points.
--
--     rattle study work encounter.lua --quantity energy --stop 20 --methods "kahan_li6(rattle(verlet)),
--         adaptive(kahan_li6(rattle(verlet))), adaptive(kahan_li6(rattle(verlet)), density)"
--
-- shows the gain: a relative energy error of 1e-6 takes some 73000 forces, 2200 and 900.
title "Two beads that nearly collide"
local charge = parameter("charge", 0.0005)
local q1, p1 = pair("q1", "p1")
local q2, p2 = pair("q2", "p2")
local q3, p3 = pair("q3", "p3")
local q4, p4 = pair("q4", "p4")
local r = sqrt((q1 - q3)^2 + (q2 - q4)^2)
hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + charge/r)
constrain("ring of one", q1^2 + q2^2 - 1)
constrain("ring of two", q3^2 + q4^2 - 1)
observe("distance", r)
observe("density", 1/r) -- step density: one over the distance
draw { surface = "ring of one", over = {q1, q2} }
draw { point = {q1, q2} }
draw { point = {q3, q4}, colour = "orange" }
start { q1 = 1, q3 = -1, p2 = 0.5, p4 = 0.25 }
integrate { method = "adaptive(kahan_li6(rattle(verlet)), density)", step = 0.5, stop = 50 }
output { every = 1 }
