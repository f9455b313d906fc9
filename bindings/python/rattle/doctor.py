"""The analysis of a problem before it is integrated."""
from __future__ import annotations

from rattle._c import ffi, lib, plain, text
from rattle.errors import in_python


def _texts(pointer, count):
    return [text(pointer[i]) for i in range(count)]


class Diagnosis:
    """The result of `rattle check`; members as in its JSON: kind, class_, index, dof, min_singular_value, valid_methods, advice_method,
    advice_step, refused, note, ...; in addition

    generations: for each generation of constraints {name: expression}; redundant: sentences; symmetries: conserved quantities
    refusals: {method: reason}; noncommuting: (names, bracket, value at a point) of a pair that does not commute, or None"""

    title: str
    kind: str
    class_: str
    n: int
    m: int
    dof: float
    index: int
    generations: list[dict[str, str]]
    redundant: list[str]
    first_class_count: int
    second_class_count: int
    noncommuting: tuple[list[str], str, float] | None
    min_singular_value: float
    condition: float
    start_is_degenerate: bool
    on_constraints: bool
    on_hidden: bool
    residual_constraints: float
    residual_hidden: float
    fibre: str | None
    valid_methods: list[str]
    refusals: dict[str, str]
    advice_method: str | None
    advice_why: str | None
    advice_step: float
    frequency: float
    symmetries: list[str]
    refused: str | None
    note: str

    def __init__(self, doctor):
        d = lib.rattle_doctor_diagnosis(doctor)
        vars(self).update(plain(d))
        self.class_ = vars(self).pop("class")
        self.generations = [dict(zip(_texts(g.name, g.count), _texts(g.expression, g.count)))
                            for g in (d.generation[i] for i in range(d.generations))]
        self.redundant = _texts(d.redundant_sentence, d.redundants)
        self.valid_methods, self.symmetries = _texts(d.valid_method, d.valid_methods), _texts(d.symmetry, d.symmetries)
        self.refusals = {text(d.refusal[i].method): in_python(text(d.refusal[i].reason)) for i in range(d.refusals)}
        self.refused, self.note, self.advice_why = (words and in_python(words) for words in (self.refused, self.note, self.advice_why))
        self.noncommuting = None if d.pair_expression == ffi.NULL else (_texts(d.pair, 2), text(d.pair_expression), d.pair_value)
        for name in ("start_is_degenerate", "on_constraints", "on_hidden"):
            setattr(self, name, bool(getattr(self, name)))

    def _repr_html_(self):
        from rattle.display import diagnosis_html
        return diagnosis_html(self)

    def __repr__(self):
        advice = "no method" if self.advice_method is None else f"{self.advice_method}, step {self.advice_step:g}"
        more = "".join(f"; {name}: {words}" for name, words in (("refused", self.refused), ("note", self.note)) if words)
        return f"<rattle.Diagnosis: {self.kind}, {self.class_}, index {self.index}, n = {self.n}, m = {self.m}; advice: {advice}{more}>"
