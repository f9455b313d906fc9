title "A splitting whose name begins with quad, and sums that carry what rounding takes"
local x, px = pair("x")
hamiltonian(px^2/2 + x^4/4)
start { x = 1 }
splitting("quadrature", { c = {1/2, 1/2}, d = {1} })
integrate { method = "splitting(quadrature)", step = 0.1, steps = 50 }
output { compensated = true }
