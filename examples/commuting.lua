-- Two constraints on positions and momenta in R^6 that commute: |q|^2 + |p|^2 = c and the angular momentum x py - y px
-- = l.
--
-- What to see. Each constraint generates a rotation: the first rotates every plane (q_i, p_i), the second rotates
-- space about the z axis. The two commute, so their Poisson bracket is zero and the fibres are two-dimensional tori; a point
-- of the motion is the point on its torus where H is largest. The motion has two dimensions, of six, and must therefore be
-- periodic: plot z against x to see one closed curve, with a period of 1.54 time units, although H is not quadratic.
--
-- The textbook RATTLE does not cover this problem: the constraint forces change q as well as p. rattle(midpoint) moves
-- along both rotations at once to return to the manifold (two multipliers), and again to satisfy the two hidden
-- constraints. All four remain at round-off; the energy error is bounded and decreases fourfold with half the step. The
-- 2x2 matrix N = {{H,g_i},g_j}, which must not become singular, has eigenvalues between 5 and 45 throughout.
title "Two commuting constraints in R^6"
local c = parameter("c", 4.0)
local l = parameter("l", 1.0)
local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian(abs2(px, py, pz)/2 + 0.75*x^2 + 2.5*y^2 + z^2 + (x^4 + z^4)/8 + 0.3*x*y*z)
constrain("sphere", abs2(x, y, z, px, py, pz) - c)
constrain("spin", x*py - y*px - l, { dirac = true })
start { x = 0.13134215903500346, y = 1.4662266458925373, z = 1.0509382447852436 }
start { px = -0.6892230934124813, py = -0.08037986129836623, pz = 0.49695882242600453 }
integrate { method = "rattle(midpoint)", step = 0.02, stop = 100 }
output { every = 5 }
