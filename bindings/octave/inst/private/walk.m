## run = walk (id, pace, output, events, extra, tspan, x0)
## Steps from tspan(1) to tspan(end). run.t [1,N] and run.x [2n,N]: what is output; te, xe, ie: events; steps, rejected; why: a failure.
## Points between those of the steps are steps too, of a part of the length and from the point before: they are on g = 0 as all others,
## and the run does not depend on them.

function run = walk (id, pace, output, events, extra, tspan, x0)

  t0 = tspan(1);
  stop = tspan(end);
  run = struct ("t", t0, "x", x0, "te", [], "xe", [], "ie", [], "steps", 0, "rejected", 0);
  run.why = struct ("status", "", "message", "");
  alone = isempty (output.times) && output.refine == 1 && isempty (output.call) && isempty (events);
  most = either (alone, Inf, 1);      # steps in one call
  whole = whole_steps (pace, t0, stop);
  ts = {t0};
  xs = {x0};
  t = t0;
  x = x0;
  k = 0;
  if (! isempty (events))
    value = event_values (events, t, x, extra);
  endif

  while (t != stop && isempty (run.why.status))
    [tn, xn, run.why, pace.h, rejected] = advance (id, pace, t0, k, t, x, stop, whole, most);
    run.rejected += rejected;
    k += numel (tn);
    if (isempty (tn))
      break;
    endif
    if (alone)
      ts{end+1} = tn;
      xs{end+1} = xn;
    else
      part = @(s) part_step (id, pace, t, x, s, tn, xn);
      ended = false;
      if (! isempty (events))
        [found, value, ended] = find_events (events, extra, value, t, tn, xn, part);
        run.te = [run.te, found.te];
        run.xe = [run.xe, found.xe];
        run.ie = [run.ie, found.ie];
        if (ended)
          tn = found.te(end);
          xn = found.xe(:,end);
        endif
      endif
      [to, xo] = outputs_in (output, t, tn, xn, part, ended);
      for i = 1:numel (to)
        ts{end+1} = to(i);
        xs{end+1} = xo(:,i);
        if (! isempty (output.call) && output.call (to(i), xo(output.select,i), [], extra{:}))
          ended = true;
          break;
        endif
      endfor
      if (ended)
        break;
      endif
    endif
    t = tn(end);
    x = xn(:,end);
  endwhile
  run.steps = k;
  run.t = [ts{:}];
  run.x = [xs{:}];

endfunction

## Fixed steps that fit before the end: a remainder of round-off is none
function whole = whole_steps (pace, t0, stop)

  whole = 0;
  if (pace.fixed)
    steps = (stop - t0) / pace.h;
    whole = floor (steps + 1e-9 * max (1, steps * 1e-6));
  endif

endfunction

## At most so many steps from (t, x)
function [tn, xn, why, h, rejected] = advance (id, pace, t0, k, t, x, stop, whole, most)

  rejected = 0;
  h = pace.h;
  if (! pace.fixed)
    [tn, xn, why, h, rejected] = __rattle__ ("adaptive", id, t, h, stop, x, most, pace.relative, pace.absolute, pace.most, pace.norm);
  elseif (k < whole)
    [tn, xn, why] = __rattle__ ("fixed", id, t0, k, h, x, min (most, whole - k));
    if (k + numel (tn) == whole && abs (stop - tn(end)) < 1e-6 * abs (h))
      tn(end) = stop;                  # but for round-off
    elseif (isinf (most) && isempty (why.status))
      [tl, xl, why] = __rattle__ ("fixed", id, tn(end), 0, stop - tn(end), xn(:,end), 1);
      tn = [tn, either(isempty (tl), [], stop)];
      xn = [xn, xl];
    endif
  else
    [tn, xn, why] = __rattle__ ("fixed", id, t, 0, stop - t, x, 1);
    if (! isempty (tn))
      tn = stop;
    endif
  endif

endfunction

## The point at time s between (t, x) and (tn, xn): one step, or two as the adaptive steps are
function x1 = part_step (id, pace, t, x, s, tn, xn)

  if (s == tn)
    x1 = xn;
    return;
  elseif (s == t)
    x1 = x;
    return;
  endif
  pieces = either (pace.fixed, 1, 2);
  [~, xs, why] = __rattle__ ("fixed", id, t, 0, (s - t) / pieces, x, pieces);
  if (! isempty (why.status))
    error (["rattle:" why.status], "rattle: no point at t = %g: %s", s, why.message);
  endif
  x1 = xs(:,end);

endfunction

## The output of a step that ends at (tn, xn)
function [to, xo] = outputs_in (output, t, tn, xn, part, ended)

  if (isempty (output.times))
    to = t + (1:output.refine) / output.refine * (tn - t);
    to(end) = tn;
  else
    way = sign (tn - t);
    to = output.times(way * output.times > way * t & way * output.times <= way * tn).';
    if (ended && (isempty (to) || to(end) != tn))
      to(end+1) = tn;                  # a terminal event
    endif
  endif
  xo = zeros (numel (xn), numel (to));
  for i = 1:numel (to)
    xo(:,i) = part (to(i));
  endfor

endfunction
