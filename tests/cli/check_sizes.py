#!/usr/bin/python3
"""Work of each command for a chain of ten times as many links, and for ten times as many observables, events and samples: at most 14 times as
many texts compared, and bytes allocated, copied, read and written.

    check_sizes.py RATTLE SOURCE_DIR COUNTS        COUNTS: tests/cli/counts.c as a shared library
"""
import os
import subprocess
import sys
import tempfile

KINDS = ("texts compared", "bytes allocated", "bytes copied", "bytes read and written")
GROWTH = 14
CHAIN = """
local N = parameter("N", 10)
local x, px = pairs_of("x", N) local y, py = pairs_of("y", N)
local H = 0 for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end hamiltonian(H)
constrain("link[1]", x[1]^2 + y[1]^2 - 1)
for i = 2, N do constrain("link["..i.."]", (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end
for i = 1, N do start { [x[i]] = i } end
integrate { method = "rattle(verlet)", step = 0.01, stop = 0.04 }
"""
OBSERVABLES = """
local N = parameter("N", 10)
local x, px = pair("x")
hamiltonian((px^2 + x^2)/2)
for i = 1, N do observe("o"..i, x*i) end
start { x = 1 }
integrate { method = "verlet", step = 0.01, stop = 0.04 }
"""
EVENTS = """
local N = parameter("N", 10)
local x, px = pair("x")
hamiltonian((px^2 + x^2)/2)
for i = 1, N do event("e"..i, x - i/N) end
start { px = 2 }
integrate { method = "verlet", step = 0.01, stop = 0.04 }
"""
SAMPLES = """
local N = parameter("N", 10)
local x, px = pair("x")
hamiltonian((px^2 + x^2)/2)
start { x = 1 }
integrate { method = "verlet", step = 0.01, stop = N/2 }
"""
# and how many there are at first
MODELS = {"chain.lua": (CHAIN, 100), "observables.lua": (OBSERVABLES, 100), "events.lua": (EVENTS, 20), "samples.lua": (SAMPLES, 400)}
COMMANDS = {
    "run": "run MODEL -P N={n} -o r.h5 --force --evaluator block",
    "info": "info r.h5",
    "resume": "resume r.h5 --stop {later}",
    "recover": "recover r.h5",
    "report": "report r.h5 -o r.html --force",
    "plot": "plot r.h5 -o r.gp --force",
    "check": "check MODEL -P N={n}",
    "sweep": "sweep MODEL -P N={n} --set N={n} -o s.h5 --force --evaluator block",
    "info of a sweep": "info s.h5",
    "study": "study drift MODEL -P N={n} --stop 0.08",
}


def count(rattle, counts, words):
    """What all processes of a command did."""
    if os.path.exists("counts"):
        os.remove("counts")
    environment = {**os.environ, "LD_PRELOAD": counts, "RATTLE_COUNTS": os.path.abspath("counts")}
    done = subprocess.run([rattle, *words], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"rattle {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    with open("counts", encoding="ascii") as file:
        return [sum(column) for column in zip(*([int(word) for word in line.split()] for line in file))]


def main(rattle, counts):
    failed = 0
    for model, (text, some) in MODELS.items():
        with open(model, "w", encoding="ascii") as file:
            file.write(text)
        found = {}
        for n in (some, 10 * some):
            for name, command in COMMANDS.items():
                words = [model if word == "MODEL" else word for word in command.format(n=n, later=n if model == "samples.lua" else 0.08).split()]
                found[name, n] = count(rattle, counts, words)
        for name in COMMANDS:
            for kind, small, large in zip(KINDS, found[name, some], found[name, 10 * some]):
                if large > GROWTH * small:
                    failed = 1
                    print(f"FAILED {model}, {name}: {small} {kind}, {large} where it is ten times as large")
    sys.exit(failed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.abspath(word) for word in (sys.argv[1], sys.argv[3])]
        os.chdir(folder)
        main(*paths)
