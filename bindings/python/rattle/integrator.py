"""Step by step: the state in arrays that the library advances in place."""
from __future__ import annotations

import threading
import time

from collections.abc import Callable

import numpy

from rattle._c import Array, address, bytes_of, ffi, lib, options, own, plain, text
from rattle.errors import check, exception
from rattle.problem import Point

STRETCH = 1000  # steps that are made in one call, however long they take


class Integrator(Point):
    """A method compiled for a problem, and a state that it advances.

        integrator = model.integrator("rattle(verlet)", step=0.01)
        while integrator.q[0] > 0:
            integrator.step()

    q, p: the state, arrays that step() writes to, and that may be written; time; steps: the number of the last step
    h: the step, may be changed between steps; step(n): n steps. One thread at a time; the others wait."""

    step: Callable[..., None]

    def __init__(self, problem, method, h, start, q, p):
        super().__init__(problem, q, p)
        self._c = c = own("integrator", lib.rattle_integrator_create, problem._c, bytes_of(str(method)))
        self._state = state = options("state", q=address(self.q), p=address(self.p), t0=start, h=h)
        self.step = _stepper(c, state)

    @property
    def method(self) -> str:
        """The method expression."""
        return text(lib.rattle_method_text(lib.rattle_integrator_method(self._c)))

    @property
    def time(self) -> float:
        return lib.rattle_integrator_time(self._c, self._state)

    @property
    def steps(self) -> int:
        return self._state.step

    @property
    def h(self) -> float:
        return self._state.h

    @h.setter
    def h(self, value: float) -> None:
        self._state.t0, self._state.step, self._state.h = self.time, 0, value

    @property
    def energy(self) -> float:
        """H at the point that output() gives."""
        return self.problem.energy(*self.output())

    def output(self) -> tuple[Array, Array]:
        """The point (q, p) that samples show: the state, projected or transformed if the method says so."""
        q, p = numpy.empty_like(self.q), numpy.empty_like(self.p)
        check(lib.rattle_integrator_output, self._c, self._state, address(q), address(p))
        return q, p

    @property
    def counts(self) -> dict[str, int]:
        """Evaluations, iterations, projections so far."""
        return plain(lib.rattle_integrator_counts(self._c))

    @property
    def residuals(self) -> dict[str, float]:
        """Largest |g|, |psi| and residual of iterations after the steps so far."""
        return plain(lib.rattle_integrator_residuals(self._c))

    @property
    def kernel(self) -> str:
        """What made the last step: native, fused, chain, bonds, sparse, general; none before the first one (rattle_integrator_kernel)."""
        return text(lib.rattle_integrator_kernel(self._c))

    @property
    def followed(self) -> bool:
        """Whether the multipliers of the last step were doubtful, and were followed from h = 0 by the guard."""
        return bool(lib.rattle_integrator_followed(self._c))

    def record_impulses(self) -> None:
        """From now on impulses() gives those of the constraints in the last step."""
        check(lib.rattle_integrator_record_impulses, self._c)

    def impulses(self) -> tuple[Array, float]:
        """(what the constraints added to p in the last step, their virial)."""
        impulse, virial = numpy.zeros(self.problem.n), ffi.new("double *")
        lib.rattle_integrator_impulses(self._c, address(impulse), virial)
        return impulse, virial[0]

    def __repr__(self):
        return f"<rattle.Integrator: {self.method}, step {self.h:g}, t = {self.time:g} after {self.steps} steps>"


def _stepper(c, state):
    """step() as a closure: what it needs is at hand, which keeps a step from Python short."""
    advance, error, lock = lib.rattle_integrator_step, ffi.new("rattle_error *"), threading.Lock()

    def step(steps=1):
        """Advances the state by `steps` steps. After a failure, and after Ctrl-C, it is that of the last good step."""
        with lock:
            if not 0 <= steps < STRETCH:
                stretches(steps)
            elif advance(c, state, steps, error):
                raise exception(error)

    def stretches(left):
        """Many steps in calls of about 0.1 s, between which Python sees signals."""
        most = STRETCH
        if left < 0:
            raise ValueError(f"{left} steps: expected 0 or more; for steps back in time change the sign of h")
        while left > 0:
            begin, now = time.monotonic(), min(most, left)
            if advance(c, state, now, error):
                raise exception(error)
            left -= now
            if time.monotonic() - begin < 0.05:
                most *= 2

    return step
