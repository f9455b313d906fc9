"""What a step from Python takes beyond the step itself, in nanoseconds: n calls of one step against one call of n steps.

    python3 bench/python.py [MODEL.lua]"""
import os
import sys
import time

import rattle

path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "examples", "pendulum.lua")
integrator = rattle.load(path).integrator(evaluator="native")
step, n = integrator.step, 200_000


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def single():
    for _ in range(n):
        step()


alone, together = (min(seconds(work) for _ in range(7)) for work in (single, lambda: step(n)))
print(f"a step from Python {1e9*alone/n:.0f} ns, in a call of {n} steps {1e9*together/n:.0f} ns: {1e9*(alone - together)/n:.0f} ns beyond")
