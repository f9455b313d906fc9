"""docs/python.md, the README and the notebook: what they contain runs, and prints what they say."""
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import common

common.need("sympy", "numba", "matplotlib")
import rattle  # noqa: E402,F401


def examples(path):
    """(line, code, what is printed) of each block of Python that a text follows."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for found in re.finditer(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", page, re.M | re.S):
        yield page[:found.start()].count("\n") + 1, found.group(1), found.group(2)


class Pages(unittest.TestCase):
    maxDiff = None

    def run_page(self, name, least):
        names, count, here = {}, 0, os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            os.chdir(folder)
            self.addCleanup(os.chdir, here)
            for line, code, printed in examples(os.path.join(common.SOURCE, name)):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(code, f"{name}:{line}", "exec"), names)
                self.assertEqual(out.getvalue(), printed, f"{name}:{line}")
                count += 1
        self.assertGreaterEqual(count, least)

    def test_python(self):
        self.run_page("docs/python.md", 8)

    def test_readme(self):
        self.run_page("README.md", 1)


class Notebook(unittest.TestCase):
    def test_cells(self):
        """Each notebook from its first cell to its last, without stored outputs; its assertions check it, what a cell ends with is displayed."""
        names = sorted(name for name in os.listdir(os.path.join(common.EXAMPLES, "python")) if name.endswith(".ipynb"))
        self.assertGreaterEqual(len(names), 6)
        for name in names:
            with open(os.path.join(common.EXAMPLES, "python", name), encoding="utf-8") as file:
                code = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
            self.assertFalse([cell for cell in code if cell["outputs"] or cell["execution_count"] is not None], name)
            cells, known = ["".join(cell["source"]) for cell in code], {}
            self.assertRegex("\n".join(cells), r"(?m)^ *assert ", name)
            for number, cell in enumerate(cells):
                body = ast.parse(cell.replace("%matplotlib inline", ""), f"{name}, cell {number}")
                last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
                exec(compile(body, name, "exec"), known)
                shown = None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), known)
                if hasattr(shown, "_repr_html_"):
                    self.assertIn("<", shown._repr_html_())

    def test_runs(self):
        common.need("ipykernel", "nbconvert", test=self)
        with tempfile.TemporaryDirectory() as folder:
            home = {**os.environ, "HOME": folder, "IPYTHONDIR": folder, "JUPYTER_RUNTIME_DIR": folder}
            done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--output-dir", folder,
                                   os.path.join(common.EXAMPLES, "python", "pendulum.ipynb")], env=home, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
            with open(os.path.join(folder, "pendulum.html"), encoding="utf-8") as file:
                page = file.read()
        for part in (r"$$H = \frac{p_{x}^{2} + p_{y}^{2}}{2}", "image/svg+xml", "largest error", "image/png"):
            self.assertIn(part, page)
        self.assertNotIn("output_error", re.sub(r"<style.*?</style>", "", page, flags=re.S))


if __name__ == "__main__":
    common.main()
