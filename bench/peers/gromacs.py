"""GROMACS in double precision: SETTLE, LINCS, SHAKE."""
import os
import re
import shutil
import struct
import subprocess

import numpy

MEASURED = ("GROMACS: the row Constraints of the cycle accounting in its log, md-vv, double precision, one thread, times its share of\n"
            "  the processor; LINCS of order 8 with 4 iterations, SHAKE to 1e-10. Debian's build uses SSE4.1: one for the processor's widest vectors would gain in LINCS and SETTLE")
STEPS = 20
RUN = """
integrator = md-vv
dt = 0.002
nsteps = {steps}
cutoff-scheme = Verlet
verlet-buffer-tolerance = -1
nstlist = 1000
rlist = 0.3
rvdw = 0.3
rcoulomb = 0.3
coulombtype = Cut-off
pbc = xyz
comm-mode = none
nstcalcenergy = {steps}
nstenergy = {steps}
nstlog = {steps}
nstxout = {steps}
nstvout = {steps}
constraints = none
constraint-algorithm = {algorithm}
lincs-order = 8
lincs-iter = 4
lincs-warnangle = 180
shake-tol = 1e-10
"""


def missing():
    return None if shutil.which("gmx_d") else "GROMACS is left out: there is no gmx_d; tools/setup gromacs installs it"


def version():
    output = subprocess.run(["gmx_d", "-quiet", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    words = dict(re.findall(r"^(GROMACS version|SIMD instructions):\s*(.*)$", output, re.M))
    return f"GROMACS {words.get('GROMACS version', '')}, double precision, {words.get('SIMD instructions', '')}"


def is_water(molecules):
    return molecules.atoms == 3 and molecules.bonds == 3


def write_input(molecules, folder):
    masses, kind = numpy.unique(molecules.masses, return_inverse=True)
    top = ["[ defaults ]", "1 2 no 1.0 1.0", "[ atomtypes ]"] + [f"T{k} {mass} 0 A 0.1 0" for k, mass in enumerate(masses)]
    top += ["[ moleculetype ]", "M 1", "[ atoms ]"]
    top += [f"{k + 1} T{kind[k]} 1 M A{k + 1} {k + 1} 0 {mass}" for k, mass in enumerate(molecules.masses)]
    if is_water(molecules):
        top += ["[ settles ]", f"1 1 {molecules.lengths[0]:.17g} {molecules.lengths[2]:.17g}"]
    else:
        top += ["[ constraints ]"] + [f"{i + 1} {j + 1} 1 {length:.17g}" for (i, j), length in zip(molecules.pairs.tolist(), molecules.lengths)]
    top += ["[ system ]", "bench", "[ molecules ]", f"M {molecules.copies}"]
    lines = ["bench", str(len(molecules.x))]
    for k, (x, v) in enumerate(zip(molecules.x.tolist(), molecules.v.tolist())):
        lines.append("%5d%-5s%5s%5d" % (k//molecules.atoms % 100000, "M", f"A{k % molecules.atoms + 1}"[-5:], (k + 1) % 100000)
                     + "".join("%20.15f" % c for c in x) + "".join("%20.16f" % c for c in v))
    lines.append(" ".join(f"{edge:.15f}" for edge in molecules.box))
    for name, text in (("top", top), ("gro", lines)):
        with open(os.path.join(folder, "in." + name), "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")


def gmx(folder, *words):
    environment = dict(os.environ, OMP_NUM_THREADS="1", GMX_MAXBACKUP="-1")
    done = subprocess.run(["gmx_d", "-quiet", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout[-2000:])


def last_frame(path):
    """Places and velocities of the last frame of a trr file in double precision."""
    with open(path, "rb") as file:
        data = file.read()
    at, frame = 0, None
    while at < len(data):
        text = struct.unpack_from(">i", data, at + 8)[0]
        head = at + 12 + (text + 3)//4*4
        sizes = struct.unpack_from(">13i", data, head)
        atoms, start = sizes[10], head + 13*4 + 2*8
        skip, size = sum(sizes[:7]), 8*3*atoms
        if sizes[7] and sizes[8]:
            frame = [numpy.frombuffer(data, ">f8", 3*atoms, start + skip + size*k).reshape(-1, 3) for k in (0, 1)]
        at = start + sum(sizes[:10])
    return frame


def measured(folder, molecules, algorithm):
    with open(os.path.join(folder, "in.mdp"), "w", encoding="utf-8") as file:
        file.write(RUN.format(steps=STEPS, algorithm=algorithm))
    gmx(folder, "grompp", "-f", "in.mdp", "-c", "in.gro", "-p", "in.top", "-o", "run.tpr", "-maxwarn", "20")
    gmx(folder, "mdrun", "-deffnm", "run", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-pin", "off")
    with open(os.path.join(folder, "run.log"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = re.search(r"^ Constraints\s+\d+\s+\d+\s+\d+\s+(\S+)", text, re.M)
    times = re.search(r"^\s*Time:\s+(\S+)\s+(\S+)\s+\S+", text, re.M)
    if not found or not times:
        raise SystemExit(f"the log of GROMACS in {folder} has no row Constraints, or no times")
    share = min(1, float(times[1])/float(times[2]))
    return (1e9*float(found[1])*share/STEPS/molecules.bonds/molecules.copies, *molecules.errors(*last_frame(os.path.join(folder, "run.trr"))))


def contenders(case, molecules, build, folder):
    least = {}

    def best(algorithm):
        found = measured(own, molecules, algorithm)
        least[algorithm] = min(least.get(algorithm, found), found)
        return least[algorithm]

    own = os.path.join(folder, "gromacs_" + case)
    os.mkdir(own)
    write_input(molecules, own)
    if is_water(molecules):
        yield "GROMACS, SETTLE", lambda: best("lincs")
        return
    yield "GROMACS, LINCS", lambda: best("lincs")
    yield "GROMACS, SHAKE", lambda: best("shake")
