"""Periodic orbits with their monodromy matrices."""
from __future__ import annotations

from typing import Any

import numpy

from rattle._c import Array, address, bytes_of, ffi, lib, options, own, text
from rattle.errors import BadArgument

HELD = {"": "DEFAULT", "energy": "ENERGY", "period": "PERIOD", "nothing": "NOTHING"}


class Orbit:
    """A periodic orbit on the constraints (docs/orbits.md).

    q, p: its start; period, period_error, energy; steps: of one period; residual: how far it is from closing, in parts of its amplitude
    multipliers: the Floquet multipliers [2(n - m)], complex, by falling modulus, those of the flow and of the energy last; trivial: how many of these are 1
    monodromy: the derivative of the return map [d, d], w = c @ basis goes to (monodromy @ c) @ basis; basis: tangent vectors at the start [d, 2n]
    verdict: "stable", "unstable" or "undecided"; why: a sentence; method: the method expression"""

    q: Array
    p: Array
    period: float
    period_error: float
    energy: float
    steps: int
    residual: float
    multipliers: Any
    trivial: int
    monodromy: Array
    basis: Array
    verdict: str
    why: str
    method: str

    def __repr__(self):
        return f"<rattle.Orbit: period {self.period:.10g}, {self.verdict}>"


def orbit(problem, method, q, p, hold, **settings):
    """The Orbit near (q, p), rows of a problem."""
    if hold not in HELD:
        raise BadArgument(f"hold: there is no {hold!r}; give energy, period or nothing")
    name = bytes_of(method)
    how = options("orbit_options", method=name, held=getattr(lib, "RATTLE_ORBIT_HOLD_" + HELD[hold]), **settings)
    made = own("orbit", lib.rattle_orbit_create, problem._c, address(q), address(p), how)
    r, found = lib.rattle_orbit_result_of(made), Orbit()
    found.q, found.p = (numpy.array([values[k] for k in range(r.n)]) for values in (r.q, r.p))
    for figure in ("period", "period_error", "energy", "steps", "residual", "trivial"):
        setattr(found, figure, getattr(r, figure))
    found.multipliers = numpy.array([complex(r.real[k], r.imaginary[k]) for k in range(r.multipliers)])
    found.monodromy, found.basis = numpy.zeros((r.d, r.d)), numpy.zeros((r.d, 2*r.n))
    lib.rattle_orbit_monodromy(made, address(found.monodromy), address(found.basis))
    found.verdict, found.why, found.method = text(r.verdict), text(r.why), method
    return found
