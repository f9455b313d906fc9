## RATTLE in Octave alone (printed.m) and by librattle, for four pendulums: largest |g|, order by three runs, processor time per step (the
## least of five rounds, in which all take turns), calls of the user's functions in a step, and the time that so many calls take in a loop.
##
##     octave-cli bench/octave/compare.m
##
## Octave must find odeRATTLE and __rattle__.oct: addpath them, or set OCTAVE_PATH.

addpath (fileparts (mfilename ("fullpath")));

function z = follow (stepper, c, steps)

  z = c.x;
  h = c.stop/steps;
  for k = 0:steps-1
    [~, z] = stepper (c.f, k*h, z, h, c.options);
  endfor

endfunction

function [g, microseconds] = measure (stepper, c, steps)

  z = c.x;
  g = 0;
  watch = cputime ();
  for k = 1:steps
    [~, z] = stepper (c.f, (k-1)*c.step, z, c.step, c.options);
    g = max (g, max (abs (c.options.ConstraintFcn (z(1:end/2)))));
  endfor
  microseconds = 1e6*(cputime () - watch)/steps;

endfunction

## microseconds of a call of each function of c, in a loop: f, g, G, second derivatives of g, of H (0: not given)
function microseconds = costs_of (c)

  microseconds = zeros (5, 1);
  q = c.x(1:end/2);
  of_q = {"ConstraintFcn", "ConstraintGradFcn", "ConstraintHessFcn"};
  for i = 1:5
    watch = cputime ();
    if (i == 1)
      f = c.f;
      for k = 1:500 f (0, c.x); endfor
    elseif (i == 5 && isfield (c.options, "HamiltonianHessFcn"))
      f = c.options.HamiltonianHessFcn;
      for k = 1:500 f (0, c.x); endfor
    elseif (i < 5 && isfield (c.options, of_q{i - 1}))
      f = c.options.(of_q{i - 1});
      for k = 1:500 f (q); endfor
    else
      continue;
    endif
    microseconds(i) = 1e6*(cputime () - watch)/500;
  endfor

endfunction

## calls of each of them by work (c)
function n = calls_in (work, c)

  global calls
  calls = zeros (1, 5);
  c.f = counted (c.f, 1);
  names = {"ConstraintFcn", "ConstraintGradFcn", "ConstraintHessFcn", "HamiltonianHessFcn"};
  for i = 1:4
    if (isfield (c.options, names{i}))
      c.options.(names{i}) = counted (c.options.(names{i}), i + 1);
    endif
  endfor
  work (c);
  n = calls;

endfunction

function h = counted (f, i)

  h = @(varargin) count (f, i, varargin{:});

endfunction

function value = count (f, i, varargin)

  global calls
  calls(i)++;
  value = f (varargin{:});

endfunction

## order, from the ends of runs with N, 2N, 4N steps
function p = order (ends)

  p = log2 (norm (ends(:,1) - ends(:,2))/norm (ends(:,2) - ends(:,3)));

endfunction

sphere = struct ("ConstraintFcn", @(q) q.'*q - 1, "ConstraintGradFcn", @(q) 2*q.', "ConstraintsNb", 1);
rods = struct ("ConstraintFcn", @(q) [q(1:2).'*q(1:2) - 1; sumsq(q(3:4) - q(1:2)) - 1], "ConstraintsNb", 2, ...
               "ConstraintGradFcn", @(q) 2*[q(1:2).', 0, 0; (q(1:2) - q(3:4)).', (q(3:4) - q(1:2)).']);
second_of_rods = cat (3, 2*diag ([1, 1, 0, 0]), 2*kron ([1, -1; -1, 1], eye (2)));
cases = {struct("name", "pendulum", "f", @(t, x) [x(3:4); 0; -1], "x", [1; 0; 0; -2], "options", sphere, ...
                "H", @(t, x) diag ([0, 0, 1, 1]), "g", @(q) 2*eye (2)), ...
         struct("name", "double pendulum", "f", @(t, x) [x(5:8); 0; -1; 0; -1], "x", [1; 0; 2; 0; 0; 0; 0; 0], "options", rods, ...
                "H", @(t, x) diag ([0, 0, 0, 0, 1, 1, 1, 1]), "g", @(q) second_of_rods), ...
         struct("name", "spherical pendulum", "f", @(t, x) [x(4:6); 0; 0; -1], "x", [1; 0; 0; 0; 1; 0.5], "options", sphere, ...
                "H", @(t, x) diag ([0, 0, 0, 1, 1, 1]), "g", @(q) 2*eye (3)), ...
         struct("name", "H not separable", "f", @(t, x) [(1 + 0.3*x(2))*x(3:4); 0; -1 - 0.15*(x(3:4).'*x(3:4))], "x", [1; 0; 0; -2], ...
                "options", sphere, "H", @(t, x) [0, 0, 0, 0; 0, 0, 0.3*x(3:4).'; [0; 0], 0.3*x(3:4), (1 + 0.3*x(2))*eye(2)], "g", @(q) 2*eye (2))};

printf ("%-20s %-10s %-12s %9s %6s %12s %6s %9s\n", "", "Hessians", "", "|g|", "order", "us a step", "calls", "us in them");
for i = 1:numel (cases)
  for hessians = 0:1
    c = cases{i};
    c.stop = 1;
    c.step = 0.025;
    if (hessians)
      c.options.HamiltonianHessFcn = c.H;
      c.options.ConstraintHessFcn = c.g;
    endif
    label = {"no", "yes"}{hessians + 1};
    variants = {"odeRATTLE", c.options};
    if (i < 4)
      variants(2,:) = {"InverseMass", setfield(c.options, "InverseMass", 1)};
    endif
    slow = single = Inf;
    quick = Inf (rows (variants), 1);
    costs = Inf (5, 1);
    for round = 1:5
      [g, time] = measure (@printed, c, 20);
      slow = min (slow, time);
      costs = min (costs, costs_of (c));
      [g_single, time] = measure (@rattle, c, 50);
      single = min (single, time);
      for v = 1:rows (variants)
        watch = cputime ();
        [~, x{v}] = odeRATTLE (c.f, [0, 200*c.step], c.x, setfield (variants{v,2}, "TimeStepSize", c.step));
        quick(v) = min (quick(v), 1e6*(cputime () - watch)/200);
      endfor
    endfor
    p = order ([follow(@printed, c, 20), follow(@printed, c, 40), follow(@printed, c, 80)]);
    calls = calls_in (@(c) follow (@printed, c, 40), c)/40;
    printf ("%-20s %-10s %-12s %9.1e %6.2f %12.1f %6.0f %10.1f\n", c.name, label, "Octave", g, p, slow, sum (calls), calls*costs);
    p = order ([follow(@rattle, c, 20), follow(@rattle, c, 40), follow(@rattle, c, 80)]);
    calls = calls_in (@(c) follow (@rattle, c, 40), c)/40;
    printf ("%-20s %-10s %-12s %9.1e %6.2f %12.1f %6.0f %10.1f   %5.0f times\n", "", "", "rattle", g_single, p, single, sum (calls), calls*costs, slow/single);
    for v = 1:rows (variants)
      g = 0;
      for k = 1:rows (x{v})
        g = max (g, max (abs (c.options.ConstraintFcn (x{v}(k,1:end/2).'))));
      endfor
      calls = calls_in (@(c) nthargout (2, @odeRATTLE, c.f, [0, 200*c.step], c.x, setfield (c.options, "TimeStepSize", c.step)), ...
                        setfield (c, "options", variants{v,2}))/200;
      printf ("%-20s %-10s %-12s %9.1e %6s %12.1f %6.0f %10.1f   %5.0f times\n", "", "", variants{v,1}, g, "", quick(v), sum (calls), calls*costs, slow/quick(v));
      if (i == 1 && ! hessians && v == 1)
        pendulum_slow = slow;
      endif
    endfor
  endfor
endfor
model = fullfile (fileparts (mfilename ("fullpath")), "..", "..", "examples", "pendulum.lua");
rattle_run (model, "steps", 1000);                       # compiled during the first long run
watch = cputime ();
run = rattle_run (model, "steps", 1000000, "every", 1000);
quick = 1e6*(cputime () - watch)/run.steps;
printf ("%-20s %-10s %-12s %9.1e %6s %12.3f %6s %10s   %5.0f times\n", "pendulum.lua", "", "rattle_run", run.g_max, "", quick, "", "", pendulum_slow/quick);
