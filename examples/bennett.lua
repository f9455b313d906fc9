-- Bennett's linkage (G. T. Bennett, Engineering 76 (1903) 777): four bars in space with four hinges whose axes are skew. Counting joints, nothing
-- could move, 3*6 - 4*5 = -2. With a/sin(alpha) = b/sin(beta) it turns all the way round. Units: m, kg, s, J.
--
-- What to see. The hinges have 20 constraints, of which 17 are independent; the others follow from them along the whole motion, and are
-- omitted: `rattle run` names them. Pushed at the crank, which alone is given a spin, it goes round twice in 4 s, with the crank and the other hinged bar
-- bound by tan(theta1/2) tan(theta2/2) = constant. There is no gravity, and the energy is the kinetic one.
--
-- The angles of all bars but the crank are given roughly: assemble puts the bars onto their hinges.
title "Bennett's linkage"
local mech = require "mechanics"
local a, b = 1, 0.7                                       -- m, lengths of opposite bars
local alpha = math.rad(parameter("twist", 60))            -- between the axes at the ends of a
local beta = math.asin(b/a*math.sin(alpha))
local theta = parameter("theta", 0.6)                     -- rad, of the crank at the start

local function bar(name, length, R, at, spin)
  return mech.body { name = name, shape = mech.box { mass = length, size = {length, 0.05, 0.05} }, rotation = R, point = {-length/2, 0, 0}, at = at, spin = spin }
end
-- the hinges of a bar: along its z at the beginning, turned by the twist at its end
local function first(body, length) return body:at(-length/2, 0, 0) end
local function last(body, length, twist) return body:at(length/2, 0, 0):along(0, -math.sin(twist), math.cos(twist)) end

local function x(angle) return mech.about({1, 0, 0}, angle) end
local function z(angle) return mech.about({0, 0, 1}, angle) end
-- the frame is a bar of length b, from the fourth hinge at the origin to the first one
local one, four = mech.ground:at(b, 0, 0):along(0, -math.sin(beta), math.cos(beta)), mech.ground:at(0, 0, 0)
local second = 2*math.atan(math.sin((beta + alpha)/2)/math.sin((beta - alpha)/2)/math.tan(theta/2))
local R1 = x(beta)*z(theta)
local crank = bar("crank", a, R1, {b, 0, 0}, x(beta)*mech.vec3(0, 0, 30))
local R2 = R1*x(alpha)*z(second + 0.05)
local coupler = bar("coupler", b, R2, last(crank, a, alpha):start())
local R3 = R2*x(beta)*z(-theta + 0.02)
local follower = bar("follower", a, R3, last(coupler, b, beta):start())
mech.assemble { hold = {crank} }

mech.revolute("one", first(crank, a), one)
mech.revolute("two", first(coupler, b), last(crank, a, alpha))
mech.revolute("three", first(follower, a), last(coupler, b, beta))
mech.revolute("four", last(follower, a, alpha), four)

-- cosines and sines of the angles at the first two hinges
local u, v = crank.column, coupler.column
observe("cos1", u[1].x)
observe("sin1", -u[2].x)
observe("cos2", mech.dot(u[1], v[1]))
observe("sin2", -mech.dot(u[1], v[2]))
integrate { method = "rattle(verlet)", step = 0.002, stop = 4 }
