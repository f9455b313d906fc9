#!/usr/bin/env python3
"""Makes derivatives_sympy.inc: expressions with their first and second derivatives to 30 digits, by sympy.

    derivatives_sympy.py           print the table
    derivatives_sympy.py FILE      compare with FILE; exit status 1 where it differs, 77 where sympy is missing

Each expression is written once; it becomes both the calls that build it with librattle and the sympy expression."""
import sys

try:
    import sympy
except ImportError:
    print("sympy is missing: the table is not checked")
    sys.exit(77)

POINT = (0.75, 1.375)  # exact in binary
DIGITS = 30


class Both:
    """An expression as C calls and as sympy sees it."""

    def __init__(self, c, s):
        self.c, self.s = c, s

    def __add__(self, o): return two("ADD", self, o, lambda a, b: a + b)
    def __radd__(self, o): return two("ADD", o, self, lambda a, b: a + b)
    def __sub__(self, o): return two("SUB", self, o, lambda a, b: a - b)
    def __rsub__(self, o): return two("SUB", o, self, lambda a, b: a - b)
    def __mul__(self, o): return two("MUL", self, o, lambda a, b: a * b)
    def __rmul__(self, o): return two("MUL", o, self, lambda a, b: a * b)
    def __truediv__(self, o): return two("DIV", self, o, lambda a, b: a / b)
    def __rtruediv__(self, o): return two("DIV", o, self, lambda a, b: a / b)
    def __pow__(self, o): return two("POW", self, o, lambda a, b: a ** b)
    def __rpow__(self, o): return two("POW", o, self, lambda a, b: a ** b)
    def __neg__(self): return Both(f"NEG({self.c})", -self.s)


def both(value):
    return value if isinstance(value, Both) else Both(f"NUM({value!r})", sympy.Rational(*float(value).as_integer_ratio()))


def two(name, a, b, made):
    a, b = both(a), both(b)
    return Both(f"{name}({a.c}, {b.c})", made(a.s, b.s))


def function(name):
    return lambda a: Both(f"{name.upper()}({both(a).c})", getattr(sympy, name)(both(a).s))


sqrt, exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh = map(
    function, "sqrt exp log sin cos tan asin acos atan sinh cosh tanh".split())


def atan2(a, b):
    return two("ATAN2", a, b, sympy.atan2)


x, y = Both("x", sympy.Symbol("x")), Both("y", sympy.Symbol("y"))
r2 = x**2 + y**2

EXPRESSIONS = [
    # each operation alone and with an inner derivative
    x + y, x - y * x, x * y, x / y, y / x, x**y, y**x, -x * y, x**2, x**3, x**7, x**-1, x**-2, y**-5, (x * y)**32, (x / y)**40,
    x**0.5, x**-0.5, y**1.5, y**-2.75, 2**x, 0.3**(x * y), atan2(x, y), atan2(y, x), atan2(x * y, x - y), sqrt(x), sqrt(x * y),
    exp(x), exp(-x * y), log(y), log(x * y + 2), sin(x), sin(x * y), cos(y), cos(x * y**2), tan(x), tan(x * y / 2), asin(x),
    asin(x * y / 3), acos(x), acos(x - y), atan(y), atan(x / y), sinh(x), sinh(x * y), cosh(y), cosh(x - y), tanh(x),
    tanh(x * y),
    # nested, shared and mechanical
    (x**y)**x, x**(y**x), exp(sin(x * y)) / (1 + x**2), log(sqrt(r2) + x), 1 / sqrt(r2), r2**-1.5, r2**2 - 3 * x * r2 + 1,
    (x - y)**2 / 2 + 0.1 * cos(x) * (1 - cos(y)), 4 * ((1 / r2)**6 - (1 / r2)**3), (1 - exp(-0.7 * (sqrt(r2) - 1)))**2,
    sqrt(1 + r2) * tanh(x - y), atan2(sin(x), cos(y)) + asin(tanh(x * y)), sinh(cosh(x) - 1) - acos(cos(x) * sin(y)),
    (x**2 / (2 * y)) + 0.5 * y**2 / (3 + x), exp(-(x**2) / 2) * sin(3 * y), log(1 + exp(x - y)), (x * y - 1)**3 / (x + y)**4,
    tan(atan(x) + x / 8) * sqrt(cosh(y)), x**x * y**y,
]


def rows():
    at = {s.s: sympy.Rational(*v.as_integer_ratio()) for s, v in zip((x, y), POINT)}
    for e in EXPRESSIONS:
        fx, fy = sympy.diff(e.s, x.s), sympy.diff(e.s, y.s)
        wanted = [e.s, fx, fy, sympy.diff(fx, x.s), sympy.diff(fx, y.s), sympy.diff(fy, y.s)]
        # more digits than are kept, so that the last one does not depend on how sympy writes the derivative
        numbers = [sympy.Float(w.subs(at).evalf(DIGITS + 30), DIGITS) for w in wanted]
        yield f"ROW({e.c},\n    " + ",\n    ".join(sympy.sstr(n, full_prec=True) if n else "0.0" for n in numbers) + ")\n"


def main():
    table = ("/* Made by derivatives_sympy.py, which also checks it; not to be edited.\n"
             "   ROW(e, value, by x, by y, by xx, by xy, by yy) at x, y = POINT. */\n"
             f"POINT({POINT[0]!r}, {POINT[1]!r})\n" + "".join(rows()))
    if len(sys.argv) < 2:
        sys.stdout.write(table)
    elif open(sys.argv[1], encoding="ascii").read() != table:
        sys.exit(f"{sys.argv[1]} differs from what sympy {sympy.__version__} gives")


main()
