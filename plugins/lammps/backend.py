"""The backend of pip (PEP 517) for the wheel rattle-lammps; all of it is in plugins/engine_wheel.py."""
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engine_wheel  # noqa: E402


def get_requires_for_build_wheel(config_settings=None):
    del config_settings
    return engine_wheel.requirements()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    del config_settings
    return engine_wheel.describe("lammps", metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    return engine_wheel.build_wheel("lammps", wheel_directory)
