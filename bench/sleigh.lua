-- Chaplygin's sleigh with its blade 0.7 behind the centre of mass
local x, y, a = pair("x"), pair("y"), pair("a")
mass { x = 1, y = 1, a = 0.5 }
potential(0)
velocity_constrain("blade", velocity(y)*cos(a) - velocity(x)*sin(a) - 0.7*velocity(a))
velocity { x = 1, y = 0.21, a = 0.3 }
