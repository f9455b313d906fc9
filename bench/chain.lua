title "A tumbling chain, for timing: N beads on rigid links, coiled up, every link turning at its own rate"
local N = parameter("N", 100)
local x, px = pairs_of("x", N)
local y, py = pairs_of("y", N)
local H = 0
for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N end
hamiltonian(H)
constrain("link[1]", x[1]^2 + y[1]^2 - 1)
for i = 2, N do constrain("link["..i.."]", (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end
local X, Y, PX, PY = 0, 0, 0, 0
for i = 1, N do
  local angle, rate = 2.4*i, math.sin(1.7*i)
  X, Y = X + math.cos(angle), Y + math.sin(angle)
  PX, PY = PX - rate*math.sin(angle), PY + rate*math.cos(angle)
  start { [x[i]] = X, [y[i]] = Y, [px[i]] = PX, [py[i]] = PY }
end
