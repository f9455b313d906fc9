-- The ring of cyclohexane: six CH2 groups as single atoms of 14.027 u, rigid bonds, springs for the angles, a potential
-- for the torsions. Units: nm, ps, u, kJ/mol (consistent: 1 kJ/mol = 1 u nm^2/ps^2).
--
-- What to see. The ring starts in its chair form with random velocities of 300 K and vibrates; the torsion angles
-- oscillate between 0.84 and 1.16 rad with alternating signs. A high barrier separates the chair from the boats: even
-- with -P temperature=3000 the angles only come down to 0.6 rad in 20 ps, and none changes its sign.
--
-- Constraints in a closed ring are harder than in a chain: sweeping from bond to bond (solver=sweep) returns to its
-- beginning and converges slowly, whereas the direct solvers need three or four iterations. The bonds keep their
-- length to round-off, linear momentum is zero and angular momentum constant to round-off, the energy error is bounded.
-- Seed of the velocities: -P seed=2. Parameters: bond, angle as in AMBER's united atoms; torsion of Ryckaert and
-- Bellemans (1975).
title "Cyclohexane ring"
metadata { bonded = "AMBER united atom, Ryckaert-Bellemans 1975", units = "nm ps u kJ/mol" }
local temperature = parameter("temperature", 300)          -- K
local bond = parameter("bond", 0.1526)                     -- nm
local m = parameter("mass", 14.027)                        -- u
local bend, theta0 = 527.2, math.rad(112.4)                -- kJ/mol/rad^2, rad: V = bend/2 (theta - theta0)^2
local torsion = {9.28, 12.16, -13.12, -3.06, 26.24, -31.5} -- kJ/mol: V = sum c_n cos^n(psi), psi = 0 for trans

local q, p, axes = {}, {}, {"x", "y", "z"}
for a = 1, 3 do
  q[a], p[a] = pairs_of(axes[a], 6)
  mass(q[a], m)
end

local function at(i) return (i - 1) % 6 + 1 end
local function step(i) -- bond vector from atom i to the next
  local b = {}
  for a = 1, 3 do b[a] = q[a][at(i + 1)] - q[a][at(i)] end
  return b
end
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end
local function cross(a, b) return {a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1]} end

for i = 1, 6 do
  local b1, b2, b3 = step(i), step(at(i + 1)), step(at(i + 2))
  constrain("bond" .. i, dot(b1, b1) - bond^2)
  -- the bonds have fixed lengths, so the angle needs no division by variables
  potential(bend/2*(acos(-dot(b1, b2)/bond^2) - theta0)^2)
  local n1, n2 = cross(b1, b2), cross(b2, b3)
  local cos_psi = -dot(n1, n2)/sqrt(dot(n1, n1)*dot(n2, n2))
  local V, power = torsion[1], 1
  for n = 2, 6 do
    power = power*cos_psi
    V = V + torsion[n]*power
  end
  potential(V)
  observe("torsion" .. i, atan2(dot(b1, n2)*bond, dot(n1, n2)))
end

-- the chair: two triangles of radius r at heights +h and -h
local angle = math.rad(111.4)
local r = 2*bond*sin(angle/2)/sqrt(3)
local h = sqrt(bond^2 - r^2)/2
local function normal() return sqrt(-2*log(1 - random()))*cos(2*math.pi*random()) end
local v, drift = {}, {0, 0, 0}
for i = 1, 6 do
  v[i] = {}
  for a = 1, 3 do
    v[i][a] = sqrt(0.0083144626*temperature/m)*normal() -- nm/ps
    drift[a] = drift[a] + v[i][a]/6
  end
  start { [q[1][i]] = r*cos(i*math.pi/3), [q[2][i]] = r*sin(i*math.pi/3), [q[3][i]] = i % 2 == 0 and h or -h }
end
for i = 1, 6 do velocity { [q[1][i]] = v[i][1] - drift[1], [q[2][i]] = v[i][2] - drift[2], [q[3][i]] = v[i][3] - drift[3] } end
start { project = true } -- takes the stretching of bonds out of the random velocities
integrate { method = "rattle(verlet)", step = 0.001, stop = 20 }
output { every = 10 }
