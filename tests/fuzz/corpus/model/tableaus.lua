title "tableaus"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + (x^2+y^2)/2 + x^2*y - y^3/3)
start { x = 0.1, y = 0.2, px = 0.3, py = 0.1 }
tableau("kutta38", { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8}, order = 4 })
local r = math.sqrt(3)/6
tableau("gauss2", { A = {{1/4, 1/4 - r}, {1/4 + r, 1/4}}, b = {1/2, 1/2} })
tableau("lobatto3c", { A = {{1/6, -1/3, 1/6}, {1/6, 5/12, -1/12}, {1/6, 2/3, 1/6}}, b = {1/6, 2/3, 1/6}, order = 4 })
tableau("lobatto", { A = {{}, {1/2, 1/2}}, Ahat = {{1/2}, {1/2}}, b = {1/2, 1/2}})
splitting("ruth3", { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24}, order = 3 })
-- the same as a tableau: drifts and kicks have other weights
tableau("ruth_pair", { A = {{1}, {1, -2/3}, {1, -2/3, 2/3}}, Ahat = {{}, {-1/24}, {-1/24, 3/4}},
                       b = {1, -2/3, 2/3}, bhat = {-1/24, 3/4, 7/24}, order = 3 })
splitting("verlet", { c = {1/2, 1/2}, d = {1} })
local z1 = 1/(2 - 2^(1/3)); local z0 = 1 - 2*z1
splitting("neri", { c = {z1/2, (z0+z1)/2, (z0+z1)/2, z1/2}, d = {z1, z0, z1}})
integrate { method = "runge_kutta(gauss2)", step = 0.1, stop = 10 }
