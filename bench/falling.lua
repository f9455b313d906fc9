-- A disc of radius 1 and mass 1 that leans and rolls on a plane: its centre, and its rotation matrix by rows; moments 0.3, 0.3, 0.5
local x, y, z = pair("x"), pair("y"), pair("z")
local R = {}
for i = 1, 3 do R[i] = {} for j = 1, 3 do R[i][j] = pair("r" .. i .. j) end end
mass { x = 1, y = 1, z = 1 }
for i = 1, 3 do mass(R[i][1], 0.25) mass(R[i][2], 0.25) mass(R[i][3], 0.05) end
potential(z)
for i = 1, 3 do for j = i, 3 do
  local u = R[1][i]*R[1][j] + R[2][i]*R[2][j] + R[3][i]*R[3][j]
  constrain("R" .. i .. j, i == j and (u - 1)/2 or u)
end end
local n = sqrt(R[3][1]^2 + R[3][2]^2)
constrain("height", z - n)
for i, name in ipairs{"u", "v"} do
  velocity_constrain(name, velocity(i == 1 and x or y) - (R[3][1]*velocity(R[i][1]) + R[3][2]*velocity(R[i][2]))/n)
end
local c, s, w1, w3 = math.cos(1.2), math.sin(1.2), 0.3, 2
start { z = s, r11 = 1, r22 = c, r23 = -s, r32 = s, r33 = c, project = true }
velocity { r12 = -w3, r21 = w3*c, r31 = w3*s, r22 = -w1*s, r32 = w1*c, r23 = -w1*c, r33 = -w1*s, y = 0, z = w1*c, x = -w3 }
