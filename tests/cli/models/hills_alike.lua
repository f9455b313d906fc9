title "Beads on waves over a hill of forces, all in the same place and with the same motion"
for i = 1, parameter("copies", 2) do
  local x, px = pair("x" .. i, "px" .. i)
  local y, py = pair("y" .. i, "py" .. i)
  mass(x, 1) mass(y, 1)
  potential(0.5*cos(2.5*x))
  constrain("wave " .. i, y - 0.34*sin(1.06*x))
  start { [x] = 0.19, [y] = 0.34*math.sin(1.06*0.19), [px] = 0, [py] = 0 }
end
integrate { method = "rattle(midpoint)", step = 2, steps = 1 }
