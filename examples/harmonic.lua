-- A constraint on positions and momenta together: |q|^2 + |p|^2 = c in R^4, a three-dimensional sphere, with H =
-- |p|^2/2 - g.q.
--
-- What to see. The constraint generates rotations of the planes (x, px) and (y, py); they are the fibres, circles (the
-- Hopf fibration), and only how one moves across them matters. The observed `u` and `v` are the fibre as a point of the
-- plane, by the Hopf map and a stereographic projection: v against u is a closed curve in runs of any length;
-- a method that is not symplectic on the constraint manifold would spiral. The hidden constraint is q.p +
-- g.p = 0.
--
-- The start is the first of the three of McLachlan, Modin, Verdier and Wilkins, "Geometric generalisations of SHAKE and
-- RATTLE" (2014), Table 1. It lies on c = 0.98000000636, not on c = 1 as printed. rattle(midpoint) moves along the
-- circles exactly, keeps both constraints to round-off and the energy within 0.0051 at step 0.1; shake(midpoint) takes
-- the same path across the fibres.
title "Harmonic constraint in R^4"
local c = parameter("c", 0.98000000636258127)
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + y)                   -- g = (0, -1)
constrain("sphere", abs2(x, y, px, py) - c)

-- Hopf map of x + i px and y + i py: zeta = re + i im in the plane, rho along the axis
local re, im = 2*(x*y + px*py), 2*(px*y - x*py)
local rho = x^2 + px^2 - y^2 - py^2
observe("u", re/(c - rho))
observe("v", im/(c - rho))

start { x = -0.78652612, y = -0.4043988, px = -0.3880746864163783, py = 0.2173391755798215 }
integrate { method = "rattle(midpoint)", step = 0.1, stop = 1000 }
