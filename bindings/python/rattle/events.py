"""Points at the events of a run."""
from __future__ import annotations

import dataclasses

import numpy

from rattle._c import Array, shared


@dataclasses.dataclass
class Event:
    """Points at one event of a run: the end of a step of fractional length, each time that it happened.

    t, energy (the balance), work, H, step (the last whole step before), direction (1: rises, -1: falls, 0: output at a given time): [times]; q, p: [times, n];
    multipliers: [times, m]; observed: [times, observables]; event["x"]: a coordinate, momentum or observable by name"""

    t: Array
    energy: Array
    work: Array
    step: numpy.typing.NDArray[numpy.int64]
    direction: numpy.typing.NDArray[numpy.int32]
    q: Array
    p: Array
    multipliers: Array
    observed: Array
    names: dict[str, tuple[str, int]] = dataclasses.field(repr=False)

    @property
    def H(self) -> Array:
        return self.energy + self.work

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(f"{name!r}: expected one of {', '.join(self.names)}")
        which, column = self.names[name]
        return getattr(self, which)[:, column]

    def __len__(self) -> int:
        return len(self.t)


def column_names(of):
    """Places of the columns of coordinates, momenta and observables."""
    lists = (("q", of.coordinates), ("p", of.momenta), ("observed", of.observables))
    return {name: (which, k) for which, names in lists for k, name in enumerate(names)}


def event_of(problem, found, trajectory):
    rows, n, m, k = found.count, found.n, found.m, found.observables
    t, energy, work = (shared(x, (rows,), trajectory) for x in (found.time, found.energy, found.work))
    q, p = (shared(x, (rows, n), trajectory) for x in (found.q, found.p))
    return Event(t, energy, work, shared(found.step, (rows,), trajectory, numpy.int64), shared(found.direction, (rows,), trajectory, numpy.int32),
                 q, p, shared(found.multipliers, (rows, m), trajectory), shared(found.observed, (rows, k), trajectory), column_names(problem))
