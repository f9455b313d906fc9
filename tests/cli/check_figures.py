#!/usr/bin/python3
"""Figures of `rattle plot`, opened and checked: sizes, colours, and curves at the positions of the samples.

    check_figures.py RATTLE SOURCE_DIR
"""
import cmath
import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib

BLUE, VERMILLION = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
failures = []


def expect(good, what):
    if not good:
        failures.append(what)
        print("FAIL ", what)


def read_png(path):
    """(width, height, rows of (r, g, b)): 8 bits a channel, not interlaced."""
    data = open(path, "rb").read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path} is no PNG")
    place, packed = 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        place += 12 + size
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError(f"{path}: PNG of another kind")
    step, raw = (3 if colour == 2 else 4), zlib.decompress(packed)
    rows, above = [], bytearray(width * step)
    for y in range(height):
        begin = y * (width * step + 1)
        method, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * step])
        for i in range(len(line)):
            a, b = (line[i - step] if i >= step else 0), above[i]
            c = above[i - step] if i >= step else 0
            if method == 1:
                line[i] = line[i] + a & 255
            elif method == 2:
                line[i] = line[i] + b & 255
            elif method == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            elif method == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = line[i] + nearest & 255
        rows.append([tuple(line[x * step:x * step + 3]) for x in range(width)])
        above = line
    return width, height, rows


def places(rows, colour):
    return [(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == colour]


def numbers_of(svg):
    """The tick labels of an SVG as ([(x, value)], [(y, value)]) and its curves as {colour: [(x, y)]}."""
    space = "{http://www.w3.org/2000/svg}"
    across, up, curves = [], [], {}
    for group in ElementTree.parse(svg).iter(space + "g"):
        place = re.match(r"translate\(([\d.]+),([\d.]+)\)$", group.get("transform", ""))
        text = "".join("".join(t.itertext()) for t in group.findall(space + "text")).strip().replace("−", "-")
        if place and re.fullmatch(r"-?[\d.]+", text):
            target, at = (across, float(place[1])) if group.get("text-anchor") == "middle" else (up, float(place[2]))
            target.append((at, float(text)))
        for path in group.findall(space + "path"):
            stroke = re.match(r"rgb\( *(\d+), *(\d+), *(\d+)\)", path.get("stroke", ""))
            if stroke:
                points = re.findall(r"([ML]?)(-?[\d.]+),(-?[\d.]+)", path.get("d"))
                curves.setdefault(tuple(map(int, stroke.groups())), []).extend((float(x), float(y)) for _, x, y in points)
    return across, up, curves


def scale(ticks):
    """The value at a place, from the outermost two tick labels."""
    (a, first), (b, last) = min(ticks), max(ticks)
    return lambda place: first + (last - first) * (place - a) / (b - a)


def main():
    rattle, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = tempfile.TemporaryDirectory(prefix="rattle-figures-")
    os.chdir(folder.name)

    def run(*words):
        return subprocess.run([rattle, *words], check=True, capture_output=True, text=True).stdout

    run("run", f"{source}/tests/cli/models/pend.lua", "--stop", "40", "--every", "2", "-o", "p.h5", "--csv", "p.csv", "--quiet")
    samples = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open("p.csv"))]
    initial = samples[0]["energy"]

    # sizes: 300 dots per inch, and centimetres in the others
    run("plot", "p.h5", "-o", "e.png")
    width, height, rows = read_png("e.png")
    expect((width, height) == (1016, 677), f"8.6 cm wide at 300 dots per inch: {width} x {height}")
    expect(len(places(rows, BLUE)) > 2000, "a blue curve in e.png")
    expect(not places(rows, VERMILLION), "one curve only in e.png")
    expect(rows[0][0] == (255, 255, 255), "e.png is white outside")
    run("plot", "p.h5", "-o", "e.pdf", "--width", "17", "--height", "5")
    expect(re.search(rb"/MediaBox \[ 0 0 48[12] 14[12] \]", open("e.pdf", "rb").read()), "e.pdf is 17 cm x 5 cm")

    # the curve of the SVG is the energy error of the samples
    run("plot", "p.h5", "-o", "e.svg")
    text = open("e.svg", encoding="utf-8").read()
    expect('width="325" height="217"' in text, "e.svg is 8.6 cm wide, at 96 pixels per inch")
    expect(not re.search(r'href=.(?!#)', text), "e.svg refers to nothing outside itself")
    across, up, curves = numbers_of("e.svg")
    curve, x_of, y_of = curves[BLUE], scale(across), scale(up)
    expect(len(curve) == len(samples), f"e.svg has {len(curve)} of {len(samples)} points")
    exponent = int(re.search(r"(−?\d+)</tspan>", text.split(") / 10")[1])[1].replace("−", "-"))
    pixel_x, pixel_y = abs(x_of(1) - x_of(0)), abs(y_of(1) - y_of(0))
    far_x = max(abs(x_of(x) - s["time"]) / pixel_x for (x, _), s in zip(curve, samples))
    far_y = max(abs(y_of(y) * 10.0**exponent - (s["energy"] - initial)) / (pixel_y * 10.0**exponent)
                for (_, y), s in zip(curve, samples))
    expect(far_x < 1.5 and far_y < 4, f"e.svg: points are {far_x:.2f} and {far_y:.2f} pixels from the samples")

    # the bob moves on a circle: one scale on both axes
    run("plot", "p.h5", "--style", "trajectory", "-o", "c.png", "--width", "10", "--height", "10")
    _, _, rows = read_png("c.png")
    ring = places(rows, BLUE)
    x0, x1, y0, y1 = min(x for x, _ in ring), max(x for x, _ in ring), min(y for _, y in ring), max(y for _, y in ring)
    expect(x1 - x0 > 600 and abs((x1 - x0) - (y1 - y0)) < 8, f"the circle is {x1 - x0} x {y1 - y0}")
    radius = [math.hypot(x - (x0 + x1) / 2, y - (y0 + y1) / 2) / ((x1 - x0) / 2) for x, y in ring]
    expect(min(radius) > 0.97 and max(radius) < 1.03, f"the circle's radius varies from {min(radius):.3f} to {max(radius):.3f}")

    # a long legend is not cut, whatever font stands in for the one that is asked for
    for name in ("rattle(suzuki4(midpoint), solver=lincs(4))", 3 * "rattle(kahan_li8(verlet)) ", "WITH MOMENTA AND MULTIPLIERS", 40 * "W"):
        run("plot", "p.h5", "p.h5", "-o", "l.png", "--force", "--legend", name.replace(",", ";") + ",b")
        _, _, rows = read_png("l.png")
        inked = [x for row in rows for x, found in enumerate(row) if found != (255, 255, 255)]
        expect(max(inked) < width - 6, f"the legend {name} ends {width - max(inked)} pixels from the right end")

    # residuals: exact zeros stand on a tick of their own
    run("plot", "p.h5", "--style", "residuals", "-o", "r.svg")
    expect(re.search(r">0</tspan>|>0</text>", open("r.svg", encoding="utf-8").read()), "r.svg has a tick for 0")
    run("plot", "p.h5", "--style", "residuals", "-o", "r.png")
    _, _, rows = read_png("r.png")
    expect(len(places(rows, BLUE)) > 100 and len(places(rows, VERMILLION)) > 100, "r.png has two curves")

    # the periodogram against a plain sum
    said = run("plot", "p.h5", "--style", "periodogram", "--y", "x", "-o", "f.svg")
    x, count, spacing = [s["x"] for s in samples], len(samples), samples[1]["time"]
    power = {k: 2 * abs(sum(v * cmath.exp(-2j * math.pi * (j * k % count) / count) for j, v in enumerate(x)))**2 / count**2
             for k in range(1, count // 2 + 1)}
    peak = max(power, key=power.get)
    found = [float(word) for word in re.search(r"peak (\S+) at frequency (\S+)", said).groups()]
    expect(abs(found[0] - power[peak]) < 1e-3 * power[peak] and abs(found[1] - peak / (count * spacing)) < 1e-3 * found[1],
           f"the peak {found}, by a plain sum {power[peak]} at {peak / (count * spacing)}")

    # the points of a study lie where its numbers say, and the guide has the slope that the method claims
    run("study", "order", f"{source}/tests/cli/models/pend.lua", "--methods", "rattle(verlet)", "-o", "order.h5", "--quiet")
    points = json.loads(run("info", "order.h5", "--json"))["methods"][0]["points"]
    run("plot", "order.h5", "-o", "order.gp")
    blocks = [[[float(x) for x in line.split()] for line in block.split("\n")[1:-1]]
              for block in re.findall(r"<< END(\n.*?)END", open("order.gp").read(), re.DOTALL)]
    wanted = [(p["step"], p["error"]) for p in points if p["error"] is not None]
    expect(len(blocks) == 2 and len(blocks[0]) == len(wanted), f"order.gp has {[len(b) for b in blocks]} points")
    expect(all(abs(a / c - 1) < 1e-8 and abs(b / d - 1) < 1e-8 for (a, b), (c, d) in zip(blocks[0], wanted)), "points of order.gp")
    (h0, e0), (h1, e1) = blocks[1]
    expect(abs(math.log(e1 / e0) / math.log(h1 / h0) - 2) < 1e-6, "the guide of order.gp has slope 2")

    # many samples: a bounded figure that keeps every extreme
    run("run", f"{source}/tests/cli/models/pend.lua", "--steps", "200000", "--every", "1", "-o", "long.h5", "--csv", "long.csv",
        "--quiet")
    energy = [float(row["energy"]) - initial for row in csv.DictReader(open("long.csv"))]
    run("plot", "long.h5", "-o", "long.gp")
    drawn = [float(m[1]) for m in re.finditer(r"^\S+ (\S+)$", open("long.gp").read().split("$curve1 << END\n")[1].split("END")[0],
                                              re.MULTILINE)]
    exponent = math.floor(math.log10(max(map(abs, energy))))
    expect(1500 < len(drawn) < 5000, f"long.gp has {len(drawn)} points")
    for most in (min, max):
        expect(abs(most(drawn) * 10.0**exponent - most(energy)) < 1e-8 * abs(most(energy)), f"long.gp keeps the {most.__name__}")
    run("plot", "long.h5", "--style", "phase", "-o", "phase.gp")
    points = open("phase.gp").read().count("\n")
    expect(1000 < points < 100000, f"phase.gp has {points} lines")

    # what texts and names say is never run
    open("odd.lua", "w").write("""title "`touch title`"
local x, p = pair("`touch pair`", "p'$(touch momentum)")
hamiltonian(p^2/2 + x^2/2) observe("a|b\\\\", x) start { [x] = 1 }
integrate { method = "verlet", step = 0.1, steps = 20 }""")
    run("run", "odd.lua", "-o", "|touch record.h5", "--quiet")
    for name in ("|touch figure.svg", "`touch figure`.gp", "|touch script.gp", "it's.png"):
        run("plot", "|touch record.h5", "|touch record.h5", "--style", "phase", "-o", name,
            "--title", "`touch words` 'x' $(touch more) \"\n!touch line")
    for script in ("`touch figure`.gp", "|touch script.gp"):
        subprocess.run(["gnuplot", script], check=True, capture_output=True)
    expect(sorted(os.listdir(".")) == sorted([
        "p.h5", "p.csv", "l.png", "e.png", "e.pdf", "e.svg", "c.png", "r.svg", "r.png", "f.svg", "long.h5", "long.csv", "long.gp", "phase.gp",
        "order.h5", "order.gp", "odd.lua", "|touch record.h5", "|touch figure.svg", "`touch figure`.gp", "`touch figure`.pdf", "|touch script.gp",
        "|touch script.pdf", "it's.png"]), f"nothing else was made: {sorted(os.listdir('.'))}")
    expect("`touch words` 'x' $(touch more) \" !touch line" in
           "".join(ElementTree.parse("|touch figure.svg").getroot().itertext()), "the title is printed as it is")

    # the manual and --help name the same styles
    styles = re.findall(r"^  ([a-z]+): ", run("plot", "--help"), re.MULTILINE)
    manual = open(f"{source}/docs/man/rattle.1", encoding="utf-8").read().split("The styles:")[1].split(".El")[0]
    expect(len(styles) > 3 and styles == re.findall(r"^\.It Cm ([a-z]+)", manual, re.MULTILINE), f"styles in the manual: {styles}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
