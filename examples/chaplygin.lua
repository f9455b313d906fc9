-- Chaplygin's sleigh: a plate on a plane with a blade behind its centre of mass, which does not move sideways.
--
-- What to see. The blade's constraint is one on velocities: velocity_constrain. Its reaction pushes across the blade and does no work, so H
-- is kept, but not the momenta, and no volume of phase space either: the sleigh, pushed backwards, turns round and ends running forwards in
-- a straight line. Plot y against x. In closed form, with k^2 = l^2 + I/m: the speed along the blade is E tanh(c t), the turning is
-- E/(k cosh(c t)), c = l E/k^2. Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972).
title "Chaplygin's sleigh"
local l = parameter("l", 0.3)
local speed = parameter("speed", 1.0)
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
mass { x = 1, y = 1, a = 0.5 }
potential(0)
velocity_constrain("blade", velocity(y)*cos(a) - velocity(x)*sin(a) - l*velocity(a))
observe("forwards", px*cos(a) + py*sin(a))
draw { link = {{x - l*cos(a), y - l*sin(a)}, {x, y}} } -- from the blade
draw { point = {x, y} }
draw { angles = {a} }
velocity { x = -speed, y = 0.003*l, a = 0.003 }
integrate { method = "yoshida4(rattle(verlet))", step = 0.02, stop = 60 }
output { every = 20 }
