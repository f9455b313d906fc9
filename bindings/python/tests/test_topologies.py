"""Bonds of files that MDAnalysis, ParmEd and OpenMM read themselves: PSF with parameters, prmtop, PDB, mmCIF, MOL2, XML of a System. Lengths are those
that stand in the files; degrees of freedom are known by counting: rigid water has six.

Without these programs the tests are skipped; with RATTLE_READERS_REQUIRED they fail."""
import importlib
import os
import tempfile
import unittest
import warnings

import common
import numpy
import rattle
import rattle.mdanalysis
import rattle.openmm
import rattle.parmed

OH, HH, CH, CC = 0.9572, 1.5139, 1.111, 1.53
# rigid water as CHARMM has it, with H-H, and a piece of a chain: C-C, and a hydrogen that weighs 3 u
PSF = """PSF

       1 !NTITLE
 REMARKS water, C-C-H

       6 !NATOM
       1 W    1    TIP3 OH2  OT    -0.834000       15.9994           0
       2 W    1    TIP3 H1   HT     0.417000        1.0080           0
       3 W    1    TIP3 H2   HT     0.417000        1.0080           0
       4 A    1    ETH  C1   CT3    0.000000       12.0110           0
       5 A    1    ETH  C2   CT3   -0.100000        9.9950           0
       6 A    1    ETH  H1   HA3    0.100000        3.0240           0

       5 !NBOND: bonds
       1       2       1       3       2       3       4       5
       5       6

       2 !NTHETA: angles
       2       1       3       4       5       6

       0 !NPHI: dihedrals

       0 !NIMPHI: impropers

       0 !NDON: donors

       0 !NACC: acceptors

       0 !NNB

       0       0       0       0       0       0

       1       0 !NGRP NST2
       0       0       0

"""
PARAMETERS = f"""* lengths
*
ATOMS
MASS  -1 OT   15.9994
MASS  -1 HT    1.0080
MASS  -1 CT3  12.0110
MASS  -1 HA3   1.0080

BONDS
HT   HT     0.0    {HH}
OT   HT   450.0    {OH}
CT3  CT3  222.5    {CC}
CT3  HA3  322.0    {CH}

ANGLES
HT   OT   HT   55.0  104.52
CT3  CT3  HA3  34.6  110.10

NONBONDED nbxmod 5 atom cdiel fshift vatom vdistance vfswitch cutnb 14.0 ctofnb 12.0 ctonnb 10.0 eps 1.0 e14fac 1.0 wmin 1.5
OT   0.0  -0.1521  1.7682
HT   0.0  -0.0460  0.2245
CT3  0.0  -0.0780  2.0500
HA3  0.0  -0.0240  1.3400

END
"""
PDB = """\
CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1
HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  HOH A   1       0.757   0.586   0.000  1.00  0.00           H
HETATM    3  H2  HOH A   1      -0.757   0.586   0.000  1.00  0.00           H
HETATM    4  O   HOH A   2      19.800   5.000   5.000  1.00  0.00           O
HETATM    5  H1  HOH A   2       0.557   5.586   5.000  1.00  0.00           H
HETATM    6  H2  HOH A   2      19.043   5.586   5.000  1.00  0.00           H
CONECT    1    2    3
CONECT    2    1
CONECT    3    1
CONECT    4    5    6
CONECT    5    4
CONECT    6    4
END
"""
CIF = """data_water
#
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_entity_id
_atom_site.label_seq_id
_atom_site.pdbx_PDB_ins_code
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.occupancy
_atom_site.B_iso_or_equiv
_atom_site.auth_seq_id
_atom_site.auth_asym_id
_atom_site.pdbx_PDB_model_num
HETATM 1 O O . HOH A 1 . ? 0.000 0.000 0.000 1.00 0.00 1 A 1
HETATM 2 H H1 . HOH A 1 . ? 0.757 0.586 0.000 1.00 0.00 1 A 1
HETATM 3 H H2 . HOH A 1 . ? -0.757 0.586 0.000 1.00 0.00 1 A 1
#
"""
MOL2 = """@<TRIPOS>MOLECULE
formaldehyde
4 3 1
SMALL
USER_CHARGES

@<TRIPOS>ATOM
      1 C1   0.0000  0.0000  0.0000 C.2  1 FOR 0.0
      2 O1   1.2100  0.0000  0.0000 O.2  1 FOR 0.0
      3 H1  -0.6000  0.9000  0.0000 H    1 FOR 0.0
      4 H2  -0.6000 -0.9000  0.0000 H    1 FOR 0.0
@<TRIPOS>BOND
     1     1     2 2
     2     1     3 1
     3     1     4 1
"""


def length_of(bonds):
    return {tuple(sorted(int(k) for k in pair)): float(d) for pair, d in zip(bonds.pairs, bonds.lengths)}


class Files(unittest.TestCase):
    RIGHT = {(0, 1): OH, (0, 2): OH, (1, 2): HH, (3, 4): CC, (4, 5): CH}

    def module(self, name):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            if os.environ.get("RATTLE_READERS_REQUIRED"):
                raise
            self.skipTest(str(error))

    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        return path

    def expect(self, bonds, right, unit=1.0):
        found = length_of(bonds)
        self.assertEqual(sorted(found), sorted(right))
        for pair, d in right.items():
            self.assertAlmostEqual(found[pair]/unit, d, delta=1e-6, msg=pair)

    def structure(self):
        parmed = self.module("parmed")
        structure = parmed.charmm.CharmmPsfFile(self.file("a.psf", PSF))
        with self.assertRaisesRegex(ValueError, r"atoms 0 \(OH2\) and 1 \(H1\) has no type and so no length: load the parameters"):
            rattle.parmed.bonds_of(structure)
        structure.load_parameters(parmed.charmm.CharmmParameterSet(self.file("a.prm", PARAMETERS)))
        return structure

    def test_psf_by_parmed(self):
        structure = self.structure()
        bonds = rattle.parmed.bonds_of(structure)
        self.expect(bonds, self.RIGHT)
        self.assertEqual(bonds.removed()[0], 5)
        heavy = rattle.parmed.bonds_of(structure, hydrogens=True)  # by atomic number: the one of 3 u too
        self.expect(heavy, {pair: d for pair, d in self.RIGHT.items() if pair != (3, 4)})

    def test_psf_by_openmm(self):
        self.module("openmm")
        app = self.module("openmm.app")
        psf, parameters = app.CharmmPsfFile(self.file("a.psf", PSF)), app.CharmmParameterSet(self.file("a.prm", PARAMETERS))
        self.expect(rattle.openmm.bonds_of(psf.createSystem(parameters, constraints=app.AllBonds)), self.RIGHT, 0.1)

    def test_psf_by_mdanalysis(self):
        mda = self.module("MDAnalysis")
        at = numpy.zeros((6, 3))
        at[1], at[2] = (OH, 0, 0), (OH - HH**2/2/OH, numpy.sqrt(HH**2 - (HH**2/2/OH)**2), 0)
        at[3:, 2] = 5, 5 + CC, 5 + CC + CH
        universe = mda.Universe(self.file("a.psf", PSF), at[None], format=mda.coordinates.memory.MemoryReader)
        self.expect(rattle.mdanalysis.bonds_of(universe), self.RIGHT)
        # a PSF names no elements: masses below 3.5, as CHARMM says, with that of 3 u
        self.assertEqual(len(rattle.mdanalysis.bonds_of(universe, hydrogens=True).pairs), 4)

    def test_prmtop(self):
        parmed, app, mda = self.module("parmed"), self.module("openmm.app"), self.module("MDAnalysis")
        path = self.file("a.prmtop")
        parmed.amber.AmberParm.from_structure(self.structure()).write_parm(path)
        self.expect(rattle.parmed.bonds_of(parmed.load_file(path)), self.RIGHT)
        system = app.AmberPrmtopFile(path).createSystem(constraints=app.AllBonds)
        self.expect(rattle.openmm.bonds_of(system), self.RIGHT, 0.1)
        universe = mda.Universe(path, numpy.arange(18.0).reshape(1, 6, 3), format=mda.coordinates.memory.MemoryReader)
        self.assertEqual(sorted(length_of(rattle.mdanalysis.bonds_of(universe))), sorted(self.RIGHT))
        # by elements, which a prmtop has
        self.assertEqual(sorted(length_of(rattle.mdanalysis.bonds_of(universe, hydrogens=True))), [(0, 1), (0, 2), (1, 2), (4, 5)])

    def test_pdb_by_mdanalysis(self):
        mda = self.module("MDAnalysis")
        universe = mda.Universe(self.file("water.pdb", PDB))
        with self.assertRaisesRegex(ValueError, "2 molecules of water.*no length H-H.*water=True is the distance of the positions"):
            rattle.mdanalysis.bonds_of(universe)
        self.assertEqual(len(rattle.mdanalysis.bonds_of(universe, water=False).pairs), 4)
        rigid = rattle.mdanalysis.bonds_of(universe, water=True)  # the second molecule is cut by the box
        numpy.testing.assert_allclose(rigid.lengths[4:], 2*0.757, atol=2e-6)
        self.assertEqual((len(rigid.pairs), rigid.removed()[0]), (6, 6))
        self.assertEqual(rattle.mdanalysis.bonds_of(universe, water=HH).lengths[5], HH)
        self.assertEqual(len(rattle.mdanalysis.bonds_of(universe, water=False, hydrogens=True, tolerance=1e-9).pairs), 4)

    def test_what_is_read_is_examined(self):
        mda = self.module("MDAnalysis")
        universe = mda.Universe(self.file("water.pdb", PDB))
        found = rattle.mdanalysis.bonds_of(universe, water=True).check(universe.atoms.positions, rattle.mdanalysis.box_of(universe))
        self.assertEqual((found["atoms"], found["bonds"], found["clusters"], found["kinds"][0]["name"]), (6, 6, 2, "triangle"))

    def test_what_is_read_is_exported(self):
        """To GROMACS, whose files OpenMM and MDAnalysis read."""
        app, mda = self.module("openmm.app"), self.module("MDAnalysis")
        universe = mda.Universe(self.file("water.pdb", PDB))
        bonds = rattle.mdanalysis.bonds_of(universe, water=HH)
        files = bonds.export(self.file("out.top"), universe.atoms.positions, rattle.mdanalysis.box_of(universe), units="real")
        self.assertEqual([os.path.basename(name) for name in files], ["out.top", "out.gro"])
        again = mda.Universe(files[1])
        numpy.testing.assert_allclose(again.atoms.positions, universe.atoms.positions, atol=1e-5)
        numpy.testing.assert_allclose(again.dimensions, universe.dimensions, atol=1e-5)
        self.expect(rattle.openmm.bonds_of(app.GromacsTopFile(files[0]).createSystem()), length_of(bonds), 0.1)
        with self.assertRaisesRegex(ValueError, "exists"):
            bonds.export(files[0], units="real")

    def test_a_box_has_its_edges_and_angles(self):
        mda = self.module("MDAnalysis")
        universe = mda.Universe.empty(1, trajectory=True)
        given = [10, 9, 8, 80, 70, 100]
        universe.dimensions = given
        box = rattle.mdanalysis.box_of(universe)
        self.assertFalse(numpy.triu(box, 1).any())
        edges = numpy.linalg.norm(box, axis=1)
        angles = [numpy.degrees(numpy.arccos(box[i] @ box[j]/edges[i]/edges[j])) for i, j in ((1, 2), (0, 2), (0, 1))]
        numpy.testing.assert_allclose([*edges, *angles], given, rtol=1e-6)  # floats
        universe.dimensions = None
        self.assertIsNone(rattle.mdanalysis.box_of(universe))
        for wrong in ([10, 9, -8, 90, 90, 90], [10, 9, 8, 10, 100, 150]):
            universe.dimensions = wrong
            self.assertRaises(ValueError, rattle.mdanalysis.box_of, universe)

    def test_a_sharp_cell_is_refused(self):
        """That of cpptraj's report: the rounding along the edges finds an image 7.59 away, and the nearest one is 7.00242 away."""
        mda = self.module("MDAnalysis")
        universe = mda.Universe.empty(2, trajectory=True)
        universe.add_TopologyAttr("masses", [1, 1])
        universe.add_TopologyAttr("bonds", [(0, 1)])
        universe.atoms.positions = [[8.029, 5.236, 5.067], [13.771, 5.666, 14.13]]
        edges = numpy.array([[20, 0, 0], [19.0720403, 6.0214001, 0], [11.0718369, 14.6431303, 7.9368222]])
        universe.dimensions = mda.lib.mdamath.triclinic_box(*edges)
        with self.assertRaisesRegex(ValueError, "the box is 6.0214 wide, and the bond of atoms 0 and 1, of 7.59"):
            rattle.mdanalysis.bonds_of(universe)

    def test_mmcif(self):
        app, mda = self.module("openmm.app"), self.module("MDAnalysis")
        path = self.file("water.cif", CIF)
        file = app.PDBxFile(path)
        bonds = rattle.openmm.bonds_of(app.ForceField("tip3p.xml").createSystem(file.topology))
        self.assertEqual((len(bonds.pairs), bonds.removed()[0]), (3, 3))
        self.expect(bonds, {(0, 1): OH, (0, 2): OH, (1, 2): length_of(bonds)[1, 2]*10}, 0.1)
        universe = mda.Universe(path)  # MDAnalysis takes atoms alone from it
        with self.assertRaisesRegex(ValueError, "no bonds: .*guess_bonds"):
            rattle.mdanalysis.bonds_of(universe)
        universe.atoms.guess_bonds()
        self.expect(rattle.mdanalysis.bonds_of(universe, water=HH), {(0, 1): numpy.hypot(0.757, 0.586), (0, 2): numpy.hypot(0.757, 0.586), (1, 2): HH})

    def test_mol2(self):
        parmed, mda = self.module("parmed"), self.module("MDAnalysis")
        path = self.file("formaldehyde.mol2", MOL2)
        self.expect(rattle.mdanalysis.bonds_of(mda.Universe(path)), {(0, 1): 1.21, (0, 2): numpy.sqrt(1.17), (0, 3): numpy.sqrt(1.17)})
        structure = parmed.load_file(path, structure=True)  # in which ParmEd has no masses
        with self.assertRaisesRegex(ValueError, "atom 0 is the element C and has the mass 0: the file has no masses"):
            rattle.parmed.bonds_of(structure)
        for atom in structure.atoms:
            atom.mass = 1.0
        with self.assertRaisesRegex(ValueError, "has no type and so no length"):
            rattle.parmed.bonds_of(structure)

    def test_sites(self):
        parmed, mda = self.module("parmed"), self.module("MDAnalysis")
        universe = mda.Universe.empty(4, trajectory=True)
        universe.add_TopologyAttr("masses", [15.999, 1.008, 1.008, 0])
        universe.add_TopologyAttr("bonds", [(0, 1), (0, 2), (1, 2), (0, 3)])
        universe.atoms.positions = [[0, 0, 0], [0.757, 0.586, 0], [-0.757, 0.586, 0], [0, 0.15, 0]]
        with self.assertWarnsRegex(UserWarning, "1 bonds to atoms without mass, as atom 3, take no part"):
            self.assertEqual(rattle.mdanalysis.bonds_of(universe).removed()[0], 3)
        structure = parmed.Structure()
        for name, number, mass in (("O", 8, 15.999), ("H1", 1, 1.008), ("H2", 1, 1.008), ("EP", 0, 0)):
            structure.add_atom(parmed.Atom(atomic_number=number, name=name, mass=mass), "WAT", 0)
        long, short = parmed.BondType(400, OH), parmed.BondType(0, 0.15)
        for end, kind in ((1, long), (2, long), (3, short)):
            structure.bonds.append(parmed.Bond(structure.atoms[0], structure.atoms[end], kind))
        with self.assertRaisesRegex(ValueError, "1 molecules of water, as that of atoms 1 and 2.*give it as water="):
            rattle.parmed.bonds_of(structure)
        with self.assertWarnsRegex(UserWarning, "as atom 3, take no part"):
            self.assertEqual(rattle.parmed.bonds_of(structure, water=HH).removed()[0], 3)

    def test_xml_of_a_system(self):
        openmm = self.module("openmm")
        system = openmm.System()
        for mass in (15.999, 1.008, 1.008, 0, 0):
            system.addParticle(mass)
        for i, j, length in ((0, 1, OH/10), (0, 2, OH/10), (1, 2, HH/10)):
            system.addConstraint(i, j, length)
        system.setVirtualSite(3, openmm.ThreeParticleAverageSite(0, 1, 2, 0.7, 0.15, 0.15))
        path = self.file("system.xml", openmm.XmlSerializer.serialize(system))
        with open(path, encoding="ascii") as file:
            system = openmm.XmlSerializer.deserialize(file.read())
        bonds = rattle.openmm.bonds_of(system)
        self.expect(bonds, {(0, 1): OH, (0, 2): OH, (1, 2): HH}, 0.1)
        self.assertEqual((bonds.removed()[0], bonds.chosen[3]), (3, None))
        self.assertIsNone(rattle.openmm.box_of(system))
        force = openmm.NonbondedForce()
        force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
        system.addForce(force)
        numpy.testing.assert_allclose(rattle.openmm.box_of(system), 2*numpy.eye(3))
        system.addConstraint(0, 4, 0.1)
        with self.assertRaisesRegex(rattle.BadArgument, "between atoms 0 and 4, has an atom of mass 0"):
            rattle.openmm.bonds_of(system)

    def test_sites_of_openmm(self):
        """Places and spread forces are those of OpenMM's own kinds of sites."""
        openmm = self.module("openmm")
        system, well = openmm.System(), openmm.CustomExternalForce("a*x + b*y + c*z")
        for name in "abc":
            well.addPerParticleParameter(name)
        made = [openmm.TwoParticleAverageSite(0, 1, 0.3, 0.7), openmm.ThreeParticleAverageSite(0, 1, 2, 0.6, 0.1, 0.3),
                openmm.OutOfPlaneSite(0, 1, 2, 0.2, 0.4, 1.5),
                openmm.LocalCoordinatesSite([0, 1, 2], [0.5, 0.3, 0.2], [-1, 0.4, 0.6], [-1, 1, 0], openmm.Vec3(0.1, -0.2, 0.3))]
        for mass in (16, 1, 2, *[0]*len(made)):
            system.addParticle(mass)
        x, push = numpy.random.default_rng(7).normal(size=(2, 3 + len(made), 3))
        for k, site in enumerate(made, 3):
            system.setVirtualSite(k, site)
            well.addParticle(k, push[k].tolist())
        system.addForce(well)
        context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
        context.setPositions(x.tolist())
        context.computeVirtualSites()
        state = context.getState(getPositions=True, getForces=True)
        sites, forces = rattle.openmm.sites_of(system), numpy.zeros_like(x)
        sites.positions(x)
        numpy.testing.assert_allclose(x, numpy.array(state.getPositions(asNumpy=True)), atol=1e-12)
        forces[3:] = -push[3:]
        sites.forces(x, forces)
        numpy.testing.assert_allclose(forces[:3], numpy.array(state.getForces(asNumpy=True))[:3], atol=1e-12)


if __name__ == "__main__":
    common.main()
