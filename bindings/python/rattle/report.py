"""Pages of `rattle report`, which the command makes."""
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def command():
    """The command inside the package (wheels), of the tree that the package is installed in, or of the search path."""
    near = [os.path.normpath(os.path.join(HERE, *way, "bin", "rattle")) for way in (["prefix"], [os.pardir] * 4)]
    found = next((path for path in near if os.access(path, os.X_OK)), None) or shutil.which("rattle")
    if found is None:
        raise FileNotFoundError(f"reports are made by the command rattle, which is neither {' nor '.join(near)} nor on the PATH")
    return found


def report(save, path=None, force=False):
    """save(file) writes what is reported. The path of the page, or without one its text."""
    with tempfile.TemporaryDirectory() as folder:
        source, page = os.path.join(folder, "record.h5"), path or os.path.join(folder, "report.html")
        save(source)
        asked = [command(), "report", source, "-o", os.fspath(page), *(["--force"] if force else [])]
        done = subprocess.run(asked, capture_output=True, text=True)
        if done.returncode:
            raise OSError(done.stderr.strip())
        if path is not None:
            return path
        with open(page, encoding="utf-8") as file:
            return file.read()
