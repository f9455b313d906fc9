-- A bead in a tabulated potential, with a bumper: functions that are smooth in pieces.
--
-- What to see. The potential is a cubic spline through 13 points of -cos x, so the bead swings like a pendulum, until it meets the
-- bumper at x = 1, a spring k (x - 1)^3 that acts beyond. Both have two continuous derivatives: `rattle check bumper.lua` says that
-- steps across have order 3, so rattle(verlet) keeps its order 2. Outside the table, |x| > 3, there is no potential, and a
-- run that gets there ends with an error that says so: try -P speed=5.
title "Bead, table and bumper"
local speed = parameter("speed", 1.5)
local k = parameter("k", 20.0)                     -- of the bumper
local x = pair("x")
local at, height = {}, {}
for i = 1, 13 do
  at[i] = (i - 7)/2
  height[i] = -math.cos(at[i])
end
mass { x = 1 }
potential(table1d(x, at, height) + k*max(x - 1, 0)^3)
local wire = {}
for i = 0, 60 do wire[i + 1] = {i/10 - 3, -math.cos(i/10 - 3)} end
draw { link = wire, size = 0.02 }
draw { mark = {1, -math.cos(1)} } -- where the bumper begins
draw { point = {x, -cos(x)} }
observe("bumper", where(gt(x, 1), 1, 0))
velocity { x = speed }
integrate { method = "rattle(verlet)", step = 0.02, stop = 100 }
output { every = 5 }
