"""Equilibria under constraints, and the small motions about them."""
from __future__ import annotations

from typing import Any

import numpy

from rattle._c import Array, address, bytes_of, ffi, lib, options, own
from rattle.errors import BadArgument
from rattle.watch import Watch


class Equilibrium:
    """Where a mechanism rests, and how it moves near there (docs/statics.md).

    q: the coordinates [n]; p: the momenta with which they rest, 0 unless H has terms linear in momenta [n]; multipliers: of the constraints [m], then of those that were omitted since others hold them; energy: H there; degrees: of freedom, d; places: under constraints on velocities, the directions beyond these in which it can rest as well, each one more rate 0; residual, iterations: of the search
    stable: True, False, or None where linear terms do not decide; gyroscopic: True where they do not since gyroscopic terms alone keep all linear motions bounded
    rates: mu of the small motions exp(mu t), complex, one of each conjugate pair; frequencies: their imaginary parts, radians in a unit of time
    shapes: the motion of the coordinates in each [modes, n], its largest entry 1; complex where forces act or frames turn
    basis: B [n, d], q = q* + B x; stiffness, damping: K, C [d, d] of x'' + C x' + K x = 0, B having mass 1 in each of its columns; None of more than 400 coordinates
    softest: the least eigenvalue of the symmetric part of K"""

    q: Array
    p: Array
    multipliers: Array
    energy: float
    degrees: int
    places: int
    residual: float
    iterations: int
    stable: bool | None
    gyroscopic: bool
    rates: Any
    frequencies: Array
    shapes: Any
    basis: Array | None
    stiffness: Array | None
    damping: Array | None
    softest: float

    def state_space(self, force: Any, output: Any) -> tuple[Array, Array, Array, Array]:
        """A, B, C, D of s' = A s + B u, y = C s + D u with s = (x, x'): u drives the coordinates along force [n, inputs], y is output @ (q - q*), output [outputs, n]."""
        if self.basis is None or self.stiffness is None or self.damping is None:
            raise BadArgument("a state space has the matrices of all directions, which are not made of more than 400 coordinates")
        d, force, output = self.degrees, numpy.atleast_2d(force), numpy.atleast_2d(output)
        A = numpy.block([[numpy.zeros((d, d)), numpy.eye(d)], [-self.stiffness, -self.damping]])
        B = numpy.vstack([numpy.zeros((d, force.shape[1])), self.basis.T @ force])
        return A, B, numpy.hstack([output @ self.basis, numpy.zeros((output.shape[0], d))]), numpy.zeros((output.shape[0], force.shape[1]))

    def __repr__(self):
        word = "gyroscopic" if self.gyroscopic else {True: "stable", False: "unstable", None: "undecided"}[self.stable]
        return f"<rattle.Equilibrium: {self.degrees} degrees of freedom, {word}, energy {self.energy:.10g}>"


def _array(values, *shape):
    return numpy.array(ffi.unpack(values, int(numpy.prod(shape))), float).reshape(shape) if numpy.prod(shape) else numpy.zeros(shape)


def speeds(steady):
    """The quantities and speeds of a steady motion for C: members of options, and what they point to."""
    keep = [bytes_of(name) for name in steady]
    given = ffi.new("rattle_parameter[]", [(key, float(value)) for key, value in zip(keep, steady.values())])
    return {"steady": given, "steadies": len(keep)}, keep


def equilibrium(problem, q, nearest, lowest, steady):
    """The Equilibrium near q (None: the start of the model), with so many modes (0: as the library has it); steady: quantities and speeds."""
    watch = Watch(None)
    along, keep = speeds(steady or {})
    how = options("equilibrium_options", nearest=int(nearest), modes=lowest, interrupt=watch.interrupt, **along)
    made = own("equilibrium", lib.rattle_equilibrium_create, problem._c, ffi.NULL if q is None else address(q), how)
    r, found = lib.rattle_equilibrium_result_of(made), Equilibrium()
    n, d, modes = r.n, r.degrees, r.modes
    for figure in ("energy", "degrees", "places", "residual", "iterations", "softest"):
        setattr(found, figure, getattr(r, figure))
    found.gyroscopic = r.stable == lib.RATTLE_EQUILIBRIUM_GYROSCOPIC
    found.stable = None if r.stable < 0 or found.gyroscopic else bool(r.stable)
    found.p = _array(r.p, n)
    found.q, found.multipliers = _array(r.q, n), _array(r.multipliers, r.m + r.omitted)
    found.rates = _array(r.real, modes) + 1j*_array(r.imaginary, modes)
    found.frequencies = found.rates.imag.copy()
    turned = _array(r.shape_imaginary, modes, n)
    found.shapes = _array(r.shape, modes, n) + (1j*turned if turned.any() else 0)
    dense = r.basis != ffi.NULL
    found.basis, found.stiffness, found.damping = (_array(r.basis, n, d), _array(r.stiffness, d, d), _array(r.damping, d, d)) if dense else (None, None, None)
    return found
