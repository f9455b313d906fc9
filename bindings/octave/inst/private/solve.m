## out = solve (name, method, outputs, f, tspan, x0, options, ...)
## The work of odeRATTLE and odeSHAKE: out has the `outputs` values that they return.

function out = solve (name, method, outputs, f, tspan, x0, varargin)

  [options, extra] = options_of (varargin);
  if (! isnumeric (tspan) || ! isvector (tspan) || numel (tspan) < 2 || ! all (isfinite (tspan)))
    error ("Octave:invalid-input-arg", "%s: TSPAN must be a vector of two or more times", name);
  endif
  tspan = tspan(:);
  way = sign (tspan(end) - tspan(1));
  if (way == 0 || any (way * diff (tspan) <= 0))
    error ("Octave:invalid-input-arg", "%s: the times of TSPAN must increase, or decrease, from each to the next", name);
  endif

  if (ischar (f))
    f = str2func (f);
  endif
  id = __rattle__ ("open", f, options, method, extra, x0);
  x0 = double (x0(:));
  close = onCleanup (@() __rattle__ ("close", id));
  warn_if_off (name, options, x0(1:end/2));

  pace = pace_of (name, options, tspan, f, x0, extra);
  if (numel (tspan) > 2 && outputs != 1)
    output.times = tspan;              # these times
  else
    output.times = [];                 # each step, in so many parts
  endif
  output.refine = either (outputs == 1, 1, max (1, fix (option (options, "Refine", 1))));
  output.call = option (options, "OutputFcn", []);
  if (isempty (output.call) && outputs == 0)
    output.call = @odeplot;
  endif
  if (ischar (output.call))
    output.call = str2func (output.call);
  endif
  output.select = option (options, "OutputSel", 1:numel (x0));
  events = option (options, "Events", []);
  if (ischar (events))
    events = str2func (events);
  endif

  if (! isempty (output.call))
    output.call (tspan, x0(output.select), "init", extra{:});
  endif
  run = walk (id, pace, output, events, extra, tspan, x0);
  if (! isempty (output.call))
    output.call ([], [], "done", extra{:});
  endif
  if (! isempty (run.why.status))
    warning (["rattle:" run.why.status], "%s: stopped at t = %g, before %g: %s", name, run.t(end), tspan(end), run.why.message);
  endif

  stats = struct ("nsteps", run.steps, "nfailed", run.rejected, "nfevals", __rattle__ ("calls", id));
  if (strcmpi (option (options, "Stats", "off"), "on"))
    printf ("Number of successful steps: %d\nNumber of failed attempts:  %d\nNumber of function calls:   %d\n", ...
            stats.nsteps, stats.nfailed, stats.nfevals);
  endif
  out = {};
  if (outputs == 1)
    sol = struct ("x", run.t, "y", run.x, "solver", name);
    if (! isempty (events))
      sol.xe = run.te.';
      sol.ye = run.xe.';
      sol.ie = run.ie.';
    endif
    sol.stats = stats;
    out = {sol};
  elseif (outputs > 1)
    out = {run.t.', run.x.', run.te.', run.xe.', run.ie.'};
  endif

endfunction

## A warning where the start is off the constraints by more than the digits of one typed by hand
function warn_if_off (name, options, q)

  g = option (options, "ConstraintFcn", []);
  if (isempty (g))
    return;
  endif
  off = abs (feval (g, q)(:));
  size_ = abs (feval (option (options, "ConstraintGradFcn", []), q)) * abs (q);
  if (any (off > 1e-3 * size_))
    warning ("rattle:OFF_CONSTRAINTS", "%s: X0 violates g(q) = 0 by %.2g; the first step moves there, and changes the momenta for it", name, max (off));
  endif

endfunction

## (options, other arguments of f), as of Octave's solvers
function [options, extra] = options_of (given)

  options = struct ();
  extra = given;
  if (! isempty (given) && isstruct (given{1}))
    options = given{1};
    extra = given(2:end);
  elseif (! isempty (given) && isempty (given{1}))
    extra = given(2:end);
  endif

endfunction

## Lengths of steps: fixed (TimeStepSize, TimeStepNumber) or by their error
function pace = pace_of (name, options, tspan, f, x0, extra)

  span = tspan(end) - tspan(1);
  size = option (options, "TimeStepSize", []);
  number = option (options, "TimeStepNumber", []);
  if (isempty (size) && ! isempty (number))
    size = abs (span) / number;
  endif
  pace.fixed = ! isempty (size);
  pace.relative = option (options, "RelTol", 1e-3);
  pace.absolute = option (options, "AbsTol", 1e-6)(:);
  pace.most = option (options, "MaxStep", abs (span) / 10);
  pace.norm = strcmpi (option (options, "NormControl", "off"), "on");
  h = either (pace.fixed, size, option (options, "InitialStep", []));
  if (isempty (h))
    scale = max (pace.absolute, pace.relative * abs (x0));
    slope = norm (f (tspan(1), x0, extra{:})(:) ./ scale);
    h = min (pace.most, 0.01 * max (norm (x0 ./ scale), 1) / max (slope, realmin));
  endif
  if (! isscalar (h) || ! isreal (h) || ! isfinite (h) || h == 0)
    error ("Octave:invalid-input-arg", "%s: the length of a step must be a finite number other than 0", name);
  endif
  for limit = {pace.relative, pace.absolute, pace.most}
    if (! all (limit{1} > 0))
      error ("Octave:invalid-input-arg", "%s: RelTol, AbsTol and MaxStep must be positive", name);
    endif
  endfor
  if (! any (numel (pace.absolute) == [1, numel(x0)]))
    error ("Octave:invalid-input-arg", "%s: AbsTol must have 1 or %d numbers", name, numel (x0));
  endif
  pace.h = sign (span) * abs (h);

endfunction
