"""Functions that return values alone, and those that return their derivatives too: by autograd, CasADi, SymPy, complex steps or differences."""
from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from rattle.errors import BadArgument

ComplexWarning: type[Warning] = getattr(numpy, "exceptions", numpy).ComplexWarning
#: how derivatives are found, in words
WORDS = {"autograd": "autograd", "casadi": "CasADi", "sympy": "SymPy", "jax": "JAX", "complex": "complex steps", "differences": "differences"}


def derived(n: int, hamiltonian: Callable[..., Any], constraint: Callable[..., Any] | None, by: str, start: Any) -> dict[str, Any]:
    """What Callbacks takes: the functions with their derivatives, and `by`, the way that was taken."""
    if by == "auto":
        try:
            return derived(n, hamiltonian, constraint, "complex", start)
        except (BadArgument, TypeError, ValueError, ComplexWarning):
            return derived(n, hamiltonian, constraint, "differences", start)
    if by not in WORDS:
        raise BadArgument(f"by = {by!r}: expected auto, {', '.join(WORDS)}")
    made = types.SimpleNamespace(**_MAKERS[by](n, hamiltonian, constraint))
    if by in ("complex", "differences"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ComplexWarning)
            _compare(n, hamiltonian, constraint, made, by, start)
    return {**vars(made), "by": by}


def _compare(n, hamiltonian, constraint, made, by, start):
    """Refuses derivatives that are not those of differences at the start, of half of the digits."""
    q, p = start
    z = numpy.concatenate((q, p))
    pairs = [("H", lambda z: hamiltonian(z[:n], z[n:]), numpy.concatenate(made.hamiltonian(q, p)[1:]))]
    if constraint is not None:
        pairs.append(("the constraints", lambda q: numpy.reshape(constraint(q), -1), made.constraint(q, p)[1]))
    for what, values, found in pairs:
        x = z if what == "H" else q
        for scale in (2**-12, 2**-14):
            other = numpy.stack([_central(values, x, k, scale*(1 + abs(x[k]))) for k in range(len(x))], axis=-1)
            if not (numpy.abs(other - found) <= 2**-26*(1 + numpy.abs(other).max())).all():
                raise BadArgument(f"the derivatives of {what} by {WORDS[by]} and by differences are not the same at the start: the function is not smooth there"
                                  + (", or not analytic, as with abs, max, conj and what casts to float: give by=\"differences\"" if by == "complex" else ""))


def _central(values, x, k, h):
    """The derivative by x[k], of eighth order, from the values at k h, k = -4 .. 4."""
    def at(t):
        moved = numpy.array(x, dtype=float)
        moved[k] += t
        return numpy.asarray(values(moved), dtype=float)
    return sum(c*(at(j*h) - at(-j*h)) for j, c in enumerate((4/5, -1/5, 4/105, -1/280), 1))/h


def _by_differences(n, hamiltonian, constraint):
    step = numpy.finfo(float).eps**(1/9)  # errors of h^8 and of round-off over h are alike

    def slopes(values, x):
        return numpy.stack([_central(values, x, k, step*max(1.0, abs(x[k]))) for k in range(len(x))], axis=-1)
    return _made(n, hamiltonian, constraint, slopes)


def _by_complex_steps(n, hamiltonian, constraint):
    def slopes(values, x):
        columns = []
        for k in range(len(x)):
            moved = numpy.array(x, dtype=complex)
            moved[k] += 1e-100j
            columns.append(numpy.imag(values(moved))/1e-100)
        return numpy.stack(columns, axis=-1)
    return _made(n, hamiltonian, constraint, slopes)


def _made(n, hamiltonian, constraint, slopes):
    def H(q, p):
        gradient = slopes(lambda z: hamiltonian(z[:n], z[n:]), numpy.concatenate((q, p)))
        return float(hamiltonian(q, p)), gradient[:n], gradient[n:]

    def g(q, _):
        return numpy.reshape(constraint(q), -1), slopes(lambda x: numpy.reshape(constraint(x), -1), q)
    return {"hamiltonian": H, "constraint": None if constraint is None else g}


def _by_autograd(n, hamiltonian, constraint):
    import autograd
    import autograd.numpy

    def whole(z):
        return hamiltonian(z[:n], z[n:])
    value, bend = autograd.value_and_grad(whole), autograd.hessian(whole)

    def H(q, p):
        energy, gradient = value(numpy.concatenate((q, p)))
        return float(energy), gradient[:n], gradient[n:]
    made = {"hamiltonian": H, "hamiltonian_hessian": lambda q, p: bend(numpy.concatenate((q, p))), "constraint": None}
    if constraint is not None:
        def values(q):
            found = constraint(q)
            parts = found if isinstance(found, (list, tuple)) else autograd.numpy.reshape(found, -1)
            return autograd.numpy.array([one for one in parts])
        rows, weighted = autograd.jacobian(values), autograd.hessian(lambda q, w: autograd.numpy.dot(w, values(q)))
        made.update(constraint=lambda q, p: (values(q), rows(q)), constraint_hessian=lambda q, p, w: numpy.pad(weighted(q, w), (0, n)))
    return made


def _by_casadi(n, hamiltonian, constraint):
    import casadi
    q, p = casadi.SX.sym("q", n), casadi.SX.sym("p", n)
    z, energy = casadi.vertcat(q, p), hamiltonian(q, p)
    bent, slope = casadi.hessian(energy, z)
    first, second = casadi.Function("H", [q, p], [energy, slope]), casadi.Function("H_zz", [q, p], [bent])

    def H(q, p):
        energy, slope = (numpy.asarray(part.full()).reshape(-1) for part in first(q, p))
        return energy[0], slope[:n], slope[n:]
    made = {"hamiltonian": H, "hamiltonian_hessian": lambda q, p: second(q, p).full(), "constraint": None}
    if constraint is not None:
        found = constraint(q)
        values = casadi.vertcat(*found) if isinstance(found, (list, tuple)) else casadi.reshape(casadi.SX(found), -1, 1)
        w = casadi.SX.sym("w", values.numel())
        rows = casadi.Function("g", [q], [values, casadi.jacobian(values, q)])
        weighted = casadi.Function("g_qq", [q, w], [casadi.hessian(casadi.dot(w, values), q)[0]])

        def g(q, p):
            values, jacobian = rows(q)
            return values.full().reshape(-1), jacobian.full()
        made.update(constraint=g, constraint_hessian=lambda q, p, w: numpy.pad(weighted(q, w).full(), (0, n)))
    return made


def _by_sympy(n, hamiltonian, constraint):
    import sympy
    q, p = (numpy.array(sympy.symbols(f"{name}:{n}", real=True, seq=True), dtype=object) for name in "qp")
    z, energy = [*q, *p], sympy.sympify(hamiltonian(q, p))

    def compiled(arguments, expressions):
        function = sympy.lambdify(arguments, expressions, modules=["numpy", "scipy"], cse=True)
        return lambda *values: numpy.array(function(*values), dtype=float)
    slope = [energy.diff(x) for x in z]
    value, first = compiled(z, energy), compiled(z, slope)
    second = compiled(z, [[part.diff(x) for x in z] for part in slope])

    def H(q, p):
        gradient = first(*q, *p)
        return float(value(*q, *p)), gradient[:n], gradient[n:]
    made = {"hamiltonian": H, "hamiltonian_hessian": lambda q, p: second(*q, *p), "constraint": None}
    if constraint is not None:
        values = [sympy.sympify(one) for one in numpy.reshape(numpy.array(constraint(q), dtype=object), -1)]
        w = list(sympy.symbols(f"w:{len(values)}", real=True, seq=True))
        total = sum(weight*one for weight, one in zip(w, values))
        all_values, rows = compiled(list(q), values), compiled(list(q), [[one.diff(x) for x in q] for one in values])
        weighted = compiled([*q, *w], [[total.diff(x, y) for y in q] for x in q])
        made.update(constraint=lambda q, p: (all_values(*q), rows(*q)), constraint_hessian=lambda q, p, w: numpy.pad(weighted(*q, *w), (0, n)))
    return made


def _by_jax(n, hamiltonian, constraint):
    from rattle.jax import functions
    return functions(n, hamiltonian, constraint)


_MAKERS = {"autograd": _by_autograd, "casadi": _by_casadi, "sympy": _by_sympy, "jax": _by_jax, "complex": _by_complex_steps, "differences": _by_differences}
