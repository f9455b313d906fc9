title "A blade on ice that a couple turns to and fro"
local t = time()
local x, px = pair("x")
local y, py = pair("y")
local a, pa = pair("a")
hamiltonian(px^2/2 + py^2/2 + 2.5*pa^2)
velocity_constrain("blade", velocity("x")*sin(a) - velocity("y")*cos(a))
force {x = -0.3*px, a = sin(2*t)}
start {a = 1.3, px = 1, project = true}
integrate {method = "rattle(midpoint)", step = 0.05, stop = 1}
