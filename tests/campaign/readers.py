#!/usr/bin/python3
"""Sweeps, samples and records that are read while they are written, with slow reads: nothing crashes, and what a reader was shown stays so.

    readers.py RATTLE SOURCE_DIR SLOW_READS.so [READS]     1000 reads unless said otherwise; a tenth of them without slow reads
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

# rows bring new values of an axis
SWEEP = ["sweep", "pendulum.lua", "--start", "py=-2,-1", "--set", "gravity=1:3:0.0125", "--step", "0.01", "--stop", "1000",
         "--evaluator", "block", "--threads", "1", "--quiet"]
SAMPLE = ["sample", "torus.lua", "--samples", "1500", "--every", "1000", "--warmup", "100", "--step", "0.1", "--method", "langevin(rattle(verlet))",
          "--seed", "5", "--evaluator", "block", "--threads", "1"]
RECORD = ["run", "pendulum.lua", "--step", "0.001", "--stop", "20000", "--every", "1000", "--evaluator", "block", "--quiet"]


def of_cases(text):
    """How many rows there are, by info --json."""
    said = json.loads(text)
    return said["done"] if "done" in said else said["chains"]*said["samples"]


def of_record(text):
    return json.loads(text)["samples"]


PAGE, TABLE = "report {} -o page.html --force", "info {} --csv table.csv --force"
# what is written: the command; its reads, {} being the file; how many rows info --json has
KINDS = {"sweep": (SWEEP, ["info {}", PAGE, "info {} --json", TABLE, PAGE,
                           "plot {} --style heat --x gravity --y py -o figure.gp --force", "plot {} --style histogram --y x -o figure.gp --force"], of_cases),
         "samples": (SAMPLE, ["info {}", "info {} --json", TABLE, PAGE, "plot {} --y x -o figure.gp --force"], of_cases),
         "record": (RECORD, ["info {}", "info {} --json", PAGE, "plot {} --y x -o figure.gp --force"], of_record)}
ENVIRONMENT = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.check=3",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


def memory_checks(rattle):
    """A library that says when something was written behind a block, where there is one and no sanitizer does it."""
    with open(rattle, "rb") as file:
        return [] if b"__asan" in file.read() else glob.glob("/lib*/*/libc_malloc_debug.so.0")[:1]


class Writing:
    """A command at work on a file, and what its readers were shown."""

    def __init__(self, rattle, slow, kind, number):
        command, self.reads, self.count = KINDS[kind]
        self.rattle, self.slow, self.kind, self.path = rattle, slow, kind, f"{kind}{number}.h5"
        self.rows, self.most, self.early = set(), -1, 0
        self.process = subprocess.Popen([rattle, *command, "-o", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def goes_on(self):
        return self.process.poll() is None

    def read(self, number):
        words = [word.format(self.path) for word in self.reads[number % len(self.reads)].split()]
        done = subprocess.run([self.rattle, *words], capture_output=True, text=True, env=ENVIRONMENT if number % 10 == 9 else self.slow)
        if done.returncode:
            # too early: a sentence
            self.early += 1
            if done.returncode not in (1, 2) or done.stderr.count("\n") != 1 or self.most > 0:
                sys.exit(f"rattle {' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
            return
        if "--json" in words:
            now = self.count(done.stdout)
            if now < self.most:
                sys.exit(f"{self.path} had {self.most} rows, and has {now} now")
            self.most = now
        if "--csv" in words and self.kind == "sweep":
            with open("table.csv", encoding="utf-8") as file:
                self.rows |= set(file)
        if "page.html" in words:
            with open("page.html", encoding="utf-8") as file:
                if not file.read().rstrip().endswith("</html>"):
                    sys.exit(f"the page of {self.path} is cut")

    def end(self):
        """The rows that readers have seen are those of the complete file."""
        if self.process.wait():
            sys.exit(f"the writer of {self.path} ended with {self.process.returncode}")
        if self.rows:
            subprocess.run([self.rattle, "info", self.path, "--csv", "table.csv", "--force"], check=True, stdout=subprocess.DEVNULL)
            with open("table.csv", encoding="utf-8") as file:
                if not self.rows <= set(file):
                    sys.exit(f"readers of {self.path} have seen rows that it does not have")
        os.remove(self.path)


def watch_ends(rattle, slow, runs):
    """Runs that end while they are opened: each is seen to its end, and none as killed or cut."""
    for number in range(runs):
        run = subprocess.Popen([rattle, "run", "pendulum.lua", "--step", "0.001", "--stop", str(5*(1 + number % 40)), "--every", "1000",
                                "--evaluator", "block", "--quiet", "-o", "end.h5", "--force"])
        while not os.path.exists("end.h5"):
            pass
        watched = subprocess.run([rattle, "watch", "end.h5", "--interval", "0.05"], capture_output=True, text=True, env=slow)
        if watched.returncode or "the run is done" not in watched.stdout or run.wait():
            sys.exit(f"run {number} was seen to end with {watched.returncode}: {watched.stderr}")
        os.remove("end.h5")
    print(f"{runs} runs watched to their ends")


def main(rattle, slow, reads):
    for kind in KINDS:
        own = (reads + len(KINDS) - 1)//len(KINDS)
        number = done = meanwhile = early = 0
        while done < own:
            writing = Writing(rattle, slow, kind, number)
            while not os.path.exists(writing.path) and writing.goes_on():
                pass
            while done < own and writing.goes_on():
                writing.read(done)
                done += 1
                meanwhile += writing.goes_on()
            if done == own:
                writing.process.terminate()
                writing.process.wait()
            else:
                writing.end()
            early += writing.early
            number += 1
        print(f"{kind}: {done} reads, {meanwhile} of them while it was written, {early} too early; {number} files")
        if meanwhile < done//2:
            sys.exit(f"{kind}: too few reads while it was written")


if __name__ == "__main__":
    rattle_path, source_path, slow_path = map(os.path.abspath, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for model in ("pendulum.lua", "torus.lua"):
            shutil.copy(os.path.join(source_path, "examples", model), ".")
        slowly = {**ENVIRONMENT, "LD_PRELOAD": ":".join([slow_path, *memory_checks(rattle_path)])}
        asked = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
        main(rattle_path, slowly, asked)
        watch_ends(rattle_path, slowly, asked)
