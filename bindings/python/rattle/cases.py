"""The cases of a sweep: what differs, as a grid or in parallel."""
from __future__ import annotations

import numpy

from rattle.errors import BadArgument


def _values(what, given):
    """Numbers along one axis; one number alone is no axis."""
    try:
        values = numpy.array(given, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(f"{what}: expected numbers, found {given!r}") from None
    if values.ndim > 1 or values.size == 0:
        raise BadArgument(f"{what}: expected a list of numbers, found an array of shape {values.shape}")
    return _finite(what, values)


def _finite(what, values):
    bad = numpy.argwhere(~numpy.isfinite(values))
    if len(bad):
        place = ", ".join(str(int(k)) for k in bad[0])
        raise BadArgument(f"{what}: number [{place}] is {values[tuple(bad[0])]:g}; it must be finite")
    return values


def _points(starts, n):
    """(q, p), arrays [cases, n], as columns."""
    if not isinstance(starts, (tuple, list, numpy.ndarray)) or len(starts) != 2:
        raise BadArgument("starts: expected values by name, as {'x': [1, 2]}, or (q, p), arrays with a row for each case")
    try:
        q, p = numpy.broadcast_arrays(*(numpy.array(part, dtype=float) for part in starts))
    except (TypeError, ValueError):
        raise BadArgument("starts: q and p must be arrays of numbers of the same shape") from None
    if q.ndim != 2 or q.shape[1] != n or not q.shape[0]:
        raise BadArgument(f"starts: expected q and p of shape [cases, {n}], found {q.shape}")
    return _finite("starts", numpy.hstack([q, p]))


class Cases:
    """variables: indices in (q, p) of the starts that differ, start: [cases, variables]; parameters: names, value: [cases, parameters]
    given: columns by name, "set:NAME" and "start:NAME"; shape: lengths of the axes

    names: of the 2n variables; moved: start values of all cases, by name; grid: every combination, parameters first, the last axis changes
    fastest; otherwise the k-th case has the k-th value of each."""

    def __init__(self, starts, parameters, names, moved, grid):
        self.parameters = list(parameters)
        axes = [[(f"set:{name}", _values(f"parameters: {name}", values))] for name, values in parameters.items()]
        if isinstance(starts, dict):
            starts = {str(name): values for name, values in starts.items()}
            for name in starts:
                if name not in names:
                    raise BadArgument(f"starts: the model has no variable {name!r}; it has {', '.join(names)}")
            axes += [[(f"start:{name}", _values(f"starts: {name}", values))] for name, values in starts.items()]
        else:
            axes.append([(f"start:{name}", column) for name, column in zip(names, _points(starts, len(names) // 2).T)])
        self.shape = _shape(axes, grid)
        self.given = _columns(axes, self.shape, grid)
        rows = int(numpy.prod(self.shape))
        self.value = _table([self.given[f"set:{name}"] for name in self.parameters], rows)
        columns = {name: self.given.get(f"start:{name}", moved.get(name)) for name in names}
        differ = {name: numpy.broadcast_to(column, rows) for name, column in columns.items() if column is not None}
        self.variables = [names.index(name) for name in differ]
        self.start = _table(list(differ.values()), rows)

    def __len__(self):
        return int(numpy.prod(self.shape))


def _table(columns, rows):
    return numpy.ascontiguousarray(numpy.column_stack(columns) if columns else numpy.zeros((rows, 0)))


def _shape(axes, grid):
    lengths = {axis[0][0]: len(axis[0][1]) for axis in axes if axis[0][1].ndim}
    if grid or not lengths:
        return tuple(lengths.values())
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise BadArgument(f"grid=False: all lists need the same length, but {found}")
    return (next(iter(lengths.values())),)


def _columns(axes, shape, grid):
    """Each column with a number for each case."""
    columns, at = {}, 0
    for axis in axes:
        along = [1] * len(shape)
        if axis[0][1].ndim:
            along[at if grid else 0] = -1
            at += 1
        for name, values in axis:
            spread = values.reshape(along) if values.ndim else values
            columns[name] = numpy.broadcast_to(spread, shape).reshape(-1).copy()
    return columns
