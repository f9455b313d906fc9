"""Steps with a proof that they ended where they had to."""
from __future__ import annotations

from typing import Any

from rattle._c import Array, Numbers, address, array, bytes_of, ffi, lib, options, own, plain, text
from rattle.errors import check, exception
from rattle.problem import Point


class Certifier(Point):
    """A method that proves its steps: that each ended at the end of the curve of solutions that begins at its start (docs/certificates.md).

        certifier = model.certifier("rattle(verlet)", step=0.01)
        certifier.step(1000)                  # q, p are those of the integrator, to the last bit
        certifier.proved, certifier.certificate["units"]

    q, p: the state. Methods and problems that the theorem does not cover are refused with the reason."""

    def __init__(self, problem, method, h, start, q, p):
        super().__init__(problem, q, p)
        self._c = own("certifier", lib.rattle_certifier_create, problem._c, bytes_of(str(method)))
        self._state = options("state", q=address(self.q), p=address(self.p), t0=start, h=h)
        self._certificate = options("certificate")

    @property
    def method(self) -> str:
        """The method expression."""
        return text(lib.rattle_method_text(lib.rattle_integrator_method(lib.rattle_certifier_integrator(self._c))))

    @property
    def time(self) -> float:
        return self._state.t0 + self._state.step * self._state.h

    @property
    def certificate(self) -> dict[str, Any]:
        """Counts of the substeps so far: one_piece, tracked, open, wrong; the largest radius, in the unit of q and in units of round-off; the first
        that is not proved: step (0: none), substep, is_wrong, and reached, the part of it up to which its curve is known."""
        return plain(self._certificate)

    @property
    def proved(self) -> bool:
        """Whether all substeps so far are proved."""
        return self._certificate.substeps > 0 and not self._certificate.open and not self._certificate.wrong

    def step(self, steps: int = 1) -> None:
        """Advances the state and the certificate. After a failure they are those of the last good step."""
        if steps < 0:
            raise ValueError(f"{steps} steps: expected 0 or more")
        error = ffi.new("rattle_error *")
        if lib.rattle_certifier_step(self._c, self._state, steps, self._certificate, error):
            raise exception(error)

    def check(self, h: float, q0: Numbers, p0: Numbers, q1: Numbers) -> dict[str, Any]:
        """The certificate of a substep that somebody else has made: of length h, from (q0, p0) to the positions q1."""
        n = self.problem.n
        ends = [array(values, n, what) for values, what in ((q0, "q0"), (p0, "p0"), (q1, "q1"))]
        found = options("certificate")
        check(lib.rattle_certifier_check, self._c, h, *map(address, ends), found)
        return plain(found)

    def __repr__(self):
        c = self._certificate
        return f"<rattle.Certifier: {self.method}, {c.one_piece + c.tracked} of {c.substeps} substeps proved, t = {self.time:g}>"
