-- A pendulum on a massless elastic arm: its length L has no momentum, 0 = H_L (an index-1 problem).
--
-- What to see. The arm has no mass, so at each instant its length is such that the elastic force balances the pull of the
-- bob: k (L - 1) = g cos(theta) + p^2/L^3. free("L") declares such a variable. It is embedded as the coordinate of a pair whose
-- momentum is constrained to 0 (the constraint "free:L"); the hidden constraint is the balance of forces, and `rattle check`
-- reports index 1. rattle(midpoint) is then the implicit midpoint rule applied to q' = H_p, p' = -H_q, 0 = H_L, to
-- round-off: symplectic, without energy drift, and the balance holds to round-off. Observe `balance`, and the length, which is
-- largest where the bob is fastest; with a large k the arm is rigid.
title "Pendulum on a massless elastic arm"
local k = parameter("k", 10.0)
local gravity = parameter("gravity", 1.0)
local theta, p = pair("theta", "p")
local L = free("L")
hamiltonian(p^2/(2*L^2) + k*(L - 1)^2/2 - gravity*L*cos(theta))
local bob = {L*sin(theta), -L*cos(theta)}
draw { mark = {0, 0} }
draw { spring = {{0, 0}, bob} }
draw { point = bob }
draw { angles = {theta} }
observe("stretch", L - 1)
observe("balance", k*(L - 1) - gravity*cos(theta) - p^2/L^3)
start { theta = 2.0, L = 1.0, project = true }
integrate { method = "rattle(midpoint)", step = 0.05, stop = 200 }
output { every = 4 }
