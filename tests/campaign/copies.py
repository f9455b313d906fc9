#!/usr/bin/env python3
"""A model and the same with a copy of itself, which nothing joins, do the same: they end for the same reason after as many steps. Problems of the
campaign, natural ones with masses. `copies.py CAMPAIGN RATTLE [--family NAMES] [--count N] [--seed S] [--method M]`"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def model_of(wish, family, index):
    command = [wish.campaign, "--family", family, "--seed", str(wish.seed), "--problem", str(index), "--method", wish.method]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    lines = text[text.index("title"):].split("\n")
    last = next(i for i, line in enumerate(lines) if line.startswith("integrate"))
    return [line for line in lines[:last + 1] if not line.startswith("observe")]


def doubled(lines):
    """Each line that names coordinates, for two of each."""
    names = [name for line in lines for pair in re.findall(r"(\w+), (\w+) = pair", line) for name in pair]
    word = re.compile(r"\b(" + "|".join(names) + r")\b")

    def both(text, between):
        return between.join(word.sub(lambda found: found[1] + end, text) for end in ("_1", "_2"))

    for line in lines:
        kind = re.match(r"\w*", line)[0]
        if kind == "local":
            yield both(line.replace("local ", "", 1), "\n")  # Lua has 200 locals at most
        elif kind in ("mass", "start"):
            inside = line[line.index("{") + 1:line.rindex("}")].replace(", project = true", "")
            yield f"{kind} {{{both(inside, ', ')}{', project = true' if 'project' in line else ''} }}"
        elif kind == "potential":
            yield f"potential({both(line[len('potential('):-1], ' + ')})"
        elif kind == "constrain":
            yield "\n".join(re.sub(r'"(.*?)"', rf'"\1 {end}"', word.sub(lambda found: found[1] + f"_{end}", line)) for end in (1, 2))
        else:
            yield line


def outcome(wish, folder, lines):
    path = os.path.join(folder, "model.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    found = subprocess.run([wish.rattle, "run", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not found.stdout:
        return found.stderr
    told = json.loads(found.stdout)
    return told["status"]["name"], told["status"]["step"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign")
    parser.add_argument("rattle")
    parser.add_argument("--family", default="cylinders,four_bar,slider_crank,pendulum,watt")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--method", default="rattle(verlet, solver=newton)")
    wish = parser.parse_args()
    tried = refused = unlike = 0
    with tempfile.TemporaryDirectory() as folder:
        for family in wish.family.split(","):
            for index in range(wish.count):
                lines = model_of(wish, family, index)
                one, two = outcome(wish, folder, lines), outcome(wish, folder, list(doubled(lines)))
                tried, refused = tried + 1, refused + (one[0] != "OK")
                if one != two:
                    unlike += 1
                    print(f"{family} --seed {wish.seed} --problem {index}: alone {one}, with a copy {two}")
    print(f"{tried} models, {refused} of which are refused: {unlike} do something else with a copy")
    return unlike > 0


if __name__ == "__main__":
    sys.exit(main())
