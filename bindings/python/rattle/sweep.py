"""Sweeps: many runs of a problem that differ in their starts and parameters, a row for each."""
from __future__ import annotations

import types
from typing import Any

import numpy
import numpy.typing

from rattle._c import Array, address, bytes_of, ffi, lib, options, own, text
from rattle.cases import Cases
from rattle.errors import BadArgument, RattleError, exception
from rattle.problem import EVALUATORS
from rattle.progress import bar
from rattle.run import MOST_STEPS
from rattle.watch import Watch, failed

WORDS = ("ends", "summary", "energy", "observables", "chaos")
INDICATORS = ("megno", "sali", "exponent")
#: Numbers of a summary that are kept, and their places in the C struct; times of the clock differ from sweep to sweep.
FIGURES = {name: field.offset for name, field in ffi.typeof("rattle_summary").fields
           if field.type.cname == "double" and name not in ("step", "start", "stop", "wall_seconds")}
#: Columns by the names that `rattle sweep` gives them, and "energy", that at the end.
COLUMNS = {"energy": "energy_final", "energy_error": "energy_max_error", "g": "g_max", "psi": "psi_max"}


class Sweep:
    """Results of the cases of a sweep: a row for each, in all arrays.

    q, p: [cases, n] at the end, of a case that failed after its last good step, nan if it did not begin; q0, p0: at the start
    sweep["x"]: a column by name, that of a coordinate, momentum or observable at the end; "start:x" and "set:gravity" are what was given
    status: "OK", or the name of what failed; message: one sentence, or ""; failed: status is not "OK"; errors: {case: exception}
    time, steps: the end time and the steps made; observed: [cases, observables] at the end, nan where one is undefined
    has_work: energy may come in by forces, drives or heat baths; then sweep["H"], ["work"] and ["balance"], H - work, are there beside ["energy"], the balance
    chaos: None, or arrays `megno`, `sali` and `exponent`, which are columns too (docs/sweeps.md#chaos)
    summary: None, or arrays by the names in `run.summary`: energy_max_error, g_max ...
    shape: of the grid, sweep["x"].reshape(sweep.shape) has an axis for each that was given; method: the method expression; h: the step

    Pickles."""

    method: str
    h: float
    shape: tuple[int, ...]
    given: dict[str, Array]
    coordinates: list[str]
    momenta: list[str]
    observables: list[str]
    q0: Array
    p0: Array
    q: Array
    p: Array
    observed: Array
    time: Array
    steps: numpy.typing.NDArray[numpy.int64]
    status: numpy.typing.NDArray[numpy.str_]
    message: numpy.typing.NDArray[numpy.object_]
    failed: numpy.typing.NDArray[numpy.bool_]
    errors: dict[int, RattleError]
    summary: types.SimpleNamespace | None
    chaos: types.SimpleNamespace | None
    has_work: bool

    def columns(self) -> dict[str, Any]:
        """All arrays of one number, or text, for each case, by name."""
        result = {}
        for names, values in ((self.coordinates, self.q), (self.momenta, self.p), (self.observables, self.observed)):
            result.update(zip(names, values.T))
        first = {**self.given, "status": self.status, "time": self.time, "steps": self.steps}
        last = {} if self.summary is None else {name: getattr(self.summary, figure) for name, figure in COLUMNS.items()}
        if last and self.has_work:
            supplied = 0.0 if self._clock < 0 else 0 - self.p[:, self._clock]
            work = self.summary.work + supplied
            last.update(H=last["energy"] + work, work=work, balance=last["energy"])
        if self.chaos is not None:
            last.update(vars(self.chaos))
        # a column that every sweep has, where the model has given its name to another
        first, last = ({"rattle:" + name if name in result else name: column for name, column in part.items()} for part in (first, last))
        return {**first, **result, **last}

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each case."""
        import pandas
        return pandas.DataFrame(self.columns())

    def __getitem__(self, name: str) -> Any:
        columns = self.columns()
        if name not in columns:
            raise KeyError(f"{name!r}: expected one of {', '.join(columns)}")
        return columns[name]

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self):
        return f"<rattle.Sweep: {self.method}, {len(self)} cases with steps of {self.h:g}, {int(self.failed.sum())} of them failed>"


class Kept:
    """Results kept of each case: flags of the ensemble, observables by their indices, numbers of summaries."""

    def __init__(self, keep, names):
        words = [keep] if isinstance(keep, str) else list(keep or ())
        for word in words:
            if word not in WORDS and word not in names:
                raise BadArgument(f"keep: there is no {word!r}; give some of {', '.join([*WORDS, *names])}")
        self.observables = [k for k, name in enumerate(names) if "observables" in words or name in words]
        self.figures = FIGURES if "summary" in words or ("energy" in words and "energy" not in names) else {}
        self.indicators = INDICATORS if "chaos" in words else ()
        self.flags = ((lib.RATTLE_KEEP_OBSERVABLES if self.observables else 0) | (lib.RATTLE_KEEP_SUMMARY if self.figures else 0)
                      | (lib.RATTLE_KEEP_CHAOS if self.indicators else 0))


class Rows(Watch):
    """The arrays of a sweep, its C struct, and what the functions of Python that C calls are given."""

    def __init__(self, problem, cases, kept, show):
        super().__init__(show)
        rows, n = len(cases), problem.n
        self.failures, self.names = {}, [bytes_of(name) for name in cases.parameters]
        self.variable, self.observable = numpy.array(cases.variables, dtype=numpy.intc), numpy.array(kept.observables, dtype=numpy.intc)
        self.offset = numpy.array(list(kept.figures.values()), dtype=numpy.int64)
        self.start, self.value = cases.start, cases.value
        self.parameter = ffi.new("rattle_parameter[]", [(name, 0.0) for name in self.names])
        widths = {"q0": n, "p0": n, "q": n, "p": n, "observed": len(kept.observables), "summary": len(kept.figures),
                  "chaos": len(kept.indicators)}
        self.arrays = {name: numpy.full((rows, width), numpy.nan) for name, width in widths.items()}
        self.arrays["time"] = numpy.full(rows, numpy.nan)
        self.steps = numpy.zeros(rows, dtype=numpy.int64)
        self.status = numpy.full(rows, lib.RATTLE_INTERRUPTED, dtype=numpy.intc)
        doubles = {name: address(array) for name, array in self.arrays.items()}
        self.c = ffi.new("rattle_python_sweep *", {
            "watch": self.handle, "cases": rows, "n": n, "observables": len(problem.observables), "starts": len(self.variable),
            "parameters": len(self.names), "variable": ffi.from_buffer("int[]", self.variable), "start": address(self.start),
            "value": address(self.value), "parameter": self.parameter, "observed_count": len(kept.observables),
            "summaries": len(kept.figures), "indicators": len(kept.indicators), "observable": ffi.from_buffer("int[]", self.observable),
            "offset": ffi.from_buffer("long long[]", self.offset), "steps": ffi.from_buffer("long long[]", self.steps),
            "status": ffi.from_buffer("int[]", self.status), **doubles})

    def options(self, problem, plan, kept, settings):
        """For rattle_ensemble, and what its pointers hold on to."""
        adapts = lib.rattle_method_adapts(own("method", lib.rattle_method_parse, bytes_of(plan.method)))
        by_time, method = adapts and plan.stop is not None, bytes_of(plan.method)
        end = ffi.new("double *", 0.0 if plan.stop is None else plan.stop)
        how = options("ensemble_options", cases=len(self.status), keep=kept.flags, start=plan.start, step=plan.step,
                      steps=MOST_STEPS if by_time else plan.steps, project=int(plan.project), interrupt=self.interrupt, **settings)
        model, events = lib.rattle_problem_model(problem._c), None
        if model != ffi.NULL and lib.rattle_model_wishes(model).exact and plan.stop is not None:
            events = how.events = options("events", end=end)
        if by_time:
            how.until = end
        how.method, how.self = method, self.c
        how.parse = ffi.addressof(lib, "rattle_model_parse")
        for name, function in (("describe", "describe"), ("begin", "begin"), ("end", "end"), ("progress", "swept")):
            setattr(how, name, ffi.addressof(lib, "rattle_python_" + function))
        return how, (method, end, events)

    def result(self, problem, plan, cases, kept):
        found = Sweep()
        model = lib.rattle_problem_model(problem._c)
        found._clock = -1 if model == ffi.NULL else lib.rattle_model_clock(model)
        found.has_work = bool(lib.rattle_problem_kind(problem._c) & lib.RATTLE_FORCED) or found._clock >= 0 or samples(plan.method)
        found.method, found.h, found.shape, found.given = plan.method, plan.step, cases.shape, cases.given
        found.coordinates, found.momenta = list(problem.coordinates), list(problem.momenta)
        found.observables = [problem.observables[k] for k in kept.observables]
        summary, chaos = self.arrays.pop("summary"), self.arrays.pop("chaos")
        vars(found).update(self.arrays, steps=self.steps, errors=dict(sorted(self.failures.items())))
        found.status = numpy.array([text(lib.rattle_status_name(code)) for code in range(lib.RATTLE_STATUS_COUNT)])[self.status]
        found.failed = self.status != lib.RATTLE_OK
        found.message = numpy.full(len(self.status), "", dtype=object)
        found.message[self.status == lib.RATTLE_INTERRUPTED] = "the sweep was interrupted before this case ended"
        for number, error in self.failures.items():
            found.message[number] = str(error)
        found.summary = types.SimpleNamespace(**dict(zip(kept.figures, summary.T))) if kept.figures else None
        found.chaos = types.SimpleNamespace(**dict(zip(kept.indicators, chaos.T))) if kept.indicators else None
        return found


def samples(method):
    """True of a method with a heat bath."""
    return bool(lib.rattle_method_samples(own("method", lib.rattle_method_parse, method.encode())))


def sweep(problem, plan, cases: Cases, kept, progress, evaluator, **settings):
    """Runs the cases of a plan (settings.Plan): the Sweep. Ctrl-C raises, with the Sweep up to there as its member `sweep`."""
    if not cases.parameters:  # what no case can do is no row
        own("integrator", lib.rattle_integrator_create, problem._c, bytes_of(plan.method))
    show, close = bar(progress, "sweep")
    rows = Rows(problem, cases, kept, show)
    how, held = rows.options(problem, plan, kept, {"evaluator": EVALUATORS[evaluator], **settings})
    error = ffi.new("rattle_error *")
    status = lib.rattle_ensemble(problem._c, how, ffi.NULL, error)
    del held
    close()
    rows.reraise(status)
    found = rows.result(problem, plan, cases, kept)
    if status:
        failure = exception(error)
        failure.sweep = found
        raise failure
    return found


@ffi.def_extern(onerror=failed)
def rattle_python_ended(self, ended, cases):
    watch = ffi.from_handle(self)
    if watch.show is not None:
        watch.show(ended, cases)


@ffi.def_extern(onerror=failed, error=lib.RATTLE_CALLBACK)
def rattle_python_failed(self, number, error):
    ffi.from_handle(self).failures[number] = exception(error)
    return lib.RATTLE_OK
