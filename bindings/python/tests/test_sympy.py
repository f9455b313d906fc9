"""SymPy's expressions in models."""
import unittest

import common

common.need("sympy")
import sympy  # noqa: E402

import rattle  # noqa: E402


class Sympy(unittest.TestCase):
    def test_every_function(self):
        m = rattle.Model()
        m.pair("x")
        m.pair("y")
        x, y = sympy.symbols("x y", real=True)
        at = {x: 0.3, y: 0.7}
        e = sum(f(x/2)*y**k for k, f in enumerate((sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan,
                                                   sympy.sinh, sympy.cosh, sympy.tanh, sympy.sqrt)))
        e += sympy.atan2(y, x) - x/y + sympy.pi*x**y - sympy.Rational(1, 3)*x**-3
        m.observe("e", e)
        m.hamiltonian(sum(p**2 for p in sympy.symbols("px py"))/2)
        self.assertAlmostEqual(m.problem().observe([0.3, 0.7], [0, 0])[0], float(e.subs(at)), places=13)

    def test_pendulum(self):
        x, y, px, py, gravity = sympy.symbols("x y px py gravity")
        m = rattle.Model()
        m.pair("x"), m.pair("y")
        H = (px**2 + py**2)/2 + gravity*y
        with self.assertRaisesRegex(rattle.BadModel, "no variable 'gravity'"):
            m.hamiltonian(H)
        m.hamiltonian(H.subs(gravity, 1))
        m.constrain("rod", x**2 + y**2 - 1)
        m.start(x=1, py=-2)
        run = m.run("rattle(verlet)", step=0.025, stop=1023)
        self.assertLess(run.summary.energy_max_error, 8.7e-4)
        self.assertEqual(run.problem.kind, "natural")

    def test_matrices_and_functions_of_time(self):
        t = sympy.Symbol("t")
        x, y = (sympy.Function(name)(t) for name in "xy")
        m = rattle.Model()
        m.pair("x"), m.pair("y"), m.pair("z")
        m.hamiltonian(sum(p**2 for p in sympy.symbols("px py pz"))/2)
        m.constrain("c", sympy.Matrix([x**2 + y**2 - 1, sympy.Symbol("z")]))
        self.assertEqual(m.problem().constraints, ["c[1]", "c[2]"])
        self.assertEqual(m.problem().residuals([3, 4, 5], [0, 0, 0])[0].tolist(), [24, 5])

    def test_what_there_is_not(self):
        m = rattle.Model()
        m.pair("x")
        for wrong in (sympy.gamma(sympy.Symbol("x")), sympy.I*sympy.Symbol("x"), sympy.Symbol("x") < 1):
            with self.assertRaises(rattle.BadModel):
                m.hamiltonian(wrong)


if __name__ == "__main__":
    common.main()
