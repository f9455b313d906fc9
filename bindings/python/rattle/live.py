"""Pages in which a model runs (docs/live.md), also in the cell of a notebook. The command makes them."""
from __future__ import annotations

import html
import os
import subprocess
import tempfile

from rattle.errors import Unsuitable
from rattle.report import command


class Live:
    """A live page: what a notebook displays of it is the page, in a frame that sees neither the notebook nor the network.

    text: the page; height: of the frame, in pixels"""

    def __init__(self, text: str, height: int) -> None:
        self.text, self.height = text, height

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the page, which opens in any browser."""
        with open(path, "w" if force else "x", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        return (f'<iframe sandbox="allow-scripts allow-downloads" title="live model" style="width:100%;height:{self.height}px;border:0" '
                f'srcdoc="{html.escape(self.text, quote=True)}"></iframe>')

    def __repr__(self) -> str:
        return f"<rattle.live.Live: a page of {len(self.text)/1e6:.1f} MB; save(path) writes it>"


def live(name: str, text: str, parameters: dict[str, float], options: dict[str, object], height: int) -> Live:
    """The page of a model file with this name and text."""
    with tempfile.TemporaryDirectory() as folder:
        model, page = os.path.join(folder, name), os.path.join(folder, "page.html")
        with open(model, "w", encoding="utf-8") as file:
            file.write(text)
        asked = [command(), "live", model, "-o", page, "--quiet"]
        for parameter, value in parameters.items():
            asked += ["-P", f"{parameter}={value!r}"]
        for option, given in options.items():
            asked += [] if given is None else [f"--{option}", str(given)]
        done = subprocess.run(asked, capture_output=True, text=True)
        if done.returncode:
            raise Unsuitable(done.stderr.strip().removeprefix("rattle live: "))
        with open(page, encoding="utf-8") as file:
            return Live(file.read(), height)
