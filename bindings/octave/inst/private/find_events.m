## [found, value, ended] = find_events (events, extra, before, t, tn, xn, part)
## Events of a step from t to (tn, xn): found.te, xe, ie in columns, in order of time, up to the first that is terminal (ended).
## before: the values at t; value: those at tn. A value that is 0 at t is no event of this step. part(s): the point at time s.

function [found, value, ended] = find_events (events, extra, before, t, tn, xn, part)

  [value, terminal, direction] = event_values (events, tn, xn, extra);
  ended = false;
  found = struct ("te", [], "xe", [], "ie", []);
  crossed = before .* sign (value) < 0 | (value == 0 & before != 0);
  crossed &= direction == 0 | direction == -sign (before);
  for i = find (crossed)
    [s, x] = locate (events, extra, i, before(i), value(i), t, tn, xn, part);
    found.te(end+1) = s;
    found.xe(:,end+1) = x;
    found.ie(end+1) = i;
  endfor
  if (isempty (found.te))
    return;
  endif
  [~, order] = sort (sign (tn - t) * found.te);
  last = find (terminal(found.ie(order)), 1);
  if (! isempty (last))
    order = order(1:last);
    ended = true;
  endif
  found.te = found.te(order);
  found.xe = found.xe(:,order);
  found.ie = found.ie(order);

endfunction

## The zero of value i: bisection and false position (Illinois) by turns, to round-off of the time
function [s, x] = locate (events, extra, i, va, vb, a, b, xb, part)

  s = b;
  x = xb;
  for iteration = 1:200
    if (vb == 0 || abs (b - a) <= 4 * eps (max (abs ([a, b]))))
      return;
    endif
    c = b - vb * (b - a) / (vb - va);
    if (mod (iteration, 3) == 0 || ! (min (a, b) < c && c < max (a, b)))
      c = a + (b - a) / 2;
    endif
    xc = part (c);
    vc = event_values (events, c, xc, extra)(i);
    if (sign (vc) == sign (va))
      a = c;
      va = vc;
    else
      b = s = c;
      vb = vc;
      x = xc;
    endif
  endfor

endfunction
