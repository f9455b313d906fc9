"""End states of the problems of test_rolling.c by SciPy, from equations of their own: quasi-velocities along what the constraints permit, no multipliers.

Prints the lines of rolling_scipy.inc. Each is solved by DOP853 and by Radau; their difference is printed as a comment."""
import numpy
from scipy.integrate import solve_ivp

sin, cos, sqrt = numpy.sin, numpy.cos, numpy.sqrt


def sleigh(t, s):
    """(x, y, a, u, w): speed along the blade, turning; the centre of mass is 0.3 before the blade. V = 0.3 x^2 + 0.2 y^2 + sin(x y)/10."""
    x, y, a, u, w = s
    Vx, Vy = 0.6*x + 0.1*y*cos(x*y), 0.4*y + 0.1*x*cos(x*y)
    along, left = Vx*cos(a) + Vy*sin(a), -Vx*sin(a) + Vy*cos(a)
    return [u*cos(a) - 0.3*w*sin(a), u*sin(a) + 0.3*w*cos(a), w, 0.3*w*w - along, (-0.3*left - 0.3*u*w)/(0.5 + 0.09)]


def sleigh_state(s):
    x, y, a, u, w = s
    return [x, y, a, u*cos(a) - 0.3*w*sin(a), u*sin(a) + 0.3*w*cos(a), 0.5*w]


def dial(t, s):
    """(theta, phi, w, theta', L): a point on the unit sphere, L = sin^2(theta) phi', and a dial w' = 0.6 L of inertia 0.7. V = 0.8 z + 0.3 w^2."""
    theta, phi, w, rate, L = s
    square = sin(theta)**2
    return [rate, L/square, 0.6*L, L*L*cos(theta)/sin(theta)**3 + 0.8*sin(theta), -0.6*square*0.6*w/(1 + 0.7*0.36*square)]


def dial_state(s):
    theta, phi, w, rate, L = s
    turn = L/sin(theta)**2
    x, y, z = sin(theta)*cos(phi), sin(theta)*sin(phi), cos(theta)
    return [x, y, z, w, rate*cos(theta)*cos(phi) - y*turn, rate*cos(theta)*sin(phi) + x*turn, -rate*sin(theta), 0.7*0.6*L]


def heading(t):
    return 0.2 + 0.7*t + 0.4*sin(t)


def relativistic(t, s):
    """(x, y, P): H = sqrt(1 + |pi|^2) + 0.2 x + pa^2/0.8, pi = (px + 0.3 y, py - 0.3 x) = P (cos a, sin a), a given."""
    x, y, P = s
    a, u = heading(t), P/sqrt(1 + P*P)
    return [u*cos(a), u*sin(a), -0.2*cos(a)]


def relativistic_state(s, t):
    x, y, P = s
    a = heading(t)
    return [x, y, a, P*cos(a) - 0.3*y, P*sin(a) + 0.3*x, 0.4*(0.7 + 0.4*cos(t))]


def write(name, f, start, state, span):
    ends = []
    for method in "DOP853", "Radau":
        end = solve_ivp(f, (0, span), start, method=method, rtol=2.3e-14, atol=1e-15).y[:, -1]
        ends.append(numpy.array(state(end) if name != "relativistic" else state(end, span)))
    print(f"/* {name}: apart by {abs(ends[0] - ends[1]).max():.1e} */")
    print(f"static const double {name}_end[] = {{{', '.join(repr(float(v)) for v in ends[0])}}};")


write("sleigh", sleigh, [0.4, -0.3, 0.2, 0.9, 0.7], sleigh_state, 2)
write("dial", dial, [1.1, 0.3, 0.2, -0.4, 0.9*sin(1.1)**2], dial_state, 2)
write("relativistic", relativistic, [0.1, 0.2, 0.8], relativistic_state, 2)
