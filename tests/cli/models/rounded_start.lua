-- A heavy bead on a rail and a light one, the light one at rest but for the cosine of a rounded right angle.
local x, px = pair("x")
local y, py = pair("y")
mass { x = 1000, y = 1 }
potential(x^2/2)
constrain("rail", y)
start { x = 0, px = 1000*math.sin(math.pi/2), y = 0, py = 1000*math.cos(math.pi/2) }
integrate { method = "rattle(verlet)", step = 0.1, steps = 20 }
