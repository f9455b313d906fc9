"""Models written in Python: numpy on expressions, the same bits as the model in Lua, pickles, SymPy."""
import concurrent.futures
import math
import pickle
import unittest

import numpy

import common
import rattle
from rattle.formula import latex, symbol


def chain(n):
    m = rattle.Model("Chain")
    x, px = m.pairs_of("x", n)
    y, py = m.pairs_of("y", n)
    for i in range(n):
        m.hamiltonian((px[i]**2 + py[i]**2)/2 + y[i]/n)
    dx, dy = numpy.diff(x, prepend=0), numpy.diff(y, prepend=0)
    m.constrain("link", dx**2 + dy**2 - 1/n**2)
    m.start(x, numpy.arange(1, n + 1)/n)
    return m


class Algebra(unittest.TestCase):
    def setUp(self):
        self.m = rattle.Model()
        self.x, self.px = self.m.pair("x")
        self.y, self.py = self.m.pair("y")

    def test_numpy(self):
        x, y = self.x, self.y
        at = dict(x=0.3, y=0.7)
        for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "square"):
            f = getattr(numpy, name)
            self.assertAlmostEqual(f(x + y/8)(**at), f(0.3 + 0.7/8), places=15, msg=name)
        self.assertEqual(numpy.arctan2(y, x)(**at), math.atan2(0.7, 0.3))
        self.assertAlmostEqual(numpy.hypot(x, 2*y)(**at), math.hypot(0.3, 1.4), places=15)
        z = numpy.array([x, y])
        self.assertAlmostEqual((numpy.sin(z) @ [1, 2])(**at), math.sin(0.3) + 2*math.sin(0.7), places=15)
        self.assertAlmostEqual(numpy.linalg.norm(z)(**at), math.hypot(0.3, 0.7), places=15)
        self.assertEqual((numpy.float64(2)*x - numpy.arange(3.0)*y)[2](**at), 2*0.3 - 2*0.7)
        self.assertEqual((2**x - 1/y + (-x)/2 + (+y))(**at), 2**0.3 - 1/0.7 - 0.15 + 0.7)
        self.assertEqual((1 - x)(**at), 0.7)
        self.assertEqual(z.sum(), x + y)
        self.assertEqual(str((x*y**3).derivative(y)), "x*(3*y^2)")

    def test_what_an_expression_is_not(self):
        x = self.x
        for wrong in (lambda: x < 0, lambda: bool(x), lambda: float(x), lambda: math.sin(x), lambda: x + "a", lambda: self.m.hamiltonian("H")):
            self.assertRaises(TypeError, wrong)
        self.assertRaisesRegex(TypeError, "functions of it are numpy's sqrt, exp, log", numpy.floor, x)
        for wrong in (lambda: x*math.inf, lambda: x + math.nan, lambda: x + rattle.Model().pair("x")[0]):
            self.assertRaises(ValueError, wrong)
        self.assertTrue(x + self.y == x + self.y and x + 1 != x and 0*x == 0)
        self.assertEqual(len({x + self.y, x + self.y, x}), 2)

    def test_latex(self):
        x, px, y = self.x, self.px, self.y
        self.assertEqual(latex(px**2/2 - numpy.cos(x)*(x - (y - 1))), r"\frac{p_{x}^{2}}{2} - \cos\left(x\right)\,\left(x - \left(y - 1\right)\right)")
        self.assertEqual(latex(numpy.sqrt(x)*1e-7), r"\sqrt{x}\cdot 1\cdot 10^{-7}")
        self.assertEqual([symbol(name) for name in ("px[3]", "theta", "ptheta", "phi_2", "length", "p")],
                         ["p_{x_{3}}", r"\theta", r"p_{\theta}", r"\phi_{2}", r"\mathrm{length}", "p"])
        self.assertIn(r"\texttt", latex(sum((x + i)**i for i in range(200))))


class Models(unittest.TestCase):
    def test_same_bits_as_in_lua(self):
        n = 20
        m = chain(n)
        lua = rattle.load(common.example("chain"), N=n)
        settings = dict(method="rattle(verlet)", step=0.01, steps=200, every=10)
        one, two = m.run(**settings), lua.run(**settings)
        self.assertEqual(one.problem.constraints, two.problem.constraints)
        numpy.testing.assert_array_equal(one.q, two.q)
        numpy.testing.assert_array_equal(one.multipliers, two.multipliers)

    def test_every_declaration(self):
        m = rattle.Model("All of it")
        a, pa = m.pair("a", "momentum")
        b, pb = m.pair("b")
        f = m.free("f")
        m.hamiltonian((pa**2 + 2*pb**2)/2)
        m.hamiltonian((f - a)**2)
        m.constrain("c", a**2 + b**2 - 4)
        m.observe("sum", a + b)
        m.start({a: 2, "b": 0})
        m.start(f, 2)
        m.velocity(b=3)
        m.metadata(author="somebody")
        m.integrate(method="rattle(midpoint)", step=0.01, steps=5, start_time=1)
        m.output(every=5)
        run = m.run()
        self.assertEqual(run.problem.momenta[:2], ["momentum", "pb"])
        self.assertEqual(run.problem.constraints, ["free:f", "c"])
        self.assertEqual(list(run.step), [0, 5])
        self.assertEqual(run.method, "rattle(midpoint)")
        self.assertEqual((run.t[0], run["pb"][0]), (1.0, 1.5))
        numpy.testing.assert_array_equal(run["sum"], run["a"] + run["b"])
        self.assertLess(run.summary.g_max, 1e-14)

    def test_output(self):
        m = chain(3)
        m.output(compensated=True, cotangent=True, project=True)
        m.start({"x[3]": 1.1})
        run = m.run("shake(verlet)", step=0.01, steps=10)
        self.assertEqual(run.method, "shake(verlet, compensated)")
        self.assertIn("cotangent:px[1]", run.columns())
        self.assertLess(run.summary.g_max, 1e-15)

    def test_flows(self):
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + 2*x**2 + y**2 + y*y*y/3)
        m.constrain("circle", x**2 + px**2 - 1)
        m.start(x=1, y=0.1)
        settings = dict(method="rattle(midpoint)", step=0.01, steps=100)
        builtin = m.run(**settings)
        m.fibre(lambda s: {"x": x*numpy.cos(2*s[0]) + px*numpy.sin(2*s[0]), px: px*numpy.cos(2*s[0]) - x*numpy.sin(2*s[0])})
        self.assertEqual(m.check(trial=False).fibre, "user")
        numpy.testing.assert_allclose(m.run(**settings).q, builtin.q, atol=1e-13)
        o = rattle.Model()
        x, px = o.pair("x")
        o.hamiltonian((px**2 + x**2)/2)
        o.start(x=1)
        o.flow(lambda h: {x: x*numpy.cos(h) + px*numpy.sin(h), px: px*numpy.cos(h) - x*numpy.sin(h)})
        self.assertAlmostEqual(o.run("exact", step=1.0, steps=3)["x"][-1], math.cos(3), places=14)

    def test_wrong_declarations(self):
        m = rattle.Model()
        x, px = m.pair("x")
        with self.assertRaisesRegex(rattle.BadModel, "'px' already"):
            m.pair("px")
        with self.assertRaisesRegex(rattle.BadModel, "no variable 'z'; it has x, px"):
            m.start(z=1)
        with self.assertRaisesRegex(rattle.BadModel, "momentum"):
            m.velocity({px: 1})
        with self.assertRaisesRegex(rattle.BadModel, "taken"):
            m.observe("x", px)
        with self.assertRaises(rattle.BadModel):
            m.problem()  # no Hamiltonian
        with self.assertRaisesRegex(TypeError, "Lua"):
            rattle.load(common.example("pendulum")).pair("z")

    def test_changes_after_a_run(self):
        m = rattle.Model()
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 + x**2/2)
        m.start(x=1)
        settings = dict(method="verlet", step=0.1, steps=10)
        before = m.run(**settings)
        m.start(x=2)
        self.assertEqual(m.run(**settings)["x"][0], 2)
        self.assertEqual(m.run(start={x: 3}, **settings)["x"][0], 3)
        self.assertEqual(m.run(**settings)["x"][0], 2)
        m.hamiltonian(x**4)
        self.assertNotEqual(m.run(start={"x": 1}, **settings)["x"][-1], before["x"][-1])
        other = m.copy()
        other.hamiltonian(x)
        self.assertEqual(m.problem().energy([1], [0]), 1.5)
        self.assertEqual(other.problem().energy([1], [0]), 2.5)

    def test_start_of_a_model_in_lua(self):
        m = rattle.load(common.example("double_pendulum"))
        names = m.problem().coordinates
        q, p = m.problem().start()
        m.start({names[0]: q[0]})
        numpy.testing.assert_array_equal(m.problem().start()[0], q)
        m.start({names[0]: 5.0})
        with self.assertRaises(rattle.OffConstraints):
            m.run(steps=1)
        with self.assertRaisesRegex(rattle.BadModel, "no variable 'nothing'"):
            m.run(start={"nothing": 1}, steps=1)

    def test_velocities(self):
        """A momentum that is given later overrides a velocity."""
        m = rattle.Model()
        x, px = m.pair("x")
        m.hamiltonian(px**2/4)
        m.velocity(x=3)
        self.assertEqual(m.problem().start()[1][0], 6)
        self.assertEqual(m.run(start={px: 1}, method="verlet", step=0.1, steps=1)["px"][0], 1)
        self.assertEqual(m.run(start={x: 1}, method="verlet", step=0.1, steps=1)["px"][0], 6)
        m = rattle.Model.from_string("local x, px = pair('x') local y, py = pair('y') hamiltonian(px^2/4 + py^2/2) velocity { x = 3 }")
        settings = dict(method="verlet", step=0.1, steps=1)
        self.assertEqual(m.run(start={"x": 1, "py": 2}, **settings).p[0].tolist(), [6, 2])
        self.assertEqual(m.run(start={"px": 1}, **settings).p[0].tolist(), [1, 0])

    def test_coefficients(self):
        """Tableaus and splittings of Python and of Lua: the same bits and claims."""
        m = rattle.Model()
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 - numpy.cos(x))
        m.start(x=1)
        m.tableau("kutta", [[], [1/3], [-1/3, 1], [1, -1, 1]], [1/8, 3/8, 3/8, 1/8], order=4)
        m.tableau("pair", [[], [1/2, 1/2]], [1/2, 1/2], Ahat=[[1/2], [1/2]], bhat=[1/2, 1/2])
        m.splitting("ruth", [1, -2/3, 2/3], [-1/24, 3/4, 7/24], order=3)
        m.splitting("leap", [1/2, 1/2], [1])
        lua = rattle.Model.from_string("""local x, px = pair("x") hamiltonian(px^2/2 - cos(x)) start { x = 1 }
            tableau("kutta", { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8}, order = 4 })
            tableau("pair",  { A = {{}, {1/2, 1/2}}, Ahat = {{1/2}, {1/2}}, b = {1/2, 1/2} })
            splitting("ruth", { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24}, order = 3 })
            splitting("leap", { c = {1/2, 1/2}, d = {1} })""")
        for method in ("runge_kutta(kutta)", "runge_kutta(pair)", "splitting(ruth)", "splitting(leap)"):
            numpy.testing.assert_array_equal(m.run(method, step=0.1, steps=50).q, lua.run(method, step=0.1, steps=50).q, err_msg=method)
        self.assertEqual(m.coefficients, lua.coefficients)
        self.assertEqual({name: found.order for name, found in pickle.loads(pickle.dumps(m)).coefficients.items()},
                         {"kutta": 4, "pair": 2, "ruth": 3, "leap": 2})
        with self.assertRaisesRegex(rattle.RattleError, "has order 4, not 5"):
            m.tableau("wrong", [[], [1/3], [-1/3, 1], [1, -1, 1]], [1/8, 3/8, 3/8, 1/8], order=5)
        with self.assertRaisesRegex(rattle.BadModel, "already"):
            m.splitting("kutta", [1], [1])
        with self.assertRaisesRegex(rattle.BadModel, "expected 2 rows"):
            m.tableau("short", [[]], [1/2, 1/2])

    def test_pickles(self):
        for m in (chain(5), rattle.load(common.example("chain"), N=5)):
            m.start({"y[1]": 0.0})
            again = pickle.loads(pickle.dumps(m))
            settings = dict(method="rattle(verlet)", step=0.01, steps=50)
            numpy.testing.assert_array_equal(m.run(**settings).q, again.run(**settings).q)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:  # threads share a model
                runs = list(pool.map(lambda k: m.run(**settings).q, range(8)))
            for q in runs:
                numpy.testing.assert_array_equal(q, runs[0])
        x = rattle.Model().pair("x")[0]
        self.assertEqual(str(pickle.loads(pickle.dumps(numpy.sin(x)/2))), "sin(x)/2")

    def test_formulas(self):
        H, g = rattle.load(common.example("pendulum")).formulas
        self.assertEqual((str(H), str(g["rod"])), ("(px^2 + py^2)/2 + y", "x^2 + y^2 - 1"))
        self.assertEqual(H(py=2.0, y=1.0), 3.0)


if __name__ == "__main__":
    common.main()
