"""What a step of molecular dynamics spends in the constraints of ASE, in microseconds a molecule: rattle.ase.FixBonds and ASE's FixBondLengths on the
same positions and momenta, minima of interleaved rounds.

    python3 bench/fix_bonds.py"""
import time

import numpy
from ase import Atoms
from ase.build import molecule
from ase.constraints import FixBondLengths

from rattle.ase import FixBonds

CASES = {"water": [(0, 1), (0, 2), (1, 2)], "methane": [(0, 1), (0, 2), (0, 3), (0, 4)]}
FORMULAS = {"water": "H2O", "methane": "CH4"}
ROUNDS, TOLERANCE = 5, 1e-10


def box(name, count):
    """`count` molecules on a line in a periodic cell, and their bonds."""
    one, atoms = molecule(FORMULAS[name]), Atoms(cell=[4*count, 12, 12], pbc=True)
    for k in range(count):
        one.positions[:] = molecule(FORMULAS[name]).positions + [4*k + 2, 6, 6]
        atoms += one
    return atoms, [(len(one)*k + i, len(one)*k + j) for k in range(count) for i, j in CASES[name]]


def stages(atoms, new, momenta):
    """Seconds of a position stage and a velocity stage; nothing stays changed."""
    start, now, moved = atoms.positions.copy(), new.copy(), momenta.copy()
    begin = time.perf_counter()
    atoms.constraints[0].adjust_positions(atoms, now)
    atoms.constraints[0].adjust_momenta(atoms, moved)
    taken = time.perf_counter() - begin
    atoms.positions[:] = start
    return taken


for name in CASES:
    for count in (1, 100, 10000):
        atoms, pairs = box(name, count)
        rng = numpy.random.default_rng(1)
        new, momenta = atoms.positions + rng.normal(size=atoms.positions.shape)*0.01, rng.normal(size=atoms.positions.shape)
        kinds = {"FixBonds": FixBonds(pairs, tolerance=TOLERANCE)}
        if count < 10000:
            kinds["FixBondLengths"] = FixBondLengths(pairs, tolerance=TOLERANCE)
        best = dict.fromkeys(kinds, numpy.inf)
        for _ in range(ROUNDS + 1):
            for kind, constraint in kinds.items():
                atoms.set_constraint(constraint)
                best[kind] = min(best[kind], stages(atoms, new, momenta))
        words = ", ".join(f"{kind} {1e6*seconds/count:.3g}" for kind, seconds in best.items())
        ratio = f": {best['FixBondLengths']/best['FixBonds']:.0f} times as fast" if len(best) > 1 else ""
        print(f"{name}, {count} molecules: {words} us a molecule{ratio}", flush=True)
