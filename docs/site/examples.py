"""The pages of the examples: every model of examples/, in full, and a page in which they run where the command can make one; the notebooks."""
import glob
import json
import os
import re
import subprocess

LIVE = "examples-live.html"


def models(root):
    return sorted(glob.glob(os.path.join(root, "examples", "*.lua")))


def live(root, rattle, folder):
    """The page in which all examples run, in the folder; None where the command was built without the module for it."""
    page = os.path.join(folder, LIVE)
    done = subprocess.run([rattle, "live", *models(root), "-o", page, "--force", "--quiet"], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode and "without the module" not in done.stderr:
        raise SystemExit(done.stderr)
    return None if done.returncode else page


def pages(root, runs=False):
    """runs: there is a page in which they run."""
    lines = ["# Examples", "", "The models in `examples/`. They come with the command: `rattle new NAME --from pendulum` writes one of them to a file of yours.", ""]
    for path in models(root):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(path)
        heading = re.search(r'^title "(.*)"', text, re.M)
        lines += [f"## {name[:-4]}", "", heading[1] + "." if heading else "", ""]
        if runs:
            lines += [f'<a href="{LIVE}#live?model={name}">Run it here</a>: sliders, motion, errors.', ""]
        lines += ["```lua", text.rstrip(), "```", ""]
    yield "examples", "\n".join(lines)
    yield "notebooks", notebooks(root)


def notebooks(root):
    """The cells of the notebooks of examples/python: headings one level lower, formulas as their TeX, since no script from elsewhere displays them."""
    lines = ["# Notebooks", "", "The notebooks in `examples/python`. A test runs their cells, whose assertions compare with closed forms.", ""]
    for path in sorted(glob.glob(os.path.join(root, "examples", "python", "*.ipynb"))):
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        for cell in cells:
            text = "".join(cell["source"])
            code = cell["cell_type"] == "code"
            lines += ["```python", text, "```", ""] if code else [re.sub(r"\$([^$]+)\$", r"`\1`", re.sub(r"(?m)^#", "##", text)), ""]
    return "\n".join(lines)
