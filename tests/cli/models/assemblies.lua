-- A Grashof four-bar linkage: the shorter crank turns fully, and the angle between the coupler and the longer crank is never 0 or pi.
-- The configurations form two circles ("open" and "crossed") that nearly touch where the bars are in line. No motion leads from one
-- to the other.
title "Four-bar linkage with two assemblies that nearly touch"
local delta = parameter("delta", 1e-4) -- by which the second crank is longer
local L, a = 1.5, 0.8
local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
hamiltonian((px1^2 + py1^2 + px2^2 + py2^2)/2 + 0.3*(y1 + y2))
constrain("crank 1", x1^2 + y1^2 - a^2)
constrain("crank 2", (x2 - L)^2 + y2^2 - (a + delta)^2)
constrain("coupler", (x2 - x1)^2 + (y2 - y1)^2 - L^2)
observe("assembly", (x2 - x1)*y2 - (y2 - y1)*(x2 - L)) -- never 0
start { x1 = a*cos(1.2), y1 = a*sin(1.2), x2 = L + a*cos(1.2), y2 = a*sin(1.2) }
start { px1 = sin(1.2), py1 = -cos(1.2), px2 = sin(1.2), py2 = -cos(1.2), project = true }
integrate { method = "rattle(verlet)", step = 0.01, stop = 20 }
