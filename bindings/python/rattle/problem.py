"""Problems: H and g with their derivatives, ready to be evaluated and integrated."""
from __future__ import annotations

import numpy

from rattle._c import Array, Held, Numbers, address, array, ffi, lib, options, own, text
from rattle.errors import check


class Problem(Held):
    """q' = H_p + g_pᵀλ, p' = -H_q - g_qᵀλ, 0 = g(q, p). Made by Model.problem() or from callbacks; immutable; threads may share it.

    n, m: numbers of coordinates and constraints; kind: "natural", "separable", "holonomic", "coisotropic", ...
    coordinates, momenta, constraints, observables: names"""

    instead = "pickle or copy what it was made from, and call problem() of that"
    n: int
    m: int
    coordinates: list[str]
    momenta: list[str]
    constraints: list[str]
    observables: list[str]
    given: tuple[Array, Array]

    def __init__(self, c, names, observables=(), given=None, functions=None):
        self._c, self.functions = c, functions  # the Callbacks that it is of
        self.n, self.m = lib.rattle_problem_n(c), lib.rattle_problem_m(c)
        self.coordinates, self.momenta = names
        self.constraints = [text(lib.rattle_problem_constraint_name(c, i)) for i in range(self.m)]
        self.observables = list(observables)
        self.given = (numpy.zeros(self.n), numpy.zeros(self.n)) if given is None else given  # the start, of callbacks

    @property
    def kind(self) -> str:
        return text(lib.rattle_problem_kind_name(self._c))

    @property
    def implied(self) -> list[str]:
        """Constraints on velocities that were left out, since they follow from the others."""
        names = []
        while (name := lib.rattle_problem_implied(self._c, len(names))) != ffi.NULL:
            names.append(text(name))
        return names

    @property
    def evaluator(self) -> str:
        """How H and g are evaluated: native (compiled by cc), block (interpreted) or callbacks. Results do not depend on it."""
        return text(lib.rattle_problem_evaluator(self._c))

    @property
    def default_method(self) -> str:
        """The method of runs that name none."""
        return text(lib.rattle_default_method(self._c))

    def start(self, project: bool = False) -> tuple[Array, Array]:
        """The start (q, p), on the constraints to round-off; project=True moves it there. OffConstraints says by how much it is off."""
        q, p = (part.copy() for part in self.given)
        check(lib.rattle_problem_start, self._c, int(project), address(q), address(p), ffi.NULL)
        return q, p

    def _point(self, q, p):
        return address(array(q, self.n, "q")), address(array(p, self.n, "p"))

    def energy(self, q: Numbers, p: Numbers) -> float:
        """H(q, p)."""
        value = ffi.new("double *")
        check(lib.rattle_problem_energy, self._c, *self._point(q, p), value)
        return value[0]

    def residuals(self, q: Numbers, p: Numbers) -> tuple[Array, Array]:
        """g(q, p) and the hidden constraints psi = {g, H}."""
        g, psi = numpy.zeros(self.m), numpy.zeros(self.m)
        check(lib.rattle_problem_residuals, self._c, *self._point(q, p), address(g), address(psi))
        return g, psi

    def multipliers(self, q: Numbers, p: Numbers) -> Array:
        """λ of the equations of motion, for which dpsi/dt = 0."""
        result = numpy.zeros(self.m)
        check(lib.rattle_problem_multipliers, self._c, *self._point(q, p), address(result))
        return result

    def observe(self, q: Numbers, p: Numbers) -> Array:
        """The model's observables."""
        result = numpy.zeros(len(self.observables))
        check(lib.rattle_problem_observe, self._c, *self._point(q, p), address(result))
        return result

    def project(self, q: Numbers, p: Numbers) -> tuple[Array, Array]:
        """The nearest point with g = 0, its momenta slid onto psi = 0."""
        q, p = array(q, self.n, "q"), array(p, self.n, "p")
        slider = own("slider", lib.rattle_slider_create, self._c)
        check(lib.rattle_slider_place, slider, address(q), address(p))
        check(lib.rattle_slider_momenta, slider, address(q), address(p))
        return q, p

    def wrong_derivative(self) -> str | None:
        """A sentence about the derivative of a callback that is not that of its values, near the start; None where there is none."""
        sentence = ffi.new("char[]", 1000)
        check(lib.rattle_doctor_derivatives, self._c, *self._point(*self.given), sentence, 1000)
        found = text(sentence) or None
        if found is None and self.functions is not None:
            from rattle.claims import wrong_second_derivative
            found = wrong_second_derivative(self.functions)
        return found

    def __repr__(self):
        return f"<rattle.Problem: {self.kind}, n = {self.n}, m = {self.m}, evaluator {self.evaluator}>"


EVALUATORS = {"auto": lib.RATTLE_EVALUATOR_AUTO, "block": lib.RATTLE_EVALUATOR_BLOCK, "native": lib.RATTLE_EVALUATOR_NATIVE}


class Point(Held):
    """The state of what steps, for C, which writes to it where it is: numbers can be set, and its arrays remain."""

    instead = "pickle or copy the model, and q, p and time"
    problem: Problem

    def __init__(self, problem, q, p):
        z = numpy.concatenate([array(q, problem.n, "q"), array(p, problem.n, "p")])
        self.problem, self._q, self._p = problem, z[:problem.n], z[problem.n:]  # views, which cannot be resized

    @property
    def q(self) -> Array:
        """The coordinates: q[:] = values, or q = values, sets them."""
        return self._q

    @q.setter
    def q(self, values: Array) -> None:
        self._q[:] = array(values, self.problem.n, "q")

    @property
    def p(self) -> Array:
        """The momenta, as q."""
        return self._p

    @p.setter
    def p(self, values: Array) -> None:
        self._p[:] = array(values, self.problem.n, "p")


def of_model(model, evaluator, steps):
    """The problem of a C model, which must be complete."""
    if evaluator not in EVALUATORS:
        raise ValueError(f"evaluator {evaluator!r}: expected 'auto', 'block' or 'native'")
    how = options("problem_options", evaluator=EVALUATORS[evaluator], steps=int(steps))
    c = own("problem", lib.rattle_problem_create, model, how)
    from rattle.sources import names_of
    names = names_of(model)
    return Problem(c, names, [text(lib.rattle_model_observable_name(model, k)) for k in range(lib.rattle_model_observables(model))])
