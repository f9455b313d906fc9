#!/usr/bin/python3
"""Processor time, user and system with that of processes below, of commands on the chain of chain.lua, N = 10^3 and 10^4, 10^5 with --big:
100 steps, every tenth recorded. The ratio is to a tenth of the links: 10 is linear.

    bench/sizes.py RATTLE [--big]        RATTLE: the command
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

COMMANDS = {
    "run, recorded": "run chain.lua -P N={n} -o r.h5 --force",
    "info": "info r.h5",
    "plot": "plot r.h5 -o r.svg --force",
    "report": "report r.h5 -o r.html --force",
    "resume": "resume r.h5 --stop 2",
    "recover": "recover r.h5",
    "check": "check chain.lua -P N={n}",
    "sweep of one case": "sweep chain.lua -P N={n} --set N={n} -o s.h5 --force",
    "study drift": "study drift chain.lua -P N={n} --stop 1",
}
WISHES = 'integrate { method = "rattle(verlet)", step = 0.01, stop = 1 } output { every = 10 }\n'


def used():
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime


def main(rattle, largest):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chain.lua")
    rattle = os.path.abspath(rattle)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(source, "chain.lua")
        with open("chain.lua", "a", encoding="utf-8") as file:
            file.write(WISHES)
        before, n = {}, 1000
        while n <= largest:
            for name, command in COMMANDS.items():
                begin = used()
                done = subprocess.run([rattle, *command.format(n=n).split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                if done.returncode:
                    sys.exit(f"bench/sizes.py: rattle {command.format(n=n)}: {done.stderr}")
                seconds = used() - begin
                ratio = f"{seconds / before[name]:.1f}" if name in before else ""
                print(f"sizes\t{name}\t{n}\t{seconds:.2f}\ts\t{ratio}", flush=True)
                before[name] = seconds
            n *= 10


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--big"]):
        sys.exit(__doc__)
    main(sys.argv[1], 100000 if sys.argv[2:] else 10000)
