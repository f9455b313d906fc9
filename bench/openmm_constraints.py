"""Constraints in steps of OpenMM: librattle's plug-in and OpenMM's own SETTLE and CCMA, in one run of interleaved rounds, minima of the time of one thread.
rattle_openmm must be on PYTHONPATH.

    python3 bench/openmm_constraints.py [--rounds N] [--steps] [BUILD]      --steps: whole steps alone; BUILD: a build folder with bench_peers, which makes the
                                                                            polypeptides (default: build)

First molecules without forces: nanoseconds a constraint beyond a step without constraints, both to 1e-10, and the ratio. Verlet has the stage of positions,
LangevinMiddle both. Then whole steps of a polypeptide of 36 residues with its forces, about as many atoms as the villin headpiece, all bonds kept:
microseconds, the largest relative error of a length at the end, and how much longer the step is than with OpenMM's own constraints at its default tolerance.
The first of these has no constraints: it is the floor."""
import argparse
import os
import sys
import tempfile
import time

import numpy
import openmm
from openmm import unit

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "plugins", "openmm", "tests")]
import check  # noqa: E402
import rattle_openmm  # noqa: E402
from peers import ours  # noqa: E402
from peers.molecules import read  # noqa: E402

STEPS = 20
CHAIN = [12]*1000, [(0.11*k, 0.03*(k % 2), 0.02*(k % 3)) for k in range(1000)], [(k, k + 1) for k in range(999)]
SMALL = {"water": (check.WATER, 3000), "methane": (check.METHANE, 2000), "rings of six": (check.RING, 1000), "chain of 1000": (CHAIN, 3)}
INTEGRATORS = {"Verlet": lambda: openmm.VerletIntegrator(0.002), "LangevinMiddle": lambda: openmm.LangevinMiddleIntegrator(300, 0, 0.002)}
VERSION = openmm.Platform.getOpenMMVersion()


def context(system, x, v, kind, tolerance, platform, integrator):
    """kind: own, librattle, or none."""
    if kind == "librattle":
        rattle_openmm.add(system, tolerance)
    moves = INTEGRATORS[integrator]()
    moves.setConstraintTolerance(tolerance)
    made = openmm.Context(system, moves, openmm.Platform.getPlatformByName(platform), {"Threads": "1"} if platform == "CPU" else {})
    made.setPositions(x)
    if v is None:
        made.setVelocitiesToTemperature(300, 1)
    else:
        made.setVelocities(v)
    return made


def best_of(contexts, rounds):
    """Seconds a step of each; all rounds begin with the same state."""
    best = dict.fromkeys(contexts, numpy.inf)
    states = {name: made.getState(getPositions=True, getVelocities=True) for name, made in contexts.items()}
    for _ in range(rounds):
        for name, made in contexts.items():
            made.setState(states[name])
            made.getIntegrator().step(2)
            begin = time.process_time()
            made.getIntegrator().step(STEPS)
            best[name] = min(best[name], (time.process_time() - begin)/STEPS)
    return best


def free(masses, at, pairs, lengths, copies, kind):
    """A System of molecules without forces."""
    system = openmm.System()
    for first in range(0, copies*len(masses), len(masses)):
        for mass in masses:
            system.addParticle(float(mass))
        for (i, j), length in zip(pairs, lengths) if kind != "none" else ():
            system.addConstraint(int(first + i), int(first + j), float(length))
    return system


def compare(name, masses, at, pairs, lengths, copies, v, rounds):
    for platform in ("Reference", "CPU"):
        for integrator in INTEGRATORS:
            best = best_of({kind: context(free(masses, at, pairs, lengths, copies, kind), at, v, kind, 1e-10, platform, integrator)
                            for kind in ("none", "own", "librattle")}, rounds)
            theirs, mine = (1e9*(best[kind] - best["none"])/copies/len(pairs) for kind in ("own", "librattle"))
            print(f"{name:36} {'OpenMM ' + VERSION:14} {platform:10} {integrator:15} {theirs:7.1f} {mine:7.1f} ns a constraint to 1e-10: {mine/theirs:.2f}",
                  flush=True)


def polypeptide(build, case, folder):
    path = os.path.join(folder, case)
    ours.measure(build, case, path)
    return read(path)


def with_forces(m, kind="own"):
    """The System of one polypeptide: angles at their places in the file, charges of hydrogens, Lennard-Jones forces; kind "none": no constraints."""
    system, angles, pairs = openmm.System(), openmm.HarmonicAngleForce(), openmm.NonbondedForce()
    light, near = m.masses < 2, [[] for _ in m.masses]
    for mass in m.masses.tolist():
        system.addParticle(mass)
    for (i, j), length in zip(m.pairs.tolist(), m.lengths.tolist()):
        if kind != "none":
            system.addConstraint(i, j, length)
        near[i].append(j), near[j].append(i)
    for at, around in enumerate(near):
        charge = 0.1 if light[at] else -0.1*sum(light[k] for k in around)
        pairs.addParticle(charge, 0.11 if light[at] else 0.3, 0.07 if light[at] else 0.4)
        for k, i in enumerate(around):
            for j in around[:k]:
                a, b = m.x[i] - m.x[at], m.x[j] - m.x[at]
                angles.addAngle(i, at, j, float(numpy.arccos(a @ b/numpy.linalg.norm(a)/numpy.linalg.norm(b))), 400)
    pairs.createExceptionsFromBonds(m.pairs.tolist(), 0.8, 0.5)
    system.addForce(angles), system.addForce(pairs)
    return system


def untangled(m):
    """Places where atoms that have no bond or angle in common are 0.22 nm apart or so: by a soft force, so that chains pass through one another."""
    system, soft = with_forces(m), openmm.CustomNonbondedForce("2e4*step(0.22 - r)*(0.22 - r)^2")
    for _ in range(m.atoms):
        soft.addParticle([])
    soft.createExclusionsFromBonds(m.pairs.tolist(), 3)
    system.removeForce(1), system.addForce(soft)
    made = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
    made.setPositions(m.x)
    openmm.LocalEnergyMinimizer.minimize(made)
    return made.getState(getPositions=True).getPositions(asNumpy=True)


def settled(m):
    """Places and velocities at 300 K after 2 ps."""
    moves = openmm.LangevinMiddleIntegrator(300, 10, 0.001)
    made = openmm.Context(with_forces(m), moves, openmm.Platform.getPlatformByName("CPU"), {"Threads": "1"})
    made.setPositions(untangled(m))
    openmm.LocalEnergyMinimizer.minimize(made)
    made.setVelocitiesToTemperature(300, 3)
    moves.step(2000)
    state = made.getState(getPositions=True, getVelocities=True)
    return state.getPositions(asNumpy=True), state.getVelocities(asNumpy=True)


def whole_steps(m, rounds):
    x, v = settled(m)
    for platform in ("Reference", "CPU"):
        for integrator in INTEGRATORS:
            contexts = {name: context(with_forces(m, kind), x, v, kind, tolerance, platform, integrator)
                        for name, kind, tolerance in (("none", "none", 1e-5), ("own 1e-5", "own", 1e-5), ("own 1e-10", "own", 1e-10),
                                                      ("librattle 1e-5", "librattle", 1e-5), ("librattle 1e-10", "librattle", 1e-10))}
            best = best_of(contexts, rounds)
            row = []
            for name, made in contexts.items():
                at = made.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(unit.nanometer)
                apart = numpy.linalg.norm(at[m.pairs[:, 0]] - at[m.pairs[:, 1]], axis=1)
                row.append(f"{name} {1e6*best[name]:.1f} us ({abs(apart/m.lengths - 1).max():.0e}; {100*(best[name]/best['own 1e-5'] - 1):+.1f} %)")
            what = f"{m.atoms} atoms, {m.bonds} bonds, a whole step"
            print(f"{what:36} {'OpenMM ' + VERSION:14} {platform:10} {integrator:15} " + ", ".join(row), flush=True)


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rounds", type=int, default=15)
    reader.add_argument("--steps", action="store_true")
    reader.add_argument("build", nargs="?", default="build")
    wish = reader.parse_args()
    for name, ((masses, at, pairs), copies) in SMALL.items() if not wish.steps else ():
        at = numpy.array(at, dtype=float)
        lengths = [numpy.linalg.norm(at[i] - at[j]) for i, j in pairs]
        compare(name, masses, numpy.tile(at, (copies, 1)), pairs, lengths, copies, None, wish.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for case, name in (("hydrogens", "polypeptides, bonds with hydrogen"), ("proteins", "polypeptides, all bonds"),
                           ("domain", "one polypeptide, all bonds")):
            m = polypeptide(wish.build, case, folder)
            if not wish.steps:
                compare(name, m.masses, m.x, m.pairs, m.lengths, m.copies, m.v, wish.rounds)
        whole_steps(m, wish.rounds)


if __name__ == "__main__":
    main()
