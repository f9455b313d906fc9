"""Sweeps over joblib, and chains on a local cluster of dask: the numbers of one process."""
import os
import sys
import unittest

import numpy
from dask.distributed import Client
from joblib import Parallel, delayed

sys.path.insert(0, os.path.join(os.environ["RATTLE_SOURCE"], "examples", "python"))
import many  # noqa: E402


class Many(unittest.TestCase):
    def test_joblib(self):
        momenta = numpy.linspace(-1, 1, 12)
        parts = Parallel(n_jobs=2)(delayed(many.part)(p) for p in numpy.array_split(momenta, 3))
        numpy.testing.assert_array_equal(numpy.concatenate(parts), many.part(momenta))

    def test_dask(self):
        with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            cluster.run(sys.path.insert, 0, os.path.dirname(many.__file__))
            chains = cluster.gather(cluster.map(many.chain, [1, 2, 3]))
        for seed, found in enumerate(chains, 1):
            numpy.testing.assert_array_equal(found.values, many.chain(seed).values)
        cos = many.together(chains, "cos")
        self.assertEqual(cos.shape, (3, 2000))
        self.assertLess(abs(cos.mean() - 0.25), 0.1)
        self.assertNotEqual(cos[0, -1], cos[1, -1])


if __name__ == "__main__":
    unittest.main()
