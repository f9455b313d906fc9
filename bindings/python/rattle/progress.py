"""A bar for calls that take long: a line on a terminal's standard error, or in a notebook."""
import sys
import time


def bar(wanted, what="run"):
    """show(done, of), close(); (None, nothing) where nobody would see it. wanted: True, False, or None: after a second, if seen."""
    write = None if wanted is False else _notebook() or _terminal(always=wanted)
    if write is None:
        return None, lambda: None
    begin, after = time.monotonic(), 0 if wanted else 1
    shown = []

    def show(done, of):
        seconds = time.monotonic() - begin
        if seconds >= after and of > 0:
            left = seconds * (of - done) / done if done else float("nan")
            shown.append(True)
            write(done / of, f"{what}: {100 * done / of:3.0f} %, {done} of {of}, {seconds:.0f} s, {left:.0f} s left")

    return show, lambda: shown and write(None, "")


def _terminal(always):
    out = sys.stderr
    if not always and not (hasattr(out, "isatty") and out.isatty()):
        return None

    def write(fraction, line):
        out.write("\r\x1b[K" + line)
        out.flush()

    return write


def _notebook():
    """IPython's display, in a notebook's kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display
    handle = []

    def write(fraction, line):
        html = HTML("" if fraction is None else f'<progress value="{fraction:.4f}" max="1"></progress> <code>{line}</code>')
        if handle:
            handle[0].update(html)
        else:
            handle.append(display(html, display_id=True))

    return write
