"""Samples in ArviZ: its numbers beside ours, what its files and figures take."""
import os
import sys
import tempfile
import unittest

import arviz
import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common  # noqa: E402
import rattle  # noqa: E402

NEW = int(arviz.__version__.split(".")[0]) >= 1


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = rattle.load(common.example("torus")).sample("hmc(rattle(verlet))", samples=1000, seed=4)
        cls.tree = cls.found.to_arviz()

    def test_groups(self):
        posterior, stats = self.tree["posterior"], self.tree["sample_stats"]
        for name in ("x", "y", "z", "cos_theta"):
            numpy.testing.assert_array_equal(posterior[name], self.found[name])
        numpy.testing.assert_array_equal(stats["energy"], self.found.energy)
        numpy.testing.assert_array_equal(stats["acceptance_rate"], self.found.acceptance)
        numpy.testing.assert_array_equal(stats["diverging"], self.found.diverging)
        numpy.testing.assert_array_equal(stats["step_size"][:, 3], self.found.step)
        self.assertEqual(posterior.attrs["creation_library" if NEW else "inference_library"], "rattle")

    def test_its_numbers(self):
        """Effective samples and R-hat are those of Vehtari et al. in both."""
        summary = arviz.summary(self.tree, round_to=None if not NEW else "none")
        for name in ("x", "y", "z", "cos_theta"):
            ours = self.found.estimates[name]
            self.assertAlmostEqual(float(summary.loc[name, "mean"]), ours.mean, places=12)
            self.assertAlmostEqual(float(arviz.ess(self.tree["posterior"][name].values, method="mean")) / ours.effective, 1, delta=0.02)
            self.assertAlmostEqual(float(arviz.rhat(self.tree["posterior"][name].values)), ours.rhat, places=3)
        # without a potential H is drawn anew each time: the variance of its changes is twice its own
        bfmi = arviz.bfmi(self.tree)
        values = numpy.ravel(bfmi["energy"] if NEW else bfmi)
        self.assertTrue((abs(values - 2) < 0.3).all(), values)

    def test_arrays_by_name(self):
        model = rattle.Model("Beads")
        x, px = model.pairs_of("x", 3)
        model.hamiltonian(px @ px/2 + x @ x/2)
        model.constrain("sum", x.sum())
        found = model.sample(samples=100, step=0.5)
        tree = found.to_arviz()
        self.assertEqual(tree["posterior"]["x"].dims, ("chain", "draw", "x_index"))
        self.assertEqual(float(tree["posterior"]["x"].sel(chain=1, draw=5, x_index=3)), found["x[3]"][1, 5])

    def test_file_and_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "samples.nc")
            self.tree.to_netcdf(path)
            back = arviz.from_netcdf(path)
            numpy.testing.assert_array_equal(back["posterior"]["x"], self.found["x"])
        for name in ("plot_trace", "plot_energy", "plot_autocorr"):
            getattr(arviz, name)(self.tree)


if __name__ == "__main__":
    unittest.main()
