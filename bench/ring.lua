title "A closed chain, for timing: N beads (an even number) on a zigzag ring of links of length 1, in the plane"
local N = parameter("N", 100)
local x, px = pairs_of("x", N)
local y, py = pairs_of("y", N)
local H = 0
for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N end
hamiltonian(H)
for i = 1, N do
  local j = i % N + 1
  constrain("link["..i.."]", (x[j] - x[i])^2 + (y[j] - y[i])^2 - 1)
end
local depth, angle = 0.4, 2*math.pi/N
local radius = math.sqrt((1 - 2*depth^2*(1 + math.cos(angle)))/(2*(1 - math.cos(angle))))
for i = 1, N do
  local out = radius + (i % 2 == 0 and depth or -depth)
  start { [x[i]] = out*math.cos(angle*i), [y[i]] = out*math.sin(angle*i), [px[i]] = math.sin(1.7*i), [py[i]] = math.cos(2.3*i) }
end
start { project = true }
