-- Foucault's pendulum as it is seen on the earth that turns: a Hamiltonian whose momenta are not m v. Units: m, s; mass 1.
--
-- What to see. H = p²/2 - w·(q x p) + g z is not separable, so that the default is the implicit midpoint rule. This earth turns a thousand times
-- as fast as ours, and the plane of the pendulum by nearly w sin(latitude) t. The azimuth at the events "turn", where the bob is farthest out, shows it:
--   rattle plot out.h5 --style section --event turn --x x --y y
title "Foucault's pendulum"
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
local omega, latitude, l = parameter("omega", 0.07), math.rad(parameter("latitude", 49)), 10
local wy, wz = omega*math.cos(latitude), omega*math.sin(latitude)
hamiltonian(abs2(px, py, pz)/2 - wy*(z*px - x*pz) - wz*(x*py - y*px) + 9.81*z)
constrain("wire", x^2 + y^2 + z^2 - l^2)
start { x = 2, z = -math.sqrt(l^2 - 4) }
velocity { x = 0, y = 0, z = 0 }
observe("azimuth", atan2(y, x))
event("turn", x*(px - wy*z + wz*y) + y*(py - wz*x), { direction = -1 })
integrate { step = 0.05, stop = 60 }
output { every = 2 }
