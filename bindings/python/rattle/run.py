"""Runs: many steps, their samples as arrays."""
from __future__ import annotations

import dataclasses
import math
import os
import types
import warnings

import numpy

from rattle._c import Array, Path, address, bytes_of, ffi, lib, options, own, plain, shared, text
from rattle.claims import wrong_second_derivative
from rattle.control import Control
from rattle.errors import BadArgument, RattleError, RattleWarning, check, exception
from rattle.events import Event, event_of
from rattle.problem import Problem
from rattle.progress import bar
from rattle.samples import Samples
from rattle.settings import fits
from rattle.watch import Opening, Watch, heard, observer_of

MOST_STEPS = 9_000_000_000_000_000  # of a run whose end is a time


@dataclasses.dataclass(frozen=True)
class Extreme:
    """The values of an observable over a run: at the start, after each step and at the end. NaN if one of them is not finite."""
    least: float
    least_time: float
    peak: float
    peak_time: float
    mean: float  # over time, by the trapezoidal rule


@dataclasses.dataclass
class Names:
    """Names of a problem that is elsewhere."""
    n: int
    m: int
    coordinates: list[str]
    momenta: list[str]
    constraints: list[str]
    observables: list[str]


ARRAYS = ("t", "energy", "work", "step", "q", "p", "g", "psi", "multipliers", "observed")
PLAIN = ("has_work", "events", "method", "solver", "evaluator", "h", "summary", "record", "title", "model_text", "parameters", "warnings", "extremes")


class Run(Samples):
    """The samples of a run. The arrays are the library's memory.

    t, step, energy, work, H: [samples]; energy is the balance H - work, which the motion keeps, work that of forces, drives, moving constraints and heat
    baths; has_work: False where there are none, and energy is H
    q, p: [samples, n]; g, psi, multipliers: [samples, m]; observed: [samples, observables]
    run["x"]: the samples of a coordinate, momentum or observable, or of "time", "step", "energy", "g[NAME]", "psi[NAME]", "lambda[NAME]",
    where there is work "H", "work", "balance"
    events["NAME"]: what happened at an event of the model (Event), and at given times, "at"; those that happened
    summary: what `rattle run --json` prints: energy_max_error, g_max, wall_seconds, counts ...
    method: the method expression; h: the step; problem: what was integrated
    extremes["NAME"]: of run(extremes=True) the least and the largest value of an observable, when, and its mean (Extreme); else empty
    warnings: sentences about what may not be as it was meant; run() gives them as RattleWarning
    model_text: the model in Lua, None if it was not one; parameters: the values that it was run with

    Pickles, without the problem, of which sizes and names remain: what is read back cannot be saved as a record."""

    problem: Problem
    t: Array
    energy: Array
    work: Array
    has_work: bool
    step: numpy.typing.NDArray[numpy.int64]
    q: Array
    p: Array
    g: Array
    psi: Array
    multipliers: Array
    observed: Array
    method: str
    solver: str
    evaluator: str
    h: float
    events: dict[str, Event]
    summary: types.SimpleNamespace
    record: str | None
    warnings: list[str]
    extremes: dict[str, Extreme]
    title: str
    model_text: str | None
    parameters: dict[str, float]

    def __init__(self, problem, trajectory, integrator, state, summary):
        self.problem, self._integrator, self._state, self._trajectory, self._summary = problem, integrator, state, trajectory, summary
        samples = lib.rattle_trajectory_samples(trajectory)
        rows, n, m, k = samples.count, samples.n, samples.m, samples.observables
        self.t, self.energy, self.work = (shared(x, (rows,), trajectory) for x in (samples.time, samples.energy, samples.work))
        self.has_work = bool(lib.rattle_integrator_has_work(integrator))
        self.step = shared(samples.step, (rows,), trajectory, numpy.int64)
        self.q, self.p = (shared(x, (rows, n), trajectory) for x in (samples.q, samples.p))
        self.g, self.psi, self.multipliers = (shared(x, (rows, m), trajectory) for x in (samples.g, samples.psi, samples.multipliers))
        self.observed = shared(samples.observed, (rows, k), trajectory)
        self.method = text(lib.rattle_method_text(lib.rattle_integrator_method(integrator)))
        self.solver, self.evaluator = text(lib.rattle_integrator_solver(integrator)), text(lib.rattle_integrator_evaluator(integrator))
        self.h, self.warnings, self.extremes = state.h, [], {}
        self.summary = types.SimpleNamespace(**plain(summary, leave=("error", "status")))
        self.summary.counts = types.SimpleNamespace(**self.summary.counts)
        self.summary.status = text(lib.rattle_status_name(summary.status))
        self.events = {}
        for e in range(lib.rattle_trajectory_events(trajectory)):
            found = lib.rattle_trajectory_event(trajectory, e)
            if found != ffi.NULL:
                self.events[text(found.name)] = event_of(problem, found, trajectory)
        ended = lib.rattle_trajectory_event(trajectory, self.summary.ended_by)
        self.summary.ended_by = None if ended == ffi.NULL else text(ended.name)
        names = (*problem.coordinates, *problem.momenta)
        self.summary.final = dict(zip(names, numpy.concatenate((self.q[-1], self.p[-1])).tolist())) if rows else {}
        self._describe(lib.rattle_problem_model(problem._c))

    def _describe(self, model):
        """From the C model, NULL for functions."""
        self.title, self.model_text, self.parameters = "", None, {}
        if model != ffi.NULL:
            given = ffi.new("rattle_parameter **")
            count = lib.rattle_model_parameters(model, given)
            self.title, self.model_text = text(lib.rattle_model_title(model)), text(lib.rattle_model_text(model)) or None
            self.parameters = {text(given[0][i].name): given[0][i].value for i in range(count)}

    def __getstate__(self):
        of = self.problem
        names = Names(of.n, of.m, of.coordinates, of.momenta, of.constraints, of.observables)
        return {"problem": names, **{name: getattr(self, name) for name in (*ARRAYS, *PLAIN)}}

    def __setstate__(self, state):
        vars(self).update(state, _trajectory=None)
        for name in ARRAYS:
            state[name].flags.writeable = False

    def columns(self) -> dict[str, Array]:
        """All samples by name, as in CSV: step, time, coordinates, momenta, energy, g, psi, multipliers, observables, and where there is work H, work, balance."""
        of = self.problem
        result = {}
        for names, values in ((of.coordinates, self.q), (of.momenta, self.p), (of.observables, self.observed)):
            result.update(zip(names, values.T))
        own_names = {"step": self.step, "time": self.t, "energy": self.energy}
        for prefix, values in (("g", self.g), ("psi", self.psi), ("lambda", self.multipliers)):
            own_names.update((f"{prefix}[{name}]", column) for name, column in zip(of.constraints, values.T))
        if self.has_work:
            own_names.update(H=self.H, work=self.work, balance=self.energy)
        # a column that every run has, where the model has given its name to another
        own_names = {"rattle:" + name if name in result else name: column for name, column in own_names.items()}
        first = {name: column for name, column in own_names.items() if column is self.step or column is self.t}
        return {**first, **result, **own_names}

    def problem_names(self):
        return self.problem

    @property
    def certified(self) -> bool:
        """Whether each step is proved to end where it must (docs/certificates.md)."""
        counts = self.summary.counts
        return self.summary.steps > 0 and counts.proven + counts.tracked == self.summary.steps

    @property
    def H(self) -> Array:
        """H at the samples."""
        return self.energy + self.work

    def save(self, path: Path, force: bool = False) -> None:
        """Writes a record of the run, as record= does while it runs; force: an existing one is replaced."""
        if self._trajectory is None:
            raise ValueError("a run that was pickled cannot be saved as a record: save it before, or let run(record=...) write it")
        plan = self._plan
        interrupt = ffi.new("int *")
        record = _record(self.problem, plan, path, force, self._adapts, self._outputs[0], interrupt)
        lib.rattle_record_keep_warnings(record, self._found)
        try:
            heard(lambda: replay(self, lib.rattle_record_observer(record)), interrupt)
        finally:
            ffi.release(record)
        self.record = os.fspath(path)

    def report(self, path: Path | None = None, force: bool = False) -> Path:
        """One HTML page about the run, which opens offline. Without a path, its text."""
        from rattle.report import report
        return report(self._copy_record, path, force)

    def _copy_record(self, path):
        kept = self.record
        self.save(path)
        self.record = kept

    def _repr_html_(self):
        from rattle.display import run_html
        return run_html(self)

    def __getitem__(self, name: str) -> Array:
        columns = self.columns()
        if name not in columns:
            raise KeyError(f"{name!r}: expected one of {', '.join(columns)}")
        return columns[name]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self):
        s = self.summary
        return (f"<rattle.Run: {self.method}, {s.steps} steps of {self.h:g} to t = {s.stop:g}, {len(self)} samples; largest energy error "
                f"{s.energy_max_error:.2e}" + (f", |g| {s.g_max:.1e}, |psi| {s.psi_max:.1e}" if self.problem.m else "") + ">")


def run(problem, plan, observers=(), record=None, force=False, progress=None, control=None):
    """Runs a plan (settings.Plan): the Run. A failure raises, with the Run up to there as its member `run`; second derivatives of callbacks that may
    be why are a warning."""
    try:
        return _run(problem, plan, observers, record, force, progress, control)
    except RattleError:
        wrong = None if problem.functions is None else wrong_second_derivative(problem.functions)
        if wrong is not None:
            warnings.warn(wrong, RattleWarning, stacklevel=3)
        raise


def _run(problem, plan, observers, record, force, progress, control):
    q, p = problem.start(plan.project)
    model = lib.rattle_problem_model(problem._c)
    if plan.every > 0 and not observers and (model == ffi.NULL or lib.rattle_model_events(model) == 0):  # nothing ends it before
        fits(plan.steps // plan.every, 4 + 2 * problem.n + 3 * problem.m + len(problem.observables), "samples",
             "keep fewer by every=, a sample in so many steps")
    integrator = own("integrator", lib.rattle_integrator_create, problem._c, bytes_of(plan.method))
    if plan.certify:
        check(lib.rattle_integrator_certify, integrator)
    trajectory = own("trajectory", lib.rattle_trajectory_create, problem._c)
    state = options("state", q=address(q), p=address(p), t0=plan.start, h=plan.step)
    adapts = bool(lib.rattle_method_adapts(lib.rattle_integrator_method(integrator)))
    by_time = adapts and plan.stop is not None
    show, close = bar(progress)
    watch = Watch(show)
    if control is not None:
        control = Control(control, problem, watch)
        check(lib.rattle_integrator_set_control, integrator, control.c)
    watchers = [observer_of(given, problem, watch) for given in observers]
    found = own("warnings", lib.rattle_warnings_create, integrator)
    everyone = [lib.rattle_warnings_observer(found, state), lib.rattle_trajectory_observer(trajectory)]
    asked, kept = outputs(problem, plan)
    if record is not None:
        written = _record(problem, plan, record, force, adapts, asked, watch.interrupt)
        lib.rattle_record_keep_warnings(written, found)
        opening = Opening(written, watch)
        everyone += opening.observers()
    held = [watcher.observer() for watcher in (*watchers, watch)]
    until = ffi.new("double *", plan.stop) if by_time else ffi.NULL
    if plan.extremes and not problem.observables:
        raise BadArgument("extremes: the model observes nothing; add observe(name, expression)")
    extremes = ffi.new("rattle_extreme[]", len(problem.observables)) if plan.extremes else ffi.NULL
    how = options("run_options", steps=MOST_STEPS if by_time else plan.steps, every=plan.every, initial_energy=math.nan, interrupt=watch.interrupt,
                  until=until, events=asked, extremes=extremes)
    summary, error = options("summary"), ffi.new("rattle_error *")
    status = lib.rattle_run(integrator, state, how, everyone + held, len(everyone + held), summary, error)
    close()
    if record is not None:
        ffi.release(written)
    result = Run(problem, trajectory, integrator, state, summary)
    result.record, result._plan, result._adapts = os.fspath(record) if record is not None and opening.opened else None, plan, adapts
    result._points, result._outputs, result._found = (q, p), (asked, kept), found
    if plan.extremes:
        result.extremes = {name: Extreme(**plain(of)) for name, of in zip(problem.observables, extremes)}
    watch.reraise(status)
    failure = exception(error) if status else None
    _warn(result, found)
    if failure is not None:
        failure.run = result
        raise failure
    return result


def _warn(run, found):
    """Gives the library's warnings about a run, and keeps them in it."""
    run.warnings = [text(lib.rattle_warnings_text(found, k)) for k in range(lib.rattle_warnings_count(found))]
    for sentence in run.warnings:
        warnings.warn(sentence, RattleWarning, stacklevel=5)


def outputs(problem, plan):
    """The output at given times that the model asks for, and what its struct points to."""
    model = lib.rattle_problem_model(problem._c)
    if model == ffi.NULL:
        return ffi.NULL, None
    wishes = lib.rattle_model_wishes(model)
    end = ffi.new("double *", plan.stop) if wishes.exact and plan.stop is not None else ffi.NULL
    return options("events", times=wishes.at, time_count=wishes.at_count, time_step=wishes.at_step, end=end), end


def place(one, samples, k, widths):
    """Sample k as one that an observer gets."""
    one.step, one.time, one.energy, one.work = samples.step[k], samples.time[k], samples.energy[k], samples.work[k]
    for name, width in widths.items():
        setattr(one, name, getattr(samples, name) + k * width if width else ffi.NULL)


def replay(run, observer):
    """Gives the samples of a run to another observer, as the run would have done."""
    samples, integrator, state = lib.rattle_trajectory_samples(run._trajectory), run._integrator, run._state
    extra = ffi.new("double[]", max(lib.rattle_integrator_extra(integrator), 1))
    lib.rattle_integrator_get_extra(integrator, extra)
    one = ffi.new("rattle_sample *", {"extra_size": lib.rattle_integrator_extra(integrator), "extra": extra,
                                      "energy_scale": run._summary.energy_scale})
    widths = {"q": samples.n, "p": samples.n, "g": samples.m, "psi": samples.m, "multipliers": samples.m, "observed": samples.observables}
    for k in range(samples.count):
        place(one, samples, k, widths)
        last = k == samples.count - 1  # only the last state was kept, and only it is continued
        one.state_q, one.state_p = (state.q, state.p) if last else (one.q, one.p)
        if k == 0:
            check(observer.begin, observer.self, integrator, one)
        check(observer.record, observer.self, one)
    for e in range(lib.rattle_trajectory_events(run._trajectory)):
        found = lib.rattle_trajectory_event(run._trajectory, e)
        for k in range(found.count if found != ffi.NULL else 0):
            place(one, found, k, widths)
            check(observer.event, observer.self, ffi.new("rattle_occurrence *", {
                "event": e, "name": found.name, "number": k + 1, "direction": found.direction[k], "sample": one}))
    check(observer.end, observer.self, run._summary)


def _record(problem, plan, path, force, adapts, events, interrupt):
    """The record to be written, with what `rattle run -o` would be asked for."""
    method = bytes_of(plan.method)
    stop = plan.stop if plan.stop is not None else math.nan if adapts else plan.start + plan.steps * plan.step
    how = options("record_options", force=int(force), method=method, step=plan.step, start_time=plan.start, stop=stop, steps=plan.steps,
                  every=plan.every, events=events, interrupt=interrupt)
    return own("record", lib.rattle_record_create, bytes_of(path), problem._c, how)
