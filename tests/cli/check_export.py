#!/usr/bin/python3
"""An exported model, compiled by cc, follows the run of the library.

    check_export.py RATTLE MODEL.lua TOLERANCE STEP [OPTION...]
"""
import json
import os
import subprocess
import sys
import tempfile


def method_of(header):
    """The method that the driver follows."""
    if "M = 0 }" in header:
        return "verlet"
    return "rattle(verlet)" if "#define HOLONOMIC 1" in header else "rattle(midpoint)"


def main():
    rattle, model, tolerance, options = os.path.abspath(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[5:]
    steps, step = 200, float(sys.argv[4])
    with tempfile.TemporaryDirectory(prefix="rattle-export-") as folder:
        subprocess.run([rattle, "export", model, "-o", folder] + options, check=True, stdout=subprocess.DEVNULL)
        names = sorted(os.listdir(folder))
        with open(os.path.join(folder, "model.h"), encoding="utf-8") as header:
            method = method_of(header.read())
        sources = [name for name in names if name.endswith(".c")]
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror"] + sources + ["-lm"], cwd=folder, check=True)
        lines = subprocess.run([os.path.join(folder, "a.out"), str(step), str(steps), str(steps)], check=True,
                               capture_output=True, text=True).stdout.splitlines()
    run = json.loads(subprocess.run([rattle, "run", model, "--method", method, "--step", str(step), "--steps", str(steps),
                                     "--json"] + options, check=True, capture_output=True, text=True).stdout)
    exported = dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))
    worst = max(abs(exported[name] - value) for name, value in run["final"].items())
    worst = max(worst, abs(exported["energy"] - run["energy"]["final"]))
    moved = max(abs(float(a) - float(b)) for a, b in zip(lines[1].split(",")[2:], lines[-1].split(",")[2:]))
    print(f"{os.path.basename(model)}, {method}: {names}, largest difference {worst:.2e} after {steps} steps")
    return 0 if names == ["model.c", "model.h", "rattle.c"] and worst <= tolerance and moved > 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
