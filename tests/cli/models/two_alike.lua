title "Points on two cylinders that nearly touch, all in the same place and with the same motion"
for i = 1, parameter("copies", 2) do
  local x, px = pair("x" .. i, "px" .. i)
  local y, py = pair("y" .. i, "py" .. i)
  local z, pz = pair("z" .. i, "pz" .. i)
  mass(x, 1) mass(y, 1) mass(z, 1)
  potential(0.11722960424515605*z)
  constrain("upright " .. i, x^2 + y^2 - 3.827065997447876)
  constrain("level " .. i, y^2 + z^2 - 3.8268240768386668)
  start { [x] = 1.5680366148930318, [y] = -1.1697551760102272, [z] = 1.5679594717453522,
          [px] = 0.28666782732162938, [py] = 0.38427327253666105, [pz] = 0.28668193129493774, project = true }
end
integrate { method = "rattle(verlet, solver=newton)", step = 0.62501885525132073, steps = 20 }
