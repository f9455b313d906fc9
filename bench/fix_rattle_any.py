#!/usr/bin/python3
"""fix rattle/any against LAMMPS's own fix rattle and fix shake on the same input, on one rank and on two.

    bench/fix_rattle_any.py INCLUDE [STEPS] [ROUNDS]      INCLUDE: rattle-any.in of a build

Times are minima of interleaved rounds. modify: the time of all fixes, without that of a run without constraints, in nanoseconds a molecule and a step.
Two ranks are compared with two runs at once, each of half of the system on one rank: what processors share, memory and hyperthreads, is the same for both. 1 would be ideal.
So are the pair forces and the fix by themselves, by LAMMPS's own table: the fix scales as the rest does if its ratio is not below that of the pair forces. imbalance: the fix's time on the
slower of two ranks over the mean."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugins", "lammps", "tests"))
import check  # noqa: E402
import systems  # noqa: E402

EDGE = 8  # molecules along each edge of the data file, which is repeated
TEXT = check.HEAD.replace("pair_style lj/cut 2.5", "pair_style lj/cut 1.2").replace("include {include}", "replicate {times}\ninclude {include}") + """
velocity all create 1.0 4711 loop geom mom yes
fix 1 all nve
{constraint}
timestep 0.002
thermo {steps}
run 50
run {steps}
"""
STYLES = {"rattle/any": "fix 2 all rattle/any 1e-10 100 0 b 1 {more}", "rattle": "fix 2 all rattle 1e-10 100 0 b 1 {more}",
          "shake": "fix 2 all shake 1e-10 100 0 b 1 {more}"}


def start(system, constraint, times, steps, ranks):
    """A run that has begun."""
    text = TEXT.format(system=system, include=check.include, times=times, constraint=constraint, steps=steps, box="")
    name = f"in.{abs(hash((constraint, times, ranks)))}"
    with open(os.path.join(check.folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    command = ["lmp", "-in", name, "-log", "none"]
    if ranks > 1:
        command = ["mpirun", "--oversubscribe", "-np", str(ranks)] + command
    return subprocess.Popen(command, cwd=check.folder, env=check.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def times_of(process):
    """Of the last run: its time, then the mean and the largest of ranks of pair forces and of fixes, in seconds."""
    output, _ = process.communicate()
    loops = re.findall(r"^Loop time of (\S+)", output, re.M)
    if process.returncode or len(loops) != 2:
        raise SystemExit(output[-3000:])
    found = {"loop": float(loops[1])}
    for row in ("Pair", "Modify"):
        _, mean, largest = re.findall(rf"^{row}\s*\|\s*(\S+)\s*\|\s*(\S+)\s*\|\s*(\S+)", output, re.M)[-1]
        found[row], found[row + " of the slower"] = float(mean), float(largest)
    return found


def main():
    check.include = os.path.abspath(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    check.folder = tempfile.mkdtemp()
    for system, more, able in (("water", "a 1", ("rattle/any", "rattle", "shake")), ("methyl", "", ("rattle/any", "rattle", "shake")),
                               ("methane", "", ("rattle/any",)), ("ring", "", ("rattle/any",))):
        systems.write(system, EDGE, os.path.join(check.folder, system + ".data"), shuffled=False)
        molecules = 2*EDGE**3*4
        cases = {style: STYLES[style].format(more=more) for style in able}
        best = {}

        def least(style, ranks, runs):
            for found in runs:
                for row, value in found.items():
                    best[style, ranks, row] = min(best.get((style, ranks, row), value), value)

        def slower(runs):
            return {row: max(run[row] for run in runs) for row in runs[0]}

        for _ in range(rounds):
            for style, line in {**cases, "none": ""}.items():
                least(style, "one", [times_of(start(system, line, "4 2 1", steps, 1))])
                least(style, "two", [times_of(start(system, line, "4 2 1", steps, 2))])
                pair = [start(system, line, "2 2 1", steps, 1) for _ in range(2)]
                least(style, "halves", [slower([times_of(one) for one in pair])])
        for style in cases:
            def fix(ranks):
                return best[style, ranks, "Modify"] - best["none", ranks, "Modify"]

            def of_ideal(row):
                return best[style, "halves", row]/best[style, "two", row]

            print(f"{system:8} {style:11} {fix('one')/molecules/steps*1e9:6.0f} ns a molecule and step on one rank; two ranks {of_ideal('loop'):.2f} of ideal, "
                  f"pair forces {of_ideal('Pair'):.2f}, the fix {fix('halves')/fix('two'):.2f}, "
                  f"imbalance {best[style, 'two', 'Modify of the slower']/best[style, 'two', 'Modify']:.2f}", flush=True)


if __name__ == "__main__":
    main()
