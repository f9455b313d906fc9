"""What a reader of H5MD 1.1 expects, checked with h5py on a record while it is written and after.

usage: check_h5md.py WRITER      WRITER --write FILE writes a record of 5000 samples of 3 particles in space
Exit status 77: there is no h5py.
"""
import math
import os
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError:
    print("no h5py: nothing checked")
    sys.exit(77)

PARTICLES, AXES, CONSTRAINTS = 3, 3, 2


def value(step, which):
    return math.sin(1.0 + step * 0.37 + which * 1.7) * 1e3 + step


def text(found):
    return found.decode() if isinstance(found, bytes) else str(found)


def check_metadata(file):
    version = file["h5md"].attrs["version"]
    assert version.shape == (2,) and tuple(version) == (1, 1) and version.dtype.kind == "i"
    assert text(file["h5md/author"].attrs["name"])
    assert text(file["h5md/creator"].attrs["name"]) == "librattle"
    assert text(file["h5md/creator"].attrs["version"])
    box = file["particles/system/box"]
    assert box.attrs["dimension"] == AXES
    mass = file["particles/system/mass"]
    assert mass.shape == (PARTICLES,) and mass.dtype.kind == "f" and (mass[:] == 1).all()
    species = file["particles/system/species"]
    assert species.shape == (PARTICLES,) and species.dtype.kind == "i" and (species[:] == 0).all()
    assert [text(b) for b in box.attrs["boundary"]] == ["none"] * AXES and "edges" not in box


def check_element(file, name, shape, rows):
    """A time-dependent element: step (growing integers), time and value, one row each; step and time shared by all."""
    element = file[name]
    assert set(element) == {"step", "time", "value"}, name
    assert element["step"].dtype.kind == "i" and element["time"].dtype.kind == "f"
    assert element["step"] == file["particles/system/position/step"], name
    assert element["value"].shape[1:] == shape and element["value"].maxshape[0] is None, name
    steps = element["step"][:rows]
    assert len(steps) == rows and (np.diff(steps) > 0).all() and (element["time"][:rows] == 0.125 * steps).all()
    assert len(element["value"][:rows]) == rows, name


def check_elements(file, rows):
    scalars = ["energy", "constraint", "hidden", "speed^2", "observable[2]", "observable[3]", "Δ φ"]
    assert set(file["observables"]) == set(scalars + ["multipliers"])
    for name in scalars:
        check_element(file, "observables/" + name, (), rows)
    check_element(file, "observables/multipliers", (CONSTRAINTS,), rows)
    for name in ("position", "momentum"):
        check_element(file, "particles/system/" + name, (PARTICLES, AXES), rows)
    position = file["particles/system/position"]
    for row in {0, rows // 2, rows - 1}:
        step = position["step"][row]
        for i in range(PARTICLES):
            for axis in range(AXES):
                assert abs(position["value"][row, i, axis] - value(step, PARTICLES * axis + i)) < 1e-9, (row, i, axis)


def counted(file):
    """Samples that the newer checkpoint counts; the checkpoint itself may be being rewritten, so the least that is sure."""
    head = file["rattle/checkpoint/head"]
    names = [text(n) for n in head.attrs["names"]]
    return int(head[:, names.index("samples")].min())


def check_rattle(file):
    rattle = file["rattle"]
    assert rattle.attrs["format"] == 1 and text(rattle.attrs["method"]) == "rattle(verlet)"
    assert rattle.attrs["step"] == 0.125 and len(text(rattle.attrs["content_hash"])) == 64
    assert [text(n) for n in rattle["names/coordinates"]] == [a + "[%d]" % i for a in "xyz" for i in (1, 2, 3)]
    assert text(rattle["names/constraints"][0]) == "link[1]"


def read_while_written(path, writer):
    seen = set()
    while writer.poll() is None:
        time.sleep(0.05)
        if not os.path.exists(path):
            continue
        with h5py.File(path, "r", libver="latest", swmr=True) as file:
            rows = counted(file)
            if rows > 1:
                check_elements(file, rows)
                seen.add(rows)
        if len(seen) > 3 and not writer.stdin.closed:
            writer.stdin.close()
    assert writer.returncode == 0
    return seen


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.h5")
        writer = subprocess.Popen([sys.argv[1], "--write", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        seen = read_while_written(path, writer)
        samples = int(writer.stdout.read())
        with h5py.File(path, "r") as file:
            check_metadata(file)
            check_elements(file, samples)
            assert file["particles/system/position/value"].shape[0] == samples
            check_rattle(file)
        print("read at %d lengths while written, and whole" % len(seen))


main()
