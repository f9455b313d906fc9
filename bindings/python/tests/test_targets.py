"""Eight targets whose moments are known: sampled by default and without U-turns, means within their errors; and the errors are not too large."""
import math
import unittest

import numpy

import common
import rattle

TURN = numpy.linspace(0, 2*math.pi, 4001)[:-1]


def coordinates(m, names):
    return [m.pair(name)[0] for name in names.split()]


def kinetic(m):
    return sum(p**2 for p in (m._source.graph.variable(2*k + 1) for k in range(len(m._source.pairs))))/2


def circle():
    """The uniform measure of a circle: E x = 0, E x^2 = 1/2, E x^4 = 3/8."""
    m = rattle.Model("circle")
    x, y = coordinates(m, "x y")
    m.constrain("g", x**2 + y**2 - 1)
    m.start(x=1)
    return m, {"mean": (x, 0), "square": (x**2, 0.5), "fourth": (x**4, 3/8)}, ""


def von_mises_fisher():
    """exp(kappa z) on the sphere: E z = coth kappa - 1/kappa."""
    m, kappa = rattle.Model("sphere"), 3
    x, y, z = coordinates(m, "x y z")
    m.hamiltonian(-kappa*z)
    m.constrain("g", x**2 + y**2 + z**2 - 1)
    m.start(z=1)
    mean = 1/math.tanh(kappa) - 1/kappa
    return m, {"z": (z, mean), "square": (z**2, 1 - 2*mean/kappa), "x": (x, 0)}, ""


def torus():
    """The area of the torus, R = 1, r = 1/2: E cos theta = r/2R, E z^2 = r^2/2."""
    m = rattle.Model("torus")
    x, y, z = coordinates(m, "x y z")
    rho = numpy.hypot(x, y)
    m.constrain("g", (rho - 1)**2 + z**2 - 0.25)
    m.start(x=1.5)
    return m, {"cos": ((rho - 1)/0.5, 0.25), "z": (z**2, 0.125)}, ""


def rotations():
    """Haar's measure of SO(3): E tr R = 0, E (tr R)^2 = 1, E R_11^2 = 1/3."""
    m = rattle.Model("rotations")
    R = numpy.array(coordinates(m, " ".join(f"r{i}{j}" for i in range(3) for j in range(3)))).reshape(3, 3)
    m.constrain("g", [(R @ R.T)[i, j] - (i == j) for i in range(3) for j in range(i, 3)])
    m.start(R.diagonal(), 1)
    return m, {"trace": (R.trace(), 0), "square": (R.trace()**2, 1), "entry": (R[0, 0]**2, 1/3)}, ""


def plane():
    """A Gaussian of variances 1, 2, 4 on x + y + z = 1: means s_i^2/7, variances s_i^2 - s_i^4/7."""
    m = rattle.Model("plane")
    x, y, z = coordinates(m, "x y z")
    m.hamiltonian(x**2/2 + y**2/4 + z**2/8)
    m.constrain("g", x + y + z - 1)
    m.start(x=1)
    return m, {"x": (x, 1/7), "y": (y, 2/7), "z": (z, 4/7), "square": ((z - 4/7)**2, 4 - 16/7)}, ""


def exact_observation():
    """The measure delta(g) of an ellipse, as of a posterior with an exact observation: uniform in t for x = cos t, y = sin t/2, so E x^2 = 1/2."""
    m = rattle.Model("ellipse")
    x, y = coordinates(m, "x y")
    m.constrain("g", x**2 + 4*y**2 - 1)
    m.start(x=1)
    return m, {"x": (x**2, 0.5), "y": (y**2, 0.125)}, "measure=delta"


def ellipse():
    """The arc length of the same ellipse: by quadrature."""
    m, _, _ = exact_observation()
    x = m._source.graph.variable(0)
    speed = numpy.hypot(numpy.sin(TURN), numpy.cos(TURN)/2)
    return m, {"x": (x**2, float((numpy.cos(TURN)**2*speed).sum()/speed.sum()))}, ""


def rods():
    """Two rods in a row: the surface has the density sqrt(2 - cos^2 phi) in the angle phi between them."""
    m = rattle.Model("rods")
    a, b, c, d = coordinates(m, "a b c d")
    m.constrain("g", [a**2 + b**2 - 1, (c - a)**2 + (d - b)**2 - 1])
    m.start(a=1, c=2)
    density = numpy.sqrt(2 - numpy.cos(TURN)**2)
    cos = a*(c - a) + b*(d - b)
    return m, {"cos": (cos, 0), "square": (cos**2, float((numpy.cos(TURN)**2*density).sum()/density.sum()))}, ""


class Targets(unittest.TestCase):
    def test_moments(self):
        for target in (circle, von_mises_fisher, torus, rotations, plane, exact_observation, ellipse, rods):
            m, moments, option = target()
            m.hamiltonian(kinetic(m))
            for name, (e, _) in moments.items():
                m.observe("E " + name, e)
            for sampler in ("hmc", "nuts"):
                sampling = m.sample(f"{sampler}(rattle(verlet){', ' + option if option else ''})", step=0.3, samples=2500, warmup=500, seed=3)
                for name, (_, exact) in moments.items():
                    found = sampling.estimates["E " + name]
                    with self.subTest(target=target.__name__, sampler=sampler, moment=name):
                        self.assertLess(abs(found.mean - exact), 4.5*found.error)
                        self.assertLess(found.error, 0.03*max(1, abs(exact)))


if __name__ == "__main__":
    common.main()
