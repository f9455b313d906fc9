"""Files of samples, as `rattle sample -o` writes them: a file of cases with a row for each sample of each chain."""
from __future__ import annotations

import types

import numpy

from rattle._c import address, bytes_of, ffi, lib, options, plain, text
from rattle.errors import BadRecord, check
from rattle.sampling import FATES, Sampling, doubts_of

BEFORE = ("chain", "sample")


def save(of, path, force):
    """See Sampling.save. The column of states, which the file must have, has no numbers in it."""
    chains, draws, columns = of.values.shape
    names = [*BEFORE, *of.columns, "step", "counts", "state", "energy", "acceptance"]
    kept = [bytes_of(name) for name in names]
    column = ffi.new("rattle_cases_column[]", [(name, len(FATES) if what == "counts" else 1) for name, what in zip(kept, names)])
    plan = bytes_of(f"sampler {of.method}\nchains {chains}\nsamples {draws}\ntemperature {of.temperature!r}\n"
                    + "".join(f"{name} {value}\n" for name, value in of.settings.items()))
    title, model = bytes_of(of.title), bytes_of(of.model_text)
    about = options("cases_about", title=title, model_text=model, plan=plan, cases=chains * draws, columns=len(names), column=column)
    slot = ffi.new("rattle_cases **")
    check(lib.rattle_cases_create, slot, bytes_of(path), about, int(force))
    rows = numpy.full((chains, draws, columns + 6 + len(FATES)), numpy.nan)
    rows[:, :, 0], rows[:, :, 1] = numpy.arange(chains)[:, None], numpy.arange(draws)
    rows[:, :, 2:2 + columns], rows[:, :, 2 + columns] = of.values, of.step[:, None]
    rows[:, :, 3 + columns:3 + columns + len(FATES)] = numpy.cumsum(of.fates, axis=1)
    rows[:, :, -2], rows[:, :, -1] = of.energy, of.acceptance
    try:
        for number, row in enumerate(rows.reshape(chains * draws, -1)):
            check(lib.rattle_cases_put, slot[0], number, address(row))
    finally:
        check(lib.rattle_cases_close, slot)


def _plan(source):
    return dict(line.split(" ", 1) for line in source.splitlines() if " " in line)


def _rows(cases, chains, draws):
    """[chains, draws, width] and how many samples all chains have."""
    rows = numpy.empty((chains, draws, lib.rattle_cases_width(cases)))
    there = numpy.empty(chains * draws, dtype=numpy.int8)
    check(lib.rattle_cases_get, cases, 0, chains * draws, address(rows), ffi.from_buffer("signed char[]", there))
    missing = there.reshape(chains, draws) != 1
    common = min(int(one.argmax()) if one.any() else draws for one in missing)
    return rows[:, :common]


def estimate_of(values):
    """Mean, sd, error, effective and rhat of an array [chains, draws]."""
    x = numpy.ascontiguousarray(values, dtype=float)
    found = ffi.new("rattle_estimate *")
    check(lib.rattle_estimate_of, ffi.new("rattle_draws *", (address(x), *x.shape, x.shape[1], 1)), found)
    return types.SimpleNamespace(**plain(found))


def _temperature(plan):
    """That of the plan, of a file of the command that of the method."""
    if "temperature" in plan:
        return float(plan["temperature"])
    word = next((part for part in plan["sampler"].replace(")", ",").split(",") if part.strip().startswith("temperature=")), None)
    return float(word.split("=")[1]) if word else 1.0


def _doubts(of):
    """Those of the library, of what the file has."""
    names = [bytes_of(name) for name in of.columns]
    result = ffi.new("rattle_sampling_result *")
    estimate = ffi.new("rattle_estimate[]", [vars(of.estimates[name]) for name in of.columns])
    counts = ffi.new("rattle_chain_counts[]", [vars(one) for one in of.counts])
    column = ffi.new("char *[]", names)
    result.chains, result.draws, result.columns = of.values.shape
    result.column, result.estimate, result.counts = column, estimate, counts
    return doubts_of(result)


def load(path):
    """See Sampling.load."""
    slot = ffi.new("rattle_cases **")
    check(lib.rattle_cases_open, slot, bytes_of(path))
    try:
        made = _read(slot[0], path)
    finally:
        check(lib.rattle_cases_close, slot)
    made._freeze()
    return made


def _read(cases, path):
    about = lib.rattle_cases_about_of(cases)
    plan, names = _plan(text(about.plan)), [text(about.column[c].name) for c in range(about.columns)]
    if "sampler" not in plan or "counts" not in names:
        raise BadRecord(f"{path} has no samples of chains: Sampling.load reads what `rattle sample -o` and Sampling.save write")
    rows = _rows(cases, int(plan["chains"]), int(plan["samples"]))
    if not rows.shape[1]:
        raise BadRecord(f"{path} does not have samples of every chain yet; read it later")
    columns = names.index("step") - len(BEFORE)
    newer = names[-1] == "acceptance"
    at = len(BEFORE) + columns
    made = Sampling()
    made.method, made.temperature = plan["sampler"], _temperature(plan)
    made.title, made.model_text = text(about.title), text(about.model_text)
    made.settings = {name: int(plan[name]) for name in ("warmup", "every", "seed")}
    made.columns = names[len(BEFORE):at]
    made.values = rows[:, :, len(BEFORE):at].copy()
    made.step = rows[:, -1, at].copy()
    made.first_step = numpy.full(len(rows), numpy.nan)
    counts = rows[:, :, at + 1:at + 1 + len(FATES)].astype(numpy.int32)
    made.fates = numpy.diff(counts, axis=1, prepend=numpy.zeros_like(counts[:, :1]))
    nothing = numpy.full(rows.shape[:2], numpy.nan)
    made.energy, made.acceptance = (rows[:, :, -2].copy(), rows[:, :, -1].copy()) if newer else (nothing, nothing)
    made.counts = [types.SimpleNamespace(transitions=int(one.sum()), **dict(zip(FATES, one.tolist()))) for one in counts[:, -1]]
    made.estimates = {name: estimate_of(made.values[:, :, i]) for i, name in enumerate(made.columns)}
    made.warnings = _doubts(made)
    return made
