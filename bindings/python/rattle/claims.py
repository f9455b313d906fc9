"""What is said of functions of Python, against what they return: names, inverse masses, separable H, a clock. A problem that was said to be another
one would be integrated without a word, since the library leaves out what such an H does not have."""
from __future__ import annotations

import numpy

from rattle._c import lib, pointer_of
from rattle.errors import BadArgument


def check_names(of):
    """As many names as there are coordinates and constraints, each once."""
    for what, names, count in (("coordinates", of.coordinates, of.n), ("constraints", of.constraints, of.m)):
        if names is not None and len(names) != count:
            raise BadArgument(f"{what}: expected {count} name{'s' if count != 1 else ''}, found {len(names)}")
        twice = {name for name in names or () if names.count(name) > 1}
        if twice:
            raise BadArgument(f"{what}: the name {sorted(twice)[0]!r} stands twice")


def _differ(a, b):
    """True if half of the digits of some entry are others."""
    size = max(numpy.abs(a).max(initial=0), numpy.abs(b).max(initial=0))
    return bool((numpy.abs(a - b) > numpy.finfo(float).eps**0.5*size).any())


def check_hamiltonian(of):
    """H at the start, and at other momenta and a place nearby, where the functions have values there."""
    function, natural = of.functions["hamiltonian"], of.inverse_mass is not None
    separable = bool(of.flags & lib.RATTLE_SEPARABLE)
    if pointer_of(function) is not None or not (natural or separable or of.clock is not None):
        return

    def slopes(q, p):
        _, *both = function(q.copy(), p.copy())
        return [numpy.broadcast_to(numpy.asarray(part, dtype=float), of.n) for part in both]

    q, p = of.given
    other, near = p + 1, q + (1 + numpy.abs(q))*2**-10
    try:
        (by_q, _), (by_q_there, by_p), (_, by_p_near) = slopes(q, p), slopes(q, other), slopes(near, other)
    except Exception:  # the run says what is wrong
        return
    moves = numpy.array([k != of.clock for k in range(of.n)])
    if of.clock is not None and by_p[of.clock] != 1:
        raise BadArgument(f"clock = {of.clock}: H must contain the momentum of the time with the factor 1, and its derivative by that is {by_p[of.clock]:g}")
    if natural and _differ(by_p[moves], (of.inverse_mass*other)[moves]):
        k = int(numpy.argmax(numpy.where(moves, numpy.abs(by_p - of.inverse_mass*other), -1)))
        raise BadArgument(f"inverse_mass[{k}] = {of.inverse_mass[k]:g} says that the derivative of H by p[{k}] is {(of.inverse_mass*other)[k]:g} where p[{k}] "
                          f"is {other[k]:g}, and H gives {by_p[k]:g}: correct one of them")
    if _differ(by_q, by_q_there) or _differ(by_p, by_p_near):
        raise BadArgument(f"H is said to be T(p) + V(q), by {'inverse_mass' if natural else 'separable'}, and its derivatives by "
                          f"{'q depend on p' if _differ(by_q, by_q_there) else 'p depend on q'}: leave that out")


def wrong_second_derivative(of):
    """A sentence about a second derivative that is not that of what is derived, near the start; None where there is none."""
    q, p = of.given
    z, n, functions = numpy.concatenate((q, p)), of.n, of.functions
    if any(function is not None and pointer_of(function) is not None for function in functions.values()):
        return None
    w = numpy.arange(1.0, of.m + 1)

    def gradient(z):
        return numpy.concatenate([numpy.broadcast_to(numpy.asarray(part, dtype=float), n) for part in functions["hamiltonian"](z[:n].copy(), z[n:].copy())[1:]])

    def weighted(z):
        rows = numpy.atleast_2d(numpy.asarray(functions["constraint"](z[:n].copy(), z[n:].copy())[1], dtype=float))
        return numpy.pad(w @ rows, (0, 2*n - rows.shape[1]))

    pairs = (("the second derivatives of H", "hamiltonian_hessian", lambda: functions["hamiltonian_hessian"](q, p), gradient),
             ("the second derivatives of the constraints", "constraint_hessian", lambda: functions["constraint_hessian"](q, p, w), weighted))
    for what, name, given, values in pairs:
        if functions[name] is None:
            continue
        try:
            found, differences = numpy.asarray(given(), dtype=float), differences_of(values, z)
        except Exception:  # the call that needs it raises it
            continue
        # differences in double precision have two thirds of the digits: half of those are asked for
        if found.shape != differences.shape or (numpy.abs(found - differences) > numpy.finfo(float).eps**(1/3)*(1 + numpy.abs(differences).max())).any():
            return f"{what} that {name} gives are not those of its values: the largest difference is {numpy.abs(found - differences).max():.3g}; correct the callback"
    return None


def differences_of(values, z):
    """The derivatives of values(z), [values, variables], by central differences."""
    columns = []
    for k in range(len(z)):
        h = numpy.finfo(float).eps**(1/3)*max(1.0, abs(z[k]))
        step = numpy.zeros(len(z))
        step[k] = h
        columns.append((values(z + step) - values(z - step))/(2*h))
    return numpy.stack(columns, axis=-1)
