"""A dense.System in LAMMPS, with the constraints of a fix."""
import os
import re
import shutil
import subprocess
import tempfile

import numpy

HEAD = """units lj
{newton}
atom_style molecular
read_data in.data
pair_style zero 2.5
pair_coeff * *
bond_style harmonic
{lengths}
angle_style harmonic
{angles}
neigh_modify every 1 delay 0 check yes
{include}
"""
# orders of the fixes: spring (forces), move (integration), hold (constraints)
ORDER = ("spring", "move", "hold")


def write(system, path, shift):
    """The data file; lengths and angles, in degrees, by their types."""
    bonds, angles, lengths, corners = [], [], [], []

    def kind(known, value):
        """The type of a length or an angle, from 1 on: copies of a molecule have those of the first."""
        for k, other in enumerate(known):
            if abs(other/value - 1) < 1e-13:
                return k + 1
        known.append(value)
        return len(known)

    for m, first in system.of:
        for i, j in m.bonds:
            bonds.append((kind(lengths, m.length(i, j)), first + i, first + j))
        for i, j, k in m.angles:
            a, b, c = m.length(i, j), m.length(j, k), m.length(i, k)
            angles.append((kind(corners, numpy.degrees(numpy.arccos(numpy.clip((a*a + b*b - c*c)/(2*a*b), -1, 1)))), first + i, first + j, first + k))
    masses = sorted(set(system.masses))
    with open(path, "w", encoding="utf-8") as file:
        put = lambda *words: print(*words, file=file)
        put(f"molecules\n\n{len(system.masses)} atoms\n{len(bonds)} bonds\n{len(angles)} angles\n{len(masses)} atom types")
        put(f"{len(lengths)} bond types\n{max(len(corners), 1)} angle types\n")
        for axis in "xyz":
            put(f"0 {system.edge:.17g} {axis}lo {axis}hi")
        put("\nMasses\n\n" + "\n".join(f"{k + 1} {m:.17g}" for k, m in enumerate(masses)) + "\n\nAtoms # molecular\n")
        of = [number for number, (m, _) in enumerate(system.of) for _ in m.masses]
        for k, p in enumerate(system.start + shift):
            put(k + 1, of[k] + 1, masses.index(system.masses[k]) + 1, *(f"{c:.17g}" for c in p))
        put("\nVelocities\n\n" + "\n".join(f"{k + 1} " + " ".join(f"{c:.17g}" for c in v) for k, v in enumerate(system.velocities)))
        for title, rows in (("Bonds", bonds), ("Angles", angles)):
            if rows:
                put(f"\n{title}\n\n" + "\n".join(" ".join(map(str, [k + 1, t, *(i + 1 for i in atoms)])) for k, (t, *atoms) in enumerate(rows)))
    return lengths, corners


class Result:
    """x, v at the end; errors of lengths, the temperature and the degrees of freedom that LAMMPS took for it; what it said."""

    def __init__(self, system, path, said, shift):
        with open(path, encoding="utf-8") as file:
            rows = numpy.array([line.split() for line in file.read().split("ITEM: ATOMS")[-1].splitlines()[1:]], float)
        self.x, self.v, self.said = rows[:, 1:4] - shift, rows[:, 4:7], said
        last = [line.split() for line in said.split("Loop time")[-2].splitlines() if re.match(r"\s*\d+\s+\S+\s+\S+\s*$", line)][-1]
        self.freedom = 2*float(last[2])/float(last[1])
        self.lengths = system.lengths(self.x)


def run(system, steps, h, fix="rattle/any 1e-13 100 0", include="", order=ORDER, shift=(0, 0, 0), ranks=1, lmp="lmp", environment=None, first=""):
    """Result after `steps`; a sentence of LAMMPS, as text, where it refuses. fix: with all numbers, without what is constrained; first: lines before
    the fixes, or before the atoms where they are about newton."""
    folder = tempfile.mkdtemp()
    try:
        lengths, corners = write(system, os.path.join(folder, "in.data"), shift)
        numbers = lambda many: " ".join(str(k + 1) for k in range(len(many)))
        held = f"b {numbers(lengths)}" + (f" a {numbers(corners)}" if corners else "")
        lines = {"spring": f"fix spring all spring/self {system.spring:.17g}", "move": "fix move all nve",
                 "hold": f"fix hold all {fix} {held}"}
        text = HEAD.format(newton=first if "newton" in first else "", lengths="\n".join(f"bond_coeff {k + 1} 500 {d:.17g}" for k, d in enumerate(lengths)),
                           angles="\n".join(f"angle_coeff {k + 1} 100 {a:.17g}" for k, a in enumerate(corners or [90])),
                           include=f"include {include}" if include and "/any" in fix else "")
        text += "" if "newton" in first else first
        text += "\n".join(lines[name] for name in order if name != "spring" or system.spring) + f"\ntimestep {h:.17g}\n"
        text += "thermo_style custom step temp ke\nthermo_modify norm no format float %.16g\nthermo 0\n"
        text += f"run {steps}\nwrite_dump all custom out.dump id xu yu zu vx vy vz modify sort id format float %.17g\n"
        with open(os.path.join(folder, "in.lmp"), "w", encoding="utf-8") as file:
            file.write(text)
        command = (["mpirun", "-np", str(ranks)] if ranks > 1 else []) + [lmp, "-in", "in.lmp", "-log", "none"]
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode:
            said = [line for line in done.stdout.splitlines() if "ERROR" in line]
            return said[0] if said else done.stdout[-300:]
        return Result(system, os.path.join(folder, "out.dump"), done.stdout, numpy.array(shift))
    finally:
        shutil.rmtree(folder)
