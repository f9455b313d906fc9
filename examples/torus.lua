-- Points on a torus, drawn by Markov chains: `rattle sample torus.lua`.
--
-- What to see. The torus has the radii R = 1 and r = 1/2. Of its area more is outside than inside, so that for the surface measure, the default,
-- the mean of cos(theta), theta being the angle around the tube, is r/(2 R) = 0.25; with
-- --method "hmc(rattle(verlet), measure=delta)" the measure is delta(g) dq instead, which is the same here since |grad g| is
-- constant on the torus as it is written: g = (sqrt(x^2 + y^2) - R)^2 + z^2 - r^2 is a distance, squared. The mean of x is 0.
-- Try --method random_walk, "langevin(rattle(verlet))" and g_baoab.
title "Torus"
local R = parameter("R", 1.0)
local r = parameter("r", 0.5)
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
local rho = sqrt(x^2 + y^2)
hamiltonian((px^2 + py^2 + pz^2)/2)
constrain("torus", (rho - R)^2 + z^2 - r^2)
observe("cos_theta", (rho - R)/r)
start { x = R + r }
integrate { method = "hmc(rattle(verlet))", step = 0.3, stop = 10 }
