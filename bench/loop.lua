title "A loop of four rods, for timing: four beads around a centre that draws them, turning and bending"
local x, px = pairs_of("x", 4)
local y, py = pairs_of("y", 4)
local H = 0
for i = 1, 4 do H = H + (px[i]^2 + py[i]^2 + (x[i]^2 + y[i]^2)^2/2)/2 end
hamiltonian(H)
for i = 1, 4 do
  local j = i % 4 + 1
  constrain("rod[" .. i .. "]", (x[j] - x[i])^2 + (y[j] - y[i])^2 - 1)
end
-- the diagonals 2 cos(a), 2 sin(a) turn at the rate w, a changes at the rate v
local a, w, v = 0.6, 0.7, 0.2
local c, s = math.cos(a), math.sin(a)
start { [x[1]] = c, [y[2]] = s, [x[3]] = -c, [y[4]] = -s,
        [px[1]] = -v*s, [py[1]] = w*c, [px[2]] = -w*s, [py[2]] = v*c,
        [px[3]] = v*s, [py[3]] = -w*c, [px[4]] = w*s, [py[4]] = -v*c }
