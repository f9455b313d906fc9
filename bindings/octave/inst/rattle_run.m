## Copyright (C) the authors of librattle
##
## Part of librattle, under its licence (LICENSE); see COPYING-octave.

## -*- texinfo -*-
## @deftypefn {} {@var{run} =} rattle_run (@var{file}, @var{option}, @var{value}, @dots{})
## Run a model file of librattle, at the speed of the command @command{rattle run}.
##
## Options override what the model says: @qcode{"method"}, any method of @command{rattle methods}; @qcode{"step"}; @qcode{"stop"} or @qcode{"steps"};
## @qcode{"every"}, a sample each so many steps; @qcode{"project"}, true: the start is moved onto the constraints; @qcode{"compensated"}, true: compensated
## sums; @qcode{"parameters"}, a structure of values of the model's parameters; @qcode{"start"}, start values that differ from the model's, as a
## structure @code{struct ("x", 1)} or a cell of names and values, @code{@{"x[1]", 1, "px[1]", 0@}}; @qcode{"record"}, the name of a file (HDF5) that the run
## is recorded in, and @qcode{"force"}, true: an existing one is replaced.
##
## @var{run} has a row for each sample in the fields @code{t}, @code{q}, @code{p}, @code{energy}, @code{g}, @code{psi} (hidden constraints),
## @code{multipliers} and @code{observed}, of which the last is where the run ended, with names in @code{coordinates}, @code{momenta}, @code{constraints} and @code{observables}; and @code{method},
## @code{step}, @code{steps}, @code{seconds}, @code{energy_error}, @code{g_max}, @code{psi_max} (largest values over all steps); @code{summary} has all
## figures of the run, @code{events} the points of events by name (@qcode{"at"}: output at given times), @code{ended_by} the event that ended the run, and @code{counts} of evaluations, by the names of @code{rattle_summary} in @file{rattle/run.h}.  A run that could not go on
## has the samples up to there, the reason in @code{status} and @code{message}, and gives a warning; else @code{status} is @qcode{"OK"}.
## Sentences about a run that may not be as it was meant are in @code{warnings}, a cell array, and given as warnings @code{rattle:warning}.
##
## @example
## run = rattle_run ("pendulum.lua", "method", "kahan_li8(rattle(verlet))", "step", 0.1, "parameters", struct ("gravity", 9.81));
## @end example
## @seealso{odeRATTLE, odeSHAKE}
## @end deftypefn

function run = rattle_run (file, varargin)

  if (nargin < 1 || ! ischar (file) || mod (numel (varargin), 2) || ! iscellstr (varargin(1:2:end)))
    print_usage ();
  endif
  options = struct ();
  for k = 1:2:numel (varargin)
    options.(validatestring (varargin{k}, {"method", "step", "stop", "steps", "every", "project", "compensated", "parameters", "start", "record", "force"}, "rattle_run")) = varargin{k+1};
  endfor
  run = __rattle__ ("run", file, options);
  if (! strcmp (run.status, "OK"))
    warning (["rattle:" run.status], "rattle_run: %s", run.message);
  endif
  cellfun (@(text) warning ("rattle:warning", "rattle_run: %s", text), run.warnings);

endfunction

%!function file = model ()
%! file = [tempname(), ".lua"];
%! text = ['local gravity = parameter("gravity", 1) local x, px = pair("x") local y, py = pair("y") hamiltonian((px^2 + py^2)/2 + gravity*y) ' ...
%!         'constrain("rod", x^2 + y^2 - 1) observe("height", y + 1) start { x = 1, py = -2 } integrate { method = "rattle(verlet)", step = 0.025, stop = 10 }'];
%! fid = fopen (file, "w");
%! fputs (fid, text);
%! fclose (fid);
%!endfunction

%!test # what is said of a run: its step is far too long
%! file = [tempname(), ".lua"];
%! fid = fopen (file, "w");
%! fputs (fid, 'local x, px = pair("x") hamiltonian(px^2/2 + x^2/2) start { x = 1 }');
%! fclose (fid);
%! run = rattle_run (file, "method", "verlet", "step", 1.9, "steps", 50);
%! assert (numel (run.warnings), 1);
%! assert (! isempty (strfind (run.warnings{1}, "the energy is off")));
%! assert (nthargout (2, @lastwarn), "rattle:warning");
%! run = rattle_run (file, "method", "verlet", "step", 0.1, "steps", 50);
%! assert (isempty (run.warnings));
%! unlink (file);

%!test # the model's wishes; the same steps as with functions of Octave
%! file = model ();
%! run = rattle_run (file, "every", 10);
%! assert (size (run.q), [41, 2]);
%! assert (run.t(end), 10, 1e-12);
%! assert (run.coordinates, {"x", "y"});
%! assert (run.constraints, {"rod"});
%! assert (run.observed, run.q(:,2) + 1, 1e-15);
%! assert (run.g_max < 1e-15);
%! options = struct ("ConstraintFcn", @(q) q.'*q - 1, "ConstraintGradFcn", @(q) 2*q.', "TimeStepSize", 0.025);
%! [t, x] = odeRATTLE (@(t, x) [x(3:4); 0; -1], [0, 10], [1; 0; 0; -2], options);
%! assert (x(1:10:end,:), [run.q, run.p], 1e-10);
%! assert (run.energy, sumsq (run.p, 2)/2 + run.q(:,2), 1e-14);
%! unlink (file);

%!test # a run ends at its last sample
%! file = [tempname(), ".lua"];
%! fid = fopen (file, "w");
%! fputs (fid, 'local x, px = pair("x") hamiltonian((px^2 + x^2)/2) start { x = 1 } ');
%! fputs (fid, 'stop { when = x - 0.5 } output { at = { 0.25 } } ');
%! fputs (fid, 'integrate { method = "kahan_li8(verlet)", step = 0.1, stop = 0.55, exact = true }');
%! fclose (fid);
%! run = rattle_run (file);
%! assert (run.t([1, 6, end]), [0; 0.5; 0.55], 1e-15);
%! assert (run.ended_by, "");
%! assert (run.events.at.t, [0.25; 0.55]);
%! assert (run.q, cos (run.t), 1e-10);
%! assert (run.summary.stop, 0.55);
%! run = rattle_run (file, "stop", 3, "every", 4);
%! assert (run.t(end), pi/3, 1e-9);
%! assert (run.q(end), 0.5, 1e-14);
%! assert (run.events.stop.q, run.q(end));
%! assert (run.ended_by, "stop");
%! run = rattle_run (file, "steps", 3);
%! assert (run.t(end), 0.3, 1e-15);
%! unlink (file);

%!test # options
%! file = model ();
%! run = rattle_run (file, "method", "kahan_li8(rattle(verlet))", "step", 0.1, "steps", 50, "parameters", struct ("gravity", 2));
%! assert (run.method, "kahan_li8(rattle(verlet))");
%! assert (numel (run.t), 51);
%! assert (run.energy_error < 1e-6);
%! assert (run.summary.energy_max_error, run.energy_error);
%! assert (run.summary.energy_final - run.summary.energy_initial, run.energy(end) - run.energy(1));
%! assert (run.summary.counts.gradient > run.steps);
%! assert (run.energy, sumsq (run.p, 2)/2 + 2*run.q(:,2), 1e-14);
%! evalc ('run = rattle_run (file, "step", 3);');
%! assert (run.status, "DEGENERATE");
%! assert (numel (run.t), 1);
%! unlink (file);

%!test # start values: those of the other half of a pair, and of other pairs, are the model's
%! file = model ();
%! run = rattle_run (file, "steps", 5, "start", struct ("py", -3));
%! assert ([run.q(1,:), run.p(1,:)], [1, 0, 0, -3]);
%! again = rattle_run (file, "steps", 5, "start", {"py", 1, "py", -3});
%! assert (again.q, run.q);
%! below = rattle_run (file, "steps", 5, "start", {"x", 0, "y", -1, "px", 2, "py", 0});
%! assert (below.energy(1), 1, 1e-15);
%! moved = rattle_run (file, "steps", 5, "start", struct ("x", 2), "project", true);
%! assert (sumsq (moved.q(1,:)), 1, 1e-15);
%! fail ('rattle_run (file, "steps", 5, "start", struct ("x", 2))', "rod");
%! fail ('rattle_run (file, "steps", 5, "start", struct ("z", 2))', "no variable \"z\"");
%! fail ('rattle_run (file, "steps", 5, "start", {"x", 2, "y"})', "a cell of names and numbers");
%! unlink (file);

%!test # a record has the same samples
%! file = model ();
%! record = [tempname(), ".h5"];
%! run = rattle_run (file, "every", 10, "start", struct ("py", -3), "record", record);
%! data = load (record);                # HDF5 complains about objects of other kinds
%! assert (squeeze (data.particles.system.position.value).', run.q);
%! fail ('rattle_run (file, "record", record)', "exists");
%! run = rattle_run (file, "steps", 7, "record", record, "force", true);
%! data = load (record);
%! assert (size (data.particles.system.position.value), [2, 1, 8]);
%! unlink (record);
%! unlink (file);

%!error <no-such-file> rattle_run ("no-such-file.lua")
%!error <nothing> rattle_run (model (), "nothing", 1)
%!error <grvity> rattle_run (model (), "parameters", struct ("grvity", 1))
