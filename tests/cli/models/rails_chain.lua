-- A chain of five links whose first bead runs on a level rail and whose last on an upright one: two constraints are coordinates.
title "Chain between two rails"
local N = 6
local x, px = pairs_of("x", N)
local y, py = pairs_of("y", N)
for i = 1, N do
  mass { [x[i]] = 1, [y[i]] = 1 }
  potential(y[i])
  start { [x[i]] = 5 - i*0.8, [y[i]] = 0.6*(i - 1) }
end
for i = 2, N do constrain("link " .. i, (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 - 1) end
constrain("rail 1", y[1])
constrain("rail 2", x[N])
start { project = true }
integrate { method = "rattle(verlet)", step = 0.01, steps = 2000 }
