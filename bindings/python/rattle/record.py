"""Records: the HDF5 files of runs, read on demand."""
from __future__ import annotations

import types
import typing

import numpy

from rattle._c import Array, Path, address, bytes_of, ffi, lib, options, own, plain, text
from rattle.errors import check
from rattle.events import Event, column_names
from rattle.model import Model
from rattle.samples import Samples


class Record(Samples):
    """A record, also one that a run is writing: refresh() reads what it has added.

    record["x"]: the samples of a coordinate, momentum or observable, "time", "step", "energy", "g", "psi" (largest), "lambda[NAME]",
    where there is work "H", "work" and "balance"
    t, energy, work, H, q, p, multipliers, observed: as of a Run, read anew each time; info: what `rattle info` prints; model: the Model that was run"""

    def __init__(self, path: Path):
        self._c = own("record", lib.rattle_record_open, bytes_of(path))
        self.path = path

    @property
    def _info(self):
        return lib.rattle_record_info_of(self._c)

    @property
    def info(self) -> types.SimpleNamespace:
        found = plain(self._info, leave=("status", "parameters"))
        found["warnings"] = [text(self._info.warning_texts[k]) for k in range(self._info.warnings)]
        found["counts"] = types.SimpleNamespace(**found["counts"])
        return types.SimpleNamespace(**found)

    def refresh(self) -> Record:
        """Reads the new samples of a record that a run is writing."""
        check(lib.rattle_record_refresh, self._c)
        return self

    def write(self, path: Path, force: bool = False, length: str | None = None, time: str | None = None, box: typing.Sequence[float] | None = None,
              bonds: typing.Iterable[tuple[str, str]] = ()) -> None:
        """A file that other programs read, by its ending: .xyz, .nc (AMBER), .h5md (MDAnalysis) or .csv.

        length, time: the units of a record that has none, as "nm", "ps"; box: the edges of a periodic box; bonds: pairs of coordinates, one of each end"""
        place = {name: k for k, name in enumerate(self.problem_names().coordinates)}
        ends = [place[name] for bond in bonds for name in bond]
        texts = [ffi.NULL if unit is None else ffi.new("char []", unit.encode()) for unit in (length, time)]
        bond = ffi.new("int []", ends) if ends else ffi.NULL
        with_ = options("record_export", force=bool(force), length=texts[0], time=texts[1], box=list(box or (0, 0, 0)), bonds=len(ends)//2, bond=bond)
        check(lib.rattle_record_write, self._c, bytes_of(path), with_)

    def problem_names(self):
        i = self._info
        sizes = {"coordinate": i.n, "momentum": i.n, "constraint": i.m, "observable": i.observables}
        names = {kind: [text(getattr(i, kind + "_names")[k]) for k in range(size)] for kind, size in sizes.items()}
        return types.SimpleNamespace(coordinates=names["coordinate"], momenta=names["momentum"], constraints=names["constraint"],
                                     observables=names["observable"])

    def __len__(self) -> int:
        return self._info.samples

    def __getitem__(self, name: str) -> Array:
        column = ffi.new("rattle_column *")
        try:
            check(lib.rattle_record_find_column, self._c, bytes_of(name), column)
        except ValueError as error:
            raise KeyError(str(error)) from None
        values = numpy.empty(len(self))
        check(lib.rattle_record_read_column, self._c, column[0], 0, len(self), address(values))
        return values

    def columns(self) -> dict[str, Array]:
        """All samples by name."""
        of = self.problem_names()
        given = [*of.coordinates, *of.momenta, *of.observables]
        own_names = ["step", "time", "energy", *(["g", "psi"] if of.constraints else []), *(f"lambda[{name}]" for name in of.constraints),
                     *(["H", "work", "balance"] if self.has_work else [])]
        own_names = ["rattle:" + name if name in given else name for name in own_names]
        return {name: self[name] for name in [*own_names[:2], *given, *own_names[2:]]}

    @property
    def events(self) -> dict[str, Event]:
        """Points at the events of the run, read now."""
        i = self._info
        return {text(i.event_names[e]): self._event(e, i.events_so_far.counts[e]) for e in range(i.events)}

    def _event(self, e, rows):
        i = self._info

        def read(quantity, width):
            values = numpy.empty((rows, width))
            for k in range(width):
                column = numpy.empty(rows)
                check(lib.rattle_record_read_event, self._c, e, {"quantity": quantity, "index": k}, 0, rows, address(column))
                values[:, k] = column
            return values

        t, energy, step, direction = (read(quantity, 1)[:, 0] for quantity in (lib.RATTLE_TIME, lib.RATTLE_ENERGY, lib.RATTLE_STEP_NUMBER,
                                                                               lib.RATTLE_DIRECTION))
        work = read(lib.RATTLE_WORK, 1)[:, 0] if self.has_work else numpy.zeros(rows)
        return Event(t, energy, work, step.astype(numpy.int64), direction.astype(numpy.int32), read(lib.RATTLE_COORDINATE, i.n),
                     read(lib.RATTLE_MOMENTUM, i.n), read(lib.RATTLE_MULTIPLIER, i.m), read(lib.RATTLE_OBSERVABLE, i.observables),
                     column_names(self.problem_names()))

    def _read(self, which, width):
        rows = len(self)
        values = numpy.empty((rows, width))
        places = [address(values) if name == which else ffi.NULL for name in ("time", "energy", "q", "p", "multipliers", "observed")]
        check(lib.rattle_record_read, self._c, 0, rows, *places)
        return values

    @property
    def t(self) -> Array:
        return self._read("time", 1)[:, 0]

    @property
    def energy(self) -> Array:
        return self._read("energy", 1)[:, 0]

    @property
    def has_work(self) -> bool:
        return bool(self._info.has_work)

    @property
    def work(self) -> Array:
        return self["rattle:work"] if self.has_work else numpy.zeros(len(self))

    @property
    def H(self) -> Array:
        return self["rattle:H"] if self.has_work else self.energy

    @property
    def q(self) -> Array:
        return self._read("q", self._info.n)

    @property
    def p(self) -> Array:
        return self._read("p", self._info.n)

    @property
    def multipliers(self) -> Array:
        return self._read("multipliers", self._info.m)

    @property
    def observed(self) -> Array:
        return self._read("observed", self._info.observables)

    @property
    def method(self) -> str:
        return text(self._info.method)

    @property
    def title(self) -> str:
        return text(self._info.title)

    @property
    def h(self) -> float:
        return self._info.step

    @property
    def model(self) -> Model | None:
        """The model, read anew from the text in the record; None if it was not a model in Lua."""
        i = self._info
        source = text(i.model_text)
        given = {text(i.parameter[k].name): i.parameter[k].value for k in range(i.parameters)}
        return Model.from_string(source, text(i.model_file) or "model", **given) if source else None

    def report(self, path: Path | None = None, force: bool = False) -> Path:
        """One HTML page about the run. Without a path, its text."""
        import shutil

        from rattle.report import report
        return report(lambda file: shutil.copyfile(self.path, file), path, force)

    def __reduce__(self):
        return Record, (self.path,)

    def __repr__(self):
        i = self._info
        state = text(i.status_name) or ("being written" if i.written == 1 else "open")
        return f"<rattle.Record {str(self.path)!r}: {self.title!r}, {self.method}, {i.samples} samples to t = {i.last_time:g}; {state}>"
