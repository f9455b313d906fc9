-- Guiding centre of a charged particle in a strong magnetic field: no mass, p = A(x, y). Two second-class constraints.
--
-- What to see. The constraints px = Ax, py = Ay do not commute: their bracket is the field B = dAy/dx - dAx/dy. There are no hidden
-- constraints, and x and y are conjugate to each other: the particle drifts along the lines of constant potential with the speed
-- |grad V|/B, faster where the field is weaker. Plot y against x: closed curves. `rattle check` reports the class; shake and rattle
-- are refused. second_class(midpoint) integrates it: the energy error is bounded and decreases fourfold with half the step, the
-- constraints remain at round-off; suzuki4(second_class(midpoint)) has order 4.
title "Guiding centre in the plane"
local B = parameter("B", 1.0)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((x^2 + y^2)/2 + x^4/8 + x*y^2/4 + cos(y)/10)
constrain("px = Ax", px + B*y*(1 + x^2/4)/2)
constrain("py = Ay", py - B*x*(1 + y^2/4)/2)
observe("field", B*(1 + x^2/8 + y^2/8))
start { x = 0.8, y = 0.3, project = true }
integrate { method = "second_class(midpoint)", step = 0.05, stop = 200 }
output { every = 4 }
