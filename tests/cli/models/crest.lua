-- A step from one slope of a wave to the next, where the step's solution ends at the crest between them.
local x, px = pair("x")
local y, py = pair("y")
mass { x = 1, y = 1 }
potential(0.0824472*(x - 1.1538614)^2 + 0.5247455*y)
constrain("wave", y - 0.6158857*cos(2.495961*x) - 0.6896319)
start { x = 0.55987054, px = -0.07234158, y = 0.79588066, py = 0.10953813, project = true }
integrate { method = "rattle(verlet, solver=sweep)", step = 1.4306182, steps = 5 }
