"""Expressions: formulas in the variables of a model, on the library's expression graph.

They are written as usual: + - * / **, numpy's sqrt exp log sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh hypot abs sign minimum
maximum clip (functions.py has those that numpy has not), and arrays of them with numpy's sums and products. Equal expressions are one node of the graph and compare equal. SymPy's expressions are taken
wherever an expression is: a symbol is the variable with its name."""
from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy

from rattle._c import bytes_of, ffi, lib, own, text

OPS = {name[len("RATTLE_OP_"):]: getattr(lib, name) for name in dir(lib) if name.startswith("RATTLE_OP_")}
NAMES = {number: name for name, number in OPS.items()}
FUNCTIONS = "sqrt, exp, log, sin, cos, tan, arcsin, arccos, arctan, arctan2, sinh, cosh, tanh, expm1, log1p, hypot, absolute, sign, minimum, maximum and clip"


class Graph:
    """An expression graph and the names of its variables, by their index. From PLACED on variables stand for values of model files (lua.py), whose
    texts are in `places`; `results` counts those that calls returned. compounds: {node: (word, nodes)} of functions made of several nodes.
    multipliers: the constraints whose multipliers are quantities, variables from RATTLE_LAMBDA on."""

    PLACED = lib.RATTLE_VELOCITY // 2

    def __init__(self, names=(), places=(), results=0, compounds=(), multipliers=()):
        self.c, self.names = own("graph", lib.rattle_graph_create), list(names)
        self.places, self.results, self.multipliers = list(places), results, list(multipliers)
        self.compounds = dict(compounds)
        self._place = {text: k for k, text in enumerate(self.places)}

    def placed(self, text):
        """The Expression that stands for a number or an expression of a model file."""
        if text not in self._place:
            self._place[text] = len(self.places)
            self.places.append(text)
        return self.variable(self.PLACED + self._place[text])

    def copy_to(self, other):
        """The nodes of `other`, a C graph, for the nodes of this one."""
        return _copied(self.c, other)

    @classmethod
    def copy_of(cls, c, names):
        """(a copy of a C graph, its nodes for the nodes there)."""
        graph = cls(names)
        return graph, _copied(c, graph.c)

    def name_of(self, index):
        """Of the variable with that index; of a velocity "velocity(x)", of a multiplier "multiplier(rod)"."""
        if index >= lib.RATTLE_LAMBDA:
            return f"multiplier({self.multipliers[index - lib.RATTLE_LAMBDA]})"
        if index >= lib.RATTLE_VELOCITY:
            return f"velocity({self.names[2*(index - lib.RATTLE_VELOCITY)]})"
        return self.names[index] if index < self.PLACED else self.places[index - self.PLACED]

    def strangers_in(self, node):
        """The indices below a node of what is no coordinate or momentum."""
        return [index for index in self.variables_in(node) if index >= self.PLACED]

    def variables_in(self, node):
        """The indices of the variables below a node."""
        met, left, found = set(), [node], []
        while left:
            at = left.pop()
            if not at or at in met:
                continue
            met.add(at)
            index = lib.rattle_expr_index(self.c, at)
            if index >= 0:
                found.append(index)
            left += [lib.rattle_expr_operand(self.c, at, 0), lib.rattle_expr_operand(self.c, at, 1)]
        return found

    def variable(self, index):
        return self.made(lib.rattle_expr_variable(self.c, index))

    def node(self, value):
        """The node of an expression of this graph, of a number, or of an expression of SymPy; None for anything else."""
        if isinstance(value, Expression):
            if value.graph is not self:
                raise ValueError(f"{value} belongs to another model")
            return value.node
        from rattle.lua import Value
        if isinstance(value, Value):
            return self.placed(value._spelled(self)).node if value._kind() == "1" else self.node(value._value())
        if isinstance(value, numbers.Real):
            if not math.isfinite(value):
                raise ValueError(f"an expression cannot contain the number {value}")
            return lib.rattle_expr_constant(self.c, value)
        if hasattr(value, "free_symbols"):
            from rattle.symbolic import convert
            return convert(self, value).node
        return None

    def expression(self, value):
        """`value` as an Expression of this graph."""
        node = self.node(value)
        if node is None:
            sums = ": write the sum of its entries, as v.sum() or v @ v" if numpy.ndim(value) else ""
            raise TypeError(f"expected an expression or a number, found {type(value).__name__}{sums}")
        return Expression(self, node)

    def made(self, node):
        """The Expression of a node that has just been made."""
        if node == 0:
            raise MemoryError("out of memory for expressions")
        if lib.rattle_expr_op(self.c, node) == lib.RATTLE_OP_CONSTANT and not math.isfinite(lib.rattle_expr_value(self.c, node)):
            raise ValueError(f"the value of an expression is {lib.rattle_expr_value(self.c, node)}")
        return Expression(self, node)

    def __getstate__(self):
        c = self.c
        nodes = [(lib.rattle_expr_op(c, e), lib.rattle_expr_operand(c, e, 0), lib.rattle_expr_operand(c, e, 1), lib.rattle_expr_value(c, e),
                  lib.rattle_expr_index(c, e)) for e in range(1, lib.rattle_graph_count(c) + 1)]
        return [(NAMES[op], *rest) for op, *rest in nodes], self.names, self.places, self.results, self.compounds, self.multipliers

    def __setstate__(self, state):
        nodes, *rest = state
        self.__init__(*rest)
        for number, (op, a, b, value, index) in enumerate(nodes, 1):
            op = OPS[op]
            node = (lib.rattle_expr_constant(self.c, value) if op == lib.RATTLE_OP_CONSTANT else
                    lib.rattle_expr_variable(self.c, index) if op == lib.RATTLE_OP_VARIABLE else
                    lib.rattle_expr_unary(self.c, op, a) if b == 0 else lib.rattle_expr_binary(self.c, op, a, b))
            if node != number:
                raise ValueError("the pickled expressions were made by another version of rattle")


def _copied(graph, other):
    image = ffi.new("rattle_expr[]", lib.rattle_graph_count(graph) + 1)
    if not lib.rattle_python_copy(graph, other, image):
        raise MemoryError("out of memory for expressions")
    return image


def _unary(name) -> Callable[[Expression], Expression]:
    op = OPS[name]
    return lambda self: self.graph.made(lib.rattle_expr_unary(self.graph.c, op, self.node))


def _binary(name, swapped=False) -> Callable[[Expression, Any], Expression]:
    op = OPS[name]

    def operator(self, other):
        node = self.graph.node(other)
        if node is None:
            return NotImplemented
        a, b = (node, self.node) if swapped else (self.node, node)
        return self.graph.made(lib.rattle_expr_binary(self.graph.c, op, a, b))
    return operator


def _no_order(self, other) -> bool:
    raise TypeError("an expression has no value while the model is written: it cannot be compared with <, <=, > or >=; "
                    "rattle.lt, le, gt and ge are conditions for rattle.where, rattle.min and max are of expressions")


class Expression:
    """A formula in the variables of a model."""

    __slots__ = ("graph", "node")

    def __init__(self, graph, node):
        self.graph, self.node = graph, node

    __add__, __radd__ = _binary("ADD"), _binary("ADD", swapped=True)
    __sub__, __rsub__ = _binary("SUB"), _binary("SUB", swapped=True)
    __mul__, __rmul__ = _binary("MUL"), _binary("MUL", swapped=True)
    __truediv__, __rtruediv__ = _binary("DIV"), _binary("DIV", swapped=True)
    __pow__, __rpow__ = _binary("POW"), _binary("POW", swapped=True)
    __neg__ = _unary("NEG")
    # what numpy's functions of arrays call
    sqrt, exp, log = _unary("SQRT"), _unary("EXP"), _unary("LOG")
    sin, cos, tan = _unary("SIN"), _unary("COS"), _unary("TAN")
    arcsin, arccos, arctan, arctan2 = _unary("ASIN"), _unary("ACOS"), _unary("ATAN"), _binary("ATAN2")
    held = _unary("HELD")
    sinh, cosh, tanh = _unary("SINH"), _unary("COSH"), _unary("TANH")
    expm1, log1p = _unary("EXPM1"), _unary("LOG1P")

    __abs__ = _unary("ABS")

    def hypot(self, other) -> Expression:
        return (self**2 + other**2).sqrt()

    def clip(self, low, high, out=None) -> Expression:
        """What numpy.clip calls: max(low, min(self, high))."""
        from rattle import functions
        return functions.UFUNCS["clip"](self, low, high)

    if TYPE_CHECKING:  # of functions of two arguments numpy's types ask for this, which numpy itself does not
        def __array__(self) -> numpy.typing.NDArray[Any]: ...

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: Literal["__call__", "reduce", "reduceat", "accumulate", "outer", "at"],
                        *inputs: Any, **options: Any) -> Any:
        from rattle import functions
        return functions.ufunc(ufunc, method, inputs, options)

    __lt__ = __le__ = __gt__ = __ge__ = _no_order

    def __pos__(self) -> Expression:
        return self

    def conjugate(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        raise TypeError("an expression has no value while the model is written: it is neither true nor false; "
                        "where(condition, a, b) of the package is an expression")

    def __float__(self) -> float:
        if self.op == "CONSTANT":
            return lib.rattle_expr_value(self.graph.c, self.node)
        raise TypeError(f"an expression has no value while the model is written; functions of it are numpy's {FUNCTIONS}, not those of math")

    def __eq__(self, other):
        if isinstance(other, Expression):
            return self.graph is other.graph and self.node == other.node
        node = self.graph.node(other) if isinstance(other, numbers.Real) and math.isfinite(other) else None
        return NotImplemented if node is None else self.node == node

    def __hash__(self):
        return hash((id(self.graph), self.node))

    def __reduce__(self):
        return Expression, (self.graph, self.node)

    @property
    def op(self) -> str:
        """The operation: "ADD", "SIN", "CONSTANT", "VARIABLE" ..."""
        return NAMES[lib.rattle_expr_op(self.graph.c, self.node)]

    @property
    def operands(self) -> tuple[Expression, ...]:
        nodes = (lib.rattle_expr_operand(self.graph.c, self.node, k) for k in (0, 1))
        return tuple(Expression(self.graph, node) for node in nodes if node)

    @property
    def name(self) -> str | None:
        """The name of a variable; None for other expressions."""
        return self.graph.name_of(self.index) if self.op == "VARIABLE" else None

    @property
    def index(self) -> int:
        return lib.rattle_expr_index(self.graph.c, self.node)

    def derivative(self, variable: Expression) -> Expression:
        """Symbolic derivative by a variable."""
        return self.graph.made(lib.rattle_expr_derivative(self.graph.c, self.node, self.graph.expression(variable).index))

    def __call__(self, **values: float) -> float:
        """The value where the variables have these values: e(x=1, px=2). Variables that are not given are 0."""
        if strangers := self.graph.strangers_in(self.node):
            raise ValueError(f"an expression with {self.graph.name_of(strangers[0])} has no value by coordinates and momenta")
        x = numpy.zeros(len(self.graph.names))
        for name, value in values.items():
            x[self.graph.names.index(name)] = value
        return lib.rattle_expr_evaluate(self.graph.c, self.node, ffi.from_buffer("double[]", x))

    def __str__(self):
        keep = [bytes_of(name) for name in self.graph.names]
        names = ffi.new("char *[]", keep or [ffi.NULL])
        room = ffi.new("char[]", 4000)
        return text(lib.rattle_expr_print(self.graph.c, self.node, ffi.addressof(lib, "rattle_python_name"), names, room, 4000))

    __repr__ = __str__

    def _repr_latex_(self):
        from rattle.formula import latex
        return f"${latex(self)}$"
