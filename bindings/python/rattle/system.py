"""The common part of models and callbacks: they are checked, run, and studied."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from rattle import settings
from rattle._c import Path, address, ffi, lib, options, own, text
from rattle.cases import Cases
from rattle.certifier import Certifier
from rattle.doctor import Diagnosis
from rattle.equilibrium import Equilibrium, equilibrium, speeds
from rattle.errors import BadArgument
from rattle.integrator import Integrator
from rattle.methods import method_text
from rattle.orbit import Orbit, orbit
from rattle.run import MOST_STEPS, Run, run
from rattle.sampling import Sampling, sample
from rattle.study import Study, study
from rattle.sweep import Kept, Sweep, sweep
from rattle.tangent import Tangent

AnyMethod = Union[str, Callable[..., str]]  # an expression, or a function of rattle.methods


class System:
    """Subclasses have problem(evaluator, steps), _model (a C model or NULL), _wishes and _started(start), a copy with other start values."""

    def check(self, seed: int = 0, samples: int = 0, trial: bool = True) -> Diagnosis:
        """The Diagnosis: class and index of the constraints, methods that can integrate the problem, a method and step to begin with."""
        how = options("doctor_options", seed=seed, samples=samples, no_trial=int(not trial))
        problem = ffi.NULL
        if self._model == ffi.NULL:
            of = self.problem()
            q, p = of.given
            how.q, how.p, problem = address(q), address(p), of._c
        return Diagnosis(own("doctor", lib.rattle_doctor_create, self._model, problem, how))

    def run(self, method: AnyMethod | None = None, step: float | None = None, stop: float | None = None, steps: int | None = None,
            every: int | None = None, start: Any = None, project: bool = False, evaluator: str = "auto",
            observers: Iterable[Any] = (), record: Path | None = None, force: bool = False,
            progress: bool | None = None, certify: bool | None = None, extremes: bool = False,
            control: Callable[[Any], dict[str, float]] | None = None) -> Run:
        """Integrates: a Run. Missing arguments are the model's: integrate(...), output(...).

        method: an expression, such as "suzuki4(rattle(verlet))"; step; stop or steps; every: steps between samples
        start: values that differ from the model's, {"x": 1}, or all of them, (q, p)
        project: moves a start that violates the constraints onto them
        evaluator: "block" (interpreted), "native" (compiled by cc) or "auto"; results do not depend on it
        observers: functions that are called with each Sample; what they raise ends the run. C functions, and (C function, context), run
            without Python; the context is an address or an array (callbacks.SIGNATURES)
        record: path of an HDF5 record to write; force: an existing one is replaced
        progress: a bar, in a terminal or notebook; None: after a second, if there is anybody to see it
        certify: each step is proved to end where it must (docs/certificates.md); one that is not ends the run: Degenerate
        extremes: the Run has the extremes of all that is observed, over all steps, as of `rattle run --extremes`
        control: the samples of controllers that the model leaves open (m.controller without sample): a function of a Reading, with time, q, p,
            observed and values = {name: value}, that returns the next values by name; what it raises ends the run

        Ctrl-C ends the run after the current step: Interrupted, whose member `run` has the samples up to there."""
        if start is not None:
            return self._started(start).run(method, step, stop, steps, every, None, project, evaluator, observers, record, force, progress, certify,
                                             extremes, control)
        wishes = self._wishes
        step, stop, steps = settings.times(wishes, step, stop, steps)
        problem = self.problem(evaluator, steps)
        plan = settings.Plan(settings.method_of(wishes, problem, method), step, wishes.start_time, stop, steps,
                             settings.whole(wishes.every if every is None else every, "every"), project or bool(wishes.project),
                             bool(wishes.certify if certify is None else certify), extremes)
        return run(problem, plan, observers, record, force, progress, control)

    def integrator(self, method: AnyMethod | None = None, step: float | None = None, start: Any = None, project: bool = False,
                   evaluator: str = "auto") -> Integrator:
        """An Integrator at the start of the model, for single steps. Arguments as those of run()."""
        if start is not None:
            return self._started(start).integrator(method, step, None, project, evaluator)
        wishes = self._wishes
        problem, h = self.problem(evaluator), settings.step_of(wishes, step)
        q, p = problem.start(project or bool(wishes.project))
        return Integrator(problem, settings.method_of(wishes, problem, method), h, wishes.start_time, q, p)

    def tangent(self, method: AnyMethod | None = None, step: float | None = None, start: Any = None, project: bool = False) -> Tangent:
        """A Tangent at the start of the model: steps with their exact derivatives (docs/derivatives.md). Arguments as those of integrator()."""
        if start is not None:
            return self._started(start).tangent(method, step, None, project)
        wishes, problem = self._wishes, self.problem()
        q, p = problem.start(project or bool(wishes.project))
        return Tangent(problem, settings.method_of(wishes, problem, method), settings.step_of(wishes, step), wishes.start_time, q, p)

    def certifier(self, method: AnyMethod | None = None, step: float | None = None, start: Any = None, project: bool = False) -> Certifier:
        """A Certifier at the start of the model: steps with a proof (docs/certificates.md). Arguments as those of integrator()."""
        if start is not None:
            return self._started(start).certifier(method, step, None, project)
        wishes, problem = self._wishes, self.problem()
        q, p = problem.start(project or bool(wishes.project))
        return Certifier(problem, settings.method_of(wishes, problem, method), settings.step_of(wishes, step), wishes.start_time, q, p)

    def orbit(self, method: AnyMethod | None = None, *, period: float = 0.0, span: float = 0.0, step: float = 0.0, hold: str = "", arcs: int = 0,
              start: Any = None, project: bool = False) -> Orbit:
        """The periodic Orbit near the start of the model, with its monodromy matrix (docs/orbits.md).

        period: a guess; 0: the closest return of the trajectory within `span`; step: about as long as this (0: period/200)
        hold: "energy", "period" or "nothing" while it is sought ("": as the problem asks for); arcs: of multiple shooting (0: as many as needed)
        method, start, project: as those of integrator()"""
        if start is not None:
            return self._started(start).orbit(method, period=period, span=span, step=step, hold=hold, arcs=arcs, project=project)
        wishes, problem = self._wishes, self.problem()
        q, p = problem.start(project or bool(wishes.project))
        return orbit(problem, settings.method_of(wishes, problem, method), q, p, hold, start_time=wishes.start_time, period=period, span=span,
                     step=step, arcs=arcs)

    def equilibrium(self, start: Any = None, nearest: bool = False, lowest: int = 0, steady: Mapping[str, float] | None = None) -> Equilibrium:
        """The Equilibrium near the start, with the small motions about it: down the potential, where there is one (docs/statics.md).

        start: as that of integrator(); nearest: what Newton's method finds from there, stable or not
        lowest: how many modes (0: all, or of more than 400 coordinates the lowest 10)
        steady: a steady motion in place of rest, {"Lz": 2}: along the flows of quantities that the model observes and symmetries conserve, with these speeds"""
        if start is not None:
            return self._started(start).equilibrium(None, nearest, lowest, steady)
        problem = self.problem()
        return equilibrium(problem, problem.given[0] if self._model == ffi.NULL else None, nearest, lowest, steady)

    def study(self, kind: str = "order", methods: Iterable[AnyMethod] | None = None, *, reference: str | None = None, error: float = 0.0,
              start: Any = None, stop: float | None = None, quantity: str = "solution", step: float = 0.0, every: int = 0,
              spectrum: Iterable[str] = (), effort: float = 0.0, threads: int = 0, project: bool = False, period: float = 0.0,
              hold: str = "", arcs: int = 0, along: str = "energy", to: float = 0.0, points: int = 0, nearest: bool = False, lowest: int = 0,
              steady: Mapping[str, float] | None = None, progress: bool | None = None) -> Study:
        """A Study of kind "order", "drift", "work", "compare", "advise", "lyapunov", "orbit", "family", "equilibrium" or "modes" (docs/studies.md).

        methods: expressions (None: chosen for the problem); reference: method of the reference; stop: end time (None: one that suits)
        quantity: "solution" or "energy", of work and advise; step, every, spectrum: of drift; effort: factor for the work of a run
        period: a guess (0: the closest return until stop), hold: "energy", "period" or "nothing", arcs: of multiple shooting; of orbit and family
        along: "energy", "period", or a parameter of the model, which begins at the value that it has; to: where it ends, points: at most (0: 200); of family, equilibrium, modes
        nearest, lowest, steady: of equilibrium and modes, as in equilibrium(); along may be one of the steady quantities, whose speed then changes
        threads: 0 is all cores"""
        if start is not None:
            return self._started(start).study(kind, methods, reference=reference, error=error, stop=stop, quantity=quantity, step=step,
                                              every=every, spectrum=spectrum, effort=effort, threads=threads, project=project,
                                              period=period, hold=hold, arcs=arcs, along=along, to=to, points=points, nearest=nearest, lowest=lowest,
                                              steady=steady, progress=progress)
        problem, nan = self.problem(), float("nan")
        q, p = problem.given if self._model == ffi.NULL else (None, None)
        carried, keep = speeds(steady or {})
        return study(problem, kind, [method_text(method) for method in methods or ()], q, p, progress, reference=reference, error=error,
                     start=nan, stop=nan if stop is None else stop, quantity=quantity, step=step, every=every, spectrum=spectrum,
                     effort=effort, threads=threads, project=int(project), period=period, hold=hold, arcs=arcs,
                     along=along, to=to, points=points, nearest=int(nearest), lowest=lowest, **carried)

    def sample(self, method: AnyMethod | None = None, step: float | None = None, *, start: Any = None, chains: int = 4, samples: int = 1000,
               warmup: int = 1000, every: int = 1, acceptance: float = 0.0, seed: int = 1, multipliers: bool = False, threads: int = 0,
               evaluator: str = "auto", spread: int | None = None, starts: Any = None) -> Sampling:
        """Samples exp(-V/T) on the constraints by Markov chains: a Sampling (docs/sampling.md).

        method: a sampler (None: hmc of the default method); every: a sample every so many transitions
        step: where the warm-up begins (None: that of the model, or one that each chain finds at its start: Sampling.first_step)
        acceptance: that the warm-up steers to, 0 is the sampler's; multipliers: columns of them too; threads: 0 is all cores
        spread: moves by which each chain leaves its start first (None: 100, or 0 with starts); starts: an array [chains, 2n] of (q, p),
        which are moved onto the constraints; nan: the model's; or values by name, {"x": [1, -1, 1, -1]}, of each chain or of all"""
        if start is not None:
            return self._started(start).sample(method, step, chains=chains, samples=samples, warmup=warmup, every=every, acceptance=acceptance,
                                               seed=seed, multipliers=multipliers, threads=threads, evaluator=evaluator, spread=spread,
                                               starts=starts)
        if step is not None and not step > 0:
            raise BadArgument(f"step={step}: expected a number above 0, or None, so that it is found")
        problem = self.problem(evaluator)
        if method is None:
            method = f"hmc({text(lib.rattle_default_method(problem._c))})"
        return sample(problem, method_text(method), abs(self._wishes.step) if step is None else float(step),
                      problem.given if self._model == ffi.NULL else None, chains=chains, samples=samples, warmup=warmup, every=every,
                      acceptance=acceptance, seed=seed, multipliers=multipliers, threads=threads, spread=spread, starts=starts)

    def sweep(self, starts: Any = None, *, parameters: dict[str, Any] | None = None, grid: bool = True, method: AnyMethod | None = None,
              step: float | None = None, stop: float | None = None, steps: int | None = None, keep: str | Iterable[str] = "ends",
              project: bool = False, evaluator: str = "auto", threads: int = 0, lanes: int = 0, progress: bool | None = None,
              certify: bool | None = None) -> Sweep:
        """Runs many cases on threads: a Sweep, with a row for each (docs/sweeps.md). Missing arguments are the model's. Numbers are those of run(),
        for any number of threads.

        starts: values by name, {"x": [1, 2]}, or (q, p), arrays [cases, n]; parameters: values of those that a model file declares, {"gravity": [1, 2]};
            method, step and end are those of all cases: a case whose parameters give its model others fails, if they are not given here
        grid: every combination is a case, parameters first, the last list changing fastest; False: the k-th case has the k-th of each
        keep: "ends", which is always kept and alone the fastest; "observables", or some of them by name; "summary", "energy"; "chaos", for
            methods whose steps have a derivative; or a list
        threads: 0 is all cores; lanes: numbers in a vector, where cases are stepped together: 2, 4, 8, 1 (one by one), or 0: chosen
        method, step, stop, steps, project, evaluator, progress, certify: as those of run(); where steps are proved, `steps` of a case are

        A case that fails is a row with its status and message. Ctrl-C raises Interrupted, whose member `sweep` has the cases that ended."""
        wishes = self._wishes
        wished = (lib.RATTLE_WISHED_METHOD * (method is None) | lib.RATTLE_WISHED_STEP * (step is None)
                  | lib.RATTLE_WISHED_TIMES * (stop is None and steps is None))
        step, stop, steps = settings.times(wishes, step, stop, steps)
        known = self.problem(evaluator)
        cases = Cases({} if starts is None else starts, self._declared(parameters or {}), known.coordinates + known.momenta,
                      self._moved(), grid)
        kept = Kept(keep, known.observables)
        problem = self.problem(evaluator, min(steps * len(cases), MOST_STEPS))
        plan = settings.Plan(settings.method_of(wishes, problem, method), step, wishes.start_time, stop, steps, 1,
                             project or bool(wishes.project))
        return sweep(problem, plan, cases, kept, progress, evaluator, threads=threads, lanes=lanes, wished=wished,
                     certify=int(wishes.certify if certify is None else certify))

    def _moved(self):
        """Start values, by name, that the text of the model does not have."""
        return {}

    def _declared(self, parameters):
        """Values of parameters, if the model has them."""
        declared = self.parameters if self._model != ffi.NULL else {}
        for name in parameters:
            if name not in declared:
                raise BadArgument(f"parameters: the model has no parameter {name!r}; " + (
                    f"it has {', '.join(declared)}" if declared else "parameters are those that a model file declares"))
        return parameters

    def advise(self, error: float, methods: Iterable[AnyMethod] | None = None, **settings: Any) -> Study:
        """The cheapest method and step that reach a relative error, a Study: its verdict, why, and the methods tried (docs/advice.md)."""
        return self.study("advise", methods, error=error, **settings)
