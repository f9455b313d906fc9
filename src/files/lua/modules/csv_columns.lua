-- Columns of numbers from the text of a CSV file: require "name" is what this returns for name.csv.
--
-- The first line names the columns, the others are numbers; commas, semicolons or tabs stand between them. A name may be in quotes, and have a unit after
-- it, as in "force (N)": the column is then called force too, if no other is.

local function fail(file, line, what) error(file .. ", line " .. line .. ": " .. what, 0) end

-- The place of the quote that ends a text in quotes; two quotes within it stand for one.
local function closing(line, at)
  local close = line:find('"', at + 1, true)
  while close and line:sub(close + 1, close + 1) == '"' do close = line:find('"', close + 2, true) end
  return close
end

-- The cells of a line. A comma within quotes is part of a name.
local function cells(file, number, line, separator)
  local found, at = {}, 1
  while true do
    local cell, after
    at = line:find("[^ ]", at) or at
    if line:sub(at, at) == '"' then
      local close = closing(line, at)
      if not close then fail(file, number, "a quote is not closed") end
      cell, after = line:sub(at + 1, close - 1):gsub('""', '"'), line:find("[^ ]", close + 1)
      if after and line:sub(after, after) ~= separator then fail(file, number, "expected a comma after " .. line:sub(at, close)) end
    else
      after = line:find(separator, at, true)
      cell = line:sub(at, (after or #line + 1) - 1):gsub(" *$", "")
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
      names = cells(file, number, line, separator)
      for k, name in ipairs(names) do
        if name == "" then fail(file, number, "column " .. k .. " has no name") end
        if tonumber(name) then fail(file, number, "expected the names of the columns, found the number " .. name) end
        if columns[name] then fail(file, number, "two columns are called \"" .. name .. "\"") end
        columns[name] = {}
      end
    else
      local row = cells(file, number, line, separator)
      if #row ~= #names then fail(file, number, "expected " .. #names .. " numbers, found " .. #row) end
      for k, name in ipairs(names) do
        local value = tonumber(row[k])
        if not value or value - value ~= 0 then fail(file, number, "expected a finite number for \"" .. name .. "\", found \"" .. row[k] .. "\"") end
        local column = columns[name]
        column[#column + 1] = value
      end
    end
  end
  if not names then fail(file, 1, "expected the names of the columns, found an empty file") end
  local shorts = {} -- false: two columns would be called so
  for _, name in ipairs(names) do
    local short = name:match("^(.-) *[%(%[].*$")
    if short and short ~= "" and not columns[short] then shorts[short] = shorts[short] == nil and columns[name] end
  end
  for short, column in pairs(shorts) do columns[short] = column or nil end
  return columns
end
