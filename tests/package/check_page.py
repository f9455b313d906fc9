#!/usr/bin/python3
"""A page of the documentation as a reader follows it: its commands and programs are run in their order in a folder with the example models, and
print what the page says.

    check_page.py SOURCE PREFIX PAGE        PREFIX: where the build was installed; RATTLE_PYTHON, RATTLE_OCTAVE: interpreters, or empty
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pages

PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b(?!=)|\.\.\.|\[-|<")
LONG = ("rattle gallery",)                        # the tests papers.* run its experiments
DRIVER = {
    "python": """import sys, traceback
names = {}
while True:
    size = sys.stdin.readline()
    if not size: break
    try: exec(sys.stdin.read(int(size)), names)
    except Exception: traceback.print_exc(file=sys.stdout)
    print("#end#", flush=True)
""",
}


class Interpreter:
    """Runs the programs of a page one after the other in one process."""

    def __init__(self, language, program, environment, folder):
        self.language = language
        arguments = ["-c", DRIVER["python"]] if language == "python" else ["--quiet", "--no-gui", "--no-history", "--no-init-file"]
        self.process = subprocess.Popen([program, *arguments], env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def run(self, text):
        if self.language == "python":
            self.process.stdin.write(f"{len(text)}\n{text}")
        else:
            self.process.stdin.write(text + '\nputs ("#end#\\n"); fflush (stdout);\n')
        self.process.stdin.flush()
        printed = []
        for line in self.process.stdout:
            if line == "#end#\n":
                return "".join(printed)
            printed.append(line)
        return "".join(printed) + f"{self.language} ended"

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


class Reader:
    def __init__(self, source, prefix, page, folder):
        self.source, self.prefix, self.page, self.folder = source, prefix, page, folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PKG_", "XDG_"))}
        self.environment.update(HOME=folder, MPLBACKEND="agg", PATH=f"{prefix}/bin:{os.environ['PATH']}", PYTHONPATH=self.first("lib/**/site-packages", "lib/**/dist-packages"),
                                PKG_CONFIG_PATH=self.first("lib*/**/pkgconfig"))
        self.octave = self.first("lib/**/octave/rattle")
        self.interpreters, self.failures, self.ran = {}, 0, 0
        self.absent = None  # the module without which blocks were not run
        for path in glob.glob(f"{source}/examples/*.lua") + glob.glob(f"{source}/examples/*.urdf"):
            shutil.copy(path, folder)
        os.symlink(f"{source}/examples", f"{folder}/examples")

    def first(self, *patterns):
        return next((path for pattern in patterns for path in glob.glob(f"{self.prefix}/{pattern}", recursive=True)), "")

    def expect(self, good, what):
        if not good:
            self.failures += 1
            print(f"FAIL {self.page}: {what}")

    def command(self, command, expected):
        if command.startswith("rattle plot") and not shutil.which("gnuplot"):
            return
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.ran += 1
        if "was built without the module" in done.stdout and not os.environ.get("RATTLE_MODULES_REQUIRED"):  # docs/live.md
            return
        fails = any(re.match(r"rattle( \w+)?: |exit status \d", line) for line in expected)
        self.expect((done.returncode != 0) == fails, f"{command}: exit status {done.returncode}: {done.stdout[-1500:]}")
        self.expect(not expected or pages.agrees(expected, done.stdout), f"{command}: the page prints\n" + "\n".join(expected) + f"\nnot\n{done.stdout}")

    def unknown(self, lines):
        """Commands that install: those of the README."""
        with open(os.path.join(self.source, "README.md"), encoding="utf-8") as file:
            known = {command for language, block in pages.blocks(file.read()) if not language for command, _ in pages.commands(block)}
        return [command for command, _ in pages.commands(lines) if command not in known]

    def model(self, lines):
        """Saved under the name in its first line; without one, a model that is complete must be accepted, and a part of one is left alone."""
        name = re.match(r"-- (\w+\.lua)$", lines[0])
        if not name and not any(line.startswith("hamiltonian") for line in lines):
            return
        path = name[1] if name else "page.lua"
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        if not name:
            self.command(f"rattle check {path} >check.log || {{ cat check.log; false; }}", [])

    def program(self, language, lines):
        """What a program printed, None where there is no interpreter for it."""
        program = os.environ.get(f"RATTLE_{language.upper()}")
        if not program or not (self.octave if language == "octave" else self.environment["PYTHONPATH"]):
            if os.environ.get("RATTLE_MODULES_REQUIRED"):
                self.expect(False, f"there is no {language}")
            return None
        if language not in self.interpreters:
            self.interpreters[language] = Interpreter(language, program, self.environment, self.folder)
            if language == "octave":
                self.interpreters[language].run(f'addpath ("{self.octave}");')
        self.ran += 1
        printed = self.interpreters[language].run("\n".join(lines) + "\n")
        missing = re.search(r"^ModuleNotFoundError: No module named '(\w+)'", printed, re.M)
        if missing and not os.environ.get("RATTLE_MODULES_REQUIRED"):
            self.absent = missing[1]
        elif not self.absent or not re.search(r"^NameError: ", printed, re.M):
            return printed
        # a block without its module, or one that uses what such a block defines
        print(f"{self.page}: not run without {self.absent}: {lines[0]} ...")
        return None

    def read(self, text, languages):
        printed, last = None, []
        for language, lines in pages.blocks(text):
            if language in languages:
                printed, last = self.program(language, lines), lines
                self.expect(printed is None or not re.search(r"^(Traceback|error:)|ended$", printed, re.M), "\n".join(lines) + f"\n{printed}")
            elif language == "text" and printed is not None:
                self.expect(pages.agrees(lines, printed), "\n".join(last) + "\nprints\n" + printed + "\nnot\n" + "\n".join(lines))
                printed = None
            elif language == "sh":
                for command in self.unknown(lines):
                    self.expect(False, f"{command}: not among the commands of the README, which package.readme runs")
            elif language == "lua":
                self.model(lines)
            elif not language and re.match(r"\$ |rattle ", lines[0]):
                for command, expected in pages.commands(lines):
                    if command in LONG:
                        continue
                    if expected or command.startswith("rattle ") and not PLACEHOLDER.search(command):
                        self.command(command, expected)
        for interpreter in self.interpreters.values():
            interpreter.end()


def main(source, prefix, page):
    with open(os.path.join(source, page), encoding="utf-8") as file:
        text = file.read()
    # bindings/python/tests/test_docs.py runs that page
    languages = {"python", "octave"} - ({"python"} if page == "docs/python.md" else set())
    with tempfile.TemporaryDirectory(prefix="rattle-page-") as folder:
        reader = Reader(source, prefix, page, folder)
        reader.read(text, languages)
    print(f"{page}: {reader.ran} commands and programs, {reader.failures} failures")
    return 1 if reader.failures else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3]), sys.argv[3]))
