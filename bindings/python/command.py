"""The command `rattle` of the Python package: the program takes the place of this process, so that signals, terminals and exit statuses are
its own. Beside the package and not in it, which would import numpy first; backend.py writes where the program is."""
import os
import sys

PROGRAM = None


def main():
    os.execv(PROGRAM, ["rattle", *sys.argv[1:]])
