#!/usr/bin/python3
"""fix rattle/any against LAMMPS's own fix rattle and fix shake on the same input, on one rank and on two.

    bench/fix_rattle_any.py INCLUDE [STEPS] [ROUNDS]      INCLUDE: rattle-any.in of a build

Times are minima of interleaved rounds. modify: the time of all fixes, without that of a run without constraints, in nanoseconds a molecule and a step.
Two ranks are compared with two runs at once, each of half of the system on one rank: what processors share, memory and hyperthreads, is the same for both. 1 would be ideal."""
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
    """Loop and modify of the last run, in seconds."""
    output, _ = process.communicate()
    loops = re.findall(r"^Loop time of (\S+)", output, re.M)
    modify = re.findall(r"^Modify\s*\|\s*\S+\s*\|\s*(\S+)", output, re.M)
    if process.returncode or len(loops) != 2:
        raise SystemExit(output[-3000:])
    return float(loops[1]), float(modify[1])


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

        def least(key, value):
            best[key] = min(best.get(key, value), value)

        for _ in range(rounds):
            for style, line in {**cases, "none": ""}.items():
                least((style, "modify"), times_of(start(system, line, "4 2 1", steps, 1))[1])
                if style != "none":
                    least((style, "two"), times_of(start(system, line, "4 2 1", steps, 2))[0])
                    pair = [start(system, line, "2 2 1", steps, 1) for _ in range(2)]
                    least((style, "halves"), max(times_of(one)[0] for one in pair))
        for style in cases:
            taken = (best[style, "modify"] - best["none", "modify"])/molecules/steps*1e9
            print(f"{system:8} {style:11} {taken:6.0f} ns a molecule and step on one rank; two ranks {best[style, 'halves']/best[style, 'two']:.2f} of ideal", flush=True)


if __name__ == "__main__":
    main()
