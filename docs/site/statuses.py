#!/usr/bin/python3
"""Holds docs/errors.md against include/rattle/status.def: a section for each status, in the same order, which begins with its text, exit status and remedy.

    statuses.py ROOT
"""
import os
import re
import sys


def rows(root):
    """(name, exit, text, remedy) of each status."""
    with open(os.path.join(root, "include", "rattle", "status.def"), encoding="utf-8") as file:
        return re.findall(r'^STATUS\((\w+),\s*(\d+),\s*"([^"]*)",\s*"([^"]*)"\)', file.read(), re.M)


def sentence(text):
    return text[:1].upper() + text[1:] + "." if text else ""


def check(root):
    """What is wrong, one line each."""
    with open(os.path.join(root, "docs", "errors.md"), encoding="utf-8") as file:
        sections = re.findall(r"^## (\w+)\n\n(.*)", file.read(), re.M)
    wanted = [(name, " ".join(filter(None, (sentence(text), f"Exit status {code}.", sentence(remedy))))) for name, code, text, remedy in rows(root)]
    if [name for name, _ in sections] != [name for name, _ in wanted]:
        return [f"docs/errors.md has the sections {[name for name, _ in sections]}, status.def {[name for name, _ in wanted]}"]
    return [f"docs/errors.md, {name}: begins with\n  {found}\nnot\n  {line}" for (name, found), (_, line) in zip(sections, wanted) if found != line]


if __name__ == "__main__":
    wrong = check(sys.argv[1])
    print("\n".join(wrong) or f"{len(rows(sys.argv[1]))} statuses")
    sys.exit(1 if wrong else 0)
