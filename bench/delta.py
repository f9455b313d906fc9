#!/usr/bin/env python3
"""Effective samples a second of `measure=delta` with several constraints, and what H rejects.

    bench/delta.py [--only NAME] [RATTLE ...]      a part of the names of targets; commands that take turns (default: build/rattle)

Of each row: the least time of three runs of four chains on one thread, with their warm-up, and the effective samples of the coordinate that has
the fewest; interpreted with 4000 samples a chain, and by machine code, which was compiled before, with 20 000."""
import json
import os
import resource
import subprocess
import sys
import tempfile

TORUS = """local x,px = pair("x") local y,py = pair("y") local z,pz = pair("z") hamiltonian((px^2 + py^2 + pz^2)/2)
constrain("torus", (x^2 + y^2 + z^2 + 0.75)^2 - 4*(x^2 + y^2)) start { x = 1.5 }
"""
CIRCLES = """local x,a = pair("x") local y,b = pair("y") local z,c = pair("z") local w,d = pair("w") hamiltonian((a^2 + b^2 + c^2 + d^2)/2)
constrain("one", (x^2 + y^2 - 1)*exp(0.8*x)) constrain("two", z^2 + w^2 - 1 + 2*z*(x^2 + y^2 - 1)) start { x = 1, z = 1 }
"""
FRAMES = """local a, b, H = {}, {}, 0
for i = 1, 3 do local p a[i], p = pair("a" .. i) H = H + p^2/2 end for i = 1, 3 do local p b[i], p = pair("b" .. i) H = H + p^2/2 end
local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end hamiltonian(H)
constrain("a", (dot(a, a) - 1)*exp(2*a[1])) constrain("b", dot(b, b) - 1) constrain("ab", dot(a, b)) start { a1 = 1, b2 = 1 }
"""
DATA = """local H, s, r, x = 0, -1, -0.5, {} for i = 1, 10 do local p x[i], p = pair("x" .. i)
H = H + p^2/2 + x[i]^2/2 s = s + exp(0.5*x[i])/10  r = r + x[i]^2/(10*i) end hamiltonian(H)
constrain("mean", s) constrain("square", r) start { x1 = 1, x2 = -1 }
"""
CHAIN = """local H, x, y = 0, 0, 0
for k = 1, 30 do local u, a = pair("x" .. k) local v, b = pair("y" .. k) H = H + (a^2 + b^2)/2
constrain("bond" .. k, (u - x)^2 + (v - y)^2 - 1) start { ["x" .. k] = k } x, y = u, v end hamiltonian(H)
"""
TARGETS = [("torus, m = 1", TORUS), ("two circles, m = 2", CIRCLES), ("frames, m = 3", FRAMES), ("10 parameters, 2 exact observations", DATA),
           ("chain, m = 30", CHAIN)]


def run(rattle, model, sampler, evaluator, samples):
    command = [rattle, "sample", model, "--method", f"{sampler}(rattle(verlet), measure=delta)", "--samples", str(samples), "--step", "0.1",
               "--threads", "1", "--evaluator", evaluator, "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    effective = [c["effective"] or 0 for c in out["columns"] if c["name"] != "V"]
    return min(effective), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out["counts"]


def main():
    words = sys.argv[1:]
    only = words[1] if words[:1] == ["--only"] else ""
    commands = words[2 if only else 0:] or ["build/rattle"]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.lua")
        for name, text in [target for target in TARGETS if only in target[0]]:
            with open(model, "w", encoding="utf-8") as file:
                file.write(text)
            for sampler in ("hmc", "nuts"):
                for evaluator, samples in (("block", 4000), ("native", 20000)):
                    for rattle in commands if evaluator == "native" else []:
                        run(rattle, model, sampler, evaluator, 10)
                    rounds = [[run(rattle, model, sampler, evaluator, samples) for rattle in commands] for _ in range(3)]
                    print(f"{name:36} {sampler:4} {evaluator:6}", end="")
                    for k in range(len(commands)):
                        effective, _, counts = rounds[0][k]
                        seconds = min(found[k][1] for found in rounds)
                        print(f"  {effective/seconds:9.0f} a second, {100*counts['energy']/counts['transitions']:5.2f} % by H", end="")
                    print()


if __name__ == "__main__":
    main()
