#!/usr/bin/python3
"""Constraints of OpenMM by librattle_bonds: the module rattle_openmm of a build must be on PYTHONPATH.

    check.py [CLASS...]"""
import copy
import ctypes
import io
import os
import re
import subprocess
import sys
import unittest

try:
    import openmm
    from openmm import app, unit
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import numpy
import rattle_openmm

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
import dense  # noqa: E402
import in_openmm  # noqa: E402
from in_openmm import rattle  # noqa: E402

PLATFORMS = [("Reference", {}), ("CPU", {"Threads": "1"}), ("CPU", {"Threads": "2"})]
INTEGRATORS = {
    "Verlet": lambda: openmm.VerletIntegrator(0.002), "Langevin": lambda: openmm.LangevinIntegrator(300, 5, 0.002),
    "LangevinMiddle": lambda: openmm.LangevinMiddleIntegrator(300, 5, 0.002), "NoseHoover": lambda: openmm.NoseHooverIntegrator(300, 5, 0.002),
    "Brownian": lambda: openmm.BrownianIntegrator(300, 200, 0.001), "VariableVerlet": lambda: variable(openmm.VariableVerletIntegrator(1e-3)),
    "VariableLangevin": lambda: variable(openmm.VariableLangevinIntegrator(300, 5, 1e-3)), "Custom": lambda: rattle(0.002), "Compound": lambda: compound(),
}


def variable(made):
    made.setMaximumStepSize(0.002)
    return made


def compound():
    made = openmm.CompoundIntegrator()
    made.addIntegrator(openmm.VerletIntegrator(0.002))
    made.addIntegrator(openmm.LangevinMiddleIntegrator(300, 5, 0.002))
    made.setCurrentIntegrator(1)
    return made


# masses, places in nm, constraints
WATER = [16, 1, 1], [(0, 0, 0), (0.1, 0, 0), (-0.0333, 0.0943, 0)], [(0, 1), (0, 2), (1, 2)]
METHANE = [12, 1, 1, 1, 1], [(0, 0, 0)] + [tuple(0.063*c for c in p) for p in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))], [(0, k) for k in range(1, 5)]
RING = [12]*6, [(0.14*numpy.cos(k*numpy.pi/3), 0.14*numpy.sin(k*numpy.pi/3), 0.03*(-1)**k) for k in range(6)], [(k, (k + 1) % 6) for k in range(6)]
CORE = [72]*4, [(0, 0, 0), (0.3, 0, 0), (0.15, 0.1, 0), (0.45, 0.1, 0)], [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
DIOXIDE = [16, 12, 16], [(0, 0, 0), (0.116, 0, 0), (0.232, 0, 0)], [(0, 1), (1, 2), (0, 2)]


def gas(*molecules, edge=0.6):
    """A System of molecules on a line with Lennard-Jones forces between them, and its places."""
    system, places = openmm.System(), []
    force = openmm.CustomNonbondedForce("4*0.5*((0.2/r)^12 - (0.2/r)^6)")
    force.setNonbondedMethod(force.NoCutoff)
    for number, (masses, at, constraints) in enumerate(molecules):
        first, turned = len(places), numpy.array(at) @ turn(number)
        places += list(turned + [edge*number, 0, 0])
        for mass in masses:
            system.addParticle(mass)
            force.addParticle([])
        for i, j in constraints:
            system.addConstraint(first + i, first + j, float(numpy.linalg.norm(turned[i] - turned[j])))
        for i in range(len(masses)):
            for j in range(i):
                force.addExclusion(first + i, first + j)
    system.addForce(force)
    well = openmm.CustomExternalForce("20*(y^2 + z^2 + (x - 0.9)^2)")
    for k in range(len(places)):
        well.addParticle(k, [])
    system.addForce(well)
    return system, numpy.array(places)


def turn(number):
    return numpy.linalg.qr(numpy.random.default_rng(number).normal(size=(3, 3)))[0]


def context(system, places, integrator, platform=PLATFORMS[0], seed=7):
    made = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform[0]), platform[1])
    made.setPositions(places)
    made.setVelocitiesToTemperature(300, seed)
    return made


def arrays(of):
    state = of.getState(getPositions=True, getVelocities=True)
    return state.getPositions(asNumpy=True)._value, state.getVelocities(asNumpy=True)._value


def errors(system, of):
    """Largest relative error of a length, and of its rate."""
    x, v = arrays(of)
    lengths, rates = [0.0], [0.0]
    for k in range(system.getNumConstraints()):
        i, j, wanted = system.getConstraintParameters(k)
        r, u = x[i] - x[j], v[i] - v[j]
        lengths.append(abs(numpy.linalg.norm(r)/wanted._value - 1))
        rates.append(abs(r @ u)/numpy.linalg.norm(r)/(numpy.linalg.norm(numpy.hstack([v[i], v[j]])) + 1e-300))
    return numpy.max(lengths), numpy.max(rates)  # NaN where there is one


def energy(of):
    state = of.getState(getEnergy=True)
    return (state.getPotentialEnergy() + state.getKineticEnergy())._value


class Steps(unittest.TestCase):
    def test_every_integrator_on_every_platform(self):
        for platform in PLATFORMS:
            for name, make in INTEGRATORS.items():
                with self.subTest(integrator=name, platform=platform):
                    system, places = gas(WATER, METHANE, RING, CORE, DIOXIDE)
                    rattle_openmm.add(system)
                    integrator = make()
                    now = context(system, places, integrator, platform)
                    now.applyConstraints(1e-9)
                    integrator.step(100)
                    length, rate = errors(system, now)
                    self.assertLess(length, 1e-9)
                    if name == "Custom":  # the others move velocities by half a step, or do not keep them
                        self.assertLess(rate, 1e-9)
                    now.setVelocitiesToTemperature(300, 3)
                    now.applyVelocityConstraints(1e-9)
                    self.assertLess(errors(system, now)[1], 1e-9)

    def test_as_ccma_and_settle(self):
        """The same trajectory as OpenMM's own, where that can do it."""
        for platform in PLATFORMS:
            ends = []
            for ours in (False, True):
                system, places = gas(WATER, METHANE, RING)
                if ours:
                    rattle_openmm.add(system)
                integrator = openmm.VerletIntegrator(0.001)
                integrator.setConstraintTolerance(1e-11)
                now = context(system, places, integrator, ("Reference", {}) if not ours else platform)
                integrator.step(50)
                ends.append(arrays(now)[0])
            self.assertGreater(abs(ends[0] - places).max(), 1e-3)
            self.assertLess(abs(ends[0] - ends[1]).max(), 1e-8 if platform[0] == "Reference" else 1e-5)

    def test_lengths_are_not_rounded(self):
        """OpenMM's SETTLE keeps the lengths rounded to floats, whatever the tolerance; with the plug-in they are those of the System."""
        masses, at, constraints = WATER
        for ours in (False, True):
            system = openmm.System()
            for mass in masses:
                system.addParticle(mass)
            for (i, j), length in zip(constraints, (0.09572, 0.09572, 0.15139)):
                system.addConstraint(i, j, length)
            if ours:
                rattle_openmm.add(system)
            integrator = openmm.VerletIntegrator(0.001)
            integrator.setConstraintTolerance(1e-12)
            now = context(system, numpy.array(at), integrator)
            now.applyConstraints(1e-12)
            rounded = max(abs(float(numpy.float32(length))/length - 1) for length in (0.09572, 0.15139))
            self.assertAlmostEqual(errors(system, now)[0], 0 if ours else rounded, delta=1e-11)

    def test_energy_errors_are_of_order_two(self):
        for platform in PLATFORMS[:2]:
            found = []
            for step in (0.0005, 0.00025):
                system, places = gas(WATER, METHANE, CORE, DIOXIDE)
                rattle_openmm.add(system)
                integrator, seen = rattle(step), []
                now = context(system, places, integrator, platform)
                for _ in range(100):
                    integrator.step(round(0.01/step))
                    seen.append(energy(now))
                found.append(numpy.std(seen))
            self.assertGreater(found[1], 1e-8)
            self.assertAlmostEqual(found[0]/found[1], 4, delta=0.8, msg=platform[0])

    def test_minimum(self):
        for platform in PLATFORMS:
            with self.subTest(platform=platform):
                system, places = gas(WATER, METHANE, RING, CORE)
                rattle_openmm.add(system)
                now = context(system, places, openmm.VerletIntegrator(0.001), platform)
                now.applyConstraints(1e-9)
                start = now.getState(getEnergy=True).getPotentialEnergy()
                openmm.LocalEnergyMinimizer.minimize(now, 1)
                self.assertLess(now.getState(getEnergy=True).getPotentialEnergy(), start)
                self.assertLess(errors(system, now)[0], 1e-9)

    def test_what_openmm_cannot_do(self):
        """Four beads with five bonds, and CO2 as three distances: OpenMM's own constraints end in NaN."""
        for molecule in (CORE, DIOXIDE):
            outcomes = []
            for ours in (False, True):
                system, places = gas(molecule)
                if ours:
                    rattle_openmm.add(system)
                integrator = openmm.VerletIntegrator(0.002)
                try:
                    now = context(system, places, integrator)
                    integrator.step(200)
                    outcomes.append(errors(system, now)[0])
                except openmm.OpenMMException:
                    outcomes.append(float("nan"))
            print(f"  OpenMM {outcomes[0]:.1e}, librattle {outcomes[1]:.1e}")
            self.assertTrue(numpy.isnan(outcomes[0]))
            self.assertLess(outcomes[1], 1e-9)

    def test_temperature(self):
        """Degrees of freedom of redundant constraints are right: the bath's temperature is found."""
        system, places = gas(DIOXIDE, CORE, METHANE)
        rattle_openmm.add(system)
        self.assertAlmostEqual(rattle_openmm.removed(system), 4 + 5 + 4, places=9)
        freedom = 3*len(places) - rattle_openmm.removed(system)
        integrator = openmm.LangevinMiddleIntegrator(300, 20, 0.002)
        integrator.setRandomNumberSeed(5)
        now, kinetic = context(system, places, integrator), []
        integrator.step(500)
        for _ in range(3000):
            integrator.step(5)
            kinetic.append(now.getState(getEnergy=True).getKineticEnergy()._value)
        found = 2*numpy.mean(kinetic)/freedom/unit.MOLAR_GAS_CONSTANT_R._value*1000
        self.assertAlmostEqual(found, 300, delta=12)


class Dense(unittest.TestCase):
    """Molecules of all kinds together, solved densely in numpy."""

    def test_trajectories(self):
        """Also from a start that is off, to each tolerance."""
        for how in ({}, {"off": 0.01, "pushed": 1}):
            system = dense.System(list(dense.MOLECULES.values())*2, size=0.1, spring=3000.0, energy=2.5, **how)
            x, v, _ = system.run(60, 0.001)
            for platform in ("Reference", "CPU"):
                with self.subTest(platform=platform, **how):
                    found = in_openmm.run(system, 60, 0.001, platform=platform)
                    # forces of the platform CPU are the same here: a CustomExternalForce has doubles
                    self.assertLess(abs(found.x - x).max(), 1e-12)
                    self.assertLess(abs(found.v - v).max(), 1e-10)
            for tolerance in (1e-4, 1e-8, 1e-12):
                self.assertLess(in_openmm.run(system, 60, 0.001, tolerance=tolerance).lengths, tolerance)

    def test_constraint_forces(self):
        """Those of the dense solution, on molecules that turn, and on those that springs set into motion."""
        for how in (dict(energy=2.5), dict(energy=0, off=0.1)):
            system = dense.System(list(dense.MOLECULES.values())*2, size=0.1, spring=3000.0, **how)
            made, integrator = in_openmm.describe(system), rattle(0.001)
            rattle_openmm.add(made, 1e-13)
            now = openmm.Context(made, integrator, openmm.Platform.getPlatformByName("Reference"))
            now.setPositions(system.start)
            now.applyConstraints(1e-13)
            now.setVelocities(system.velocities)
            integrator.step(30)
            x, v = arrays(now)
            force = now.getState(getForces=True).getForces(asNumpy=True)._value
            wanted, found = system.constraint_forces(x, v, force), rattle_openmm.forces(now)._value
            self.assertGreater(abs(wanted).max(), 10)
            self.assertLess(abs(found - wanted).max(), 2e-8*abs(wanted).max(), abs(found - wanted).max()/abs(wanted).max())

    def test_degrees_of_freedom(self):
        for name, molecule in dense.MOLECULES.items():
            system = dense.System([molecule]*3, size=0.1)
            self.assertAlmostEqual(rattle_openmm.removed(in_openmm.describe(system)), system.taken(), places=9, msg=name)


class Molecules(unittest.TestCase):
    def test_masses_of_hydrogens(self):
        """Those of hydrogenMass in OpenMM, for methanol with all bonds or some as constraints, and rigid water."""
        field = """<ForceField><AtomTypes>
            <Type name="C" class="C" element="C" mass="12.011"/><Type name="O" class="O" element="O" mass="15.999"/>
            <Type name="H" class="H" element="H" mass="1.008"/></AtomTypes>
            <Residues><Residue name="MOH"><Atom name="C" type="C"/><Atom name="A" type="H"/><Atom name="B" type="H"/><Atom name="D" type="H"/>
            <Atom name="O" type="O"/><Atom name="E" type="H"/><Bond from="0" to="1"/><Bond from="0" to="2"/><Bond from="0" to="3"/>
            <Bond from="0" to="4"/><Bond from="4" to="5"/></Residue>
            <Residue name="HOH"><Atom name="O" type="O"/><Atom name="A" type="H"/><Atom name="B" type="H"/><Bond from="0" to="1"/>
            <Bond from="0" to="2"/></Residue></Residues>
            <HarmonicBondForce><Bond class1="" class2="" length="0.1" k="1000"/></HarmonicBondForce>
            <HarmonicAngleForce><Angle class1="" class2="" class3="" angle="1.9" k="100"/></HarmonicAngleForce></ForceField>"""
        topology = app.Topology()
        chain = topology.addChain()
        for residue, names, bonds in (("MOH", "CABDOE", ((0, 1), (0, 2), (0, 3), (0, 4), (4, 5))), ("HOH", "OAB", ((0, 1), (0, 2)))):
            here = topology.addResidue(residue, chain)
            atoms = [topology.addAtom(n, app.Element.getBySymbol(n if n in "CO" else "H"), here) for n in names]
            for i, j in bonds:
                topology.addBond(atoms[i], atoms[j])
        made = app.ForceField(io.StringIO(field))
        for constraints in (app.HBonds, app.AllBonds, None):
            masses = []
            for theirs in (True, False):
                system = made.createSystem(topology, constraints=constraints, rigidWater=True, hydrogenMass=2.5*unit.dalton if theirs else None)
                if not theirs:
                    rattle_openmm.repartition(system, 2.5*unit.dalton)
                masses.append([system.getParticleMass(k)._value for k in range(9)])
            numpy.testing.assert_allclose(masses[1], masses[0], rtol=0, atol=1e-12)
            self.assertAlmostEqual(masses[1][0], 12.011 - 3*1.492)
        rattle_openmm.repartition(system, 2, "gromacs")  # those of 2.5 are heavier than twice the lightest, which are in water
        self.assertAlmostEqual(system.getParticleMass(1)._value, 2.5)
        rattle_openmm.repartition(system, 3, hydrogens=[5])
        self.assertAlmostEqual(system.getParticleMass(5)._value, 3)
        self.assertAlmostEqual(system.getParticleMass(1)._value, 2.5)
        with self.assertRaisesRegex(openmm.OpenMMException, "leave nothing of atom 0"):
            rattle_openmm.repartition(system, 9, hydrogens=[1, 2, 3])

    def test_constructed_sites(self):
        """The M of TIP4P beside constraints: OpenMM places it between the atoms that librattle has moved, in steps and in minimisation."""
        masses, at, constraints = WATER
        for platform in PLATFORMS[:2]:
            system, places = gas((masses + [0], at + [(0.01, 0.02, 0)], constraints), METHANE)
            system.setVirtualSite(3, openmm.ThreeParticleAverageSite(0, 1, 2, 0.7, 0.15, 0.15))
            rattle_openmm.add(system)
            integrator = rattle(0.001)
            now = context(system, places, integrator, platform)
            now.applyConstraints(1e-9)
            for work in (lambda: integrator.step(50), lambda: openmm.LocalEnergyMinimizer.minimize(now, 1)):
                work()
                x = arrays(now)[0]
                self.assertLess(abs(x[3] - 0.7*x[0] - 0.15*x[1] - 0.15*x[2]).max(), 1e-12 if platform[0] == "Reference" else 1e-6)
                self.assertLess(errors(system, now)[0], 1e-9)


class Objects(unittest.TestCase):
    def test_xml_and_copies(self):
        system, places = gas(WATER, CORE)
        rattle_openmm.add(system, tolerance=1e-11, solver="newton", threads=2)
        force = system.getForces()[-1]
        force.setForceGroup(3)
        force.setName("bonds")
        text = openmm.XmlSerializer.serialize(system)
        self.assertIn('solver="newton"', text)
        ends = []
        for other in (system, openmm.XmlSerializer.deserialize(text), copy.deepcopy(system)):
            self.assertEqual(openmm.XmlSerializer.serialize(other), text)
            integrator = openmm.VerletIntegrator(0.002)
            now = context(other, places, integrator)
            integrator.step(50)
            ends.append(arrays(now)[0])
        numpy.testing.assert_array_equal(ends[0], ends[1])
        numpy.testing.assert_array_equal(ends[0], ends[2])
        reader = "import openmm, rattle_openmm, sys; print(openmm.XmlSerializer.deserialize(sys.stdin.read()).getNumForces())"
        done = subprocess.run([sys.executable, "-c", reader], input=text, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), str(system.getNumForces()), done.stderr)

    def test_checkpoints_and_reinitialisation(self):
        system, places = gas(WATER, METHANE)
        rattle_openmm.add(system)
        integrator = openmm.VerletIntegrator(0.002)
        now = context(system, places, integrator)
        integrator.step(20)
        kept = now.createCheckpoint()
        integrator.step(20)
        end = arrays(now)[0]
        now.loadCheckpoint(kept)
        integrator.step(20)
        numpy.testing.assert_array_equal(arrays(now)[0], end)
        system.setConstraintParameters(3, 3, 4, 0.12)
        now.reinitialize(True)
        now.applyConstraints(1e-6)
        self.assertLess(errors(system, now)[0], 1e-9)

    def test_masses_and_tolerances(self):
        """Massless particles, a tolerance of the integrator below ours, a System without constraints."""
        system, places = gas(WATER, METHANE)
        for mass in (0, 0):
            system.addParticle(mass)
        system.addConstraint(8, 9, 0.1)
        for force in system.getForces():
            for _ in range(2):
                force.addParticle([]) if isinstance(force, openmm.CustomNonbondedForce) else None
        rattle_openmm.add(system)
        integrator = openmm.VerletIntegrator(0.002)
        integrator.setConstraintTolerance(2e-13)
        now = context(system, numpy.vstack([places, [(5, 5, 5), (5, 5, 6)]]), integrator)
        integrator.step(20)
        x = arrays(now)[0]
        numpy.testing.assert_array_equal(x[8:], [(5, 5, 5), (5, 5, 6)])
        for k in range(7):
            i, j, wanted = system.getConstraintParameters(k)
            self.assertLess(abs(numpy.linalg.norm(x[i] - x[j])/wanted._value - 1), 4e-13)
        free = openmm.System()
        rattle_openmm.add(free)
        free.addParticle(1)
        integrator = openmm.VerletIntegrator(0.002)
        now = context(free, [(0, 0, 0)], integrator)
        integrator.step(2)
        self.assertEqual((now.getStepCount(), rattle_openmm.removed(free)), (2, 0))


class Refusals(unittest.TestCase):
    def says(self, text, work):
        with self.assertRaises(Exception) as caught:
            work()
        self.assertIsInstance(caught.exception, (openmm.OpenMMException, TypeError))
        self.assertRegex(str(caught.exception), text)

    def test_when_added(self):
        system, places = gas(WATER)
        self.says("no solver 'shak'", lambda: rattle_openmm.add(system, solver="shak"))
        self.says("tolerance", lambda: rattle_openmm.add(system, tolerance=0.5))
        self.says("RattleBonds: .*threads", lambda: rattle_openmm.add(system, threads=-1))
        self.says("expected an openmm.System, found int", lambda: rattle_openmm.add(3))
        rattle_openmm.add(system)
        self.says("the System has it already", lambda: rattle_openmm.add(system))
        other, places = gas(WATER)
        other.addConstraint(2, 1, 0.3)
        self.says("between 1 and 2 is longer", lambda: rattle_openmm.add(other))

    def test_another_version(self):
        """A library for another OpenMM is not loaded by the module; loaded all the same it says so, and changes nothing."""
        here = openmm.Platform.getOpenMMVersion()
        self.assertEqual(rattle_openmm.OPENMM, here)
        text = "import openmm; openmm.Platform.getOpenMMVersion = staticmethod(lambda: '99.1'); import rattle_openmm"
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        self.assertRegex(done.stderr.splitlines()[-1], rf"^ImportError: .* is for OpenMM {re.escape(here)}, and this is OpenMM 99.1 in ")
        folder, name = os.path.split(rattle_openmm.LIBRARY)
        path = os.path.join(folder, "other", name.replace("openmm", "openmm_other"))
        if not os.path.exists(path):
            self.skipTest("installed")
        system, _ = gas(WATER)
        other = ctypes.CDLL(path)
        other.rattle_openmm_add.restype = ctypes.c_char_p
        other.rattle_openmm_add.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p, ctypes.c_int]
        other.registerKernelFactories()
        before = system.getNumForces()
        said = other.rattle_openmm_add(int(system.this), 0, None, 1)
        self.assertRegex(said.decode(), rf"^RattleBonds is built for OpenMM 0.0, and this is OpenMM {re.escape(here)}: build it")
        self.assertEqual(system.getNumForces(), before)

    def test_other_platforms(self):
        """They are refused by their name, given or chosen."""
        path = os.path.join(os.path.dirname(rattle_openmm.LIBRARY), "other", "librattle_openmm_pretend.so")
        if not os.path.exists(path):
            self.skipTest("installed")
        for speed, named in ((0.1, ", openmm.Platform.getPlatformByName('CUDA')"), (1e3, "")):
            text = (f"import ctypes, openmm; library = ctypes.CDLL({path!r}); library.register_pretender.argtypes = [ctypes.c_double]; "
                    f"library.register_pretender({speed}); import rattle_openmm; s = openmm.System(); s.addParticle(1); s.addParticle(1); "
                    f"s.addConstraint(0, 1, 0.1); rattle_openmm.add(s); openmm.Context(s, openmm.VerletIntegrator(0.001){named})")
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
            self.assertRegex(done.stderr, "OpenMMException: RattleBonds works on the platforms Reference and CPU, not on CUDA: give ", done.stderr)

    def test_in_steps(self):
        system, places = gas(WATER, METHANE)
        rattle_openmm.add(system)
        places[5] += 30
        now = context(system, places, openmm.VerletIntegrator(0.002))
        self.says("RattleBonds: the bond of atoms 3 and", lambda: now.applyConstraints(1e-6))
        now = context(system, places, openmm.VerletIntegrator(5.0))
        self.says("RattleBonds: .*atom", lambda: now.getIntegrator().step(20))
        places[4, 0] = numpy.nan
        self.says(r"atom \d", lambda: context(system, places, openmm.VerletIntegrator(0.002)).applyConstraints(1e-6))


class Example(unittest.TestCase):
    def test_runs(self):
        """The example runs, and the page shows its lines."""
        top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
        path = os.path.join(top, "examples", "openmm", "cage.py")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        out, kept = io.StringIO(), sys.stdout
        sys.stdout = out
        try:
            exec(compile(text, path, "exec"), {"__name__": "__main__"})
        finally:
            sys.stdout = kept
        self.assertRegex(out.getvalue(), r"largest error of a length: \d.*e-1\d")
        with open(os.path.join(top, "docs", "openmm.md"), encoding="utf-8") as file:
            page = file.read()
        for line in page.split("```text\nimport rattle_openmm\n")[1].split("```")[0].splitlines():
            self.assertIn(line, text)


if __name__ == "__main__":
    unittest.main()
