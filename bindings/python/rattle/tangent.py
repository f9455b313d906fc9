"""Derivatives of trajectories: the exact tangent maps of steps."""
from __future__ import annotations

import numpy

from rattle._c import Array, address, bytes_of, ffi, lib, options, own, text
from rattle.errors import check, exception
from rattle.problem import Point


class Tangent(Point):
    """A method compiled with the derivatives of its steps, a state, and vectors that its steps carry along.

        tangent = model.tangent("rattle(verlet)", step=0.01)
        before = tangent.vectors.copy()       # [2(n - m), 2n]: an orthonormal basis of the tangent space at the start
        tangent.step(1000)                    # q, p, and vectors: row k is the derivative of the end along before[k]
        M = tangent.vectors @ tangent.basis().T

    q, p: the state; vectors: rows (dq, dp), may be written or replaced by other rows. docs/derivatives.md has the equations."""

    vectors: Array

    def __init__(self, problem, method, h, start, q, p):
        super().__init__(problem, q, p)
        self._c = own("tangent", lib.rattle_tangent_create, problem._c, bytes_of(str(method)))
        self._state = options("state", q=address(self.q), p=address(self.p), t0=start, h=h)
        self.vectors = self.basis()

    @property
    def method(self) -> str:
        """The method expression."""
        return text(lib.rattle_method_text(lib.rattle_integrator_method(lib.rattle_tangent_integrator(self._c))))

    @property
    def time(self) -> float:
        return self._state.t0 + self._state.step * self._state.h

    def basis(self) -> Array:
        """An orthonormal basis of the tangent space {g' w = 0, psi' w = 0} at the state: rows [2(n - m), 2n]."""
        nz = 2 * self.problem.n
        rows, count = numpy.zeros((nz, nz)), ffi.new("int *")
        check(lib.rattle_tangent_basis, self._c, address(self.q), address(self.p), count, address(rows))
        return rows[:count[0]].copy()

    def project(self, vectors: Array) -> Array:
        """Rows moved onto the tangent space at the state, orthogonally."""
        rows = self._rows(vectors)
        check(lib.rattle_tangent_project, self._c, address(self.q), address(self.p), len(rows), address(rows))
        return rows

    def step(self, steps: int = 1) -> None:
        """Advances the state and the vectors. After a failure they are those of the last good step."""
        if steps < 0:
            raise ValueError(f"{steps} steps: expected 0 or more")
        self.vectors = rows = self._rows(self.vectors)
        error = ffi.new("rattle_error *")
        if lib.rattle_tangent_step(self._c, self._state, steps, len(rows), address(rows), error):
            raise exception(error)

    def _rows(self, vectors):
        rows = numpy.array(vectors, dtype=float, order="C", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != 2 * self.problem.n:
            raise ValueError(f"vectors of shape {rows.shape}: expected rows of {2 * self.problem.n} numbers")
        return rows

    def __repr__(self):
        return f"<rattle.Tangent: {self.method}, {len(self.vectors)} vectors, t = {self.time:g}>"
