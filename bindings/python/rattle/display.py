"""Displays in notebooks: formulas of models, tables and small figures of runs."""
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
    axes[1].set_xlabel("time")
    if not samples.has_work:
        axes[1].plot(samples.t, numpy.asarray(samples.energy) - samples.energy[0], linewidth=1)
        axes[1].set_ylabel("energy error")
        return
    for name, values in (("H", samples.H), ("work", samples.work), ("H - work", samples.energy)):
        axes[1].plot(samples.t, values, label=name, linewidth=1)
    axes[1].legend()


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
            ("H - work" if run.has_work else "energy", f"{s.energy_initial:.10g} at the start; largest error {s.energy_max_error:.2e} "
                       f"({s.energy_max_relative_error:.2e} of the energies)")]
    if run.problem.m:
        rows.append(("|g|, |psi|", f"largest {s.g_max:.2e}, {s.psi_max:.2e}"))
    if s.status != "OK":
        rows.append(("status", s.status))
    rows += [("warning", sentence) for sentence in run.warnings]
    return f"<div><b>{html.escape(run.title or 'Run')}</b>{table(rows)}{_picture(2, 1, (6, 3), lambda axes: _summary(axes[:, 0], run), sharex=True)}{motion(run)}</div>"


MOST_POINTS, MOST_FRAMES, SECONDS = 60, 120, 6


def _places(names):
    """Places of the coordinates x and y of the points in a plane: x, y; x1, y1; x[1], y[1]."""
    return [(k, names.index("y" + name[1:])) for k, name in enumerate(names) if name[:1] == "x" and "y" + name[1:] in names][:MOST_POINTS]


def motion(run):
    """The points of a plane in motion, as a picture that a browser moves; "" where there are none."""
    places = _places(list(run.problem_names().coordinates))
    q = numpy.asarray(run.q)[::max(1, -(-len(run.t) // MOST_FRAMES))]
    if not places or len(q) < 2 or not numpy.isfinite(q).all():
        return ""
    x, y = (q[:, [place[k] for place in places]] for k in (0, 1))
    size = max(numpy.ptp(x), numpy.ptp(y), 1e-300)
    across, up = 10 + 180*(x - x.min())/size, 10 + 180*(y.max() - y)/size
    dots = "".join(
        "<circle r='4' fill='#4878a8'>" + "".join(
            f"<animate attributeName='{name}' dur='{SECONDS}s' repeatCount='indefinite' values='{';'.join(f'{v:.1f}' for v in values[:, k])}'/>"
            for name, values in (("cx", across), ("cy", up))) + "</circle>" for k in range(len(places)))
    paths = "".join(f"<polyline fill='none' stroke='#ccc' points='{' '.join(f'{a:.1f},{b:.1f}' for a, b in zip(across[:, k], up[:, k]))}'/>"
                    for k in range(min(3, len(places))))
    return f"<svg width='{across.max() + 10:.0f}' height='{up.max() + 10:.0f}' role='img' aria-label='motion'>{paths}{dots}</svg>"


def _picture(rows, columns, size, draw, **shared):
    """A figure with the axes that draw(axes) fills, as an image; "" without matplotlib."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=size, constrained_layout=True)
    draw(figure.subplots(rows, columns, squeeze=False, **shared))
    out = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(out)
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode()}">'


def plot_samples(of, names):
    """See Sampling.plot."""
    from matplotlib import pyplot
    axes = pyplot.subplots(len(names), 2, squeeze=False, figsize=(7, 1.7 * len(names)), width_ratios=(2, 1), constrained_layout=True)[1]
    _traces(axes, of, names)
    return axes


def _traces(axes, of, names):
    """In each row a column: the draws of each chain, and how they are distributed."""
    for row, name in zip(axes, names):
        for chain in of.values[:, :, of.columns.index(name)]:
            row[0].plot(chain, linewidth=0.5, alpha=0.7)
            row[1].hist(chain, bins="sqrt", histtype="step", density=True)
        row[0].set_ylabel(name)
        row[1].set_yticks([])
    axes[-1][0].set_xlabel("draw")
    axes[-1][1].set_xlabel("density")


def sampling_html(of):
    """Estimates, what was rejected, and traces of the first columns."""
    head = "".join(f"<th>{word}</th>" for word in ("", "mean", "error", "sd", "effective", "R-hat"))
    body = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>" + "".join(f"<td>{value}</td>" for value in (
        f"{e.mean:.6g}", f"{e.error:.2g}", f"{e.sd:.5g}", f"{e.effective:.0f}", f"{e.rhat:.4f}")) + "</tr>" for name, e in of.estimates.items())
    total = [sum(part) for part in zip(*((c.transitions, c.accepted, c.energy, c.unsolved, c.not_reversible, c.domain) for c in of.counts))]
    names = ("accepted", "rejected by H", "no multipliers", "not reversible", "not finite")
    rows = [("method", of.method), ("transitions", total[0]), *((name, f"{100*count/max(1, total[0]):.2f} %") for name, count in zip(names, total[1:])),
            ("step", ", ".join(f"{step:.4g}" for step in of.step[:8])), *(("warning", sentence) for sentence in of.warnings)]
    shown = of.columns[:3]
    picture = _picture(len(shown), 2, (7, 1.5 * len(shown)), lambda axes: _traces(axes, of, shown))
    return f"<div><b>{html.escape(of.title or 'Samples')}</b><table><tr>{head}</tr>{body}</table>{table(rows)}{picture}</div>"


# of each kind of study: the table, the abscissa and the ordinate of its figure
CURVES = {"order": ("points", "step", "error"), "work": ("points", "gradient", "error"), "drift": ("growth", "time", "energy"),
          "compare": ("growth", "time", "error")}


def plot_study(study, ax):
    """See Study.plot."""
    if study.kind not in CURVES:
        raise ValueError(f"a study of kind {study.kind!r} has no figure; its verdict is in `why`, what was tried in `methods`")
    from matplotlib import pyplot
    table, x, y = CURVES[study.kind]
    ax = ax or pyplot.subplots()[1]
    for one in study.methods:
        if table in one.tables:
            ax.loglog(one.tables[table][x], one.tables[table][y], ".-", label=one.method)
    ax.set_xlabel({"gradient": "gradients of H"}.get(x, x))
    ax.set_ylabel({"energy": "energy error"}.get(y, y))
    ax.legend()
    return ax


def study_html(study):
    """A line for each method: its slope, its verdict, or why it could not be studied."""
    rows = []
    for one in study.methods:
        slope = one.fits["error"].slope if "error" in one.fits else numpy.nan
        words = [f"order {slope:.2f}" if study.kind == "order" and numpy.isfinite(slope) else "", one.verdict, one.why, one.message]
        rows.append((one.method, "; ".join(word for word in words if word)))
    verdict = f"{study.verdict}: {study.why}" if study.verdict else ""
    return f"<div><b>{html.escape(f'{study.title}: {study.kind}')}</b>{table(rows)}{html.escape(verdict)}</div>"


def diagnosis_html(d):
    """The main parts of a diagnosis."""
    rows = [("problem", f"{d.kind}, n = {d.n}, m = {d.m}"), ("constraints", f"{d.class_}, index {d.index}"), ("degrees of freedom", f"{d.dof:g}")]
    rows += [(f"generation {k}", ", ".join(f"{name}: {e}" if e else name for name, e in generation.items()))
             for k, generation in enumerate(d.generations)]
    if d.symmetries:
        rows.append(("conserved", ", ".join(d.symmetries)))
    if d.advice_method is not None:
        rows.append(("advice", f"{d.advice_method}, step {d.advice_step:g}: {d.advice_why}"))
    rows += [(name, words) for name, words in (("refused", d.refused), ("note", d.note)) if words]
    return f"<div><b>{html.escape(d.title)}</b>{table(rows)}</div>"
