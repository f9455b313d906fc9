"""Fits: as the command has them, and as scipy.optimize.least_squares with closed forms and other equations of motion does."""
import os
import tempfile
import unittest

import numpy

import common
import rattle

SPRING = """local k, m = parameter("k", 1), parameter("m", 1)
local x, px = pair("x")
hamiltonian(px^2/(2*m) + k*x^2/2)
start { x = 0.7 }
integrate { method = "kahan_li8(verlet)", step = 0.05 }
"""


def noisy(count=80, seed=3):
    generator = numpy.random.default_rng(seed)
    t = numpy.sort(generator.uniform(0, 8, count))
    return t, 0.7*numpy.cos(1.3*t) + 0.02*generator.normal(size=count)


class Fits(unittest.TestCase):
    def test_closed_form(self):
        """An oscillator, its start with it, as least squares of x = a cos wt + b/w sin wt finds it."""
        common.need("scipy", test=self)
        from scipy.optimize import least_squares
        t, x = noisy()
        found = rattle.Model.from_string(SPRING).fit({"t": t, "x": x}, "k", ["x", "px"], sigma=0.02)
        theirs = least_squares(lambda u: (u[1]*numpy.cos(u[0]**0.5*t) + u[2]*numpy.sin(u[0]**0.5*t)/u[0]**0.5 - x)/0.02, [1, 0.7, 0],
                               xtol=1e-15, ftol=1e-15, gtol=1e-15, jac="3-point")
        numpy.testing.assert_allclose(found.values, theirs.x, rtol=0, atol=1e-6*found.errors.min())
        numpy.testing.assert_allclose(found.errors, numpy.sqrt(numpy.diag(numpy.linalg.inv(theirs.jac.T @ theirs.jac))), rtol=1e-6)
        self.assertAlmostEqual(found.chi2, 2*theirs.cost, delta=1e-9)
        self.assertEqual((found.names, found.degrees, found.undetermined), (["k", "x", "px"], 77, ""))
        numpy.testing.assert_allclose(found.correlation.diagonal(), 1)
        # of two parameters in one combination
        both = rattle.Model.from_string(SPRING).fit({"t": t, "x": x}, ["k", "m"], sigma=0.02)
        self.assertTrue(numpy.isinf(both.errors).all())
        self.assertRegex(both.undetermined, "k .*, m ")

    def test_double_pendulum(self):
        """By the equations of the angles, differences of solve_ivp and least_squares: the same estimates and errors."""
        common.need("scipy", test=self)
        from scipy.integrate import solve_ivp
        from scipy.optimize import least_squares
        generator, g = numpy.random.default_rng(7), 9.81
        t = numpy.linspace(0.02, 4, 200)

        def rates(_, s, m, l1, l2):
            a, b, u, v = s
            D, M = a - b, m + 1
            f1 = -l2*v*v*numpy.sin(D) - M*g*numpy.sin(a)
            f2 = l1*u*u*numpy.sin(D) - g*numpy.sin(b)
            return u, v, (f1 - numpy.cos(D)*f2)/(l1*(M - numpy.cos(D)**2)), (M*f2 - numpy.cos(D)*f1)/(l2*(M - numpy.cos(D)**2))

        def bobs(u):
            a, b = solve_ivp(rates, (0, 4), (1, 1, 0, 0), t_eval=t, args=tuple(u), rtol=1e-10, atol=1e-12, method="DOP853").y[:2]
            x, y = u[1]*numpy.sin(a), -u[1]*numpy.cos(a)
            return numpy.stack([x, y, x + u[2]*numpy.sin(b), y - u[2]*numpy.cos(b)])

        data = bobs([1.3, 1.1, 0.9]) + 0.01*generator.normal(size=(4, 200))
        table = {"t": t, **dict(zip(("x1", "y1", "x2", "y2"), data))}
        found = rattle.load(common.example("double_pendulum")).fit(table, {"mass1": (0.1, 10), "length1": None, "length2": None}, sigma=0.01,
                                                                   method="suzuki4(rattle(verlet))", step=0.02)
        theirs = least_squares(lambda u: ((bobs(u) - data)/0.01).ravel(), [1, 1, 1], method="lm", xtol=1e-12, ftol=1e-12)
        errors = numpy.sqrt(numpy.diag(numpy.linalg.inv(theirs.jac.T @ theirs.jac)))
        self.assertLess(abs((found.values - theirs.x)/errors).max(), 0.01)
        numpy.testing.assert_allclose(found.errors, errors, rtol=1e-3)
        self.assertLess(abs((found.values - [1.3, 1.1, 0.9])/errors).max(), 4)
        numpy.testing.assert_allclose(found.fitted[0]["x2"], bobs(theirs.x)[2], atol=1e-4)

    def test_as_the_command(self):
        """The numbers of the command, for two runs."""
        t, x = noisy()
        tables = [{"t": t, "x": x}, {"t": t[:40], "x": 0.5*x[:40]}]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "spring.lua"), "w") as file:
                file.write(SPRING)
            for k, table in enumerate(tables):
                numpy.savetxt(os.path.join(folder, f"{k}.csv"), numpy.stack(list(table.values()), 1), delimiter=",", header="t,x", comments="",
                              fmt="%.17g")
            files = [os.path.join(folder, name) for name in ("spring.lua", "0.csv", "1.csv")]
            printed = common.json_of("fit", *files, "--vary", "k", "--vary-start", "all")
        found = rattle.Model.from_string(SPRING).fit(tables, ["k"], "all")
        self.assertEqual([row["value"] for row in printed["quantities"]], found.values.tolist())
        self.assertEqual([row["error"] for row in printed["quantities"]], found.errors.tolist())
        self.assertEqual(found.names, ["k", "run 1: x", "run 1: px", "run 2: x", "run 2: px"])
        self.assertEqual(printed["starts"][1]["px"], found.starts[1][1][0])

    def test_data_of_a_run(self):
        """The arrays of a Run are data, as they are."""
        m = rattle.Model.from_string(SPRING)
        made = rattle.Model.from_string(SPRING.replace('"k", 1', '"k", 1.3')).run(stop=5, every=4)
        self.assertAlmostEqual(m.fit({"t": made.t, "x": made.q[:, 0]}, "k").values[0], 1.3, delta=1e-12)

    def test_refusals(self):
        m = rattle.Model.from_string(SPRING)
        for data, more, sentence in (({"x": [1, 2]}, {}, "expected the times"), ({"t": [1, 2], "x": [1]}, {}, "has 1 values for 2 times"),
                                     ({"t": [1, 2], "z": [1, 2]}, {}, "'z' is not a coordinate"), ([], {}, "at least one run"),
                                     ({"t": [1, 2], "x": [1, 2], "px": [1, 2]}, {"sigma": {"x": 1}}, "uncertainty of 'px'"),
                                     ({"t": [1, 2], "x": [1, 2], "sigma_x": 0.1}, {}, "'sigma_x' has 1 values for 2 times"),
                                     ({"t": [1, 2], "x": [1, 2]}, {"sigma": {"y": 0.1}}, "no column 'y'")):
            with self.assertRaisesRegex(rattle.errors.BadArgument, sentence):
                m.fit(data, ["k"], **more)
        m.start(x=1)
        with self.assertRaisesRegex(rattle.errors.BadArgument, "in the text of the model"):
            m.fit({"t": [1], "x": [1]}, ["k"])

    def test_of_python(self):
        """A model that is written in Python."""
        m = rattle.Model("spring")
        k = m.parameter("k", 1.2)
        x, px = m.pair("x")
        m.hamiltonian((px**2 + k*x**2)/2)
        m.start(x=0.7)
        m.integrate("kahan_li8(verlet)", step=0.05)
        t = numpy.linspace(0.1, 5, 50)
        found = m.fit({"t": t, "x": 0.7*numpy.cos(1.3*t)}, ["k"])
        self.assertAlmostEqual(found.parameters["k"], 1.69, delta=1e-11)


if __name__ == "__main__":
    common.main()
