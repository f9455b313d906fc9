title "constraint on momenta"
local x, px = pair("x"); local y, py = pair("y"); local z, pz = pair("z")
hamiltonian(exp(px/3)+ (px^2+py^2+pz^2)/2 + x*py/5 + cos(x)+ y^2/2+ z^2*y/3)
constrain("c", (px^2+ py^2 + pz^2)/2 + px*py/4 - 1)
start { x = 0.3, y = 0.2, z=0.5, px = 1, py=0.3, pz=0.5, project=true}
integrate { method = "rattle(midpoint)", step = 0.02, stop = 4 }
