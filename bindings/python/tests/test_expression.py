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
        for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "expm1", "log1p", "square"):
            f = getattr(numpy, name)
            self.assertAlmostEqual(f(x + y/8)(**at), f(0.3 + 0.7/8), places=15, msg=name)
        self.assertEqual(numpy.arctan2(y, x)(**at), math.atan2(0.7, 0.3))
        self.assertEqual(rattle.erf(x)(**at), math.erf(0.3))
        self.assertEqual((rattle.erf(x) + rattle.erfc(x))(**at), 1)
        self.assertEqual(rattle.erfc(3.0), math.erfc(3))
        self.assertEqual(numpy.log1p(1e-20*x)(**at), 0.3e-20)
        self.assertAlmostEqual(numpy.hypot(x, 2*y)(**at), math.hypot(0.3, 1.4), places=15)
        z = numpy.array([x, y])
        self.assertAlmostEqual((numpy.sin(z) @ [1, 2])(**at), math.sin(0.3) + 2*math.sin(0.7), places=15)
        self.assertAlmostEqual(numpy.linalg.norm(z)(**at), math.hypot(0.3, 0.7), places=15)
        self.assertEqual((numpy.float64(2)*x - numpy.arange(3.0)*y)[2](**at), 2*0.3 - 2*0.7)
        self.assertEqual((2**x - 1/y + (-x)/2 + (+y))(**at), 2**0.3 - 1/0.7 - 0.15 + 0.7)
        self.assertEqual((1 - x)(**at), 0.7)
        self.assertEqual(z.sum(), x + y)
        self.assertEqual(str((x*y**3).derivative(y)), "x*(3*y^2)")

    def test_pieces(self):
        """Functions that are smooth in pieces are those of model files, of expressions, numbers and arrays."""
        x, y, f = self.x, self.y, rattle.functions
        lua = rattle.Model.from_string("""local x, px = pair("x") local y, py = pair("y") hamiltonian((px^2 + py^2)/2)
            observe("abs", abs(x)) observe("sign", sign(x - y)) observe("min", min(x, y, 0.5)) observe("max", max{x, y})
            observe("where", where(both(lt(x, y), ge(x, 0)), x^2, -x)) observe("either", either(gt(x, 1), le(y, 1)))
            observe("wrap", wrap(7*x, 2)) observe("poly", poly(x, {1, 2, 3})) observe("table", table1d(x, {0, 1, 2, 3}, {0, 1, 4, 8}))
            observe("when", when(x, y)) observe("within", atleast(atmost(x, 1), 0))
            observe("hypot", hypot(x, 2*y) + hypot(3, 4))""")
        ours = {"abs": abs(x), "sign": numpy.sign(x - y), "min": f.min(x, y, 0.5), "max": f.max([x, y]),
                "where": f.where(f.both(f.lt(x, y), f.ge(x, 0)), x**2, -x), "either": f.either(f.gt(x, 1), f.le(y, 1)), "wrap": f.wrap(7*x, 2),
                "poly": f.poly(x, [1, 2, 3]), "table": f.table1d(x, [0, 1, 2, 3], [0, 1, 4, 8]), "when": f.when(x, y),
                "within": f.atleast(f.atmost(x, 1), 0), "hypot": numpy.hypot(x, 2*y) + 5}
        problem = lua.problem()
        self.assertEqual(list(ours), problem.observables)
        for at in ([0.3, 0.7], [0.7, 0.3], [0.5, 0.5]):
            for (name, e), theirs in zip(ours.items(), problem.observe(at, [0, 0])):
                self.assertEqual(e(x=at[0], y=at[1]), theirs, f"{name} at {at}")
        self.assertEqual([str(numpy.maximum(x, 1)), str(numpy.minimum(2, y)), str(numpy.clip(x, 0, 1)), str(numpy.less(x, y)), str(numpy.abs(x))],
                         ["max(x, 1)", "min(2, y)", "min(max(x, 0), 1)", "lt(x, y)", "abs(x)"])
        z = numpy.array([x, y])
        self.assertEqual([str(e) for e in (*f.where(f.lt(z, 0), -z, z), *f.max(z, 0), *numpy.maximum(z, y))],
                         ["when(lt(x, 0), -x) + when(1 - lt(x, 0), x)", "when(lt(y, 0), -y) + when(1 - lt(y, 0), y)", "max(x, 0)", "max(y, 0)",
                          "max(x, y)", "y"])
        self.assertEqual((f.where(True, 1, x), f.min(3, 1, 2), f.sign(-2), f.table1d(0.5, [0, 1, 2, 3], [0, 1, 4, 9])), (1, 1, -1, 0.25))
        self.assertAlmostEqual(f.wrap(2.5, 2), 0.5, places=15)
        for wrong, what in ((lambda: numpy.where(x, 1, 2), r"where\(condition, a, b\) of the package"), (lambda: numpy.cbrt(x), "not among those"),
                            (lambda: x < y, "rattle.lt")):
            self.assertRaisesRegex(TypeError, what, wrong)
        for wrong in (lambda: f.wrap(x, 0), lambda: f.min(), lambda: f.poly(x, []), lambda: f.table1d(x, [0, 1, 1, 2], [0, 0, 0, 0]),
                      lambda: f.table1d(x, [0, 1, 2, 3], [0]), lambda: f.table1d(9, [0, 1, 2, 3], [0, 1, 4, 9])):
            self.assertRaises(ValueError, wrong)

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

    def test_declarations_of_model_files(self):
        """mass, potential, event, stop, units, exact and at: the bits and names of the same model in Lua."""
        m = rattle.Model("A ball on a spring")
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.mass(x=2)
        m.mass([y], 3)
        m.potential(2*9.81*x)
        m.potential(y**2)
        m.start(x=1, y=0.5)
        m.event("half", x - 0.5, direction=-1)
        m.event("often", y, count=2)
        m.stop(x + 1, direction=-1)
        m.units(length="m", mass="kg", time="s")
        m.integrate("verlet", 0.01, stop=10, exact=True)
        m.output(at=[0.1, 0.2])
        lua = rattle.Model.from_string("""title "A ball on a spring"
            local x, px = pair("x") local y, py = pair("y") mass { x = 2 } mass({ y }, 3) potential(2*9.81*x) potential(y^2) start { x = 1, y = 0.5 }
            event("half", x - 0.5, { direction = -1 }) event("often", y, { count = 2 }) stop { when = x + 1, direction = -1 }
            units { length = "m", mass = "kg", time = "s" } integrate { method = "verlet", step = 0.01, stop = 10, exact = true }
            output { at = { 0.1, 0.2 } }""")
        for one in (m, m.copy(), pickle.loads(pickle.dumps(m))):
            run, theirs = one.run(), lua.run()
            for name in ("t", "q", "p", "energy"):
                numpy.testing.assert_array_equal(getattr(run, name), getattr(theirs, name))
            self.assertEqual((list(run.events), run.summary.ended_by), (list(theirs.events), "stop"))
            numpy.testing.assert_array_equal(run.events["at"].q, theirs.events["at"].q)
        self.assertAlmostEqual(run.events["half"].t[0], math.sqrt(2*0.5/9.81), places=12)
        m.output(at=0.1)
        numpy.testing.assert_allclose(m.run(stop=0.35).events["at"].t, [0.1, 0.2, 0.3, 0.35], atol=1e-12)
        for wrong, what in ((lambda: m.mass(x=1), "x has a mass already"), (lambda: m.mass(px=1), "px is a momentum"), (lambda: m.event("half", x), "already"),
                            (lambda: m.units(time=""), "1 to 32 bytes"), (lambda: rattle.Model().mass(x=1), "no variable 'x'")):
            self.assertRaisesRegex(ValueError, what, wrong)
        bare = rattle.Model()
        z, pz = bare.pair("z")
        bare.potential(z)
        self.assertRaisesRegex(rattle.BadModel, r"'z' has no mass: mass\(z=", bare.problem)
        bare.hamiltonian(pz**2)
        self.assertEqual(bare.problem().n, 1)

    def test_words_of_model_files(self):
        """The table of the page is that of the words that model files have."""
        import words
        with open(words.PAGE, encoding="utf-8") as file:
            self.assertTrue(words.table() in file.read(), "the table of words is another one: bindings/python/tests/words.py --write")

    def test_redundant(self):
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + y)
        m.constrain("rod", x**2 + y**2 - 1)
        m.constrain("again", 2*x**2 + 2*y**2 - 2)
        m.start(x=1)
        self.assertRaises(rattle.RattleError, m.run, "rattle(verlet)", step=0.1, steps=5)
        m.redundant("omit")
        run = m.copy().run("rattle(verlet)", step=0.1, steps=5)
        self.assertEqual(run.problem.constraints, ["rod"])
        self.assertRaisesRegex(ValueError, "expected 'omit' or 'refuse'", m.redundant, "keep")

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
