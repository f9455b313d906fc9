"""The common part of runs and records: named columns, frames of pandas and xarray, figures."""
from __future__ import annotations

from typing import Any


class Samples:
    """Subclasses have columns(), q, p, t, energy, work, H, has_work, h, method, title, and the names of coordinates, momenta, constraints, observables."""

    def to_pandas(self) -> Any:
        """A DataFrame: a column for each name, indexed by time."""
        import pandas
        columns = self.columns()
        time = "rattle:time" if "rattle:time" in columns else "time"
        return pandas.DataFrame(columns).set_index(time)

    def to_xarray(self) -> Any:
        """A Dataset along time, which shares memory: q, p, energy, multipliers, where there is work H and work, and the observables by name."""
        import xarray
        of = self.problem_names()
        variables = {"q": (("time", "coordinate"), self.q), "p": (("time", "momentum"), self.p), "energy": ("time", self.energy)}
        if self.has_work:
            variables["H"], variables["work"] = ("time", self.H), ("time", self.work)
        along = {"time": self.t, "coordinate": of.coordinates, "momentum": of.momenta}
        if of.constraints:
            variables["multipliers"], along["constraint"] = (("time", "constraint"), self.multipliers), of.constraints
        if of.observables:
            variables["observed"], along["observable"] = (("time", "observable"), self.observed), of.observables
        return xarray.Dataset(variables, along, {"method": self.method, "step": self.h, "title": self.title})

    def plot(self, *names: str, x: str = "time", ax: Any = None) -> Any:
        """Draws columns against another one, with matplotlib: plot(), plot("x", "y"), plot("y", x="x"). Without names: the first
        coordinates, and below the energy error, or H, work and their balance. Returns the axes."""
        from rattle.display import plot
        return plot(self, names, x, ax)
