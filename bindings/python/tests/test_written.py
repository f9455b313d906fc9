"""Models in Python with words that the library has in model files alone, and the text of every model: the same bits as the model in Lua."""
import copy
import math
import os
import pickle
import unittest

import numpy

import common
import rattle
from test_expression import chain

RODS = """
local mech = require "mechanics"
mech.gravity(0, -9.81)
local a = mech.planar { name = "a", shape = mech.rod { mass = 1, length = 1 }, at = {0.5, 0} }
local b = mech.planar { name = "b", shape = mech.rod { mass = 1, length = 1 }, at = {1.5, 0} }
mech.revolute("pin", mech.ground:at(0, 0), a:at(-0.5, 0))
mech.revolute("elbow", a:at(0.5, 0), b:at(-0.5, 0))
mech.torsion_damper(a, b, { c = 0.01 })
observe("bend", b.angle - a.angle)
integrate { method = "rattle(midpoint)", step = 0.01, stop = 1 }
"""


def rods(gravity=9.81):
    m = rattle.Model("Rods")
    mech = m.require("mechanics")
    mech.gravity(0, -gravity)
    a = mech.planar(name="a", shape=mech.rod(mass=1, length=1), at=[0.5, 0])
    b = mech.planar(name="b", shape=mech.rod(mass=1, length=1), at=numpy.array([1.5, 0]))
    mech.revolute("pin", mech.ground.at(0, 0), a.at(-0.5, 0))
    mech.revolute("elbow", a.at(0.5, 0), b.at(-0.5, 0))
    mech.torsion_damper(a, b, c=0.01)
    m.observe("bend", b.angle - a.angle)
    m.integrate("rattle(midpoint)", step=0.01, stop=1)
    return m, mech, a, b


def same(test, run, other):
    test.assertEqual(run.problem.coordinates, other.problem.coordinates)
    test.assertEqual(list(run.problem.observables), list(other.problem.observables))
    for name in ("q", "p", "energy", "multipliers"):
        numpy.testing.assert_array_equal(getattr(run, name), getattr(other, name), name)


class Mechanics(unittest.TestCase):
    def test_same_bits(self):
        m, *_ = rods()
        run, lua = m.run(), rattle.Model.from_string(RODS).run()
        same(self, run, lua)
        numpy.testing.assert_array_equal(run["bend"], lua["bend"])

    def test_vectors_are_arrays(self):
        m, mech, a, b = rods()
        tip = b.at(0.5, 0).position()
        self.assertEqual(tip.shape, (3,))
        m.observe("tip", tip)
        m.observe("reach", numpy.linalg.norm(numpy.asarray(tip)[:2]))
        m.observe("doubled", (2*tip)[0] - tip[0] - tip[0])
        m.observe("turn", mech.rotation(mech.quat(1, 0, 0, 0)))
        run = m.run()
        numpy.testing.assert_allclose(numpy.hypot(run["tip[1]"], run["tip[2]"]), run["reach"], rtol=1e-14)
        self.assertEqual(run["reach"][0], 2)
        self.assertTrue((run["doubled"] == 0).all())
        self.assertEqual([run[f"turn[{i}]"][0] for i in range(1, 10)], [1, 0, 0, 0, 1, 0, 0, 0, 1])
        self.assertIn("angle", dir(a))

    def test_functions_and_energies(self):
        m = rattle.Model()
        mech = m.require("mechanics")
        mech.gravity(0, 0, -1)
        ball = mech.body(name="ball", shape=mech.ball(mass=2, radius=0.1), at=[1, 0, 0], velocity=[0, 1, 0])
        mech.on_surface("bowl", ball.at(0, 0, 0), mech.ground.at(0, 0, 0), lambda x, y, z: x**2 + y**2 + z**2 - 1)
        m.observe("T", mech.kinetic())
        m.draw(point=[ball.x[0], ball.x[1], ball.x[2]], size=0.1)
        run = m.run("rattle(verlet)", step=0.01, stop=1)
        self.assertEqual(run["T"][0], 1)
        r = numpy.stack([run[f"ball.{x}"] for x in "xyz"])
        numpy.testing.assert_allclose((r**2).sum(0), 1, rtol=1e-13)
        numpy.testing.assert_allclose(run["T"] + 2*r[2], 1, atol=1e-4)

    def test_starts_of_what_modules_declare(self):
        m, *_ = rods()
        m.start({"b.angle": -math.pi/2, "b.x": 1, "b.y": -0.5})
        run = m.run()
        self.assertEqual((run["b.x"][0], run["b.y"][0]), (1, -0.5))
        with self.assertRaisesRegex(rattle.BadModel, "c.angle"):
            m.start({"c.angle": 0})
            m.run()

    def test_errors_name_lines_of_python(self):
        m, mech, a, b = rods()
        mech.revolute("pin", a.at(0, 0), b.at(0, 0))
        with open(__file__) as file:
            number = next(k for k, line in enumerate(file, 1) if 'mech.revolute("pin", a.at(0' in line)
        with self.assertRaises(rattle.BadModel) as caught:
            m.run()
        self.assertTrue(str(caught.exception).startswith(f"{__file__}:{number}: "), caught.exception)
        self.assertEqual(caught.exception.where, f"{__file__}:{number}")
        m, mech, a, b = rods()
        with self.assertRaisesRegex(TypeError, "no expression"):
            a + 1
        with self.assertRaisesRegex(rattle.BadModel, os.path.basename(__file__) + ":.*angel"):
            m.observe("bend", a.angel)
            m.run()
        with self.assertRaisesRegex(ValueError, "another model"):
            rods()[0].observe("x", a.angle)
        with self.assertRaisesRegex(TypeError, "no value"):
            mech.planar(name="c", mass=object())

    def test_pickles_and_copies(self):
        m, mech, a, b = rods()
        run = m.run()
        for other in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m), m.copy(), rattle.Model.from_string(m.text)):
            same(self, other.run(), run)
        alone = pickle.loads(pickle.dumps(b))
        self.assertEqual(alone.at(0, 0).position().shape, (3,))
        other = m.copy()
        a.at(9, 9)  # in m alone
        fresh = b.at(0, 0).position()
        with self.assertRaises(ValueError):
            other.observe("x", fresh[0])
            other.run()


class Words(unittest.TestCase):
    def test_parameter(self):
        def of(g, from_text=False):
            m = rattle.Model()
            x, px = m.pair("x")
            g = m.parameter("g", g)
            k = m.parameter("k", 2)
            m.mass(x, k)
            m.potential(k*g*x**2/2 + numpy.sin(g*x))
            m.start(x=g/4)
            return m
        m = of(1.5)
        self.assertEqual(m.parameters, {"g": 1.5, "k": 2})
        run = m.run("verlet", step=0.1, stop=2)
        self.assertEqual(run["x"][0], 0.375)
        swept = m.sweep(parameters={"g": [1.5, 2.5]}, method="verlet", step=0.1, stop=2)
        for k, g in enumerate((1.5, 2.5)):
            alone = of(g).run("verlet", step=0.1, stop=2)
            self.assertEqual((swept.q[k, 0], swept.p[k, 0]), (alone["x"][-1], alone["px"][-1]))
            self.assertEqual(rattle.Model.from_string(m.text, g=g).run("verlet", step=0.1, stop=2)["x"][-1], alone["x"][-1])
        # the same of a value of a module that depends on the parameter
        m = rattle.Model()
        length = m.parameter("length", 1)
        mech = m.require("mechanics")
        mech.gravity(0, -1)
        rod = mech.planar(name="rod", shape=mech.rod(mass=1, length=length), at=[length/2, 0])
        end = rod.at(length/2, 0).position()
        mech.revolute("pin", mech.ground.at(0, 0), rod.at(-length/2, 0))
        m.observe("end", end)
        swept = m.sweep(parameters={"length": [1, 3]}, method="rattle(verlet)", step=0.01, stop=0.5, keep=["observables"])
        numpy.testing.assert_allclose(numpy.hypot(swept["end[1]"], swept["end[2]"]), [1, 3], rtol=1e-12)
        with self.assertRaisesRegex(TypeError, "depends on x"):
            x, px = m.pair("x")
            m.start(x=x + 1)

    def test_molecule(self):
        lua = """local ring = molecule { beads = 8, bonds = "ring", length = 0.97, mass = 1, temperature = 1 }
            angles { molecule = ring, kind = "cosine", k = 2 } torsions { molecule = ring, k = 0.5, n = 3 }
            bonds { {1, 4, 1.6}, molecule = ring } pair_potential { kind = "wca", epsilon = 1, sigma = 1 }
            observe("first", ring.x[1]) start { project = true }"""
        m = rattle.Model()
        ring = m.molecule(beads=8, bonds="ring", length=0.97, mass=1, temperature=1)
        m.angles(molecule=ring, kind="cosine", k=2)
        m.torsions(molecule=ring, k=0.5, n=3)
        m.bonds((1, 4, 1.6), molecule=ring)
        m.pair_potential(kind="wca", epsilon=1, sigma=1)
        m.observe("first", ring.x[0])
        m.output(project=True)
        same(self, m.run("rattle(verlet)", step=0.002, stop=0.02), rattle.Model.from_string(lua).run("rattle(verlet)", step=0.002, stop=0.02))

    def test_special_functions(self):
        m = rattle.Model()
        x, px = m.pair("x")
        lua = rattle.Model.from_string('local x, px = pair("x") hamiltonian(px^2/2) observe("a", lgamma(x)) observe("b", logaddexp(x, 2*x))')
        m.hamiltonian(px**2/2)
        m.observe("a", rattle.lgamma(x))
        m.observe("b", numpy.logaddexp(x, 2*x))
        self.assertIn("logaddexp(z.x, ", m.text)
        for value in (1e-3, 0.4, 1, 2.5, 12, 300.):
            self.assertLess(abs(rattle.lgamma(x)(x=value) - math.lgamma(value)), 4e-15*max(1, abs(math.lgamma(value))))
            a, b = (model.run("verlet", step=0.1, steps=1, start={"x": value}) for model in (m, lua))
            self.assertEqual((a["a"][0], a["b"][0]), (b["a"][0], b["b"][0]))
        self.assertAlmostEqual(rattle.lgamma(x).derivative(x)(x=1), -0.57721566490153286, places=14)  # Euler's constant
        self.assertAlmostEqual(rattle.lgamma(x).derivative(x).derivative(x)(x=1), math.pi**2/6, places=13)
        both = numpy.logaddexp(x, 2*x)
        self.assertEqual((both(x=1000), both(x=0), both.derivative(x)(x=0)), (2000, math.log(2), 1.5))
        self.assertAlmostEqual(both.derivative(x).derivative(x)(x=0), 0.25, places=15)
        self.assertEqual(rattle.logaddexp(1., 2.), numpy.logaddexp(1, 2))
        with self.assertRaises(ValueError):
            rattle.lgamma(-1.5)
        self.assertAlmostEqual(rattle.lgamma(7.0), math.log(720), places=14)
        for value in (-0.5, -1.5, -7.2):
            self.assertTrue(math.isnan(rattle.lgamma(x)(x=value)))
        m.hamiltonian(both)
        self.assertFalse("kink" in (m.check().note or ""))
        with self.assertRaisesRegex(rattle.BadModel, "positive"):
            rattle.Model.from_string("local x = lgamma(-2)")

    def test_scipy(self):
        common.need("scipy", test=self)
        import scipy.special
        m = rattle.Model()
        x, px = m.pair("x")
        self.assertEqual(scipy.special.gammaln(x), rattle.lgamma(x))
        self.assertEqual(scipy.special.erfc(x), rattle.erfc(x))
        self.assertEqual(scipy.special.expm1(x), numpy.expm1(x))


class Texts(unittest.TestCase):
    """The text of a model is the model, to the last bit."""

    def check(self, m, *settings, **more):
        same(self, rattle.Model.from_string(m.text).run(*settings, **more), m.run(*settings, **more))

    def test_chain(self):
        self.check(chain(12), "rattle(verlet)", step=0.01, stop=0.5)

    def test_all_declarations(self):
        m = rattle.Model('Say "all"\n')
        x, px = m.pair("x")
        y, py = m.pairs_of("y", 3)
        q, pq = m.pair("end", "p end")
        t = m.time()
        m.mass(y, [1, 2, 3])
        m.mass(x, 2)
        m.mass(q, 1)
        e = numpy.sin(x*y[0])
        m.potential(e**2 + e + 1e-3*x**-2 - (-x)/(1 + y[1]**2)/2 - (y[0] - (y[1] - y[2])) + numpy.arctan2(y[0], 3 + x)*numpy.cos(t))
        m.potential(rattle.where(rattle.lt(x, 300), abs(x - 2), -x) + rattle.min(x + 5, y[0], 7)**2 + q**2 + rattle.table1d(x, [-50, 0, 1, 90], [0, 1, 3, 4]))
        m.force(x=-0.1*px, end=-q**3)
        m.constrain("rod", y[0]**2 + y[1]**2 + (y[2] - 1)**2 - 2)
        m.velocity_constrain("blade", m.velocity(x) - q*m.velocity(y[2]))
        m.observe("e", e)
        m.event("zero", y[0] - 0.5, direction=1, count=2)
        m.stop(x - 5, direction=1)
        m.start({"x": 1, y[0]: 1, y[1]: 1, y[2]: 1, "end": 0.1})
        m.velocity(end=-0.25)
        m.units(length="nm", time="ps")
        m.metadata(author="J. W. \"R.\" \\ 3")
        m.integrate("rattle(midpoint)", step=0.01, steps=20)
        m.output(every=2, project=True, at=[0.055])
        other = rattle.Model.from_string(m.text)
        self.assertEqual(other.title, m.title)
        run, written = m.run(), other.run()
        # p_t, which comes with time, is at another place of the sum that H is
        numpy.testing.assert_allclose(written.energy, run.energy, rtol=4e-16)
        for name in ("q", "p", "multipliers"):
            numpy.testing.assert_allclose(getattr(written, name), getattr(run, name), rtol=1e-14, atol=1e-15)
        self.assertEqual({name: list(found.t) for name, found in written.events.items()}, {name: list(found.t) for name, found in run.events.items()})

    def test_coefficients_and_flows(self):
        m = rattle.Model()
        x, px = m.pair("x")
        m.hamiltonian((px**2 + x**2)/2)
        m.start(x=1)
        m.tableau("radau", [[5/12, -1/12], [3/4, 1/4]], [3/4, 1/4], order=3)
        m.splitting("ruth", [1, -2/3, 2/3], [-1/24, 3/4, 7/24], order=3)
        m.flow(lambda h: {x: x*numpy.cos(h) + px*numpy.sin(h), "px": px*numpy.cos(h) - x*numpy.sin(h)})
        for method in ("runge_kutta(radau)", "splitting(ruth)", "exact"):
            self.check(m, method, step=0.1, steps=10)
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + y)
        m.constrain("circle", x**2 + px**2 - 1)
        m.fibre(lambda s: {x: x*numpy.cos(2*s[0]) + px*numpy.sin(2*s[0]), px: px*numpy.cos(2*s[0]) - x*numpy.sin(2*s[0])})
        self.assertEqual(rattle.Model.from_string(m.text).formulas[1].keys(), m.formulas[1].keys())
        self.assertIn("fibre(function(s)", m.text)

    def test_angles_and_free(self):
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + m.turning_angle(y, x)**2/2)
        m.constrain("rod", x**2 + y**2 - 1)
        m.redundant("omit")
        m.start(x=1, py=3)
        self.check(m, "rattle(verlet)", step=0.01, stop=3)
        m = rattle.Model()
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 + x**2/2)
        u = m.free("u")
        m.hamiltonian((u - x)**2/2)
        self.check(m, step=0.01, stop=1)

    def test_what_has_no_word(self):
        m = rattle.Model()
        t = m.time()
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 + x*t)
        self.assertIn("z.t = time()", m.text)


if __name__ == "__main__":
    common.main()
