#!/usr/bin/env python3
"""Proofs of steps of chains, by their length, their shape and the angle by which their fastest link turns in a step (docs/certificates.md).

    bench/certified_chains.py [RATTLE [STARTS]]      RATTLE: build/rattle by default; STARTS: 20 of each kind by default

Runs of 5 steps from drawn starts, links of length 1 from the origin. A row: steps that have an end, by a run without proofs; of 100 of them those proved in one
piece, and those tracked; and those not proved, at which runs end.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 5
MODEL = """
title "Chain"
local N, bend, turn, seed = parameter("N", 10), parameter("bend", 1), parameter("turn", 0.1), parameter("seed", 1)
local x, px = pairs_of("x", N)
local y, py = pairs_of("y", N)
local state = seed
local function drawn() state = (state*16807) % 2147483647 return 2*state/2147483647 - 1 end
for _ = 1, 10 do drawn() end
local H, a, most, X, Y, u, v = 0, 3*drawn(), 0, 0, 0, 0, 0
for i = 1, N do
  H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N
  constrain("link[" .. i .. "]", (x[i] - (i > 1 and x[i - 1] or 0))^2 + (y[i] - (i > 1 and y[i - 1] or 0))^2 - 1)
  a = a + bend*drawn()
  local rate = drawn()
  most = math.max(most, math.abs(rate))
  X, Y, u, v = X + math.cos(a), Y + math.sin(a), u - rate*math.sin(a), v + rate*math.cos(a)
  start { [x[i]] = X, [y[i]] = Y, [px[i]] = u, [py[i]] = v }
end
hamiltonian(H)
start { project = true }
integrate { method = "rattle(verlet)", step = turn/most, stop = 10*turn/most }
"""


def run(rattle, model, options):
    """What a run says in JSON, which may have ended before."""
    ran = subprocess.run([rattle, "run", model, "--steps", str(STEPS), "--json", *options], capture_output=True, text=True, check=False)
    return json.loads(ran.stdout)


def measure(rattle, model, values, starts):
    """Of 100 steps that have an end: in one piece, tracked, not proved."""
    steps = one_piece = tracked = 0
    for seed in range(1, starts + 1):
        options = [word for name, value in {**values, "seed": seed}.items() for word in ("-P", f"{name}={value}")]
        found, made = run(rattle, model, [*options, "--certify"])["certificate"], run(rattle, model, options)["steps"]
        steps += min(made, found["steps"] + bool(found["not_proved"]))
        one_piece += found["one_piece"]
        tracked += found["tracked"]
    share = 100/max(1, steps)
    return f"{steps:5} steps, {share*one_piece:5.1f} in one piece, {share*tracked:4.1f} tracked, {steps - one_piece - tracked:3} not proved"


def main():
    rattle = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "rattle")
    starts = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "chain.lua")
        with open(model, "w", encoding="utf-8") as file:
            file.write(MODEL)
        for links in (10, 100, 1000):
            for name, bend in (("crumpled", 3), ("bent", 1), ("nearly taut", 0.1)):
                for turn in (0.03, 0.1, 0.2, 0.3):
                    of = {"N": links, "bend": bend, "turn": turn}
                    print(f"{links:5} links, {name:11} {turn:4} rad  {measure(rattle, model, of, starts)}", flush=True)


if __name__ == "__main__":
    main()
