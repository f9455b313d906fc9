"""Constraints in a step of OpenMM's platform Reference: librattle's plug-in and OpenMM's own CCMA and SETTLE, both to 1e-10, on molecules without forces,
in nanoseconds a constraint beyond a step without constraints. Minima of interleaved rounds. rattle_openmm must be on PYTHONPATH.

    python3 bench/openmm_constraints.py"""
import os
import sys
import time

import numpy
import openmm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugins", "openmm", "tests"))
import check  # noqa: E402
import rattle_openmm  # noqa: E402

ROUNDS, STEPS = 7, 20
CHAIN = [12]*1000, [(0.11*k, 0.03*(k % 2), 0.02*(k % 3)) for k in range(1000)], [(k, k + 1) for k in range(999)]
CASES = {"water": (check.WATER, 3000), "methane": (check.METHANE, 2000), "rings of six": (check.RING, 1000), "chain of 1000": (CHAIN, 3)}


def context(molecule, count, kind):
    """Free molecules at 300 K; kind: openmm, librattle, or free of constraints."""
    masses, at, constraints = molecule
    system, at = openmm.System(), numpy.array(at)
    for first in range(0, count*len(masses), len(masses)):
        for mass in masses:
            system.addParticle(mass)
        for i, j in constraints if kind != "free" else ():
            system.addConstraint(first + i, first + j, float(numpy.linalg.norm(at[i] - at[j])))
    if kind == "librattle":
        rattle_openmm.add(system)
    integrator = openmm.VerletIntegrator(0.002)
    integrator.setConstraintTolerance(1e-10)
    made = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("Reference"))
    made.setPositions(numpy.tile(at, (count, 1)))
    made.setVelocitiesToTemperature(300, 1)
    return made


for name, (molecule, count) in CASES.items():
    kinds = {kind: context(molecule, count, kind) for kind in ("free", "openmm", "librattle")}
    best = dict.fromkeys(kinds, numpy.inf)
    for _ in range(ROUNDS):
        for kind, made in kinds.items():
            begin = time.perf_counter()
            made.getIntegrator().step(STEPS)
            best[kind] = min(best[kind], time.perf_counter() - begin)
    theirs, ours = (1e9*(best[kind] - best["free"])/STEPS/count/len(molecule[2]) for kind in ("openmm", "librattle"))
    print(f"{name}: OpenMM {theirs:.0f}, librattle {ours:.0f} ns a constraint: {theirs/ours:.1f} times as fast", flush=True)
