local u, pu = pair("u")
local v, pv = pair("v")
hamiltonian(pu^2/2 + pv*u)
constrain("g", v)
integrate { step = 0.01, stop = 1 }
