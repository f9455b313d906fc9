"""Samples as other packages have them: pandas, xarray, ArviZ."""
from __future__ import annotations

import re
import typing

import numpy


def grouped(columns):
    """{name: places of its columns}: x for x[1], x[2] .. that follow one another, unless a column has that name."""
    result, before = {}, None
    for place, column in enumerate(columns):
        numbered = re.fullmatch(r"(.+)\[(\d+)\]", column)
        name, number = (numbered[1], int(numbered[2])) if numbered else (column, None)
        if number is None or name in columns or (number > 1 and before != (name, number - 1)) or (number == 1 and name in result):
            name, number = column, None
        result.setdefault(name, []).append(place)
        before = (name, number)
    return result


def places(columns, name):
    """Those of a column, or of x[1] .. x[n] by the name x."""
    found = [columns.index(name)] if name in columns else grouped(columns).get(name)
    if found is None:
        raise KeyError(f"{name!r}: expected one of {', '.join(columns)}")
    return found


def to_pandas(of):
    """See Sampling.to_pandas."""
    import pandas
    chains, draws, columns = of.values.shape
    index = pandas.MultiIndex.from_product([range(chains), range(draws)], names=["chain", "draw"])
    return pandas.DataFrame(of.values.reshape(chains * draws, columns), index, of.columns)


def _dims(of):
    """{variable: dimensions beside chain and draw}, and their coordinates."""
    dims, along = {}, {}
    for name, places in grouped(of.columns).items():
        if of.columns[places[0]] != name:
            dims[name], along[f"{name}_index"] = [f"{name}_index"], numpy.arange(1, len(places) + 1)
    return dims, along


def _attributes(of):
    return {"method": of.method, "temperature": float(of.temperature), "title": of.title}


def to_xarray(of):
    """See Sampling.to_xarray."""
    import xarray
    dims, along = _dims(of)
    chains, draws, _ = of.values.shape
    variables = {name: (["chain", "draw", *dims.get(name, [])], values) for name, values in of.variables().items()}
    return xarray.Dataset(variables, {"chain": range(chains), "draw": range(draws), **along}, _attributes(of))


def statistics(of) -> dict[str, numpy.typing.NDArray[typing.Any]]:
    """What ArviZ calls sample_stats."""
    chains, draws, _ = of.values.shape
    fates = of.fates > 0
    return {"lp": of.log_density, "energy": of.energy / of.temperature, "acceptance_rate": of.acceptance, "diverging": of.diverging,
            "step_size": numpy.broadcast_to(of.step[:, None], (chains, draws)).copy(),
            "no_multipliers": fates[:, :, 2], "not_reversible": fates[:, :, 3], "not_finite": fates[:, :, 4]}


def to_arviz(of):
    """See Sampling.to_arviz."""
    import arviz

    import rattle
    dims, along = _dims(of)
    posterior = {name: values for name, values in of.variables().items() if name != "V"}
    maker = {"creation_library": "rattle", "creation_library_version": rattle.__version__, "inference_library": "rattle",
             "inference_library_version": rattle.__version__}
    if int(arviz.__version__.split(".")[0]) < 1:
        return arviz.from_dict(posterior=posterior, sample_stats=statistics(of), coords=along, dims=dims,
                               posterior_attrs={**_attributes(of), **maker}, sample_stats_attrs=maker)
    return arviz.from_dict({"posterior": posterior, "sample_stats": statistics(of)}, coords=along, dims=dims,
                           attrs={"/": maker, "posterior": {**_attributes(of), **maker}, "sample_stats": maker})


def summary(of):
    """See Sampling.summary."""
    import pandas
    return pandas.DataFrame({name: vars(estimate) for name, estimate in of.estimates.items()}).T
