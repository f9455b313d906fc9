-- A bead on a rigid rod in the plane, in units of rod length, mass and the time sqrt(length/gravity).
--
-- What to see. It starts level with the pivot and is thrown downwards at speed 2: energy 2 is enough to pass the top
-- (which takes 1), so the pendulum rotates, faster at the bottom than at the top. `rattle run` prints the
-- largest energy error of 1023 time units: with rattle(verlet) and step 0.025 it is 8.6e-4 and shows no trend, because
-- the method is symplectic on the circle; with half the step it decreases fourfold.
--
-- The constraint x^2 + y^2 = 1 and the hidden one x px + y py = 0 remain at round-off, however long the run.
-- Try --method "kahan_li8(rattle(verlet))" --step 0.1: four times the forces, and an energy error of 3e-10. Try
-- --method "shake(verlet)": the same positions, but momenta that leave the tangent line by the order of the step.
title "Planar pendulum"
local gravity = parameter("gravity", 1.0)          -- rattle run pendulum.lua -P gravity=9.81
local x, px = pair("x")                            -- canonical pair: coordinate x, momentum px (name "p" .. "x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + gravity*y)
constrain("rod", x^2 + y^2 - 1)
start { x = 1, y = 0, px = 0, py = -2 }
integrate { method = "rattle(verlet)", step = 0.025, stop = 1023 }
output { every = 10 }
