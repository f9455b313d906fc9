#!/usr/bin/python3
"""The least address space in which each command works, as `ulimit -v` sets it. There, results are those of a process without a limit; below,
a command ends with a sentence, without a crash, and leaves no file, or a whole one where it was done.

    address_space.py RATTLE SOURCE_DIR [LIMITS]     how many limits are tried below the least, for each command: 40 unless said otherwise
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

MODELS = ("pendulum", "torus")
TOPOLOGY = "[atomtypes]\nH 1 0 A\n[moleculetype]\nM 1\n[atoms]\n1 H 1 M H 1\n2 H 1 M H 1\n[constraints]\n1 2 1 .1\n[molecules]\nM 1\n"
FILES = [["run", "pendulum.lua", "--steps", "40", "-o", "run.h5"],
         ["sweep", "pendulum.lua", "--set", "gravity=1,2", "--steps", "10", "-o", "sweep.h5"],
         ["sample", "torus.lua", "--samples", "20", "--warmup", "10", "-o", "samples.h5"]]
# words, and the file that they write, "" for none
COMMANDS = [("methods", ""), ("methods suzuki4(rattle(verlet))", ""), ("check pendulum.lua --quick", ""), ("info run.h5", ""),
            ("info sweep.h5 --csv OUT", "rows.csv"), ("info samples.h5", ""), ("certify run.h5", ""), ("recover run.h5", ""),
            ("run pendulum.lua --steps 40 --evaluator block --csv OUT", "run.csv"), ("run pendulum.lua --steps 40 --csv OUT", "run.csv"),
            ("run pendulum.lua --steps 40 --evaluator block --quiet -o OUT", "out.h5"), ("resume run.h5 --stop 2 --evaluator block --quiet", ""),
            ("sweep pendulum.lua --set gravity=1,2 --steps 10 --evaluator block --threads 2 --quiet -o OUT", "out.h5"),
            ("sample torus.lua --samples 20 --warmup 10 --evaluator block -o OUT", "out.h5"),
            ("study order pendulum.lua --methods rattle(verlet) --stop 1 --evaluator block --quiet -o OUT", "out.h5"),
            ("study orbit pendulum.lua --step 0.1 --evaluator block --quiet -o OUT", "out.h5"),
            ("report run.h5 -o OUT", "page.html"), ("report sweep.h5 -o OUT", "page.html"), ("plot run.h5 -o OUT", "figure.gp"),
            ("bonds check bonds.top", ""), ("new OUT", "new.lua"), ("export pendulum.lua -o OUT", "exported")]
CHANGES = re.compile(r"\d\d\d\d-\d\d-\d\dT[\d:]+Z|[\d.]+ (?:ns per step|s,)|wall time.*|[\d.]+ kB|run\.h5, model|\d+ ns/step.*")
PAGE = 256 * 1024


class Place:
    """A folder of its own for one process."""

    def __init__(self, rattle, kept):
        self.rattle, self.folder = rattle, tempfile.mkdtemp(prefix="space-")
        for name in os.listdir(kept):
            shutil.copy(os.path.join(kept, name), self.folder)
        self.before = set(os.listdir(self.folder))

    def numbers(self, name):
        """What a file says, without its dates."""
        path = os.path.join(self.folder, name)
        if os.path.isdir(path):
            return {inner: open(os.path.join(path, inner), encoding="utf-8").read() for inner in sorted(os.listdir(path))}
        if name.endswith(".h5"):
            return CHANGES.sub("", subprocess.run([self.rattle, "info", path], capture_output=True, text=True, check=True).stdout
                               .replace(self.folder, ""))
        with open(path, encoding="utf-8", errors="replace") as file:
            return CHANGES.sub("", file.read())

    def run(self, words, out, limit):
        """(exit status, results, complaint) of the command in so many bytes."""
        begin = ["sh", "-c", 'ulimit -c 0; ulimit -v $0; exec "$@"', str(limit // 1024) if limit else "unlimited", self.rattle]
        done = subprocess.run([*begin, *(out if word == "OUT" else word for word in words.split())], cwd=self.folder, capture_output=True,
                              text=True, errors="replace", timeout=300)
        new = set(os.listdir(self.folder)) - self.before
        results = (CHANGES.sub("", done.stdout), {name: self.numbers(name) for name in sorted(new)}) if done.returncode == 0 else self.halves(new)
        return done.returncode, results, done.stderr.strip()

    def halves(self, new):
        """New files that are not whole: those of HDF5 are so at any moment, and can be continued."""
        readable = [name for name in new if name.endswith(".h5") and subprocess.run(
            [self.rattle, "info", name], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0]
        return sorted(new - set(readable))

    def end(self):
        shutil.rmtree(self.folder)


def attempt(rattle, kept, words, out, limit):
    place = Place(rattle, kept)
    try:
        return place.run(words, out, limit)
    finally:
        place.end()


def fault(words, limit, ended, loaded=0):
    """What is wrong with the end of a command that had too little; "" if nothing. loaded: what the system's loader needs, which may crash below."""
    status, results, complaint = ended
    if status in (0, 126, 127) or limit < loaded:  # 126, 127: the program was not loaded
        return ""
    lines = [line for line in complaint.splitlines() if line]
    if status not in (1, 2):
        return f"{words}, {limit // 1024} kB: exit status {status}: {complaint[:300]}"
    if not lines or not any(line.startswith("rattle") for line in lines):
        return f"{words}, {limit // 1024} kB: no sentence: {complaint[:300]}"
    if results:
        return f"{words}, {limit // 1024} kB: leaves {', '.join(results)}: {complaint[:200]}"
    return ""


def least_of(rattle, kept, words, out, limits, loaded=0):
    """The least limit, and what is wrong at it, above and below it."""
    whole = attempt(rattle, kept, words, out, 0)
    if whole[0]:
        return 0, [f"{words}: {whole[2]}"]
    low, high, faults = 0, 1 << 31, []
    while high - low > PAGE:
        middle = (low + high) // 2
        ended = attempt(rattle, kept, words, out, middle)
        if ended[:2] == whole[:2]:
            high = middle
        else:
            low = middle
            faults += [fault(words, middle, ended, loaded)]
        if ended[0] == 0 and ended[1] != whole[1]:
            faults.append(f"{words}, {middle // 1024} kB: other results: {ended}, not {whole}")
    for k in range(limits):  # spread over all, and those next to the least
        for limit in (high * (limits - k) // (limits + 1), high - k * PAGE // 4, high + k * PAGE):
            ended = attempt(rattle, kept, words, out, limit)
            faults.append(fault(words, limit, ended, loaded))
            if ended[0] == 0 and ended[1] != whole[1]:
                faults.append(f"{words}, {limit // 1024} kB: other results: {ended}, not {whole}")
    return high, [what for what in faults if what]


def main(rattle, source, limits):
    kept = tempfile.mkdtemp(prefix="kept-")
    for name in MODELS:
        shutil.copy(os.path.join(source, "examples", name + ".lua"), kept)
    with open(os.path.join(kept, "bonds.top"), "w", encoding="utf-8") as file:
        file.write(TOPOLOGY)
    for words in FILES:
        subprocess.run([rattle, *words, "--evaluator", "block"], cwd=kept, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    loaded, _ = least_of(rattle, kept, "--version", "", 0)
    faults = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda row: least_of(rattle, kept, *row, limits, loaded), COMMANDS)
        for (words, _), (least, wrong) in zip(COMMANDS, found):
            print(f"{least / 2**20:7.1f} MiB  {words}", flush=True)
            faults += wrong
    shutil.rmtree(kept)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 40))
