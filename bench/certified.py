#!/usr/bin/env python3
"""The examples whose steps are proved, by their own methods (docs/certificates.md), and seconds of processor time.

    bench/certified.py [RATTLE [NAME ...]]      RATTLE: build/rattle by default; NAME: examples, by default all of them

Runs of 100 steps each. A row: steps, those proved in one piece, those tracked, pieces, the
largest radius in units of round-off, seconds; or the reason why there is no certificate.
"""
import glob
import json
import os
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 100


def certify(rattle, name):
    """The certificate of a run, or why there is none, and the seconds of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ran = subprocess.run([rattle, "run", os.path.join(HERE, "..", "examples", name + ".lua"), "--steps", str(STEPS), "--certify", "--json"],
                         capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    found = json.loads(ran.stdout).get("certificate") if ran.stdout else None
    return found or (ran.stderr.strip().splitlines() or ["no certificate"])[0], seconds


def main():
    rattle = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "rattle")
    names = sys.argv[2:] or sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(HERE, "..", "examples", "*.lua")))
    proved, substeps = [], [0, 0]
    for name in names:
        found, seconds = certify(rattle, name)
        if isinstance(found, str):
            print(f"{name:18} {found[:140]}", flush=True)
            continue
        print(f"{name:18} {found['substeps']:5} steps, {found['one_piece']:5} in one piece, {found['tracked']:4} tracked, {found['pieces']:5} pieces, "
              f"{found['units'] or 0:6.3g} units, {seconds:6.2f} s" + (f", not proved {found['not_proved']}" if found["not_proved"] else ""), flush=True)
        if found["open"] == found["wrong"] == 0 and not found["not_proved"]:
            proved.append(name)
            substeps[0] += found["one_piece"]
            substeps[1] += found["tracked"]
    print(f"{len(proved)} of {len(names)} examples are proved for {STEPS} steps: {substeps[0]} substeps in one piece, {substeps[1]} tracked")


if __name__ == "__main__":
    main()
