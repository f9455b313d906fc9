"""The words of model files and those of Python beside them: the table in docs/python.md.

    python3 words.py            prints it;  python3 words.py --write  writes it into the page

The words are those that the loader of model files has: names in its sources that a model knows. One that is not in PYTHON, or whose
place in Python is not there, is an error."""
import os
import re
import sys

import numpy

import common
import rattle

#: Lua's own, which Python has in its way
LUA = set("assert error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset select setmetatable tonumber tostring type".split())
DECLARATIONS = ("pair pairs_of free time turning_angle hamiltonian mass potential force constrain velocity_constrain observe start velocity integrate output "
                "metadata units event stop redundant fibre flow tableau splitting parameter controller switch one_sided require draw molecule bonds angles torsions pair_potential").split()
FUNCTIONS = "erf erfc lgamma logaddexp sign min max lt le gt ge both either where when atleast atmost wrap poly table1d".split()
NUMPY = {"sqrt": "sqrt", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
         "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "expm1": "expm1", "log1p": "log1p", "abs": "abs", "hypot": "hypot"}
#: word: what Python has for it, in words
OTHERS = {"title": "`rattle.Model(title)`", "lambda": "`m.multiplier`", "derivative": "`e.derivative(x)`", "sum": "`sum(list)`, `array.sum()`", "abs2": "`array @ array`", "random": "`numpy.random`", "chart": "`mech.coordinates(\"joints\")`", "awaited": "`joint.force()`, `joint.torque()`"}


def words():
    """The functions that a model file knows, but for Lua's own."""
    folder, names = os.path.join(common.SOURCE, "src", "files", "lua"), set()
    for name in os.listdir(folder):
        if name.endswith(".c"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                names |= set(re.findall(r'"([a-z]\w*)"', file.read()))
    keywords = set("and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split())
    probe = "".join(f'if select(2, pcall(function() return type({name}) end)) == "function" then observe("has:{name}", 0*x) end\n'
                    for name in sorted(names - keywords - LUA))
    known = rattle.Model.from_string('local x, px = pair("x") hamiltonian(px^2/2)\n' + probe).problem().observables
    return sorted(name.removeprefix("has:") for name in known)


def in_python(word):
    """What Python has for a word."""
    if word in DECLARATIONS:
        assert callable(getattr(rattle.Model, word)), word
        return f"`m.{word}`"
    if word in FUNCTIONS:
        assert callable(getattr(rattle, word)), word
        return f"`rattle.{word}`"
    if word in NUMPY:
        assert getattr(numpy, NUMPY[word]).__name__ in rattle.functions.UFUNCS, word
        return f"`np.{NUMPY[word]}`"
    return OTHERS[word]


def table():
    return "| model file | Python |\n|---|---|\n" + "".join(f"| `{word}` | {in_python(word)} |\n" for word in words())


PAGE = os.path.join(common.SOURCE, "docs", "python.md")
PLACE = re.compile(r"(<!-- words: made by bindings/python/tests/words.py -->\n).*?(<!-- /words -->)", re.S)

if __name__ == "__main__":
    made = table()
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(PLACE.sub(lambda found: found[1] + made + found[2], page))
    else:
        print(made, end="")
