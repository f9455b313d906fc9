#!/usr/bin/python3
"""Work of each command for a chain of ten times as many links, for ten times as many observables, events and samples, and for topologies of ten times
as many molecules: at most 14 times as many texts compared, and bytes allocated, copied, read and written.

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
    "export": "export r.h5 -o r.csv --force",
    "check": "check MODEL -P N={n}",
    "sweep": "sweep MODEL -P N={n} --set N={n} -o s.h5 --force --evaluator block",
    "info of a sweep": "info s.h5",
    "study": "study drift MODEL -P N={n} --stop 0.08",
}

WATERS = {
    "w.data": "t\n\n{atoms} atoms\n{bonds} bonds\n2 atom types\n1 bond types\n\n0 99 xlo xhi\n0 99 ylo yhi\n0 99 zlo zhi\n\nMasses\n\n1 16\n2 1\n\n"
                    "Bond Coeffs # harmonic\n\n1 450 1\n\nAtoms # full\n\n{placed}\nBonds\n\n{joined}",
    "w.top": "[ atomtypes ]\nO 16 0 A 0 0\nH 1 0 A 0 0\n[ moleculetype ]\nW 1\n[ atoms ]\n{listed}[ bonds ]\n{kept}[ molecules ]\nW 1\n",
    "w.gro": "t\n{atoms}\n{drawn}9 9 9\n"}
TOPOLOGIES = {"bonds check of a data file": "bonds check w.data", "bonds check of a topology": "bonds check w.top w.gro",
              "bonds export": "bonds export w.data -o w.bonds --force"}


def write_waters(n):
    """n molecules, all of one molecule type of GROMACS."""
    atoms = [(3*k + e + 1, k + 1, "OHH"[e], (k % 90 + (0, 1, 0)[e], k//90 % 90 + (0, 0, 1)[e], k//8100)) for k in range(n) for e in range(3)]
    bonds = [(3*k + 1, 3*k + e) for k in range(n) for e in (2, 3)]
    parts = {"atoms": 3*n, "bonds": 2*n,
             "placed": "".join(f"{a} {m} {1 if e == 'O' else 2} 0 {x} {y} {z}\n" for a, m, e, (x, y, z) in atoms),
             "joined": "".join(f"{k + 1} 1 {i} {j}\n" for k, (i, j) in enumerate(bonds)),
             "listed": "".join(f"{a} {e} 1 W {e} {a}\n" for a, _, e, _ in atoms), "kept": "".join(f"{i} {j} 1 0.1 1000\n" for i, j in bonds),
             "drawn": "".join(f"{m:5d}W    {e:>5s}{a % 99999:5d}{x/10:8.3f}{y/10:8.3f}{z/10:8.3f}\n" for a, m, e, (x, y, z) in atoms)}
    for name, text in WATERS.items():
        with open(name, "w", encoding="ascii") as file:
            file.write(text.format(**parts))


def count(rattle, counts, words):
    """What all processes of a command did."""
    if os.path.exists("counts"):
        os.remove("counts")
    environment = {**os.environ, "LD_PRELOAD": counts, "RATTLE_COUNTS": os.path.abspath("counts")}
    done = subprocess.run([rattle, *words], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"rattle {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    with open("counts", encoding="ascii") as file:
        done = [sum(column) for column in zip(*([int(word) for word in line.split()] for line in file))]
    assert all(done[:3]), f"rattle {' '.join(words)}: nothing was counted: {done}"
    return done


def compare(what, names, some, found):
    """1: a command does too much for ten times as many."""
    failed = 0
    for name in names:
        for kind, small, large in zip(KINDS, found[name, some], found[name, 10 * some]):
            if large > GROWTH * small:
                failed = 1
                print(f"FAILED {what}, {name}: {small} {kind}, {large} where it is ten times as large")
    return failed


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
        failed |= compare(model, COMMANDS, some, found)
    found = {}
    for n in (400, 4000):
        write_waters(n)
        for name, command in TOPOLOGIES.items():
            found[name, n] = count(rattle, counts, command.split())
    failed |= compare("water", TOPOLOGIES, 400, found)
    sys.exit(failed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.abspath(word) for word in (sys.argv[1], sys.argv[3])]
        os.chdir(folder)
        main(*paths)
