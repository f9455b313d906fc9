"""Models."""
import os
import threading

from rattle import settings
from rattle._c import bytes_of, ffi, lib, options, own, text
from rattle.doctor import Diagnosis
from rattle.problem import of_model
from rattle.run import run


class Model:
    """A problem of mechanics: H(q, p), constraints g = 0, a start.

    Model.from_file("pendulum.lua", gravity=9.81), Model.from_string(text): model files in Lua, with values of their parameters"""

    def __init__(self):
        self._text, self._name, self._parameters = None, None, {}
        self._lock, self._problems = threading.Lock(), {}

    @classmethod
    def from_file(cls, path, **parameters):
        """The model in a file."""
        return cls()._read(lib.rattle_model_load, [bytes_of(path)], os.fspath(path), parameters)

    @classmethod
    def from_string(cls, source, name="model", **parameters):
        """The model in a text; `name` is used in messages."""
        return cls()._read(lib.rattle_model_parse, [bytes_of(source), bytes_of(name)], name, parameters)

    def _read(self, read, source, name, parameters):
        names = [bytes_of(key) for key in parameters]
        given = ffi.new("rattle_parameter[]", [(key, float(value)) for key, value in zip(names, parameters.values())])
        how = options("model_options", parameters=given, parameter_count=len(names))
        self._c = own("model", read, *source, how)
        self._text, self._name, self._parameters = ffi.string(lib.rattle_model_text(self._c)), name, parameters
        return self

    def problem(self, evaluator="auto", steps=0):
        """The Problem: H, g and their derivatives. `steps`: how many are planned, which decides whether "auto" compiles."""
        key = evaluator, len(str(int(steps)))
        with self._lock:
            if key not in self._problems:
                self._problems[key] = of_model(self._c, evaluator, steps)
            return self._problems[key]

    def check(self, seed=0, samples=0, trial=True):
        """The Diagnosis: class and index of the constraints, methods that can integrate the problem, a method and step to begin with."""
        how = options("doctor_options", seed=seed, samples=samples, no_trial=int(not trial))
        return Diagnosis(own("doctor", lib.rattle_doctor_create, self._c, ffi.NULL, how))

    def run(self, method=None, step=None, stop=None, steps=None, every=None, project=False, evaluator="auto"):
        """Integrates the model: a Run. What is not given is the model's: integrate(...), output(...).

        method: an expression, such as "suzuki4(rattle(verlet))"; step; stop or steps; every: steps between samples
        project: moves a start that violates the constraints onto them
        evaluator: "block" (interpreted), "native" (compiled by cc) or "auto"; results do not depend on it"""
        wishes = lib.rattle_model_wishes(self._c)
        step, stop, steps = settings.times(wishes, step, stop, steps)
        problem = self.problem(evaluator, steps)
        plan = settings.Plan(settings.method_of(wishes, problem, method), step, wishes.start_time, stop, steps,
                             int(wishes.every if every is None else every), project or bool(wishes.project))
        return run(problem, plan)

    @property
    def title(self):
        return text(lib.rattle_model_title(self._c))

    @property
    def parameters(self):
        """The parameters that the model declares, with the values used."""
        given = ffi.new("rattle_parameter **")
        return {text(given[0][i].name): given[0][i].value for i in range(lib.rattle_model_parameters(self._c, given))}

    def __repr__(self):
        c = self._c
        return (f"<rattle.Model {self.title!r}: n = {lib.rattle_model_pairs(c)}, m = {lib.rattle_model_constraints(c)}"
                + "".join(f", {name} = {value:g}" for name, value in self.parameters.items()) + ">")
