"""The reference of the functions for Octave, from the Texinfo in their files: the commands that these use, any other is an error."""
import glob
import html
import os
import re

INLINE = {"var": "<i>{}</i>", "code": "<code>{}</code>", "qcode": "<code>{}</code>", "file": "<code>{}</code>", "command": "<code>{}</code>", "dots": "..."}


def inline(text, names):
    text = html.escape(text, quote=False).replace("@@", "\0").replace("@{", "\1").replace("@}", "\2")
    text = re.sub(r"@(var|q?code|file|command|dots)\{([^{}]*)\}", lambda match: INLINE[match[1]].format(match[2]), text)
    text = re.sub(r"@(var|q?code|file|command|dots)\{((?:[^{}]|\{[^{}]*\})*)\}", lambda match: INLINE[match[1]].format(match[2]), text)
    left = re.search(r"@[a-z]+", text)
    if left:
        raise SystemExit(f"docs/site/octave_api.py does not know {left[0]}")
    places = {name: name.lower().replace("_", "-") for name in names}
    text = re.sub(r"<code>(\w+)</code>", lambda match: f'<a href="#{places[match[1]]}">{match[0]}</a>' if match[1] in places else match[0], text)
    return text.replace("\0", "@").replace("\1", "{").replace("\2", "}")


def function(name, text, names):
    """The section of a function."""
    heads = re.findall(r"^@deftypefnx? +\{\} (.*)", text, re.M)
    lines = [f"## {name}", "", '<pre class="api wrapped">' + "\n".join(inline(re.sub(r"^\{(.*?=)\}", r"\1", head), names) for head in heads) + "</pre>", ""]
    body = re.sub(r"^@(?:deftypefnx?|end deftypefn).*\n?", "", text, flags=re.M)
    also = re.search(r"@seealso\{(.*?)\}", body, re.S)
    body = re.sub(r"@seealso\{.*?\}", "", body, flags=re.S)
    table, example = False, []
    for block in re.split(r"(^@example\n.*?^@end example\n|^@table[^\n]*\n|^@end table\n|^@item [^\n]*\n|\n\n)", body, flags=re.M | re.S):
        if block.startswith("@example"):
            example = [line for line in block.splitlines() if not re.match(r"@(end )?(example|group)", line)]
            lines.append("<pre>" + inline("\n".join(example), names) + "</pre>")
        elif block.startswith("@table"):
            table = True
            lines.append("<dl>")
        elif block.startswith("@end table"):
            table = False
            lines.append("</dl>")
        elif block.startswith("@item"):
            lines.append("<dt><code>" + inline(block[6:].strip(), names) + "</code></dt>")
        elif block.strip():
            mark = "dd" if table else "p"
            lines.append(f"<{mark}>" + inline(" ".join(block.split()), names) + f"</{mark}>")
    if also:
        others = [word.strip() for word in also[1].split(",")]
        lines.append("<p>See also: " + ", ".join(inline(f"@code{{{word}}}", names) for word in others) + "</p>")
    return lines + [""]


def pages(root):
    found = {}
    for path in sorted(glob.glob(os.path.join(root, "bindings", "octave", "inst", "*.m"))):
        with open(path, encoding="utf-8") as file:
            block = re.search(r"^## -\*- texinfo -\*-\n((?:##.*\n)+)", file.read(), re.M)
        found[os.path.basename(path)[:-2]] = re.sub(r"^## ?", "", block[1], flags=re.M)
    lines = ["# Octave functions", "", "What `help` prints in Octave. [The guide](../octave.md) explains how they belong together.", ""]
    for name, text in found.items():
        lines += function(name, text, found)
    yield "api/octave", "\n".join(lines)
