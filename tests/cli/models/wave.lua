-- A surface of waves, and steps of a radian near a fold of their equations: the guard follows them.
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
mass { x = 1, y = 1, z = 1 }
potential(0.711225*(x - 1.190019)^2 + 0.463347*y + 0.2*(z - 0.0644855)^4)
constrain("wave", z + 0.770078 - 0.840755*sin(0.529574*(x + 0.81844)) + 0.34627*sin(1.784812*(y - 0.368846)) + 0.786443)
start { x = -0.952541, px = 0.00008, y = 2.115016, py = -0.000056, z = -1.6255345, pz = -0.00006, project = true }
integrate { method = "rattle(gauss(2))", step = 1.203997, steps = 5 }
