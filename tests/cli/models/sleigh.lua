-- the blade of a sleigh: no velocity across it
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
hamiltonian((px^2 + py^2 + pa^2)/2)
constrain("blade", py*cos(a) - px*sin(a))
start { px = 1, pa = 0.4, project = true }
integrate { step = 0.01, stop = 1 }
