"""`fix rattle/any` for LAMMPS's package of Python, which finds it by its entry point: an import is not needed.

docs/lammps.md of librattle is the guide."""
import ctypes
import importlib.metadata
import os


def folder():
    """The folder of the plug-in, which the package lammps asks for when it is imported, and gives to LAMMPS as LAMMPS_PLUGIN_PATH.

    The MPI of the package mpich is loaded, which `lammps.lammps()` finds by its name alone; the package lammps tells only programs that it starts
    where that is."""
    for name in ("libmpi.so.12", *paths()):
        try:
            ctypes.CDLL(name, ctypes.RTLD_GLOBAL)
            break
        except OSError:
            pass  # lammps() says what is missing
    return os.path.dirname(os.path.abspath(__file__))


def paths():
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [str(file.locate()) for file in files if file.name == "libmpi.so.12"]
