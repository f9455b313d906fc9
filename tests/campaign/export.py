#!/usr/bin/env python3
"""Robots that `rattle export` writes, as mujoco and pinocchio read them: kinetic and potential energy against those of the model.

    tests/campaign/export.py RATTLE MODEL ...

MODEL: a model of mech.links, or a robot in any format. Needs `pip install mujoco pin`. The model is taken at 3 starts, which its parameters set: T and V of the
file in MJCF at its keyframe, and of that in URDF at the same configuration, are compared, and whether the loops are closed. Prints a line for each model, and exits
with 1 where numbers differ.
"""
import os, re, subprocess, sys, tempfile
import numpy as np
import mujoco

try:
    import pinocchio as pin
except ImportError:
    pin = None

from mjcf import draw, energies

MODEL = '\nobserve("T of it", mech.kinetic())\nobserve("V of it", mech.potential())\nintegrate { method = "rattle(verlet)", step = 1e-12, steps = 1 }\n'


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout, (done.stderr.strip().split("\n")[-1] if done.returncode else "")


def starts(rattle, path, k):
    """-P options for joints of the model: positions and rates as drawn, none for k = 0."""
    text = open(path).read()
    names = re.findall(r'parameter\("([\w.]+)\.rate"', text)
    g, options = draw(1000 + k), []
    for name in names if k else []:
        options += ["-P", f"{name}={0.5 * next(g)!r}", "-P", f"{name}.rate={next(g)!r}"]
    return options


def by_mujoco(path):
    m = mujoco.MjModel.from_xml_path(path)
    key = m.nkey > 0
    T, V, d = energies(m, m.key_qpos[0] if key else m.qpos0, m.key_qvel[0] if key else np.zeros(m.nv))
    return T, V, np.abs(np.array(d.efc_pos)[:d.ne]).max() if d.ne else 0.0


def by_pinocchio(path, options):
    model = pin.buildModelFromUrdf(path)
    data, q, v = model.createData(), pin.neutral(model), np.zeros(model.nv)
    values = {o.split("=")[0]: float(o.split("=")[1]) for o in options[1::2]}
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)] if model.existJointName(name) else None
        if joint is None:
            continue
        v[joint.idx_v] = values[name + ".rate"]
        if joint.nq == 2:
            q[joint.idx_q], q[joint.idx_q + 1] = np.cos(value), np.sin(value)
        else:
            q[joint.idx_q] = value
    return pin.computeKineticEnergy(model, data, q, v), pin.computePotentialEnergy(model, data, q), 0.0


def compare(rattle, model, folder):
    lua = os.path.join(folder, "model.lua")
    if model.endswith(".lua"):
        open(lua, "w").write(open(model).read())
    else:
        _, why = run([rattle, "new", lua[:-4], "--from", model, "--force"])
        if why:
            return "not read: " + why[-150:], 0
    lines = [line for line in open(lua).read().split("\n") if not line.startswith(("observe(", "integrate {"))]
    open(lua, "w").write("\n".join(lines) + MODEL)
    answers, worst = [], 0.0
    for ending, engine in ((".xml", by_mujoco), (".urdf", pin and by_pinocchio)):
        for k in range(3):
            options, out = starts(rattle, lua, k), os.path.join(folder, "robot" + ending)
            rows, why = run([rattle, "run", lua, "--quiet", "--csv", "-"] + options)
            if why and k:
                continue  # a loop that this start leaves open
            _, refused = run([rattle, "export", lua, "-o", out, "--force"] + options)
            if refused or why or not engine:
                answers.append(ending[1:] + " " + (refused or why)[-110:])
                break
            names, first = (rows.strip().split("\n")[i].split(",") for i in (0, 1))
            row = dict(zip(names, map(float, first)))
            try:
                T, V, gap = engine(out) if ending == ".xml" else engine(out, options)
            except ValueError as error:
                answers.append(f"{ending[1:]} not read: " + str(error).split("\n")[0][:80])
                break
            if ending == ".urdf":
                V, row["V of it"] = 0, 0  # the gravity of the program
            rest = (V, row["V of it"]) if k == 0 else rest  # what the ground holds weighs in one of them
            V, row["V of it"] = V - rest[0], row["V of it"] - rest[1]
            scale = max(1e-3, abs(T), abs(V))
            worst = max(worst, abs(T - row["T of it"]) / scale, abs(V - row["V of it"]) / scale, gap)
        else:
            answers.append(ending[1:] + " agrees" if worst < 1e-12 else ending[1:] + " DIFFERS")
    return "; ".join(answers), worst


def main():
    bad = 0
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            verdict, worst = compare(sys.argv[1], path, folder)
        bad += "DIFFERS" in verdict
        print(f"{'/'.join(path.split('/')[-2:]):40s} {verdict} {worst:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
