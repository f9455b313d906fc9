"""The table of methods: a function for each of its rows, which writes method expressions.

    from rattle import methods as m
    m.kahan_li8(m.rattle(m.verlet))                  'kahan_li8(rattle(verlet))'; the text is just as good
    m.kahan_li8(m.rattle(m.verlet)).claims.order     8
    m.rattle(m.verlet, compensated=True)             with compensated sums; quad=True: in 113 bits
    help(m.kahan_li8)                                what it is, its formula, its claims, its source"""
from __future__ import annotations

import inspect
import types

from rattle._c import bytes_of, ffi, lib, own, plain, text


class Method(str):
    """A method expression. Arguments named `method` take any text."""

    @property
    def _parsed(self):
        return own("method", lib.rattle_method_parse, bytes_of(self))

    @property
    def claims(self) -> types.SimpleNamespace:
        """Guarantees: order, symmetric, symplectic, explicit, keeps_g, keeps_psi, keeps_energy, proved, pure, stages."""
        return types.SimpleNamespace(**plain(lib.rattle_method_claims(self._parsed)))

    def explain(self) -> str:
        """Action, claims, needs, cost per step, citations."""
        return self._text(lib.rattle_method_explain)

    @property
    def formula(self) -> str:
        """The formulas of its parts, from the outside in."""
        return self._text(lib.rattle_method_formula)

    def _text(self, write):
        room = ffi.new("char[]", 1 << 16)
        return text(write(self._parsed, room, len(room)))


def method_text(method) -> str:
    """The text of a method expression, or of a function of this module."""
    return getattr(method, "method", None) or str(method)


def _parameters(row):
    for parameter in row.parameter:
        if parameter.name == ffi.NULL:
            return
        yield parameter


def _default(parameter):
    fallback = text(parameter.fallback)
    return inspect.Parameter.empty if fallback is None else fallback or None


def _doc(row, parameters):
    claims = plain(row.claims)
    holds = [name for name, held in claims.items() if held and name not in ("order", "stages", "pure")]
    lines = [f"{text(row.text)} ({text(row.kind)})", ""]
    if row.formula != ffi.NULL:
        lines += [f"    {text(row.formula)}", ""]
    for parameter in parameters:
        what = text(parameter.text) or ""
        lines.append(f"{text(parameter.name)}: {what}" + (f"; {text(parameter.choices)}" if parameter.choices != ffi.NULL else "")
                     + (f"; left out: {text(parameter.otherwise)}" if parameter.otherwise != ffi.NULL else ""))
    order = claims["order"]
    if any(p.type == lib.RATTLE_TAKES_INTEGER for p in parameters):
        order = 0  # it depends on the argument: the text says how
    if order or holds:
        lines.append("Claims: " + ", ".join([*([] if not order else ["exact"] if order == lib.RATTLE_ORDER_EXACT else [f"order {order}"]), *holds]))
    if text(row.needs):
        lines.append(f"Needs: {text(row.needs)}")
    if text(row.citation):
        lines.append(f"Source: {text(row.citation)}")
    return "\n".join(lines)


def _function(row):
    name, parameters = text(row.name), list(_parameters(row))
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    words = [inspect.Parameter(text(p.name), kinds[p.option], default=_default(p)) for p in parameters]
    # a parameter without a default may follow one that has it in the table, but not in Python
    seen = False
    for k, word in enumerate(words):
        seen = seen or word.default is not inspect.Parameter.empty
        if seen and word.default is inspect.Parameter.empty:
            words[k] = word.replace(default=None)
    signature = inspect.Signature(words)
    options = {text(p.name) for p in parameters if p.option}
    defaults = {word.name: word.default for word in words}

    def function(*arguments, compensated=False, quad=False, **named):
        given = {key: method_text(value) for key, value in signature.bind_partial(*arguments, **named).arguments.items() if value is not None}
        placed = [key for key in defaults if key not in options]
        while placed and placed[-1] not in given:
            placed.pop()
        written = [given.get(key) or str(defaults[key]) for key in placed]
        written += [f"{key}={value}" for key, value in given.items() if key in options]
        written += [flag for flag, on in (("compensated", compensated), ("quad", quad)) if on]
        return Method(f"{name}({', '.join(written)})" if written else name)

    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__module__, function.method = _doc(row, parameters), __name__, name
    function.__signature__ = signature
    return function


def _table():
    rows = ffi.new("rattle_method_row **")
    return [rows[0][i] for i in range(lib.rattle_method_rows(rows))]


FUNCTIONS = {text(row.name): _function(row) for row in _table()}
globals().update(FUNCTIONS)
__all__ = ["Method", *FUNCTIONS]
