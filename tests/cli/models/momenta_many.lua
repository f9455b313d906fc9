title "as momenta.lua, in many copies"
local copies, energy = 70, 0
local from = {}
for i = 1, copies do
  local x, px = pair("x" .. i); local y, py = pair("y" .. i); local z, pz = pair("z" .. i)
  energy = energy + exp(px/3) + (px^2+py^2+pz^2)/2 + x*py/5 + cos(x) + y^2/2 + z^2*y/3
  constrain("c" .. i, (px^2+ py^2 + pz^2)/2 + px*py/4 - 1)
  from["x" .. i], from["y" .. i], from["z" .. i], from["px" .. i], from["py" .. i], from["pz" .. i] = 0.3, 0.2, 0.5, 1, 0.3, 0.5
end
hamiltonian(energy)
from.project = true
start(from)
integrate { method = "rk4(dirac)", step = 0.02, stop = 1.4 }
