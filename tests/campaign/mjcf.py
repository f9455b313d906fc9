#!/usr/bin/env python3
"""Robots in MJCF, as `rattle` reads them, against mujoco: kinetic and potential energy, the places of all bodies, a second of motion.

    tests/campaign/mjcf.py RATTLE FILE.xml ... [--count 3] [--motion] [--joints]

Needs `pip install mujoco`; docs/robots.md names packages with models. Each file gets a keyframe with a configuration and rates of its own: T =
v^T M(q) v/2 compares the mass matrix with armatures, V the centres of mass and springs. With --motion a second without contacts, limits, drives, dry
friction and soft equalities is compared with RK4 of mujoco at two timesteps, whose difference is the error of that engine. With --joints
rattle has joint coordinates, and the momenta of hinges and slides are compared with M(q) v, also for rates of one joint alone, whose momenta are a column of
M(q). Prints a line for each file:
agrees, differs, refused by whom, with the largest difference in parts of the energies. Exits with 1 where numbers differ. Writes a file beside each.
"""
import argparse, os, subprocess, sys, tempfile
import numpy as np
import mujoco


def draw(seed):
    state = (seed * 2862933555777941757 + 3037000493) % 2**64
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield 2 * ((state >> 11) / 2.0**53) - 1


def configuration(m, seed, scale):
    g, q = draw(seed), m.qpos0.copy()
    for j in range(m.njnt):
        a, t = m.jnt_qposadr[j], m.jnt_type[j]
        if t == mujoco.mjtJoint.mjJNT_FREE:
            q[a:a + 3] += [0.5 * scale * next(g) for _ in range(3)]
            a += 3
        if t in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            v = np.array([next(g) for _ in range(4)])
            q[a:a + 4] = v / np.linalg.norm(v) if scale else q[a:a + 4]
        elif t == mujoco.mjtJoint.mjJNT_SLIDE:
            q[a] += 0.1 * scale * next(g)
        elif t == mujoco.mjtJoint.mjJNT_HINGE:
            q[a] += scale * next(g)
    return q, scale * np.array([next(g) for _ in range(m.nv)])


def with_keyframe(path, q, v):
    """The file with one keyframe, and without those it has."""
    text = open(path, encoding="utf-8").read()
    for part in ("keyframe", "sensor", "actuator"):
        while f"<{part}" in text:
            a = text.index(f"<{part}")
            b = text.find(f"</{part}>", a)
            b = text.index("/>", a) + 2 if b < 0 else b + len(part) + 3
            text = text[:a] + text[b:]
    numbers = lambda x: " ".join(repr(float(y)) for y in x)
    key = f'<keyframe><key name="drawn" qpos="{numbers(q)}" qvel="{numbers(v)}"/></keyframe>'
    key += '<option><flag equality="disable"/></option>'
    end = text.rindex("</mujoco")
    return text[:end] + key + text[end:]


def observed(rattle, text, extra, integrate, options=()):
    """The first and the last sample of the model, or the sentence that refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        made = subprocess.run([rattle, "new", model, "--from", text], capture_output=True, text=True)
        if made.returncode:
            return None, made.stderr.strip().split("\n")[-1]
        lua = open(model + ".lua").read()
        lines = [line for line in lua.split("\n") if not line.startswith(("observe(", "integrate {"))]
        open(model + ".lua", "w").write("\n".join(lines) + extra + integrate)
        done = subprocess.run([rattle, "run", model + ".lua", "--quiet", "--csv", "-", "-P", "keyframe=1", *options], capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr.strip().split("\n")[-1]
        rows = done.stdout.strip().split("\n")
        names = rows[0].split(",")
        return [dict(zip(names, map(float, row.split(",")))) for row in (rows[1], rows[-1])], ""


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quiet(m):
    off = mujoco.mjtDisableBit
    for bit in ("CONTACT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "ACTUATION"):
        m.opt.disableflags |= int(getattr(off, "mjDSBL_" + bit))
    m.opt.density = m.opt.viscosity = 0
    m.body_gravcomp[:] = 0
    m.tendon_stiffness[:] = 0
    m.tendon_damping[:] = 0


def names_of(m):
    """Of bodies, as the reader names those that have none: it counts them and joints without a name together, depth first, past names that are taken."""
    taken, count = set(m.names.decode().split("\0")), 0

    def named(name, what):
        nonlocal count
        while not name:
            count += 1
            name = "" if f"{what}{count}" in taken else f"{what}{count}"
        return name

    names = ["world"]
    for i in range(1, m.nbody):
        names.append(named(m.body(i).name, "body"))
        for j in range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i]):
            named(m.joint(j).name, "joint")
    return names


def energies(m, q, v):
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    for i in range(m.nv):
        e, r = np.zeros(m.nv), np.zeros(m.nv)
        e[i] = 1
        mujoco.mj_mulM(m, d, r, e)
        M[i] = r
    return 0.5 * v @ M @ v, d.energy[0], d, M


def momenta(m, row, p, M):
    """How far the momenta of hinges and slides are from p, in parts of the largest of the row of M; names as the reader has them."""
    errors, scale = [0.0], np.abs(M).max()
    for j in range(m.njnt):
        name = m.joint(j).name.replace("/", "_") + {2: ".pslide", 3: ".pangle"}.get(int(m.jnt_type[j]), "")
        if name in row:
            errors.append(abs(row[name] - p[m.jnt_dofadr[j]]) / scale)
    return max(errors)


def compare(rattle, path, count, joints):
    try:
        m = mujoco.MjModel.from_xml_path(path)
    except Exception as why:
        return "mujoco refuses: " + str(why).split("\n")[0][:80], 0
    quiet(m)
    if m.nv == 0:
        return "nothing moves", 0
    worst, rest = 0.0, None
    names = [m.body(i).name for i in range(m.nbody)]
    places = "".join(f'do local p = robot:point({quoted(n)}, {{0, 0, 0}}):position() observe("b{i}.x", p.x) observe("b{i}.y", p.y) observe("b{i}.z", p.z) end\n'
                     for i, n in enumerate(names) if i and n and m.body_weldid[i] != 0)
    extra = '\nobserve("T", mech.kinetic())\nobserve("V", mech.potential())\n' + places
    beside = os.path.join(os.path.dirname(path), "rattle_campaign.xml")
    method, options = ("gauss(2)", ("-P", "joints=1")) if joints else ("rattle(verlet)", ())
    alone = [int(m.jnt_dofadr[j]) for j in range(m.njnt) if joints and m.jnt_type[j] >= 2]
    try:
        for k in range(count + 1 + len(alone)):
            q, v = configuration(m, 1000 + min(k, count), 1.0 if k else 0.0)
            if k > count:
                v[:] = 0
                v[alone[k - count - 1]] = 1
            with open(beside, "w", encoding="utf-8") as f:
                f.write(with_keyframe(path, q, v))
            rows, why = observed(rattle, beside, extra, f'integrate {{ method = "{method}", step = 1e-9, steps = 1 }}\n', options)
            if rows is None:
                return "rattle refuses: " + why[-200:], 0
            row = rows[0]
            T, potential, d, M = energies(m, q, v)
            rest = (potential, row["V"]) if rest is None else rest
            scale = max(1e-300, abs(T), float(m.body_mass.sum()) * 9.81)
            errors = [abs(row["T"] - T) / scale, abs((row["V"] - rest[1]) - (potential - rest[0])) / scale]
            if joints:
                errors.append(momenta(m, row, M @ v, M))
            for i in range(1, m.nbody):
                for axis in range(3):
                    if f"b{i}.{'xyz'[axis]}" in row:
                        errors.append(abs(row[f"b{i}.{'xyz'[axis]}"] - d.xpos[i][axis]) / max(1.0, np.abs(d.xpos).max()))
            worst = max(worst, *errors)
    finally:
        os.path.exists(beside) and os.remove(beside)
    return ("agrees" if worst < 1e-12 else "DIFFERS"), worst


def engine(m, q, v, step):
    m.opt.timestep, m.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = q, v
    for _ in range(round(1 / step)):
        mujoco.mj_step(m, d)
    mujoco.mj_kinematics(m, d)
    return None if any(w.number for w in d.warning) else d.xpos.copy()


def engines(m, q, v):
    """The places at two timesteps, of which the longer one is 0.001 or, where RK4 is unstable, a half, a quarter or an eighth of it."""
    for step in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
        coarse, fine = engine(m, q, v, step), engine(m, q, v, step / 2)
        if coarse is not None and fine is not None:
            return coarse, fine
    raise ArithmeticError("RK4 of mujoco is unstable at 0.000125")


def motion(rattle, path):
    m = mujoco.MjModel.from_xml_path(path)
    quiet(m)
    names = names_of(m)
    places = "".join(f'do local p = robot:point({quoted(n)}, {{0, 0, 0}}):position() observe("b{i}.x", p.x) observe("b{i}.y", p.y) observe("b{i}.z", p.z) end\n'
                     for i, n in enumerate(names) if i and n and m.body_weldid[i] != 0)
    beside = os.path.join(os.path.dirname(path), "rattle_campaign.xml")
    q, v = configuration(m, 7, 0.3)
    try:
        with open(beside, "w", encoding="utf-8") as f:
            f.write(with_keyframe(path, q, v))
        base = "midpoint" if np.any(m.dof_damping) else "verlet"
        verdict = None
        # kahan_li8 has parts that go back in time, through which dampers drive; off the constraints, dampers of thin bodies are faster than steps of spark
        for method, step in ((f"kahan_li8(rattle({base}))", 0.01), ("spark(4)", 0.0025), ("rattle(midpoint)", 0.00025)):
            rows, why = observed(rattle, beside, "\n" + places, f'integrate {{ method = "{method}", step = {step}, stop = 1 }}\n')
            if rows is None:
                continue
            coarse, fine = engines(m, q, v)
            error = np.abs(coarse - fine).max()
            compared = [i for i in range(1, m.nbody) if f"b{i}.x" in rows[1]]
            ours = max((abs(rows[1][f"b{i}.{'xyz'[a]}"] - fine[i][a]) for i in compared for a in range(3)), default=0)
            same = ours <= max(2 * error, 1e-10)
            verdict = ("moves the same" if same else "MOVES OTHERWISE") if compared else "no body moves", ours, error
            if same:
                break
    finally:
        os.path.exists(beside) and os.remove(beside)
    return verdict or ("rattle refuses: " + why[-200:], 0, 0)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("rattle")
    args.add_argument("files", nargs="+")
    args.add_argument("--count", type=int, default=3)
    args.add_argument("--motion", action="store_true")
    args.add_argument("--joints", action="store_true")
    given = args.parse_args()
    bad = 0
    for path in given.files:
        verdict, worst = compare(given.rattle, path, given.count, given.joints)
        line = f"{verdict} {worst:.1e}"
        bad += verdict == "DIFFERS"
        if given.motion and verdict == "agrees":
            verdict, ours, error = motion(given.rattle, path)
            line += f"; {verdict} {ours:.1e}, mujoco's own error {error:.1e}"
            bad += verdict == "MOVES OTHERWISE"
        print(f"{'/'.join(path.split('/')[-2:]):48s} {line}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
