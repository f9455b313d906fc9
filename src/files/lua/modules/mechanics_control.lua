-- Controllers with a sample rate for mechanisms: a part of "mechanics".
local B = require "mechanics_bodies"
local M = {}

local function number(o, key, default)
  local value = o[key]
  if value == nil then value = default end
  return B.number(value, key .. " of a PID controller", 4)
end

local function number_above(o, key)
  local value = number(o, key)
  if not (value > 0) then error(key .. " of a PID controller is " .. value .. ": expected a time above 0", 3) end
  return value
end

-- pid { error, every, kp, ki, kd, filter, limits = {low, high}, start, name }: u = kp e + ki (integral of e) + kd e', sampled.
--
-- Integral: the sum of the errors of all samples times `every` (backward Euler), which counts the present one. The sum stays as it is while
-- the output is at one of its limits and the error would take it further (conditional integration; K. J. Astrom, R. M. Murray, Feedback
-- Systems, 2008, section 10.4). Derivative: of e through a low-pass filter with the time `filter`, d = (filter d + e - e_old)/(filter + every),
-- the difference quotient for 0; it is 0 in the first sample, which has no error before it.
function M.pid(o)
  B.check_options("pid", o, {"error", "every", "kp", "ki", "kd", "filter", "limits", "start", "name"})
  local e, every, name = o.error, number_above(o, "every"), o.name or "pid"
  local kp, ki, kd, filter = number(o, "kp", 0), number(o, "ki", 0), number(o, "kd", 0), number(o, "filter", 0)
  if type(e) ~= "userdata" then error("pid needs error = ..., an expression such as parameter - x", 2) end
  if filter < 0 then error("filter of a PID controller is " .. filter .. ": expected 0, or the time of the filter", 2) end
  if kp == 0 and ki == 0 and kd == 0 then error("a PID controller does nothing: give it kp, ki or kd", 2) end
  local low, high
  if o.limits ~= nil then
    if type(o.limits) ~= "table" then error("limits of a PID controller are {low, high}", 2) end
    low, high = B.number(o.limits[1], "the low limit of a PID controller"), B.number(o.limits[2], "the high limit of a PID controller")
    if not (low < high) then error("limits of a PID controller are {low, high} with low < high", 2) end
  end
  local states = {}
  if ki ~= 0 then states.integral = 0 end
  if kd ~= 0 then states.derivative, states.error, states.begun = 0, 0, 0 end
  return controller {
    name = name, every = every, start = o.start, outputs = {u = 0}, states = states,
    sample = function(s)
      local next = {}
      local u = kp*e
      if kd ~= 0 then
        next.error, next.begun = e, 1
        next.derivative = s.begun*(filter*s.derivative + e - s.error)/(filter + every)
        u = u + kd*next.derivative
      end
      local with = ki ~= 0 and s.integral + every*e
      local free = with and u + ki*with or u
      if low and with then
        local stays = where(gt(free, high), where(gt(ki*e, 0), 1, 0), where(lt(free, low), where(lt(ki*e, 0), 1, 0), 0))
        next.integral = s.integral + (1 - stays)*every*e
      elseif with then
        next.integral = with
      end
      if with then u = u + ki*next.integral end
      next.u = low and min(max(u, low), high) or u
      return next
    end
  }.u
end

return M
