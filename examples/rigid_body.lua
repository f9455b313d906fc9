-- A book thrown spinning into the air: a free rigid body as a rotation matrix R, nine coordinates with six constraints
-- R^T R = 1. Units: m, kg, s, J. The columns of R are the body's axes: 1 along its height, 2 along its width, 3 through
-- its pages.
--
-- What to see. The book spins once a second about axis 2, the axis of its intermediate moment of inertia, with a
-- disturbance of 1 %. That spin is unstable: every 3.2 seconds the book flips over, as a tennis
-- racket does. Plot spin2: it goes from +6.28 to -6.28 rad/s at 1.8 s, back at 5.0 s, and so on. A spin about axis 1 or
-- 3 (-P axis=3) is stable.
--
-- With R and its momentum P the kinetic energy is 1/2 tr(P D^-1 P^T), where D = diag(d1, d2, d3) is the body's second
-- moment of mass: as if each axis were a particle of mass d_i. No angles, no quaternions, no singular attitude. The
-- angular momentum Lx, Ly, Lz is constant to round-off, R stays orthogonal to round-off, and on this problem
-- rattle(verlet) conserves even the energy to 1e-12.
title "Free rigid body"
local m = parameter("mass", 0.9)                                                          -- kg
local size = {parameter("height", 0.24), parameter("width", 0.16), parameter("depth", 0.04)} -- m
local axis = parameter("axis", 2)                                                         -- of the spin
local turns = parameter("turns", 1.0)                                                     -- per second

local d = {}                                                                              -- kg m^2
for j = 1, 3 do d[j] = m*size[j]^2/12 end

local R, P = {}, {}                                                                       -- R[i][j]: row i, column j
for i = 1, 3 do
  R[i], P[i] = {}, {}
  for j = 1, 3 do
    R[i][j], P[i][j] = pair("r" .. i .. j)
    mass(R[i][j], d[j])
  end
end

local function dot(j, k) return R[1][j]*R[1][k] + R[2][j]*R[2][k] + R[3][j]*R[3][k] end
for j = 1, 3 do
  constrain("length " .. j, dot(j, j) - 1)
  for k = 1, j - 1 do constrain("angle " .. k .. j, dot(k, j)) end
end

-- angular momentum in space: the sum of r x p over the three columns
local function momentum(a, b)
  local terms = {}
  for j = 1, 3 do terms[j] = R[a][j]*P[b][j] - R[b][j]*P[a][j] end
  return sum(terms)
end
observe("Lx", momentum(2, 3))
observe("Ly", momentum(3, 1))
observe("Lz", momentum(1, 2))
-- spin about the body's axes, from R^T R'
local function rate(a, b) return (R[1][a]*P[1][b] + R[2][a]*P[2][b] + R[3][a]*P[3][b])/d[b] end
observe("spin1", rate(3, 2))
observe("spin2", rate(1, 3))
observe("spin3", rate(2, 1))

-- R = 1, R' = the antisymmetric matrix of the spin w
local w = {}
for j = 1, 3 do w[j] = 2*math.pi*turns*(j == axis and 1 or 0.01) end
for i = 1, 3 do start { [R[i][i]] = 1 } end
velocity { r12 = -w[3], r13 = w[2], r21 = w[3], r23 = -w[1], r31 = -w[2], r32 = w[1] }
integrate { method = "rattle(verlet)", step = 0.001, stop = 20 }
output { every = 20 }
