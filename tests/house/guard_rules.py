#!/usr/bin/env python3
"""Each row of src/constraint/guard/rules/rules.def against the sources: whoever it says asks the rule does, nobody else does, each number is used,
and its decision exists."""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE = "src/constraint/guard/rules/rules.def"
FORMS = "(?:step_|pair_|matrix_|bond_)?"  # a rule that is asked of other data at hand


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def sources():
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.[ch]"), recursive=True):
        yield os.path.relpath(path, ROOT)


def lines_that_call(text, name):
    """Calls are indented, or parts of macros; definitions and declarations are neither."""
    call = re.compile(rf"\brattle__{FORMS}{name}\(")
    return [line for line in text.split("\n") if call.search(line) and re.match(r"\s+[^\s*]|#define", line)]


def rows(table):
    """(name, numbers, [(file, ...)], decision) of each row."""
    for row in re.findall(r"^RULE\((.*?)\)\n(?=\n|#)", table, re.M | re.S):
        name = row.split(",", 1)[0]
        numbers = re.findall(r"\b(?:NUMBER|WHOLE)\((\w+),", row)
        asked = re.findall(r'\bBY\(\w+, "([^"]+)", "[^"]*"\)', row)
        yield name, numbers, asked, re.findall(r'"([^"]*)"\s*$', row)[0]


def faults(table, texts):
    """Sentences, one for each fault."""
    found = list(rows(table))
    if len(found) != len(re.findall(r"^RULE\(", table, re.M)) or not found:
        yield "some row of the table cannot be read"
    for name, numbers, asked, decision in found:
        for path in asked:
            if not lines_that_call(texts.get("src/" + path, ""), name) and f"rattle__{name}(" not in texts.get("src/" + path, ""):
                yield f"{name}: {path} does not ask it"
        if not asked:
            yield f"{name}: nobody asks it"
        defined = {path for path, text in texts.items() if re.search(rf"^[a-z].*\brattle__{FORMS}{name}\([^;]*$", text, re.M)}
        for path, text in texts.items():
            if path not in defined and path[4:] not in asked and lines_that_call(text, name):
                yield f"{name}: {path} asks it, which the table does not say"
        for number in numbers:
            if not any(re.search(rf"\b{number}\b", text) for text in texts.values()):
                yield f"{name}: nobody uses {number}"
        if not os.path.exists(os.path.join(ROOT, "docs", "decisions", decision + ".md")):
            yield f"{name}: there is no decision {decision}"


def main():
    table, texts = read(TABLE), {path: read(path) for path in sources()}
    broken = list(faults(table, texts))
    # and the test must find what is wrong
    spoilt = [(table.replace('BY(single, "maps/natural/fused/fused_kernel.h", "")', "", 1), "which the table does not say"),
              (table.replace('"maps/natural/fused/fused_kernel.h"', '"maps/natural/fused/fused_state.h"', 1), "does not ask it"),
              (table.replace("NUMBER(rattle__near_end,", "NUMBER(rattle__nearer_end,", 1), "nobody uses"),
              (table.replace('"059-long-steps"', '"059-short-steps"', 1), "there is no decision")]
    for text, sentence in spoilt:
        if not any(sentence in fault for fault in faults(text, texts)):
            broken.append(f"a fault is not found: '... {sentence}'")
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
