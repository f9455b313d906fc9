#!/usr/bin/python3
"""The README as a new user reads it: what it prints is run, in its order, in an empty home; links of the installed pages lead somewhere.

    check_readme.py SOURCE BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pages

source, build = map(os.path.abspath, sys.argv[1:3])
readme = open(f"{source}/README.md", encoding="utf-8").read()
failures = []


def expect(good, what):
    if not good:
        failures.append(what)
        print("FAIL ", what)


def tour(home):
    os.symlink(build, f"{home}/build")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PKG_", "XDG_"))}
    environment["HOME"] = home
    if not shutil.which("make"):
        environment["CMAKE_GENERATOR"] = "Ninja"  # tools/setup installs no make
    exports, ran = [], 0
    printed = ""
    for language, lines in pages.blocks(readme):
        if language == "lua":
            open(f"{home}/{re.match('-- (.*)', lines[0])[1]}", "w", encoding="utf-8").write("\n".join(lines))
        elif language == "cmake":
            open(f"{home}/CMakeLists.txt", "w", encoding="utf-8").write("\n".join(lines) + "\n")
        elif language == "c":
            open(f"{home}/program.c", "w", encoding="utf-8").write("\n".join(lines) + "\n")
        elif language == "python":
            printed = None  # bindings/python/tests/test_docs.py runs it
        elif language == "text" and printed is not None:
            expect(pages.agrees(lines, printed), f"the program prints {printed!r}, the README {lines}")
        for command, expected in pages.commands(lines) if not language else []:
            first = command.split()[0]
            # these take long, and have tests of their own
            if first in ("tools/try", "tools/test", "ninja") or command == "rattle gallery":
                continue
            if first == "export":
                exports.append(command)
                continue
            if command.startswith("rattle plot") and not shutil.which("gnuplot"):
                continue
            done = subprocess.run(["sh", "-ec", "\n".join([*exports, command])], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ran, printed = ran + 1, done.stdout + done.stderr
            if "was built without the module" in printed:  # docs/live.md
                continue
            expect(done.returncode == 0, f"{command}: {done.returncode}: {done.stderr}")
            expect(not expected or pages.agrees(expected, printed), f"{command}: the README prints\n" + "\n".join(expected) + f"\nnot\n{printed}")
    expect(ran >= 20, f"{ran} commands of the README")


def links(folder):
    installed = [f"{path}/{name}" for path, _, names in os.walk(folder) for name in names if name.endswith(".md")]
    expect(len(installed) > 20, f"pages installed: {installed}")
    for page in installed:
        text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", open(page, encoding="utf-8").read(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if not re.match(r"https?:", target):
                expect(os.path.exists(os.path.join(os.path.dirname(page), target)), f"{page} refers to {target}")


with tempfile.TemporaryDirectory(prefix="rattle-readme-") as home:
    tour(home)
    links(f"{home}/.local/share/doc/rattle")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
