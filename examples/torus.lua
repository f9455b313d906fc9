-- Points on a torus, drawn by Markov chains: `rattle sample torus.lua`. `rattle run torus.lua` follows one geodesic.
--
-- What to see. The torus has the radii R = 1 and r = 1/2. More of its area is outside than inside: for the surface measure, the default, the
-- mean of cos(theta), theta being the angle around the tube, is r/(2 R) = 0.25. With
-- --method "hmc(rattle(verlet), measure=delta)" it is 0: the gradient of this g grows with the distance from the axis, as the area
-- does, so that delta(g) dq is uniform in both angles. Other functions with the same zeros have other delta measures, and the same
-- surface measure.
--
-- Try --method random_walk, "langevin(rattle(verlet), friction=2)" and g_baoab; and -P pull=2, which makes V = pull*z.
title "Torus"
local R = parameter("R", 1.0)
local r = parameter("r", 0.5)
local pull = parameter("pull", 0.0)
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/2 + pull*z)
constrain("torus", (x^2 + y^2 + z^2 + R^2 - r^2)^2 - 4*R^2*(x^2 + y^2))
observe("cos_theta", (sqrt(x^2 + y^2) - R)/r)
start { x = R + r, py = 1, pz = 1 }
draw { surface = "torus", over = {x, y, z} }
integrate { step = 0.05, stop = 10 }
