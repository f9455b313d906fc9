"""Where the tips are after 1 s, by a formulation that shares nothing with any engine: minimal coordinates, Gauss's principle of least
constraint with the Jacobians of all bodies, loops by their accelerations, scipy's DOP853 with the tightest tolerance.

    PYTHON -m peers.mechanisms.reference [NAME...]      in bench, by a Python with scipy: writes reference.json

q has the angle of a hinge, the quaternion of a ball, place and quaternion of a free body; u has the rate of a hinge, the relative spin of a ball in axes
of the body, the velocity in the world and the spin of a free body. J maps u to velocities of centres of mass (the first 3 n rows) and spins (the others)."""
import json
import math
import os
import sys

import numpy

from .systems import ALL, FREE, HINGE, rotation, system

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")
PLACES, RATES = (1, 4, 7), (1, 3, 6)
TOLERANCE = 5e-14


def cross_matrix(r):
    x, y, z = r
    return numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross(a, b):
    return numpy.array([a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]])


def rotation_of(q):
    """The rotation of a quaternion (w, x, y, z) of any length."""
    K = cross_matrix(q[1:])
    return numpy.eye(3) + 2*(q[0]*K + K @ K)/(q @ q)


class Minimal:
    def __init__(self, s):
        self.s, self.n = s, len(s.bodies)
        self.q0 = numpy.cumsum([0] + [PLACES[b.joint] for b in s.bodies])
        self.u0 = numpy.cumsum([0] + [RATES[b.joint] for b in s.bodies])
        self.nq, self.nu = self.q0[-1], self.u0[-1]
        up = [s.bodies[b.parent] if b.parent >= 0 else None for b in s.bodies]
        self.turned = [p.R.T @ b.R if p else b.R for p, b in zip(up, s.bodies)]  # in axes of the parent
        self.out = [p.inner(b.J) if p else b.J for p, b in zip(up, s.bodies)]  # from the parent's centre to the joint
        self.back = [-b.inner(b.J) for b in s.bodies]  # from the joint to the centre
        self.axis = [b.R.T @ b.a for b in s.bodies]

    def start(self):
        q, u = [], []
        for b in self.s.bodies:
            q += [0] if b.joint == HINGE else [*(b.c if b.joint == FREE else []), 1, 0, 0, 0]
            u += [b.rate[0]] if b.joint == HINGE else [*(b.v if b.joint == FREE else []), *b.rate]
        return numpy.array(q + u, float)

    def move(self, y):
        """R, c, w, v of all bodies; of their accelerations the parts al, a without those of u; J."""
        R, c, w, v, al, a = [], [], [], [], [], []
        J = numpy.zeros((2, self.n, 3, self.nu))
        for i, b in enumerate(self.s.bodies):
            q, u = y[self.q0[i]:self.q0[i + 1]], y[self.nq + self.u0[i]:self.nq + self.u0[i + 1]]
            k, p = self.u0[i], b.parent
            if b.joint == FREE:
                R.append(b.R @ rotation_of(q[3:]))
                for into, value in ((c, q[:3]), (v, u[:3]), (w, R[i] @ u[3:]), (al, numpy.zeros(3)), (a, numpy.zeros(3))):
                    into.append(value)
                J[0, i, :, k:k + 3], J[1, i, :, k + 3:k + 6] = numpy.eye(3), R[i]
                continue
            zero = numpy.zeros(3)
            Rp, cp, wp, vp, alp, ap = (R[p], c[p], w[p], v[p], al[p], a[p]) if p >= 0 else (numpy.eye(3), zero, zero, zero, zero, zero)
            R.append(Rp @ self.turned[i] @ (rotation(self.axis[i], q[0]) if b.joint == HINGE else rotation_of(q)))
            free = R[i] @ self.axis[i][:, None] if b.joint == HINGE else R[i]
            d, e, spin = Rp @ self.out[i], R[i] @ self.back[i], free @ u
            c.append(cp + d + e)
            w.append(wp + spin)
            v.append(vp + cross(wp, d) + cross(w[i], e))
            al.append(alp + cross(wp, spin))
            a.append(ap + cross(alp, d) + cross(wp, cross(wp, d)) + cross(al[i], e) + cross(w[i], cross(w[i], e)))
            if p >= 0:
                J[0, i, :, :k], J[1, i, :, :k] = J[0, p, :, :k] - cross_matrix(d + e) @ J[1, p, :, :k], J[1, p, :, :k]
            J[0, i, :, k:self.u0[i + 1]], J[1, i, :, k:self.u0[i + 1]] = -cross_matrix(e) @ free, free
        return R, c, w, v, al, a, J

    def rates_of_places(self, y):
        rate = numpy.empty(self.nq)
        for i, b in enumerate(self.s.bodies):
            q, u, to = y[self.q0[i]:self.q0[i + 1]], y[self.nq + self.u0[i]:self.nq + self.u0[i + 1]], rate[self.q0[i]:self.q0[i + 1]]
            if b.joint == FREE:
                to[:3], q, u, to = u[:3], q[3:], u[3:], to[3:]
            if b.joint == HINGE:
                to[0] = u[0]
            else:
                to[0], to[1:] = -0.5*(q[1:] @ u), 0.5*(q[0]*u + cross(q[1:], u))
        return rate

    def closing(self, moved):
        """Rows C and what is to vanish of accelerations, C u' + c: of two points on the axis of each loop's hinge."""
        R, _, w, _, al, a, J = moved
        rows, rest = [], []
        for loop in self.s.loops:
            for point in (loop.J, loop.J + loop.a):
                row, more = numpy.zeros((3, self.nu)), numpy.zeros(3)
                for i, sign in ((loop.one, 1), (loop.two, -1)):
                    if i < 0:
                        continue
                    r = R[i] @ self.s.bodies[i].inner(point)
                    row += sign*(J[0, i] - cross_matrix(r) @ J[1, i])
                    more += sign*(a[i] + cross(al[i], r) + cross(w[i], cross(w[i], r)))
                rows.append(row)
                rest.append(more)
        return numpy.concatenate(rows), numpy.concatenate(rest)

    def rate(self, _, y):
        """Accelerations by Gauss's principle of least constraint: |A u' - b| is least, by QR, which keeps twice the digits of a mass matrix."""
        moved = self.move(y)
        R, _, w, _, al, a, J = moved
        A, b = numpy.empty((2, self.n, 3, self.nu)), numpy.empty((2, self.n, 3))
        for i, body in enumerate(self.s.bodies):
            root, spin = numpy.sqrt(body.inertia), R[i].T @ w[i]
            A[0, i], A[1, i] = math.sqrt(body.mass)*J[0, i], root[:, None]*(R[i].T @ J[1, i])
            b[0, i], b[1, i] = math.sqrt(body.mass)*(self.s.gravity - a[i]), -root*(R[i].T @ al[i]) - cross(spin, body.inertia*spin)/root
        Q, T = numpy.linalg.qr(A.reshape(-1, self.nu))
        u = numpy.linalg.solve(T, Q.T @ b.ravel())
        if self.s.loops:
            C, c = self.closing(moved)
            u -= numpy.linalg.solve(T, numpy.linalg.lstsq(numpy.linalg.solve(T.T, C.T).T, C @ u + c, rcond=1e-8)[0])
        return numpy.concatenate([self.rates_of_places(y), u])

    def tip(self, y):
        R, c = self.move(y)[:2]
        return c[self.s.last] + R[self.s.last] @ self.s.tip

    def energy(self, y):
        R, c, w, v = self.move(y)[:4]
        kinetic = sum(b.mass*v[i] @ v[i] + b.inertia @ (R[i].T @ w[i])**2 for i, b in enumerate(self.s.bodies))/2
        return kinetic - sum(b.mass*self.s.gravity @ c[i] for i, b in enumerate(self.s.bodies))


def solve(name, tolerance):
    from scipy.integrate import solve_ivp  # pylint: disable=import-outside-toplevel
    problem = Minimal(system(name))
    found = solve_ivp(problem.rate, (0, 1), problem.start(), method="DOP853", rtol=tolerance, atol=tolerance)
    if not found.success:
        raise SystemExit(f"{name}: {found.message}")
    return problem, found.y[:, -1], found.nfev


def main(names):
    results = {}
    if os.path.exists(FILE):
        with open(FILE, encoding="utf-8") as file:
            results = json.load(file)
    for name in names or ALL:
        problem, y, evaluations = solve(name, TOLERANCE)
        other = problem.tip(solve(name, 20*TOLERANCE)[1])
        tip = problem.tip(y)
        results[name] = {"tip": tip.tolist(), "energy": problem.energy(problem.start()), "change": problem.energy(y) - problem.energy(problem.start()),
                         "evaluations": evaluations, "difference": numpy.linalg.norm(tip - other)}
        print(name, results[name], flush=True)
        with open(FILE, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
