"""The backend of pip (PEP 517) for the wheel rattle-lammps; all of it is in plugins/engine_wheel.py."""
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engine_wheel  # noqa: E402

globals().update(engine_wheel.hooks("lammps"))
