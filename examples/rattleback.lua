-- A rattleback: a stone that turns one way, and turns round when it is spun the other way. An ellipsoid that rolls on a table; the axes of its
-- inertia stand askew to those of its form. Units: kg, cm, s.
--
-- What to see. Spun against its own sense, it begins to rattle and turns round within two seconds: plot spin against t. Energy is kept all the
-- time. The motion is not Hamiltonian, and keeps no volume of phase space. T. R. Kane, D. A. Levinson, Int. J. Non-Linear Mech. 17 (1982) 175.
title "Rattleback"
local mech = require "mechanics"
local rate, skew = parameter("spin", 5), 0.03
local a, b, c, drop = 20, 3, 2, 1 -- semi-axes, and how far the centre of mass is below that of the ellipsoid
mech.gravity(0, 0, -981)
local stone = mech.body { name = "stone", mass = 1, inertia = {2, 16, 17}, at = {0, 0, c - drop}, euler = {0.2, 0.01, -0.1}, axes = "zxz",
  spin = {0.02, 0.01, rate} }
-- the normal of the table in the axes of the ellipsoid, and the point that touches it
local up = mech.vec3(stone.column[1].z, stone.column[2].z, stone.column[3].z)
local k, s = math.cos(skew), math.sin(skew)
local u, v = k*up.x + s*up.y, k*up.y - s*up.x
local reach = sqrt((a*u)^2 + (b*v)^2 + (c*up.z)^2)
local x, y = -a^2*u/reach, -b^2*v/reach
constrain("table", stone.x.z - reach + drop*up.z)
local slip = stone:velocity({k*x - s*y, s*x + k*y, -c^2*up.z/reach + drop})
velocity_constrain("slip x", slip.x)
velocity_constrain("slip y", slip.y)
observe("spin", stone:spin().z)
start { project = true }
integrate { method = "rattle(verlet)", step = 0.001, stop = 15 }
output { every = 50 }
