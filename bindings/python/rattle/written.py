"""The Lua text of a model written in Python: one line for each declaration, and the line of Python that it comes from."""
from __future__ import annotations

import inspect
import math
import re
import sys

import numpy

from rattle._c import lib
from rattle.errors import BadModel
from rattle.expression import Expression

#: how tightly operations bind in Lua: what binds less stands in parentheses
BINDS = {"ADD": 1, "SUB": 1, "MUL": 2, "DIV": 2, "NEG": 3, "POW": 4, "POWI": 4}
SIGNS = {"ADD": " + ", "SUB": " - ", "MUL": "*", "DIV": "/", "POW": "^", "POWI": "^"}
LONGEST = 200  # characters of a formula that is not given a name
WORDS = set("and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split())


def place() -> str:
    """file:line of the nearest caller that is not in the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_globals.get("__name__") or "").partition(".")[0] == "rattle":
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def quoted(value: object) -> str:
    """A string of Lua."""
    return '"' + "".join(f"\\{ord(c):03d}" if ord(c) < 32 else "\\" + c if c in '"\\' else c for c in str(value)) + '"'


def number(value: float) -> str:
    """A number as Lua reads it, to the last bit."""
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"a model cannot contain the number {value}")
    return str(int(value)) if value == int(value) and abs(value) < 1e15 and not (value == 0 and math.copysign(1, value) < 0) else repr(value)


def _is_name(name):
    return name.isascii() and name.isidentifier() and name not in WORDS


def member(table: str, name: str) -> str:
    """table.name, or table["name"]."""
    return f"{table}.{name}" if _is_name(name) else f"{table}[{quoted(name)}]"


def entry(name, value, graph):
    """name = value, in a table."""
    return [f"{name} = " if _is_name(str(name)) else f"[{quoted(name)}] = ", *pieces(value, graph)]


def pieces(value, graph):
    """A value of Python as pieces of a text: strings, and nodes of expressions."""
    from rattle.lua import Value
    if isinstance(value, Value):
        return [value._spelled(graph)]
    if isinstance(value, (bool, numpy.bool_)) or value is None:
        return ["nil" if value is None else "true" if value else "false"]
    if isinstance(value, str):
        return [quoted(value)]
    if isinstance(value, Expression) or hasattr(value, "free_symbols"):
        return [graph.node(value)]
    if isinstance(value, (int, float, numpy.integer, numpy.floating)):
        return [number(value)]
    if isinstance(value, dict):
        return ["{", *listed([entry(key, one, graph) for key, one in value.items()]), "}"]
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return ["{", *listed([pieces(one, graph) for one in value]), "}"] if numpy.ndim(value) or not isinstance(value, numpy.ndarray) else pieces(value[()], graph)
    if callable(value):
        return _function(value, graph)
    raise TypeError(f"a model file has no value for a {type(value).__name__}")


def listed(parts):
    return [piece for k, part in enumerate(parts) for piece in ([", "] if k else []) + part]


def _function(function, graph):
    """A function of expressions, as of the surface that a point is on."""
    names = [f"a{k + 1}" for k in range(len(inspect.signature(function).parameters))]
    made = function(*(graph.placed(name) for name in names))
    made = made if isinstance(made, (list, tuple, numpy.ndarray)) else [made]
    return [f"function({', '.join(names)}) return ", *listed([[(piece, "inside")] if isinstance(piece, int) else [piece] for one in made for piece in pieces(one, graph)]),
            " end"]


def arguments(given, options, graph):
    """Arguments of a call as pieces: those by name are a table, which comes last."""
    parts = [pieces(value, graph) for value in given]
    if options:
        parts.append(["{", *listed([entry(name, value, graph) for name, value in options.items()]), "}"])
    return listed(parts)


class Writer:
    """Writes the lines of a Draft. `lines` and `places` belong together."""

    def __init__(self, draft, whole=True):
        self.draft, self.graph = draft, draft.graph
        self.lines, self.places, self.known = [], [], {}
        if draft.title is not None:
            self.line("", "title ", quoted(draft.title))
        self.line("", "local z, e, r, turn = {}, {}, {}, {}")
        for where, parts, defines in draft.journal:
            self.line(where, *parts)
            if defines:
                self.known[defines[0]] = defines[1]
        if whole:
            self.rest()

    def line(self, where, *parts):
        ahead, text = [], ""
        for part in parts:
            text += part if isinstance(part, str) else self.formula(part, ahead) if isinstance(part, int) else self.formula(part[0], ahead, inside=True)
        self.lines.append("; ".join([*ahead, text]))
        self.places.append(where)

    def variable(self, index):
        graph, names = self.graph, self.graph.names
        if index >= lib.RATTLE_LAMBDA:
            return f"lambda({quoted(graph.multipliers[index - lib.RATTLE_LAMBDA])})"
        if index >= lib.RATTLE_VELOCITY:
            return f"velocity({member('z', names[2*(index - lib.RATTLE_VELOCITY)])})"
        if index >= graph.PLACED:
            return graph.places[index - graph.PLACED]
        if index >= len(names):  # of a flow
            return self.flow(index - len(names))
        if self.draft.clock is not None and index == 2*self.draft.clock + 1:
            raise BadModel("p_t, the momentum of the time, has no word in model files: this model cannot be written as one")
        return member("z", names[index])

    def formula(self, root, ahead, inside=False):
        """The text of a node. Nodes that are used more than once, and long ones, get names before it, but for those inside of a function."""
        c, known = self.graph.c, {} if inside else self.known
        met, left, used = set(), [root], {}
        while left:
            at = left.pop()
            if at in met or at in known:
                continue
            met.add(at)
            for a in self.below(at):
                used[a] = used.get(a, 0) + 1
                left.append(a)
        texts = {}
        for e in sorted(met):
            op = lib.rattle_expr_op(c, e)
            texts[e] = self.one(e, op, lambda a, least: self.within(texts, known, a, least))
            leaf = op in (lib.RATTLE_OP_CONSTANT, lib.RATTLE_OP_VARIABLE)
            if not inside and not leaf and (used.get(e, 0) > 1 or (len(texts[e][0]) > LONGEST and e != root)):
                known[e] = f"e[{e}]"
                ahead.append(f"e[{e}] = {texts.pop(e)[0]}")
        return self.within(texts, known, root, 0)

    @staticmethod
    def within(texts, known, e, least):
        text, binds = (known[e], 5) if e in known else texts[e]
        return text if binds >= least else f"({text})"

    def below(self, e):
        return self.graph.compounds[e][1] if e in self.graph.compounds else self.operands(e)

    def operands(self, e):
        return [a for a in (lib.rattle_expr_operand(self.graph.c, e, 0), lib.rattle_expr_operand(self.graph.c, e, 1)) if a]

    def one(self, e, op, part):
        """(text, how tightly it binds) of a node by its operands."""
        from rattle.expression import NAMES
        c, name = self.graph.c, NAMES[op]
        if e in self.graph.compounds:
            word, parts = self.graph.compounds[e]
            return f"{word}({', '.join(part(x, 0) for x in parts)})", 5
        if name == "CONSTANT":
            value = lib.rattle_expr_value(c, e)
            return number(value), 5 if value >= 0 else 3
        if name == "VARIABLE":
            return self.variable(lib.rattle_expr_index(c, e)), 5
        if name == "HELD":
            raise BadModel("what turning_angle and logaddexp are made of, as in their derivatives, has no word in model files")
        a, b = ([*self.operands(e), None])[:2]
        if name == "NEG":
            return "-" + part(a, 4), 3
        if name in SIGNS:
            binds = BINDS[name]
            return part(a, 5 if binds == 4 else binds) + SIGNS[name] + part(b, 5 if binds == 4 else binds + 1), binds
        return f"{name.lower()}({', '.join(part(x, 0) for x in (a, b) if x is not None)})", 5

    def rest(self):
        """What the draft keeps by name, and what comes last."""
        draft = self.draft
        moving = {2*k + 1 for k in draft.velocities}
        self.table("start", {self.graph.names[index]: value for index, value in draft.starts.items() if index not in moving})
        self.table("velocity", {draft.pairs[k][0]: value for k, value in draft.velocities.items()})
        if draft.moved:
            self.table("start", draft.moved, "replace = true, ")
        units = {key[len("unit of "):]: value for key, value in draft.metadata.items() if key.startswith("unit of ")}
        self.table("units", units)
        self.table("metadata", {key: value for key, value in draft.metadata.items() if not key.startswith("unit of ")})
        wishes = dict(draft.wishes)
        if wishes.pop("project", 0):
            self.line("", "start { project = true }")
        wishes.update({"at": wishes.pop("at_step")} if "at_step" in wishes else {})
        flags = ("exact", "certify", "compensated", "cotangent")
        wishes = {name: bool(value) if name in flags else value for name, value in wishes.items()}
        self.table("output", {name: wishes.pop(name) for name in ("every", "at", "compensated", "cotangent") if name in wishes})
        self.table("integrate", wishes)
        for name, (kind, order, arrays) in draft.coefficients.items():
            values = {key: numpy.asarray(value).tolist() for key, value in arrays.items()}
            self.line("", f"{kind}({quoted(name)}, ", *pieces({**values, **({"order": order} if order else {})}, self.graph), ")")
        self.flows()
        if draft.omits:
            self.line("", 'redundant "omit"')

    def table(self, word, values, more=""):
        if values:
            self.line("", f"{word} {{ {more}", *listed([entry(name, value, self.graph) for name, value in values.items()]), " }")

    def flows(self):
        draft, names = self.draft, self.graph.names
        for word, argument, given in (("fibre", "s", [self.graph.variable(len(names) + i) for i in range(len(draft.constraints))]),
                                      ("flow", "h", self.graph.variable(len(names)))):
            if word not in draft.flows:
                continue
            self.flow = (lambda i: f"s[{i + 1}]") if word == "fibre" else (lambda i: "h")
            images = {names[draft.variable(which, word)]: value for which, value in draft.flows[word](given).items()}
            inside = listed([[f"[{quoted(name)}] = ", *((self.graph.node(value), "inside"),)] for name, value in images.items()])
            self.line("", f"{word}(function({argument}) return {{ ", *inside, " } end)")

    def flow(self, index):
        raise BadModel("an argument of a flow is used outside of it")

    def placed(self, error):
        """The error of a line of the text, as one of the line of Python that it was written for."""
        found = re.match(r"model:(\d+)", error.message)
        if found:
            where = ([*self.places, place()])[min(int(found[1]), len(self.places) + 1) - 1] or place()
            error.message, error.where = where + error.message[found.end():], where
        return error

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
