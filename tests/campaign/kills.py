#!/usr/bin/python3
"""Sweeps and samples whose writers are stopped at random moments, by SIGKILL, SIGINT, SIGTERM and SIGHUP, and continued: the numbers are those
of a file that nobody stopped, to the bit.

    kills.py RATTLE SOURCE_DIR [KILLS [SEED]]     500 kills unless said otherwise
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SWEEP = ["sweep", "pendulum.lua", "--set", "gravity=1,2", "--start", "py~uniform(-2,-1)", "--count", "60", "--step", "0.01", "--stop", "600",
         "--evaluator", "block", "--quiet"]
SAMPLE = ["sample", "torus.lua", "--samples", "8000", "--every", "20", "--warmup", "100", "--step", "0.1", "--method", "langevin(rattle(verlet))",
          "--multipliers", "--seed", "5", "--starts", "z~normal(0,0.1)", "--evaluator", "block"]
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def numbers(rattle, path):
    subprocess.run([rattle, "info", path, "--csv", "rows.csv", "--force"], check=True, **QUIET)
    with open("rows.csv", encoding="utf-8") as file:
        return file.read()


class Kind:
    def __init__(self, rattle, command):
        self.rattle, self.command, self.name = rattle, command, command[0]
        began = time.monotonic()
        subprocess.run([rattle, *command, "-o", "whole.h5"], check=True, **QUIET)
        self.seconds = time.monotonic() - began
        self.whole = numbers(rattle, "whole.h5")
        self.kills = self.killed = self.files = self.too_late = self.unmade = 0
        os.remove("whole.h5")

    def stop_once(self, draw):
        """Begins or goes on, and is stopped. True: it was stopped before its end."""
        how = draw.choice(SIGNALS)
        begin = not os.path.exists("cut.h5")
        words = [*self.command, "-o", "cut.h5"] if begin else ["resume", "cut.h5", "--evaluator", "block", "--quiet"]
        process = subprocess.Popen([self.rattle, *words, "--threads", draw.choice("123")], **QUIET)
        time.sleep(draw.random()**2*self.seconds/2)
        process.send_signal(how)
        status = process.wait()
        if status not in (0, -how, 130):
            sys.exit(f"{self.name}, {how.name}: exit status {status}")
        self.kills += status != 0
        self.too_late += status == 0
        self.unmade += begin and not os.path.exists("cut.h5")
        self.killed += begin and how == signal.SIGKILL
        return status != 0

    def one_file(self, draw, most):
        """A file that is stopped several times, and then continued to its end."""
        for _ in range(min(most, draw.randint(1, 6))):
            if not self.stop_once(draw):
                break
        if os.path.exists("cut.h5"):
            done = subprocess.run([self.rattle, "resume", "cut.h5", "--quiet", "--evaluator", "block"], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{self.name}: cannot be continued: {done.stderr}")
            if numbers(self.rattle, "cut.h5") != self.whole:
                kept = shutil.copy("cut.h5", os.path.join(tempfile.gettempdir(), "other_numbers.h5"))
                sys.exit(f"{self.name}: other numbers in {kept}")
            os.remove("cut.h5")
            self.files += 1


def main(rattle, kills, seed):
    draw = random.Random(seed)
    for command in (SWEEP, SAMPLE):
        kind = Kind(rattle, command)
        while kind.kills < kills/2:
            kind.one_file(draw, kills//2 + 1 - kind.kills)
        left = [name for name in os.listdir(".") if name.startswith("cut")]
        print(f"{kind.name}: {kind.kills} kills, {kind.unmade} of them before there was a file, {kind.too_late} too late; "
              f"{kind.files} files with the same numbers; left: {', '.join(left) or 'nothing'}")
        # SIGKILL between two calls leaves the name under which a file is made; all other ends remove it
        if len(left) > kind.killed or not all(name.endswith(".part") for name in left):
            sys.exit(1)
        for name in left:
            os.remove(name)


if __name__ == "__main__":
    rattle_path, source_path = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for model in ("pendulum.lua", "torus.lua"):
            shutil.copy(os.path.join(source_path, "examples", model), ".")
        main(rattle_path, int(sys.argv[3]) if len(sys.argv) > 3 else 500, int(sys.argv[4]) if len(sys.argv) > 4 else 1)
