"""Rigid water in ASE, held by rattle.ase.FixBonds: a periodic box of TIP3P molecules at constant energy, with two time steps.

    python3 ase_water.py

The error of the energy falls with the square of the step."""
import numpy as np
from ase import Atoms, units
from ase.calculators.tip3p import TIP3P, angleHOH, rOH
from ase.md.langevin import Langevin
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution
from ase.md.verlet import VelocityVerlet

from rattle.ase import FixBonds

EDGE, COUNT = 3.106, 3  # of a cell with one molecule; cells along each edge of the box


def water_box():
    """COUNT**3 molecules O, H, H on a lattice, turned at random."""
    half, rng = np.radians(angleHOH)/2, np.random.default_rng(1)
    one = rOH*np.array([(0, 0, 0), (np.sin(half), np.cos(half), 0), (-np.sin(half), np.cos(half), 0)])
    box = Atoms(cell=[COUNT*EDGE]*3, pbc=True)
    for corner in np.ndindex(COUNT, COUNT, COUNT):
        turned = Atoms("OH2", positions=one)
        turned.rotate(rng.uniform(0, 360), rng.normal(size=3), center=(0, 0, 0))
        turned.positions += EDGE*np.array(corner)
        box += turned
    return box


def rigid(atoms):
    """Two bonds and the angle between them for each molecule."""
    oxygens = range(0, len(atoms), 3)
    pairs = [(o, o + k) for o in oxygens for k in (1, 2)]
    atoms.set_constraint(FixBonds(pairs, [rOH]*len(pairs), angles=[(o + 1, o, o + 2) for o in oxygens], values=[angleHOH]*len(oxygens)))


def energies(atoms, step, time):
    """Total energies of a run of `time` femtoseconds with steps of `step` femtoseconds, every 4 fs."""
    atoms, seen = atoms.copy(), []
    atoms.calc = TIP3P(rc=4.5)
    run = VelocityVerlet(atoms, timestep=step*units.fs)
    run.attach(lambda: seen.append(atoms.get_total_energy()), interval=round(4/step))
    run.run(round(time/step))
    return np.array(seen)


rng = np.random.default_rng(2)
start = water_box()
rigid(start)
MaxwellBoltzmannDistribution(start, temperature_K=300, force_temp=True, rng=rng)
start.calc = TIP3P(rc=4.5)
Langevin(start, 1*units.fs, temperature_K=300, friction=0.1/units.fs, rng=rng).run(300)
freedom = 3*len(start) - start.constraints[0].get_removed_dof(start)
print(f"{len(start)//3} molecules, {freedom} degrees of freedom, {start.get_temperature():.0f} K")
for step in (2.0, 1.0):
    energy = energies(start, step, 200)
    print(f"steps of {step:g} fs: energy error {np.sqrt(np.mean((energy - energy[0])**2)):.2g} eV of {energy[0]:.3f}")
