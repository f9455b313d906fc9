"""OpenMM's platform Reference, in double precision: SETTLE and CCMA, and librattle's plug-in where it was built."""
import os
import sys
import time

import numpy

try:
    import openmm
    import openmm.unit
except ImportError:
    openmm = None

MEASURED = ("OpenMM: LangevinMiddleIntegrator without friction, which has both stages, on the platform Reference, less the same without constraints, to 1e-10.\n"
            "  Its velocities are projected before the positions, so that their rates at the end say nothing")
STEPS = 5


def missing():
    return None if openmm else "OpenMM is left out: python3 cannot import openmm; tools/setup openmm installs it for /usr/bin/python3"


def version():
    return f"OpenMM {openmm.Platform.getOpenMMVersion()}, platform Reference"


def context(molecules, kind, plug_in=None):
    """kind: openmm, librattle, or free of constraints."""
    system = openmm.System()
    for first in range(0, molecules.copies*molecules.atoms, molecules.atoms):
        for mass in molecules.masses.tolist():
            system.addParticle(mass)
        for (i, j), length in zip(molecules.pairs.tolist(), molecules.lengths.tolist()) if kind != "free" else ():
            system.addConstraint(first + i, first + j, length)
    if kind == "librattle":
        plug_in.add(system)
    integrator = openmm.LangevinMiddleIntegrator(300, 0, 0.002)
    integrator.setConstraintTolerance(1e-10)
    made = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("Reference"))
    made.setPositions(molecules.x)
    made.setVelocities(molecules.v)
    return made


def contenders(case, molecules, build, folder):
    made, without, least = {}, [], {}
    sys.path.insert(0, os.path.abspath(build))
    try:
        import rattle_openmm
    except ImportError:
        rattle_openmm = None
    sys.path.pop(0)

    def seconds(kind):
        if kind not in made:
            made[kind] = context(molecules, kind, rattle_openmm)
            made[kind].getIntegrator().step(1)
        begin = time.process_time()
        made[kind].getIntegrator().step(STEPS)
        return time.process_time() - begin

    def measured(kind):
        without.append(min(seconds("free") for _ in range(3)))
        least[kind] = min([least.get(kind, numpy.inf), *(seconds(kind) for _ in range(3))])
        taken = least[kind] - min(without)
        x = made[kind].getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(openmm.unit.nanometer)
        return (1e9*taken/STEPS/molecules.bonds/molecules.copies, *molecules.errors(numpy.array(x)))

    yield f"OpenMM {openmm.Platform.getOpenMMVersion()}, 1e-10, " + ("SETTLE" if molecules.atoms == 3 and molecules.bonds == 3 else "CCMA"), lambda: measured("openmm")
    if rattle_openmm:
        yield "  librattle in it, rattle_openmm 1e-10", lambda: measured("librattle")
