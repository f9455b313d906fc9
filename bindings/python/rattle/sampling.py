"""Samples of a measure on the constraints, by Markov chains."""
from __future__ import annotations

import types
import typing
import warnings

import numpy

from rattle import frames
from rattle._c import Array, Path, address, array, bytes_of, ffi, lib, options, plain, shared, text
from rattle.errors import BadArgument, RattleWarning, exception, in_python
from rattle.report import report as make_report
from rattle.settings import fits, whole
from rattle.watch import wait

FATES = ("accepted", "energy", "unsolved", "not_reversible", "domain")  # in the order of the library


class Estimates(dict[str, types.SimpleNamespace]):
    """Of each column, by name."""

    def __missing__(self, name: str) -> types.SimpleNamespace:
        places = frames.places(list(self), name)
        raise KeyError(f"{name!r}: an estimate is one of a column, as {list(self)[places[0]]!r}")


class Sampling:
    """Samples of several chains; docs/sampling.md explains the numbers. sampling["x"] is an array [chains, samples], and of the columns
    x[1] .. x[n] together [chains, samples, n].

    method: canonical text; columns: names; values: array [chains, samples, columns], which numpy takes the whole for
    temperature: T of the measure; title, model_text: of the model, "" where it has none
    settings: {warmup, every, seed}
    estimates: {column: mean, sd, error, effective, rhat}; counts: of each chain, transitions, accepted, energy, unsolved, not_reversible, domain
    step: of each chain, after the warm-up; first_step: with which that began, nan where a file does not say
    energy, acceptance: of each sample, [chains, samples]: H with the momenta at its end, by which it was accepted, and the mean probability of
        acceptance of its transitions; fates: [chains, samples, 5] how many transitions were accepted, and rejected for which reason
    diverging: [chains, samples] whether a transition was rejected for another reason than its energy
    log_density: [chains, samples] -V/T
    warnings: sentences on results that are not to be trusted, as `rattle sample` prints them; sample() gives them as RattleWarning

    Pickles."""

    method: str
    columns: list[str]
    values: Array
    temperature: float
    title: str
    model_text: str
    settings: dict[str, int]
    estimates: dict[str, types.SimpleNamespace]
    counts: list[types.SimpleNamespace]
    step: Array
    first_step: Array
    energy: Array
    acceptance: Array
    fates: numpy.typing.NDArray[numpy.int32]
    warnings: list[str]

    def __setstate__(self, state):
        vars(self).update(state)
        self._freeze()

    def _freeze(self):
        for values in (self.values, self.step, self.first_step, self.energy, self.acceptance, self.fates):
            values.flags.writeable = False

    @property
    def diverging(self) -> numpy.typing.NDArray[numpy.bool_]:
        return self.fates[:, :, 2:].any(axis=2)

    @property
    def log_density(self) -> Array:
        return -self["V"] / self.temperature

    def variables(self) -> dict[str, Array]:
        """Arrays by name: columns, and those x[1] .. x[n] together, [chains, samples, n]."""
        return {name: self[name] for name in frames.grouped(self.columns)}

    def __getitem__(self, column: str) -> Array:
        if column in self.columns:
            return self.values[:, :, self.columns.index(column)]
        together = frames.places(self.columns, column)
        return self.values[:, :, together[0]:together[-1] + 1]

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> Array:
        return numpy.array(self.values, dtype) if copy else numpy.asarray(self.values, dtype)

    def to_pandas(self) -> typing.Any:
        """A DataFrame: a row for each sample, indexed by chain and draw, with a column for each name."""
        return frames.to_pandas(self)

    def to_xarray(self) -> typing.Any:
        """A Dataset with the dimensions chain and draw: columns by name, those x[1] .. x[n] as one array x."""
        return frames.to_xarray(self)

    def to_arviz(self) -> typing.Any:
        """What ArviZ takes: a DataTree, or InferenceData of its versions before 1, with the groups posterior and sample_stats (lp, energy,
        acceptance_rate, step_size, diverging, and why: no_multipliers, not_reversible, not_finite)."""
        return frames.to_arviz(self)

    def summary(self) -> typing.Any:
        """A DataFrame of the estimates: mean, sd, error, effective, rhat of each column."""
        return frames.summary(self)

    def plot(self, *names: str) -> typing.Any:
        """Draws traces and distributions of columns, x for all of x[1] .. x[n], with matplotlib; without names, of the first ones. Returns the axes
        [columns, 2]."""
        from rattle.display import plot_samples
        return plot_samples(self, [self.columns[place] for name in names for place in frames.places(self.columns, name)] or self.columns[:4])

    def save(self, path: Path, force: bool = False) -> None:
        """A file that load() and `rattle info`, `plot` and `report` read. It has no states of chains, by which `rattle resume` would go on."""
        from rattle.samples_file import save
        save(self, path, force)

    @classmethod
    def load(cls, path: Path) -> Sampling:
        """The samples of a file that save() or `rattle sample -o` wrote: those that all chains have."""
        from rattle.samples_file import load
        return load(path)

    def report(self, path: Path | None = None, force: bool = False) -> str | Path:
        """The page of `rattle report`. Returns its path, or without one its text."""
        return make_report(self.save, path, force)

    def __repr__(self):
        chains, samples, _ = self.values.shape
        return f"<rattle.Sampling: {self.method}, {chains} chains of {samples} samples{''.join('; ' + one for one in self.warnings)}>"

    def _repr_html_(self):
        from rattle.display import sampling_html
        return sampling_html(self)


def doubts_of(result):
    """Sentences on results not to be trusted: those that the command prints."""
    room, found = ffi.new("char[]", 300), []
    while lib.rattle_sampling_doubt(result, len(found), room, 300) != ffi.NULL:
        found.append(in_python(text(room)))
    return found


def of_result(of, owner):
    """The Sampling of a rattle_sampling_result, whose memory `owner` holds."""
    made = Sampling()
    made.method, made.temperature = text(of.method), of.temperature
    made.columns = [text(of.column[i]) for i in range(of.columns)]
    made.values = shared(ffi.cast("double *", of.value), (of.chains, of.draws, of.columns), owner)
    made.step, made.first_step = (shared(ffi.cast("double *", x), (of.chains,), owner) for x in (of.step, of.first_step))
    made.energy, made.acceptance = (shared(ffi.cast("double *", x), (of.chains, of.draws), owner) for x in (of.energy, of.acceptance))
    made.fates = shared(ffi.cast("int *", of.fate), (of.chains, of.draws, len(FATES)), owner, numpy.int32)
    made.estimates = Estimates({name: types.SimpleNamespace(**plain(of.estimate[i])) for i, name in enumerate(made.columns)})
    made.counts = [types.SimpleNamespace(**plain(of.counts[i], leave=("reserved",))) for i in range(of.chains)]
    made.warnings = doubts_of(of)
    return made


def _made(c, problem, settings):
    """The Sampling that the library has made of a problem."""
    made = of_result(lib.rattle_sampling_result_of(c), c)
    model = lib.rattle_problem_model(problem._c)
    made.title, made.model_text = ("" if model == ffi.NULL else text(of(model)) or "" for of in (lib.rattle_model_title, lib.rattle_model_text))
    made.settings = settings
    return made


def seed_of(seed):
    """A seed of the library: 64 bits."""
    if not hasattr(seed, "__index__") and not isinstance(seed, float):
        raise BadArgument(f"seed={seed!r}: expected a whole number; a generator of numpy gives one by rng.integers(2**63)")
    if not 0 <= whole(seed, "seed") < 2**64:
        raise BadArgument(f"seed={seed}: expected a number from 0 to 2**64 - 1")
    return int(seed)


def named(starts, chains, names):
    """Starts by name, {"x": [..], "theta": [[..], ..]}, a value or row for each chain or for all, as an array [chains, names]; nan elsewhere."""
    table = numpy.full((chains, len(names)), numpy.nan)
    for name, values in starts.items():
        places = frames.places(names, name)
        given = numpy.asarray(values, dtype=float)
        try:
            table[:, places] = given.reshape(-1, 1) if len(places) == 1 else given
        except ValueError:
            wanted = f"[{chains}, {len(places)}]" if len(places) > 1 else f"[{chains}]"
            raise BadArgument(f"starts of {name!r} have the shape {list(given.shape)}: expected {wanted}") from None
    return table


def sample(problem, method, step, start, *, chains, samples, warmup, every, acceptance, seed, multipliers, threads, spread, starts):
    """Makes a Sampling."""
    chains, samples = whole(chains, "chains"), whole(samples, "samples")
    if chains < 1 or samples < 1:
        raise BadArgument(f"{chains} chains of {samples} samples: each is 1 or more")
    fits(chains * samples, problem.n + len(problem.observables) + 6, "samples",
         "draw fewer, or keep one in so many transitions by every=")
    name, seed = bytes_of(method), seed_of(seed)
    if spread is None:
        spread = 100 if starts is None else 0
    chain = options("chain_options", step=step, seed=seed, warmup=warmup, acceptance=acceptance, spread=spread)
    chain.method = name
    if start is not None:
        chain.q, chain.p = address(start[0]), address(start[1])
    how = options("sampling_options", chains=chains, draws=samples, every=every, multipliers=int(multipliers), threads=threads)
    how.chain = chain
    if starts is not None:
        if isinstance(starts, dict):
            starts = named(starts, chains, problem.coordinates + problem.momenta)
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
        held = ffi.gc(slot[0], lambda pointer, held=problem: lib.rattle_sampling_destroy(ffi.new("rattle_sampling **", pointer)))
        made = _made(held, problem, {"warmup": warmup, "every": every, "seed": seed})
    if stop is not None and not isinstance(stop, KeyboardInterrupt):
        raise stop
    if failures:
        failures[0].sampling = made  # of one that was interrupted: the draws up to then
        raise failures[0]
    wrong = problem.wrong_derivative()
    if wrong is not None:
        made.warnings.append(wrong)
    for sentence in made.warnings:
        warnings.warn(sentence, RattleWarning, stacklevel=3)
    return made
