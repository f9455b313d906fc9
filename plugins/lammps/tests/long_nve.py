#!/usr/bin/python3
"""Constant energy over 10^6 steps, in two sizes of steps: the deviation of the energy falls with their square, and there is no trend. Takes
minutes; docs/lammps.md has the figures. A tenth of the steps is the test lammps.constant_energy.

    long_nve.py INCLUDE [STEPS]        INCLUDE: rattle-any.in of a build
"""
import math
import os
import shutil
import sys
import tempfile

import check

SAMPLES, BLOCKS = 10000, 20
# a potential whose force has no step at the cutoff, which would be a trend of its own. In Debian's LAMMPS energies
# do not fit forces in lj/smooth, and in lj/smooth/linear for pairs with a factor of special_bonds between 0 and 1
SMOOTH = check.HEAD.replace("pair_style lj/cut 2.5", "pair_style lj/smooth/linear 2.5").replace("pair_modify shift yes\n", "").replace(
    "special_bonds lj 0 0 0.5", "special_bonds lj 0 0 0")


def energies(system, h, steps):
    output = check.lammps(SMOOTH + check.RUN, system=system, more=check.WATER if system == "water" else "", h=h, steps=steps, every=max(steps // SAMPLES, 1))
    return [row["TotEng"] for row in check.table(output)]


def trend(energy):
    """Slope over the run by least squares on means of blocks, and its standard error."""
    size = len(energy) // BLOCKS
    y = [math.fsum(energy[k * size:(k + 1) * size]) / size for k in range(BLOCKS)]
    x = [(k + 0.5) / BLOCKS - 0.5 for k in range(BLOCKS)]
    square, mean = sum(a * a for a in x), math.fsum(y) / BLOCKS
    slope = sum(a * b for a, b in zip(x, y)) / square
    left = sum((b - mean - slope * a) ** 2 for a, b in zip(x, y))
    return slope, math.sqrt(left / (BLOCKS - 2) / square)


def main():
    check.include = os.path.abspath(sys.argv[1])
    check.LIMIT = None
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    for system in ("water", "ring", "methane"):
        check.folder = tempfile.mkdtemp()
        check.make(system, copies=2)
        error = {}
        for h in (0.003, 0.0015):
            energy = energies(system, h, steps)
            mean = math.fsum(energy) / len(energy)
            error[h] = math.sqrt(math.fsum((e - mean) ** 2 for e in energy) / len(energy))
            slope, doubt = trend(energy)
            print(f"{system}, {steps} steps of {h}: energy {mean:.4f} with a deviation of {error[h]:.2e}, "
                  f"change by a trend {slope:.1e} +- {doubt:.1e}", flush=True)
            check.is_near("trend in its standard errors", slope / doubt, 0, 5)
        check.is_near(f"{system}: ratio of the deviations", error[0.003] / error[0.0015], 4, 1.3)
        shutil.rmtree(check.folder)


if __name__ == "__main__":
    main()
