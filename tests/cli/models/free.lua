title "Oscillator"
local x, px = pair("x")
hamiltonian((px^2 + x^2)/2)
start { x = 1 }
