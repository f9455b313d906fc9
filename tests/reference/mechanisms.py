"""The seven mechanisms of bench/mechanisms_peers against minimal coordinates (bench/peers/mechanisms/reference.json): energy at the start, the tip after 1 s.

    mechanisms.py RATTLE SOURCE      RATTLE: the command"""
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
RATTLE, SOURCE = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "bench"))
from peers.mechanisms import systems  # noqa: E402

BODIES = ("kahan_li8(rattle(verlet))", 200)
TREES, LOOPS = ("gauss(8)", 50), ("spark_gauss(6)", 100)
RUNS = {"racket": (BODIES, TREES), "fourbar": (BODIES, LOOPS), "bricard": (BODIES, LOOPS), "chain10": (BODIES, TREES), "tree30": (BODIES, TREES),
        "chain50": (BODIES, TREES), "chain50b": (("kahan_li8(rattle(verlet))", 400),)}


def run(folder, name, joints, method, steps):
    """The energy at the start and the tip at the end."""
    how = ["-P", f"joints={joints}", "--method", method, "--step", repr(1/steps), "--stop", "1", "--evaluator", "block", "--json"]
    done = subprocess.run([RATTLE, "run", os.path.join(folder, name + ".lua"), *how], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    return found["energy"]["initial"], [found["observed"][x] for x in "xyz"]


def main():
    with open(os.path.join(SOURCE, "bench", "peers", "mechanisms", "reference.json"), encoding="utf-8") as file:
        exact = json.load(file)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        systems.write(folder)
        for name, runs in RUNS.items():
            for joints, how in enumerate(runs):
                energy, tip = run(folder, name, joints, *how)
                error, off = math.dist(tip, exact[name]["tip"]), abs(energy - exact[name]["energy"])
                good = error < 1e-10 and off <= 1e-13*max(1, abs(exact[name]["energy"]))
                bad += not good
                print(f"{'' if good else 'FAILED '}{name} {'joints' if joints else 'bodies'} {how[0]}, {how[1]} steps: "
                      f"tip off by {error:.1e}, energy by {off:.1e}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
