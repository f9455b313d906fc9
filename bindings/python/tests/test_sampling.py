"""Sampling: the numbers of the command; what it refuses."""
import os
import pickle
import signal
import tempfile
import threading
import unittest

import numpy

import common
import rattle


class Samples(unittest.TestCase):
    def test_as_the_command(self):
        found = rattle.load(common.example("torus")).sample("hmc(rattle(verlet))", samples=200, warmup=50, seed=3)
        printed = common.json_of("sample", common.example("torus"), "--samples", "200", "--warmup", "50", "--seed", "3")
        self.assertEqual(found.values.shape, (4, 200, 5))
        self.assertEqual(found.method, printed["method"])
        self.assertEqual(found.columns, [one["name"] for one in printed["columns"]])
        for one in printed["columns"][:4]:
            self.assertEqual(found.estimates[one["name"]].mean, one["mean"])
            self.assertEqual(found.estimates[one["name"]].rhat, one["rhat"])
        self.assertEqual(list(found.step), printed["steps"])
        self.assertEqual(sum(one.accepted for one in found.counts), printed["counts"]["accepted"])
        rho = numpy.hypot(found["x"], found["y"])
        numpy.testing.assert_allclose((rho - 1) ** 2 + found["z"] ** 2, 0.25, rtol=1e-12)
        numpy.testing.assert_allclose(found["cos_theta"], (rho - 1) / 0.5, rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(KeyError, "cos_theta"):
            found["theta"]

    def test_without_a_step(self):
        """The step that the command finds; also of a model with frequencies of 1e-10, and of callbacks."""
        path = os.path.join(common.SOURCE, "tests", "cli", "models", "endless.lua")
        printed = common.json_of("sample", path, "--samples", "100", "--warmup", "50")
        found = rattle.load(path).sample(samples=100, warmup=50)
        self.assertEqual(list(found.first_step), printed["first_steps"])
        self.assertEqual(found.estimates["x"].mean, printed["columns"][0]["mean"])
        self.assertTrue((1e9 < found.first_step).all() and (found.first_step < 1e11).all())
        frequency = 1e-10
        called = rattle.Callbacks(1, lambda q, p: ((p[0]**2 + (frequency*q[0])**2)/2, frequency**2*q, p), inverse_mass=[1], start=([0], [0]))
        chains = called.sample("hmc(verlet)", samples=500, chains=2)
        self.assertLess(abs(chains.values[:, :, 0].std()*frequency - 1), 0.2)
        self.assertIn("first_step", vars(pickle.loads(pickle.dumps(chains))))
        with self.assertRaisesRegex(rattle.BadArgument, "step=0: expected a number above 0, or None"):
            rattle.load(common.example("pendulum")).sample(step=0)
        with self.assertRaisesRegex(rattle.BadArgument, "g_baoab keeps the step that it is given: give one"):
            rattle.load(path).sample("g_baoab")

    def test_starts(self):
        model = rattle.load(common.example("torus"))
        nan = numpy.nan
        starts = [[1.5, nan, nan, nan, nan, nan], [-1.5, 0, 0.1, 0, 0, 0]]
        found = model.sample("random_walk", 200.0, chains=2, samples=1, warmup=0, starts=starts)
        numpy.testing.assert_allclose(found["x"][:, 0], [1.5, -1.5], atol=0.02)
        apart = model.sample("random_walk", 20.0, chains=4, samples=1, warmup=0)
        self.assertEqual(len(set(apart["x"][:, 0])), 4)
        together = model.sample("random_walk", 20.0, chains=4, samples=1, warmup=0, spread=0)
        self.assertEqual(len(set(together["x"][:, 0])), 1)
        with self.assertRaisesRegex(ValueError, "expected 24 numbers, found 12"):
            model.sample(starts=starts)

    def test_starts_by_name(self):
        model = rattle.Model("A line")
        x, px = model.pairs_of("x", 3)
        y, py = model.pair("y")
        model.hamiltonian((px @ px + py**2)/2 + (x @ x + y**2)/2)
        model.constrain("sum", x.sum() - 3)
        model.start(x, [1, 1, 1])
        rows = [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
        found = model.sample("random_walk", 1e-9, chains=3, samples=1, warmup=0, starts={"x": rows, "y": [5, 6, 7]})
        numpy.testing.assert_allclose(found["x"][:, 0], rows, atol=1e-6)
        numpy.testing.assert_allclose(found["y"][:, 0], [5, 6, 7], atol=1e-6)
        alike = model.sample("random_walk", 1e-9, chains=2, samples=1, warmup=0, starts={"x": [0, 3, 0], "y": 4})
        numpy.testing.assert_allclose(alike["x"][:, 0], [[0, 3, 0]]*2, atol=1e-6)
        numpy.testing.assert_allclose(alike["y"][:, 0], 4, atol=1e-6)
        with self.assertRaisesRegex(KeyError, "'z': expected one of x"):
            model.sample(starts={"z": 1})
        with self.assertRaisesRegex(rattle.BadArgument, r"starts of 'x' have the shape \[2, 3\]: expected \[4, 3\]"):
            model.sample(starts={"x": rows[:2]})

    def test_words_of_newcomers(self):
        """What they pass first has a sentence that says what to pass."""
        model = rattle.Model("Exact observation")
        x, px = model.pairs_of("x", 2)
        with self.assertRaisesRegex(TypeError, "found ndarray: write the sum of its entries"):
            model.hamiltonian(px @ px/2 + x**2/2)
        model.hamiltonian(px @ px/2 + x @ x/2)
        with self.assertRaisesRegex(TypeError, "'data' is False, the result of a comparison.* f - y"):
            model.constrain("data", x[0] + x[1]**2 == 2)
        with self.assertRaisesRegex(TypeError, r"'both\[1\]' is False"):
            model.constrain("both", x == numpy.ones(2))
        model.constrain("data", x[0] + x[1]**2 - 2)
        model.start(x, [2, 0])
        with self.assertRaisesRegex(rattle.BadArgument, "seed=.*a generator of numpy gives one"):
            model.sample(seed=numpy.random.default_rng(1))
        with self.assertRaisesRegex(rattle.BadArgument, "seed=-1: expected a number from 0"):
            model.sample(seed=-1)
        found = model.sample(samples=20, chains=2, seed=numpy.int64(3))
        self.assertEqual(found.settings["seed"], 3)
        with self.assertRaisesRegex(KeyError, "'x': an estimate is one of a column, as 'x"):
            found.estimates["x"]
        with self.assertRaisesRegex(KeyError, "'tau': expected one of x"):
            found.estimates["tau"]
        self.assertEqual(pickle.loads(pickle.dumps(found)).estimates["x[1]"].mean, found.estimates["x[1]"].mean)
        called = rattle.Callbacks.of_values(2, lambda q, p: p @ p/2 + q @ q/2, lambda q: q[0]**2 + q[1] - 1, start=([1, 0], [0, 0]))
        with self.assertRaisesRegex(rattle.Unsuitable, "does not say that H is of that form: give its inverse_mass"):
            called.sample(samples=10)

    def test_figures_of_draws(self):
        """Energy, acceptance and fates of each draw, as the definitions say; as the chains count them."""
        model = rattle.Model("Sphere")
        q, p = zip(*(model.pair(name) for name in "xyz"))
        model.hamiltonian(sum(one**2 for one in p)/2 + 2*q[2])
        model.constrain("sphere", sum(one**2 for one in q) - 1)
        model.start(x=1)
        found = model.sample("hmc(rattle(verlet), steps=4, temperature=0.5)", samples=2000, chains=3, step=0.5, seed=5)
        numpy.testing.assert_array_equal(found.log_density, -2*(2*found["z"]))
        numpy.testing.assert_allclose(found["V"], 2*found["z"], rtol=1e-15)
        # the kinetic part has two degrees of freedom: its mean is T, its sd T, whatever the chain does
        kinetic = found.energy - found["V"]
        self.assertGreater(kinetic.min(), 0)
        self.assertAlmostEqual(kinetic.mean()/0.5, 1, delta=0.06)
        self.assertAlmostEqual(kinetic.std()/0.5, 1, delta=0.08)
        moved = (numpy.diff(found["z"], axis=1) != 0)
        numpy.testing.assert_array_equal(found.fates[:, 1:, 0] == 1, moved)
        self.assertTrue((found.fates.sum(axis=2) == 1).all())
        numpy.testing.assert_array_equal(found.fates.sum(axis=1)[:, 0], [one.accepted for one in found.counts])
        numpy.testing.assert_array_equal(found.diverging, found.fates[:, :, 2:].sum(axis=2) > 0)
        self.assertTrue((found.acceptance[found.diverging] == 0).all())
        # accepted with the probabilities that are said
        self.assertAlmostEqual(found.acceptance.mean(), moved.mean(), delta=0.02)
        thinned = model.sample("hmc(rattle(verlet), steps=4, temperature=0.5)", samples=400, chains=3, step=0.5, seed=5, every=5)
        numpy.testing.assert_array_equal(thinned.values, found.values[:, 4::5])
        numpy.testing.assert_array_equal(thinned.energy, found.energy[:, 4::5])
        numpy.testing.assert_array_equal(thinned.fates, found.fates.reshape(3, 400, 5, 5).sum(axis=2))
        numpy.testing.assert_allclose(thinned.acceptance, found.acceptance.reshape(3, 400, 5).mean(axis=2), rtol=1e-14)

    def test_as_array_and_by_name(self):
        model = rattle.Model("Beads")
        x, px = model.pairs_of("x", 3)
        model.hamiltonian(px @ px/2 + x @ x/2)
        model.constrain("sum", x.sum())
        found = model.sample(samples=50, chains=2, step=0.5)
        self.assertEqual(numpy.asarray(found).shape, (2, 50, 4))
        self.assertEqual(numpy.mean(found), found.values.mean())
        self.assertEqual(found["x"].shape, (2, 50, 3))
        numpy.testing.assert_array_equal(found["x"][:, :, 1], found["x[2]"])
        self.assertEqual(list(found.variables()), ["x", "V"])

    def test_frames_files_and_figures(self):
        common.need("pandas", "xarray", "matplotlib", test=self)
        found = rattle.load(common.example("torus")).sample("hmc(rattle(verlet))", samples=60, chains=3, seed=2)
        frame = found.to_pandas()
        self.assertEqual(frame.index.names, ["chain", "draw"])
        self.assertEqual(frame.loc[(2, 7), "cos_theta"], found["cos_theta"][2, 7])
        data = found.to_xarray()
        self.assertEqual(data["z"].dims, ("chain", "draw"))
        self.assertEqual(float(data["z"][1, 9]), found["z"][1, 9])
        self.assertEqual(found.summary().loc["x", "rhat"], found.estimates["x"].rhat)
        self.assertEqual(found.plot("x", "z").shape, (2, 2))
        with self.assertRaisesRegex(KeyError, "'tau': expected one of x, y, z"):
            found.plot("tau")
        self.assertIn("cos_theta", found._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "samples.h5")
            found.save(path)
            with self.assertRaises(rattle.Exists):
                found.save(path)
            self.same(rattle.Sampling.load(path), found)
            self.assertIn("seed 2", common.command("info", path))
            self.assertIn("torus", found.report().lower())
            self.assertIn("nothing to continue", str(self.failing("resume", path)))
            # what the command writes
            written = os.path.join(folder, "written.h5")
            common.command("sample", common.example("torus"), "--samples", "60", "--chains", "3", "--seed", "2", "-o", written)
            self.same(rattle.Sampling.load(written), found)
        self.same(pickle.loads(pickle.dumps(found)), found)

    def failing(self, *arguments):
        with self.assertRaises(AssertionError) as failed:
            common.command(*arguments)
        return failed.exception

    def same(self, one, other):
        for name in ("values", "energy", "acceptance", "fates", "step"):
            numpy.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
            self.assertFalse(getattr(one, name).flags.writeable)
        for name in ("method", "title", "columns", "settings", "temperature", "counts", "warnings"):
            self.assertEqual(getattr(one, name), getattr(other, name), name)
        self.assertEqual(repr(one.estimates), repr(other.estimates))

    def test_doubts(self):
        """What the command prints is said, of bad steps and starts too."""
        torus = rattle.load(common.example("torus"))
        with self.assertWarnsRegex(rattle.RattleWarning, "fewer than 100 effective samples a chain"):
            torus.sample(samples=40)
        with self.assertWarnsRegex(rattle.RattleWarning, "no transition of 4 chains was accepted: use a smaller step"):
            torus.sample("hmc(rattle(verlet))", 1e6, samples=40, warmup=0)
        with self.assertWarnsRegex(rattle.RattleWarning, "ended at the shortest step that it takes"):
            torus.sample("hmc(rattle(verlet))", 1e6, samples=40, warmup=100)
        with self.assertWarnsRegex(rattle.RattleWarning, "the start violates the constraints, [|]g[|] = 6.1, and was moved onto them"):
            torus.sample(samples=40, start={"x": 1, "y": 1, "z": 1})
        self.assertNotIn("violates", " ".join(torus.sample(samples=40).warnings))

    def test_ctrl_c(self):
        model = rattle.load(common.example("torus"))
        wait, chains, draws = 0.5, 0, 0
        while draws <= 10:  # a slow machine needs longer to have some
            threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt) as caught:
                model.sample("hmc(rattle(verlet))", samples=5_000_000, warmup=50, seed=3)
            self.assertIsInstance(caught.exception, rattle.Interrupted)
            cut = caught.exception.sampling
            if cut is not None:
                chains, draws, _ = cut.values.shape
            wait *= 2
        whole = model.sample("hmc(rattle(verlet))", chains=chains, samples=draws, warmup=50, seed=3)
        numpy.testing.assert_array_equal(cut.values, whole.values)
        self.assertEqual(cut.estimates["x"], whole.estimates["x"])

    def test_refusals(self):
        model = rattle.load(common.example("torus"))
        with self.assertRaisesRegex(rattle.Unsuitable, "use a sampler"):
            model.sample("rattle(verlet)")
        with self.assertRaises(rattle.BadArgument):
            model.sample(samples=0)


if __name__ == "__main__":
    common.main()
