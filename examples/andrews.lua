-- Andrews' squeezing mechanism: seven bodies in the plane, ten pin joints, a spring, and a motor of constant torque on the crank. Units: m, kg, s, N.
--
-- What to see. From rest the motor turns the crank two and a half times in 0.03 s; the other bodies are driven back and forth through the
-- points O, A and B of the frame, and the spring between the lever K3 and C stores energy. The mechanism is a test problem for solvers of
-- differential-algebraic equations (W. Schiehlen, Multibody Systems Handbook, 1990; E. Hairer, G. Wanner, Solving Ordinary Differential
-- Equations II, 1996, VII.7), and a problem of the IFToMM library of multibody benchmarks (M. Gonzalez, F. Gonzalez, A. Luaces,
-- J. Cuadrado, Simulat. Model. Pract. Theory 14 (2006) 1069). A quadrature with 34 digits (tests/reference/andrews_quadrature.py) gives
-- beta = 15.810771195153707 at t = 0.03 s, and so does this run, to 1e-12. The value that is printed in the Test Set for IVP Solvers
-- (F. Mazzia, C. Magherini, 2008), 15.81077119629904, is 1.1e-9 larger.
title "Andrews' squeezing mechanism"
local mech = require "mechanics"
local motor = parameter("motor", 0.033) -- N m

-- frame, lengths of the links, and where their centres of mass are
local O, A, B, C = mech.ground:at(0, 0), mech.ground:at(-0.06934, -0.00227), mech.ground:at(-0.03635, 0.03273), mech.ground:at(0.014, 0.072)
local rr, ra, d, da, e, ea = 0.007, 0.00092, 0.028, 0.0115, 0.02, 0.01421
local ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
local ta, tb, zt, zf, fa, u, ua, ub = 0.02308, 0.00916, 0.04, 0.02, 0.01421, 0.04, 0.01228, 0.00449

-- The start: the angle of the crank to all digits, those of the other bodies roughly. They are moved onto their joints.
local beta, Theta, gamma, Phi, delta, Omega, epsilon = -0.0617138900142764496, 0, 0.45, 0.22, 0.49, -0.22, 1.23

local K1 = mech.planar { name = "K1", mass = 0.04325, inertia = 2.194e-6, point = {-ra, 0}, at = O:start(), angle = beta }
local K2 = mech.planar { name = "K2", mass = 0.00365, inertia = 4.410e-7, point = {da, 0}, at = K1:at(rr - ra, 0):start(), angle = beta + Theta }
local K3 = mech.planar { name = "K3", mass = 0.02373, inertia = 5.255e-6, point = {-sb, sa}, at = B:start(), angle = gamma }
local K5 = mech.planar { name = "K5", mass = 0.07050, inertia = 1.169e-5, point = {-ta, -tb}, at = A:start(), angle = delta }
local K4 = mech.planar { name = "K4", mass = 0.00706, inertia = 5.667e-7, point = {0, e - ea}, at = K5:at(zt - ta, -tb):start(), angle = Phi + delta }
local K7 = mech.planar { name = "K7", mass = 0.05498, inertia = 1.912e-5, point = {ub, ua}, at = A:start(), angle = epsilon }
local K6 = mech.planar { name = "K6", mass = 0.00706, inertia = 5.667e-7, point = {fa - zf, 0}, at = K7:at(ub, ua - u):start(), angle = Omega + epsilon }
mech.assemble { hold = {K1} }

mech.revolute("O", K1:at(-ra, 0), O)
mech.revolute("crank pin", K1:at(rr - ra, 0), K2:at(da, 0))
local F = K2:at(da - d, 0)
mech.revolute("F3", K3:at(-sb, sa - ss), F)
mech.revolute("F4", K4:at(0, -ea), F)
mech.revolute("F6", K6:at(fa, 0), F)
mech.revolute("B", K3:at(-sb, sa), B)
mech.revolute("E", K4:at(0, e - ea), K5:at(zt - ta, -tb))
mech.revolute("A5", K5:at(-ta, -tb), A)
mech.revolute("H", K6:at(fa - zf, 0), K7:at(ub, ua - u))
mech.revolute("A7", K7:at(ub, ua), A)
mech.spring(K3:at(sd - sb, sa - sc), C, { k = 4530, length = 0.07785 })
mech.torque(K1, mech.ground, motor)

observe("beta", K1.angle)
observe("Theta", K2.angle - K1.angle)
observe("gamma", K3.angle)
observe("Phi", K4.angle - K5.angle)
observe("delta", K5.angle)
observe("Omega", K6.angle - K7.angle)
observe("epsilon", K7.angle)
integrate { method = "kahan_li8(rattle(verlet))", step = 1e-4, stop = 0.03 }
