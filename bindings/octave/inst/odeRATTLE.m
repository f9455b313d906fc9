## Copyright (C) the authors of librattle
##
## Part of librattle, under its licence (LICENSE); see COPYING-octave.

## -*- texinfo -*-
## @deftypefn  {} {[@var{t}, @var{x}] =} odeRATTLE (@var{f}, @var{tspan}, @var{x0})
## @deftypefnx {} {[@var{t}, @var{x}] =} odeRATTLE (@var{f}, @var{tspan}, @var{x0}, @var{options})
## @deftypefnx {} {[@var{t}, @var{x}] =} odeRATTLE (@var{f}, @var{tspan}, @var{x0}, @var{options}, @var{par1}, @dots{})
## @deftypefnx {} {[@var{t}, @var{x}, @var{te}, @var{xe}, @var{ie}] =} odeRATTLE (@dots{})
## @deftypefnx {} {@var{sol} =} odeRATTLE (@dots{})
## Integrate a Hamiltonian system with constraints g(q) = 0 by RATTLE.
##
## @example
## @group
## q' = H_p,   p' = -H_q - G(q)' lambda,   g(q) = 0,   G = dg/dq
## @end group
## @end example
##
## @var{f}(t, x, par1, @dots{}) returns [H_p; -H_q] at @var{x} = [q; p]; H may have any form.  @var{tspan} is [t0, tend], or the times at
## which the solution is wanted.  Each row of @var{x} belongs to a time in @var{t}.  All rows but the first, which is @var{x0} as given, have
## g(q) = 0 and G(q) H_p = 0 to round-off.
##
## Forces that are no gradient, such as friction and drives, are added to the second half: [H_p; -H_q + force(t, q, p)].  Steps are then those of
## models with @code{force} (the discrete Lagrange-d'Alembert principle), of the same order, and not symplectic.
##
## A start with g(q) of some size gives a warning, @code{rattle:OFF_CONSTRAINTS}.
##
## @var{options} is a structure, as @code{odeset} makes it (which warns of names that it does not know), with the fields
##
## @table @code
## @item ConstraintFcn
## g(q), a column of m numbers.
## @item ConstraintGradFcn
## G(q), m by n.
## @item ConstraintHessFcn
## The second derivatives of g, n by n by m.  Without it they are differences, which changes results by round-off only.
## @item ConstraintsNb
## m; by default the number of values of @code{ConstraintFcn}.
## @item HamiltonianHessFcn
## The second derivatives of H at (t, x), 2n by 2n, less those of forces in the first n rows.  Without it: differences, as above.
## @item InverseMass
## The diagonal of M^-1, for H = p' M^-1 p/2 + V(q).  @var{f} is then not asked for H_p.  (Without it such H are noticed.)
## @item Separable
## @code{"on"}: H = T(p) + V(q).
## @item Method
## Another method of the library, such as @code{"suzuki4(rattle(verlet))"}.
## @item TimeStepSize
## All steps have this length: the method is then symmetric and symplectic.  The last one is shorter where the end requires it.
## @item TimeStepNumber
## So many steps of equal length.
## @item RelTol, AbsTol, NormControl
## Without @code{TimeStepSize} the lengths of steps follow from their error, that of two half steps, whose result is kept: at most
## @code{max (AbsTol, RelTol*abs (x))} in each component (1e-3, 1e-6), or in norm.  Such runs are not symplectic.
## @item InitialStep, MaxStep
## The first and the longest step of such a run.
## @item Events
## @code{[value, isterminal, direction] = Events (t, x)}: where a value passes 0.
## @item OutputFcn, OutputSel, Refine
## @code{stop = OutputFcn (t, x, flag)}, called for each row of the result; the numbers in x that it is given; the number of rows for each step.
## @item Stats
## @code{"on"} prints counts.
## @end table
##
## Points between those of the steps, for @var{tspan} of many times, @code{Refine} and @code{Events}, are steps of that length from the point
## before.  They satisfy the constraints as all others do, and the run does not depend on them.
##
## A run that cannot go on ends with the last good point and a warning @code{rattle:}@var{STATUS} that has the reason.  With one output the result
## is a structure with the fields @code{x} (times), @code{y}, @code{solver}, @code{stats}, and @code{xe}, @code{ye}, @code{ie}.  Without outputs the
## solution is drawn.
##
## @example
## @group
## f = @@(t, x) [x(3:4); 0; -1];                    # a pendulum
## options = struct ("ConstraintFcn", @@(q) q'*q - 1, "ConstraintGradFcn", @@(q) 2*q', "TimeStepSize", 0.025);
## [t, x] = odeRATTLE (f, [0, 100], [1; 0; 0; -2], options);
## @end group
## @end example
## @seealso{odeSHAKE, rattle, rattle_run, odeset, ode45}
## @end deftypefn

function varargout = odeRATTLE (f, tspan, x0, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  out = solve ("odeRATTLE", "rattle(verlet)", nargout, f, tspan, x0, varargin{:});
  [varargout{1:nargout}] = out{1:nargout};

endfunction

%!shared pendulum, rod, x0
%! pendulum = @(t, x) [x(3:4); 0; -1];
%! rod = struct ("ConstraintFcn", @(q) q.'*q - 1, "ConstraintGradFcn", @(q) 2*q.', "ConstraintsNb", 1);
%! x0 = [1; 0; 0; -2];

%!function r = scheme (y, f, g, G, m, t, h, x)  # the printed scheme: y = (q1, p_half, p1, lambda, mu)
%! n = numel (x)/2;
%! q0 = x(1:n); q = y(1:n); half = y(n+1:2*n); p = y(2*n+1:3*n);
%! f0 = f (t, [q0; half]); f1 = f (t + h, [q; half]);
%! r = [q - q0 - h/2*(f0(1:n) + f1(1:n)); half - x(n+1:end) - h/2*(f0(n+1:end) - G(q0).'*y(3*n+(1:m)));
%!      p - half - h/2*(f1(n+1:end) - G(q).'*y(3*n+m+(1:m))); g(q); G(q)*f(t + h, [q; p])(1:n)];
%!endfunction

%!function x1 = oracle (f, options, t, h, x)  # by Newton's method with central differences
%! n = numel (x)/2; m = options.ConstraintsNb;
%! r = @(y) scheme (y, f, options.ConstraintFcn, options.ConstraintGradFcn, m, t, h, x);
%! y = [x; x(n+1:end); zeros(2*m, 1)];
%! for iteration = 1:12
%!   J = zeros (numel (y));
%!   for k = 1:numel (y)
%!     d = zeros (size (y)); d(k) = 2^-18;
%!     J(:,k) = (r(y + d) - r(y - d))/2^-17;
%!   endfor
%!   y -= J\r(y);
%! endfor
%! x1 = y([1:n, 2*n+1:3*n]);
%!endfunction

%!test # a step is that of the printed scheme
%! [t1, x1, err] = rattle (pendulum, 0, x0, 0.1, rod);
%! assert (t1, 0.1);
%! assert (x1, oracle (pendulum, rod, 0, 0.1, x0), 1e-14);
%! fine = oracle (pendulum, rod, 0.05, 0.05, oracle (pendulum, rod, 0, 0.05, x0));
%! assert (err, norm (fine - x1)/3, 1e-14);

%!test # of H that is not separable, with Hessians or without, and of a spherical pendulum that depends on time
%! f = @(t, x) [(1 + 0.3*x(2))*x(3:4); 0; -1 - 0.15*(x(3:4).'*x(3:4))];
%! expected = oracle (f, rod, 0, 0.1, x0);
%! [~, x1] = rattle (f, 0, x0, 0.1, rod);
%! assert (x1, expected, 1e-14);
%! more = rod;
%! more.ConstraintHessFcn = @(q) 2*eye (2);
%! more.HamiltonianHessFcn = @(t, x) [0, 0, 0, 0; 0, 0, 0.3*x(3:4).'; [0; 0], 0.3*x(3:4), (1 + 0.3*x(2))*eye(2)];
%! [~, x1] = rattle (f, 0, x0, 0.1, more);
%! assert (x1, expected, 1e-14);
%! f = @(t, x) [x(4:6); cos(3*t); 0; -1 - sin(t)*x(1)];
%! z = [0.6; 0; 0.8; 0.8; 1; -0.6];
%! [~, x1] = rattle (f, 2, z, 0.1, rod);
%! assert (x1, oracle (f, rod, 2, 0.1, z), 1e-14);

%!test # forces that are no gradient: friction, and a follower force; with differences, with derivatives, as a model has them
%! f = @(t, x) [x(3:4); -0.3*x(3) - 0.5*x(2); -1 - 0.3*x(4) + 0.5*x(1)];
%! [~, x1] = rattle (f, 0, x0, 0.1, rod);
%! assert (x1, oracle (f, rod, 0, 0.1, x0), 1e-14);
%! more = setfield (rod, "HamiltonianHessFcn", @(t, x) [0, 0.5, 0.3, 0; -0.5, 0, 0, 0.3; zeros(2), eye(2)]);
%! [~, x1] = rattle (f, 0, x0, 0.1, more);
%! assert (x1, oracle (f, rod, 0, 0.1, x0), 1e-14);
%! name = [tempname(), ".lua"];
%! file = fopen (name, "w");
%! fputs (file, "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y) constrain('rod', x^2 + y^2 - 1)\n");
%! fputs (file, "force { x = -0.3*px - 0.5*y, y = -0.3*py + 0.5*x } start { x = 1, py = -2 }");
%! fclose (file);
%! for method = {"rattle(verlet)", "rattle(midpoint)", "suzuki4(rattle(midpoint))"}
%!   run = rattle_run (name, "method", method{1}, "step", 0.05, "steps", 20);
%!   [~, x] = odeRATTLE (f, [0, 1], x0, setfield (setfield (rod, "TimeStepSize", 0.05), "Method", method{1}));
%!   assert (x(end,:), [run.q(end,:), run.p(end,:)], 1e-12);
%! endfor
%! delete (name);

%!test # forces that begin later are found
%! f = @(t, x) [x(3:4); 0; -1 - (t > 0.45)*sin(5*t)];
%! options = setfield (rod, "TimeStepSize", 0.1);
%! [t, x] = odeRATTLE (f, [0, 1], x0, options);
%! y = x0;
%! for k = 0:9
%!   y = oracle (f, rod, k*0.1, 0.1, y);
%! endfor
%! assert (x(end,:).', y, 1e-13);

%!test # H of the form p' M^-1 p/2 + V(q) is noticed, which saves calls; that it has another form further on, or another M, too
%! options = setfield (rod, "TimeStepSize", 0.1);
%! sol = odeRATTLE (pendulum, [0, 10], x0, options);
%! assert (sol.stats.nfevals < 20*sol.stats.nsteps);
%! f = @(t, x) [(1 + max (0, -0.3 - x(2)))*x(3:4); 0; -1 + (x(2) < -0.3)*(x(3:4).'*x(3:4))/2];
%! g = @(t, x) [[1, 0.2; 0.2, 2]*x(3:4); 0; -1];
%! for force = {f, g}
%!   [t, x] = odeRATTLE (force{1}, [0, 0.5], x0, options);
%!   y = x0;
%!   for k = 0:4
%!     y = oracle (force{1}, rod, k*0.1, 0.1, y);
%!   endfor
%!   assert (x(end,:).', y, 1e-13);
%! endfor

%!test # order 2; g and the hidden constraint at round-off; two rods
%! f = @(t, x) [x(5:8); 0; -1; 0; -1];
%! options = struct ("ConstraintFcn", @(q) [q(1:2).'*q(1:2) - 1; sumsq(q(3:4) - q(1:2)) - 1], "ConstraintsNb", 2);
%! options.ConstraintGradFcn = @(q) 2*[q(1:2).', 0, 0; (q(1:2) - q(3:4)).', (q(3:4) - q(1:2)).'];
%! z = [1; 0; 2; 0; 0; 0; 0; 0];
%! for k = 1:4
%!   [t, x] = odeRATTLE (f, [0, 1], z, setfield (options, "TimeStepNumber", 10*2^k));
%!   ends(k,:) = x(end,:);
%! endfor
%! differences = max (abs (diff (ends)), [], 2);
%! assert (log2 (differences(1:2)./differences(2:3)), [2; 2], 0.1);
%! G = options.ConstraintGradFcn;
%! for k = 1:rows (x)
%!   g(k) = max (abs (options.ConstraintFcn (x(k,1:4).')));
%!   psi(k) = max (abs (G(x(k,1:4).')*x(k,5:8).'));
%! endfor
%! assert (max (g) < 1e-14 && max (psi) < 1e-13);

%!test # InverseMass and Separable: the same steps
%! [~, a] = odeRATTLE (pendulum, [0, 2], x0, setfield (rod, "TimeStepSize", 0.05));
%! [~, b] = odeRATTLE (pendulum, [0, 2], x0, setfield (setfield (rod, "TimeStepSize", 0.05), "InverseMass", 1));
%! [~, c] = odeRATTLE (pendulum, [0, 2], x0, setfield (setfield (rod, "TimeStepSize", 0.05), "Separable", "on"));
%! assert (b, a, 1e-12);
%! assert (c, a, 1e-12);

%!test # tolerances: the error follows them
%! [~, exact] = odeRATTLE (pendulum, [0, 2], x0, setfield (setfield (rod, "TimeStepNumber", 400), "Method", "kahan_li8(rattle(verlet))"));
%! warning ("off", "Octave:invalid-input-arg", "local");   # odeset: unknown option
%! for k = 1:3
%!   options = odeset ("RelTol", 10^-(k+2), "AbsTol", 10^-(k+2), "InitialStep", 0.01, "ConstraintFcn", rod.ConstraintFcn, ...
%!                     "ConstraintGradFcn", rod.ConstraintGradFcn, "ConstraintsNb", 1);
%!   [t, x] = odeRATTLE (pendulum, [0, 2], x0, options);
%!   error_(k) = norm (x(end,:) - exact(end,:));
%!   steps(k) = numel (t) - 1;
%!   assert (t(end), 2);
%! endfor
%! assert (all (error_ < steps .* 10.^-(3:5)));       # each step is within the tolerance
%! assert (steps(3)/steps(1), 10^(2/3), 1);

%!test # many times, back in time, Refine: points on g = 0, the run itself unchanged
%! options = setfield (rod, "TimeStepSize", 0.1);
%! [t, x] = odeRATTLE (pendulum, [0, 1], x0, options);
%! [s, y] = odeRATTLE (pendulum, [0, 0.25, 0.3, 0.77, 1], x0, options);
%! assert (s, [0; 0.25; 0.3; 0.77; 1]);
%! assert (y([3, 5],:), x([4, 11],:), 1e-13);
%! [~, between] = rattle (pendulum, 0.2, x(3,:).', 0.05, rod);
%! assert (y(2,:).', between, 1e-13);
%! [s, z] = odeRATTLE (pendulum, [0, 1], x0, setfield (options, "Refine", 3));
%! assert (s(1:4), [0; 1; 2; 3]*0.1/3, 1e-15);
%! assert (z(1:3:end,:), x, 1e-13);
%! assert (max (abs (sumsq (z(:,1:2), 2) - 1)) < 1e-14);
%! [s, back] = odeRATTLE (pendulum, [1, 0], x(end,:), options);
%! assert (s(end), 0);
%! assert (back(end,:).', x0, 1e-12);
%! [s, cut] = odeRATTLE (pendulum, [0, 0.25], x0, options);
%! assert (s, [0; 0.1; 0.2; 0.25], 1e-15);
%! assert (cut(end,:).', between, 1e-13);

%!function [value, terminal, direction] = lowest (t, x)  # the rod hangs down; it is at the left
%! value = [x(1); x(1) + 0.9];
%! terminal = [0; 1];
%! direction = [-1; 0];
%!endfunction

%!test # events: to round-off of the time, on g = 0; a terminal one ends the run
%! options = setfield (setfield (rod, "TimeStepSize", 0.05), "Events", @lowest);
%! [t, x, te, xe, ie] = odeRATTLE (pendulum, [0, 10], x0, options);
%! assert (ie, [1; 2]);
%! assert (xe(:,1), [0; -0.9], 1e-14);
%! assert (sumsq (xe(:,1:2), 2), [1; 1], 1e-14);
%! assert (t(end), te(2));
%! assert (x(end,:), xe(2,:));
%! sol = odeRATTLE (pendulum, [0, 10], x0, options);
%! assert (sol.x, t.');
%! assert (sol.y, x.');
%! assert (sol.solver, "odeRATTLE");
%! assert (sol.xe(:), te);
%! assert (sol.ie(:), ie);
%! assert (sol.stats.nsteps, numel (t) - 1);

%!function stop = note (t, x, flag, varargin)
%! global rattle_notes
%! stop = false;
%! if (strcmp (flag, "init"))
%!   rattle_notes = struct ("begin", t, "t", [], "x", [], "done", false);
%! elseif (strcmp (flag, "done"))
%!   rattle_notes.done = true;
%! else
%!   rattle_notes.t(end+1) = t;
%!   rattle_notes.x(:,end+1) = x;
%!   stop = t > 0.45;
%! endif
%!endfunction

%!test # OutputFcn and OutputSel; more arguments of f
%! global rattle_notes
%! f = @(t, x, gravity) [x(3:4); 0; -gravity];
%! options = rod;
%! options.TimeStepSize = 0.1;
%! options.OutputFcn = @note;
%! options.OutputSel = [2, 4];
%! [t, x] = odeRATTLE (f, [0, 1], x0, options, 1);
%! assert (rattle_notes.begin, [0; 1]);
%! assert (rattle_notes.t, [0.1, 0.2, 0.3, 0.4, 0.5], 1e-15);
%! assert (rattle_notes.x.', x(2:end,[2, 4]));
%! assert (rattle_notes.done);
%! assert (t(end), 0.5);
%! [~, y] = rattle (pendulum, 0, x0, 0.1, rod);
%! assert (x(2,:).', y, 1e-14);
%! clear -global rattle_notes

%!test # no constraints: Verlet's method
%! f = @(t, x) [x(2); -x(1)];
%! [t, x] = odeRATTLE (f, [0, 1], [1; 0], struct ("TimeStepSize", 0.1));
%! p = -0.05;
%! assert (x(2,:), [1 + 0.1*p, p - 0.05*(1 + 0.1*p)], 1e-15);

%!test # what a function throws comes through, and leaves nothing behind
%! for k = 1:50
%!   try
%!     [t, x] = odeRATTLE (@(t, x) [x(3:4); 0; -1/(t < 0.25 || error ("mine:too_late", "t = %g", t))], [0, 1], x0, setfield (rod, "TimeStepSize", 0.1));
%!     assert (false);
%!   catch thrown
%!     assert (thrown.identifier, "mine:too_late");
%!   end_try_catch
%! endfor

%!test # a step without a solution: what there is up to it, with a warning that has the reason
%! lastwarn ("", "");
%! evalc ('[t, x] = odeRATTLE (@(t, x) [x(3:4); 0; -exp(8*t)], [0, 3], x0, setfield (rod, "TimeStepSize", 0.25));');
%! [message, id] = lastwarn ();
%! assert (strncmp (id, "rattle:", 7));
%! assert (t(end) < 3 && numel (t) > 1);
%! assert (max (abs (sumsq (x(:,1:2), 2) - 1)) < 1e-14);

%!error <TSPAN> [t, x] = odeRATTLE (pendulum, [0, 0], x0, rod)
%!error <TSPAN> [t, x] = odeRATTLE (pendulum, [0, 2, 1], x0, rod)
%!error <even number> [t, x] = odeRATTLE (pendulum, [0, 1], [1; 0; 0], rod)
%!error <ConstraintGradFcn> [t, x] = odeRATTLE (pendulum, [0, 1], x0, struct ("ConstraintFcn", @(q) q.'*q - 1))
%!error <f returned 2 numbers, not 4> [t, x] = odeRATTLE (@(t, x) x(1:2), [0, 1], x0, setfield (rod, "TimeStepSize", 0.1))
%!error <"Mass"> [t, x] = odeRATTLE (pendulum, [0, 1], x0, setfield (rod, "Mass", eye (4)))
%!error <rattl> [t, x] = odeRATTLE (pendulum, [0, 1], x0, setfield (rod, "Method", "rattl(verlet)"))
%!error odeRATTLE ()

%!test # a start off the constraints
%! options = setfield (rod, "TimeStepSize", 0.01);
%! lastwarn ("", "");
%! [t, x] = odeRATTLE (pendulum, [0, 0.02], [0.7071; 0.7071; 0; 0], options);
%! [~, id] = lastwarn ();
%! assert (id, "");
%! evalc ('[t, x] = odeRATTLE (pendulum, [0, 0.02], [1.02; 0; 0; -2], options);');
%! [~, id] = lastwarn ();
%! assert (id, "rattle:OFF_CONSTRAINTS");
%! assert (sumsq (x(2,1:2)), 1, 1e-15);

%!test # calls of a step for an H that is not separable: values are not asked for twice
%! f = @(t, x) [(1 + 0.3*x(2))*x(5:8); 0; -1 - 0.15*(x(5:8).'*x(5:8)); 0; -1];
%! rods = struct ("ConstraintFcn", @(q) [q(1:2).'*q(1:2) - 1; sumsq(q(3:4) - q(1:2)) - 1], "ConstraintsNb", 2, "TimeStepSize", 0.025, ...
%!                "ConstraintGradFcn", @(q) 2*[q(1:2).', 0, 0; (q(1:2) - q(3:4)).', (q(3:4) - q(1:2)).']);
%! sol = odeRATTLE (f, [0, 1], [1; 0; 2; 0; 0; 0; 0; 0], rods);
%! assert (sol.stats.nsteps, 40);
%! assert (sol.stats.nfevals <= 32*40);
