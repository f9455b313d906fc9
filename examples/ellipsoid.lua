-- A bead that slides without friction and gravity on an ellipsoid with half-axes 1.5, 1.0 and 0.7 m: it moves along a
-- geodesic. Units: m, kg, s, J.
--
-- What to see. The only force is that of the surface, so the speed is constant and the path as straight as the surface
-- allows. Plot z against x: the geodesic winds round and round between two curves of curvature and fills the band
-- between them, never closing. From another start it may pass round the long axis or round the short one, and the
-- separating geodesics run through the four umbilical points.
--
-- The motion is integrable: in addition to the energy, Joachimsthal's quantity (x^2/a^4 + y^2/b^4 + z^2/c^4)(vx^2/a^2 +
-- vy^2/b^2 + vz^2/c^2) is conserved. No method conserves it exactly; a symplectic one conserves it within a
-- bounded error. Force-free problems are a severe test: any energy error is due to the constraint alone.
title "Bead on an ellipsoid: geodesics"
local m = parameter("mass", 0.1)                                                   -- kg
local a, b, c = parameter("a", 1.5), parameter("b", 1.0), parameter("c", 0.7)      -- m
local speed = parameter("speed", 1.0)                                              -- m/s

local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian(abs2(px, py, pz)/(2*m))
constrain("surface", x^2/a^2 + y^2/b^2 + z^2/c^2 - 1)
observe("speed", sqrt(abs2(px, py, pz))/m)
observe("joachimsthal", (x^2/a^4 + y^2/b^4 + z^2/c^4)*(px^2/a^2 + py^2/b^2 + pz^2/c^2)/m^2)
draw { surface = "surface", over = {x, y, z} }

-- a point at longitude u and latitude v, and a direction between the two tangents there
local u, v, direction = 0.5, 0.3, 0.9
local tangent_u = {-a*cos(v)*sin(u), b*cos(v)*cos(u), 0}
local tangent_v = {-a*sin(v)*cos(u), -b*sin(v)*sin(u), c*cos(v)}
local t = {}
for i = 1, 3 do t[i] = cos(direction)*tangent_u[i] + sin(direction)*tangent_v[i] end
local scale = speed/sqrt(abs2(t))
start { x = a*cos(v)*cos(u), y = b*cos(v)*sin(u), z = c*sin(v) }
velocity { x = scale*t[1], y = scale*t[2], z = scale*t[3] }
integrate { method = "rattle(verlet)", step = 0.01, stop = 200 }
output { every = 10 }
