#!/usr/bin/python3
"""The library from C and C++ as a user has it: installed below a home folder, the examples built by the commands in their heads and by
CMake, what they print as their heads say; the headers, each alone, in C11 and C++17 without a warning; the names that are exported.

    check_c.py SOURCE BUILD C_COMPILER GENERATOR
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = map(os.path.abspath, sys.argv[1:3])
compiler, generator = sys.argv[3:5]
failures = []
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def expect(good, what):
    if not good:
        failures.append(what)
        print("FAIL ", what)


def run(command, folder, environment, **more):
    return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)


def head(path):
    """(commands, what the program prints) of the comment at the head of an example; what begins with rattle or a compiler is a command."""
    text = open(path, encoding="utf-8").read()
    comment = text[:text.index("*/")] if text.startswith("/*") else re.match(r"(//.*\n)*", text)[0]
    lines = [re.sub(r"^(/\*| \*|//) ?", "", line) for line in comment.splitlines()]
    indented = [(number, line[4:]) for number, line in enumerate(lines) if line.startswith("    ")]
    marks = [number for number, line in enumerate(lines) if line.rstrip().endswith("Prints")]
    commands = [re.split(r"\s{3,}", line)[0] for _, line in indented if re.match(r"(cc|c\+\+|rattle) |\./", line)]
    printed = [line for number, line in indented if marks and number > marks[0]]
    return commands, "".join(line + "\n" for line in printed)


def check_by_hand(home, environment):
    """The commands in the heads, in copies of the folders."""
    examples = f"{home}/examples"
    shutil.copytree(f"{home}/.local/share/rattle/examples", examples)
    found = sorted(glob.glob(f"{examples}/c/*.c") + glob.glob(f"{examples}/cpp/*.cpp"))
    expect(len(found) >= 7, f"examples installed: {found}")
    for path in found:
        name = os.path.relpath(path, examples)
        if path.endswith(".cpp") and not shutil.which("c++") and not os.environ.get("RATTLE_MODULES_REQUIRED"):
            print(f"{name}: not compiled, there is no c++")
            continue
        commands, printed = head(path)
        expect(len(commands) == 2, f"{name}: its head has the commands {commands}")
        for command in commands:
            strict = command.replace(" $(", f" {' '.join(WARNINGS)} $(", 1)
            done = run(["sh", "-ec", strict], os.path.dirname(path), environment)
            expect(done.returncode == 0, f"{name}: {command}: {done.returncode}\n{done.stdout}{done.stderr}")
            expect(not printed or not command.startswith("./") or done.stdout == printed, f"{name} prints\n{done.stdout}and its head says\n{printed}")
    plain = [path for path in found if not head(path)[1]]
    expect([os.path.basename(path) for path in plain] == ["pendulum.c"], f"what these print is not said: {plain}")
    needed = subprocess.run(["ldd", f"{examples}/c/embedded"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    expect("librattle.so" in needed and not re.search("librattle_io|lua|hdf5", needed), f"embedded needs more than librattle:\n{needed}")
    needed = subprocess.run(["ldd", f"{examples}/c/bonds"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = {os.path.basename(line.split()[0]).partition(".so")[0] for line in needed.splitlines()}
    more = needed - {"librattle_bonds", "libc", "libm", "linux-vdso"}
    expect("librattle_bonds" in needed and all(name.startswith("ld-linux") for name in more), f"bonds needs more than librattle_bonds: {more}")
    check_plugin(f"{examples}/plugin", environment)


def check_plugin(folder, environment):
    shutil.copy(f"{folder}/../pendulum.lua", folder)
    commands, _ = head(f"{folder}/optimal.c")
    expect(len(commands) == 4, f"the head of the plug-in has the commands {commands}")
    printed = {}
    for command in commands:
        done = run(["sh", "-ec", command.replace("cc ", f"cc {' '.join(WARNINGS)} ", 1)], folder, environment)
        expect(done.returncode == 0, f"{command}: {done.returncode}: {done.stderr}")
        printed[command.split()[1]] = done.stdout
    expect("all claims hold" in printed.get("verify", ""), f"rattle verify prints {printed.get('verify')}")
    expect("turns: 617\n" in printed.get("run", ""), f"rattle run prints {printed.get('run')}")
    symbols = subprocess.run(["nm", "-D", "--defined-only", f"{folder}/optimal.so"], stdout=subprocess.PIPE, text=True, check=True)
    expect([line.split()[-1] for line in symbols.stdout.splitlines()] == ["rattle_plugin_entry"], f"the plug-in exports {symbols.stdout}")


def check_by_cmake(home, environment):
    folder, out = f"{home}/examples/c", f"{home}/out"
    configure = ["cmake", "-G", generator, "-S", folder, "-B", out, f"-DCMAKE_PREFIX_PATH={home}/.local", f"-DCMAKE_C_COMPILER={compiler}"]
    for command in (configure, ["cmake", "--build", out]):
        done = run(command, home, environment)
        expect(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
    for path in sorted(glob.glob(f"{folder}/*.c")):
        name = os.path.basename(path)[:-2]
        done = run([f"{out}/{name}"], home, environment)
        printed = head(path)[1]
        expect(done.returncode == 0, f"{name}, by CMake: {done.returncode}: {done.stderr}")
        expect(not printed or done.stdout == printed, f"{name}, by CMake, prints\n{done.stdout}")
    done = run(["rattle", "methods", "--plugin", f"{out}/optimal.so", "optimal"], home, environment)
    expect(done.returncode == 0 and "order 2" in done.stdout, f"the plug-in by CMake: {done.stderr}")


def check_headers(include):
    """Each header alone, and all together twice."""
    headers = sorted(os.path.basename(path) for path in glob.glob(f"{include}/rattle/*.h"))
    expect(len(headers) >= 16, f"headers installed: {headers}")
    languages = [([compiler, "-std=c11"], "c"), (["g++", "-std=c++17"], "c++"), (["clang++", "-std=c++17"], "c++")]
    ran = 0
    for command, language in languages:
        if not shutil.which(command[0]):
            continue
        for header in headers:
            text = f"#include <rattle/{header}>\n" * 2 + "#include <rattle/rattle.h>\n"
            done = subprocess.run([*command, *WARNINGS, "-I", include, "-x", language, "-fsyntax-only", "-"], input=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            expect(done.returncode == 0, f"{header}, {' '.join(command)}: {done.stdout}")
            ran += 1
        if language == "c++":
            done = subprocess.run([*command, *WARNINGS, "-I", include, "-x", language, "-fsyntax-only", "-"], input="#include <rattle/rattle.hpp>\n"*2,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            expect(done.returncode == 0, f"rattle.hpp, {' '.join(command)}: {done.stdout}")
    expect(ran >= len(headers), "no compiler")


def check_exports(prefix):
    """What the headers declare, and nothing else, is exported."""
    declared, exported = set(), set()
    for path in glob.glob(f"{prefix}/include/rattle/*.h"):
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.DOTALL)
        text = re.sub(r"^ *#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)
        declared |= set(re.findall(r"RATTLE_API[^;{]*?\b(\w+)\(", text))
    for path in glob.glob(f"{prefix}/lib*/librattle*.so.[0-9]"):
        done = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            kind, (name, _, version) = line.split()[-2], line.split()[-1].partition("@")
            if kind != "A" and "RATTLE_PRIVATE" not in version:
                exported.add(name)
    expect(len(declared) > 130, f"only {len(declared)} functions are declared")
    for name in sorted(declared ^ exported):
        expect(False, f"{name} is " + ("declared and not exported" if name in declared else "exported and not declared"))
    expect(all(name.startswith("rattle_") for name in exported), "names without rattle_")


with tempfile.TemporaryDirectory(prefix="rattle-c-") as home:
    prefix = f"{home}/.local"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], stdout=subprocess.DEVNULL, check=True)
    libraries = os.path.dirname(glob.glob(f"{prefix}/lib*/**/librattle.so", recursive=True)[0])
    if libraries != f"{prefix}/lib":  # the commands say lib
        os.symlink(libraries, f"{prefix}/lib")
    tools = f"{home}/tools"  # cc is the compiler of the build
    os.mkdir(tools)
    os.symlink(shutil.which(compiler), f"{tools}/cc")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PKG_", "XDG_"))}
    own |= {"HOME": home, "PATH": f"{tools}:{prefix}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": f"{libraries}/pkgconfig"}
    check_headers(f"{prefix}/include")
    check_exports(prefix)
    check_by_hand(home, own)
    check_by_cmake(home, own)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
