"""Builds the package against an installed librattle, which pkg-config finds, or else against the build folder RATTLE_BUILD (default:
build/) of the source tree that this folder lies in. pip runs it by backend.py."""
import os
import re
import subprocess
import sys

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from build_module import builder  # noqa: E402


def package(*arguments):
    asked = subprocess.run(["pkg-config", *arguments, "rattle"], capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else None


def place():
    """(folder of the headers, folder of the libraries, version)."""
    if "RATTLE_BUILD" not in os.environ and package("--exists") is not None:
        return package("--variable=includedir"), package("--variable=libdir"), package("--modversion")
    build = os.path.abspath(os.environ.get("RATTLE_BUILD", os.path.join(ROOT, "build")))
    if not os.path.exists(os.path.join(build, "librattle_io.so")):
        sys.exit(f"librattle was not found: pkg-config does not know it, and it is not built in {build}: build it by tools/build build, "
                 "or set PKG_CONFIG_PATH to the folder of rattle.pc")
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return os.path.join(ROOT, "include"), build, re.search(r"project\(rattle VERSION (\S+)", file.read()).group(1)


include, libraries, version = place()
module = builder(include, libraries=["rattle", "rattle_io", "rattle_bonds"], include_dirs=[include], library_dirs=[libraries],
                 runtime_library_dirs=[libraries])
setup(version=version, ext_modules=[module.distutils_extension(os.path.join("build", "generated"))])
