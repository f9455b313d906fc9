-- Vectors, matrices and quaternions of three-dimensional space, whose entries are numbers or expressions.
--
-- vec3(x, y, z)      + - and * / with scalars, unary minus; v.x v.y v.z or v[1] v[2] v[3]
-- mat3(row, row, row) matrix*matrix, matrix*vec3, + - and * with scalars; m[i][j]
-- quat(w, x, y, z)   quaternion*quaternion, + - and * with scalars; q.w q.x q.y q.z or q[1] .. q[4]
local V = {}

local _, arithmetic = ... -- of the library (vectors.c): sums and products without the terms that are 0
local function is_number(a, value) return type(a) == "number" and a == value end

local vec3_meta, quat_meta, mat3_meta = {kind = "vec3"}, {kind = "quat"}, {kind = "mat3"}
local add, sub, neg, mul, div -- nil, where operands are of other kinds

local function is_scalar(a) return type(a) == "number" or type(a) == "userdata" end
local function check_scalar(a, what)
  if not is_scalar(a) then error("expected a number or an expression " .. what .. ", found a " .. type(a), 3) end
  return a
end

-- ---- three components, or four: what vectors and quaternions have in common ----

local function kind_of(a)
  local meta = type(a) == "table" and getmetatable(a)
  return meta and meta.kind
end

local letters = {vec3 = {x = 1, y = 2, z = 3}, quat = {w = 1, x = 2, y = 3, z = 4}}

local function make_meta(meta, size)
  local kind = meta.kind
  local function both(a, b, sign)
    if kind_of(a) ~= kind or kind_of(b) ~= kind then
      error("only a " .. kind .. " can be on both sides of " .. sign .. ", found a " .. (kind_of(a) or type(a)) .. " and a " ..
        (kind_of(b) or type(b)), 3)
    end
  end
  function meta.__add(a, b)
    local sum = add(a, b)
    return sum or both(a, b, "+")
  end
  function meta.__sub(a, b)
    local difference = sub(a, b)
    return difference or both(a, b, "-")
  end
  function meta.__unm(a) return (neg(a)) end
  function meta.__div(a, b)
    if kind_of(a) ~= kind then error("nothing can be divided by a " .. kind, 2) end
    check_scalar(b, "to the right of /")
    return (div(a, b))
  end
  function meta.__index(_, key)
    local place = letters[kind][key]
    if not place and type(key) == "string" then error("a " .. kind .. " has no \"" .. key .. "\"; it has " .. (size == 3 and "x, y, z" or "w, x, y, z"), 2) end
    return place and rawget(_, place)
  end
  function meta.__tostring(a)
    local text = {}
    for i = 1, size do text[i] = tostring(a[i]) end
    return kind .. "(" .. table.concat(text, ", ") .. ")"
  end
end

function vec3_meta.__mul(a, b)
  local product = mul(a, b)
  return product or error("the product of two vectors is dot(a, b) or cross(a, b)", 2)
end

make_meta(vec3_meta, 3)
make_meta(quat_meta, 4)

-- a_0 v + b_0 u + u x v, and a_0 b_0 - u.v
function quat_meta.__mul(a, b)
  local product = mul(a, b)
  if product then return product end
  if kind_of(a) ~= "quat" or kind_of(b) ~= "quat" then error("a quaternion is multiplied by scalars and quaternions; rotate(q, v) turns a vector", 2) end
  local u, v = V.vec3(a[2], a[3], a[4]), V.vec3(b[2], b[3], b[4])
  local w = a[1]*v + b[1]*u + V.cross(u, v)
  return V.quat(V.minus(V.times(a[1], b[1]), V.dot(u, v)), w)
end

function mat3_meta.__add(a, b)
  local sum = add(a, b)
  return sum or error("only a matrix is added to a matrix", 2)
end
function mat3_meta.__sub(a, b)
  local difference = sub(a, b)
  return difference or error("only a matrix is subtracted from a matrix", 2)
end
function mat3_meta.__unm(a) return (neg(a)) end
function mat3_meta.__mul(a, b)
  local product = mul(a, b)
  if product then return product end
  if kind_of(a) ~= "mat3" then error("a vector stands to the right of a matrix, or use transpose(m)*v", 2) end
  error("a matrix is multiplied by scalars, vectors and matrices, found a " .. type(b), 2)
end
function mat3_meta.__tostring(m)
  local text = {}
  for i = 1, 3 do text[i] = "{" .. tostring(m[i][1]) .. ", " .. tostring(m[i][2]) .. ", " .. tostring(m[i][3]) .. "}" end
  return "mat3(" .. table.concat(text, ", ") .. ")"
end

local own = arithmetic(setmetatable({}, vec3_meta), setmetatable({}, quat_meta), setmetatable({}, mat3_meta))
add, sub, neg, mul, div = own.add, own.sub, own.neg, own.mul, own.div
local times, plus, minus, dot, cross = own.times, own.plus, own.minus, own.dot, own.cross
V.is_number, V.times, V.plus, V.minus = is_number, times, plus, minus

-- ---- vectors ----

-- vec3(x, y, z), or the same of a list {x, y, z}; dot and cross, and the matrix of w x: hat(w)*v = cross(w, v)
-- combine(v, {a, b, c}) = v.x a + v.y b + v.z c; nil, where one of them is missing of which v has some
V.vec3, V.dot, V.cross, V.hat, V.combine = own.vec3, dot, cross, own.hat, own.combine
local vec3 = V.vec3

function V.is_vec3(a) return kind_of(a) == "vec3" end

-- The square of the length, and the length: of vectors and of quaternions.
function V.norm2(a) return dot(a, a) end
function V.norm(a) return sqrt(dot(a, a)) end

-- A vector of numbers, made to length 1.
function V.unit(a)
  local length = V.norm(a)
  if is_number(length, 0) then error("a direction needs a vector that is not 0", 2) end
  return a/length
end

-- Two unit vectors of numbers that are perpendicular to a unit vector and to each other: u, v with u x v = a.
function V.perpendicular(a)
  local least = 1
  for i = 2, 3 do
    if math.abs(a[i]) < math.abs(a[least]) then least = i end
  end
  local axis = vec3(least == 1 and 1 or 0, least == 2 and 1 or 0, least == 3 and 1 or 0)
  local u = V.unit(cross(axis, a))
  return u, cross(a, u)
end

-- ---- matrices ----

local function make_mat3(f)
  local m = {}
  for i = 1, 3 do
    m[i] = {}
    for j = 1, 3 do m[i][j] = f(i, j) end
  end
  return setmetatable(m, mat3_meta)
end

-- mat3({a, b, c}, {d, e, f}, {g, h, i}): by rows
function V.mat3(...)
  local row = {...}
  if #row == 1 then row = row[1] end
  return make_mat3(function(i, j) return check_scalar(row[i] and row[i][j], "in each of three rows of a matrix") end)
end

-- columns(a, b, c), transpose(m), column(m, j), row(m, i)
V.columns, V.transpose, V.column, V.row = own.columns, own.transpose, own.column, own.row

function V.diagonal(a, b, c) return setmetatable({{a, 0, 0}, {0, b, 0}, {0, 0, c}}, mat3_meta) end
function V.identity() return V.diagonal(1, 1, 1) end

function V.trace(m) return plus(plus(m[1][1], m[2][2]), m[3][3]) end
function V.determinant(m) return dot(V.row(m, 1), cross(V.row(m, 2), V.row(m, 3))) end
-- a b^T
function V.outer(a, b) return make_mat3(function(i, j) return times(a[i], b[j]) end) end

-- Eigenvalues of a symmetric matrix of numbers, and the rotation whose columns are the eigenvectors: A = R diag R^T. By Jacobi's rotations,
-- each of which makes one entry off the diagonal 0; the rotation is the product of them, so its determinant is 1.
function V.principal(A)
  local R = V.identity()
  for sweep = 1, 60 do
    local turned = false
    for p = 1, 2 do
      for q = p + 1, 3 do
        -- until entries themselves, not their squares, are lost beside the diagonal
        local beside = math.sqrt(math.abs(A[p][p]*A[q][q]))
        if math.abs(A[p][q]) + beside ~= beside then
          turned = true
          local angle = math.atan(2*A[p][q], A[p][p] - A[q][q])/2
          local J, c, s = V.identity(), math.cos(angle), math.sin(angle)
          J[p][p], J[q][q], J[p][q], J[q][p] = c, c, -s, s
          A, R = V.transpose(J)*A*J, R*J
          A[p][q], A[q][p] = 0, 0
        end
      end
    end
    if not turned then break end
  end
  return vec3(A[1][1], A[2][2], A[3][3]), R
end

-- ---- quaternions ----

-- quat(w, x, y, z), or quat(w, v)
function V.quat(w, x, y, z)
  if kind_of(x) == "vec3" then x, y, z = x[1], x[2], x[3] end
  for _, a in ipairs({w, x, y, z}) do check_scalar(a, "in a quaternion") end
  if z == nil then error("a quaternion has four components, w, x, y, z", 2) end
  return setmetatable({w, x, y, z}, quat_meta)
end

function V.conjugate(q) return V.quat(q[1], times(-1, q[2]), times(-1, q[3]), times(-1, q[4])) end

-- ---- rotations ----

-- The rotation matrix of a unit quaternion: entries of degree 2 in q.
function V.rotation(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  local function twice(a, b) return times(2, times(a, b)) end
  local function square(a) return times(a, a) end
  local function from_one(a, b) return minus(1, times(2, plus(square(a), square(b)))) end
  return V.mat3({from_one(y, z), minus(twice(x, y), twice(w, z)), plus(twice(x, z), twice(w, y))},
    {plus(twice(x, y), twice(w, z)), from_one(x, z), minus(twice(y, z), twice(w, x))},
    {minus(twice(x, z), twice(w, y)), plus(twice(y, z), twice(w, x)), from_one(x, y)})
end
function V.rotate(q, v) return V.rotation(q)*v end

-- The rotation by an angle about an axis, and its quaternion.
function V.about(axis, angle)
  local a = V.unit(vec3(axis))
  local c, s = cos(angle), sin(angle)
  return c*V.identity() + (1 - c)*V.outer(a, a) + s*V.hat(a)
end
function V.quat_about(axis, angle)
  return V.quat(cos(angle/2), sin(angle/2)*V.unit(vec3(axis)))
end

-- Euler angles: euler({a, b, c}, "zxz") turns by a about z, then by b about the new x, then by c about the new z.
function V.euler(angles, axes)
  axes = axes or "zxz"
  if #angles ~= 3 or not string.find(axes, "^[xyz][xyz][xyz]$") then
    error("euler takes three angles and three of the letters x, y and z, as in euler({a, b, c}, \"zxz\")", 2)
  end
  local R = V.identity()
  for i = 1, 3 do
    local letter = string.sub(axes, i, i)
    R = R*V.about({letter == "x" and 1 or 0, letter == "y" and 1 or 0, letter == "z" and 1 or 0}, angles[i])
  end
  return R
end

-- The unit quaternion with w >= 0 of a rotation matrix of numbers.
function V.quat_of(R)
  local four = {1 + V.trace(R), 1 + 2*R[1][1] - V.trace(R), 1 + 2*R[2][2] - V.trace(R), 1 + 2*R[3][3] - V.trace(R)}
  local most = 1
  for i = 2, 4 do
    if four[i] > four[most] then most = i end
  end
  local s = {R[3][2] - R[2][3], R[1][3] - R[3][1], R[2][1] - R[1][2]}
  local q = {four[1], s[1], s[2], s[3]}
  if most > 1 then
    local i = most - 1
    q[1] = s[i]
    for j = 1, 3 do q[1 + j] = j == i and four[most] or R[i][j] + R[j][i] end
  end
  local size = sqrt(q[1]^2 + q[2]^2 + q[3]^2 + q[4]^2)
  if q[1] < 0 then size = -size end
  return V.quat(q[1]/size, q[2]/size, q[3]/size, q[4]/size)
end

return V
