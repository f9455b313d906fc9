"""The pages of the examples: every model of examples/ with its picture, in full, and a page in which they run where the command can make one; the notebooks."""
import glob
import html
import json
import os
import re
import subprocess

import pictures

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


def sentence(text):
    """The first sentence of a model's first comment, without literature in brackets."""
    comment = " ".join(re.search(r"(?:^--(?: .*)?\n)+", text, re.M)[0].replace("\n--", "\n").lstrip("- ").partition("\n\n")[0].split())
    bare = re.sub(r"\s*\((?:[^()]|\([^()]*\))*\)", lambda match: "" if re.search(r"\b1[89]\d\d\b", match[0]) else match[0], comment)
    return re.split(r"[.:]?\s+(?=Units)|\.\s+(?=[A-Z])|: `", bare + " ")[0].strip().rstrip(".:") + "."


def shown(text):
    """A sentence as HTML."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def overview(models_of, drawn):
    """A picture and a sentence for each model, as links to what is below; models_of: name -> text."""
    lines = ['<div class="examples">']
    for name, text in models_of.items():
        picture = f'<img src="{pictures.FOLDER}/{name}.png" alt="" loading="lazy" width="{pictures.SIZE[0]}" height="{pictures.SIZE[1]}">' if name in drawn else ""
        lines.append(f'<a href="#{name.replace("_", "-")}">{picture}<b>{name}</b> <span>{shown(sentence(text))}</span></a>')
    return [*lines, "</div>", ""]


def pages(root, runs=False, drawn=frozenset()):
    """runs: there is a page in which they run; drawn: names of those with a picture."""
    lines = ["# Examples", "", "The models in `examples/`. They come with the command: `rattle new NAME --from pendulum` writes one of them to a file of yours.", ""]
    models_of = {}
    for path in models(root):
        with open(path, encoding="utf-8") as file:
            models_of[os.path.basename(path)[:-4]] = file.read()
    lines += overview(models_of, drawn)
    for name, text in models_of.items():
        heading = re.search(r'^title "(.*)"', text, re.M)
        lines += [f"## {name}", "", heading[1] + "." if heading else "", ""]
        if runs:
            lines += [f'<a href="{LIVE}#live?model={name}.lua">Run it here</a>: sliders, motion, errors.', ""]
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
