-- The pendulum of pendulum.lua, shaken sideways, damped, or with an event each time that it passes the bottom.
local force_x = parameter("drive", 0)
local friction = parameter("friction", 0)
local x, px = pair("x")
local y, py = pair("y")
if force_x ~= 0 then
  hamiltonian((px^2 + py^2)/2 + y - force_x*x*cos(1.3*time()))
else
  hamiltonian((px^2 + py^2)/2 + y)
end
constrain("rod", x^2 + y^2 - 1)
if friction ~= 0 then
  force { x = -friction*px, y = -friction*py }
end
if parameter("event", 0) ~= 0 then
  event("bottom", x, { direction = 1 })
end
start { x = 1, y = 0, px = 0, py = -2 }
