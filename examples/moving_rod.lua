-- A pendulum on a rod whose length is prescribed: whoever pulls the rod does work
title "Pendulum of prescribed length"
local g = parameter("gravity", 1)
local a = parameter("a", 0.1)
local w = parameter("w", 2)
local x, px = pair("x")
local y, py = pair("y")
local t = time()
local length = 1 + a*sin(w*t)
hamiltonian((px^2 + py^2)/2 + g*y)
constrain("rod", x^2 + y^2 - length^2)
observe("angle", atan2(x, -y))
draw { mark = {0, 0} }
draw { link = {{0, 0}, {x, y}} }
draw { point = {x, y} }
start { x = math.sin(0.3), y = -math.cos(0.3), project = true }
integrate { method = "rattle(verlet)", step = 0.02, stop = 100 }
