"""Values of model files in models written in Python: modules, bodies, points, molecules."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from rattle._c import bytes_of, lib, own
from rattle.errors import RattleError
from rattle.expression import Expression
from rattle.written import Writer, member, quoted

_KIND = """error("\\1" .. (function(v)
local function one(v) return type(v) == "number" or type(v) == "userdata" end
if one(v) then return "1" end
if type(v) ~= "table" then return v == nil and "nothing" or "a " .. type(v) end
local n, m = #v, nil
if n == 0 then local names = {} for name in pairs(v) do if type(name) == "string" then names[#names + 1] = name end end return "has " .. table.concat(names, " ") end
for i = 1, n do
  local w = v[i]
  local k = one(w) and 0 or type(w) == "table" and #w or -1
  for j = 1, k do if not one(w[j]) then k = -1 end end
  if k < 0 or (m and k ~= m) then return "a table" end
  m = k
end
return "[" .. n .. (m > 0 and " " .. m or "")
end)(VALUE), 0)""".replace("\n", " ")


class Value:
    """A value of a model file: a module, a body, a point, a molecule, what functions of them return.

    Members and functions are those of model files: mech.planar(name="arm", mass=1, inertia=0.1), arm.at(0.5, 0), arm.angle. Arguments by name are a
    table's, as in mech.planar { name = "arm" }; lists are lists, and functions of Python are functions of expressions. Where a value is a number or
    an expression it computes as an Expression does; lists of them, vectors and matrices as numpy's arrays, which numpy.asarray(value) gives."""

    __slots__ = ("_model", "_text", "_name", "_of", "_module", "_is", "_graph")
    __array_priority__ = 100.0

    def __init__(self, model, text, of=None, name=None, module=False):
        self._model, self._text, self._of, self._name, self._module, self._is = model, text, of, name, module, None
        self._graph = model._source.graph

    def _spelled(self, graph) -> str:
        """Its text, for a model with that graph."""
        if graph is not self._graph:
            raise ValueError("a value of a model file belongs to another model")
        return self._text

    # ---- members and calls ----

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("free_symbols", "dtype"):
            raise AttributeError(name)
        return Value(self._model, member(self._text, name), self, name)

    def __call__(self, *given: Any, **options: Any) -> Value:
        if self._of is None or self._of._module:
            return self._model._say(self._text, given, options)
        return self._model._say(f"{self._of._text}:{self._name}", given, options)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return Value(self._model, f"{self._text}[{quoted(key)}]", self, key)
        return self._array()[key]

    def __dir__(self) -> list[str]:
        kind = self._kind()
        return kind[4:].split() if kind.startswith("has ") else []

    # ---- what it is ----

    def _kind(self) -> str:
        """"1": a number or an expression; "[3": a list of three of them; "[3 3": a matrix; "has ...": names of members; else in words. The model as
        it is so far is read to see."""
        if self._is is None:
            draft = self._model._source
            written = Writer(draft, whole=False)
            text = written.text + _KIND.replace("VALUE", self._text)
            try:
                own("model", lib.rattle_model_parse, bytes_of(text), bytes_of("model"), draft.options())
            except RattleError as error:
                _, mark, kind = error.message.partition("\1")
                if not mark:
                    raise written.placed(error) from None
                self._is = kind
        return self._is

    def _array(self) -> Any:
        kind = self._kind()
        if not kind.startswith("["):
            raise TypeError(f"{self._text} of the model file is {'a number or an expression' if kind == '1' else 'no list of numbers'}: it has no elements")
        shape = tuple(int(size) for size in kind[1:].split())
        made = numpy.empty(shape, dtype=object)
        for place in numpy.ndindex(shape):
            made[place] = self._graph.placed(self._text + "".join(f"[{k + 1}]" for k in place))
        return made

    def _value(self) -> Any:
        """An Expression, or an array of them."""
        kind = self._kind()
        if kind == "1":
            return self._graph.placed(self._text)
        if not kind.startswith("["):
            raise TypeError(f"{self._text} of the model file is {'a table' if kind.startswith('has ') else kind}, and no expression")
        return self._array()

    # ---- as an expression, or an array of them ----

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        value = self._value()
        if isinstance(value, Expression):
            box = numpy.empty((), dtype=object)
            box[()] = value
            return box
        return value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*(one._value() if isinstance(one, Value) else one for one in inputs), **options)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an array of expressions; () of one."""
        kind = self._kind()
        return tuple(int(size) for size in kind[1:].split()) if kind.startswith("[") else ()

    def __len__(self) -> int:
        return len(self._array())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self._text} of the model file>"

    def __getstate__(self) -> Any:
        return self._model, self._text, self._of, self._name, self._module, self._is, self._graph

    def __setstate__(self, state: Any) -> None:
        self._model, self._text, self._of, self._name, self._module, self._is, self._graph = state


def _operator(name: str) -> Any:
    def compute(self: Value, *others: Any) -> Any:
        return getattr(self._value(), name)(*(one._value() if isinstance(one, Value) else one for one in others))
    return compute


for _name in "add radd sub rsub mul rmul truediv rtruediv pow rpow matmul rmatmul neg pos abs".split():
    setattr(Value, f"__{_name}__", _operator(f"__{_name}__"))
