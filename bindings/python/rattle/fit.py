"""Parameters and starts of a model from data."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from rattle._c import Array, address, bytes_of, ffi, lib, options, own, text
from rattle.errors import BadArgument
from rattle.watch import Watch

ENDED = {0: "round-off", 1: "no lower", 2: "most steps"}


class Fit:
    """Where the runs of a model come nearest to data (docs/fits.md).

    names: of what was found: parameters, then starts of each run; values, errors: standard errors, inf where the data do not determine one, 0 of a
    parameter at its bound; covariance: [quantities, quantities]; parameters: {name: value}, for rattle.load(path, **fit.parameters)
    fitted: for each run {column: values at the times of the data}; starts: (q, p) of each run
    chi2: the sum of squares, in units of sigma if that was given; degrees: of freedom, data less unknowns
    undetermined: "", or the combination that changes nothing; ended: "round-off", "no lower" or "most steps"; reduction: of chi2 by a further step;
    gradient: the largest cosine of residuals with a derivative; steps, trajectories: of the search"""

    names: list[str]
    values: Array
    errors: Array
    covariance: Array
    parameters: dict[str, float]
    fitted: list[dict[str, Array]]
    starts: list[tuple[Array, Array]]
    chi2: float
    degrees: int
    undetermined: str
    ended: str
    reduction: float
    gradient: float
    steps: int
    trajectories: int

    @property
    def correlation(self) -> Array:
        """The correlations [quantities, quantities]; nan where an error is 0 or inf."""
        known = numpy.where((self.errors > 0) & numpy.isfinite(self.errors), self.errors, numpy.nan)
        return self.covariance/numpy.outer(known, known)

    def __repr__(self):
        found = ", ".join(f"{name} = {value:.8g} +- {error:.2g}" for name, value, error in zip(self.names, self.values, self.errors))
        return f"<rattle.Fit: {found}; chi2 {self.chi2:.6g} of {self.degrees}>"


def _run(data, sigma, keep):
    """The data of one run: columns by name, among them "t" or "time"."""
    columns = {str(name): numpy.asarray(values, float).reshape(-1) for name, values in dict(data).items()}
    times = [name for name in ("t", "time") if name in columns]
    if not times:
        raise BadArgument('data: expected the times as "t" or "time" among the columns')
    time = numpy.array(columns.pop(times[0]), order="C")  # a copy: that of a Run is read-only
    widths = {name: columns.pop("sigma_" + name) for name in list(columns) if "sigma_" + name in columns}
    for name, values in [*columns.items(), *(("sigma_" + name, width) for name, width in widths.items())]:
        if len(values) != len(time):
            raise BadArgument(f"data: {name!r} has {len(values)} values for {len(time)} times")
    for name in columns:
        given = sigma.get(name) if isinstance(sigma, Mapping) else sigma
        if name not in widths and given is not None:
            widths[name] = numpy.broadcast_to(numpy.asarray(given, float), time.shape)
    if widths and len(widths) < len(columns):
        raise BadArgument(f"sigma: the uncertainty of {min(set(columns) - set(widths))!r} is not given, but that of others")
    value = numpy.stack(list(columns.values()), axis=1) if columns else numpy.zeros((len(time), 0))
    width = numpy.ascontiguousarray(numpy.stack([widths[name] for name in columns], axis=1)) if widths else None
    names = [bytes_of(name) for name in columns]
    held = ffi.new("char *[]", names)
    keep += [time, value, width, names, held]
    return list(columns), dict(name=ffi.NULL, count=len(time), columns=len(columns), time=address(time), column=held,
                               value=address(value), sigma=ffi.NULL if width is None else address(width))


def _vary(vary):
    """(name, low, high) of each parameter: of names, or {name: (low, high) or None}."""
    pairs = vary.items() if isinstance(vary, Mapping) else [(name, None) for name in ([vary] if isinstance(vary, str) else vary)]
    return [(str(name), *((0.0, 0.0) if bounds is None else map(float, bounds))) for name, bounds in pairs]


def fit(problem: Any, data: Any, vary: Any, vary_start: Iterable[str], sigma: Any, method: str | None, step: float,
        most_steps: int) -> Fit:
    """The Fit of a problem to the data of one run, or of a list of runs."""
    keep: list[Any] = []
    runs = [_run(one, sigma, keep) for one in (data if isinstance(data, (list, tuple)) else [data])]
    if not runs:
        raise BadArgument("data: a fit needs the data of at least one run")
    for name in sigma if isinstance(sigma, Mapping) else ():
        if not any(name in columns for columns, _ in runs):
            raise BadArgument(f"sigma: the data have no column {name!r}")
    structs = ffi.new("rattle_fit_data[]", len(runs))
    for struct, (_, members) in zip(structs, runs):
        struct.struct_size = ffi.sizeof("rattle_fit_data")
        for name, value in members.items():
            setattr(struct, name, value)
    varied = _vary(vary)
    names = [bytes_of(name) for name, _, _ in varied]
    parameters = ffi.new("rattle_fit_parameter[]", [(name, low, high) for name, (_, low, high) in zip(names, varied)])
    starts = [bytes_of(str(name)) for name in vary_start]
    watch, text_of_method = Watch(None), bytes_of(method)
    listed = ffi.new("char *[]", starts)
    how = options("fit_options", method=text_of_method, step=step, vary=parameters, vary_count=len(varied), vary_start=listed,
                  vary_start_count=len(starts), most_steps=most_steps, interrupt=watch.interrupt)
    made = own("fit", lib.rattle_fit_create, problem._c, structs, len(runs), how, keep=keep)
    return _result(made, [columns for columns, _ in runs], [members["count"] for _, members in runs], problem.n)


def _result(made, columns, counts, n):
    r, found = lib.rattle_fit_result_of(made), Fit()
    many = r.quantities

    def numbers(pointer, *shape):
        return numpy.array(ffi.unpack(pointer, int(numpy.prod(shape))), float).reshape(shape)

    found.names = [text(r.name[i]) for i in range(many)]
    found.values, found.errors, found.covariance = numbers(r.value, many), numbers(r.error, many), numbers(r.covariance, many, many)
    found.parameters = dict(zip(found.names[:r.parameters], found.values.tolist()))
    for figure in ("chi2", "reduction", "gradient", "steps", "trajectories"):
        setattr(found, figure, getattr(r, figure))
    found.degrees, found.undetermined, found.ended = r.data - r.unknowns, text(r.undetermined), ENDED[r.ended]
    found.fitted, found.starts = [], []
    for run, (names, count) in enumerate(zip(columns, counts)):
        values, z = numbers(lib.rattle_fit_values(made, run), count, len(names)), numbers(lib.rattle_fit_start(made, run), 2*n)
        found.fitted.append(dict(zip(names, values.T.copy())))
        found.starts.append((z[:n], z[n:]))
    return found
