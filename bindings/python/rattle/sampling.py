"""Samples of a measure on the constraints, by Markov chains."""
from __future__ import annotations

import types
import warnings

from rattle._c import Array, address, array, bytes_of, ffi, lib, options, plain, shared, text
from rattle.errors import RattleWarning, exception
from rattle.settings import fits
from rattle.watch import wait


class Sampling:
    """Samples of several chains; docs/sampling.md explains the numbers. sampling["x"] is an array [chains, samples].

    method: canonical text; columns: names; values: array [chains, samples, columns], the library's memory
    estimates: {column: mean, sd, error, effective, rhat}; counts: of each chain, transitions, accepted, energy, unsolved, not_reversible, domain
    step: of each chain, after the warm-up
    warnings: sentences about what may not be as it was meant; sample() gives them as RattleWarning

    Pickles."""

    method: str
    columns: list[str]
    values: Array
    estimates: dict[str, types.SimpleNamespace]
    counts: list[types.SimpleNamespace]
    step: Array
    warnings: list[str]

    def __init__(self, c):
        of = lib.rattle_sampling_result_of(c)
        self.method = text(of.method)
        self.columns = [text(of.column[i]) for i in range(of.columns)]
        self.values = shared(ffi.cast("double *", of.value), (of.chains, of.draws, of.columns), c)
        self.step = shared(ffi.cast("double *", of.step), (of.chains,), c)
        self.estimates = {name: types.SimpleNamespace(**plain(of.estimate[i])) for i, name in enumerate(self.columns)}
        self.counts = [types.SimpleNamespace(**plain(of.counts[i], leave=("reserved",))) for i in range(of.chains)]
        self.warnings = []

    def __setstate__(self, state):
        vars(self).update(state)
        self.values.flags.writeable = self.step.flags.writeable = False

    def __getitem__(self, column: str) -> Array:
        if column not in self.columns:
            raise KeyError(f"{column!r}: expected one of {', '.join(self.columns)}")
        return self.values[:, :, self.columns.index(column)]

    def __repr__(self):
        chains, samples, _ = self.values.shape
        return f"<rattle.Sampling: {self.method}, {chains} chains of {samples} samples{''.join('; ' + one for one in self.warnings)}>"


def sample(problem, method, step, start, *, chains, samples, warmup, every, acceptance, seed, multipliers, threads, spread, starts):
    """Makes a Sampling."""
    fits(chains * samples, problem.n + len(problem.observables), "samples", "draw fewer, or keep one in so many transitions by every=")
    name = bytes_of(method)
    if spread is None:
        spread = 100 if starts is None else 0
    chain = options("chain_options", step=step, seed=seed, warmup=warmup, acceptance=acceptance, spread=spread)
    chain.method = name
    if start is not None:
        chain.q, chain.p = address(start[0]), address(start[1])
    how = options("sampling_options", chains=chains, draws=samples, every=every, multipliers=int(multipliers), threads=threads)
    how.chain = chain
    if starts is not None:
        begin = array(starts, 2 * chains * lib.rattle_problem_n(problem._c), "starts of the chains")
        how.starts = address(begin)
    how.interrupt = interrupt = ffi.new("int *")
    slot, error, failures = ffi.new("rattle_sampling **"), ffi.new("rattle_error *"), []

    def draw():
        if lib.rattle_sampling_create(slot, problem._c, how, error):
            failures.append(exception(error))

    stop = wait(draw, interrupt)
    made = None
    if slot[0] != ffi.NULL:
        made = Sampling(ffi.gc(slot[0], lambda pointer, held=problem: lib.rattle_sampling_destroy(ffi.new("rattle_sampling **", pointer))))
    if stop is not None and not isinstance(stop, KeyboardInterrupt):
        raise stop
    if failures:
        failures[0].sampling = made  # of one that was interrupted: the draws up to then
        raise failures[0]
    wrong = problem.wrong_derivative()
    if wrong is not None:
        made.warnings.append(wrong)
        warnings.warn(wrong, RattleWarning, stacklevel=3)
    return made
