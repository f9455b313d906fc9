#!/usr/bin/python3
"""Without a method `rattle run` takes the one that `rattle check` advises, and starts where it advises one; what `check` refuses `run` refuses.

    check_default.py RATTLE SOURCE_DIR

Tried on the examples and the models of the cases, whose own methods are taken out, on one model for each kind of problem, and on problems that
may not run."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

PAIRS = "".join(f"local q{i}, p{i} = pair('q{i}', 'p{i}')\n" for i in (1, 2, 3))
NATURAL, SEPARABLE = "(p1^2 + p2^2 + p3^2)/2 + q3", "sqrt(1 + p1^2 + p2^2 + p3^2) + q3"
GENERAL, SPHERE = "(1 + q1^2)*(p1^2 + p2^2 + p3^2)/2 + q3", "constrain('sphere', q1^2 + q2^2 + q3^2 - 1)\n"
START = "start { q1 = 0.6, q2 = 0.1, q3 = 0.7, p1 = 0.2, p2 = 0.5, p3 = 0.1, project = true }\nintegrate { step = 0.01, steps = 2 }\n"


def model(hamiltonian, constraints=""):
    return f"{PAIRS}hamiltonian({hamiltonian})\n{constraints}{START}"


# kind of problem, as it is printed: model, method
KINDS = {
    "unconstrained, natural": (model(NATURAL), "verlet"),
    "unconstrained, separable": (model(SEPARABLE), "verlet"),
    "unconstrained, quadratic": (model("(p1 + q2)^2/2 + p2^2/2 + q1^2 + p3^2/2 + q3^2"), "midpoint"),
    "unconstrained": (model(GENERAL), "midpoint"),
    "natural": (model(NATURAL, SPHERE), "rattle(verlet)"),
    "natural, full mass matrix": (model(NATURAL + " + p1*p2/4", SPHERE), "rattle(verlet)"),
    "separable": (model(SEPARABLE, SPHERE), "rattle(verlet)"),
    "holonomic": (model(GENERAL, SPHERE), "rattle(midpoint)"),
    "coisotropic": (model("p1^2 + p2^2 + p3^2 - q1/4 - q2/4", "constrain('ball', q1^2 + q2^2 + q3^2 + p1^2 + p2^2 + p3^2 - 1)\n"), "rattle(midpoint)"),
    "momenta alone": (model("(q1^2 + q2^2 + q3^2)/2 + p3", "constrain('speed', p1^2 + p2^2 + p3^2 - 1)\n"), "rattle(midpoint)"),
    "second class": (model("q1^2 + q2^2 + q3^2 + p3^2", "constrain('a', p1 + q2)\nconstrain('b', p2 - q1)\n"), "second_class(midpoint)"),
}

# problems that may not run, and why
REFUSED = {
    "gauge, the motion at rest": (model("(p1*q2 - p2*q1)^2/2 + p3^2/2 + q3", "constrain('c', q1^2 + q2^2 - 0.37)\n"), "infinitely many solutions"),
    "gauge, in momenta": (model("(q1*q2)^2/2 + p3^2/2 + q3*p3", "constrain('c', p1*q1 - p2*q2 - 0.07)\n"), "infinitely many solutions"),
    "gauge, two of two": (model("p3^2/2 + q3", "constrain('a', q1 + 0.1*q3)\nconstrain('b', q2 - q1*q3)\n"), None),
    "not natural, redundant": (model("p1^2 + p2^2*p3^2 + p3^2 + q3", "constrain('c', q1 + q2^2 - 0.61)\nconstrain('d', 2*q1 + 2*q2^2 - 1.22)\n"), "redundant"),
    "gradient that vanishes": (model("p1^2 + p2^2*(1 + p3^2) + p3^2 + q3", "constrain('c', (q1 - 0.6)^2)\n"), None),
    "brackets": (model(NATURAL, "constrain('a', p1 + q2, { dirac = true })\n"
                       "constrain('b', p2 - q1*p1, { dirac = true })\nconstrain('c', p3 + q1, { dirac = true })\n"), "not coisotropic"),
}


def ask(command, *words):
    done = subprocess.run([command, *words, "--json"], capture_output=True, text=True)
    try:
        return json.loads(done.stdout), done.stderr
    except ValueError:
        return None, done.stderr


def without_method(text):
    return re.sub(r'method\s*=\s*"[^"]*"\s*,?|compensated\s*=\s*true', "", text)


def compare(command, folder, name, text, expected):
    """Exits where the two commands differ."""
    path = os.path.join(folder, "model.lua")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    check, complaint = ask(command, "check", path)
    advised = check and check.get("advice", {}).get("method")
    if expected and advised != expected:
        sys.exit(f"{name}: check advises {advised}, expected {expected} {complaint}")
    run, complaint = ask(command, "run", path, "--project", "--step", "1e-4", "--steps", "1", "--evaluator", "block")
    taken = run and run.get("method")
    if not advised and taken:
        sys.exit(f"{name}: check refuses it ({check and check.get('refused')}), run starts: {complaint}")
    if taken != advised:
        sys.exit(f"{name}: check advises {advised}, run takes {taken} {complaint}")


def main():
    command, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        for kind, (text, method) in KINDS.items():
            compare(command, folder, kind, text, method)
        for kind, (text, reason) in REFUSED.items():
            compare(command, folder, kind, text, None)
            check, _ = ask(command, "check", os.path.join(folder, "model.lua"))
            if not check or check["advice"]["method"] or (reason or "") not in check["refused"]:
                sys.exit(f"{kind}: check refuses {check and check['refused']}, expected {reason}")
        for pattern in ("examples/*.lua", "tests/cli/models/*.lua"):
            paths = sorted(glob.glob(os.path.join(source, pattern)))
            if len(paths) < 10:
                sys.exit(f"{pattern}: only {len(paths)} models")
            for path in paths:
                with open(path, encoding="utf-8") as file:
                    compare(command, folder, path, without_method(file.read()), None)


main()
