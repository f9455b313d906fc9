#!/usr/bin/env python3
"""Effective samples a second of processor time of the weight of one of two parts of {g = 0} that no path on it joins.

    bench/parts.py [RATTLE]      the command (default: build/rattle)

Four chains of 20000 samples on one thread, interpreted, warm-up included, and the least time of three runs of all methods in turns. The last
column is the weight, its error, and what it is."""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

SPHERES = """local H, a, b = 0, -1, -{1}^2
local first
for i = 1, {0} do local x, p = pair("x" .. i) first = first or x
local c = i == 1 and 2 or 0
H = H + p^2/2 a = a + (x - c)^2 b = b + (x + c)^2 end
hamiltonian(H) constrain("spheres", a*b) observe("part", (1 + first/abs(first))/2) start {{ x1 = 1 }}
"""
LINKAGE = """local x, p = pair("x") local y, r = pair("y") local u, s = pair("u") local v, t = pair("v")
hamiltonian((p^2 + r^2 + s^2 + t^2)/2 + 0.5*v)
constrain("crank", x^2 + y^2 - 0.25) constrain("coupler", (x - u)^2 + (y - v)^2 - 3.24) constrain("rocker", (u - 2)^2 + v^2 - 1.44)
local area = (2 - x)*(v - y) + (u - x)*y observe("part", (1 + area/abs(area))/2) start { x = 0.5, u = 2, v = 1.2 }
"""
# the weight of the linkage: the quadrature of tests/unit/test_hops.c
TARGETS = [("spheres in 3 dimensions", SPHERES.format(3, 0.5), "x1=1,-1.5", 8, 0.8), ("spheres in 10 dimensions", SPHERES.format(10, 0.9), "x1=1,-1.1", 8,
           1/(1 + 0.9**9)), ("four-bar linkage", LINKAGE, "v=1.2,-1.2", 4, 0.26622)]


def run(rattle, model, method, starts):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([rattle, "sample", model, "--method", method, "--samples", "20000", "--step", "0.1", "--threads", "1", "--evaluator", "block",
                          "--starts", starts, "--json"], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    part = next(c for c in json.loads(out)["columns"] if c["name"] == "part")
    return part, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    rattle = sys.argv[1] if len(sys.argv) > 1 else "build/rattle"
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.lua")
        for name, text, starts, reach, weight in TARGETS:
            with open(model, "w", encoding="utf-8") as file:
                file.write(text)
            methods = ["hmc(rattle(verlet), hops=0.5)", "random_walk(hops=0.5)", f"random_walk(solutions=all, reach={reach})",
                       f"hmc(rattle(verlet), solutions=all, near=0.8, reach={reach})"]
            found = [[run(rattle, model, method, starts) for method in methods] for _ in range(3)]
            for k, method in enumerate(methods):
                part, seconds = found[0][k][0], min(row[k][1] for row in found)
                effective = part["effective"] or math.nan
                print(f"{name:26}{method:58}{effective:8.0f} in {seconds:6.2f} s: {effective/seconds:8.0f} a second   "
                      f"{part['mean']:.4f} +- {part['error'] or math.nan:.4f}, {weight:.4f}")


if __name__ == "__main__":
    main()
