#!/usr/bin/env python3
"""Nanoseconds of processor time of a step in two builds of the command, in turn, the least of several rounds each; as of a wheel and of this build:

    bench/builds.py build/rattle ~/.venv/lib/python3.11/site-packages/rattle/prefix/bin/rattle [ROUNDS]"""
import os
import resource
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
RUNS = [("pendulum", [], 400000), ("chain", ["-P", "N=100"], 20000), ("chain", ["-P", "N=2000"], 2000), ("rigid_body", [], 100000)]


def processor(command, example, options, steps, evaluator, folder):
    """Seconds of the processor for a run."""
    asked = [command, "run", os.path.join(EXAMPLES, example + ".lua"), *options, "--method", "rattle(verlet)", "--step", "0.001", "--steps", str(steps),
             "--every", str(steps), "--evaluator", evaluator]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(asked, check=True, capture_output=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(one, other, rounds=7):
    with tempfile.TemporaryDirectory() as folder:
        for example, options, steps in RUNS:
            for evaluator in ("block", "native"):
                times = [[processor(os.path.abspath(command), example, options, count, evaluator, folder) for command in (one, other) for count in (1, steps)]
                         for _ in range(int(rounds))]
                begun, first, started, second = map(min, zip(*times))
                first, second = 1e9*(first - begun)/steps, 1e9*(second - started)/steps
                print(f"{' '.join([example, *options[1:]])}, {evaluator}\t{first:.1f}\t{second:.1f}\tns/step\t{second/first:.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
