"""The page of the examples: every model of examples/, in full."""
import glob
import os
import re


def pages(root):
    lines = ["# Examples", "", "The models in `examples/`. They come with the command: `rattle new NAME --from pendulum` writes one of them to a file of yours.", ""]
    for path in sorted(glob.glob(os.path.join(root, "examples", "*.lua"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        heading = re.search(r'^title "(.*)"', text, re.M)
        lines += [f"## {os.path.basename(path)[:-4]}", "", heading[1] + "." if heading else "", "", "```lua", text.rstrip(), "```", ""]
    yield "examples", "\n".join(lines)
