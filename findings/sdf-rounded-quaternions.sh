#!/bin/sh
# libsdformat, as drake 1.51.1 from PyPI has it, moves a place where a pose with a rounded quaternion is gone through backwards.
#
# Guessed   a quaternion (SDFormat 1.9, rotation_format="quat_xyzw") that is not of length 1, as one that was printed with two digits,
#           is made one when it is read: places are those of the rotation
# Seen      so it is where poses are followed from frame to frame. Where one is inverted, for a joint whose frame hangs on its child or for
#           a model that is placed by one of its frames, the vector is off, along and across, by 1 - 1/|q|^2 of its length: with
#           0.71 for the root of one half a point at 3 m moves by 24 mm, though the rotation is right to the last bit
# Matters   files are printed with few digits, and the error looks like a part that was drawn in the wrong place. A reader that
#           makes quaternions of length 1 puts links elsewhere than this one does
#
# Exits with 1 if any of this is different.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install drake==1.51.1 >"$folder/pip.log" 2>&1 || { cat "$folder/pip.log" >&2; exit 2; }
cat >"$folder/places.py" <<'END'
import numpy
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

FORWARDS = """<?xml version="1.0"?><sdf version="1.9"><model name="m"><link name="a"/>
  <frame name="f"><pose rotation_format="quat_xyzw">3 0 0  0 0 {0} {0}</pose></frame><link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link></model></sdf>"""
BACKWARDS = """<?xml version="1.0"?><sdf version="1.9"><model name="m" placement_frame="f"><link name="a"/>
  <frame name="f"><pose rotation_format="quat_xyzw">3 0 0  0 0 {0} {0}</pose></frame></model></sdf>"""


def pose(text, name, digits):
    plant = MultibodyPlant(0)
    Parser(plant).AddModelsFromString(text.format(digits), "sdf")
    plant.Finalize()
    return plant.GetBodyByName(name).EvalPoseInWorld(plant.CreateDefaultContext())


different = False
for text, name, moved in ((FORWARDS, "b", False), (BACKWARDS, "a", True)):
    right, rounded = pose(text, name, repr(0.5**0.5)), pose(text, name, "0.71")
    place = abs(right.translation() - rounded.translation()).max()
    turn = abs(right.rotation().matrix() - rounded.rotation().matrix()).max()
    print(f"placed {'backwards' if moved else 'forwards'}: {right.translation()} and {rounded.translation()}: the place differs by {place:.3g}, the rotation by {turn:.1e}")
    different |= turn > 1e-15 or (abs(place - 3*(1 - 1/(2*0.71**2))) > 1e-12 if moved else place > 1e-12)
raise SystemExit(int(different))
END
"$folder/venv/bin/python" -W ignore "$folder/places.py"
