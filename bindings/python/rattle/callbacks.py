"""Problems from functions: plain ones of Python, or C function pointers, which run without Python: numba's cfuncs, those of ctypes or
cffi, addresses."""
from __future__ import annotations

import copy
import numbers
from collections.abc import Iterable
from typing import Any

import numpy

from rattle._c import Numbers, address, array, bytes_of, ffi, lib, options, own, pointer_of
from rattle.derived import WORDS, derived
from rattle.claims import check_hamiltonian, check_names
from rattle.errors import BadArgument, raised
from rattle.problem import Problem
from rattle.settings import whole
from rattle.system import System

FUNCTIONS = ("hamiltonian", "hamiltonian_hessian", "constraint", "constraint_hessian", "force")
#: Signatures of C functions, for numba.cfunc. Each returns 0; positive: the point cannot be evaluated; negative: the run must end.
SIGNATURES = {
    "hamiltonian": "int32(voidptr, CPointer(float64), CPointer(float64), CPointer(float64))",  # context, z[2n], H[1], gradient[2n]
    "hamiltonian_hessian": "int32(voidptr, CPointer(float64), CPointer(float64))",  # context, z, H_zz[2n*2n]
    "constraint": "int32(voidptr, CPointer(float64), CPointer(float64), CPointer(float64))",  # context, z, g[m], jacobian[m*2n]
    "constraint_hessian": "int32(voidptr, CPointer(float64), CPointer(float64), CPointer(float64))",  # context, z, w[m], sum w_i g_i''
    "force": "int32(voidptr, CPointer(float64), CPointer(float64), CPointer(float64))",  # context, z, f[n], jacobian[n*2n]
    # context, step, time, energy, q[n], p[n], multipliers[m], observables: an observer of run()
    "observer": "int32(voidptr, int64, float64, float64, CPointer(float64), CPointer(float64), CPointer(float64), CPointer(float64))",
}


class Callbacks(System):
    """A problem whose H and g are functions.

        def H(q, p):
            return p @ p/2 + q[1], [0, 1], p                            # H, its gradient by q and by p
        def g(q, p):
            return [q @ q - 1], [2*q]                                   # g, its derivatives: rows of length n, for g(q), or 2n
        pendulum = rattle.Callbacks(2, H, constraint=g, inverse_mass=[1, 1], start=([1, 0], [0, -2]))
        run = pendulum.run("rattle(verlet)", step=0.025, stop=1023)

    n, m: numbers of coordinates and constraints; m is as many as g returns, and must be given for a C function alone
    hamiltonian, constraint: as above; hamiltonian_hessian(q, p): H_zz [2n, 2n], constraint_hessian(q, p, w): sum_i w_i g_i'' [2n, 2n],
        z = (q, p); without them Newton matrices use differences
    force(q, p): forces that are no gradient [n], and their derivatives by q and p, rows of length 2n; H is then evaluated as a whole, so
        omit inverse_mass and separable, and write M^-1 into H
    inverse_mass: the diagonal of M^-1, of H = pᵀM⁻¹p/2 + V(q); separable: H = T(p) + V(q); holonomic: g = g(q) (None: if the rows of its
        derivatives have length n, or it is a C function and H is natural)
    dirac: of constraints linear in p Dirac's motion is meant, whose multipliers displace coordinates; they are refused otherwise (vakonomic: its old name)
    clock: the coordinate that is the time t, for functions that depend on it: H contains its momentum with the factor 1, H(q, p, t) + p_t, and steps
        set t to start_time + k h
    start: (q, p); coordinates, constraints: names
    Each function may be a C function instead (SIGNATURES), which then works at full speed and on many threads; `context` is its first
    argument. An exception of a function of Python is the cause of the error Callback; after an ArithmeticError it may be called again."""

    _model = ffi.NULL
    #: how derivatives were found, of of_values()
    by: str | None = None

    def __init__(self, n: int, hamiltonian: Any, constraint: Any = None, m: int | None = None, *, hamiltonian_hessian: Any = None,
                 constraint_hessian: Any = None, inverse_mass: Numbers | None = None, separable: bool = False, holonomic: bool | None = None,
                 start: tuple[Numbers, Numbers] | None = None, coordinates: Iterable[str] | None = None,
                 constraints: Iterable[str] | None = None, context: Any = None, force: Any = None,
                 dirac: bool = False, vakonomic: bool = False, clock: int | None = None):
        self.n, self.context, self.clock = whole(n, "n"), context, clock
        if self.n < 1:
            raise BadArgument(f"n = {n}: expected at least one coordinate")
        if clock is not None and not 0 <= clock < n:
            raise ValueError(f"clock is the index of a coordinate, 0 to {n - 1}, found {clock}")
        self.functions = dict(zip(FUNCTIONS, (hamiltonian, hamiltonian_hessian, constraint, constraint_hessian, force)))
        if inverse_mass is not None and numpy.ndim(inverse_mass):
            inverse_mass = array(inverse_mass, self.n, "inverse_mass")
        self.inverse_mass = None if inverse_mass is None else numpy.full(self.n, inverse_mass, dtype=float)
        zero = numpy.zeros(self.n)
        self.given = self._point(start or (zero, zero))
        self.coordinates = list(coordinates) if coordinates is not None else [f"q[{k}]" for k in range(self.n)]
        self.constraints = None if constraints is None else list(constraints)
        self.flags = (lib.RATTLE_SEPARABLE | lib.RATTLE_NATURAL if inverse_mass is not None else lib.RATTLE_SEPARABLE if separable else 0)
        self.m, found = self._look_at_constraints(m)
        if holonomic is None:
            holonomic = found
        check_names(self)
        check_hamiltonian(self)
        self.flags |= lib.RATTLE_HOLONOMIC if holonomic else lib.RATTLE_DIRAC if dirac or vakonomic else 0
        self._problem, self._wishes = None, options("wishes", stop=float("nan"), steps=-1, every=1)

    @classmethod
    def of_values(cls, n: int, hamiltonian: Any, constraint: Any = None, *, by: str = "auto", start: tuple[Numbers, Numbers] | None = None,
                  **options: Any) -> Callbacks:
        """Callbacks of functions that return values alone: hamiltonian(q, p) a number, constraint(q) one or several. Their derivatives are found:

        by: "autograd", "casadi", "sympy", "jax": by these, with second derivatives; functions are of their arrays or symbols
            "complex": by complex steps, to round-off, of analytic functions of numpy; "differences": of eighth order, to about 1e-13
            "auto": complex steps, or differences where those do not give the same at the start; the member `by` and repr say which
        start, options: those of Callbacks. Complex steps and differences are compared with differences at the start, and refused where half of the
        digits are others."""
        zero = numpy.zeros(whole(n, "n"))
        at = [numpy.broadcast_to(numpy.asarray(part, dtype=float), n).copy() for part in start or (zero, zero)]
        made = derived(n, hamiltonian, constraint, by, at)
        by = made.pop("by")
        of = cls(n, start=start, **made, **options)
        of.by = by
        return of

    def _look_at_constraints(self, m):
        """(how many there are, True if they are taken to be of q alone): a function of Python says it at the start, where `m` may say it too."""
        function = self.functions["constraint"]
        if function is None:
            if m:
                raise ValueError(f"m = {m}, and there are no constraints: pass constraint=")
            return 0, self.inverse_mass is not None
        if pointer_of(function) is not None:
            if m is None:
                raise ValueError("a C function does not say how many constraints it has: pass m=")
            return whole(m, "m"), self.inverse_mass is not None
        values, rows = function(*self.given)
        count = numpy.size(values)
        if m is not None and whole(m, "m") != count:
            raise ValueError(f"m = {m}, but the constraints return {count} value{'s' if count != 1 else ''}: leave m out, or correct it")
        return count, numpy.shape(rows)[-1:] == (self.n,)

    def problem(self, evaluator: str = "auto", steps: int = 0) -> Problem:
        """The Problem."""
        if self._problem is None:
            self._problem = self._make()
        return self._problem

    def _make(self):
        handle, keep = ffi.new_handle(self), [self]
        pointers = {name: pointer_of(function) for name, function in self.functions.items() if function is not None}
        if self.context is not None and None in pointers.values():
            raise ValueError("context is for problems all of whose functions are C functions")
        how = options("callbacks", n=self.n, m=self.m, flags=self.flags, context=handle if self.context is None else self.context,
                      clock=0 if self.clock is None else self.clock + 1)
        for name, pointer in pointers.items():
            field = dict(ffi.typeof("rattle_callbacks").fields)[name].type
            setattr(how, name, getattr(lib, "rattle_python_" + name) if pointer is None else ffi.cast(field, pointer))
        if self.inverse_mass is not None:
            how.inverse_mass = address(self.inverse_mass)
        for name, texts in (("coordinate_names", self.coordinates), ("constraint_names", self.constraints)):
            if texts is not None:
                keep.append([bytes_of(text) for text in texts])
                keep.append(ffi.new("char *[]", keep[-1] or [ffi.NULL]))
                setattr(how, name, keep[-1])
                setattr(how, name[:-1] + "_count", len(texts))
        c = own("problem", lib.rattle_problem_create_callbacks, how, keep=(keep, handle))
        return Problem(c, (self.coordinates, ["p" + name for name in self.coordinates]), given=self.given, functions=self)

    def _point(self, start):
        """(q, p) of n numbers each, or of one for all."""
        if len(start) != 2:
            raise BadArgument(f"start: expected (q, p), found {len(start)} values")
        q, p = start
        return tuple(numpy.full(self.n, part, dtype=float) if numpy.ndim(part) == 0 else array(part, self.n, f"start: {what}")
                     for part, what in ((q, "q"), (p, "p")))

    def _started(self, start):
        """start: (q, p), or values by name."""
        other = copy.copy(self)
        if isinstance(start, dict):
            index = {name: k for k, name in enumerate([*self.coordinates, *("p" + name for name in self.coordinates)])}
            z = numpy.concatenate(self.given)
            for name, value in start.items():
                if name not in index:
                    raise ValueError(f"start: there is no variable {name!r}; there are {', '.join(index)}")
                z[index[name]] = value
            start = z[:self.n], z[self.n:]
        other.given = self._point(start)
        other._problem = None
        return other

    def _moved(self):
        return dict(zip([*self.coordinates, *("p" + name for name in self.coordinates)], numpy.concatenate(self.given)))

    def __getstate__(self):
        return {**vars(self), "_problem": None, "_wishes": None}

    def __setstate__(self, state):
        vars(self).update(state, _wishes=options("wishes", stop=float("nan"), steps=-1, every=1))

    def __repr__(self):
        return f"<rattle.Callbacks: n = {self.n}, m = {self.m}" + (f", derivatives by {WORDS[self.by]}" if self.by else "") + ">"


def _arguments(context, z):
    """The object, q and p: copies, which a function may keep."""
    of = ffi.from_handle(context)
    point = numpy.frombuffer(ffi.buffer(z, 16 * of.n)).copy()
    return of, point[:of.n], point[of.n:]


def _out(pointer, shape):
    return numpy.frombuffer(ffi.buffer(pointer, 8 * int(numpy.prod(shape)))).reshape(shape)


def _fill(into, values, what):
    """The values that a function returned; a number is for all. Another shape would be spread over the places, and is refused."""
    values = numpy.asarray(values, dtype=float)
    if values.ndim and values.shape != into.shape:
        raise ValueError(f"{what}: expected {' by '.join(map(str, into.shape))} numbers, found {' by '.join(map(str, values.shape))}")
    into[:] = values


def _failed(kind, error, traceback):
    raised.error = error.with_traceback(traceback)
    return 1 if isinstance(error, ArithmeticError) else -1


@ffi.def_extern(onerror=_failed, error=-1)
def rattle_python_hamiltonian(context, z, H, gradient):
    of, q, p = _arguments(context, z)
    found = of.functions["hamiltonian"](q, p)
    if isinstance(found, numbers.Number) or getattr(found, "shape", None) == ():
        raise TypeError("H must return its value and its derivatives by q and by p; rattle.Callbacks.of_values finds derivatives of values alone")
    H[0], H_q, H_p = found
    into = _out(gradient, (2 * of.n,))
    _fill(into[:of.n], H_q, "the derivatives of H by q")
    _fill(into[of.n:], H_p, "the derivatives of H by p")
    return 0


@ffi.def_extern(onerror=_failed, error=-1)
def rattle_python_hamiltonian_hessian(context, z, hessian):
    of, q, p = _arguments(context, z)
    _fill(_out(hessian, (2 * of.n, 2 * of.n)), of.functions["hamiltonian_hessian"](q, p), "the second derivatives of H")
    return 0


@ffi.def_extern(onerror=_failed, error=-1)
def rattle_python_constraint(context, z, g, jacobian):
    of, q, p = _arguments(context, z)
    values, rows = of.functions["constraint"](q, p)
    rows, into = numpy.atleast_2d(numpy.asarray(rows, dtype=float)), _out(jacobian, (of.m, 2 * of.n))
    _fill(_out(g, (of.m,)), numpy.reshape(values, -1), "the constraints")
    of_q = rows.shape[-1] == of.n
    if not of_q and of.flags & lib.RATTLE_HOLONOMIC and rows[:, of.n:].any():
        raise ValueError("the constraints are said to be holonomic, g(q), and have derivatives by p: pass holonomic=False")
    into[:, of.n:] = 0
    _fill(into[:, :of.n] if of_q else into, rows, f"the derivatives of the constraints, rows of {of.n} or {2 * of.n}")
    return 0


@ffi.def_extern(onerror=_failed, error=-1)
def rattle_python_force(context, z, f, jacobian):
    of, q, p = _arguments(context, z)
    values, rows = of.functions["force"](q, p)
    _fill(_out(f, (of.n,)), values, "the forces")
    _fill(_out(jacobian, (of.n, 2 * of.n)), rows, "the derivatives of the forces")
    return 0


@ffi.def_extern(onerror=_failed, error=-1)
def rattle_python_constraint_hessian(context, z, w, hessian):
    of, q, p = _arguments(context, z)
    weights = numpy.frombuffer(ffi.buffer(w, 8 * of.m)).copy()
    _fill(_out(hessian, (2 * of.n, 2 * of.n)), of.functions["constraint_hessian"](q, p, weights), "the second derivatives of the constraints")
    return 0
