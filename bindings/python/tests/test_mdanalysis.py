"""rattle.mdanalysis, by a stand-in with the attributes that it uses, and by MDAnalysis where that is installed."""
import types
import unittest

import common
import numpy
import rattle
from rattle.mdanalysis import bonds_of, box_of

PLACES = numpy.array([[0.1, 0, 0], [0.97, 0.4, 0], [9.6, 0.8, 9.9], [5, 5, 5]], dtype=numpy.float32)
PAIRS = [(0, 1), (0, 2)]


def universe(dimensions):
    bonds = types.SimpleNamespace(to_indices=lambda: numpy.array(PAIRS, dtype=numpy.int32))
    atoms = types.SimpleNamespace(masses=numpy.array([15.999, 1.008, 14.0, 23.0]), positions=PLACES, bonds=bonds)
    return types.SimpleNamespace(atoms=atoms, dimensions=dimensions)


class MDAnalysis(unittest.TestCase):
    def test_lengths_are_those_of_nearest_images(self):
        bonds = bonds_of(universe([10, 10, 10, 90, 90, 90]), tolerance=1e-9)
        numpy.testing.assert_allclose(bonds.lengths, [numpy.hypot(0.87, 0.4), numpy.sqrt(0.25 + 0.64 + 0.01)], atol=1e-6)
        self.assertEqual(bonds.tolerance, 1e-9)
        self.assertEqual(len(bonds_of(universe([10, 10, 10, 90, 90, 90]), hydrogens=True).pairs), 1)
        self.assertGreater(bonds_of(universe(None)).lengths[1], 9)

    def test_its_topology_is_examined(self):
        made = universe([10, 10, 10, 90, 90, 90])
        found = bonds_of(made).check(made.atoms.positions, box_of(made))
        self.assertEqual((found["atoms"], found["bonds"], found["clusters"]), (4, 2, 1))
        self.assertEqual([kind["solver"] for kind in found["kinds"]], ["newton"])

    def test_a_box_has_its_edges_and_angles(self):
        given = [10, 9, 8, 80, 70, 100]
        box = box_of(universe(given))
        self.assertFalse(numpy.triu(box, 1).any())
        edges = numpy.linalg.norm(box, axis=1)
        angles = [numpy.degrees(numpy.arccos(box[i] @ box[j]/edges[i]/edges[j])) for i, j in ((1, 2), (0, 2), (0, 1))]
        numpy.testing.assert_allclose([*edges, *angles], given, rtol=1e-12)
        self.assertIsNone(box_of(universe([0]*6)))
        for wrong in ([10, 9, -8, 90, 90, 90], [10, 9, 8, 10, 100, 150]):
            self.assertRaises(ValueError, box_of, universe(wrong))

    def test_its_own_universe(self):
        try:
            import MDAnalysis as mda
        except ImportError as error:  # Debian has none
            self.skipTest(str(error))
        made = mda.Universe.empty(4, trajectory=True)
        made.add_TopologyAttr("masses", [15.999, 1.008, 14.0, 23.0])
        made.add_TopologyAttr("bonds", PAIRS)
        made.atoms.positions = PLACES
        made.dimensions = [10, 10, 10, 90, 90, 90]
        self.assertIsInstance(bonds_of(made), rattle.Bonds)
        numpy.testing.assert_allclose(bonds_of(made).lengths, bonds_of(universe([10, 10, 10, 90, 90, 90])).lengths)


if __name__ == "__main__":
    common.main()
