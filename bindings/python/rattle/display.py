"""What notebooks show: formulas of models, tables and small figures of runs."""
import base64
import html
import io

import numpy

from rattle.formula import latex

MOST_FORMULAS = 12


def plot(samples, names, x, ax):
    """See Samples.plot."""
    from matplotlib import pyplot
    if names:
        ax = ax or pyplot.subplots()[1]
        _draw(ax, samples, names, x)
        return ax
    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(6, 4), constrained_layout=True)
    _summary(axes, samples)
    return axes


def _draw(ax, samples, names, x):
    for name in names:
        ax.plot(samples[x], samples[name], label=name, linewidth=1)
    ax.set_xlabel(x)
    if len(names) > 1:
        ax.legend()
    else:
        ax.set_ylabel(names[0])
    if x in samples.problem_names().coordinates and names[0] in samples.problem_names().coordinates:
        ax.set_aspect("equal", "datalim")


def _summary(axes, samples):
    _draw(axes[0], samples, samples.problem_names().coordinates[:3], "time")
    axes[0].set_xlabel("")
    axes[1].plot(samples.t, numpy.asarray(samples.energy) - samples.energy[0], linewidth=1)
    axes[1].set_xlabel("time")
    axes[1].set_ylabel("energy error")


def model_html(model):
    """Title, H and constraints as formulas."""
    H, g = model.formulas
    lines = [f"<b>{html.escape(model.title or 'Model')}</b>"]
    lines += [", ".join(f"{html.escape(name)} = {value:g}" for name, value in model.parameters.items())] if model.parameters else []
    if H is not None:
        lines.append(f"$$H = {latex(H)}$$")
    shown = list(g.items())[:MOST_FORMULAS]
    lines += [f"$$0 = {latex(e)}\\qquad\\text{{({html.escape(name)})}}$$" for name, e in shown]
    if len(g) > len(shown):
        lines.append(f"and {len(g) - len(shown)} more constraints")
    return "<div>" + "<br>".join(lines) + "</div>"


def table(rows):
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(str(value))}</td></tr>"
                    for name, value in rows)
    return f"<table>{cells}</table>"


def run_html(run):
    """The summary and a small figure."""
    s = run.summary
    rows = [("method", run.method), ("time", f"{s.start:g} to {s.stop:g}: {s.steps} steps of {run.h:g}"),
            ("energy", f"{s.energy_initial:.10g} at the start; largest error {s.energy_max_error:.2e} "
                       f"({s.energy_max_relative_error:.2e} of the energies)")]
    if run.problem.m:
        rows.append(("|g|, |psi|", f"largest {s.g_max:.2e}, {s.psi_max:.2e}"))
    if s.status != "OK":
        rows.append(("status", s.status))
    return f"<div><b>{html.escape(run.title or 'Run')}</b>{table(rows)}{_picture(run)}</div>"


def _picture(run):
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=(6, 3), constrained_layout=True)
    _summary(figure.subplots(2, 1, sharex=True), run)
    out = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(out)
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode()}">'
