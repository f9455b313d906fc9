"""A gas of rigid cages in OpenMM: eight beads each with all bonds along and across the faces of a cube, more than its own constraints can do.

    PYTHONPATH=FOLDER_OF_rattle_openmm python3 cage.py"""
import itertools

import numpy as np
import openmm
from openmm import unit

import rattle_openmm

CUBE = np.array(list(itertools.product((0, 0.3), repeat=3)))  # in nanometres
BONDS = [(i, j) for i in range(8) for j in range(i) if np.linalg.norm(CUBE[i] - CUBE[j]) < 0.43]

system, places = openmm.System(), []
force = openmm.NonbondedForce()
force.setNonbondedMethod(force.CutoffPeriodic)
force.setCutoffDistance(1.0)
for corner in np.ndindex(3, 3, 3):
    first = len(places)
    for place in CUBE:
        system.addParticle(36)
        force.addParticle(0, 0.3, 1.0)
        places.append(place + 0.8*np.array(corner))
    for i, j in BONDS:
        system.addConstraint(first + i, first + j, np.linalg.norm(CUBE[i] - CUBE[j]))
    for i, j in itertools.combinations(range(8), 2):
        force.addException(first + i, first + j, 0, 1, 0)
system.addForce(force)
system.setDefaultPeriodicBoxVectors((2.4, 0, 0), (0, 2.4, 0), (0, 0, 2.4))

rattle_openmm.add(system)  # all constraints of the system, in each Context that is created from now on

integrator = openmm.LangevinMiddleIntegrator(300, 1, 0.01)
context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("CPU"))
context.setPositions(places)
context.setVelocitiesToTemperature(300)
degrees = 3*system.getNumParticles() - rattle_openmm.removed(system)  # the cages' bonds are not independent: six are left of each
for _ in range(5):
    integrator.step(200)
    state = context.getState(getEnergy=True, getPositions=True)
    x = state.getPositions(asNumpy=True) / unit.nanometer
    off = max(abs(np.linalg.norm(x[i] - x[j])/d.value_in_unit(unit.nanometer) - 1)
              for i, j, d in map(system.getConstraintParameters, range(system.getNumConstraints())))
    kelvin = 2*state.getKineticEnergy()/(degrees*unit.MOLAR_GAS_CONSTANT_R)
    print(f"{kelvin.value_in_unit(unit.kelvin):.0f} K of {degrees:.0f} degrees of freedom, largest error of a length: {off:.1e}")
