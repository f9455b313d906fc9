"""rattle.ase.FixBonds against ASE's own FixBondLengths, and where that cannot be used."""
import contextlib
import copy
import io
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

import common

common.need("ase")
import ase.db  # noqa: E402
import ase.io  # noqa: E402
import numpy  # noqa: E402
from ase import Atoms, units  # noqa: E402
from ase.build import molecule  # noqa: E402
from ase.calculators.calculator import Calculator  # noqa: E402
from ase.calculators.lj import LennardJones  # noqa: E402
from ase.constraints import FixAtoms, FixBondLengths, FixCom, FixedPlane, dict2constraint  # noqa: E402
from ase.md.langevin import Langevin  # noqa: E402
from ase.md.verlet import VelocityVerlet  # noqa: E402
from ase.optimize import BFGS  # noqa: E402

import rattle  # noqa: E402
from rattle.ase import FixBonds  # noqa: E402

METHANE = [(0, k) for k in range(1, 5)]
CELLS = ((None, False), ([8, 9, 10], True), ([8, 9, 10], [True, False, True]), ([[0, 6, 6], [6, 0, 6], [6, 6, 0]], True),
         ([[8, 0, 0], [40, 9, 0], [3, 2, 10]], True), ([[0, 6, 6], [6, 0, 6], [0, 0, 0]], [True, True, False]),
         ([[40, 9, 0], [8, 0, 0], [3, 2, 10]], True), ([8, 1, 10], [True, False, True]), ([[1, 0, 9], [0, 0, 0], [0, 0, 0]], [True, False, False]), ([[-8, 0, 0], [0, 9, 1], [0, 0, 10]], [False, True, True]))


def ethanol():
    """Ethanol, and its bonds by distance."""
    atoms = molecule("CH3CH2OH")
    near = [(i, j) for i in range(9) for j in range(i + 1, 9)
            if atoms.get_distance(i, j) < (1.3 if "H" in (atoms.symbols[i], atoms.symbols[j]) else 1.7)]
    assert len(near) == 8, near
    return atoms, near


class Wells(Calculator):
    """A well for the last atom and one for the first, so that forces on a site matter."""

    implemented_properties = ["energy", "forces"]

    def calculate(self, atoms=None, properties=("energy",), system_changes=None):
        super().calculate(atoms, properties, system_changes)
        forces = numpy.zeros((len(atoms), 3))
        forces[-1], forces[0] = -3*atoms.positions[-1], -0.5*(atoms.positions[0] - [0.3, 0, 0.1])
        self.results = {"forces": forces, "energy": 1.5*(atoms.positions[-1]**2).sum() + 0.25*((atoms.positions[0] - [0.3, 0, 0.1])**2).sum()}


class ConstructedSites(unittest.TestCase):
    """Rigid water with a site off its plane, whose mass means nothing."""

    SITES = {3: ("3out", [0, 1, 2], [0.2, 0.1, 0.3])}

    def water(self, mass, **options):
        atoms = molecule("H2O") + Atoms("X", [[0, 0, 0]])
        atoms.set_masses([16, 1, 1, mass])
        atoms.set_constraint(FixBonds([(0, 1), (0, 2), (1, 2)], sites=self.SITES, **options))
        atoms.calc = Wells()
        atoms.set_positions(atoms.positions)
        atoms.set_momenta(numpy.random.default_rng(1).normal(size=(4, 3))*0.3)
        return atoms

    def test_energy_and_place(self):
        ends = []
        for mass in (1.0, 50.0):
            atoms = self.water(mass)
            self.assertEqual(atoms.constraints[0].get_removed_dof(atoms), 6)
            first, errors = atoms.get_total_energy(), []
            dynamics = VelocityVerlet(atoms, 0.02*units.fs)
            dynamics.attach(lambda: errors.append(abs(atoms.get_total_energy() - first)))
            dynamics.run(200)
            o, a, b, m = atoms.positions
            numpy.testing.assert_allclose(m, o + 0.2*(a - o) + 0.1*(b - o) + 0.3*numpy.cross(a - o, b - o), atol=1e-12)
            self.assertLess(max(errors), 2e-5*first)
            self.assertFalse(atoms.get_momenta()[3].any())
            ends.append(atoms.positions.copy())
        numpy.testing.assert_allclose(ends[0], ends[1], atol=1e-12)

    def test_langevin(self):
        atoms = self.water(1.0)
        numpy.random.seed(2)
        Langevin(atoms, 0.05*units.fs, temperature_K=300, friction=0.1/units.fs, fixcm=False).run(50)
        o, a, b, m = atoms.positions
        numpy.testing.assert_allclose(m, o + 0.2*(a - o) + 0.1*(b - o) + 0.3*numpy.cross(a - o, b - o), atol=1e-12)
        noise = numpy.ones((4, 3))
        atoms.constraints[0].redistribute_forces_md(atoms, noise, rand=True)
        numpy.testing.assert_array_equal(noise, [[1]*3]*3 + [[0]*3])

    def test_forces_and_files(self):
        atoms = self.water(1.0)
        raw, forces = atoms.get_forces(apply_constraint=False), atoms.get_forces(apply_constraint=False)
        atoms.constraints[0].redistribute_forces_md(atoms, forces)
        numpy.testing.assert_allclose(forces.sum(axis=0), raw.sum(axis=0), atol=1e-14)
        self.assertFalse(forces[3].any())
        again = dict2constraint(atoms.constraints[0].todict())
        self.assertEqual(again.sites, {3: ("3out", [0, 1, 2], [0.2, 0.1, 0.3])})
        part = atoms[[3, 2, 1, 0]]
        self.assertEqual(part.constraints[0].sites, {0: ("3out", [3, 2, 1], [0.2, 0.1, 0.3])})
        left = atoms.copy()
        left.set_cell([[0, 9, 0], [8, 0, 0], [0, 1, 10]])
        left.pbc = True
        left.positions[1] += left.cell[0]
        left.set_positions(left.positions)
        numpy.testing.assert_allclose(left.positions[3], atoms.positions[3], atol=1e-12)


class Stages(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(3)

    def test_as_fix_bond_lengths(self):
        """Positions, momenta, forces and degrees of freedom, in cells of all kinds with atoms in any images."""
        plain, pairs = ethanol()
        for cell, pbc in CELLS:
            plain.pbc = pbc
            atoms = plain.copy()
            if cell is not None:
                atoms.set_cell(cell)
                atoms.positions += (self.rng.integers(-2, 3, size=(9, 3))*atoms.pbc) @ atoms.cell.array
            new, momenta, seen = atoms.positions + self.rng.normal(size=(9, 3))*0.03, self.rng.normal(size=(9, 3)), []
            for constraint in (FixBondLengths(pairs), FixBonds(pairs)):
                now, forces = atoms.copy(), momenta.copy()
                now.set_constraint(constraint)
                now.set_positions(new)
                now.set_momenta(momenta)
                constraint.adjust_forces(now, forces)
                seen.append((now.positions, now.get_momenta(), forces, constraint.constraint_forces, now.get_temperature()))
            for ours, theirs in zip(*seen):
                numpy.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=str(cell))

    def test_energy_errors_are_of_order_two(self):
        """Constant energy of methane and carbon dioxide, which FixBondLengths cannot hold rigid."""
        gas = Atoms()
        for k, name in enumerate(("CH4", "CO2", "CH4", "CO2")):
            one = molecule(name)
            one.rotate(40*k, (1, 2, 3))
            one.positions += 3.4*numpy.array([k % 2, k // 2, 0])
            gas += one
        pairs = METHANE + [(5, 6), (5, 7), (6, 7)] + [(8 + i, 8 + j) for i, j in METHANE] + [(13, 14), (13, 15), (14, 15)]
        errors = []
        for step in (0.4, 0.2):
            atoms, seen = gas.copy(), []
            atoms.set_constraint(FixBonds(pairs))
            atoms.set_momenta(numpy.random.default_rng(1).normal(size=(16, 3))*0.2)
            self.assertEqual(atoms.constraints[0].get_removed_dof(atoms), 4 + 4 + 4 + 4)
            atoms.calc = LennardJones(sigma=1.3, epsilon=0.05, rc=9, smooth=True)
            run = VelocityVerlet(atoms, timestep=step*units.fs)
            run.attach(lambda: seen.append(atoms.get_total_energy()), interval=round(2/step))
            run.run(round(100/step))
            errors.append(numpy.std(seen))
            i, j = numpy.transpose(pairs)
            numpy.testing.assert_allclose(numpy.linalg.norm(atoms.positions[i] - atoms.positions[j], axis=1), atoms.constraints[0].bondlengths, rtol=1e-10)
        self.assertGreater(errors[1], 1e-9)
        self.assertAlmostEqual(errors[0]/errors[1], 4, delta=0.6)

    def test_angles(self):
        atoms = molecule("H2O")
        atoms.set_constraint(FixBonds([(0, 1), (0, 2)], angles=[(1, 0, 2)]))
        wanted = atoms.get_angle(1, 0, 2)
        atoms.set_positions(atoms.positions + self.rng.normal(size=(3, 3))*0.05)
        self.assertAlmostEqual(atoms.get_angle(1, 0, 2), wanted, places=8)
        self.assertEqual(atoms.constraints[0].get_removed_dof(atoms), 3)
        self.assertEqual(repr(atoms.copy().constraints), repr(atoms.constraints))

    def test_minimum(self):
        """An optimisation ends with no force along what is free, and the lengths as they were."""
        atoms = molecule("CH4") + molecule("CH4")
        atoms.positions[5:] += [3.0, 0.4, 0.2]
        atoms.set_constraint(FixBonds(METHANE + [(5 + i, 5 + j) for i, j in METHANE]))
        atoms.calc = LennardJones(sigma=1.3, epsilon=0.05, rc=12)
        start = [atoms.get_distance(i, j) for i, j in METHANE]
        energy = atoms.get_potential_energy()
        BFGS(atoms, logfile=None).run(fmax=1e-3, steps=300)
        self.assertLess(abs(atoms.get_forces()).max(), 1e-3)
        self.assertLess(atoms.get_potential_energy(), energy)
        numpy.testing.assert_allclose([atoms.get_distance(i, j) for i, j in METHANE], start, rtol=1e-10)

    def test_atoms_that_others_hold(self):
        """FixAtoms in either order: its atoms stay, lengths are right, no degree of freedom is counted twice."""
        plain = molecule("CH4")
        momenta, new = self.rng.normal(size=(5, 3)), plain.positions + self.rng.normal(size=(5, 3))*0.05
        for build in (lambda: [FixAtoms([0]), FixBonds(METHANE)], lambda: [FixBonds(METHANE), FixAtoms([0])]):
            atoms = plain.copy()
            atoms.set_constraint(build())
            atoms.set_positions(new)
            atoms.set_momenta(momenta)
            numpy.testing.assert_array_equal(atoms.positions[0], plain.positions[0])
            numpy.testing.assert_array_equal(atoms.get_momenta()[0], 0)
            for i, j in METHANE:
                self.assertAlmostEqual(atoms.get_distance(i, j), plain.get_distance(i, j), places=9)
                self.assertLess(abs((atoms.positions[i] - atoms.positions[j]) @ atoms.get_momenta()[j]), 1e-9)
            self.assertEqual(sum(one.get_removed_dof(atoms) for one in atoms.constraints), 7)
        atoms.set_constraint([FixAtoms([0, 1]), FixBonds(METHANE)])
        atoms.set_positions(new)
        self.assertEqual(sum(one.get_removed_dof(atoms) for one in atoms.constraints), 9)
        atoms.set_constraint([FixBonds(METHANE), FixCom()])
        atoms.set_positions(new)
        self.assertAlmostEqual(atoms.get_distance(0, 4), plain.get_distance(0, 4), places=9)

    def test_masses_and_cells_may_change(self):
        atoms = molecule("CH4")
        atoms.set_constraint(FixBonds(METHANE))
        atoms.set_positions(atoms.positions*1.01)
        atoms.set_masses([12, 2, 2, 2, 2])
        atoms.center(vacuum=4)
        atoms.pbc = True
        free = atoms.copy()
        free.set_constraint()
        free.set_positions(atoms.positions + self.rng.normal(size=(5, 3))*0.02)
        atoms.set_positions(free.positions)
        numpy.testing.assert_allclose(atoms.get_center_of_mass(), free.get_center_of_mass(), atol=1e-12)
        again = molecule("CH4")
        self.assertAlmostEqual(atoms.get_distance(0, 1), again.get_distance(0, 1), places=9)
        atoms.set_cell([2.1, 9, 9])
        with self.assertRaisesRegex(ValueError, "atoms 0 and 1 are kept at 1.08966, which is not shorter than half"):
            atoms.set_positions(atoms.positions)
        water = molecule("H2O")
        water.set_constraint(FixBonds([(0, 1), (0, 2)], angles=[(1, 0, 2)]))
        water.set_cell([2.9, 9, 9])
        water.pbc = True
        with self.assertRaisesRegex(ValueError, "atoms 1 and 2 are kept at 1.52648"):
            water.set_positions(water.positions)


class AsObjects(unittest.TestCase):
    def setUp(self):
        self.atoms = molecule("CH4") + molecule("H2O")
        self.atoms.positions[5:] += 3
        self.constraint = FixBonds(METHANE + [(5, 6), (5, 7)], angles=[(6, 5, 7)], tolerance=1e-9, solver="newton")
        self.atoms.set_constraint(self.constraint)

    def test_copies(self):
        self.atoms.set_positions(self.atoms.positions)
        text = repr(self.constraint)
        self.assertIn("bondlengths=", text)
        for other in (self.constraint.copy(), copy.deepcopy(self.constraint), pickle.loads(pickle.dumps(self.constraint)), eval(text),
                      dict2constraint(self.constraint.todict()), self.atoms.copy().constraints[0]):
            self.assertIsInstance(other, FixBonds)
            self.assertEqual(repr(other), text)

    def test_files(self):
        self.atoms.set_positions(self.atoms.positions)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.traj", "a.json"):
                path = os.path.join(folder, name)
                ase.io.write(path, self.atoms)
                self.assertEqual(repr(ase.io.read(path).constraints[0]), repr(self.constraint))
            self.atoms.calc = LennardJones(sigma=1.0, epsilon=0.01)
            forces = self.atoms.get_forces()
            with ase.db.connect(os.path.join(folder, "b.json")) as base:
                base.write(self.atoms)
                numpy.testing.assert_allclose(base.get(1).constrained_forces, forces, atol=1e-9)

    def test_selections(self):
        self.atoms.set_positions(self.atoms.positions)
        lengths = self.constraint.bondlengths
        one = self.atoms[[7, 5, 6, 0]].constraints[0]
        self.assertEqual((one.pairs.tolist(), one.angles.tolist()), ([[1, 2], [1, 0]], [[2, 1, 0]]))
        numpy.testing.assert_array_equal(one.bondlengths, lengths[4:])
        self.assertEqual(self.atoms[:3].constraints[0].pairs.tolist(), [[0, 1], [0, 2]])
        self.assertEqual(self.atoms[-3:].constraints[0].pairs.tolist(), [[0, 1], [0, 2]])
        mask = numpy.arange(8) != 0
        self.assertEqual(self.atoms[mask].constraints[0].pairs.tolist(), [[4, 5], [4, 6]])
        self.assertEqual(self.atoms[[1, 2]].constraints, [])
        with self.assertRaisesRegex(ValueError, "atom 0 occurs twice"):
            self.atoms[[0, 0, 1]]
        with self.assertRaisesRegex(NotImplementedError, "before calling repeat"):
            self.atoms.center(vacuum=3)
            self.atoms.repeat(2)

    def test_nothing_to_do(self):
        empty = Atoms()
        empty.set_constraint(FixBonds([]))
        empty.set_positions(numpy.zeros((0, 3)))
        atoms = molecule("CH4")
        atoms.set_constraint(FixBonds(numpy.zeros((0, 2), dtype=int)))
        atoms.set_positions(atoms.positions + 1)
        self.assertEqual(atoms.constraints[0].get_removed_dof(atoms), 0)

    def test_check(self):
        found = self.constraint.check(self.atoms)
        self.assertEqual(len(found["kinds"]), 2)


class Refusals(unittest.TestCase):
    def test_sentences(self):
        for said, pairs, words, change in (
                ("FixBonds: a bond names atom 9, and there are 5", [(0, 9)], {}, None), ("numbers from 0 on", [(-1, 0)], {}, None),
                ("tolerance 1: it is a relative error", METHANE, {"tolerance": 1}, None),
                ("expected 4 numbers, found 1", METHANE, {"bondlengths": [1]}, None),
                ("atom 2 .H. has bonds and the mass 0", METHANE, {}, lambda atoms: atoms.set_masses([12, 1, 0, 1, 1])),
                ("atom 2 .H. has bonds and the mass nan", METHANE, {}, lambda atoms: atoms.set_masses([12, 1, numpy.nan, 1, 1])),
                ("FixBonds: atoms 0 and 1 are connected by two bonds", [(0, 1), (1, 0)], {}, None), ("no solver 'lins'", METHANE, {"solver": "lins"}, None),
                ("periodic along a vector that is zero", METHANE, {}, lambda atoms: atoms.set_pbc(True)),
                ("atom 0 is in a FixedPlane too", METHANE, {}, lambda atoms: atoms.constraints.append(FixedPlane(0, (0, 0, 1)))),
                ("atom 0 is in a FixBonds too", METHANE[1:], {}, lambda atoms: atoms.constraints.append(FixBonds(METHANE[:1])))):
            atoms = molecule("CH4")
            with self.assertRaisesRegex((ValueError, IndexError), said):
                atoms.set_constraint([FixBonds(pairs, **words)])
                if change:
                    change(atoms)
                atoms.set_positions(atoms.positions)

    def test_failures_name_atoms(self):
        atoms = molecule("CH4")
        atoms.set_constraint(FixBonds(METHANE))
        new = atoms.positions.copy()
        new[3] += 40
        with self.assertRaisesRegex(rattle.NotConverged, "FixBonds: .*atoms 0 and 3"):
            atoms.set_positions(new)

    def test_rattle_does_not_need_ase(self):
        done = subprocess.run([sys.executable, "-c", "import rattle, sys; sys.exit('ase' in sys.modules)"])
        self.assertEqual(done.returncode, 0)


class Example(unittest.TestCase):
    def test_runs(self):
        done = subprocess.run([sys.executable, os.path.join(common.EXAMPLES, "python", "ase_water.py")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        errors = [float(line.split("error ")[1].split()[0]) for line in done.stdout.splitlines() if line.startswith("steps")]
        self.assertAlmostEqual(errors[0]/errors[1], 4, delta=0.6)
        self.assertIn("27 molecules, 162 degrees of freedom", done.stdout)

    def test_page(self):
        """docs/ase.md: what it contains runs, and prints what the page shows, up to dots."""
        with open(os.path.join(common.SOURCE, "docs", "ase.md"), encoding="utf-8") as file:
            found = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", file.read(), re.M | re.S)
        names = {}
        for code, shown in found:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, "docs/ase.md", "exec"), names)
            self.assertTrue(out.getvalue().startswith(shown.split("...")[0]), out.getvalue())
        self.assertEqual(len(found), 2)


if __name__ == "__main__":
    common.main()
