"""The page of errors, from include/rattle/status.def."""
import os
import re


def rows(root):
    """(name, exit, text, remedy) of each status."""
    with open(os.path.join(root, "include", "rattle", "status.def"), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r'^STATUS\((\w+),\s*(\d+),\s*"([^"]*)",\s*"([^"]*)"\)', text, re.M)


def pages(root):
    lines = ["# Errors", "", "Every status with which a function of the library or a command can end."]
    for name, code, text, remedy in rows(root):
        lines += ["", f"## {name}", "", f"{text.capitalize()}. Exit status of the command: {code}."]
        if remedy:
            lines += ["", f"What to do: {remedy}."]
    yield "errors", "\n".join(lines) + "\n"
