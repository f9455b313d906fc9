-- A snakeboard: a board on two trucks, whose wheels do not slip, driven by a rotor on it and by the angle of the trucks.
--
-- What to see. The rider turns the rotor and the trucks to and fro; the board moves forwards although no force outside pushes it. Each truck
-- constrains velocities; where both stand across the board the two constraints say the same, and `rattle check` says so there.
-- Ostrowski, Lewis, Murray, Burdick, IEEE Conf. Robotics and Automation (1994) 2391.
title "Snakeboard"
local t = time()
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
local s, ps = pair("rotor")
local f, pf = pair("trucks")
local J, J0, J1, m, l = 0.016, 0.06, 0.01, 6, 0.2
-- T = m (x'^2 + y'^2)/2 + J a'^2/2 + J0 (a' + s')^2/2 + J1 f'^2: momenta of the rotor and of the board
hamiltonian((px^2 + py^2)/(2*m) + (pa - ps)^2/(2*J) + ps^2/(2*J0) + pf^2/(4*J1))
velocity_constrain("front", velocity(x)*sin(a + f) - velocity(y)*cos(a + f) - l*cos(f)*velocity(a))
velocity_constrain("back", velocity(x)*sin(a - f) - velocity(y)*cos(a - f) + l*cos(f)*velocity(a))
velocity_constrain("rotor drive", velocity(s) - 0.7*cos(t))
velocity_constrain("truck drive", velocity(f) - 0.4*cos(t))
local function at(along, turned, reach) -- places of a bar across the board, turned with the trucks or the rotor
  local c, d = {x + along*cos(a), y + along*sin(a)}, {-reach*sin(a + turned), reach*cos(a + turned)}
  return {{c[1] - d[1], c[2] - d[2]}, {c[1] + d[1], c[2] + d[2]}}
end
draw { link = {{x - l*cos(a), y - l*sin(a)}, {x + l*cos(a), y + l*sin(a)}} }
draw { link = at(l, f, 0.08), colour = "blue" }
draw { link = at(-l, -f, 0.08), colour = "blue" }
draw { link = at(0, s, 0.15), colour = "orange" }
draw { point = {x, y}, size = 0.02 }
draw { angles = {a, s, f} }
start { project = true }
velocity { x = 0, y = 0, a = 0, rotor = 0.7, trucks = 0.4 }
integrate { method = "yoshida4(rattle(verlet))", step = 0.02, stop = 40 }
output { every = 20 }
