"""The same ends on two processors: what one prints, the other compares with its own (tests/emulated).

    python3 ends.py                    a line for each run: model, settings, the bits of q and p at the end
    python3 ends.py FILE               the same runs, compared with the lines of FILE

On each of them both evaluators end in the same bits. Sums, products, quotients and square roots are rounded alike everywhere, unless a compiler contracts
them: runs of nothing else end in the same bits on all. Sines and the like are those of the C library at hand, which differ by a unit of the last place; then
the differences are printed."""
import json
import sys

import numpy

import common
import rattle

ALGEBRAIC = [("pendulum", {}), ("chain", dict(steps=200)), ("rigid_body", dict(steps=300)), ("ring", dict(method="shake(verlet)", steps=100)),
             ("spherical_pendulum", dict(steps=90)), ("kepler", dict(steps=300)), ("ellipsoid", dict(method="kahan_li8(rattle(verlet))", steps=100)),
             ("pendulum", dict(method="rattle(verlet, quad)", steps=40)), ("harmonic", dict(steps=100))]
OTHERS = [("four_bars", dict(steps=200)), ("stewart", dict(steps=100)),
          ("double_pendulum", dict(steps=500)), ("guiding_centre", dict(steps=200)), ("slider_crank", dict(steps=200)), ("top", dict(steps=200))]


def runs():
    for name, settings in ALGEBRAIC + OTHERS:
        ends = []
        for evaluator in ("block", "native"):
            run = rattle.load(common.example(name)).run(evaluator=evaluator, **settings)
            ends.append(numpy.concatenate([run.q[-1], run.p[-1]]))
        if ends[0].tolist() != ends[1].tolist():
            sys.exit(f"{name} {settings}: the evaluators end in other bits")
        yield f"{name} {settings}", (name, settings) in ALGEBRAIC, ends[0]


def main():
    if len(sys.argv) == 1:
        for name, _, end in runs():
            print(json.dumps([name, [x.hex() for x in end.tolist()]]))
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        theirs = dict(json.loads(line) for line in file)
    wrong = 0
    for name, algebraic, end in runs():
        apart = max(abs(end - [float.fromhex(x) for x in theirs.pop(name)]))/max(abs(end))
        wrong += algebraic and apart != 0
        print(f"{name}: {'the same bits' if apart == 0 else f'{apart/numpy.finfo(float).eps:.3g} eps apart'}")
    if wrong or theirs:
        sys.exit(f"{wrong} runs of sums, products and square roots alone end in other bits; not run: {list(theirs)}")


main()
