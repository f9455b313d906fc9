"""Files that `rattle export` writes of records, as other programs read them.

usage: check_exports.py RATTLE

NetCDF and XYZ are read here by their definitions; by ASE, MDAnalysis, mdtraj, netCDF4 and h5py where these are installed
(pip install ase MDAnalysis mdtraj netCDF4 h5py). Prints which were. With RATTLE_READERS_REQUIRED all must be there.
"""
import csv
import importlib
import os
import struct
import subprocess
import sys
import tempfile
import warnings

SPACE = """title "three beads"
units { length = "nm", mass = "u", time = "ps" }
molecule { beads = 3, bonds = "chain", length = 0.15, mass = 15.035, temperature = 2.5 }
integrate { method = "rattle(verlet)", step = 0.002, stop = 0.2 }
output { every = 10 }
"""
PLANE = """title "two bobs"
local x1, px1 = pair("x1")
local y1, py1 = pair("y1")
local x2, px2 = pair("x2")
local y2, py2 = pair("y2")
mass { x1 = 2, y1 = 2, x2 = 1, y2 = 1 }
potential(9.81*(2*y1 + y2))
constrain("inner rod", x1^2 + y1^2 - 1)
constrain("outer rod", (x2 - x1)^2 + (y2 - y1)^2 - 1)
observe("height", y1)
start { x1 = 1, y1 = 0, x2 = 2, y2 = 0 }
integrate { method = "rattle(verlet)", step = 0.002, stop = 1 }
output { every = 50 }
"""
BOX = """title "a periodic box"
units { length = "A", mass = "u", time = "fs" }
molecule { beads = 2, mass = 1, place = function(copy, i) return 2*i, 0, i end }
pair_potential { kind = "wca", epsilon = 1e-5, sigma = 1, box = {12, 13, 14} }
velocity { ["x[1]"] = 0.01, ["z[2]"] = -0.02 }
integrate { method = "verlet", step = 0.1, steps = 20 }
output { every = 10 }
"""
ANGLE = """local a, pa = pair("a")
hamiltonian(pa^2/2 - cos(a))
start { a = 1 }
integrate { method = "verlet", step = 0.1, steps = 2 }
"""


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance*max(1, abs(b))


def expect(found, right, tolerance=1e-6):
    found, right = [float(x) for x in found], [float(x) for x in right]
    assert len(found) == len(right) and all(near(a, b, tolerance) for a, b in zip(found, right)), (found, right)


class NetCDF:
    """NetCDF classic with 64-bit offsets, by its definition."""

    def __init__(self, path):
        self.data, self.at = open(path, "rb").read(), 4
        assert self.data[:4] == b"CDF\2"
        self.frames = self.number()
        self.sizes = [(self.text(), self.number()) for _ in range(self.list_of(10))]
        self.attributes = self.read_attributes()
        self.variables = {}
        for _ in range(self.list_of(11)):
            name = self.text()
            dimensions = [self.sizes[self.number()] for _ in range(self.number())]
            unit = self.read_attributes().get("units")
            kind, size = self.number(), self.number()
            self.variables[name] = (dimensions, unit, kind, size, self.number(8))
        self.frame = sum(v[3] for v in self.variables.values() if v[0][0][0] == "frame")
        end = max(v[4] + v[3] for v in self.variables.values())
        assert len(self.data) == end + (self.frames - 1)*self.frame

    def number(self, size=4):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "big")

    def text(self):
        size = self.number()
        found = self.data[self.at:self.at + size].decode()
        self.at += (size + 3)//4*4
        return found

    def list_of(self, tag):
        kind, count = self.number(), self.number()
        assert kind == (tag if count else 0)
        return count

    def read_attributes(self):
        found = {}
        for _ in range(self.list_of(12)):
            name = self.text()
            assert self.number() == 2
            found[name] = self.text()
        return found

    def row(self, name, frame):
        dimensions, _, kind, _, begin = self.variables[name]
        count = 1
        for _, size in dimensions[1:]:
            count *= size
        at = begin + frame*self.frame
        return struct.unpack_from(f">{count}{'f' if kind == 5 else 'd'}", self.data, at)


def read_csv(path):
    rows = list(csv.reader(open(path)))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def read_xyz(path):
    lines, frames = open(path).read().split("\n"), []
    while lines[0]:
        count = int(lines[0])
        frames.append((lines[1], [line.split() for line in lines[2:2 + count]]))
        lines = lines[2 + count:]
    return frames


def by_definition(name, rows, places, rates, time):
    """places: the last frame in Angstrom; rates in Angstrom/ps."""
    frames = read_xyz(name + ".xyz")
    assert len(frames) == len(rows)
    expect([x for atom in frames[-1][1] for x in atom[1:4]], places, 1e-14)
    expect([x for atom in frames[-1][1] for x in atom[4:7]], rates, 1e-13)
    file = NetCDF(name + ".nc")
    assert file.frames == len(rows) and file.attributes["Conventions"] == "AMBER" and file.attributes["ConventionVersion"] == "1.0"
    units = {n: v[1] for n, v in file.variables.items() if v[1]}
    assert units["time"] == "picosecond" and units["coordinates"] == "angstrom" and units["velocities"] == "angstrom/picosecond"
    expect(file.row("coordinates", file.frames - 1), places)
    expect(file.row("velocities", file.frames - 1), rates)
    expect(file.row("time", file.frames - 1), [time])
    return file


def by_programs(modules, name, places, rates, time, bonds, box):
    """The same by the programs that are there."""
    atoms = len(places)//3
    if "h5py" in modules:
        with modules["h5py"].File(name + ".h5md") as file:
            group = file["particles/trajectory"]
            assert list(file["particles"]) == ["trajectory"] and group["box"].attrs["dimension"] == 3
            expect(group["position/value"][-1].ravel(), places, 1e-14)
            expect(group["velocity/value"][-1].ravel(), rates, 1e-13)
            assert group["velocity/step"] == group["position/step"] and len(group["position/step"]) == len(group["position/value"])
            assert ("connectivity" in file) == bool(bonds)
            assert not bonds or [tuple(b) for b in file["connectivity/bonds"][:]] == bonds
            assert not bonds or file[file["connectivity/bonds"].attrs["particles_group"]] == group
            assert isinstance(group["position/value"].attrs["unit"], str)
    if "MDAnalysis" in modules:
        for file in (name + ".h5md", name + ".nc"):
            mda = modules["MDAnalysis"]
            universe = mda.Universe(file) if file.endswith("h5md") else mda.Universe.empty(atoms).load_new(file, format="NCDF")
            last = universe.trajectory[-1]
            expect(last.positions.ravel(), places, 1e-5)
            expect(last.velocities.ravel(), rates, 1e-5)
            expect([last.time], [time], 1e-5)
            assert (last.dimensions is None) == (box is None)
            expect([] if box is None else last.dimensions, [] if box is None else [*box, 90, 90, 90])
    if "ase" in modules:
        from ase.io import read
        last = read(name + ".xyz", ":")[-1]
        expect(last.positions.ravel(), places, 1e-7)
        expect(last.arrays["vel"].ravel(), rates, 1e-7)
        expect([last.info["Time"]], [time])
        expect(last.cell.lengths(), box or (0, 0, 0))
        assert all(last.pbc) == (box is not None)
    if "mdtraj" in modules:
        from mdtraj.formats import NetCDFTrajectoryFile
        with NetCDFTrajectoryFile(name + ".nc") as file:
            found = file.read()
        expect(found[0][-1].ravel(), places)
        expect([found[1][-1]], [time])
        assert found[2] is None if box is None else list(found[2][-1]) == list(box)
    if "netCDF4" in modules:
        with modules["netCDF4"].Dataset(name + ".nc") as file:
            expect(file.variables["coordinates"][-1].ravel(), places)


def main():
    rattle, modules = os.path.abspath(sys.argv[1]), {}
    warnings.simplefilter("ignore")
    for name in ("h5py", "MDAnalysis", "ase", "mdtraj", "netCDF4"):
        try:
            modules[name] = importlib.import_module(name)
        except ImportError:
            assert not os.environ.get("RATTLE_READERS_REQUIRED"), f"{name} is not installed"

    def run(*words, fails=None):
        done = subprocess.run([rattle, *words], capture_output=True, text=True)
        assert (done.returncode != 0) == (fails is not None), (words, done.stderr)
        assert fails is None or fails in done.stderr, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in {"space": SPACE, "plane": PLANE, "box": BOX, "angle": ANGLE}.items():
            open(name + ".lua", "w").write(text)
            run("run", name + ".lua", "-o", name + ".h5", "--quiet")
            run("export", name + ".h5", "-o", name + ".csv")
        units = {"space": (), "plane": ("--units", "nm,ps"), "box": ()}
        for name, more in units.items():
            for ending in ("xyz", "nc", "h5md"):
                run("export", name + ".h5", "-o", f"{name}.{ending}", *more)

        rows = read_csv("space.csv")
        last = rows[-1]
        places = [10*float(last[f"{a}[{i}] (nm)"]) for i in (1, 2, 3) for a in "xyz"]
        rates = [10*float(last[f"p{a}[{i}] (u nm ps-1)"])/15.035 for i in (1, 2, 3) for a in "xyz"]
        assert "energy (u nm2 ps-2)" in last and "lambda[bond[1]]" in last, list(last)
        assert float(last["time (ps)"]) == 0.2 and int(last["step"]) == 100
        by_definition("space", rows, places, rates, 0.2)
        by_programs(modules, "space", places, rates, 0.2, [(0, 1), (1, 2)], None)

        rows = read_csv("plane.csv")
        last = {name: float(value) for name, value in rows[-1].items()}
        places = [10*last["x1"], 10*last["y1"], 0, 10*last["x2"], 10*last["y2"], 0]
        rates = [10*last["px1"]/2, 10*last["py1"]/2, 0, 10*last["px2"], 10*last["py2"], 0]
        assert last["height"] == last["y1"] and "time" in last
        by_definition("plane", rows, places, rates, 1)
        by_programs(modules, "plane", places, rates, 1, [(0, 1)], None)

        rows = read_csv("box.csv")
        last = {name.split(" ")[0]: float(value) for name, value in rows[-1].items()}
        places = [last[f"{a}[{i}]"] for i in (1, 2) for a in "xyz"]
        rates = [1000*last[f"p{a}[{i}]"] for i in (1, 2) for a in "xyz"]
        file = by_definition("box", rows, places, rates, 0.002)
        expect(file.row("cell_lengths", 0), [12, 13, 14], 0)
        expect(file.row("cell_angles", 2), [90, 90, 90], 0)
        assert 'Lattice="12 0 0 0 13 0 0 0 14" pbc="T T T"' in read_xyz("box.xyz")[0][0]
        by_programs(modules, "box", places, rates, 0.002, [], (12, 13, 14))

        assert [row["a"] for row in read_csv("angle.csv")][0] == "1"
        run("export", "angle.h5", "-o", "angle.xyz", fails="are not all those of particles")
        run("export", "plane.h5", "-o", "again.nc", fails="the record has no units")
        run("export", "plane.h5", "-o", "again.nc", "--units", "nm,years", fails='times in "years"')
        run("export", "plane.h5", "-o", "plane.xyz", fails="exists")
        run("export", "plane.h5", "-o", "plane.xyz", "--force")
        assert "units=" not in read_xyz("plane.xyz")[0][0]
        assert not [name for name in os.listdir(".") if ".part" in name or name.startswith("again")]
    print("read by definition, and by " + (", ".join(modules) or "no other program"))


main()
