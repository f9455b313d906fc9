"""The reference of the Python package, from the signatures and docstrings of its sources; nothing is imported."""
import ast
import html
import os
import re

FOLDER = os.path.join("bindings", "python", "rattle")


class Package:
    def __init__(self, root):
        self.root, self.modules, self.home = root, {}, {}
        for name in sorted(os.listdir(os.path.join(root, FOLDER))):
            if name.endswith(".py"):
                with open(os.path.join(root, FOLDER, name), encoding="utf-8") as file:
                    self.modules[name[:-3]] = ast.parse(file.read())
        self.classes = {node.name: node for module in self.modules.values() for node in module.body if isinstance(node, ast.ClassDef)}
        start = self.modules["__init__"]
        self.names = next(ast.literal_eval(ast.Expression(ast.List(elts=[e for e in node.value.elts if isinstance(e, ast.Constant)], ctx=ast.Load())))
                          for node in start.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
        self.functions = {node.name: node for node in start.body if isinstance(node, ast.FunctionDef)}

    def linked(self, text):
        """Text as HTML, with the classes of the package linked."""
        return re.sub(r"\b[A-Z]\w+\b", lambda match: f'<a href="#{match[0].lower()}">{match[0]}</a>' if match[0] in self.names and match[0] in self.classes else match[0],
                      html.escape(text, quote=False))

    def prose(self, text):
        """A docstring: paragraphs, whose lines that begin with names and a colon stand alone, and indented examples."""
        out = []
        for block in re.split(r"\n\s*\n", text):
            if block.startswith("    "):
                out.append("<pre>" + self.linked(re.sub(r"^    ", "", block.rstrip(), flags=re.M)) + "</pre>")
            else:
                lines = re.sub(r"\n(?![\w, ]+: )\s*", " ", block.strip()).splitlines()
                out.append("<p>" + "<br>".join(re.sub(r"`([^`]*)`", r"<code>\1</code>", self.linked(line)) for line in lines) + "</p>")
        return "\n".join(out)

    def signature(self, node, prefix=""):
        arguments = ast.unparse(node.args)
        arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
        returns = f" → {ast.unparse(node.returns)}" if node.returns else ""
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        if "property" in marks:
            return f"<b>{node.name}</b>{self.linked(returns)}"
        return f"{prefix}<b>{node.name}</b>({self.linked(arguments)}){self.linked(returns)}"

    def entry(self, node, prefix=""):
        lines = [f'<pre class="api wrapped">{self.signature(node, prefix)}</pre>']
        if ast.get_docstring(node):
            lines.append(f'<div class="contract">{self.prose(ast.get_docstring(node))}</div>')
        return lines + [""]

    def members(self, node):
        """The public members of a class with docstrings, then those of its bases in the package."""
        seen = []
        for base in (node, *(self.classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in self.classes)):
            for member in base.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and member.name not in [name for name, _ in seen] and ast.get_docstring(member):
                    seen.append((member.name, member))
        return [member for _, member in seen]

    def class_lines(self, name):
        node = self.classes[name]
        lines = [f"## {name}", "", self.prose(ast.get_docstring(node) or ""), ""]
        for member in self.members(node):
            marks = [ast.unparse(mark) for mark in member.decorator_list]
            lines += self.entry(member, f"{name}." if "classmethod" in marks or "staticmethod" in marks else "")
        return lines


def errors(root):
    with open(os.path.join(root, FOLDER, "errors.pyi"), encoding="utf-8") as file:
        stub = ast.parse(file.read())
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    lines = ["## Exceptions", "", "In `rattle.errors`, and in `rattle` itself. Each is a `RattleError` with the status of its [section](../errors.md).", "",
             "| exception | also a |", "|---|---|"]
    lines += [f"| `{node.name}` | {', '.join(f'`{base.id}`' for base in node.bases if base.id != 'RattleError')} |" for node in classes]
    fields = [f"`{field.target.id}`: {ast.unparse(field.annotation)}" for field in classes[0].body if isinstance(field, ast.AnnAssign)]
    return [*lines, "", "Fields: " + "; ".join(fields).replace("|", r"\|") + ".", ""]


def pages(root):
    package = Package(root)
    lines = ["# Python package", "", "The names in `rattle`, from its docstrings. [The guide](../python.md) explains how they belong together.", "", "## Functions", ""]
    for name in ("load", "open"):
        lines += package.entry(package.functions[name], "rattle.")
    for name in package.names:
        if name in package.classes:
            lines += package.class_lines(name)
    yield "api/python", "\n".join(lines + errors(root))
