#!/usr/bin/env python3
"""What each rule of the guard is good for, over all families: rounds of `shadow` (shadow/shadow.c) by methods and families that ask rules of
their own, summed up as the table of docs/guards.md.
`shadow.py SHADOW [--rounds N] [--seed S] [--first K] [--jobs J] [--without RULE,...] [--places]`"""
import argparse
import concurrent.futures
import re
import subprocess
import sys

LINKAGES = "fixed,pendulum,chain,closed_chain,rails_chain,ladder,slider_crank,four_bar,watt,triangle,rails,polynomial,cylinders,rotations"
CURVED = "rotors,waves,walls,polynomial,cylinders,fixed"
LARGE = "long_chain,ring,tree,molecules,bodies,looped_bodies"
OTHERS = "moving_mass,elbow,separable,free,embedded,momenta,coisotropic,second_class"
VERLET, ALL = "rattle(verlet)", LINKAGES + "," + CURVED
# problems of each family in a round, families, method (none: as drawn), length of steps over that drawn
PLAN = [(20, ALL, "rattle(verlet, solver=sweep)", 1), (10, ALL, "rattle(verlet, solver=sweep)", 2.5), (10, ALL, "rattle(verlet, solver=newton)", 1),
        (30, CURVED, VERLET, 1), (20, LINKAGES, VERLET, 1), (10, CURVED, VERLET, 2.5), (10, LINKAGES, VERLET, 2.5),
        (3, ALL + ",moving_mass,elbow,separable", "rattle_monolithic", 1), (3, ALL + ",moving_mass,elbow,separable,free", "discrete_gradient", 1),
        (4, LARGE, VERLET, 1), (2, LARGE, VERLET, 2.5), (2, LARGE, "rattle(verlet, solver=sweep)", 1), (1, "many_links", VERLET, 1),
        (6, "forced,timed", VERLET, 1), (6, ALL, "spark(2)", 1), (3, ALL, "spark(3)", 1), (3, ALL, "spark(2)", 2.5),
        (6, ALL + ",forced,timed," + OTHERS, None, 1)]
# as docs/guards.md calls the verdicts of rules_in_shadow.h
NAMES = {"fell_slowly": "residuals fall slowly", "left_much": "the first correction left much", "is_in_vain": "an iteration in vain",
         "is_beyond_fold": "sign of the determinant", "pivot_is_positive": "pivots", "determinant_is_positive": "small determinants",
         "pivot_is_small": "small pivots", "differs_by": "the first matrix", "spectral_radius_above_half": "growth of powers",
         "stages_are_regular": "normal spaces of stages", "N_changed": "N changes", "nondegeneracy_doubtful": "det N changes",
         "nondegeneracy_returned": "N in the middle", "nondegeneracy_crossed": "inertia of N", "is_upright": "a gradient turned",
         "is_upright:bonds": "a gradient turned, molecules", "rows_differ": "rows of R", "exceeds:rattle__far_from_tangential": "far from tangential",
         "exceeds:rattle__far_in_general": "far from tangential, in general", "is_independent": "nearly dependent constraints",
         "normals_turned": "angles of normal spaces", "normals_turned:bonds": "angles of normal spaces, molecules",
         "did_work": "multipliers did work", "left_fibre": "g after the projection",
         "matrix_changed": "- Newton's matrix", "left_prediction": "- the prediction"}
ROW = re.compile(r"\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|(.*)\|$")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shadow")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--without", default="")
    parser.add_argument("--places", action="store_true")
    wish = parser.parse_args()
    runs = steps = 0
    rows, families, wrong = {}, {}, []
    commands = [[wish.shadow, "--family", of, "--count", str(count), "--problem", str(count * k), "--seed", str(wish.seed), "--longer", str(longer), "--list",
                 "--without", wish.without] + (["--method", method] if method else []) + (["--places"] if wish.places else [])
                for k in range(wish.first, wish.first + wish.rounds) for count, of, method, longer in PLAN]
    with concurrent.futures.ThreadPoolExecutor(wish.jobs) as pool:
        for printed in pool.map(lambda command: subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout, commands):
            for line in printed.splitlines():
                head, row = re.match(r"(\d+) runs, (\d+) steps", line), ROW.match(line)
                if head:
                    runs, steps = runs + int(head[1]), steps + int(head[2])
                elif row and row[1] != "rule":
                    rows[row[1]] = [a + int(b) for a, b in zip(rows.get(row[1], [0] * 7), row.groups()[1:8])]
                    families.setdefault(row[1], set()).update(row[9].split())
                elif "--problem" in line:
                    wrong.append(line)
    print(f"{runs} runs, {steps} steps, seed {wish.seed}\n")
    print("| rule | asked in steps | speaks | caught alone | doubted alone | refused alone | saved alone | undecided | caught in |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sorted(rows, key=lambda name: (-rows[name][2], -rows[name][1])):
        print(f"| {NAMES.get(name, name)} | {' | '.join(map(str, rows[name]))} | {', '.join(sorted(families[name]))} |")
    print("\n" + "\n".join(wrong))
    return any(rows.get("all at once", [0] * 7)[2:3])


if __name__ == "__main__":
    sys.exit(main())
