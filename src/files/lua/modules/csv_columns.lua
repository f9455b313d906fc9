-- Columns of numbers from the text of a CSV file: require "name" is what this returns for name.csv.
--
-- The first line names the columns, the others are numbers; commas, semicolons or tabs stand between them. A name may be in quotes, and have a unit after
-- it, as in "force (N)": the column is then called force too.

local function fail(file, line, what) error(file .. ", line " .. line .. ": " .. what, 0) end

-- The cells of a line. A comma within quotes is part of a name.
local function cells(line, separator)
  local found, at = {}, 1
  while true do
    local cell, after
    if line:sub(at, at) == '"' then
      local close = line:find('"', at + 1, true) or #line + 1
      cell, after = line:sub(at + 1, close - 1), line:find(separator, close, true)
    else
      after = line:find(separator, at, true)
      cell = line:sub(at, (after or #line + 1) - 1):gsub("^ *", ""):gsub(" *$", "")
    end
    found[#found + 1] = cell
    if not after then return found end
    at = after + 1
  end
end

return function(file, text)
  text = text:gsub("^\xEF\xBB\xBF", ""):gsub("\r\n", "\n")
  local number, names, columns, separator, at = 0, nil, {}, nil, 1
  while at <= #text do
    local stop = text:find("\n", at, true) or #text + 1
    local line = text:sub(at, stop - 1)
    at, number = stop + 1, number + 1
    if line == "" then
      -- nothing
    elseif not names then
      separator = line:find(";", 1, true) and ";" or line:find("\t", 1, true) and "\t" or ","
      names = cells(line, separator)
      for k, name in ipairs(names) do
        if name == "" then fail(file, number, "column " .. k .. " has no name") end
        if tonumber(name) then fail(file, number, "expected the names of the columns, found the number " .. name) end
        if columns[name] then fail(file, number, "two columns are called \"" .. name .. "\"") end
        columns[name] = {}
      end
    else
      local row = cells(line, separator)
      if #row ~= #names then fail(file, number, "expected " .. #names .. " numbers, found " .. #row) end
      for k, name in ipairs(names) do
        local value = tonumber(row[k])
        if not value then fail(file, number, "expected a number for \"" .. name .. "\", found \"" .. row[k] .. "\"") end
        local column = columns[name]
        column[#column + 1] = value
      end
    end
  end
  if not names then fail(file, 1, "expected the names of the columns, found an empty file") end
  for _, name in ipairs(names) do
    local short = name:match("^(.-) *[%(%[].*$")
    if short and short ~= "" and not columns[short] then columns[short] = columns[name] end
  end
  return columns
end
