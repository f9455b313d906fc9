-- Moments of inertia as people write them: a part of "mechanics".
local V = require "vectors"
local M = {}

local said = "inertia takes three principal moments {Ix, Iy, Iz}, six numbers {Ixx, Iyy, Izz, Ixy, Ixz, Iyz} or a symmetric matrix"

local function refuse(why) error(said .. "; " .. why, 4) end

local function number(value)
  if type(value) ~= "number" then refuse("found " .. (type(value) == "userdata" and "an expression" or "a " .. type(value)) .. " in it") end
  return value
end

-- A list of n entries, no more and no fewer.
local function has(list, n)
  for key in pairs(list) do
    if type(key) ~= "number" or key > n then return false end
  end
  return list[n] ~= nil
end

local function matrix_of(I)
  if has(I, 6) then
    for k = 1, 6 do number(I[k]) end
    return V.mat3({I[1], I[4], I[5]}, {I[4], I[2], I[6]}, {I[5], I[6], I[3]})
  end
  for i = 1, 3 do
    if type(I[i]) ~= "table" or not has(I[i], 3) then refuse("row " .. i .. " of the matrix has not three numbers") end
    for j = 1, 3 do number(I[i][j]) end
  end
  for i = 1, 3 do
    for j = i + 1, 3 do
      if I[i][j] ~= I[j][i] then
        refuse("entries " .. i .. ", " .. j .. " and " .. j .. ", " .. i .. " of the matrix are " .. I[i][j] .. " and " .. I[j][i])
      end
    end
  end
  return V.mat3(I)
end

-- The principal moments of a body in space and, where the tensor is not diagonal, the rotation from their axes to the body's own
-- (else nil).
function M.principal(I)
  if type(I) ~= "table" then error(said .. ", found a " .. type(I), 3) end
  if has(I, 3) and type(I[1]) ~= "table" then return V.vec3(number(I[1]), number(I[2]), number(I[3])) end
  if not has(I, 3) and not has(I, 6) then refuse("found a list of " .. #I) end
  local A = matrix_of(I)
  if A[1][2] == 0 and A[1][3] == 0 and A[2][3] == 0 then return V.vec3(A[1][1], A[2][2], A[3][3]) end
  return V.principal(A)
end

-- The moment about z, of a list as above.
function M.about_z(I)
  if has(I, 6) then return number(I[3]) end
  if has(I, 3) then return type(I[3]) == "table" and number(I[3][3]) or number(I[3]) end
  refuse("found a list of " .. #I)
end

return M
