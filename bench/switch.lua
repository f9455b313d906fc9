-- A pendulum whose rod may end by a switch that never changes: rattle run bench/switch.lua -P switch=1 --evaluator native
title "Pendulum with a switch, for timing"
local kind = parameter("switch", 0) -- 0: none; 1: by a condition on coordinates; 2: by the multiplier
local x, px = pair("x")
local y, py = pair("y")
mass { x = 1, y = 1 }
potential(y)
constrain("rod", x^2 + y^2 - 1)
if kind > 0 then switch { constraint = "rod", active = true, ends = kind == 1 and y - 2 or lambda("rod")^2 - 1e4 } end
start { x = 1, py = -2 }
integrate { method = "rattle(verlet)", step = 0.025, steps = 100000 }
