"""librattle and the plain SHAKE, by bench_peers."""
import os
import subprocess

MEASURED = "librattle and plain SHAKE: the two calls of rattle/bonds.h, and sweeps over the bonds of each molecule, timed in a process of their own, to 1e-10"


def program(build):
    return os.path.join(build, "bench", "bench_peers")


def measure(build, case, path):
    """Of each: nanoseconds a bond, error, rate. The input is written to the file."""
    output = subprocess.run([program(build), case, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    return {name: tuple(map(float, numbers)) for name, *numbers in reversed(rows)}
