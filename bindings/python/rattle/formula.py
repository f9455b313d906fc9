"""Expressions as LaTeX."""
import re

LONGEST = 300  # operations; what is longer is a text
BINDS = {"ADD": 1, "SUB": 1, "NEG": 1, "MUL": 2, "DIV": 3, "POW": 4, "POWI": 4}
NAMES = {"LOG": r"\ln", "ASIN": r"\arcsin", "ACOS": r"\arccos", "ATAN": r"\arctan", **{op: rf"\operatorname{{{op.lower()}}}" for op in ("EXPM1", "LOG1P", "ERF", "ERFC")}}
GREEK = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega "
         "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega").split()


def symbol(name):
    """A variable: x, px as p with the index x, x[1] and x1 as x with the index 1, Greek letters by their names."""
    head, index = re.fullmatch(r"(.*?)_?\[?(\d*)\]?", name).groups()
    below = [index] if index else []
    if len(head) > 1 and head[0] == "p" and head not in GREEK:
        inside = symbol(head[1:].lstrip("_") + (f"[{index}]" if index else ""))
        return f"p_{{{inside}}}"
    written = f"\\{head}" if head in GREEK else head if len(head) < 2 else rf"\mathrm{{{_plain(head)}}}"
    return written + (f"_{{{below[0]}}}" if below else "")


def _plain(text):
    return re.sub(r"([_{}$%&#])", r"\\\1", text)


def number(value):
    written = f"{value:.12g}"
    mantissa, _, exponent = written.partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _size(e, most):
    size, todo = 0, [e]
    while todo and size <= most:
        size += 1
        todo.extend(todo.pop().operands)
    return size


def latex(e):
    """An expression as LaTeX; a very long one as a cut text."""
    return _latex(e)[0] if _size(e, LONGEST) <= LONGEST else rf"\texttt{{{_plain(str(e)[:200])}\ldots}}"


def _latex(e):
    """(LaTeX, how tightly its outermost operation binds)."""
    op = e.op
    if op == "CONSTANT":
        return number(float(e)), 1 if float(e) < 0 else 5
    if op == "VARIABLE":
        return symbol(e.name), 5
    parts = [_latex(operand) for operand in e.operands]
    binds = BINDS.get(op, 5)

    def inside(k, least):
        written, tight = parts[k]
        return written if tight >= least else rf"\left({written}\right)"

    if op in ("ADD", "SUB"):
        return f"{inside(0, 1)} {'+' if op == 'ADD' else '-'} {inside(1, 2)}", binds
    if op == "NEG":
        return f"-{inside(0, 2)}", binds
    if op == "MUL":
        dot = r"\cdot " if e.operands[1].op == "CONSTANT" else r"\,"
        return f"{inside(0, 2)}{dot}{inside(1, 3)}", binds
    if op == "DIV":
        return rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", binds
    if op in ("POW", "POWI"):
        return f"{inside(0, 5)}^{{{parts[1][0]}}}", binds
    if op == "SQRT":
        return rf"\sqrt{{{parts[0][0]}}}", binds
    if op == "HELD":
        return parts[0]
    if op == "ATAN2":
        return rf"\operatorname{{atan2}}\left({parts[0][0]}, {parts[1][0]}\right)", binds
    return rf"{NAMES.get(op, chr(92) + op.lower())}\left({parts[0][0]}\right)", binds
