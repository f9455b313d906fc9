#!/usr/bin/env python3
"""Models in one, which nothing joins, do what each does alone: a run ends where the first of them ends, and in the same places. Each problem of the campaign is
tried with a copy of itself, and with `--pairs` beside the next one of its family, by the step of the first (not for `discrete_gradient`, whose sum over all of a
model joins its parts; nor with the time); `--times` makes steps longer, so that more of them pass folds.
`copies.py CAMPAIGN RATTLE [--family NAMES] [--count N] [--seed S] [--method M|M...] [--times X,X...] [--pairs]`"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"step = ([^,]*), steps = (\d*)")


def model_of(wish, family, index):
    command = [wish.campaign, "--family", family, "--seed", str(wish.seed), "--problem", str(index), "--model"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line for line in text[text.index("title"):].split("\n") if line and not line.startswith(("observe", "--"))]


def coordinates(lines):
    return [pair[0] for line in lines for pair in re.findall(r"(\w+), (\w+) = pair", line)]


def renamed(lines, end):
    """The lines with `end` after the name of each coordinate, momentum and constraint; the time is one."""
    names = [name for line in lines for pair in re.findall(r"(\w+), (\w+) = pair", line) for name in pair]
    word = re.compile(r"\b(" + "|".join(names) + r")\b")
    return [re.sub(r'constrain\("(.*?)"', rf'constrain("\1{end}"', word.sub(lambda found: found[1] + end, line)) for line in lines]


def together(models):
    """One model of several: by kinds of lines, since a model has one start and one time."""
    kinds = {kind: [] for kind in ("local", "mass", "hamiltonian", "potential", "constrain", "force", "start")}
    for number, lines in enumerate(models):
        for line in renamed(lines[1:-1], f"_{number + 1}"):
            kind = re.match(r"\w*", line)[0]
            if line.endswith("= time()"):
                kinds["local"] = [old for old in kinds["local"] if old != line]
            kinds[kind if kind in kinds else "local"].append(line.replace("local ", "", 1))  # Lua has 200 locals at most
    for kind in ("mass", "start"):
        inside = [line[line.index("{") + 1:line.rindex("}")].replace(", project = true", "").strip() for line in kinds[kind]]
        project = ", project = true" if any("project" in line for line in kinds[kind]) else ""
        kinds[kind] = [f"{kind} {{ {', '.join(inside)}{project} }}"] if inside else []
    return [models[0][0], *(line for lines in kinds.values() for line in lines), models[0][-1]]


def stepped(lines, method, step, steps):
    return lines[:-1] + [f'integrate {{ method = "{method}", step = {step!r}, steps = {steps} }}']


def outcome(wish, path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    found = subprocess.run([wish.rattle, "run", path, "--json", "--quiet", "--csv", path + ".csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           check=False)
    told = json.loads(found.stdout)["status"] if found.stdout else {"name": found.stderr, "step": 0}
    rows = []
    if os.path.exists(path + ".csv"):
        with open(path + ".csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        os.unlink(path + ".csv")
    return {"name": told["name"], "step": told["step"], "rows": rows}


def apart(names, one, other, end):
    """How far two states are from each other, in parts of the largest coordinate."""
    size = max(abs(float(one[name])) for name in names)
    return max(abs(float(one[name]) - float(other[name + end])) for name in names) / size if size > 0 else 0


def leap(names, alone, both, end):
    """The step in which they part; motions that part by and by, as those of steps too long for their energy do, make more and more of round-off."""
    before = 0
    for one, other in zip(alone["rows"], both["rows"]):
        now = apart(names, one, other, end)
        if now > 1e-5:
            return f"step {one['step']} leads elsewhere, by {now:.2g} after {before:.2g}" if before < 1e-9 else None
        before = now
    return None


def judge(wish, folder, family, index, method, times):
    """What the models do together that they do not alone; None: the method does not suit them."""
    others = [index, index + 1] if wish.pairs else [index, index]
    models = [model_of(wish, family, other) for other in others]
    drawn = NUMBER.search(models[0][-1])
    models = [stepped(lines, method, float(drawn[1]) * times, int(drawn[2])) for lines in models]
    path = os.path.join(folder, f"{family}_{index}_{abs(hash((method, times)))}.lua")
    alone = [outcome(wish, path, lines) for lines in (models if wish.pairs else models[:1])]
    both = outcome(wish, path, together(models))
    os.unlink(path)
    if any(one["name"] == "UNSUITABLE" for one in alone):
        return None
    first = min(alone, key=lambda one: float("inf") if one["step"] is None else one["step"])
    where = f'{family} --seed {wish.seed} --problem {index} --method "{method}" --times {times:g}'
    if (both["name"] == "OK") != (first["name"] == "OK") or both["step"] != first["step"]:
        return first["name"], f'{where}: alone {[(one["name"], one["step"]) for one in alone]}, together {both["name"], both["step"]}'
    leaps = [leap(coordinates(models[number]), one, both, f"_{number + 1}") for number, one in enumerate(alone)]
    return first["name"], next((f"{where}: {text}" for text in leaps if text), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign")
    parser.add_argument("rattle")
    parser.add_argument("--family", default="cylinders,four_bar,slider_crank,pendulum,watt")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--method", default="rattle(verlet, solver=newton)")
    parser.add_argument("--times", default="1")
    parser.add_argument("--pairs", action="store_true")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(filter(None, pool.map(lambda task: judge(wish, folder, *task), [
            (family, index, method, float(times)) for method in wish.method.split("|") for times in wish.times.split(",")
            for family in wish.family.split(",") for index in range(wish.count)])))
    unlike = [text for _, text in found if text]
    for text in unlike:
        print(text)
    print(f"{len(found)} models, {sum(name != 'OK' for name, _ in found)} of which are refused: {len(unlike)} do something else together")
    return bool(unlike) or not found


if __name__ == "__main__":
    sys.exit(main())
