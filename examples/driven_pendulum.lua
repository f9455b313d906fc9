-- A pendulum in a field that is modulated in time: H depends on t
title "Driven pendulum"
local a = parameter("a", 0.5)
local w = parameter("w", 2)
local q, p = pair("q")
local t = time()
hamiltonian(p^2/2 - (1 + a*cos(w*t))*cos(q))
local bob = {sin(q), -cos(q)}
draw { mark = {0, 0} }
draw { link = {{0, 0}, bob} }
draw { point = bob }
draw { angles = {q} }
start { q = 1 }
integrate { method = "kahan_li8(verlet)", step = 0.05, stop = 100 }
