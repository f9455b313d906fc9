"""Bonds of what MDAnalysis, ParmEd and OpenMM read themselves: water with a site, water with two bonds alone, heavy hydrogens. Numbers of bonds and of
degrees of freedom are known by counting: rigid water has three bonds and six degrees of freedom."""
import importlib
import os
import tempfile
import unittest

import common
import numpy
import rattle
import rattle.mdanalysis
import rattle.openmm
import rattle.parmed

OH, HH = 0.9572, 1.5139
PDB = """\
CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1
HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  HOH A   1       0.757   0.586   0.000  1.00  0.00           H
HETATM    3  H2  HOH A   1      -0.757   0.586   0.000  1.00  0.00           H
HETATM    4  O   HOH A   2       5.000   5.000   5.000  1.00  0.00           O
HETATM    5  H1  HOH A   2       5.757   5.586   5.000  1.00  0.00           H
HETATM    6  H2  HOH A   2       4.243   5.586   5.000  1.00  0.00           H
CONECT    1    2    3
CONECT    2    1
CONECT    3    1
CONECT    4    5    6
CONECT    5    4
CONECT    6    4
END
"""


class Topologies(unittest.TestCase):
    def module(self, name):
        try:
            return importlib.import_module(name)
        except ImportError as error:  # Debian has OpenMM alone
            self.skipTest(str(error))

    def test_a_pdb_by_mdanalysis(self):
        mda = self.module("MDAnalysis")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "water.pdb")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PDB)
            universe = mda.Universe(path)
        with self.assertRaisesRegex(ValueError, "2 molecules of water.*no length H-H.*water=True is the distance of the positions"):
            rattle.mdanalysis.bonds_of(universe)
        self.assertEqual(len(rattle.mdanalysis.bonds_of(universe, water=False).pairs), 4)
        rigid = rattle.mdanalysis.bonds_of(universe, water=True)
        numpy.testing.assert_allclose(rigid.lengths[4:], 2*0.757, atol=1e-6)
        self.assertEqual((len(rigid.pairs), rigid.removed()[0]), (6, 6))
        self.assertEqual(rattle.mdanalysis.bonds_of(universe, water=HH).lengths[5], HH)

    def test_sites_by_mdanalysis(self):
        mda = self.module("MDAnalysis")
        universe = mda.Universe.empty(4, trajectory=True)
        universe.add_TopologyAttr("masses", [15.999, 1.008, 1.008, 0])
        universe.add_TopologyAttr("bonds", [(0, 1), (0, 2), (1, 2), (0, 3)])
        universe.atoms.positions = [[0, 0, 0], [0.757, 0.586, 0], [-0.757, 0.586, 0], [0, 0.15, 0]]
        self.assertEqual(rattle.mdanalysis.bonds_of(universe).removed()[0], 3)

    def test_parmed(self):
        parmed = self.module("parmed")
        structure = parmed.Structure()
        for name, number, mass in (("O", 8, 15.999), ("H1", 1, 1.008), ("H2", 1, 1.008), ("EP", 0, 0), ("C1", 6, 9.0), ("H3", 1, 3.024)):
            structure.add_atom(parmed.Atom(atomic_number=number, name=name, mass=mass), "WAT" if number != 6 and name != "H3" else "ME",
                               0 if name in ("O", "H1", "H2", "EP") else 1)
        atoms = structure.atoms
        long, short = parmed.BondType(400, OH), parmed.BondType(0, 0.15)
        for i, j, kind in ((0, 1, long), (0, 2, long), (0, 3, short), (4, 5, parmed.BondType(340, 1.09))):
            structure.bonds.append(parmed.Bond(atoms[i], atoms[j], kind))
        with self.assertRaisesRegex(ValueError, "1 molecules of water, as that of atoms 1 and 2.*give it as water="):
            rattle.parmed.bonds_of(structure)
        bonds = rattle.parmed.bonds_of(structure, hydrogens=True, water=HH)
        numpy.testing.assert_allclose(bonds.lengths, [OH, OH, 1.09, HH])  # the heavy hydrogen too, and no bond to the site
        self.assertEqual(bonds.removed()[0], 4)
        atoms[4].bonds[0].type = None
        with self.assertRaisesRegex(ValueError, r"atoms 4 \(C1\) and 5 \(H3\) has no type and so no length"):
            rattle.parmed.bonds_of(structure, water=HH)

    def test_a_system_of_openmm(self):
        openmm = self.module("openmm")
        system = openmm.System()
        for mass in (15.999, 1.008, 1.008, 0, 0):
            system.addParticle(mass)
        for i, j, length in ((0, 1, OH/10), (0, 2, OH/10), (1, 2, HH/10)):
            system.addConstraint(i, j, length)
        system.setVirtualSite(3, openmm.ThreeParticleAverageSite(0, 1, 2, 0.7, 0.15, 0.15))
        system = openmm.XmlSerializer.deserialize(openmm.XmlSerializer.serialize(system))
        bonds = rattle.openmm.bonds_of(system)
        numpy.testing.assert_allclose(bonds.lengths, [OH/10, OH/10, HH/10])
        self.assertEqual((bonds.removed()[0], bonds.chosen[3]), (3, None))
        self.assertIsNone(rattle.openmm.box_of(system))
        force = openmm.NonbondedForce()
        force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
        system.addForce(force)
        numpy.testing.assert_allclose(rattle.openmm.box_of(system), 2*numpy.eye(3))
        system.addConstraint(0, 4, 0.1)
        with self.assertRaisesRegex(rattle.BadArgument, "between atoms 0 and 4, has an atom of mass 0"):
            rattle.openmm.bonds_of(system)


if __name__ == "__main__":
    common.main()
