#!/usr/bin/python3
"""Files of sweeps: the same rows for any number of threads, after kill -9 and after damage; two writers at one file.

    check_sweep.py RATTLE SOURCE_DIR
"""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

# long enough that rows are on file before the end: 0.2 s after they were made at the latest
SWEEP = ["sweep", "pendulum.lua", "--set", "gravity=1,2", "--start", "py~uniform(-2,-1)", "--step", "0.01", "--quiet"]
LONG = [*SWEEP, "--count", "40", "--stop", "3000", "--evaluator", "block"]


def run(rattle, *words, ok=(0,)):
    done = subprocess.run([rattle, *words], capture_output=True, text=True)
    if done.returncode not in ok:
        sys.exit(f"rattle {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def info(rattle, path):
    return json.loads(run(rattle, "info", path, "--json").stdout)


def rows(rattle, path):
    run(rattle, "info", path, "--csv", "rows.csv", "--force")
    with open("rows.csv", encoding="utf-8") as file:
        return file.read()


def check(what, condition):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        sys.exit(1)


def begin(rattle, path, *more):
    """A sweep that is at work, with some rows on file."""
    if os.path.exists(path):
        os.remove(path)
    process = subprocess.Popen([rattle, *LONG, "--threads", "1", "-o", path, *more])
    while process.poll() is None and (not os.path.exists(path) or info(rattle, path)["done"] == 0):
        pass
    check(f"{path} is being written", process.poll() is None)
    return process


def threads(rattle):
    texts = set()
    for count in ("1", "2", "5"):
        for design in ("random", "lhs", "sobol"):
            name = f"{design}{count}.h5"
            run(rattle, *SWEEP, "--count", "30", "--stop", "1", "--design", design, "--seed", "3", "--threads", count, "-o", name)
            texts.add((design, rows(rattle, name)))
    check("rows do not depend on the number of threads", len(texts) == 3)


def kills(rattle):
    run(rattle, *LONG, "-o", "whole.h5")
    whole = rows(rattle, "whole.h5")
    check("all cases are there", whole.count("\n") == 81)
    for _ in range(3):
        process = begin(rattle, "cut.h5")
        process.kill()
        process.wait()
        before = info(rattle, "cut.h5")
        check(f"kill -9: {before['done']} of 80 cases are on file", 0 < before["done"] < 80 and before["damaged"] == 0)
        cut = rows(rattle, "cut.h5")
        check("those are right", set(cut.splitlines()) <= set(whole.splitlines()))
        run(rattle, "resume", "cut.h5", "--quiet")
        check("continued, it has the same rows", rows(rattle, "cut.h5") == whole)
    return whole


def interruption(rattle, whole):
    process = begin(rattle, "cut.h5")
    process.send_signal(signal.SIGINT)
    check("exit status 130", process.wait() == 130)
    run(rattle, "resume", "cut.h5", "--quiet")
    check("continued after Ctrl-C, it has the same rows", rows(rattle, "cut.h5") == whole)


def writers(rattle):
    process = begin(rattle, "cut.h5")
    process.send_signal(signal.SIGSTOP)
    second = run(rattle, "resume", "cut.h5", ok=(1,))
    check("a second writer is refused", "is being written by another run" in second.stderr)
    third = run(rattle, *SWEEP, "--count", "1", "--stop", "1", "-o", "cut.h5", "--force", ok=(1,))
    check("so is one that would replace the file", "is being written" in third.stderr)
    process.kill()
    process.wait()


def damage(rattle, whole):
    with open("whole.h5", "rb") as file:
        good = file.read()
    # numbers of a row by their bytes, which are in the file once
    numbers, found = [struct.pack("<d", float(text)) for text in whole.splitlines()[41].split(",")[8:12]], 0
    for place in map(good.index, numbers):
        with open("bad.h5", "wb") as file:
            file.write(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
        said = info(rattle, "bad.h5")
        found += said["damaged"] == 1 and said["done"] == 79
        run(rattle, "resume", "bad.h5", "--quiet")
        check(f"a bit at {place}: continued, it has the same rows", rows(rattle, "bad.h5") == whole)
    check(f"damage to a row is found ({found} of 4)", found == 4)
    with open("bad.h5", "wb") as file:
        file.write(good.replace(b"count 40", b"count 41"))
    check("so is damage to the plan", run(rattle, "info", "bad.h5", ok=(2,)).stderr.count("damaged") == 1)
    for size in range(0, len(good), len(good) // 23):
        with open("bad.h5", "wb") as file:
            file.write(good[:size])
        bad = run(rattle, "info", "bad.h5", ok=(2,))
        check(f"{size} bytes of it are refused with a sentence", bad.stderr.count("\n") == 1)


def figure(rattle):
    """Of many points that fall on one spot one is drawn."""
    for count in (150000, 1000):
        run(rattle, "sweep", "pendulum.lua", "--start", "py~uniform(-2,-1)", "--set", "gravity~uniform(1,2)", "--count", str(count), "--steps", "1",
            "--step", "0.01", "--keep", "ends", "-o", "cloud.h5", "--quiet", "--force")
        run(rattle, "plot", "cloud.h5", "--x", "gravity", "--y", "start:py", "-o", "cloud.gp", "--force")
        with open("cloud.gp", encoding="utf-8") as file:
            drawn = sum(len(line.split()) == 2 and line[0] in "-0123456789" for line in file)
        check(f"{drawn} of {count} points are drawn", drawn == 1000 if count == 1000 else 80000 < drawn < 110000)


def main():
    rattle, source = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(source, "examples/pendulum.lua"), folder)
        os.chdir(folder)
        threads(rattle)
        whole = kills(rattle)
        interruption(rattle, whole)
        writers(rattle)
        damage(rattle, whole)
        figure(rattle)
        os.chdir("/")


main()
