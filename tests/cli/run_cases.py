#!/usr/bin/python3
"""Runs the cases of argument files against the rattle command.

    run_cases.py RATTLE SOURCE_DIR FILE.case...

A case file holds cases; each runs in a folder of its own with the models of tests/cli/models and examples in it:

    == name                     begins a case
    sh COMMAND                  a shell command to prepare something ($RATTLE is the command, $SOURCE the source); must succeed
    $ run pendulum.lua ...      runs rattle with these words; the checks below are about it
    $INT run ...                the same, with that signal sent once the command handles it (also TERM, HUP)
    $KILL@OUT.h5 run ...        the same, sent once OUT.h5 has more samples than before, and more than one
    $TTY run ...                the same, with standard error on a terminal
    exit N                      exit status (0 where no line says other)
    out TEXT    err TEXT        standard output, standard error contain TEXT
    out~ REGEX  err~ REGEX      ... match
    out! TEXT   err! TEXT       ... do not contain TEXT
    out-empty   err-empty
    json PATH == VALUE          the JSON object on standard output: PATH as in energy.max_error; VALUE in JSON
    json PATH ~ VALUE TOL       |difference| <= TOL;  also <, <=, >, >=
    json-keys A B C ...         the object has exactly these keys, in this order
    same PATH I J               the JSON field is equal in runs I and J of the case (1 is the first)
    file NAME   nofile NAME     NAME is there, is not
    contains NAME TEXT          the file contains TEXT
    time-said                   prints how long the run took (not judged: machines differ)
"""
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class Failure(Exception):
    pass


def say(case, what):
    return Failure(f"{case['name']}: {what}")


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("== "):
                cases.append({"name": line[3:], "lines": []})
            elif not cases:
                raise Failure(f"{path}:{number}: a line before the first case")
            else:
                cases[-1]["lines"].append(line)
    if not cases:
        raise Failure(f"{path}: no cases")
    return cases


class Result:
    def __init__(self, words, status, out, err, seconds):
        self.words, self.status, self.out, self.err, self.seconds = words, status, out, err, seconds

    def field(self, path):
        def refuse(word):
            raise Failure(f"{word} in JSON")
        value = json.loads(self.out, parse_constant=refuse)
        for part in path.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value


def drain(terminal):
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    return text


def handles(process, number):
    """Whether a process has a handler for the signal, as Linux says."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
        caught = re.search(r"^SigCgt:\s*(\w+)", status.read(), re.MULTILINE)
    return bool(int(caught[1], 16) >> (number - 1) & 1) if caught else False


def samples_of(rattle, record):
    info = subprocess.run([rattle, "info", record, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(info.stdout)["samples"] if info.returncode == 0 else 0


def wait_to_signal(process, ready, rest):
    """Until it is time for the signal, however long this takes: ctest has a limit."""
    while not ready():
        if process.poll() is not None:
            raise Failure(f"{rest}: ended before the signal could be sent")
        time.sleep(0.02)


def run(rattle, folder, line, environment):
    match = re.match(r"\$(INT|TERM|HUP|KILL|TTY)?(?:@(\S+))?(?: (.*))?$", line)
    if not match:
        raise Failure(f"bad line: {line}")
    kind, record, rest = match.groups()
    number = getattr(signal, "SIG" + kind) if kind and kind != "TTY" else 0
    record = record and os.path.join(folder, record)
    samples = max(1, samples_of(rattle, record)) if record else 0
    words = shlex.split(rest or "")
    begin = time.monotonic()
    if kind == "TTY":
        master, slave = pty.openpty()
        process = subprocess.Popen([rattle] + words, cwd=folder, stdout=subprocess.PIPE, stderr=slave, env=environment)
        os.close(slave)
        err = drain(master)
        out = process.communicate()[0]
        os.close(master)
    else:
        process = subprocess.Popen([rattle] + words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        if kind:
            wait_to_signal(process, lambda: samples_of(rattle, record) > samples if record else handles(process, number), rest)
            process.send_signal(number)
        out, err = process.communicate()
    return Result(rest, process.returncode, out.decode("utf-8"), err.decode("utf-8"), time.monotonic() - begin)


def check_json(result, words):
    path, operator, value = words[0], words[1], json.loads(words[2])
    found = result.field(path)
    if operator == "==":
        good = found == value and isinstance(found, bool) == isinstance(value, bool)
    elif operator == "~":
        good = found is not None and abs(found - value) <= float(words[3])
    else:
        compare = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
        good = found is not None and compare[operator](found, value)
    if not good:
        raise Failure(f"json {' '.join(words)}: found {found!r}")


def check_text(kind, where, text, want):
    found = re.search(want, text, re.MULTILINE) if kind == "~" else want in text
    if bool(found) == (kind == "!"):
        raise Failure(f"{where}{kind} {want}: found {text!r}")


def check(line, results, folder):
    result = results[-1]
    word, _, rest = line.partition(" ")
    if word in ("out", "err", "out~", "err~", "out!", "err!"):
        check_text(word[3:], word[:3], result.out if word[:3] == "out" else result.err, rest)
    elif word in ("out-empty", "err-empty"):
        text = result.out if word == "out-empty" else result.err
        if text:
            raise Failure(f"{word}: found {text!r}")
    elif word == "json":
        # the value may hold spaces only as a quoted string
        words = re.match(r"(\S+) (\S+) (\"(?:[^\"\\]|\\.)*\"|\S+)(?: (\S+))?$", rest).groups()
        check_json(result, [w for w in words if w is not None])
    elif word == "json-keys":
        keys = list(json.loads(result.out))
        if keys != rest.split():
            raise Failure(f"json-keys: found {' '.join(keys)}")
    elif word == "same":
        path, first, second = rest.split()
        a, b = (results[int(i) - 1].field(path) for i in (first, second))
        if a != b or a in ({}, [], None):
            raise Failure(f"same {rest}: {a!r} and {b!r}")
    elif word in ("file", "nofile"):
        if os.path.exists(os.path.join(folder, rest)) != (word == "file"):
            raise Failure(line)
    elif word == "contains":
        name, _, text = rest.partition(" ")
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            if text not in file.read():
                raise Failure(line)
    elif word == "time-said":
        print(f"    {result.words}: {1000 * result.seconds:.0f} ms")
    else:
        raise Failure(f"bad line: {line}")


def check_status(result, wanted):
    if result is not None and result.status != wanted:
        raise Failure(f"rattle {result.words}: exit status {result.status}, expected {wanted}\n{result.out}{result.err}")


def run_case(rattle, source, case):
    environment = dict(os.environ, RATTLE=rattle, SOURCE=os.path.abspath(source), LC_ALL="C.UTF-8")
    results, wanted = [], 0
    with tempfile.TemporaryDirectory(prefix="rattle-cli-") as folder:
        environment["XDG_CACHE_HOME"] = os.path.join(tempfile.gettempdir(), f"rattle-cli-cache-{os.getuid()}")
        for models in ("examples", "tests/cli/models"):
            for name in os.listdir(os.path.join(source, models)):
                if name.endswith((".lua", ".bonds", ".data", ".top", ".itp", ".gro", ".urdf", ".mjcf", ".xml", ".stl", ".obj", ".sdf")):
                    shutil.copy(os.path.join(source, models, name), folder)
        lines = case["lines"]
        for place, line in enumerate(lines):
            if line.startswith("$"):
                results.append(run(rattle, folder, line, environment))
                following = lines[place + 1] if place + 1 < len(lines) else ""
                wanted = int(following.split()[1]) if following.startswith("exit ") else 0
                check_status(results[-1], wanted)
            elif line.startswith("exit "):
                if not lines[place - 1].startswith("$"):
                    raise Failure("exit must follow its command")
            elif line.startswith("sh "):
                subprocess.run(line[3:], shell=True, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            else:
                check(line, results, folder)
    if not results:
        raise Failure("runs nothing")


def main():
    rattle, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    failed = count = 0
    for path in sys.argv[3:]:
        for case in read_cases(path):
            count += 1
            try:
                run_case(rattle, source, case)
                print(f"ok    {case['name']}")
            except (Failure, KeyError, TypeError, AttributeError, ValueError, OSError, subprocess.SubprocessError) as what:
                failed += 1
                print(f"FAIL  {case['name']}: {type(what).__name__ + ': ' if not isinstance(what, Failure) else ''}{what}")
    print(f"{count - failed} of {count} cases passed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
