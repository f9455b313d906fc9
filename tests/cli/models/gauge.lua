local u, pu = pair("u")
local v, pv = pair("v")
hamiltonian(pu^2/2)
constrain("g", v)
start { pu = 1 }
integrate { step = 0.01, stop = 1 }
