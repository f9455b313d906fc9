"""The backend that pip builds the package with: setuptools, in this folder. pip hides installed packages from a build; the installed
setuptools and cffi are used nevertheless, and are asked of pip only if they are missing, so that `pip install .` needs no network."""
import importlib.util
import os
import site
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
sys.path += [folder for folder in site.getsitepackages() + [site.getusersitepackages()] if folder not in sys.path]


def get_requires_for_build_wheel(config_settings=None):
    del config_settings
    return [name for name in ("setuptools", "cffi") if importlib.util.find_spec(name) is None]


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from setuptools import build_meta
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.build_sdist(sdist_directory, config_settings)
