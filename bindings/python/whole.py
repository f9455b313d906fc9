"""Wheels with all of librattle in them: libraries, command, headers, CMake and pkg-config files, and examples below rattle/prefix, as
`cmake --install` puts them below a prefix, and the package, whose module finds them from where it is.

RATTLE_WHEEL_TAG: the platform of the tag (default: this machine); RATTLE_WHEEL_ADD: a folder whose content is added, as libraries that are
linked (rattle/prefix/lib) and licences of what is inside; CC and CMAKE_ARGS choose compiler and libraries: tools/wheel sets them all."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

PARTS = ["rattle_bonds", "rattle_engine", "rattle_io", "rattle_record", "rattle_command", "rattle_python"]


def build(root, tree):
    """All of librattle in `tree`; its tag."""
    from backend import add_command
    prefix, out = os.path.join(tree, "rattle", "prefix"), os.environ.get("RATTLE_WHEEL_BUILD") or os.path.join(tree, "build")
    os.makedirs(out, exist_ok=True)
    options = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_INSTALL_PREFIX": prefix, "CMAKE_INSTALL_LIBDIR": "lib", "RATTLE_PYTHON_DIR": "../..",
               "RATTLE_WHEEL": "ON", "BUILD_TESTING": "OFF", "RATTLE_PYTHON_MODULE": "ON", "RATTLE_PYTHON_INTERPRETER": sys.executable, "RATTLE_SITE": "OFF",
               "RATTLE_OCTAVE": "OFF"}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # where cffi is, for the Python that CMake starts
    for step in (["cmake", "-G", "Ninja", "-S", root, "-B", out, *(f"-D{name}={value}" for name, value in options.items()),
                  *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                 ["cmake", "--build", out, "--target", *PARTS], ["cmake", "--install", out, "--strip"]):
        if subprocess.run(step, env=environment, stdout=sys.stderr).returncode:
            sys.exit("librattle could not be built: what it needs is said above; on Debian tools/setup build installs it")
    if out.startswith(tree):
        shutil.rmtree(out)
    add = os.environ.get("RATTLE_WHEEL_ADD")
    if add:
        shutil.copytree(add, tree, dirs_exist_ok=True)
    add_command(tree, 'os.path.join(os.path.dirname(os.path.abspath(__file__)), "rattle", "prefix", "bin", "rattle")')
    return "cp39-abi3-" + (os.environ.get("RATTLE_WHEEL_TAG") or re.sub(r"\W", "_", sysconfig.get_platform()))
