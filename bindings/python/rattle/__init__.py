"""Constrained Hamiltonian systems: SHAKE and RATTLE as maps on phase space.

    model = rattle.load("pendulum.lua", gravity=9.81)
    run = model.run(method="rattle(verlet)", step=0.01, stop=100)
    run.t, run["x"], run.energy, run.summary.energy_max_error

docs/python.md is the guide."""
from __future__ import annotations

import os

from rattle import errors, functions, methods
from rattle._c import lib as _lib, text as _text
from rattle.bonds import Bonds
from rattle.callbacks import Callbacks
from rattle.doctor import Diagnosis
from rattle.errors import *  # noqa: F401,F403
from rattle.events import Event
from rattle.expression import Expression
from rattle.functions import *  # noqa: F401,F403
from rattle.certifier import Certifier
from rattle.integrator import Integrator
from rattle.methods import Method
from rattle.model import Model
from rattle.equilibrium import Equilibrium
from rattle.fit import Fit
from rattle.orbit import Orbit
from rattle.problem import Problem
from rattle.record import Record
from rattle.run import Extreme, Run
from rattle.sampling import Sampling
from rattle.sites import Sites
from rattle.study import Study
from rattle.sweep import Sweep
from rattle.tangent import Tangent
from rattle.watch import Sample

__version__ = _text(_lib.rattle_version())
__all__ = ["Bonds", "Callbacks", "Certifier", "Diagnosis", "Equilibrium", "Event", "Expression", "Extreme", "Fit", "Integrator", "Method", "Model", "Orbit", "Problem", "Record", "Run", "Sample", "Sampling", "Sites", "Study", "Sweep", "Tangent", "errors", "load",
           "methods", "open", *errors.__all__, *functions.__all__]


def load(path: str | os.PathLike, **parameters: float) -> Model:
    """The model in a file, with values of its parameters: load("pendulum.lua", gravity=9.81)."""
    return Model.from_file(path, **parameters)


def open(path: str | os.PathLike) -> Record:  # noqa: A001
    """The Record in a file."""
    return Record(path)
