"""Curves of error against cost as SVG, without a library: two panels with logarithmic axes, gradients of H and CPU time."""
import html
import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, GAP = 340, 276, 46, 38, 18, 20
PANELS = (("gradient", "gradients of H"), ("cpu_seconds", "CPU time, s"))


def limits(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def shown(point, cost):
    return point["error"] and point[cost] and 0 < point["error"] < 10 and point[cost] > 0


def ticks(low, high, most):
    step = max(1, math.ceil((high - low) / most))
    return range(math.ceil(low / step) * step, high + 1, step)


def panel(methods, own, cost, label, left):
    points = [point for method in methods for point in method["points"] if shown(point, cost)]
    if not points:
        return ""
    (x0, x1), (y0, y1) = limits([point[cost] for point in points]), limits([point["error"] for point in points])
    x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)
    width, height = WIDTH - LEFT, HEIGHT - BOTTOM - TOP

    def at(x, y):
        return (left + LEFT + (x - x0) / (x1 - x0) * width, TOP + (y1 - y) / (y1 - y0) * height)

    out = []
    for x in ticks(x0, x1, 5):
        px, _ = at(x, y0)
        out.append(f'<path class="grid" d="M{px:.1f} {TOP}v{height}"/><text x="{px:.1f}" y="{TOP + height + 14}" text-anchor="middle">10<tspan dy="-4" font-size="8">{x}</tspan></text>')
    for y in ticks(y0, y1, 7):
        _, py = at(x0, y)
        out.append(f'<path class="grid" d="M{left + LEFT} {py:.1f}h{width}"/><text x="{left + LEFT - 6}" y="{py + 4:.1f}" text-anchor="end">10<tspan dy="-4" font-size="8">{y}</tspan></text>')
    out.append(f'<text x="{left + LEFT + width / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{label}</text>')
    out.append(f'<text x="{left + 2}" y="{TOP - 2}">error</text>')
    for method in sorted(methods, key=lambda method: method["method"] == own):
        places = [at(math.log10(point[cost]), math.log10(point["error"])) for point in method["points"] if shown(point, cost)]
        if not places:
            continue
        kind, title = ("own" if method["method"] == own else "other"), html.escape(method["method"])
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<g class="{kind}"><title>{title}</title><polyline points="{line}"/>'
                   + ("".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in places) if kind == "own" else "") + "</g>")
    return "".join(out)


def figure(methods, own):
    """The curves of all methods, that of `own` above the others."""
    both = "".join(panel(methods, own, cost, label, i * (WIDTH + GAP)) for i, (cost, label) in enumerate(PANELS))
    return (f'<div class="curves"><svg class="curves" role="img" aria-label="error against cost of {html.escape(own)}" viewBox="0 0 {2 * WIDTH + GAP + 14} {HEIGHT}" '
            f'xmlns="http://www.w3.org/2000/svg">{both}</svg></div>')
