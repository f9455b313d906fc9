"""Sampling: the numbers of the command; what it refuses."""
import os
import signal
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

    def test_ctrl_c(self):
        model = rattle.load(common.example("torus"))
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.sample("hmc(rattle(verlet))", samples=5_000_000, warmup=50, seed=3)
        self.assertIsInstance(caught.exception, rattle.Interrupted)
        cut = caught.exception.sampling
        chains, draws, _ = cut.values.shape
        self.assertGreater(draws, 10)
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
