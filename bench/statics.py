#!/usr/bin/env python3
"""Seconds of processor time for the lowest ten modes of some ten thousand coordinates (docs/statics.md), models read included: the least of some rounds.
Then the steps to the equilibrium of a chain that begins straight at 1.2 radian from it.

    bench/statics.py [RATTLE [ROUNDS]]      RATTLE: build/rattle by default; ROUNDS: 3
"""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

STRING = """local H, last = 0, 0
for i = 1, 10000 do local x, p = pair("x" .. i) H = H + p^2/2 + 2*(x - last)^2 last = x end
hamiltonian(H + 2*last^2)
start { x1 = 0.1, x5000 = 2 }
"""
CHAIN = """local n, H, px, py = {}, 0, 0, 0
for i = 1, n do
  local x, u = pair("x" .. i)
  local y, v = pair("y" .. i)
  H = H + n*(u^2 + v^2)/2 + 9.81*y/n
  constrain("rod" .. i, (x - px)^2 + (y - py)^2 - 1/n^2)
  start {{ ["x" .. i] = {}*i/n, ["y" .. i] = {}*i/n }}
  px, py = x, y
end
hamiltonian(H)
"""
NET = """local n, H, at = 58, 0, {}
local function spring(a, b) return 2*(sqrt((a[1] - b[1])^2 + (a[2] - b[2])^2 + (a[3] - b[3])^2) - 0.5)^2 end
for i = 0, n + 1 do
  at[i] = {}
  for j = 0, n + 1 do
    local edge, name = i%(n + 1) == 0 or j%(n + 1) == 0, i .. "_" .. j
    if edge then at[i][j] = {i, j, 0} else
      local x, px = pair("x" .. name)
      local y, py = pair("y" .. name)
      local z, pz = pair("z" .. name)
      H = H + (px^2 + py^2 + pz^2)/2 + z/1000
      start { ["x" .. name] = i, ["y" .. name] = j }
      at[i][j] = {x, y, z}
    end
    if i > 0 and j > 0 and j <= n then H = H + spring(at[i][j], at[i - 1][j]) end
    if j > 0 and i > 0 and i <= n then H = H + spring(at[i][j], at[i][j - 1]) end
  end
end
hamiltonian(H)
"""
MODELS = {"10000 beads on a string": STRING, "a chain of 5000 rods, 10000 coordinates": CHAIN.format(5000, 0.28, -0.96),
          "a net of 58 x 58 beads in space, 10092 coordinates": NET}


def seconds(rattle, model):
    """The processor's seconds of one command, and its first mode."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([rattle, "study", "modes", model], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    first = [line.split()[1] for line in ran.stdout.splitlines() if line.split()[:1] == ["1"]][0]
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, first


def main():
    rattle = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "rattle")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MODELS.items():
            path = os.path.join(folder, "model.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            found = [seconds(rattle, path) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3)]
            print(f"{name:52}{min(found)[0]:6.2f} s, lowest frequency {found[0][1]}", flush=True)
        for rods in (500, 1000):
            with open(path, "w", encoding="utf-8") as file:
                file.write(CHAIN.format(rods, math.sin(1.2), -math.cos(1.2)))
            ran = subprocess.run([rattle, "study", "equilibrium", path, "--json"], capture_output=True, text=True, check=True)
            print(f"{rods} rods from 1.2 radian: {json.loads(ran.stdout)['figures']['iterations']} steps", flush=True)


if __name__ == "__main__":
    main()
