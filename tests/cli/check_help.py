#!/usr/bin/python3
"""The options in --help, the manual page and the completions for bash, zsh and fish are the same sets, command by command.

    check_help.py RATTLE SOURCE_DIR
"""
import os
import re
import subprocess
import sys


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


def from_bash(path):
    text = open(path, encoding="utf-8").read()
    return {command: set(re.findall(r"--([a-z-]+)", options)) - {"help"}
            for command, options in re.findall(r'^    ([a-z]+)\) options="(--[^"]*)"', text, re.MULTILINE)}


def from_zsh(path):
    text = open(path, encoding="utf-8").read()
    found = {}
    for command, body in re.findall(r"^    ([a-z]+)\) _arguments(.*?);;", text, re.MULTILINE | re.DOTALL):
        found[command] = set(re.findall(r"--([a-z-]+)[\[}]", body)) - {"help"}
    return found


def from_fish(path):
    found = {}
    for line in open(path, encoding="utf-8"):
        match = re.search(r"'__fish_seen_subcommand_from ([a-z]+)'.* -l ([a-z-]+)", line)
        if match:
            found.setdefault(match.group(1), set()).add(match.group(2))
    return found


def main():
    rattle, source = sys.argv[1:3]
    wanted = from_help(rattle)
    places = {
        "docs/man/rattle.1": from_manual, "completions/rattle.bash": from_bash,
        "completions/_rattle": from_zsh, "completions/rattle.fish": from_fish,
    }
    bad = 0
    if not wanted or not all(wanted.values()):
        print("no options found in --help")
        bad = 1
    for place, reader in places.items():
        found = reader(os.path.join(source, place))
        for command in sorted(set(wanted) | set(found)):
            missing = wanted.get(command, set()) - found.get(command, set())
            extra = found.get(command, set()) - wanted.get(command, set())
            if missing or extra:
                bad = 1
                print(f"{place}: {command}: lacks {sorted(missing)}, has too much {sorted(extra)}")
    print(f"{sum(map(len, wanted.values()))} options of {len(wanted)} commands compared")
    return bad


if __name__ == "__main__":
    sys.exit(main())
