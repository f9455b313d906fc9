title "A comb, for timing: a chain of N links with a chain of T links hung from each node, every link turning at its own rate"
local N, T = parameter("N", 1000), parameter("T", 3)
local M = N*(T + 1)
local x, px = pairs_of("x", M)
local y, py = pairs_of("y", M)
local H = 0
for i = 1, M do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/M end
hamiltonian(H)
local X, Y, PX, PY = {[0] = 0}, {[0] = 0}, {[0] = 0}, {[0] = 0}
-- Node i on a link from node a; node 0 is fixed.
local function hang(i, a)
  local angle, rate = 2.4*i, math.sin(1.7*i)
  X[i], Y[i] = X[a] + math.cos(angle), Y[a] + math.sin(angle)
  PX[i], PY[i] = PX[a] - rate*math.sin(angle), PY[a] + rate*math.cos(angle)
  start { [x[i]] = X[i], [y[i]] = Y[i], [px[i]] = PX[i], [py[i]] = PY[i] }
  constrain("link["..i.."]", (x[i] - (x[a] or 0))^2 + (y[i] - (y[a] or 0))^2 - 1)
end
for k = 0, N - 1 do
  local back = k*(T + 1) + 1
  hang(back, k == 0 and 0 or back - (T + 1))
  for j = 1, T do hang(back + j, back + j - 1) end
end
