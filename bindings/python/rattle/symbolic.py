"""SymPy's expressions as expressions of a model: a symbol, or an unknown function such as q(t), is the variable with its name."""
import functools
import operator

import sympy
from sympy.core.function import AppliedUndef

from rattle import functions
from rattle._c import lib
from rattle.errors import BadModel
from rattle.expression import OPS

FUNCTIONS = {sympy.exp: "EXP", sympy.log: "LOG", sympy.sin: "SIN", sympy.cos: "COS", sympy.tan: "TAN", sympy.asin: "ASIN",
             sympy.acos: "ACOS", sympy.atan: "ATAN", sympy.sinh: "SINH", sympy.cosh: "COSH", sympy.tanh: "TANH", sympy.erf: "ERF", sympy.erfc: "ERFC",
             sympy.Abs: "ABS", sympy.sign: "SIGN"}


def convert(graph, e):
    """The Expression of a SymPy expression."""
    done = {}
    e = sympy.sympify(e)
    e = e.subs({f: sympy.Symbol(f.func.__name__) for f in e.atoms(AppliedUndef)})
    for part in sympy.postorder_traversal(e):
        if part not in done:
            done[part] = _node(graph, part, [done[argument] for argument in part.args])
    return done[part]


def _node(graph, e, arguments):
    if e.is_number and e.is_real:
        return graph.expression(float(e))
    if e.is_Symbol:
        if e.name not in graph.names:
            raise BadModel(f"the model has no variable {e.name!r}; it has {', '.join(graph.names)}")
        return graph.variable(graph.names.index(e.name))
    if e.is_Add or e.is_Mul:
        return functools.reduce(operator.add if e.is_Add else operator.mul, arguments)
    if e.is_Pow:
        base, exponent = arguments
        return base.sqrt() if e.exp == sympy.S.Half else 1 / base if e.exp == -1 else base**exponent
    if isinstance(e, sympy.atan2):
        return arguments[0].arctan2(arguments[1])
    if isinstance(e, (sympy.Min, sympy.Max)):
        return (functions.min if isinstance(e, sympy.Min) else functions.max)(*arguments)
    if e.func is sympy.loggamma:
        return functions.lgamma(arguments[0])
    if e.func in FUNCTIONS:
        return graph.made(lib.rattle_expr_unary(graph.c, OPS[FUNCTIONS[e.func]], arguments[0].node))
    raise BadModel(f"{e}: {e.func.__name__} is not among the functions of models")
