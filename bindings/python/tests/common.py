"""The common part of the tests: where the sources and the installed tree are, the command, and modules that may be missing."""
import importlib
import json
import os
import subprocess
import sys
import unittest

SOURCE = os.environ.get("RATTLE_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
PREFIX = os.environ.get("RATTLE_PREFIX", "")
EXAMPLES = os.path.join(SOURCE, "examples")


def example(name):
    return os.path.join(EXAMPLES, name + ".lua")


def command(*arguments, status=0):
    """The output of the installed command."""
    done = subprocess.run([os.path.join(PREFIX, "bin", "rattle"), *arguments], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"rattle {' '.join(arguments)}: exit status {done.returncode}, {done.stderr}")
    return done.stdout


def json_of(*arguments, status=0):
    return json.loads(command(*arguments, "--json", status=status))


def need(*modules, test=None, wanted="RATTLE_MODULES_REQUIRED"):
    """Skips a test, or the whole file, where a module is missing; a failure where the environment wants those of Debian (CI), or of PyPI alone."""
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as error:
            if os.environ.get(wanted):
                raise
            if test is not None:
                test.skipTest(str(error))
            print(f"skipped: {error}")
            sys.exit(77)


main = unittest.main
