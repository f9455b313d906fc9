#!/usr/bin/python3
"""Runs LAMMPS with fix rattle/any and checks what comes out.

    check.py INCLUDE CASE...        INCLUDE: rattle-any.in of a build; CASE: a function below, or all
"""
import copy
import importlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import systems

HEAD = """
units lj
atom_style molecular
{box}
read_data {system}.data
pair_style lj/cut 2.5
pair_coeff * * 0.5 0.8
pair_modify shift yes
special_bonds lj 0 0 0.5
bond_style harmonic
bond_coeff 1 500 1.0
angle_style harmonic
angle_coeff 1 100 109.47122063449069
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
comm_modify cutoff 3.5
include {include}
"""
RUN = """
velocity all create 1.0 4711 loop geom mom yes
{integrate}
fix 2 all {style} 1e-12 100 0 b 1 {more}
fix_modify 2 virial yes
timestep {h}
thermo_style custom step temp pe etotal press pxx pxy f_2 {columns}
thermo_modify norm no format float %.16g
thermo {every}
run {steps}
write_dump all custom out.dump id type mol xu yu zu vx vy vz modify sort id format float %.17g
"""
WATER, REST = "a 1", ""
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
include, folder = "", ""
# ranks of MPICH keep the processors busy while they wait: not more of them than there are processors
COUNTS = (1, 2, 4) if "Open MPI" in subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True).stdout or os.cpu_count() >= 4 else (1, 2)
LIMIT = 240  # seconds


def lammps(text, ranks=1, fails=False, **words):
    values = dict(system="water", box="", include=include, integrate="fix 1 all nve", style="rattle/any", more="", h=0.002, columns="",
                  every=50, steps=200)
    values.update(words)
    with open(os.path.join(folder, "in.lmp"), "w", encoding="utf-8") as file:
        file.write(text.format(**values))
    command = ["lmp", "-in", "in.lmp", "-log", "none"]
    if ranks > 1:
        command = ["mpirun", "-np", str(ranks)] + command
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    if (done.returncode != 0) != fails:
        raise SystemExit(done.stdout[-3000:] + "\n" + text.format(**values))
    return done.stdout


def table(output):
    """Rows of all runs, as dictionaries."""
    rows, names = [], None
    for line in output.splitlines():
        words = line.split()
        if words[:2] == ["Step", "Temp"]:
            names = words
        elif line.startswith("Loop time"):
            names = None
        elif names and len(words) == len(names):
            try:
                rows.append(dict(zip(names, map(float, words))))
            except ValueError:
                pass  # a warning between rows
    return rows


def dump(name="out.dump"):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [[float(word) for word in line.split()] for line in file.read().split("ITEM: ATOMS")[-1].splitlines()[1:]]


def furthest(a, b):
    return max(abs(p - q) for row, other in zip(a, b) for p, q in zip(row[3:], other[3:]))


def is_near(what, value, wanted, off):
    print(f"  {what}: {value:.6g}, wanted {wanted:.6g} within {off:.2g}")
    if not abs(value - wanted) <= off:
        raise SystemExit(f"{what} is {value!r}, and should be {wanted!r} within {off!r}")


def make(*names, copies=4, tilt=0.0):
    for name in names:
        systems.write(name, copies if name != "chain" else 2 * copies, os.path.join(folder, name + ".data"), tilt)


def against_rattle():
    """The same trajectory as LAMMPS's own fix, where that can run."""
    make("water", "methyl")
    for system, more in (("water", WATER), ("methyl", REST)):
        ends, rows = [], []
        for style in ("rattle/any", "rattle"):
            rows.append(table(lammps(HEAD + RUN.replace("f_2 ", ""), system=system, more=more, style=style)))
            ends.append(dump())
        is_near(system, furthest(*ends), 0, 1e-9)
        for a, b in zip(*rows):
            is_near("temperature, and so the degrees of freedom", a["Temp"], b["Temp"], 1e-9)
            is_near("pressure", a["Press"], b["Press"], 1e-3 * abs(b["Press"]) + 1e-6)


def modules(*names):
    """Those of plugins/tests, which need numpy."""
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(77)


def as_dense():
    """Molecules of all kinds together, solved densely in numpy: the trajectory, degrees of freedom, across faces of the box, in each order of fixes,
    from a start that is off; and the tolerance."""
    dense, in_lammps = modules("dense", "in_lammps")
    h, steps, kinds = 0.01, 60, list(dense.MOLECULES.values())*2
    start, off = (dense.System(kinds, spring=30, **how) for how in ({}, dict(off=0.01, pushed=1)))
    ends, late = {id(system): system.run(steps, h) for system in (start, off)}, ("move", "hold", "spring")
    for what, system, how in (("in the box", start, {}), ("on two ranks, across its faces", start, dict(shift=(2, 2, 2), ranks=2)),
                              ("before the integrator", start, dict(order=("spring", "hold", "move"))),
                              ("before a force", start, dict(order=late)), ("a start that is off", off, {})):
        result = in_lammps.run(system, steps, h, include=include, environment=environment, **how)
        if isinstance(result, str):
            raise SystemExit(result)
        x, v, _ = ends[id(system)]
        is_near(what + ": places", abs(result.x - x).max(), 0, 1e-11)
        is_near("degrees of freedom", result.freedom, 3*len(system.masses) - 3 - system.taken(), 1e-9)
        # half a step of a force that comes late is in the velocities as it is: the fix says so
        is_near("velocities", abs((system.keeping(x, result.v) if how.get("order") == late else result.v) - v).max(), 0, 1e-10)
        if (how.get("order") == late) != ("comes before fix spring: if that adds forces" in result.said):
            raise SystemExit("a warning too many, or one too few: " + result.said)
    for tolerance in (1e-4, 1e-8, 1e-13):
        is_near("lengths", in_lammps.run(start, steps, h, f"rattle/any {tolerance} 1 0", include, environment=environment).lengths, 0, tolerance)


def plugin_load():
    """The fix by lammpsplugin_init, which `plugin load` calls: the same trajectory to the last bit."""
    make("water")
    ends = []
    for file in (include, os.path.join(os.path.dirname(include), "plugin", "rattle-any.in")):
        output = lammps(HEAD + RUN, more=WATER, steps=50, include=file)
        ends.append(dump())
    if output.count("plug-in loaded") != 1 or ends[0] != ends[1]:
        raise SystemExit(f"another trajectory, or no plug-in:\n{output[-2000:]}")


def ranks():
    """Several ranks to round-off, in rectangular and in tilted boxes; lengths and rates to tolerance."""
    for tilt in (0.0, 0.2):
        make("water", "methane", "ring", "chain", tilt=tilt)
        for system, more in (("water", WATER), ("methane", REST), ("ring", REST), ("chain", REST)):
            if system == "chain" and tilt:
                continue
            text = HEAD + RUN + "compute s all stress/atom thermo_temp\ncompute p all reduce sum c_s[1] c_s[2] c_s[3]\n" \
                "thermo_style custom step temp pe etotal press pxx pxy f_2 f_2[1] f_2[2] vol c_p[1] c_p[2] c_p[3]\nthermo_modify norm no format float %.16g\nrun 60\n"
            first = None
            for count in COUNTS:
                rows = table(lammps(text, count, system=system, more=more, columns="f_2[1] f_2[2]",
                                    box="box tilt large" if tilt else ""))
                now = dump()
                for row in rows:
                    is_near("length", row["f_2[1]"], 0, 2e-12)
                    is_near("rate", row["f_2[2]"], 0, 2e-12)
                last = rows[-1]
                is_near("pressure of atoms", -sum(last[f"c_p[{d}]"] for d in (1, 2, 3)) / 3 / last["Volume"], last["Press"], 1e-9)
                if first:
                    is_near(f"{system} on {count} ranks", furthest(now, first[0]), 0, 1e-8)
                    is_near("pressure", rows[-1]["Press"], first[1][-1]["Press"], 1e-7)
                else:
                    first = now, rows


def drift():
    """A chain that drifts through the box has ever other owners."""
    make("chain")
    text = HEAD + RUN.replace("timestep", "velocity all set 20 30 40 sum yes units box\ntimestep")
    first = None
    for count in COUNTS:
        rows = table(lammps(text, count, system="chain", columns="f_2[1] f_2[2]", h=0.001, steps=600, every=1))
        is_near("length", max(row["f_2[1]"] for row in rows), 0, 2e-12)
        is_near("rate", max(row["f_2[2]"] for row in rows), 0, 2e-12)
        first = first or rows
        is_near("pressure", max(abs(a["Press"] - b["Press"]) for a, b in zip(first[:100], rows[:100])), 0, 1e-7)


def order():
    """The energy error is of order h^2."""
    make("methane", "ring", copies=3)
    for system in ("methane", "ring"):
        error = []
        for h in (0.004, 0.002):
            steps = round(4 / h)
            energy = [row["TotEng"] for row in table(lammps(HEAD + RUN, system=system, h=h, steps=steps, every=round(0.02 / h)))]
            error.append(math.sqrt(sum((e - energy[0]) ** 2 for e in energy) / len(energy)))
        is_near(f"{system}: ratio of the energy errors", error[0] / error[1], 4, 0.8)


def freedom(mass):
    """Degrees of freedom of each atom of rigid water: its share of translations and of rotations about the principal axes."""
    x = systems.molecule("water")["x"]
    total = sum(mass)
    centre = [sum(m * p[d] for m, p in zip(mass, x)) / total for d in range(3)]
    r = [[p[d] - centre[d] for d in range(3)] for p in x]
    square = [[p[(d + 1) % 3] ** 2 + p[(d + 2) % 3] ** 2 for d in range(3)] for p in r]  # of distances from the axes, which are x, y and z
    inertia = [sum(m * s[d] for m, s in zip(mass, square)) for d in range(3)]
    return [3 * m / total + sum(m * s[d] / inertia[d] for d in range(3)) for m, s in zip(mass, square)]


def equipartition():
    """Translation and rotation of rigid molecules have the bath's temperature, and so have the two kinds of atoms, and what LAMMPS prints."""
    make("water")
    bath = "fix 1 all nve\nfix 3 all langevin 1.5 1.5 0.5 8711"
    text = HEAD + RUN.replace("write_dump", "dump 1 all custom 50 out.dump id type mol xu yu zu vx vy vz\ndump_modify 1 sort id format "
                              "float %.17g\nrun 20000\n#")
    rows = table(lammps(text, system="water", more=WATER, integrate=bath, columns="f_2[2]", h=0.005, steps=2000))
    mass, shares = {1: 12.0, 2: 1.0}, freedom((12.0, 1.0, 1.0))
    move = turn = count = 0
    kinetic = {1: 0.0, 2: 0.0}
    with open(os.path.join(folder, "out.dump"), encoding="utf-8") as file:
        for frame in file.read().split("ITEM: ATOMS")[2:]:
            molecules = {}
            for line in frame.split("ITEM:")[0].splitlines()[1:]:
                row = list(map(float, line.split()))
                molecules.setdefault(row[2], []).append((mass[int(row[1])], row[6:9]))
                kinetic[int(row[1])] += mass[int(row[1])] * sum(v * v for v in row[6:9])
            for atoms in molecules.values():
                total = sum(m for m, _ in atoms)
                centre = sum(sum(m * v[d] for m, v in atoms) ** 2 for d in range(3)) / total
                move += centre / 3
                turn += (sum(m * v[d] ** 2 for m, v in atoms for d in range(3)) - centre) / 3
                count += 1
    is_near("temperature of translations", move / count, 1.5, 0.05)
    is_near("temperature of rotations", turn / count, 1.5, 0.05)
    is_near("temperature of the heavy atoms", kinetic[1] / count / shares[0], 1.5, 0.05)
    is_near("temperature of the light atoms", kinetic[2] / count / (shares[1] + shares[2]), 1.5, 0.05)
    late = [row["Temp"] for row in rows if row["Step"] > 2000]
    is_near("temperature by LAMMPS", sum(late) / len(late), 1.5, 0.05)
    is_near("rate", max(row["f_2[2]"] for row in rows), 0, 2e-12)


def ensembles():
    """Any integrator keeps lengths: thermostats, barostats that tilt the box, random forces."""
    make("water", "ring", tilt=0.1)
    for integrate in ("fix 1 all nvt temp 1 1 0.1", "fix 1 all npt temp 1 1 0.2 tri 0.05 0.05 2",
                      "fix 3 all langevin 1 1 0.5 991 gjf vhalf\nfix 1 all nve", "fix 1 all nvt temp 1 1 0.1\nfix 3 all recenter INIT INIT INIT"):
        for system, more in (("water", WATER), ("ring", REST)):
            rows = table(lammps(HEAD + RUN, 2, system=system, more=more, integrate=integrate, columns="f_2[1]", h=0.004, steps=400,
                                box="box tilt large"))
            is_near(integrate, max(row["f_2[1]"] for row in rows), 0, 3e-12)


def memory_of_others():
    """What was in the memory of the fix before it was made is in no result: glibc fills what it gives out, and means that are
    taken before the fix has set up read its virial."""
    make("water", tilt=0.1)
    integrate = "fix 3 all ave/time 1 1 1 c_thermo_press[*]\nfix 1 all npt temp 1 1 0.2 tri 0.05 0.05 2"
    results = []
    for fill in (0, 1, 85):
        environment["GLIBC_TUNABLES"] = f"glibc.malloc.perturb={fill}:glibc.malloc.tcache_count=0"
        rows = table(lammps(HEAD + RUN, more=WATER, integrate=integrate, h=0.004, steps=20, every=10, columns="f_3[1] f_3[4]", box="box tilt large"))
        results.append((rows, dump()))
    del environment["GLIBC_TUNABLES"]
    for rows, end in results[1:]:
        is_near("trajectory", furthest(results[0][1], end), 0, 0)
        for a, b in zip(results[0][0], rows):
            is_near(f"step {a['Step']:g}: pressures", max(abs(a[name] - b[name]) for name in ("Press", "f_3[1]", "f_3[4]")), 0, 0)


def shifted():
    """In a box that changes, it does not matter which bonds cross its border."""
    make("water", tilt=0.1)
    results = []
    for shift in ("0 0 0", "1.1 0.7 0.4"):
        text = HEAD + f"displace_atoms all move {shift}\n" + RUN.replace("loop geom mom yes", "loop all")
        results.append(table(lammps(text, more=WATER, integrate="fix 1 all nph aniso 0.1 0.1 2", h=0.004, box="box tilt large", every=10)))
    is_near("pressure", max(abs(a["Press"] - b["Press"]) for a, b in zip(*results)), 0, 1e-9)


def lines_and_cages():
    """CO2 held by three distances, and cages with one constraint more than they need: lengths, degrees of freedom, energy."""
    make("dioxide", "cage")
    for system, angle, freedom in (("dioxide", "180", 64 * 5 - 3), ("cage", "109.47122063449069", 64 * 6 - 3)):
        for count in (1, 2):
            rows = table(lammps(HEAD.replace("109.47122063449069", angle) + RUN, count, system=system, more="a 1", columns="f_2[1] f_2[2] ke", steps=400))
            is_near(f"{system}: degrees of freedom", 2 * rows[-1]["KinEng"] / rows[-1]["Temp"], freedom, 1e-6)
            is_near("length", max(row["f_2[1]"] for row in rows), 0, 2e-12)
            is_near("rate", max(row["f_2[2]"] for row in rows), 0, 2e-12)
            is_near("energy", rows[-1]["TotEng"], rows[0]["TotEng"], 2e-5 * rows[0]["TotEng"])


def masses_of_hydrogens():
    """With hmass the trajectory is that of the heavier hydrogens by the dense solution, also when it is given twice, and where masses are of atoms."""
    dense, in_lammps = modules("dense", "in_lammps")
    methane = dense.Molecule([12, 1, 1, 1, 1], systems.star(4), [(0, k) for k in range(1, 5)])
    light = dense.System([methane]*8, spring=30, pushed=1)
    heavy = copy.deepcopy(light)
    for molecule, _ in heavy.of:
        molecule.masses = dense.numpy.array([6, 2.5, 2.5, 2.5, 2.5])
    heavy.masses = dense.numpy.array([6, 2.5, 2.5, 2.5, 2.5]*8)
    x, v, _ = heavy.run(60, 0.01)
    for count in (1, 2):
        for before in ("", "fix before all rattle/any 1e-12 100 0 hmass 2.5 1 b 1\nunfix before\n", "newton off\n",
                       "fix of all property/atom rmass ghost yes\nset type 1 mass 1\nset type 2 mass 12\n")[:4 if count == 2 else 1]:
            found = in_lammps.run(light, 60, 0.01, "rattle/any 1e-13 100 0 hmass 2.5 1", include, environment=environment, ranks=count, first=before)
            if isinstance(found, str):
                raise SystemExit(found)
            is_near("places", abs(found.x - x).max(), 0, 1e-11)
            is_near("velocities", abs(found.v - v).max(), 0, 1e-10)
    methyl = dense.Molecule([12, 1, 1, 1], systems.star(3), [(0, k) for k in range(1, 4)])
    for molecules, mass, said in (([methane, methyl], 2, "from one atom of type 2 and 4.000000 from another"),
                                  ([methane], 4, "hmass leaves nothing of atom 1"), ([methane], 0, "hmass is the mass of hydrogens")):
        found = in_lammps.run(dense.System(molecules), 1, 0.01, f"rattle/any 1e-13 100 0 hmass {mass} 1", include, environment=environment)
        if said not in found:
            raise SystemExit(f"not said: {said}\n{found}")


def long_steps():
    """A nose-hoover run keeps its conserved energy."""
    make("methane", copies=3)
    rows = table(lammps(HEAD + RUN + "run 4000\n", system="methane", integrate="fix 1 all nvt temp 1 1 0.2",
                        columns="ecouple econserve", h=0.002))
    kept = [row["Econserve"] for row in rows if "Econserve" in row]
    is_near("conserved energy", max(kept) - min(kept), 0, 0.012)


def continued():
    """A run that is stopped and read again goes on as if it had not been."""
    make("ring")
    whole = HEAD + RUN
    lammps(whole, system="ring", steps=200)
    one = dump()
    lammps(HEAD + RUN + "write_restart half.restart\nwrite_data half.data nocoeff\n", 2, system="ring", steps=100)
    again = (HEAD + RUN.replace("velocity all create 1.0 4711 loop geom mom yes", "")).replace("atom_style molecular", "").replace(
        "read_data {system}.data", "read_restart half.restart")
    lammps(again, system="ring", steps=100)
    is_near("after a restart", furthest(dump(), one), 0, 1e-8)
    again = again.replace("read_restart half.restart", "atom_style molecular\nread_data half.data")
    lammps(again, 2, system="ring", steps=10)


def minimised():
    """Springs hold the lengths while energy is made small; then constraints do."""
    make("chain", copies=3)
    text = HEAD + RUN.replace("run {steps}", "minimize 0 1e-6 400 4000\nwrite_dump all custom least.dump id type mol xu yu zu modify sort id format "
                              "float %.17g\nrun {steps}")
    output = lammps(text, 2, system="chain", more="kbond 2000", columns="f_2[1]", steps=50)
    rows, least = table(output), [row[3:] for row in dump("least.dump")]
    bonds = systems.bonds_of(os.path.join(folder, "chain.data"))
    is_near("lengths after minimisation", max(abs(math.dist(least[i - 1], least[j - 1]) - 1) for i, j in bonds), 0, 1e-12)
    is_near("lengths after a run", rows[-1]["f_2[1]"], 0, 1e-12)
    is_near("energy of springs in dynamics", rows[-1]["f_2"], 0, 0)
    is_near("lengths while energy is made small", max(row["f_2[1]"] for row in rows), 0, 0.05)
    held = [row["PotEng"] for row in rows if row["f_2"] > 0]
    is_near("energy as it was made small, to that at the start", min(held) / rows[0]["PotEng"], 1.3, 0.25)


def molecules_come_and_go():
    """Molecules are inserted and deleted in runs, and their bonds stay constrained."""
    make("methane", copies=3)
    with open(os.path.join(folder, "one.mol"), "w", encoding="utf-8") as file:
        x = systems.star(4)
        file.write("methane\n\n5 atoms\n4 bonds\n\nCoords\n\n" + "".join(f"{k + 1} {p[0]} {p[1]} {p[2]}\n" for k, p in enumerate(x)))
        file.write("\nTypes\n\n" + "".join(f"{k + 1} {1 if k == 0 else 2}\n" for k in range(5)))
        file.write("\nBonds\n\n" + "".join(f"{k} 1 1 {k + 1}\n" for k in range(1, 5)))
    text = (HEAD.replace("read_data {system}.data", "read_data {system}.data extra/special/per/atom 8") + RUN).replace(
        "fix 2 all", "molecule one one.mol\nregion r block 0 10.8 0 10.8 0 10.8\nfix 2 all").replace("100 0 b", "100 50 b").replace(
        "run {steps}", "fix 4 all deposit 5 0 20 7171 region r mol one near 1.0 units box\nrun {steps}\nfix 5 all evaporate 30 2 r 881 "
        "molecule yes\nrun {steps}\nunfix 5\ngroup g id 1\nvelocity all scale 1.0\nrun 10")
    for count in (1, 2):
        output = lammps(text, count, system="methane", more="mol one", columns="f_2[1] atoms")
        rows = table(output)
        if " 108 bonds and" not in output or "  bond 1 128 " not in output.split("Loop time")[0]:
            raise SystemExit("the bonds of molecules that came are not among those that are constrained: " + output[-2500:])
        is_near("atoms after insertion", max(row["Atoms"] for row in rows), 135 + 25, 0)
        if rows[-1]["Atoms"] >= 160 or rows[-1]["Atoms"] % 5:
            raise SystemExit("no molecules were deleted")
        is_near("lengths", max(row["f_2[1]"] for row in rows), 0, 2e-12)


def refusals():
    """What cannot be is said, with atoms by their IDs."""
    make("water", "ring")
    lost = HEAD + "delete_atoms group all bond no\n"
    for text, words, said in (
            (HEAD + RUN, dict(more="x 1"), "the keyword x is none of"),
            (HEAD + RUN.replace("1e-12", "1e-17"), dict(more=WATER), "tol is a relative error"),
            (HEAD + "run_style respa 2 2 bond 1 pair 2\n" + RUN, dict(more=WATER), "not with respa"),
            (HEAD + RUN + "fix 7 all rattle 1e-4 10 0 b 1\nrun 1\n", dict(more=WATER), "cannot be used together"),
            (HEAD + "group g id 5\ngroup o subtract all g\n" + RUN, dict(more=WATER, integrate="fix 1 o nve"), "atom 5 is constrained, but no"),
            (HEAD + "group g id 5\ndelete_atoms group g compress no bond no\n" + RUN, dict(more=WATER), "atom 5 is missing"),
            (HEAD + RUN, dict(system="ring", h=2.0), "the constraint of atoms"),
            (HEAD + RUN + "bond_coeff 1 500 0\nrun 1\n", dict(system="ring"), "has the length 0.0")):
        for count in (1, 2):
            output = lammps(text, count, fails=True, **words)
            if said not in output:
                raise SystemExit(f"not said: {said}\n{output[-1500:]}")
            print("  said:", next(line for line in output.splitlines() if said in line)[:150])


def other_engines():
    """A plug-in for another version of LAMMPS or another MPI says so, and LAMMPS has no such fix."""
    make("water")
    for name, said in (("version", r"it is built for LAMMPS 20010101, and this is LAMMPS 20\d{6}: build it"),
                       ("mpi", r"it is built for another MPI, and this is .*(MPICH|Open MPI).*: build it")):
        for count in (1, 2):
            output = lammps(HEAD + RUN, count, fails=True, more=WATER, include=os.path.join(os.path.dirname(include), "other_" + name, "rattle-any.in"))
            line = re.search("fix rattle/any is not loaded: " + said, output)
            if not line:
                raise SystemExit(f"not said: {said}\n{output[-1500:]}")
            print("  said:", line.group())


def outputs():
    """Statistics; the force of a bond that turns is m v^2 / r, each of its atoms has its own degrees of freedom, and fix_modify leaves the virial out."""
    make("methane")
    output = lammps(HEAD + RUN.replace("100 0 b", "100 100 b"), 2, system="methane")
    lines = [line.split() for line in output.splitlines() if line.startswith("  bond 1 256")]
    if len(lines) != 2:
        raise SystemExit(f"no statistics in {output[-2000:]}")
    for what, column in (("smallest", 3), ("mean", 4), ("largest", 5)):
        is_near(f"{what} length", float(lines[-1][column]), 1, 1e-12)
    text = HEAD.replace("read_data {system}.data", "region r block 0 9 0 9 0 9\ncreate_box 2 r bond/types 1 angle/types 1 extra/bond/per/atom 1 "
                        "extra/special/per/atom 4\ncreate_atoms 1 single 8.9 4 4\ncreate_atoms 2 single 0.9 4 4\nmass 1 12\nmass 2 1") \
        .replace("\ninclude", "\ncreate_bonds single/bond 1 1 2\ngroup one id 1\ngroup two id 2\nvelocity one set 0 -0.5 0\nvelocity two set 0 6 0"
                                "\ninclude") + RUN.replace("velocity all create 1.0 4711 loop geom mom yes", "").replace(
                     "run {steps}", "compute s all stress/atom NULL virial\ndump 1 all custom {steps} f.dump f_2[1] f_2[2] f_2[3] c_s[1] c_s[2] c_s[3]"
                     "\ndump_modify 1 format float %.17g\nrun {steps}")
    text = text.replace("sort id ", "").replace("timestep", "compute one one temp\ncompute two two temp\ncompute_modify one extra/dof 0\n"
                                                "compute_modify two extra/dof 0\ntimestep")
    words = dict(h=0.0005, integrate="fix 1 all nve", columns="c_one c_two")
    for count in (1, 2):
        rows = table(lammps(text, count, **words))
        pull = 12 / 13 * 6.5 ** 2
        for row in dump("f.dump"):
            is_near("force", math.sqrt(sum(f * f for f in row[:3])), pull, 1e-4 * pull)
            is_near("virial of an atom", sum(row[3:]), pull / 2, 1e-4 * pull)
        is_near("degrees of freedom", rows[-1]["Temp"], 12 / 13 * 6.5 ** 2 / 2, 1e-6)
        is_near("three of the heavy atom, which loses 1/13, in whole numbers", rows[-1]["c_one"], 12 * 0.5 ** 2 / 3, 1e-6)
        is_near("two of the light atom, which loses 12/13", rows[-1]["c_two"], 6 ** 2 / 2, 1e-6)
        without = table(lammps(text.replace("virial yes", "virial no"), count, **words))
        volume = 9 ** 3
        is_near("pressure of the force", (without[-1]["Press"] - rows[-1]["Press"]) * 3 * volume, pull, 1e-4 * pull)
        is_near("virial of an atom, left out", max(abs(sum(row[3:])) for row in dump("f.dump")), 0, 1e-12)
        unread, found = text.replace("f_2[1] f_2[2] f_2[3] c_s", "xu yu zu c_s"), []
        for store in ("yes", "no"):
            found.append((table(lammps(unread, count, more="store " + store, **words))[-1]["Press"], dump("f.dump")))
        if found[0] != found[1]:
            raise SystemExit(f"store no changes pressures, places or virials: {found}")
        if "f_2" not in lammps(text, count, fails=True, more="store no", **words):
            raise SystemExit("forces that are not stored are read")


def example():
    """The example runs, and the page about it shows its lines."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    there = os.path.join(top, "examples", "lammps")
    done = subprocess.run(["lmp", "-in", "water.in", "-log", "none", "-var", "RATTLE", os.path.dirname(include)], cwd=there, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
    rows = table(done.stdout)
    if done.returncode or len(rows) != 5 or "128 bonds and 64 angles are constrained" not in done.stdout:
        raise SystemExit(done.stdout[-3000:])
    is_near("lengths", rows[-1]["f_hold[1]"], 0, 1e-10)
    is_near("temperature", sum(row["Temp"] for row in rows[1:]) / 4, 1, 0.2)
    with open(os.path.join(top, "docs", "lammps.md"), encoding="utf-8") as file:
        shown = next(block for block in file.read().split("```text\n")[1:] if "fix hold" in block).split("```")[0].splitlines()
    with open(os.path.join(there, "water.in"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in shown:
        if line not in lines:
            raise SystemExit(f"docs/lammps.md shows a line that examples/lammps/water.in does not have: {line}")


def exported():
    """What rattle bonds export writes runs as it is: a chain, water, CO2."""
    bonds = os.path.join(folder, "rod.bonds")
    with open(bonds, "w", encoding="utf-8") as file:
        file.write("rattle-bonds 1\natom 16 0 0 0\natom 1 1 0 0\natom 1 -0.2 1 0\natom 12 5 0 0\natom 16 6.2 0 0\natom 16 3.8 0 0\n"
                   "bond 1 2 1\nbond 1 3 1\nbond 2 3 1.6\nbond 4 5 1.2\nbond 4 6 1.2\nbond 5 6 2.4\nbox 20 20 20\n")
    rattle = os.path.join(os.path.dirname(include), "..", "..", "rattle")
    subprocess.run([rattle, "bonds", "export", bonds, "-o", os.path.join(folder, "rod.data")], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "rod.in"), encoding="utf-8") as file:
        text = file.read().replace("${RATTLE}", os.path.dirname(include)).replace("{", "{{").replace("}", "}}")
    rows = table(lammps(text + "velocity all create 1 4711 loop geom\nthermo_style custom step temp etotal f_bonds[1] f_bonds[2]\nthermo_modify norm no\nrun 100\n"))
    is_near("error of a length", rows[-1]["f_bonds[1]"], 0, 1e-9)
    is_near("energy of a free motion", rows[-1]["TotEng"], rows[0]["TotEng"], 1e-3*rows[0]["TotEng"])
    is_near("freedoms: 18 less 3 and 4 and 3", rows[0]["TotEng"]*2/rows[0]["Temp"], 8, 1e-3)


CASES = {case.__name__: case for case in (against_rattle, as_dense, plugin_load, ranks, drift, order, equipartition, ensembles, memory_of_others, shifted,
                                          lines_and_cages, masses_of_hydrogens, long_steps, continued, minimised, molecules_come_and_go, refusals,
                                          other_engines, outputs, example, exported)}


def main():
    global include, folder
    include = os.path.abspath(sys.argv[1])
    for name in CASES if sys.argv[2:] == ["all"] else sys.argv[2:]:
        print(name + ":", CASES[name].__doc__)
        folder = tempfile.mkdtemp()
        CASES[name]()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
