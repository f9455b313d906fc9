title "Chain of links, \"quoted\" and Störmer's"
local N = parameter("N", 20)
local x, px = pairs_of("x", N)
local y, py = pairs_of("y", N)
local H = 0
for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N end
hamiltonian(H)
constrain("link[1]", x[1]^2 + y[1]^2 - 1/N^2)
for i = 2, N do constrain("link["..i.."]", (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1/N^2) end
for i = 1, N do start { [x[i]] = i/N, [y[i]] = 0 } end
integrate { step = 0.001, steps = 100 }
