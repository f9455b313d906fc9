#!/usr/bin/env python3
"""Each rule of tools/house that reads texts must find what breaks it, and nothing in a text that keeps it."""
import importlib.machinery
import importlib.util
import os
import sys

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "house")
loader = importlib.machinery.SourceFileLoader("house", path)
sys.dont_write_bytecode = True
house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
loader.exec_module(house)

KNOWN = {"ground/support/error.h", "examine/study/study.h", "base/cli.h"}
# file, text, rule; the sentence that is expected, "" for none
CASES = [
    ("maps/base/verlet.c", '#include "ground/support/error.h"\n', "includes", ""),
    ("maps/base/verlet.c", '#include "examine/study/study.h"\n', "includes", "which is not below it"),
    ("maps/base/verlet.c", "#include <lua.h>\n", "includes", "which only"),
    ("garage/verlet.c", "", "includes", "in no room"),
    ("maps/base/verlet.c", "\n" * 400, "lengths", ""),
    ("maps/base/verlet.c", "\n" * 500, "lengths", "the limit is"),
    ("maps/base/verlet.c", "#include <math.h>\nint f(int a, int b, int c, int d, int e, int g) {\n}\n", "parameters", ""),
    ("maps/base/verlet.c", "int f(int a, int b, int c, int d, int e, int g, rattle_error *error) {\n}\n", "parameters", ""),
    ("maps/base/verlet.c", "#include <math.h>\nint f(int a, int b, int c, int d, int e, int g, int h) {\n}\n", "parameters", "has 7 parameters"),
    ("maps/base/verlet.c", "char q = '\"';\nint f(int a, int b, int c, int d, int e, int g, int h) {\n}\n", "parameters", "has 7 parameters"),
    ("maps/base/verlet.c", "int f(int (*a)(int, int), int b, int c, int d, int e, int g) {\n}\n", "parameters", ""),
    ("maps/base/verlet.c", 'x = strcmp(name, "verlet");', "words", "compares with the method name"),
    ("maps/base/verlet.c", 'x = rattle__option_number(node, "wheel");', "words", "which no row declares"),
    ("maps/base/verlet.c", 'x = rattle__option_number(node, "tol");', "words", ""),
    ("maps/base/verlet.c", "typedef struct { int a; } wheel_t;", "words", "ends in _t"),
    ("commands/run.c", 'printf("%s", title);', "words", "use cli_print"),
    ("maps/base/verlet.c", 'snprintf(a, n, "%.3g", x);', "words", "in the locale of the host"),
    ("maps/base/verlet.c", 'snprintf(a, n, "%d of %s", i, x);', "words", ""),
    ("maps/base/verlet.c", "/* TODO */", "words", "leaves something for later"),
    ("maps/base/verlet.c", "t += h;", "words", "accumulates time"),
    ("ground/expr/a.h", "/* What is not finite. */", "sentences", "ground/expr/a.h:1: a sentence begins with"),
    ("ground/expr/a.h", "int a;\n/* The sum.\n * Where it is 0, nothing.\n */", "sentences", ":3: a sentence begins with"),
    ("ground/expr/a.h", "/* The sum.\n *\n * Of all. */", "sentences", "begins with"),
    ("ground/expr/a.h", "/* Whether a is 0. */", "sentences", "True if"),
    ("ground/expr/a.h", "/* True if a is 0. */\n/* What then? The result, where it is finite. */", "sentences", ""),
    ("ground/expr/a.c", 'say("a: What is it"); /* "Of x" is a word */', "sentences", ""),
    ("files/lua/modules/a.lua", "local a -- a number. What is left", "sentences", "begins with"),
    ("docs/a.md", "# What it is\n\nText.\n\n    Of a program\n\n```\nWhere\n```\n| What | Of |\n", "sentences", ""),
    ("docs/a.md", "* Where it is\n", "sentences", "begins with"),
    ("docs/a.md", "The text. Of all\n", "sentences", "docs/a.md:1:"),
    ("map/a.h", "#ifndef A_H\n#define A_H\nstruct wheel { int a; };\n#endif", "names", ""),
    ("map/a.h", "struct wheel { int a; };", "names", "no include guard"),
    ("map/a.c", "struct wheel { int a; };\nchar q = '\"';\nstruct axle { int a; };", "names of two", "the tag axle is in"),
]


def broken_by(name, text, rule):
    house.broken.clear()
    if rule == "includes":
        house.check_includes(name, text, KNOWN)
    elif rule == "lengths":
        house.check_lengths(name, text)
    elif rule == "parameters":
        house.check_parameters(name, text)
    elif rule == "words":
        house.check_words(name, text, {"verlet"}, {"tol"})
    elif rule == "sentences":
        house.check_sentences(name, text)
    elif rule == "names":
        house.check_names({name: text})
    else:
        house.check_names({name: text, "map/b.c": "struct axle { int b; };"})
    return "\n".join(house.broken)


failures = 0
for name, text, rule, wanted in CASES:
    found = broken_by(name, text, rule)
    if (wanted not in found) or (not wanted and found):
        print(f"{rule}: {text!r}: found {found!r}, expected {wanted!r}")
        failures += 1
print(f"{len(CASES)} texts, {failures} failures")
sys.exit(failures > 0)
