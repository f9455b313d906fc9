"""Studies and advice: the numbers of the command; methods with their claims and sources."""
import inspect
import os
import tempfile
import unittest

import numpy

import common
import rattle

M = rattle.methods


class Studies(unittest.TestCase):
    METHODS = ["rattle(verlet)", "kahan_li8(rattle(verlet))", "rk4(dirac)"]

    def test_orbits_as_the_command(self):
        model, method = rattle.load(common.example("spherical_pendulum")), "kahan_li6(rattle(verlet))"
        found = model.study("orbit", [method], step=0.05, period=2.1, hold="period")
        printed = common.json_of("study", "orbit", common.example("spherical_pendulum"), "--method", method, "--step", "0.05",
                                 "--period", "2.1", "--hold", "period")
        figures, theirs = found[method].figures, printed["methods"][0]["figures"]
        self.assertEqual((figures["energy"], figures["radius"]), (theirs["energy"], theirs["radius"]))
        self.assertAlmostEqual(figures["period"], 2.1, delta=1e-12)
        self.assertEqual(found[method].tables["orbit"]["x"].shape, (201,))
        family = model.study("family", [method], step=0.05, period=2.1, along="period", to=2.15)[method]
        self.assertEqual(family.verdict, "complete")
        self.assertAlmostEqual(family.tables["family"]["period"][-1], 2.15, delta=1e-10)
        self.assertTrue((numpy.diff(family.tables["family"]["energy"]) > 0).all())

    def test_family_along_a_parameter(self):
        """A period of t in gravity 1 is one of t/2 in gravity 4, if the amplitude is the same: the energy is held at its value in gravity 1."""
        pendulum, method = rattle.load(common.example("pendulum"), gravity=1.0), "kahan_li6(rattle(verlet))"
        start = {"x": 0.6, "y": -0.8, "px": 0, "py": 0}
        family = pendulum.study("family", [method], start=start, step=0.05, period=6.7, along="gravity", to=4.0)[method].tables["family"]
        self.assertEqual(family["set:gravity"][[0, -1]].tolist(), [1, 4])
        other = rattle.load(common.example("pendulum"), gravity=4.0)
        end = {"x": (1 - 0.2**2)**0.5, "y": -0.2, "px": 0, "py": 0}
        orbit = other.orbit(method, start=end, period=3.2, step=0.025)
        self.assertAlmostEqual(family["period"][-1], orbit.period, delta=1e-7)
        unknown = pendulum.study("family", [method], start=start, step=0.05, period=6.7, along="gravty", to=4.0)[method]
        self.assertIn("did you mean 'gravity'?", unknown.message)

    def test_monodromy(self):
        """A pendulum of small amplitude a has the period 2 pi sqrt(l/g) (1 + a^2/16); the matrix is that of the tangent map of the steps."""
        pendulum = rattle.load(common.example("pendulum"), gravity=4.0)
        orbit = pendulum.orbit("kahan_li6(rattle(verlet))", start={"x": 0.01, "y": -(1 - 0.01**2)**0.5, "px": 0, "py": 0}, period=3, step=0.02)
        self.assertAlmostEqual(orbit.period, numpy.pi*(1 + 0.01**2/16), delta=1e-8)
        model = rattle.load(common.example("spherical_pendulum"))
        method = "kahan_li6(rattle(verlet))"
        orbit = model.orbit(method, period=2.1, step=0.05, hold="period")
        found = model.study("orbit", [method], step=0.05, period=2.1, hold="period")[method]
        self.assertEqual((orbit.period, orbit.energy, orbit.verdict), (found.figures["period"], found.figures["energy"], found.verdict))
        self.assertEqual((orbit.monodromy.shape, orbit.basis.shape, len(orbit.multipliers)), ((4, 4), (4, 6), 4))
        # by the tangent map of the steps: h = T/N
        tangent = model.tangent(method, step=orbit.period/orbit.steps, start={name: value for name, value in zip(
            ["x", "y", "z", "px", "py", "pz"], [*orbit.q, *orbit.p])})
        tangent.vectors = orbit.basis
        tangent.step(orbit.steps)
        numpy.testing.assert_allclose(tangent.vectors, orbit.monodromy.T @ orbit.basis, atol=1e-6)
        numpy.testing.assert_allclose(numpy.linalg.det(orbit.monodromy), 1, atol=1e-6)
        numpy.testing.assert_allclose(sorted(abs(orbit.multipliers)), sorted(abs(numpy.linalg.eigvals(orbit.monodromy))), atol=1e-3)
        for settings, sentence in ((dict(hold="speed"), "there is no 'speed'"), (dict(hold="energy"), "period")):
            with self.assertRaisesRegex(rattle.BadArgument, sentence):
                model.orbit(method, **settings)

    def test_order_as_the_command(self):
        settings = dict(methods=self.METHODS, stop=2.0)
        found = rattle.load(common.example("pendulum")).study("order", **settings)
        printed = common.json_of("study", "order", common.example("pendulum"), "--methods", ",".join(self.METHODS), "--stop", "2")
        self.assertEqual([one.method for one in found.methods], self.METHODS)
        for one, theirs in zip(found.methods, printed["methods"]):
            self.assertEqual((one.method, one.verdict), (theirs["method"], theirs["verdict"]))
            self.assertEqual(one.fits["error"].slope, theirs["fits"]["error"]["slope"])
            self.assertEqual(one.claims.order, theirs["claims"]["order"])
        self.assertEqual(found.reference.error, printed["reference"]["error"])
        error = found["rattle(verlet)"].tables["points"]["error"]
        self.assertFalse(error.flags.owndata)
        self.assertGreater(len(error), 5)
        with self.assertRaisesRegex(KeyError, "kahan_li8"):
            found["verlet"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.h5")
            found.save(path)
            again = rattle.Study.load(path)
            numpy.testing.assert_array_equal(again["rattle(verlet)"].tables["points"]["error"], error)
            with self.assertRaises(rattle.Exists):
                found.save(path)
        self.assertIn("Planar pendulum", found.report())

    def test_advise(self):
        found = rattle.load(common.example("pendulum")).advise(1e-6, methods=self.METHODS[:2], stop=5.0)
        self.assertIn(found.verdict, ("sure", "fairly sure", "unsure"))
        self.assertIn("kahan_li8", found.why + str([one.method for one in found.methods]))

    def test_work_as_the_command(self):
        settings = dict(methods=self.METHODS[:2], stop=2.0, effort=0.05)
        found = rattle.load(common.example("pendulum")).study("work", **settings)
        printed = common.json_of("study", "work", common.example("pendulum"), "--methods", ",".join(self.METHODS[:2]), "--stop", "2",
                                 "--effort", "0.05")
        best = found.tables["best"]
        self.assertEqual(list(best["error"]), [row["error"] for row in printed["best"]])
        numpy.testing.assert_array_equal(best["gradient"], [row["gradient"] for row in printed["best"]])

    def test_wrong(self):
        model = rattle.load(common.example("pendulum"))
        with self.assertRaisesRegex(ValueError, "expected one of order, drift"):
            model.study("ordr")
        with self.assertRaises(rattle.RattleError):
            model.study("order", start={"x": 3}, stop=1.0)
        found = model.study("order", ["ratle(verlet)"], stop=1.0)
        self.assertEqual(found.methods[0].status, "BAD_METHOD")
        self.assertIn("rattle", found.methods[0].message)

    def test_callbacks(self):
        oscillator = rattle.Callbacks(1, lambda q, p: (q @ q/2 + p @ p/2, q, p), inverse_mass=1, start=([1], [0]))
        found = oscillator.study("order", ["verlet"], stop=1.0, effort=0.01)
        self.assertAlmostEqual(found["verlet"].fits["error"].slope, 2, places=1)


class Methods(unittest.TestCase):
    def test_every_row(self):
        self.assertGreater(len(M.FUNCTIONS), 50)
        for name, function in M.FUNCTIONS.items():
            self.assertEqual(function.__name__, name)
            self.assertIn("(", inspect.getdoc(function).splitlines()[0], name)
        doc = M.rattle.__doc__
        for part in ("R_h = exp", "Andersen", "step|output", "keeps_g"):
            self.assertIn(part, doc)
        self.assertEqual(str(inspect.signature(M.gauss)), "(s, field='hamiltonian', *, guess='start')")

    def test_expressions(self):
        e = M.kahan_li8(M.rattle(M.verlet, tol=1e-9))
        self.assertEqual(e, "kahan_li8(rattle(verlet, tol=1e-09))")
        self.assertEqual(M.triple_jump(M.rattle(M.gauss(2)), order=6), "triple_jump(rattle(gauss(2)), 6)")
        self.assertEqual((M.verlet(field=M.hamiltonian), M.rattle(M.verlet, compensated=True)), ("verlet(a, hamiltonian)", "rattle(verlet, compensated)"))
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'tool'"):
            M.rattle("verlet", tool=1)
        self.assertEqual((rattle.Method("kahan_li8(rattle(verlet))").claims.order, M.rk4(M.dirac).claims.symplectic), (8, 0))
        self.assertIn("order 8, from 17 applications", M.kahan_li8(M.rattle(M.verlet)).explain())
        self.assertTrue(M.rattle("verlet").formula.startswith("rattle: R_h"))
        with self.assertRaises(rattle.BadMethod):
            rattle.Method("ratle(verlet)").claims
        model = rattle.load(common.example("pendulum"))
        numpy.testing.assert_array_equal(model.run(M.shake(M.verlet), steps=50).q, model.run("shake(verlet)", steps=50).q)
        self.assertEqual(model.integrator(M.shake_two_step).method, "shake_two_step")


if __name__ == "__main__":
    common.main()
