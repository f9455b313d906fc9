"""Functions of expressions, numbers and arrays of both, with the names that model files have: abs, sign, erf, lgamma, min, max, comparisons, where, wrap,
poly, table1d. Of numbers alone they are numbers. numpy's functions of expressions are in UFUNCS."""
from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy

from rattle._c import address, array, ffi, lib
from rattle.errors import BadArgument, exception
from rattle.expression import FUNCTIONS, OPS, Expression, Graph

__all__ = ["abs", "atleast", "atmost", "both", "either", "erf", "erfc", "ge", "gt", "le", "lgamma", "logaddexp", "lt", "max", "min", "poly", "sign", "table1d", "when", "where", "wrap"]


def _made(make, *values, word=None):
    """The Expression of make(graph, nodes ...), in the graph of the first expression; a number where all are numbers. word: of a function that is made
    of several nodes, in model files."""
    graph = next((value.graph for value in values if isinstance(value, Expression)), None)
    own = Graph() if graph is None else graph
    nodes = [own.expression(value).node for value in values]
    made = own.made(make(own.c, *nodes))
    if word and made.op != "CONSTANT":
        own.compounds[made.node] = word, nodes
    if graph is not None:
        return made
    number = made()
    if not math.isfinite(number):
        raise ValueError(f"the function has no value at {', '.join(f'{value:g}' for value in values)}")
    return number


def _each(function):
    """The same of arrays and lists, element by element."""
    @functools.wraps(function)
    def of_arrays(*values):
        if builtins.any(isinstance(value, (numpy.ndarray, list, tuple)) for value in values):
            return numpy.frompyfunc(function, len(values), 1)(*(_boxed(value) for value in values))
        return function(*values)
    return of_arrays


def _boxed(value):
    """An expression as an array without axes, which numpy takes apart no further."""
    if not isinstance(value, Expression):
        return numpy.asarray(value, dtype=object)
    box = numpy.empty((), dtype=object)
    box[()] = value
    return box


def _unary(name) -> Callable[[Any], Any]:
    return _each(lambda a: _made(lambda c, x: lib.rattle_expr_unary(c, OPS[name], x), a))


def _binary(name) -> Callable[[Any, Any], Any]:
    return _each(lambda a, b: _made(lambda c, x, y: lib.rattle_expr_binary(c, OPS[name], x, y), a, b))


_abs, _sign, _erf, _erfc = (_unary(name) for name in ("ABS", "SIGN", "ERF", "ERFC"))
_less, _least, _most, _when, _atleast, _atmost = (_binary(name) for name in ("LT", "MIN", "MAX", "WHEN", "ATLEAST", "ATMOST"))
_lgamma = _each(lambda a: _made(lib.rattle_expr_lgamma, a, word="lgamma"))
_logaddexp = _each(lambda a, b: _made(lib.rattle_expr_logaddexp, a, b, word="logaddexp"))
_where = _each(lambda condition, a, b: (a if condition else b) if isinstance(condition, (bool, numpy.bool_)) else
               _made(lib.rattle_expr_where, condition, a, b))


def abs(a: Any) -> Any:  # noqa: A001
    """|a|."""
    return _abs(a)


def sign(a: Any) -> Any:
    """-1, 0 or 1."""
    return _sign(a)


def erf(a: Any) -> Any:
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to a."""
    return _erf(a)


def erfc(a: Any) -> Any:
    """1 - erf(a), also where erf(a) is near 1."""
    return _erfc(a)


def lgamma(a: Any) -> Any:
    """The logarithm of the Gamma function, for a > 0; undefined for others."""
    return _lgamma(a)


def logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), which does not overflow."""
    return _logaddexp(a, b)


def _fold(function, values, name):
    given = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple, numpy.ndarray)) else values
    if len(given) == 0:
        raise BadArgument(f"{name} takes at least one value")
    return functools.reduce(function, given)


def min(*values: Any) -> Any:  # noqa: A001
    """The smallest of several values, or of those in a list."""
    return _fold(_least, values, "min")


def max(*values: Any) -> Any:  # noqa: A001
    """The largest of several values, or of those in a list."""
    return _fold(_most, values, "max")


def lt(a: Any, b: Any) -> Any:
    """1 where a < b, else 0: a condition for where()."""
    return _less(a, b)


def gt(a: Any, b: Any) -> Any:
    """1 where a > b, else 0."""
    return _less(b, a)


def le(a: Any, b: Any) -> Any:
    """1 where a <= b, else 0."""
    return 1 - _less(b, a)


def ge(a: Any, b: Any) -> Any:
    """1 where a >= b, else 0."""
    return 1 - _less(a, b)


def both(*conditions: Any) -> Any:
    """1 where all conditions hold, else 0."""
    return _fold(operator.mul, conditions, "both")


def either(*conditions: Any) -> Any:
    """1 where one of the conditions holds, else 0."""
    return _fold(_most, conditions, "either")


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b, whatever the value of the other: where(lt(x, 0), -x, x)."""
    return _where(condition, a, b)


def when(condition: Any, a: Any) -> Any:
    """a where the condition is positive, else 0, whatever a is there."""
    return _when(condition, a)


def atleast(a: Any, b: Any) -> Any:
    """a, which is undefined where a < b."""
    return _atleast(a, b)


def atmost(a: Any, b: Any) -> Any:
    """a, which is undefined where a > b."""
    return _atmost(a, b)


def wrap(x: Any, period: float) -> Any:
    """x less whole periods: between -period/2 and period/2."""
    period = float(period)
    if not period > 0:
        raise BadArgument(f"the period of wrap(x, period) must be positive, found {period:g}")
    angle = (2*math.pi/period)*x
    return (period/(2*math.pi))*numpy.arctan2(numpy.sin(angle), numpy.cos(angle))


def poly(x: Any, coefficients: Any) -> Any:
    """c[0] + c[1] x + c[2] x**2 + ..., by Horner's rule."""
    if len(coefficients) == 0:
        raise BadArgument("poly(x, c) has no coefficients")
    return functools.reduce(lambda inner, c: c + x*inner, reversed(coefficients))


def table1d(x: Any, xs: Any, ys: Any) -> Any:
    """The cubic spline through the points (xs, ys), of x between the first and the last of xs; undefined outside (docs/models.md)."""
    knots = array(xs, numpy.size(xs), "xs of table1d(x, xs, ys)")
    values = array(ys, len(knots), "ys of table1d(x, xs, ys)")

    def spline(c, node):
        error = ffi.new("rattle_error *")
        made = lib.rattle_expr_table(c, node, len(knots), address(knots), address(values), error)
        if not made:
            raise exception(error)
        return made
    return _each(lambda one: _made(spline, one))(x)


#: numpy's functions by their names, of expressions and numbers
UFUNCS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "power": operator.pow, "float_power": operator.pow, "negative": operator.neg, "positive": operator.pos,
    "equal": operator.eq, "not_equal": operator.ne, "square": lambda a: a**2, "reciprocal": lambda a: 1/a, "conjugate": operator.pos,
    "absolute": _abs, "fabs": _abs, "sign": _sign, "minimum": _least, "maximum": _most,
    "less": lt, "greater": gt, "less_equal": le, "greater_equal": ge, "clip": lambda a, low, high: _least(_most(a, low), high),
    "hypot": lambda a, b: numpy.sqrt(a**2 + b**2), "arctan2": _binary("ATAN2"),
    "logaddexp": _logaddexp, "gammaln": _lgamma, "erf": _erf, "erfc": _erfc,  # the last three of SciPy
    **{name: _unary(op) for name, op in (("sqrt", "SQRT"), ("exp", "EXP"), ("log", "LOG"), ("sin", "SIN"), ("cos", "COS"), ("tan", "TAN"),
                                         ("arcsin", "ASIN"), ("arccos", "ACOS"), ("arctan", "ATAN"), ("sinh", "SINH"), ("cosh", "COSH"),
                                         ("tanh", "TANH"), ("expm1", "EXPM1"), ("log1p", "LOG1P"))},
}


def ufunc(one, method, inputs, options):
    """numpy's function `one` of inputs among which are expressions (Expression.__array_ufunc__)."""
    if method != "__call__" or options:
        return getattr(one, method)(*(_boxed(value) for value in inputs), **options)
    function = UFUNCS.get(one.__name__)
    if function is None:
        raise TypeError(f"numpy.{one.__name__} of an expression is not among those that the library has; functions of it are numpy's {FUNCTIONS}")
    if builtins.all(numpy.ndim(value) == 0 for value in inputs if not isinstance(value, Expression)):
        # numpy's own numbers would call us again
        return function(*(value.item() if isinstance(value, (numpy.generic, numpy.ndarray)) else value for value in inputs))
    return numpy.frompyfunc(function, len(inputs), 1)(*(_boxed(value) for value in inputs))
