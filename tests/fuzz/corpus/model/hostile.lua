-- every text that a model can choose, chosen to do harm where it is shown
local evil = "\u{9b}2J\u{202e}"
title("*\\\n/ int stolen = 1; /*\27[2J" .. evil)
local x, px = pair("x", "*?" .. "?\\")
local y, py = pair("y" .. evil)
hamiltonian((px^2 + py^2)/2 + y)
constrain("*?" .. "?\\" .. evil, x^2 + y^2 - 1)
observe("=cmd|calc!A0" .. evil, x)
start { x = 1 }
integrate { method = "rattle(verlet)", step = 0.01, steps = 20 }
