title "A kinetic energy of both signs"
local x, px = pair("x", "px")
local y, py = pair("y", "py")
hamiltonian((px^2 - 2*py^2)/2 + x^2/2)
constrain("held", y - 0.1*x^2)
start { x = 1, y = 0.1, px = 0.5, project = true }
integrate { method = "rattle(verlet)", step = 0.01, steps = 1000 }
