#!/usr/bin/python3
"""Files of samples: the same samples after kill -9, Ctrl-C and damage as without; what a file that is not complete says.

    check_sample.py RATTLE SOURCE_DIR
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

LONG = ["sample", "torus.lua", "--samples", "30000", "--warmup", "100", "--step", "0.1", "--method", "langevin(rattle(verlet))", "--multipliers",
        "--seed", "5", "--starts", "x=1.5,-1.5", "--starts", "z~normal(0,0.1)", "-P", "pull=0.5", "--evaluator", "block"]


def run(rattle, *words, ok=(0,)):
    done = subprocess.run([rattle, *words], capture_output=True, text=True)
    if done.returncode not in ok:
        sys.exit(f"rattle {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def check(what, condition):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        sys.exit(1)


def there(rattle, path):
    last = run(rattle, "info", path).stdout.splitlines()[-1]
    return int(last.split()[0]) if "samples are there" in last else 120000


def rows(rattle, path):
    run(rattle, "info", path, "--csv", "rows.csv", "--force")
    with open("rows.csv", encoding="utf-8") as file:
        return file.read()


def cut(rattle, how):
    """A file whose writer was stopped that way, with some samples."""
    if os.path.exists("cut.h5"):
        os.remove("cut.h5")
    process = subprocess.Popen([rattle, *LONG, "-o", "cut.h5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and (not os.path.exists("cut.h5") or there(rattle, "cut.h5") == 0):
        pass
    process.send_signal(how)
    return process.wait()


def main(rattle, source):
    shutil.copy(os.path.join(source, "examples", "torus.lua"), ".")
    run(rattle, *LONG, "-o", "whole.h5", "--csv", "whole.csv", "--threads", "3")
    with open("whole.csv", encoding="utf-8") as file:
        whole = file.read()
    check("the file has the samples of the command", rows(rattle, "whole.h5") == whole and whole.count("\n") == 120001)
    for how in (signal.SIGKILL, signal.SIGINT):
        status = cut(rattle, how)
        count = there(rattle, "cut.h5")
        check(f"{how.name}: {count} of 120000 samples are on file", 0 < count < 120000 and status == (130 if how == signal.SIGINT else -9))
        run(rattle, "resume", "cut.h5", "--quiet")
        check("continued, it has the same samples", rows(rattle, "cut.h5") == whole)
    with open("cut.h5", "rb") as file:
        good = file.read()
    half = len(good) // 2
    with open("cut.h5", "wb") as file:
        file.write(good[:half] + bytes([good[half] ^ 1]) + good[half + 1:])
    check("damage is seen", there(rattle, "cut.h5") < 120000)
    run(rattle, "resume", "cut.h5", "--quiet")
    check("and mended", rows(rattle, "cut.h5") == whole)
    check("a file is not replaced unasked", "exists" in run(rattle, *LONG, "-o", "cut.h5", ok=(2,)).stderr)
    check("--stop is refused", "--stop is for records of runs" in run(rattle, "resume", "cut.h5", "--stop", "1", ok=(2,)).stderr)


if __name__ == "__main__":
    rattle_path, source_path = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(rattle_path, source_path)
