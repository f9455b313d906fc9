#!/bin/sh
# MuJoCo 4.0.0 (PyPI): the copies of <replicate> turn by multiples of Euler angles, and an equality that names what is replicated is gone.
#
# Guessed   copy k is turned k times by the rotation that `euler` is, its k-th power; an equality whose body has become a0, a1, a2
#           is refused, as one that names any other body that is not there
# Seen      copy k has the Euler angles k*euler, which is the power for a turn about one axis alone: of (30, 40, 0) degrees, two copies on, it is off
#           by 20 degrees. The equality is compiled away without an error or a warning: neq is 0
# Matters   a reader that composes rotations places the third copy elsewhere; a loop that the file closes is open, and moves otherwise, without a word
#
# Exits with 1 if any of this is different.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q --disable-pip-version-check install mujoco==4.0.0 numpy==2.4.6 || exit 2
"$folder/venv/bin/python" - <<'PROGRAM'
import math
import sys

import mujoco
import numpy


def turned(*degrees):
    quaternion = numpy.zeros(4)
    mujoco.mju_euler2Quat(quaternion, numpy.radians(degrees), "xyz")
    return quaternion


def apart(a, b):
    return math.degrees(2*math.acos(min(1, abs(a @ b))))


print("mujoco", mujoco.__version__)
copies = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><replicate count="3" euler="30 40 0">
  <body name="a" pos="1 0 0"><freejoint/><geom size=".1"/></body></replicate></worldbody></mujoco>""")
once, power = turned(30, 40, 0), numpy.zeros(4)
mujoco.mju_mulQuat(power, once, once)
last = copies.body("a2").quat
print(f"third copy: {apart(last, turned(60, 80, 0)):.2g} degrees from twice the angles, {apart(last, power):.1f} from twice the turn")

loop = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body name="base" pos="0 0 1"><geom size=".1"/></body>
  <replicate count="3" offset="1 0 0"><body name="a" pos="1 0 0"><freejoint/><geom size=".1"/></body></replicate></worldbody>
  <equality><connect body1="a" body2="base" anchor="0 0 0"/></equality></mujoco>""")
print("bodies:", *(loop.body(i).name for i in range(loop.nbody)), "- equalities:", loop.neq)
sys.exit(not (apart(last, turned(60, 80, 0)) < 1e-5 and apart(last, power) > 15 and loop.neq == 0))
PROGRAM
