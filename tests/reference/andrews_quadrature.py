#!/usr/bin/env python3
"""The angles of Andrews' squeezing mechanism at t = 0.03 s, without integrating in time.

    python3 tests/reference/andrews_quadrature.py [PANELS]        needs mpmath; 200 panels take half a minute

The mechanism has one degree of freedom. With the angle beta of the crank, T = A(beta) beta'^2/2, and from rest

    t(beta) = integral of sqrt(A / 2W) from beta_0,      W(beta) = M (beta - beta_0) - V(beta) + V(beta_0)

as long as W > 0. beta = beta_0 + s^2 takes the singularity away. Positions are intersections of circles, velocities of joints solve two linear
equations each, so that nothing but this integral is approximated: by Gauss's rule of 20 nodes on each panel, with 34 digits. The equation
t(beta) = 0.03 is solved by Newton's method. Data: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, 2008."""
import sys

from mpmath import atan2, cos, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 34
O, A, B, C = [(mpf(x), mpf(y)) for x, y in (("0", "0"), ("-0.06934", "-0.00227"), ("-0.03635", "0.03273"), ("0.014", "0.072"))]
RR, RA, D, DA, E, EA = map(mpf, "0.007 0.00092 0.028 0.0115 0.02 0.01421".split())
SS, SA, SB, SC, SD = map(mpf, "0.035 0.01874 0.01043 0.018 0.02".split())
TA, TB, ZT, ZF, FA, U, UA, UB = map(mpf, "0.02308 0.00916 0.04 0.02 0.01421 0.04 0.01228 0.00449".split())
MASS = [mpf(x) for x in "0.04325 0.00365 0.02373 0.00706 0.07050 0.00706 0.05498".split()]
INERTIA = [mpf(x) for x in "2.194e-6 4.410e-7 5.255e-6 5.667e-7 1.169e-5 5.667e-7 1.912e-5".split()]
STIFFNESS, LENGTH, TORQUE = mpf(4530), mpf("0.07785"), mpf("0.033")
BETA0, END = mpf("-0.0617138900142764496358948458001"), mpf("0.03")
PRINTED = "15.81077119629904 -15.75637105984298 0.04082224013073101 -0.5347301163226948 0.5244099658805304 0.5347301163226948 1.048080741042263".split()


def meet(p, a, q, b, side):
    """The point at the distance a from p and b from q, left of the way from p to q, or right where side is -1."""
    x, y = q[0] - p[0], q[1] - p[1]
    square = x*x + y*y
    along = (square + a*a - b*b)/(2*square)
    across = side*sqrt(a*a/square - along*along)
    return p[0] + along*x - across*y, p[1] + along*y + across*x


def points(beta):
    """Crank pin, F, E, H."""
    pin = RR*cos(beta), RR*sin(beta)
    f = meet(pin, D, B, SS, 1)
    return pin, f, meet(f, E, A, ZT, -1), meet(f, ZF, A, U, 1)


def carried(x, y, vy, z, vz):
    """The velocity of x, whose distances to y and z are constant."""
    a, b = (x[0] - y[0], x[1] - y[1]), (x[0] - z[0], x[1] - z[1])
    r, s, d = a[0]*vy[0] + a[1]*vy[1], b[0]*vz[0] + b[1]*vz[1], a[0]*b[1] - a[1]*b[0]
    return (b[1]*r - a[1]*s)/d, (a[0]*s - b[0]*r)/d


def on(x, y, along, left):
    """The point of a link from x to y this far along it and to the left."""
    dx, dy = y[0] - x[0], y[1] - x[1]
    size = sqrt(dx*dx + dy*dy)
    return x[0] + (along*dx - left*dy)/size, x[1] + (along*dy + left*dx)/size


def inertia_and_potential(beta):
    """A = sum of m v^2 + I w^2 for beta' = 1, and V."""
    pin, f, e, h = points(beta)
    rest = mpf(0), mpf(0)
    v_pin = -pin[1], pin[0]
    v_f = carried(f, pin, v_pin, B, rest)
    v_e, v_h = carried(e, f, v_f, A, rest), carried(h, f, v_f, A, rest)
    total = mpf(0)
    for body, (x, y, vx, vy, along, left) in enumerate([
            (O, pin, rest, v_pin, RA, 0), (pin, f, v_pin, v_f, DA, 0), (B, f, rest, v_f, SA, SB), (f, e, v_f, v_e, EA, 0),
            (A, e, rest, v_e, TA, TB), (f, h, v_f, v_h, FA, 0), (A, h, rest, v_h, UA, -UB)]):
        dx, dy = y[0] - x[0], y[1] - x[1]
        w = (dx*(vy[1] - vx[1]) - dy*(vy[0] - vx[0]))/(dx*dx + dy*dy)
        centre = on(x, y, along, left)
        v = vx[0] - w*(centre[1] - x[1]), vx[1] + w*(centre[0] - x[0])
        total += MASS[body]*(v[0]**2 + v[1]**2) + INERTIA[body]*w*w
    end = on(B, f, SC, SD)
    return total, STIFFNESS/2*(sqrt((end[0] - C[0])**2 + (end[1] - C[1])**2) - LENGTH)**2


def angles(beta):
    """beta, Theta, gamma, Phi, delta, Omega, epsilon; Theta less than a turn away from -beta."""
    pin, f, e, h = points(beta)

    def direction(x, y):
        return atan2(y[1] - x[1], y[0] - x[0])
    delta, epsilon = direction(A, e), direction(h, A) - pi/2
    return (beta, direction(f, pin) - beta, direction(f, B) - pi/2, direction(f, e) - pi/2 - delta, delta, direction(h, f) - epsilon, epsilon)


def gauss(n):
    """Nodes and weights on [-1, 1]."""
    rule = []
    for k in range(n):
        x = cos(pi*(k + mpf("0.75"))/(n + mpf("0.5")))
        for _ in range(8):
            before, now = mpf(1), x
            for i in range(2, n + 1):
                before, now = now, ((2*i - 1)*x*now - (i - 1)*before)/i
            slope = n*(x*now - before)/(x*x - 1)
            x -= now/slope
        rule.append((x, 2/((1 - x*x)*slope**2)))
    return rule


def main():
    panels, rule, start = int(sys.argv[1]) if len(sys.argv) > 1 else 200, gauss(20), inertia_and_potential(BETA0)[1]

    def rate(s):
        inertia, potential = inertia_and_potential(BETA0 + s*s)
        return 2*s*sqrt(inertia/(2*(TORQUE*s*s - potential + start)))

    def integral(a, b, parts):
        half = (b - a)/(2*parts)
        return sum(half*w*rate(a + half*(2*i + 1 + x)) for i in range(parts) for x, w in rule)

    s = sqrt(mpf("15.8107711") - BETA0)
    t = integral(mpf(0), s, panels)
    for _ in range(3):
        onward = s + (END - t)/rate(s)
        t, s = t + integral(s, onward, 1), onward
    for name, value, printed in zip("beta Theta gamma Phi delta Omega epsilon".split(), angles(BETA0 + s*s), PRINTED):
        print(f"{name:8} {nstr(value, 20):24} printed {printed:20} larger by {nstr(mpf(printed) - value, 3)}")


if __name__ == "__main__":
    main()
