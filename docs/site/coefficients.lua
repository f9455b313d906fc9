-- The pendulum in one angle, with coefficients for runge_kutta(kutta) and splitting(ruth).
title "Pendulum in one angle"
local x, px = pair("x")
hamiltonian(px^2/2 - cos(x))
start { x = 1 }
tableau("kutta", { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8}, order = 4 })
splitting("ruth", { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24}, order = 3 })
integrate { method = "verlet", step = 0.1, stop = 10 }
