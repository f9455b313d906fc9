"""rattle.Bonds: the stages of rattle/bonds.h on numpy arrays."""
import gc
import pickle
import unittest

import numpy

import common
import rattle

WATER = [(0, 1), (0, 2), (1, 2)], [1, 1, 1.633], [16, 1, 1]
START = numpy.array([(0, 0, 0), (1, 0, 0), (-1/3, 0.9428090415820634, 0)])


def lengths(bonds, x):
    i, j = bonds.pairs.T
    return numpy.linalg.norm(x[i] - x[j], axis=1)


def of_manual(kind, x, n):
    """The place of a site, as the manual of GROMACS writes it."""
    i, j, k = x[:3]
    if kind == "3fad":
        across = (k - j) - (j - i)*((j - i) @ (k - j))/((j - i) @ (j - i))
        return i + n[1]*numpy.cos(n[0])*(j - i)/numpy.linalg.norm(j - i) + n[1]*numpy.sin(n[0])*across/numpy.linalg.norm(across)
    if kind == "3out":
        return i + n[0]*(j - i) + n[1]*(k - i) + n[2]*numpy.cross(j - i, k - i)
    return i + n[0]*(j - i) + n[1]*(k - i)


class ConstructedSites(unittest.TestCase):
    def setUp(self):
        self.x = numpy.random.default_rng(3).normal(size=(4, 3))
        self.given = {"3fad": [2.0, 0.7], "3out": [0.2, -0.3, 0.6], "3": [0.13, 0.13]}

    def test_places_and_forces(self):
        for kind, numbers in self.given.items():
            sites, x, f = rattle.Sites(4, {3: (kind, [0, 1, 2], numbers)}), self.x.copy(), numpy.zeros((4, 3))
            sites.positions(x)
            numpy.testing.assert_allclose(x[3], of_manual(kind, x, numbers), atol=1e-14)
            f[3] = force = numpy.array([0.3, -1, 0.5])
            virial = sites.forces(x, f)
            for atom, axis in numpy.ndindex(3, 3):
                h = numpy.zeros((4, 3))
                h[atom, axis] = 1e-6
                change = (of_manual(kind, x + h, numbers) - of_manual(kind, x - h, numbers))/2e-6
                self.assertAlmostEqual(f[atom, axis], change @ force, 8)
            moments = numpy.einsum("ai,aj->ij", x, f) - numpy.outer(x[3], force)
            numpy.testing.assert_allclose(virial, moments[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], atol=1e-14)
            self.assertFalse(f[3].any())

    def test_own_weights_box_and_pickle(self):
        box, none = [9.0, 8.0, 7.0], [0.0]*2
        sites = pickle.loads(pickle.dumps(rattle.Sites(3, {2: (None, [0, 1], [[0.25, 0.75], none, none])})))
        x = numpy.array([[0.5, 0, 0], [8.5, 0, 0], [0, 0, 0]])
        sites.positions(x, box=box)
        numpy.testing.assert_allclose(x[2], [-0.25, 0, 0], atol=1e-15)
        self.assertEqual(repr(sites), "<rattle.Sites: 1 sites among 3 atoms>")

    def test_mistakes(self):
        with self.assertRaisesRegex(rattle.BadArgument, "there is no site '5'"):
            rattle.Sites(4, {3: ("5", [0, 1], [])})
        with self.assertRaisesRegex(ValueError, "the numbers of site 3: expected 2 numbers, found 1"):
            rattle.Sites(4, {3: ("3", [0, 1, 2], [0.1])})
        with self.assertRaisesRegex(rattle.BadArgument, "follows from itself"):
            rattle.Sites(4, {3: ("2", [0, 2], [0.1]), 2: ("2", [0, 3], [0.1])})
        with self.assertRaisesRegex(TypeError, "float32"):
            rattle.Sites(4, {3: ("3", [0, 1, 2], [0.1, 0.1])}).positions(self.x.astype("f"))
        self.x[:3] = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
        with self.assertRaisesRegex(rattle.Singular, "site 3"):
            rattle.Sites(4, {3: ("3fad", [0, 1, 2], [1, 0.5])}).positions(self.x)


class Bodies(unittest.TestCase):
    def test_a_large_body_beside_water(self):
        rng = numpy.random.default_rng(4)
        x0 = numpy.concatenate([START, rng.normal(size=(200, 3))*3 + 10])
        masses = numpy.concatenate([WATER[2], rng.uniform(1, 16, 200)])
        bonds = pickle.loads(pickle.dumps(rattle.Bonds(*WATER[:2], masses, bodies=[range(3, 203)], places=x0)))
        x = x0 + rng.normal(size=x0.shape)*0.02
        free, v = x.copy(), rng.normal(size=x.shape)
        out = bonds.positions(x0, x, v, 0.5, scale=1.0)
        seen = numpy.linalg.norm(x[3:, None] - x[None, 3:], axis=2)
        numpy.testing.assert_allclose(seen, numpy.linalg.norm(x0[3:, None] - x0[None, 3:], axis=2), atol=1e-12)
        numpy.testing.assert_allclose(out.forces, masses[:, None]*(x - free), atol=1e-11)
        for moved in (out.forces[3:].sum(axis=0), numpy.cross(x0[3:], out.forces[3:]).sum(axis=0)):
            numpy.testing.assert_allclose(moved, 0, atol=1e-9)
        self.assertAlmostEqual(bonds.removed()[0], 3 + 3*200 - 6, 9)
        self.assertEqual((bonds.summary["rigid"], bonds.chosen[100]), (1, "rigid"))
        with self.assertRaisesRegex(ValueError, "places=x"):
            rattle.Bonds(*WATER, bodies=[range(3)])
        with self.assertRaisesRegex(ValueError, "these have bodies"):
            bonds.check()


class MassesOfHydrogens(unittest.TestCase):
    """Methanol C H H H O H, then water; what is expected is by hand."""
    C, H, O = 12.011, 1.008, 15.999
    masses = [C, H, H, H, O, H, O, H, H]
    pairs = [(0, 1), (0, 2), (3, 0), (0, 4), (4, 5), (6, 7), (8, 6), (7, 8)]
    right = [C - 6*H, 3*H, 3*H, 3*H, O - 2*H, 3*H, O, H, H]

    def test_rules(self):
        self.assertEqual(sorted(rattle.bonds.rules()), ["factor", "gromacs", "openmm"])
        for rule, value in (("openmm", 3*self.H), ("gromacs", 3), ("factor", 3)):
            found = rattle.bonds.repartition(self.masses, self.pairs, value, rule)
            numpy.testing.assert_allclose(found, self.right, rtol=1e-14)
        chosen = rattle.bonds.repartition(self.masses, self.pairs, 3.0, hydrogens=[5])
        numpy.testing.assert_allclose(chosen, [*self.masses[:4], self.O - 3 + self.H, 3, *self.masses[6:]], rtol=1e-14)

    def test_option_of_bonds(self):
        long = [1.09]*3 + [1.42, 0.96, 1, 1, 1.633]
        bonds = rattle.Bonds(self.pairs, long, self.masses, repartition=3*self.H)
        numpy.testing.assert_allclose(bonds.masses, self.right, rtol=1e-14)
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(bonds)).masses, bonds.masses)
        with self.assertRaises(ValueError):
            bonds.masses[0] = 1
        # one bond C-H by itself, stretched along x: the impulse moves its atoms by the new masses
        pair = rattle.Bonds([(0, 1)], [1], [self.C, self.H], repartition=3, rule="factor")
        x0 = numpy.array([[0, 0, 0], [1, 0, 0.0]])
        x = x0*1.2
        pair.positions(x0, x)
        numpy.testing.assert_allclose(x[:, 0], [0.2*3*self.H/(self.C + self.H), 1 + 0.2*3*self.H/(self.C + self.H)], rtol=1e-12)

    def test_mistakes(self):
        for said, more in (("there is no rule 'amber'", {"rule": "amber"}), ("leave nothing of atom 0", {"value": 6}),
                           ("hydrogens: expected atoms from 0 to 8, found 9 to 9", {"hydrogens": [9]}), ("factor of at least 1", {"value": 0.5, "rule": "factor"}),
                           ("between atoms 0 and 11", {"pairs": [(0, 11)]}), ("whole numbers", {"hydrogens": [True, False]})):
            given = {"pairs": self.pairs, "value": 3.0, **more}
            with self.assertRaisesRegex(ValueError, said):
                rattle.bonds.repartition(self.masses, **given)


class Stages(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(5)
        self.bonds = rattle.Bonds(*WATER)

    def test_positions_in_place(self):
        x = START + self.rng.normal(size=(3, 3))*0.02
        free, v, here = x.copy(), numpy.zeros((3, 3)), x.ctypes.data
        out = self.bonds.positions(START, x, v, 0.01, scale=2/0.01**2)
        numpy.testing.assert_allclose(lengths(self.bonds, x), WATER[1], rtol=2e-12)
        numpy.testing.assert_allclose(v, (x - free)/0.01, atol=1e-12)
        self.assertEqual(x.ctypes.data, here)
        masses = self.bonds.masses[:, None]
        numpy.testing.assert_allclose(out.forces*0.01**2/2, masses*(x - free), atol=1e-13)
        moments = numpy.einsum("ai,aj->ij", START, out.forces)
        numpy.testing.assert_allclose(out.virial, moments[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], atol=1e-9)
        again = free.copy()
        self.assertIsNone(self.bonds.positions(START, again))
        numpy.testing.assert_array_equal(again, x)
        numpy.testing.assert_allclose((masses*(x - free)).sum(axis=0), 0, atol=1e-14)

    def test_velocities(self):
        v = self.rng.normal(size=(3, 3))
        out = self.bonds.velocities(START, v, scale=1.0)
        for i, j in WATER[0]:
            self.assertLess(abs((START[i] - START[j]) @ (v[i] - v[j])), 1e-12)
        self.assertEqual(out.multipliers.shape, (3,))

    def test_floats(self):
        bonds = rattle.Bonds(*WATER, tolerance=1e-5)
        x = (START + self.rng.normal(size=(3, 3))*0.02).astype("f")
        v, here = self.rng.normal(size=(3, 3)).astype("f"), x.ctypes.data
        out = bonds.positions(START, x, v, 0.01, scale=2/0.01**2)
        self.assertEqual((x.dtype, x.ctypes.data, out.forces.dtype), (numpy.float32, here, numpy.float64))
        numpy.testing.assert_allclose(lengths(bonds, x.astype(float)), WATER[1], rtol=1e-5)
        bonds.velocities(x, v)
        for i, j in WATER[0]:
            self.assertLess(abs((x[i] - x[j]) @ (v[i] - v[j])), 1e-5)
        with self.assertRaisesRegex(rattle.BadArgument, "floats reach"):
            self.bonds.positions(START, x)
        with self.assertRaisesRegex(TypeError, "v: expected a numpy array of float32, as that of the other arrays, found an array of float64"):
            bonds.positions(START, x, numpy.zeros((3, 3)))

    def test_start_and_end_may_be_one_array(self):
        for solver in ("settle", "newton", "quasi_newton", "shake", "lincs"):
            ring = [(k, (k + 1) % 30) for k in range(30)] if solver != "settle" else WATER[0]
            at = numpy.array([(numpy.cos(k*numpy.pi/15), numpy.sin(k*numpy.pi/15), 0.02*(-1)**k) for k in range(30)]) if solver != "settle" else START
            wanted = [numpy.linalg.norm(at[i] - at[j]) for i, j in ring]
            bonds, x, y = rattle.Bonds(ring, wanted, [1]*len(at), solver=solver), at*1.01, at*1.01
            bonds.positions(x, x, scale=1.0)
            bonds.positions(y.copy(), y, scale=1.0)
            numpy.testing.assert_array_equal(x, y)

    def test_shared_memory_is_refused(self):
        bonds, room = rattle.Bonds(*WATER), numpy.tile(START, (3, 1))
        for said, x0, x, v in (("x and v share", START, room[:3], room[:3]), ("x and v share", START, room[:3], room[2:5]),
                               ("x0 and x share", room[1:4], room[:3], None), ("x0 and v share", room[:3], room[3:6], room[1:4])):
            with self.assertRaisesRegex(ValueError, said):
                bonds.positions(x0, x, v)
        with self.assertRaisesRegex(ValueError, "x and v share"):
            bonds.velocities(room[:3], room[2:5])
        numpy.testing.assert_array_equal(room, numpy.tile(START, (3, 1)))
        bonds.positions(room[:3], room[3:6], room[6:])

    def test_boxes(self):
        for box in ([5, 6, 7], [[5, 0, 0], [1, 6, 0], [-1, 2, 7]]):
            edges = numpy.diag(box) if numpy.ndim(box) == 1 else numpy.array(box)
            shift = self.rng.integers(-3, 4, size=(3, 3)) @ edges
            free = START + self.rng.normal(size=(3, 3))*0.02
            x, y = free + shift, free.copy()
            self.bonds.positions(START + shift, x, box=box)
            self.bonds.positions(START, y)
            numpy.testing.assert_allclose(x - shift, y, atol=1e-13)

    def test_angles_lines_and_rings(self):
        bent = rattle.Bonds([(0, 1), (1, 2)], [1, 1], [16, 12, 16], angles=[(0, 1, 2)], values=[numpy.pi])
        self.assertEqual((bent.chosen, round(*bent.removed(), 12)), (["line"]*3, 4))
        cage = rattle.Bonds([(i, j) for i in range(5) for j in range(i)], [1]*6 + [1.632993161855452, 1, 1, 1], [1]*5)
        self.assertEqual((len(cage.repeated), *cage.removed(), cage.summary["clusters"]), (1, 9.0, 1))
        numpy.testing.assert_allclose(self.bonds.removed([0, 1, -1]), [2/17, 16/17 + 1/2], rtol=1e-14)

    def test_the_same_bits_with_threads(self):
        count = 4000
        pairs = (numpy.array(WATER[0])[None] + 3*numpy.arange(count)[:, None, None]).reshape(-1, 2)
        start = numpy.tile(START, (count, 1))
        free, results = start + self.rng.normal(size=start.shape)*0.02, []
        for threads in (1, 3):
            results.append(free.copy())
            rattle.Bonds(pairs, WATER[1]*count, WATER[2]*count, threads=threads).positions(start, results[-1])
        numpy.testing.assert_array_equal(*results)

    def test_check(self):
        found = self.bonds.check(START)
        self.assertEqual([kind["solver"] for kind in found["kinds"]], ["settle"])
        bent = rattle.Bonds([(0, 1), (0, 2)], [1, 1], [16, 1, 1], angles=[(1, 0, 2)], values=[1.9])
        box = numpy.array([[9, 0, 0], [1, 8, 0], [2, 3, 7]])
        there, here = bent.check(START + [[0, 0, 0], box[1] - box[0], -box[2]], box=box), bent.check(START)
        self.assertAlmostEqual(there["kinds"][0]["condition"], here["kinds"][0]["condition"], places=9)
        with self.assertRaisesRegex(ValueError, "atom 2 has an infinite mass"):
            rattle.Bonds(WATER[0], WATER[1], [1, 1, numpy.inf]).check()

    def test_objects_outlive_their_arguments(self):
        bonds = rattle.Bonds(numpy.array(WATER[0]), numpy.array(WATER[1]), numpy.array(WATER[2]), solver="newton")
        gc.collect()
        self.assertEqual(bonds.chosen, ["newton"]*3)
        self.assertIn("3 bonds and 0 angles of 3 atoms in 1 clusters", repr(bonds))
        self.assertIn("newton", rattle.bonds.solvers())
        with self.assertRaises(ValueError):
            bonds.lengths[0] = 2


class Refusals(unittest.TestCase):
    def test_topologies(self):
        for said, pairs, sizes, masses, options in (
                ("bond 0, between atoms 0 and 1, is 0", [(0, 1)], [0], [1, 1], {}), ("between atoms 0 and 5", [(0, 5)], [1], [1, 1], {}),
                ("no solver 'shak'", [(0, 1)], [1], [1, 1], {"solver": "shak"}), ("lengths: expected 1 numbers, found 2", [(0, 1)], [1, 2], [1, 1], {}),
                ("2 whole numbers in each row", [(0, 1.5)], [1], [1, 1], {}), ("32 bits", [(0, 2**40)], [1], [1, 1], {}),
                ("at least one atom", [], [], [], {}), ("tolerance", [(0, 1)], [1], [1, 1], {"tolerance": 1e-20})):
            with self.assertRaisesRegex(ValueError, said):
                rattle.Bonds(pairs, sizes, masses, **options)

    def test_arrays(self):
        bonds = rattle.Bonds(*WATER)
        for kind, said, x in ((TypeError, "x: expected a numpy array of float64 or float32, found an array of int64", START.astype(int)),
                              (TypeError, "found list", START.tolist()), (ValueError, "3 atoms with three numbers each", START[:2].copy()),
                              (ValueError, "contiguous", numpy.asfortranarray(START))):
            with self.assertRaisesRegex(kind, said):
                bonds.positions(START, x)
        for box in ([1, -1, 1], numpy.ones((3, 3)), [1, 2]):
            with self.assertRaisesRegex(ValueError, "lower triangular"):
                bonds.positions(START, START.copy(), box=box)
        frozen = START.copy()
        frozen.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "can be written"):
            bonds.velocities(START, frozen)
        with self.assertRaisesRegex(ValueError, "expected 3 numbers"):
            bonds.removed([0])

    def test_failures_name_atoms(self):
        bonds, far = rattle.Bonds(*WATER), START.copy()
        far[2] += 50
        before = far.copy()
        with self.assertRaisesRegex(rattle.NotConverged, "atoms [012] and [012]") as caught:
            bonds.positions(START, far)
        numpy.testing.assert_array_equal(far, before)
        self.assertIsInstance(pickle.loads(pickle.dumps(caught.exception)), rattle.NotConverged)
        with self.assertRaisesRegex(rattle.Domain, "atom 0"):
            bonds.positions(START, numpy.full((3, 3), numpy.nan))


if __name__ == "__main__":
    common.main()
