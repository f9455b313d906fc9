"""Equilibria and small motions: as the command has them, and as closed forms and numpy's matrices do."""
import unittest

import numpy

import common
import rattle


def damped(stiff=3.0, damper=0.4):
    """Two masses on springs between walls, the second one damped."""
    m = rattle.Model("two masses")
    x, px = m.pair("x")
    y, py = m.pair("y")
    m.hamiltonian(px**2/2 + py**2/4 + stiff*(x**2 + y**2 + (x - y)**2)/2 - x)
    m.force({y: -damper*py/2})
    m.start(x=1, y=0)
    return m


CONICAL = """local x, px = pair("x")
local y, py = pair("y")
local z, pz = pair("z")
hamiltonian((px^2 + py^2 + pz^2)/4 + 2*9.81*z)
constrain("rod", x^2 + y^2 + z^2 - 1)
observe("Lz", x*py - y*px)
start { x = 0.1, y = 0.2, z = -1, project = true }
"""


class Statics(unittest.TestCase):
    def test_steady_motion(self):
        pendulum = rattle.Model.from_string(CONICAL)
        found = pendulum.equilibrium(steady={"Lz": 4})
        cos = 9.81/16
        numpy.testing.assert_allclose(found.frequencies[-1], 4*numpy.sqrt(1 + 3*cos**2), rtol=1e-12)
        numpy.testing.assert_allclose(found.p, [-8*found.q[1], 8*found.q[0], 0], atol=1e-12)
        self.assertIs(found.stable, True)
        below = pendulum.equilibrium(steady={"Lz": 4}, nearest=True, start={"x": 0, "y": 0, "z": -1})
        self.assertEqual((below.stable, below.gyroscopic), (None, True))
        family = pendulum.study("modes", steady={"Lz": 4}, along="Lz", to=5).tables
        self.assertEqual(family["family"]["set:Lz"][[0, -1]].tolist(), [4, 5])
        numpy.testing.assert_allclose(family["family"]["z"], -9.81/family["family"]["set:Lz"]**2, rtol=1e-12)
        with self.assertRaisesRegex(rattle.BadArgument, "observes no quantity 'Lx'"):
            pendulum.equilibrium(steady={"Lx": 4})

    def test_as_the_command(self):
        name = common.example("double_pendulum")
        found, printed = rattle.load(name).equilibrium(), common.json_of("study", "modes", name)
        self.assertEqual(printed["verdict"], "stable")
        self.assertIs(found.stable, True)
        self.assertEqual([row["frequency"] for row in printed["modes"]], found.frequencies.tolist())
        numpy.testing.assert_allclose(found.frequencies, numpy.sqrt(9.81*(2 + numpy.array([-1, 1])*2**0.5)), rtol=1e-12)
        study = rattle.load(name).study("modes")
        self.assertEqual(study.tables["modes"]["frequency"].tolist(), found.frequencies.tolist())
        self.assertEqual((study.verdict, study.tables["multipliers"]["inner rod"].shape), ("stable", (1,)))

    def test_damped_as_matrices(self):
        found = damped().equilibrium()
        K, M, C = numpy.array([[6.0, -3], [-3, 6]]), numpy.diag([1.0, 2]), numpy.diag([0, 0.4])
        numpy.testing.assert_allclose(found.q, numpy.linalg.solve(K, [1, 0]), rtol=1e-14)
        A = numpy.block([[numpy.zeros((2, 2)), numpy.eye(2)], [-numpy.linalg.solve(M, K), -numpy.linalg.solve(M, C)]])
        theirs = numpy.linalg.eigvals(A)
        theirs = sorted(theirs[theirs.imag > 0], key=abs)
        numpy.testing.assert_allclose(found.rates, theirs, rtol=1e-12)
        for rate, shape in zip(found.rates, found.shapes):
            self.assertLess(abs((rate**2*M + rate*C + K) @ shape).max(), 1e-12)
        # the response to a force on x, by the state space and by the matrices
        A, B, C, D = found.state_space([[1], [0]], numpy.eye(2))
        for omega in (0.3, 2.0, 7.0):
            expected = numpy.linalg.solve(K.astype(complex) - omega**2*M + 1j*omega*numpy.diag([0, 0.4]), [1, 0])
            numpy.testing.assert_allclose((C @ numpy.linalg.solve(1j*omega*numpy.eye(4) - A, B) + D)[:, 0], expected, rtol=1e-12)

    def test_callbacks_and_starts(self):
        """A bead on a parabola y = x^2 in gravity 2: omega^2 = 4."""
        bead = rattle.Callbacks(2, lambda q, p: (p @ p/2 + 2*q[1], [0, 2], p), constraint=lambda q, p: ([q[1] - q[0]**2], [[-2*q[0], 1]]),
                                inverse_mass=[1, 1], start=([0.4, 0.16], [0, 0]))
        found = bead.equilibrium()
        self.assertAlmostEqual(found.frequencies[0], 2, delta=1e-7)
        top = rattle.load(common.example("pendulum")).equilibrium(start={"x": 0.1, "y": 0.99498743710662, "px": 0, "py": 0}, nearest=True)
        self.assertIs(top.stable, False)
        self.assertAlmostEqual(top.rates[0].real, 1, delta=1e-12)
        with self.assertRaisesRegex(rattle.errors.NotConverged, "perhaps nothing holds it"):
            rattle.load(common.example("skate")).equilibrium()


if __name__ == "__main__":
    unittest.main()
