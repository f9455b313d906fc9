"""The C side of the package: rattle._rattle, generated from the public headers.

    python3 build_module.py INCLUDE OUTPUT.c       INCLUDE: the folder that holds rattle/rattle.h

The C preprocessor runs over glue.c, which includes them (xla.c follows it); its lines that come from these headers are the declarations. The compiler then
checks each of them, so that a module never disagrees with the headers that it was compiled with. setup.py uses builder()."""
import os
import re
import shlex
import subprocess
import sys

from cffi import FFI

HERE = os.path.dirname(os.path.abspath(__file__))


def declarations(include):
    """The declarations of the public headers, and their integer constants."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    glue = os.path.join(HERE, "glue.c")
    text = subprocess.run([*compiler, "-E", "-I", include, glue], check=True, capture_output=True, text=True).stdout
    kept, ours, read = [], False, set()
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = marker.group(1)
            ours = os.path.realpath(path).startswith(os.path.realpath(include) + os.sep + "rattle" + os.sep)
            read |= {path} if ours else set()
        elif ours:
            kept.append(line)
    result = re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', "", "\n".join(kept))
    for path in sorted(read):
        with open(path, encoding="utf-8") as file:
            result += "".join("\n" + line for line in re.findall(r"^#define RATTLE_\w+ \d+$", file.read(), re.M))
    return result


def builder(include, **options):
    """A cffi builder of rattle._rattle."""
    ffi = FFI()
    glue = ""
    for name in ("glue.c", "xla.c"):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            glue += file.read()
    calls = re.findall(r"/\* from C: (.*?) \*/", glue, re.S)
    ffi.cdef(declarations(include))
    for exported in re.findall(r"/\* to Python \*/\n(.*?)/\* end \*/", glue, re.S):
        ffi.cdef(exported)
    ffi.cdef('extern "Python" {\n' + "\n".join(calls) + "\n}")
    ffi.set_source("rattle._rattle", glue, **options)
    return ffi


if __name__ == "__main__":
    builder(sys.argv[1]).emit_c_code(sys.argv[2])
