-- A chain of N beads of mass 1 on N rigid links of length 1/N, suspended from the origin; the total weight of the beads
-- is 1.
--
-- What to see. The chain is released from a horizontal position. It falls like a swing, but its free end runs ahead and
-- behind: plot the path of the last bead, (x[N], y[N]), and watch it whip. Every link keeps its length to round-off, with one
-- multiplier (the tension) for each link; the energy error stays bounded.
--
-- N is a parameter: rattle run chain.lua -P N=1000. The multipliers of a chain solve a tridiagonal system, so the cost
-- per link and step should not depend on N: look at ns_per_step in `rattle run --json`, divide by N, and compare.
title "Chain"
local N = parameter("N", 100)
local x, px = pairs_of("x", N)                     -- x[1..N], px[1..N]; in start and in records "x[1]", "px[1]", ...
local y, py = pairs_of("y", N)
local H = 0
for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N end
hamiltonian(H)
constrain("link[1]", x[1]^2 + y[1]^2 - 1/N^2)
for i = 2, N do constrain("link[" .. i .. "]", (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 - 1/N^2) end
for i = 1, N do start { [x[i]] = i/N, [y[i]] = 0 } end   -- the default is 0
integrate { method = "rattle(verlet)", step = 0.01, stop = 20 }
output { every = 10 }
