"""Samples of controllers by a function of Python."""
import dataclasses

import numpy

from rattle._c import ffi, lib, text
from rattle.watch import failed


@dataclasses.dataclass
class Reading:
    """The point of a sample; the arrays are its own.

    values: {name: value} of the controller, before the sample; observed: the model's observables"""
    time: float
    q: numpy.ndarray
    p: numpy.ndarray
    observed: numpy.ndarray
    values: dict[str, float]


class Control:
    """Asks a function for the samples that a model leaves open."""

    def __init__(self, function, problem, watch):
        self.function, self.watch, self.sizes = function, watch, (problem.n, problem.n, len(problem.observables))
        model = lib.rattle_problem_model(problem._c)
        self.names = [_names(model, k) for k in range(0 if model == ffi.NULL else lib.rattle_model_controllers(model))]
        self.handle = ffi.new_handle(self)
        self.c = ffi.new("rattle_control *", {"struct_size": ffi.sizeof("rattle_control"), "sample": lib.rattle_python_sample, "self": self.handle})

    def fail(self, error):
        self.watch.fail(error)

    def sample(self, controller, time, arrays, values):
        names = self.names[controller]
        q, p, observed = (numpy.frombuffer(ffi.buffer(a, 8*size)).copy() if size else numpy.zeros(0) for a, size in zip(arrays, self.sizes))
        after = self.function(Reading(time, q, p, observed, {name: values[k] for k, name in enumerate(names)}))
        if not isinstance(after, dict) or set(after) != set(names):
            raise TypeError(f"control returns the next values {{name: number}} of {', '.join(names)}, found {after!r}")
        for k, name in enumerate(names):
            values[k] = float(after[name])
        return 0


def _names(model, controller):
    names, found = [], lib.rattle_model_controller_value(model, controller, 0)
    while found != ffi.NULL:
        names.append(text(found))
        found = lib.rattle_model_controller_value(model, controller, len(names))
    return names


@ffi.def_extern(onerror=failed, error=-1)
def rattle_python_sample(self, controller, time, q, p, observed, values):
    return ffi.from_handle(self).sample(controller, time, (q, p, observed), values)
