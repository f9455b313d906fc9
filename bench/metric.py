#!/usr/bin/env python3
"""Effective samples, and those a second of processor time, with the masses of the model and with those that the warm-up learns.

    bench/metric.py [RATTLE[,RATTLE..] [NAME [EVALUATOR]]]      commands that take turns (default: build/rattle), a part of the names of targets,
                                                                block (default) or native: machine code that was compiled before

Of each row: those of the coordinate that has the fewest, of four chains of 4000 samples on one thread, and the least time of three runs of
all metrics by all commands in turns, warm-up included. `steps=10`: a transition takes 5.5 steps there and back on average, whatever the metric, so that effective
samples are to each other as those for each force."""
import json
import os
import resource
import subprocess
import sys
import tempfile

HEAD = "local H, sum = 0, -1\n"
SCALES = HEAD + """for i = 1, 5 do local s = {}^(i - 3)
local x, p = pair("x" .. i) H = H + p^2/2 + (x/s)^2/2 sum = sum + x/s + 0.2*(x/s)^2 end
hamiltonian(H)
"""
TORUS = """local x, px = pair("x") local y, py = pair("y") local z, pz = pair("z") hamiltonian((px^2 + py^2 + pz^2)/2)
constrain("torus", (x^2 + y^2 + (z/{})^2 + 0.75)^2 - 4*(x^2 + y^2)) start {{ x = 1.5 }}
"""
EXACT = SCALES + 'constrain("data", sum) start {{ x3 = 0.9 }}\n'
SLANTED = """local H, s, x = 0, 0, {} for i = 1, 4 do local p x[i], p = pair("x" .. i) H = H + p^2/2 + x[i]^2/2 s = s + x[i]/2 end
hamiltonian(H - s^2/2*(1 - 1e-4)) start { x1 = 0.2, x2 = 0.2 }
"""
PATH = """local H, x, sum = 0, {{}}, -1.5 for i = 1, {0} do local p x[i], p = pair("x" .. i)
H = H + p^2/2 + 50*(x[i] - (x[i - 1] or 0))^2 sum = sum + exp(x[i])/{0} end
hamiltonian(H) constrain("mean", sum) start {{ x1 = 0.3 }}
"""
TARGETS = [("normal, scales alike", SCALES.format(1), "verlet", ""), ("normal, scales 0.01 .. 100", SCALES.format(10), "verlet", ""),
           ("one exact observation, scales alike", EXACT.format(1), "rattle(verlet)", "measure=delta"),
           ("one exact observation, scales 0.01 .. 100", EXACT.format(10), "rattle(verlet)", "measure=delta"),
           ("torus", TORUS.format(1), "rattle(verlet)", "measure=surface"), ("torus, delta(g)", TORUS.format(1), "rattle(verlet)", "measure=delta"),
           ("torus 100 times as high, delta(g)", TORUS.format(100), "rattle(verlet)", "measure=delta"),
           ("path of 12 steps, one exact observation", PATH.format(12), "rattle(verlet)", "measure=delta"),
           ("path of 30 steps, one exact observation", PATH.format(30), "rattle(verlet)", "measure=delta"),
           ("path of 12 steps, surface", PATH.format(12), "rattle(verlet)", "measure=surface"),
           ("slanted normal, deviations 1 and 100", SLANTED, "verlet", ""),
           ("the same on a plane", SLANTED + 'constrain("plane", x[1] - x[2])', "rattle(verlet)", "")]
METRICS = ("given", "diagonal", "dense")


def run(rattle, model, method, evaluator):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([rattle, "sample", model, "--method", method, "--samples", "4000", "--step", "0.01", "--threads", "1", "--evaluator",
                          evaluator, "--json"], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    columns = [c for c in json.loads(out)["columns"] if c["name"] != "V"]
    return min(c["effective"] for c in columns), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    commands, evaluator = (sys.argv[1] if len(sys.argv) > 1 else "build/rattle").split(","), sys.argv[3] if len(sys.argv) > 3 else "block"
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.lua")
        for name, text, motion, option in TARGETS:
            if len(sys.argv) > 2 and sys.argv[2] not in name:
                continue
            with open(model, "w", encoding="utf-8") as file:
                file.write(text)
            for sampler, how in (("hmc", ""), ("hmc", "steps=10"), ("nuts", "")):
                methods = [f"{sampler}({', '.join(filter(None, [motion, option, how, 'metric=' + metric]))})" for metric in METRICS]
                found = [[run(rattle, model, method, evaluator) for rattle in commands for method in methods] for _ in range(3)]
                rows = [(found[0][k][0], min(column[1] for column in (row[k] for row in found))) for k in range(len(found[0]))]
                for k, rattle in enumerate(commands):
                    print(f"{name if not k else rattle:42} {sampler:5}{how:9}" +
                          "".join(f" {effective:8.0f} in {seconds:6.2f} s: {effective/seconds:9.0f} a second"
                                  for effective, seconds in rows[k*len(METRICS):(k + 1)*len(METRICS)]), flush=True)


if __name__ == "__main__":
    main()
