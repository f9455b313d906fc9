#!/usr/bin/env python3
"""Last states of the examples, and times of steps, by other elementary functions (docs/decisions/188-elementary-functions.md).

    bench/libm.py [RATTLE [ROUNDS]]      RATTLE: build/rattle by default; ROUNDS: 7

The examples that have other bits after 200 steps, interpreted, without FMA (glibc then takes other functions) and with those of musl (tools/libm), and how
far states are apart, in parts of their size or of 1. Then nanoseconds of a step, native, relative to glibc: glibc once more, and musl; the least of
interleaved rounds.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TIMED = {"four_bars": 20000, "kapitza": 500000, "driven_pendulum": 500000, "stewart": 5000}


def last_state(rattle, path, env):
    """Coordinates and momenta after 200 steps."""
    words = ["-P", "N=20"] if path.endswith("/chain.lua") else []
    ran = subprocess.run([rattle, "run", path, "--evaluator", "block", "--steps", "200", "--json", *words],
                         check=True, capture_output=True, text=True, env={**os.environ, **env})
    return list(json.loads(ran.stdout)["final"].values())


def step_time(rattle, name, env):
    ran = subprocess.run([rattle, "run", os.path.join(SOURCE, "examples", name + ".lua"), "--steps", str(TIMED[name]), "--evaluator", "native", "--json"],
                         check=True, capture_output=True, text=True, env={**os.environ, **env})
    return json.loads(ran.stdout)["ns_per_step"]


def main():
    rattle = sys.argv[1] if len(sys.argv) > 1 else os.path.join(SOURCE, "build", "rattle")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        musl = os.path.join(folder, "libmusl_m.so")
        subprocess.run([os.path.join(SOURCE, "tools", "libm"), musl], check=True, stdout=subprocess.DEVNULL)
        others = {"without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"}, "with musl": {"LD_PRELOAD": musl}}
        paths = sorted(glob.glob(os.path.join(SOURCE, "examples", "*.lua")))
        apart = {kind: [] for kind in others}
        for path in paths:
            own = last_state(rattle, path, {})
            for kind, env in others.items():
                other = last_state(rattle, path, env)
                if other != own:
                    most = max(abs(x - y)/max(1, abs(x)) for x, y in zip(own, other))
                    apart[kind].append(f"{os.path.basename(path)[:-4]} {most:.0e}")
        for kind, names in apart.items():
            print(f"{kind} {len(names)} of {len(paths)} examples differ: {', '.join(names)}", flush=True)
        for name in TIMED:
            least = [float("inf")]*3
            for _ in range(rounds):
                for k, env in enumerate(({}, {}, others["with musl"])):
                    least[k] = min(least[k], step_time(rattle, name, env))
            print(f"{name:18} glibc once more {least[1]/least[0]:.2f}, musl {least[2]/least[0]:.2f}", flush=True)


if __name__ == "__main__":
    main()
