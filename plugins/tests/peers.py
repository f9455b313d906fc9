#!/usr/bin/env python3
"""The constraints of an engine, and librattle's in it, against the dense solution: rows of a table in docs/engines.md.

    peers.py lammps INCLUDE [LMP]     INCLUDE: rattle-any.in of a build
    peers.py openmm                   with rattle_openmm on PYTHONPATH"""
import os
import sys

import dense

SAID = 76  # characters of an engine's sentence


def row(engine, name, system, result, reference):
    """One line: the largest errors of places and velocities, the error of the kinetic energy, of a length."""
    x, v, _ = reference
    if isinstance(result, str):
        print(f"| {name} | {engine} | {' '.join(result.split())[:SAID]} | | | |")
        return
    kinetic = system.kinetic(result.v)/system.kinetic(v) - 1
    print(f"| {name} | {engine} | {abs(result.x - x).max():.0e} | {abs(result.v - v).max():.0e} | {100*kinetic:+.3f} % | {result.lengths:.0e} |", flush=True)


def head(version):
    print(f"{version}\n\n| | | places | velocities | kinetic energy | lengths |\n|---|---|---|---|---|---|")


def molecules(*names):
    return [dense.MOLECULES[name] for name in names for _ in range(8)]


def lammps(include, lmp="lmp"):
    import subprocess

    import in_lammps
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    with open(os.devnull, encoding="utf-8") as nothing:
        version = subprocess.run([lmp, "-log", "none"], stdin=nothing, stdout=subprocess.PIPE, text=True, env=environment, check=False).stdout.splitlines()[0]
    head(version)
    here = dict(include=os.path.abspath(include), lmp=lmp, environment=environment)
    after, before = ("move", "hold", "spring"), ("spring", "hold", "move")

    def show(name, system, fixes, steps=50, h=0.02, **how):
        reference = system.run(steps, h)
        for fix in fixes:
            row(f"`fix {fix.split()[0]}`", name, system, in_lammps.run(system, steps, h, fix=fix, **here, **how), reference)

    own, ours = "rattle 1e-12 1000 0", "rattle/any 1e-12 1000 0"
    shake = "shake 1e-12 1000 0"
    show("inside the box", dense.System(molecules("H2O"), spring=30), (own, ours))
    show("across its faces", dense.System(molecules("H2O"), spring=30), (own, ours), shift=(2, 2, 2))
    show("across its faces, on two ranks", dense.System(molecules("H2O"), spring=30), (own, ours), shift=(2, 2, 2), ranks=2)
    show("HDO", dense.System(molecules("HDO"), spring=30), (own, ours))
    show("a start 0.01 off", dense.System(molecules("H2O"), spring=30, off=0.01), (own, ours))
    show("constraints before the integrator", dense.System(molecules("H2O"), spring=30), (own, ours), order=before)
    show("constraints before a force", dense.System(molecules("H2O"), spring=30), (shake, own, ours), order=after)
    show("tolerance 1e-10, iter 1", dense.System(molecules("H2O"), spring=30), ("shake 1e-10 1 0", "rattle 1e-10 1 0", "rattle/any 1e-10 1 0"))
    for name in ("bent rhomboid", "cage with ten distances"):
        show(name, dense.System(molecules(name), spring=30), (own, ours))
    for name in ("CO2", "HCN"):  # by ours alone: not every version of the engine is made for straight molecules
        show(name, dense.System(molecules(name), spring=30), (ours,))


def openmm():
    import in_openmm
    head("OpenMM " + in_openmm.openmm.Platform.getOpenMMVersion())
    for platform in ("Reference", "CPU"):
        for name in ("H2O", "HDO", "CO2", "HCN", "flat rhomboid", "bent rhomboid", "cage with ten distances"):
            system = dense.System(molecules(name), size=0.1, spring=3000.0, energy=2.5)
            reference = system.run(50, 0.001)
            for ours in (False, True):
                row("`RattleBonds`" if ours else "OpenMM", f"{name}, {platform}", system, in_openmm.run(system, 50, 0.001, ours, platform, 1e-12), reference)


if __name__ == "__main__":
    if sys.argv[1:2] not in (["lammps"], ["openmm"]):
        sys.exit(__doc__)
    {"lammps": lammps, "openmm": openmm}[sys.argv[1]](*sys.argv[2:])
