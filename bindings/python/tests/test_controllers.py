"""Controllers at a sample rate, written in Python and in Lua: the same bits, and the exact discretisation; samples by a function."""
import unittest

import numpy

import common  # noqa: F401
import rattle

LUA = """local x, px = pair("x") mass { x = 1 } potential(0) start { x = 1 }
local c = controller { every = 0.1, outputs = { u = 0 }, states = { sum = 0 },
  sample = function(s) return { u = -3*x - 2*px + 0.5*s.sum, sum = s.sum - 0.1*x } end }
force { x = c.u }
"""


def written():
    m = rattle.Model("written")
    x, px = m.pair("x")
    m.mass(x=1)
    m.potential(0)
    m.start(x=1)
    c = m.controller(every=0.1, outputs={"u": 0}, states={"sum": 0}, sample=lambda s: {"u": -3*x - 2*px + 0.5*s.sum, "sum": s.sum - 0.1*x})
    m.force(x=c.u)
    return m


class Controllers(unittest.TestCase):
    def test_exact_discretisation(self):
        """x'' = u with a constant u: midpoint is exact."""
        run = written().run("midpoint", step=0.05, steps=60)
        x, v, total = 1.0, 0.0, 0.0
        for k in range(31):
            u, total = -3*x - 2*v + 0.5*total, total - 0.1*x
            self.assertAlmostEqual(run["x"][2*k], x, delta=1e-14)
            self.assertAlmostEqual(run["u"][2*k], u, delta=1e-13)
            self.assertAlmostEqual(run["sum"][2*k], total, delta=1e-14)
            x, v = x + 0.1*v + 0.005*u, v + 0.1*u

    def test_same_as_lua(self):
        a, b = written().run("rk4", step=0.025, steps=40), rattle.Model.from_string(LUA).run("rk4", step=0.025, steps=40)
        for name in ("x", "px", "u", "sum"):
            numpy.testing.assert_array_equal(a[name], b[name])

    def test_function(self):
        """Samples by a function have the bits of expressions; what it raises ends the run."""
        m = rattle.Model("open")
        x, px = m.pair("x")
        m.mass(x=1)
        m.potential(0)
        m.start(x=1)
        m.observe("speed", px)
        c = m.controller(every=0.1, outputs={"u": 0}, states={"sum": 0})
        m.force(x=c.u)
        times = []

        def control(now):
            times.append(now.time)
            self.assertEqual(now.observed[0], now.p[0])
            return {"u": -3*now.q[0] - 2*now.observed[0] + 0.5*now.values["sum"], "sum": now.values["sum"] - 0.1*now.q[0]}

        a, b = m.run("midpoint", step=0.05, steps=40, control=control), written().run("midpoint", step=0.05, steps=40)
        numpy.testing.assert_allclose(times, 0.1*numpy.arange(21), atol=1e-14)
        for name in ("x", "px", "u", "sum"):
            numpy.testing.assert_allclose(a[name], b[name], atol=1e-15)
        with self.assertRaisesRegex(ZeroDivisionError, "by zero"):
            m.run("midpoint", step=0.05, steps=40, control=lambda now: 1/0)
        with self.assertRaisesRegex(TypeError, "next values"):
            m.run("midpoint", step=0.05, steps=40, control=lambda now: {"u": 1})
        with self.assertRaisesRegex(rattle.RattleError, "leaves the samples"):
            m.run("midpoint", step=0.05, steps=40)

    def test_refused(self):
        m = rattle.Model("wrong")
        x, _ = m.pair("x")
        with self.assertRaises(TypeError):
            m.controller(every=0.1, outputs={"u": 0}, sample=lambda s: -x)
        with self.assertRaisesRegex(rattle.RattleError, "give the step 0.05"):
            written().run("midpoint", step=0.07, steps=10)


if __name__ == "__main__":
    unittest.main()
