"""Studies: many runs of a problem, evaluated together."""
from __future__ import annotations

import os
import tempfile
import types
from typing import Any

from rattle._c import Array, Path, address, bytes_of, ffi, lib, options, own, plain, shared, text
from rattle.errors import check, exception
from rattle.progress import bar
from rattle.watch import Watch

KINDS = {name.removeprefix("RATTLE_STUDY_").lower(): getattr(lib, name)
         for name in ("RATTLE_STUDY_ORDER", "RATTLE_STUDY_DRIFT", "RATTLE_STUDY_WORK", "RATTLE_STUDY_COMPARE", "RATTLE_STUDY_ADVISE", "RATTLE_STUDY_LYAPUNOV",
                      "RATTLE_STUDY_ORBIT", "RATTLE_STUDY_FAMILY", "RATTLE_STUDY_EQUILIBRIUM", "RATTLE_STUDY_MODES")}
ALONG = {"energy": lib.RATTLE_FAMILY_ENERGY, "period": lib.RATTLE_FAMILY_PERIOD}
HELD = {"": lib.RATTLE_ORBIT_HOLD_DEFAULT, "energy": lib.RATTLE_ORBIT_HOLD_ENERGY, "period": lib.RATTLE_ORBIT_HOLD_PERIOD,
        "nothing": lib.RATTLE_ORBIT_HOLD_NOTHING}
QUANTITIES = {"solution": lib.RATTLE_STUDY_SOLUTION, "energy": lib.RATTLE_STUDY_ENERGY}


def _tables(of, study):
    """{name: {column: array}}; the arrays are the library's memory."""
    result = {}
    for table in (of.table[i] for i in range(of.tables)):
        values = shared(ffi.cast("double *", table.value), (table.rows, table.columns), study)
        result[text(table.name)] = {text(table.column[c]): values[:, c] for c in range(table.columns)}
    return result


def _figures(of):
    return {text(of.figure[i].name): of.figure[i].value for i in range(of.figures)}


class Study:
    """Results of a study; docs/studies.md explains the numbers.

    methods: for each method its text, claims, status, message, verdict, why, figures {name: value}, fits {name: slope, uncertainty, low,
        high, points}, tables {name: {column: array}}
    kind, title, start, stop, frequency, reference, figures, tables, verdict, why, note: of the study

    Pickles, as the file that save() writes."""

    kind: str
    title: str
    methods: list[types.SimpleNamespace]
    start: float
    stop: float
    frequency: float
    reference: types.SimpleNamespace
    figures: dict[str, float]
    tables: dict[str, dict[str, Array]]
    verdict: str
    why: str
    note: str
    status: str

    def __init__(self, study):
        self._study = study
        of = lib.rattle_study_result_of(study)
        vars(self).update(plain(of, leave=("kind", "status", "methods", "figures", "tables", "parameters")))
        self.kind = vars(self).pop("kind_name")
        self.reference = types.SimpleNamespace(**self.reference)
        self.status = text(lib.rattle_status_name(of.status))
        self.figures, self.tables = _figures(of), _tables(of, study)
        self.methods = [self._method(of.method[i]) for i in range(of.methods)]

    def _method(self, one):
        found = types.SimpleNamespace(**plain(one, leave=("status", "figures", "fits", "tables")))
        found.claims = types.SimpleNamespace(**found.claims)
        found.status, found.figures, found.tables = text(lib.rattle_status_name(one.status)), _figures(one), _tables(one, self._study)
        found.fits = {text(one.fit[i].name): types.SimpleNamespace(**plain(one.fit[i], leave=("name",))) for i in range(one.fits)}
        return found

    @classmethod
    def load(cls, path: Path) -> Study:
        """The study in a file."""
        return cls(own("study", lib.rattle_study_load, bytes_of(path)))

    def save(self, path: Path, force: bool = False) -> None:
        """Writes the study to an HDF5 file, which `rattle report` and load() read; force: an existing one is replaced."""
        check(lib.rattle_study_save, self._study, bytes_of(path), int(force))

    def __reduce__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.h5")
            self.save(path)
            with open(path, "rb") as file:
                return _read, (file.read(),)

    def report(self, path: Path | None = None, force: bool = False) -> Path:
        """One HTML page. Without a path, its text."""
        from rattle.report import report
        return report(self.save, path, force)

    def plot(self, ax: Any = None) -> Any:
        """Draws the errors of the methods, with matplotlib: against the step (order), gradients of H (work) or time (drift, compare).
        Returns the axes."""
        from rattle.display import plot_study
        return plot_study(self, ax)

    def _repr_html_(self):
        from rattle.display import study_html
        return study_html(self)

    def __getitem__(self, method: str) -> types.SimpleNamespace:
        for one in self.methods:
            if one.method == str(method):
                return one
        raise KeyError(f"{str(method)!r}: expected one of {', '.join(one.method for one in self.methods)}")

    def __repr__(self):
        verdict = self.verdict and f"; {self.verdict}: {self.why}"
        return f"<rattle.Study: {self.kind} of {self.title!r}, {len(self.methods)} methods{verdict}>"


def _read(content):
    """The Study in the bytes of a file: what is pickled."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "study.h5")
        with open(path, "wb") as file:
            file.write(content)
        return Study.load(path)


def study(problem, kind, methods, q, p, progress, **settings):
    """Makes a Study."""
    if kind not in KINDS:
        raise ValueError(f"study {kind!r}: expected one of {', '.join(KINDS)}")
    show, close = bar(progress, kind)
    watch = Watch(show)
    names = [bytes_of(method) for method in methods or ()]
    spectrum = [bytes_of(name) for name in settings.pop("spectrum", ())]
    arrays = ffi.new("char *[]", names or [ffi.NULL]), ffi.new("char *[]", spectrum or [ffi.NULL])
    reference, along = bytes_of(settings.pop("reference")), settings.pop("along")
    parameter = ffi.NULL if along in ALONG else bytes_of(along)
    how = options("study_options", interrupt=watch.interrupt, progress=lib.rattle_python_study, methods=len(names), spectra=len(spectrum),
                  reference=reference, quantity=QUANTITIES[settings.pop("quantity")],
                  held=HELD[settings.pop("hold")], along=ALONG.get(along, lib.RATTLE_FAMILY_PARAMETER), parameter=parameter,
                  **settings)
    how.self = watch.handle
    if names:
        how.method = arrays[0]
    if spectrum:
        how.spectrum = arrays[1]
    if q is not None:
        how.q, how.p = address(q), address(p)
    slot, error = ffi.new("rattle_study **"), ffi.new("rattle_error *")
    status = lib.rattle_study_create(slot, problem._c, KINDS[kind], how, error)
    close()
    failure = exception(error) if status else None
    made = None
    if slot[0] != ffi.NULL:
        made = Study(ffi.gc(slot[0], lambda pointer, held=problem._c: lib.rattle_study_destroy(ffi.new("rattle_study **", pointer))))
    watch.reraise(status)
    if failure is not None:
        failure.study = made  # interrupted: the results up to then
        raise failure
    return made
