"""The reference of the C library, from the public headers: a page for each header, whose comments are the contracts of what follows them.

A header is a list of pieces: a comment and the declarations below it, up to the next comment at the beginning of a line. A comment
without declarations opens a section. Names of the library are linked to where they are declared.
"""
import glob
import html
import os
import re

import statuses

DECLARED = [r"\b(rattle_\w+)\(", r"^} (rattle_\w+);", r"^typedef [^{(]*?\b(rattle_\w+);", r"^#define (RATTLE_\w+)", r"\b(RATTLE_[A-Z_0-9]+)\b(?=,| =|\n)"]
EXPANDED = re.compile(r'^#define (\w+)\(([\w, ]+)\) (.*)\n#include "rattle/(\w+\.def)"\n#undef \w+\n', re.M)
FRAME = re.compile(r'^#(?:ifn?def|endif|else|include|if)\b.*\n|^extern "C" \{\n|^\}\n(?=#|\Z)|^#define RATTLE_\w+_H\n|^#define RATTLE_API.*\n', re.M)


def expanded(text, folder):
    """A header with its lists (#define ROW(name, text) ..., #include "rattle/rows.def") written out, with their last column as a comment."""
    def rows(match):
        with open(os.path.join(folder, match[4]), encoding="utf-8") as file:
            found = re.findall(rf'^{match[1]}\((.*)\)$', file.read(), re.M)
        names, lines = [name.strip() for name in match[2].split(",")], []
        for row in found:
            values = dict(zip(names, (value.strip().strip('"') for value in re.split(r',\s*(?=(?:[^"]*"[^"]*")*[^"]*$)', row))))
            code = re.sub("|".join(names), lambda name: values[name[0]], match[3]).replace("##", "")
            note = values.get("text") or values.get("symbol")
            lines.append(f"  {code.strip()}" + (f" /* {note} */" if note else ""))
        return "\n".join(lines) + "\n"

    return EXPANDED.sub(rows, text)


def pieces(text, folder):
    """[(comment, code)] of a header without its frame."""
    text = FRAME.sub("", expanded(text, folder))
    found, code, comment = [], [], ""
    lines = iter(text.splitlines())
    depth = 0
    for line in lines:
        if line.startswith("/*") and depth == 0:
            if comment or "".join(code).strip():
                found.append((comment, "\n".join(code).strip("\n")))
            comment, code = line, []
            while "*/" not in comment:
                comment += "\n" + next(lines)
        else:
            depth += line.count("{") - line.count("}")
            code.append(line)
    found.append((comment, "\n".join(code).strip("\n")))
    return found


def declared(code):
    """The names that a piece of code declares, in its order."""
    names = {}
    for pattern in DECLARED:
        for match in re.finditer(pattern, code, re.M):
            if not re.search(r"\(\*?\w*$", code[:match.start(1)].rsplit("\n", 1)[-1]) or match[1].isupper():
                names.setdefault(match[1], match.start(1))
    return sorted(names, key=names.get)


def paragraphs(comment):
    """The paragraphs of a comment; indented lines are formulas, kept as they are."""
    body = re.sub(r"^/\*+ ?|\s*\*/$", "", comment)
    lines = [re.sub(r"^ \* ?", "", line) for line in body.splitlines()]
    block = []
    for line in [*lines, ""]:
        if line.startswith("    ") != (bool(block) and block[0].startswith("    ")) or not line.strip():
            if block:
                yield block
            block = []
        if line.strip():
            block.append(line)


class Reference:
    def __init__(self, root):
        self.root = root
        self.headers = {}
        for path in sorted(glob.glob(os.path.join(root, "include", "rattle", "*.h"))):
            with open(path, encoding="utf-8") as file:
                self.headers[os.path.basename(path)[:-2]] = pieces(file.read(), os.path.dirname(path))
        self.home, self.statuses = {}, {"RATTLE_" + name for name, *_ in statuses.rows(root)}
        for header, parts in self.headers.items():
            for _, code in parts:
                for name in declared(code):
                    self.home.setdefault(name, header)

    def linked(self, text, page, anchors=()):
        """Text as HTML with the names of the library linked, and those in `anchors` made anchors."""
        placed = set()

        def link(match):
            name = match[0]
            if name in anchors and name not in placed and self.home.get(name) == page:
                placed.add(name)
                return f'<b id="{name}">{name}</b>'
            home = self.home.get(name)
            if name in self.statuses:
                return f'<a href="../errors.html#{name[7:].lower().replace("_", "-")}">{name}</a>'
            if not home:
                return name
            return f'<a href="{"" if home == page else home + ".html"}#{name}">{name}</a>'

        return re.sub(r"\b(?:rattle|RATTLE)_\w+", link, html.escape(text, quote=False))

    def prose(self, comment, page):
        out = []
        for block in paragraphs(comment):
            if block[0].startswith("    "):
                out.append("<pre>" + self.linked("\n".join(line[4:] for line in block), page) + "</pre>")
            else:
                out.append("<p>" + re.sub(r"`([^`]*)`", r"<code>\1</code>", self.linked(" ".join(line.strip() for line in block), page)) + "</p>")
        return "\n".join(out)

    def page(self, header):
        seen = set()
        lines = [f"# {header}.h", "", f"`#include <rattle/{header}.h>`", ""]
        for comment, code in self.headers[header]:
            names = [name for name in declared(code) if self.home[name] == header and name not in seen]
            seen.update(names)
            shown = [name for name in names if not name.isupper()] or names
            if shown:
                lines += ["## " + ", ".join(shown[:2]).replace("_", r"\_") + (" …" if len(shown) > 2 else ""), ""]
            if comment:
                lines += [self.prose(comment, header), ""]
            if code.strip():
                lines += ['<pre class="api">' + re.sub(r"\n\n+", "\n&#8203;\n", self.linked(code.replace("RATTLE_API ", ""), header, names)) + "</pre>", ""]
        return "\n".join(lines)


def first_sentence(comment):
    text = " ".join(next(paragraphs(comment), [""]))
    return re.split(r"(?<=\.)\s", text)[0]


def pages(root):
    reference = Reference(root)
    lines = ["# C library", "", "The contracts of all functions and types, from the headers. `#include <rattle/rattle.h>` includes all of them.", "",
             "| header | what it provides |", "|---|---|"]
    for header, parts in reference.headers.items():
        yield f"api/{header}", reference.page(header)
        comment = next(comment for comment, _ in parts if comment)
        lines.append(f"| [{header}.h]({header}.md) | {first_sentence(comment).replace('|', chr(92) + '|')} |")
    tree = ["", "```{toctree}", ":hidden:", "", *reference.headers, "```", ""]
    yield "api/index", "\n".join(lines + tree)
