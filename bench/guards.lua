title "Harmonic constraint, for timing"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((px^2 + py^2)/2 + y)
constrain("sphere", x^2 + y^2 + px^2 + py^2 - 1)
start { x = -0.78652612, y = -0.4043988, px = -0.3880746864163783, py = 0.2173391755798215, project = true }
