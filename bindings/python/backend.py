"""The backend that pip builds the package with (PEP 517), on nothing but cffi and a C compiler: `pip install .`, `pip wheel .`, `python -m build`.

A librattle of this version that pkg-config finds, or else the build folder RATTLE_BUILD (default: build/) of the source tree, is used where
it is, and only the module is compiled. Where there is neither, and with RATTLE_WHEEL=1, the wheel holds all of librattle (whole.py).

pip hides installed packages from a build; the installed cffi is used nevertheless, and asked of pip only if it is missing, so that
`pip install .` needs no network (docs/decisions/133-wheels.md)."""
import importlib.util
import os
import re
import shlex
import shutil
import site
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path += [folder for folder in site.getsitepackages() + [site.getusersitepackages(), HERE] if folder not in sys.path]
LIBRARIES = ["rattle", "rattle_io", "rattle_bonds"]


def get_requires_for_build_wheel(config_settings=None):
    del config_settings
    wanted = {"cffi": importlib.util.find_spec("cffi") is None}
    if there() is None:
        wanted.update(cmake=shutil.which("cmake") is None, ninja=shutil.which("ninja") is None)
    return [name for name, missing in wanted.items() if missing]


def get_requires_for_build_sdist(config_settings=None):
    del config_settings
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    del config_settings
    from wheel_file import describe
    return describe(metadata_directory, version(), ROOT)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    from wheel_file import write
    with tempfile.TemporaryDirectory() as tree:
        if there() is None:
            import whole
            tag = whole.build(ROOT, tree)
        else:
            tag = build_module(tree, *there())
        return write(wheel_directory, tree, version(), tag, ROOT)


def build_sdist(sdist_directory, config_settings=None):
    """What git knows; of an unpacked source distribution all of it."""
    del config_settings
    from wheel_file import metadata
    base = f"librattle-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    known = os.fsdecode(listed.stdout).split("\0")[:-1] if listed.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(ROOT) for name in names]
    with tempfile.TemporaryDirectory() as folder, tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as archive:
        for name in sorted(set(known) - {"PKG-INFO"}):
            archive.add(os.path.join(ROOT, name), f"{base}/{name}", recursive=False)
        with open(os.path.join(folder, "PKG-INFO"), "w", encoding="utf-8") as file:
            file.write(metadata(version(), ROOT))
        archive.add(file.name, base + "/PKG-INFO")
    return base + ".tar.gz"


def version():
    """That of the source tree."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(rattle VERSION (\S+)", file.read()).group(1)


def package(*arguments):
    try:
        asked = subprocess.run(["pkg-config", *arguments, "rattle"], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return asked.stdout.strip() if asked.returncode == 0 else None


def there():
    """(folder of the headers, folder of the libraries, the command) of a librattle that is there; None: it has to be built."""
    if os.environ.get("RATTLE_WHEEL"):
        return None
    if "RATTLE_BUILD" not in os.environ and package("--exists") is not None:
        if package("--modversion") != version():
            sys.exit(f"pkg-config finds librattle {package('--modversion')} in {package('--variable=libdir')}, and this is the package of "
                     f"{version()}: set PKG_CONFIG_PATH to the folder of another rattle.pc, or RATTLE_WHEEL=1 to build librattle into the package")
        return package("--variable=includedir"), package("--variable=libdir"), os.path.join(package("--variable=prefix"), "bin", "rattle")
    build = os.path.abspath(os.path.join(ROOT, os.environ.get("RATTLE_BUILD", "build")))
    if os.path.exists(os.path.join(build, "librattle_io.so")):
        return os.path.join(ROOT, "include"), build, os.path.join(build, "rattle")
    if "RATTLE_BUILD" in os.environ:
        sys.exit(f"RATTLE_BUILD is {build}, where librattle is not built: build it by tools/build {build}")
    return None


def build_module(tree, include, libraries, command):
    """The package in `tree` for a librattle that stays where it is; its tag."""
    from build_module import builder
    into = os.path.join(tree, "rattle")
    shutil.copytree(os.path.join(HERE, "rattle"), into, ignore=shutil.ignore_patterns("__pycache__"))
    text = os.path.join(tree, "_rattle.c")
    builder(include).emit_c_code(text)
    libraries = os.path.realpath(libraries)
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), *shlex.split(os.environ.get("CFLAGS", "-O2")), "-shared", "-fPIC", "-I", include,
                    "-I", sysconfig.get_path("include"), text, "-o", os.path.join(into, "_rattle.abi3.so"), "-L", libraries,
                    "-Wl,-rpath," + libraries, *("-l" + name for name in LIBRARIES)], check=True)
    os.remove(text)
    add_command(tree, repr(os.path.realpath(command)))
    return "cp39-abi3-" + re.sub(r"\W", "_", sysconfig.get_platform())


def add_command(tree, program):
    """The command `rattle` of the package: `program` is an expression of Python."""
    with open(os.path.join(HERE, "command.py"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(tree, "_rattle_command.py"), "w", encoding="utf-8") as file:
        file.write(text.replace("PROGRAM = None", f"PROGRAM = {program}"))
