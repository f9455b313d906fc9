-- A gearbox whose ratio varies without steps: a driver u sets the ratio at which two oscillators, x and y, turn each other.
--
-- What to see. The motion is integrable and keeps H, but it is not its own mirror image: with --method "rattle(verlet)" H grows, to 183 after
-- 10^4 units of time, and exponentially after that, though A q' = 0 holds to round-off in each step. discrete_gradient keeps both.
-- K. Modin, O. Verdier, Numer. Math. 145 (2020) 405.
title "Gearbox with an uneven driver"
local u, pu = pair("u")
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((pu^2 + px^2 + py^2)/2 - cos(u) - 0.3*sin(2*u) + (x^2 + y^2)/2)
velocity_constrain("ratio", velocity(x) + (sin(u) + 0.4*cos(2*u))*velocity(y))
observe("oscillators", (px^2 + py^2 + x^2 + y^2)/2)
start { u = 0.3, x = 0.7, y = -0.2, pu = 2.6, px = 0.2, py = 0.5, project = true }
integrate { method = "discrete_gradient", step = 0.1, stop = 1000 }
output { every = 100 }
