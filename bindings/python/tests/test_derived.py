"""Functions that return values alone: derivatives by autograd, CasADi, SymPy, complex steps and differences, against those in closed form."""
import math
import unittest

import numpy

import common
import rattle

START = ([1.0, 0, 0], [0, 0.5, -1])


def typed():
    """A pendulum on a sphere in a field, H = p^2/2 + z + sin(x)/4, with its derivatives."""
    def H(q, p):
        return p @ p/2 + q[2] + math.sin(q[0])/4, [math.cos(q[0])/4, 0, 1], p
    return rattle.Callbacks(3, H, constraint=lambda q, p: ([q @ q - 1], [2*q]), start=START)


def of(by, sin=numpy.sin, **options):
    def H(q, p):
        return (p[0]**2 + p[1]**2 + p[2]**2)/2 + q[2] + sin(q[0])/4
    return rattle.Callbacks.of_values(3, H, lambda q: [q[0]**2 + q[1]**2 + q[2]**2 - 1], by=by, start=START, **options)


class Derived(unittest.TestCase):
    def same(self, problem, tolerance):
        for method, step in (("rattle(verlet)", 0.02), ("rattle(midpoint)", 0.05)):
            run, other = typed().run(method, step=step, stop=0.5), problem.run(method, step=step, stop=0.5)
            numpy.testing.assert_allclose(other.q, run.q, atol=tolerance)
            numpy.testing.assert_allclose(other.energy, run.energy, atol=tolerance)

    def test_complex_steps(self):
        problem = of("auto")
        self.assertEqual(problem.by, "complex")
        self.assertIn("complex steps", repr(problem))
        self.same(problem, 1e-13)

    def test_differences(self):
        self.same(of("differences"), 1e-10)
        problem = of("auto", sin=math.sin)  # which takes no complex numbers
        self.assertEqual(problem.by, "differences")
        self.same(problem, 1e-10)

    def test_what_is_not_smooth(self):
        with self.assertRaisesRegex(rattle.BadArgument, "complex steps and by differences"):  # |x| is not analytic: a complex step gives 0
            rattle.Callbacks.of_values(1, lambda q, p: numpy.abs(q[0] - 2) + p[0]**2/2, by="complex")
        self.assertEqual(rattle.Callbacks.of_values(1, lambda q, p: numpy.abs(q[0] - 2) + p[0]**2/2).by, "differences")
        with self.assertRaisesRegex(rattle.BadArgument, "not smooth"):
            rattle.Callbacks.of_values(1, lambda q, p: numpy.abs(q[0])**0.5 + p[0]**2/2, by="differences", start=([0.0001], [0]))
        with self.assertRaisesRegex(rattle.BadArgument, "by = 'magic'"):
            of("magic")

    def test_autograd(self):
        common.need("autograd", test=self, wanted="RATTLE_PEERS_REQUIRED")
        import autograd.numpy
        self.same(of("autograd", autograd.numpy.sin), 1e-13)

    def test_casadi(self):
        common.need("casadi", test=self, wanted="RATTLE_PEERS_REQUIRED")
        import casadi
        self.same(of("casadi", casadi.sin), 1e-13)

    def test_sympy(self):
        common.need("sympy", test=self)
        import sympy
        self.same(of("sympy", sympy.sin), 1e-13)

    def test_second_derivatives(self):
        """Newton's matrices are those of the typed second derivatives: as many iterations, and none said to be wrong."""
        for by, module in (("autograd", "autograd.numpy"), ("casadi", "casadi"), ("sympy", "sympy")):
            try:
                sin = __import__(module, fromlist=["sin"]).sin
            except ImportError:
                continue
            problem = of(by, sin)
            self.assertIsNone(problem.problem().wrong_derivative())
            bent = numpy.zeros((6, 6))
            bent[3:, 3:], bent[0, 0] = numpy.eye(3), -math.sin(1.0)/4
            numpy.testing.assert_allclose(problem.functions["hamiltonian_hessian"](*map(numpy.array, START)), bent, atol=1e-15)
            numpy.testing.assert_allclose(problem.functions["constraint_hessian"](*map(numpy.array, START), numpy.array([3.0]))[:3, :3], 6*numpy.eye(3), atol=1e-15)

    def test_values_alone_are_refused_with_the_cure(self):
        with self.assertRaisesRegex(rattle.Callback, "of_values"):
            rattle.Callbacks(1, lambda q, p: p[0]**2/2).run("verlet", step=0.1, steps=1)


class Claims(unittest.TestCase):
    """What is said of functions and does not hold is refused."""

    def make(self, H=None, **options):
        def usual(q, p):
            return p @ p/2 + q[1], [0, 1], p
        return rattle.Callbacks(2, H or usual, **{"constraint": lambda q, p: ([q @ q - 1], [2*q]), "inverse_mass": 1, "start": ([1, 0], [0, -2]), **options})

    def test_inverse_mass(self):
        with self.assertRaisesRegex(rattle.BadArgument, r"inverse_mass\[0\] = 2 says"):
            self.make(inverse_mass=2)
        with self.assertRaisesRegex(ValueError, "expected 2 numbers, found 3"):
            self.make(inverse_mass=[1, 1, 1])

        def bent(q, p):
            return p @ p*(1 + q[0]**2)/2 + q[1], [p @ p*q[0], 1], p*(1 + q[0]**2)
        with self.assertRaisesRegex(rattle.BadArgument, "inverse_mass"):
            self.make(bent)
        with self.assertRaisesRegex(rattle.BadArgument, "by separable, and its derivatives by q depend on p"):
            self.make(bent, inverse_mass=None, separable=True)
        self.make(bent, inverse_mass=None).run("rattle(midpoint)", step=0.01, steps=2)

    def test_names_and_sizes(self):
        for words, options in (("coordinates: expected 2 names, found 1", {"coordinates": ["x"]}), ("'x' stands twice", {"coordinates": ["x", "x"]}),
                               ("constraints: expected 1 name, found 2", {"constraints": ["a", "b"]}), (r"expected \(q, p\), found 1", {"start": [[1, 0]]})):
            with self.assertRaisesRegex(rattle.BadArgument, words):
                self.make(**options)
        for n in (0, "2", 2.5):
            with self.assertRaisesRegex(rattle.BadArgument, "n = "):
                rattle.Callbacks(n, lambda q, p: (0, 0, 0))
        for options in ({"samples": 10.5}, {"chains": 0}, {"samples": 0}):
            with self.assertRaises(rattle.BadArgument):
                self.make().sample(step=0.1, **options)

    def test_second_derivatives(self):
        options = {"inverse_mass": None, "start": ([1, 0], [0.1, -2])}
        problem = self.make(hamiltonian_hessian=lambda q, p: numpy.zeros((4, 4)), **options)
        self.assertRegex(problem.problem().wrong_derivative(), "second derivatives of H")
        with self.assertWarnsRegex(rattle.RattleWarning, "hamiltonian_hessian"), self.assertRaises(rattle.RattleError):
            problem.run("rattle(midpoint)", step=0.01, steps=1)
        problem = self.make(force=lambda q, p: (-0.1*p, numpy.zeros((2, 4))), **options)
        self.assertRegex(problem.problem().wrong_derivative(), r"the force on q\[0\] by p\[0\]")
        right = self.make(force=lambda q, p: (-0.1*p, numpy.hstack([numpy.zeros((2, 2)), -0.1*numpy.eye(2)])), constraint_hessian=lambda q, p, w: numpy.diag([2*w[0], 2*w[0], 0, 0]),
                          hamiltonian_hessian=lambda q, p: numpy.diag([0, 0, 1, 1]), **options)
        self.assertIsNone(right.problem().wrong_derivative())


if __name__ == "__main__":
    common.main()
