"""LAMMPS: its fix rattle, and librattle's fix rattle/any where it was built."""
import os
import re
import shutil
import subprocess

import numpy

MEASURED = ("LAMMPS: the time of the processor that its steps took, the least, less that of a run without constraints.\n"
            "  Its fix rattle has clusters of up to four atoms about one centre. Its tolerance is not one of the bond's length")
STEPS = 20
TEXT = """
units lj
atom_style molecular
atom_modify sort 0 0
bond_style zero
angle_style zero
read_data data
pair_style none
comm_modify cutoff 1.0
{include}
fix 1 all nve
{constraint}
timestep 0.002
thermo {steps}
run {steps}
write_dump all custom dump xu yu zu vx vy vz modify sort id format float %.17g
"""


def missing():
    return None if shutil.which("lmp") else "LAMMPS is left out: there is no lmp; tools/setup lammps installs it"


def version():
    first = subprocess.run(["lmp", "-h"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"^LAMMPS.*|Large-scale.*", first, re.M)
    return found[0] if found else "LAMMPS"


def short():
    """LAMMPS and the date of its version."""
    found = re.search(r"\d+ [A-Z][a-z]+ \d+", version())
    return "LAMMPS " + found[0] if found else "LAMMPS"


def is_small(molecules):
    """Clusters that fix rattle takes: up to three bonds, all with one atom, and no bond between the others but in water."""
    degree = numpy.bincount(molecules.pairs.ravel(), minlength=molecules.atoms)
    centre = numpy.where(degree[molecules.pairs[:, 0]] >= degree[molecules.pairs[:, 1]], molecules.pairs[:, 0], molecules.pairs[:, 1])
    outer = molecules.pairs.sum(axis=1) - centre
    return degree.max() <= 3 and (degree[outer] == 1).all()


def is_water(molecules):
    return molecules.atoms == 3 and molecules.bonds == 3


def types_of(values):
    kinds, kind = numpy.unique(numpy.round(values, 12), return_inverse=True)
    return kinds, kind + 1


def write_data(molecules, path):
    """The third side of water is an angle."""
    water = is_water(molecules)
    masses, of_mass = types_of(molecules.masses)
    pairs, lengths = (molecules.pairs[:2], molecules.lengths[:2]) if water else (molecules.pairs, molecules.lengths)
    kinds, kind = types_of(lengths)
    firsts = 1 + molecules.atoms*numpy.arange(molecules.copies)
    lines = ["", "", f"{len(molecules.x)} atoms", f"{len(pairs)*molecules.copies} bonds", f"{molecules.copies*water} angles",
             f"{len(masses)} atom types", f"{len(kinds)} bond types", f"{int(water)} angle types",
             "50 extra special per atom"]
    lines += [f"0 {edge:.17g} {d}lo {d}hi" for edge, d in zip(molecules.box, "xyz")]
    lines += ["", "Masses", ""] + [f"{k + 1} {mass}" for k, mass in enumerate(masses)]
    lines += ["", "Bond Coeffs", ""] + [f"{k + 1} {length:.17g}" for k, length in enumerate(kinds)]
    if water:
        lines += ["", "Angle Coeffs", "", f"1 {2*numpy.degrees(numpy.arcsin(molecules.lengths[2]/2/molecules.lengths[0])):.17g}"]
    lines += ["", "Atoms", ""]
    for k, place in enumerate(molecules.x.tolist()):
        lines.append("%d %d %d %.17g %.17g %.17g" % (k + 1, k//molecules.atoms + 1, of_mass[k % molecules.atoms], *place))
    lines += ["", "Velocities", ""] + ["%d %.17g %.17g %.17g" % (k + 1, *v) for k, v in enumerate(molecules.v.tolist())]
    lines += ["", "Bonds", ""]
    bonds = [(kind[k], first + i, first + j) for first in firsts for k, (i, j) in enumerate(pairs)]
    lines += ["%d %d %d %d" % (k + 1, *bond) for k, bond in enumerate(bonds)]
    if water:
        lines += ["", "Angles", ""] + ["%d 1 %d %d %d" % (k + 1, first + 1, first, first + 2) for k, first in enumerate(firsts)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return len(kinds)


def run(folder, constraint, include=""):
    """Seconds of the processor in all steps: other work on the machine takes the run's time, but not this."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    with open(os.path.join(folder, "in"), "w", encoding="utf-8") as file:
        file.write(TEXT.format(constraint=constraint, include=include, steps=STEPS))
    done = subprocess.run(["lmp", "-in", "in", "-log", "none"], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    found = re.search(r"^Loop time of (\S+)", done.stdout, re.M)
    share = re.search(r"^(\S+)% CPU use", done.stdout, re.M)
    if done.returncode or not found or not share:
        raise SystemExit(done.stdout[-2000:])
    return float(found[1])*float(share[1])/100


def contenders(case, molecules, build, folder):
    own = os.path.join(folder, "lammps_" + case)
    os.mkdir(own)
    kinds = write_data(molecules, os.path.join(own, "data"))
    words = "b " + " ".join(map(str, range(1, kinds + 1))) + (" a 1" if is_water(molecules) else "")
    include = os.path.abspath(os.path.join(build, "plugins", "lammps", "rattle-any.in"))
    without, least = [], {}

    def measured(style, line="", tolerance="1e-10", more=""):
        without.append(run(own, ""))
        taken = run(own, f"fix 2 all {style} {tolerance} 500 0 {words}{more}", line)
        least[style + more] = min(least.get(style + more, taken), taken)
        seconds = least[style + more] - min(without)
        data = numpy.loadtxt(os.path.join(own, "dump"), skiprows=9)
        return (1e9*seconds/STEPS/molecules.bonds/molecules.copies, *molecules.errors(data[:, :3], data[:, 3:]))

    if is_water(molecules) or is_small(molecules):
        yield f"{short()}, fix shake 1e-4, positions alone", lambda: measured("shake", tolerance="1e-4")
        yield f"{short()}, fix rattle 1e-10", lambda: measured("rattle")
    if os.path.exists(include):
        yield "  librattle in it, fix rattle/any 1e-10", lambda: measured("rattle/any", f"include {include}")
        yield "  the same, store no", lambda: measured("rattle/any", f"include {include}", more=" store no")
