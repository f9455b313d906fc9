title "Guiding centre"
local x, px = pair("x")
local y, py = pair("y")
hamiltonian((x^2 + y^2)/2 + x^4/8 + x*y^2/4 + cos(y)/10)
constrain("gx", px + y*(1 + x^2/4)/2)
constrain("gy", py - x*(1 + y^2/4)/2)
start { x = 0.8, y = 0.3, project = true }
integrate { step = 0.05, stop = 10 }
