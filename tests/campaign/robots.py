#!/usr/bin/env python3
"""Robots in URDF, as `rattle` reads them, against pinocchio: kinetic and potential energy and the places of all links.

    tests/campaign/robots.py RATTLE FILE.urdf ... [--count 3]

Needs `pip install pin`; `pip install example-robot-data` has 69 robots. Each robot is taken at `count` configurations with
rates of its own: T = v^T M(q) v/2 compares the mass matrix, V the centres of mass. Prints a line for each file: agrees, differs,
refused by whom, with the largest difference in parts of the energies. Exits with 1 where numbers differ.
"""
import argparse, math, os, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml
import numpy as np
import pinocchio as pin


def draw(seed):
    state = (seed * 2862933555777941757 + 3037000493) % 2**64
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield 2 * ((state >> 11) / 2.0**53) - 1


def stripped(path):
    """The file without shapes, which pinocchio would seek."""
    text = open(path, encoding="utf-8").read()
    for name in ("visual", "collision"):
        text = re.sub(rf"<{name}\b[^>]*/>|<{name}\b.*?</{name}>", "", text, flags=re.S)
    return text


MODEL = """title "energies"
local mech = require "mechanics"
mech.gravity(0, 0, -9.81)
local robot = require "robot"
observe("T", mech.kinetic())
observe("V", mech.potential())
%s
integrate { method = "rattle(%s)", step = 1e-9, steps = 1 }
"""


def by_rattle(rattle, folder, values, links, method):
    places = "\n".join(f'do local p = robot:point({quoted(n)}, {{0, 0, 0}}):position() observe("{i}.x", p.x) observe("{i}.y", p.y) observe("{i}.z", p.z) end'
                       for i, n in enumerate(links))
    with open(os.path.join(folder, "model.lua"), "w") as f:
        f.write(MODEL % (places, method))
    command = [rattle, "run", os.path.join(folder, "model.lua"), "--quiet", "--csv", "-"]
    for name, value in values.items():
        command += ["-P", f"{name}={value!r}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and "as_written=1" in done.stderr:
        done = subprocess.run(command + ["-P", "as_written=1"], capture_output=True, text=True)
        values["as_written"] = 1.0
    if done.returncode:
        return None, done.stderr.strip().split("\n")[-1]
    rows = done.stdout.strip().split("\n")
    row = dict(zip(rows[0].split(","), map(float, rows[1].split(","))))
    return row, ""


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def followers(text):
    """Joints that follow another: name -> (leader, multiplier, offset)."""
    found = {}
    for joint in xml.fromstring(text.encode()).iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            found[joint.get("name")] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return found


def stand(name, places, follows):
    """Position and rate of a joint; of one that follows, those of its leader give them."""
    if name not in follows:
        return places[name]
    leader, m, o = follows[name]
    q, v = stand(leader, places, follows)
    return m * q + o, m * v


def compare(rattle, path, count):
    text = stripped(path)
    try:
        follows = followers(text)
    except xml.ParseError as why:
        return f"no XML: {why}", 0
    try:
        model = pin.buildModelFromXML(text)
    except Exception as why:  # pinocchio raises several kinds
        return "pinocchio refuses: " + str(why).split("\n")[0][:80], 0
    data = model.createData()
    worst, ours = 0.0, ""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "robot.urdf"), "w", encoding="utf-8") as f:
            f.write(text)
        links = [f.name for f in model.frames if f.type == pin.FrameType.BODY and f.name != "universe"]
        rest = None
        for k in range(count + 1):
            g = draw(1000 + k)
            if any(leader not in model.names for leader, _, _ in follows.values()):
                return "a joint follows one that does not move: not compared", 0
            if any(joint.nv != 1 for joint in list(model.joints)[1:]):
                return "has joints of several freedoms: not compared", 0
            q, v, values = pin.neutral(model), np.zeros(model.nv), {}
            places = {name: (next(g), next(g)) if k else (0.0, 0.0) for name in list(model.names)[1:]}
            for j in range(1, model.njoints):
                joint, name = model.joints[j], model.names[j]
                angle, rate = stand(name, places, follows)
                if joint.nq == 2:
                    q[joint.idx_q], q[joint.idx_q + 1] = math.cos(angle), math.sin(angle)
                else:
                    q[joint.idx_q] = angle
                v[joint.idx_v] = rate
                if name not in follows:
                    values[name], values[name + ".rate"] = angle, rate
            T = pin.computeKineticEnergy(model, data, q, v)
            V = pin.computePotentialEnergy(model, data, q)
            pin.forwardKinematics(model, data, q)
            pin.updateFramePlacements(model, data)
            method = "verlet"
            row, ours = by_rattle(rattle, folder, values, links, method)
            if row is None:
                return "rattle refuses: " + ours[-200:], 0
            rest = (V, row["V"]) if rest is None else rest
            scale = max(1e-300, abs(T), sum(i.mass for i in model.inertias) * 9.81)
            worst = max(worst, abs(row["T"] - T) / scale, abs((row["V"] - rest[1]) - (V - rest[0])) / scale)
            for i, n in enumerate(links):
                at = data.oMf[model.getFrameId(n, pin.FrameType.BODY)].translation
                for axis in range(3):
                    key = f"{i}." + "xyz"[axis]
                    if key in row:
                        worst = max(worst, abs(row[key] - at[axis]) / max(1.0, np.abs(at).max()))
    written = ", inertias as they are written" if "as_written" in values else ""
    return ("agrees" if worst < 1e-12 else "DIFFERS") + written, worst


def main():
    args = argparse.ArgumentParser()
    args.add_argument("rattle")
    args.add_argument("files", nargs="+")
    args.add_argument("--count", type=int, default=3)
    given = args.parse_args()
    bad = 0
    for path in given.files:
        verdict, worst = compare(given.rattle, path, given.count)
        bad += verdict.startswith("DIFFERS")
        print(f"{os.path.basename(path):48s} {verdict} {worst:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
