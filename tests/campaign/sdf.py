#!/usr/bin/env python3
"""Robots in SDF, as `rattle` reads them, against drake: kinetic and potential energy, the places of all links.

    tests/campaign/sdf.py RATTLE FILE.sdf ... [--count 3]

Needs `pip install drake`, whose package and example-robot-data have models. Each file is taken at configurations and rates of its own: T = v^T M(q) v/2
compares the mass matrix, V the centres of mass. Joints that close loops, which drake refuses, are taken away for both. Prints a line for each file: agrees,
differs, refused by whom, with the largest difference in parts of the energies. Exits with 1 where numbers differ.
"""
import argparse, logging, os, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml
import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BallRpyJoint, ScrewJoint, UniversalJoint
from pydrake.math import RotationMatrix, RollPitchYaw
from pydrake.multibody.math import SpatialVelocity


def draw(seed):
    state = (seed * 2862933555777941757 + 3037000493) % 2**64
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield 2 * ((state >> 11) / 2.0**53) - 1


def as_tree(path):
    """The file without shapes, and without joints that close loops: how many these are."""
    tree, closing = xml.parse(path), 0
    for parent in list(tree.iter()):
        hung = set()
        for e in list(parent):
            if e.tag in ("visual", "collision", "sensor", "plugin"):
                parent.remove(e)
            if e.tag == "joint" and e.find("child") is not None:
                child = e.find("child").text.strip()
                closing += child in hung
                parent.remove(e) if child in hung else hung.add(child)
    return xml.tostring(tree.getroot(), encoding="unicode"), closing


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def numbers(x):
    return "{" + ", ".join(repr(float(y)) for y in x) + "}"


def entries(text, starts):
    """The text with the starts of joints as entries of links."""
    text = re.sub(r",\n +position = parameter\(.*?\), rate = parameter\(.*?\)", "", text)
    for joint, start in starts.items():
        parts = joint.split(".")  # drake has a joint in the model of its child
        names = [".".join(parts[:k] + parts[-m:]) for m in (1, 2) for k in range(len(parts) - m, -1, -1)]
        joint = next((name for name in names if f'joint = {quoted(name)}, type' in text), joint)
        for kind in ("revolute", "prismatic", "spherical", "free"):
            text = text.replace(f'joint = {quoted(joint)}, type = "{kind}"', f'joint = {quoted(joint)}, type = "{kind}", {start}')
    return text


def by_rattle(rattle, folder, text, starts, links, gravity):
    made = subprocess.run([rattle, "new", os.path.join(folder, "robot"), "--from", os.path.join(folder, "robot.sdf"), "--force"], capture_output=True, text=True)
    if made.returncode:
        return None, made.stderr.strip().split("\n")[-1]
    lua = entries(open(os.path.join(folder, "robot.lua")).read(), starts)
    lua = "\n".join(line for line in lua.split("\n") if not line.startswith(("observe(", "integrate {", "mech.gravity(")))
    lua = lua.replace('local mech = require "mechanics"\n', 'local mech = require "mechanics"\nmech.gravity(%r, %r, %r)\n' % tuple(map(float, gravity)))
    for i, name in enumerate(links):
        lua += f'do local p = robot:point({quoted(name)}, {{0, 0, 0}}):position() observe("l{i}.x", p.x) observe("l{i}.y", p.y) observe("l{i}.z", p.z) end\n'
    lua += 'observe("T", mech.kinetic())\nobserve("V", mech.potential())\nintegrate { method = "rattle(verlet)", step = 1e-12, steps = 1 }\n'
    with open(os.path.join(folder, "robot.lua"), "w") as f:
        f.write(lua)
    command = [rattle, "run", os.path.join(folder, "robot.lua"), "--quiet", "--csv", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    if "as_written=1" in done.stderr:
        return None, "inertias of no body, which drake replaces: not compared"
    if done.returncode:
        return None, done.stderr.strip().split("\n")[-1]
    rows = done.stdout.strip().split("\n")
    return dict(zip(rows[0].split(","), map(float, rows[1].split(",")))), ""


def short(plant, instance, name):
    """The name of a part in the text: with dots, without that of the only model."""
    full = plant.GetModelInstanceName(instance) + "::" + name
    tops = {plant.GetModelInstanceName(i).split("::")[0] for b in bodies(plant) for i in [b.model_instance()]}
    return (full.split("::", 1)[1] if len(tops) == 1 else full).replace("::", ".")


def bodies(plant):
    return [plant.get_body(i) for i in plant.GetBodyIndices(plant.world_body().model_instance())[1:]] + [
        plant.get_body(b) for k in range(2, plant.num_model_instances()) for b in plant.GetBodyIndices(type(plant.world_body().model_instance())(k))]


def stand(plant, context, g, moves):
    """Configurations and rates by drake's joints, as entries of links."""
    starts = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        n, name = joint.num_velocities(), short(plant, joint.model_instance(), joint.name())
        if n == 0 or joint.type_name() == "quaternion_floating":
            continue
        q, v = np.array([moves * next(g) for _ in range(n)]), np.array([moves * next(g) for _ in range(n)])
        if joint.type_name() == "prismatic":
            q *= 0.1
        positions, rates = plant.GetPositions(context), plant.GetVelocities(context)
        positions[joint.position_start():joint.position_start() + n] = q
        rates[joint.velocity_start():joint.velocity_start() + n] = v
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, rates)
        if isinstance(joint, BallRpyJoint):
            R, C = RollPitchYaw(q).ToRotationMatrix(), joint.frame_on_child().GetFixedPoseInBodyFrame().rotation()
            turn = C @ R @ C.inverse()  # along the axes of the child, not of the joint
            starts[name] = f"rotation = {numbers(turn.ToQuaternion().wxyz())}, spin = {numbers((C @ R.inverse()).matrix() @ v)}"
        elif isinstance(joint, UniversalJoint):
            for k, axis in enumerate(("axis", "axis2")):
                starts[name + "." + axis] = f"position = {float(q[k])!r}, rate = {float(v[k])!r}"
        else:
            starts[name] = f"position = {float(q[0])!r}, rate = {float(v[0])!r}"
    for index in plant.GetFloatingBaseBodies():
        body = plant.get_body(index)
        R = plant.EvalBodyPoseInWorld(context, body).rotation().matrix()
        w, v = np.array([moves * next(g) for _ in range(3)]), np.array([moves * next(g) for _ in range(3)])
        plant.SetFreeBodySpatialVelocity(context=context, body=body, V_JpJc=SpatialVelocity(w, v))
        starts[short(plant, body.model_instance(), body.name())] = f"velocity = {numbers(R.T @ v)}, spin = {numbers(R.T @ w)}"
    return starts


def compare(rattle, path, count):
    text, closing = as_tree(path)
    logging.getLogger("drake").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "robot.sdf"), "w", encoding="utf-8") as f:
            f.write(text)
        plant = MultibodyPlant(0.0)
        try:
            Parser(plant).AddModels(os.path.join(folder, "robot.sdf"))
            plant.Finalize()
        except Exception as why:  # drake raises several kinds
            return "drake refuses: " + str(why).strip().split("\n")[0][-150:], 0
        if plant.num_velocities() == 0:
            return "nothing moves", 0
        gravity, all_bodies = plant.gravity_field().gravity_vector(), bodies(plant)
        links = [short(plant, b.model_instance(), b.name()) for b in all_bodies]
        worst, rest = 0.0, None
        for k in range(count + 1):
            context = plant.CreateDefaultContext()
            starts = stand(plant, context, draw(1000 + k), 1.0 if k else 0.0)
            row, why = by_rattle(rattle, folder, text, starts, links, gravity)
            if row is None:
                return why if "drake" in why else "rattle refuses: " + why[-300:], 0
            T, potential = plant.CalcKineticEnergy(context), plant.CalcPotentialEnergy(context)
            rest = (potential, row["V"]) if rest is None else rest
            scale = max(1e-300, abs(T), plant.CalcTotalMass(context) * 9.81)
            errors = [abs(row["T"] - T) / scale, abs((row["V"] - rest[1]) - (potential - rest[0])) / scale]
            places = [plant.EvalBodyPoseInWorld(context, b).translation() for b in all_bodies]
            size = max(1.0, np.abs(places).max())
            errors += [abs(row[f"l{i}.{'xyz'[a]}"] - p[a]) / size for i, p in enumerate(places) for a in range(3)]
            worst = max(worst, *errors)
    loops = f" without {closing} joints that close loops" if closing else ""
    return ("agrees" if worst < 1e-12 else "DIFFERS") + loops, worst


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
        print(f"{'/'.join(path.split('/')[-2:]):48s} {verdict} {worst:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
