#!/usr/bin/python3
"""The options in --help and the manual page are the same sets, command by command; completions are what tools/completions makes of --help.

    check_help.py RATTLE SOURCE_DIR
"""
import filecmp
import os
import re
import subprocess
import sys
import tempfile


def from_help(rattle):
    overview = subprocess.run([rattle, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) +\S", overview, re.MULTILINE)
    found = {}
    for command in commands:
        text = subprocess.run([rattle, command, "--help"], capture_output=True, text=True, check=True).stdout
        lines = text.split("options:\n")[1].splitlines()
        found[command] = {w for line in lines if line.startswith("  ") for w in re.findall(r"--([a-z-]+)", line[:32])} - {"help"}
    return found


def from_manual(path):
    found = {}
    for section in re.split(r"^\.Ss rattle ", open(path, encoding="utf-8").read(), flags=re.MULTILINE)[1:]:
        section = section.split("\n.Sh ")[0]
        items = "\n".join(line for line in section.splitlines() if line.startswith(".It "))
        found[section.split("\n")[0]] = set(re.findall(r"Fl -([a-z-]+)", items))
    return found


def stale_completions(rattle, source):
    """Those in completions/ that differ from what their tool makes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(source, "tools/completions"), rattle, folder], check=True)
        made = sorted(os.listdir(folder))
        return [name for name in made if not filecmp.cmp(os.path.join(folder, name), os.path.join(source, "completions", name), False)]


def completed(source, *words):
    """What bash completes the last word to."""
    script = f"source {source}/completions/rattle.bash; compopt() {{ :; }}; COMP_WORDS=({' '.join(map(repr, words))}); " \
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rattle; printf '%s\\n' \"${COMPREPLY[@]}\""
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def main():
    rattle, source = map(os.path.abspath, sys.argv[1:3])
    wanted = from_help(rattle)
    bad = 0
    if not wanted or not all(wanted.values()):
        print("no options found in --help")
        bad = 1
    found = from_manual(os.path.join(source, "docs/man/rattle.1"))
    for command in sorted(set(wanted) | set(found)):
        missing = wanted.get(command, set()) - found.get(command, set())
        extra = found.get(command, set()) - wanted.get(command, set())
        if missing or extra:
            bad = 1
            print(f"docs/man/rattle.1: {command}: lacks {sorted(missing)}, has too much {sorted(extra)}")
    for name in stale_completions(rattle, source):
        bad = 1
        print(f"completions/{name} is not what tools/completions makes: run tools/completions {rattle}")
    os.chdir(os.path.join(source, "tests/cli/models"))
    for words, wanted_words in ((("rattle", "run", "--eval"), ["--evaluator"]), (("rattle", "run", "--evaluator", ""), ["auto", "block", "native"]),
                                (("rattle", "study", "com"), ["compare"]), (("rattle", "check", "pend"), ["pend.lua"]), (("rattle", "ch"), ["check"])):
        if completed(source, *words) != wanted_words:
            bad = 1
            print(f"{' '.join(words)} is completed to {completed(source, *words)}, expected {wanted_words}")
    print(f"{sum(map(len, wanted.values()))} options of {len(wanted)} commands compared")
    return bad


if __name__ == "__main__":
    sys.exit(main())
