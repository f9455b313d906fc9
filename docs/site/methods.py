"""A page for each row of the table of methods, with its measured curve of error against cost.

Rows, claims, formulas and sources come from `rattle methods`, parameters from docs/methods/README.md. The curves come from one study of work for each
family, run on the spot; a page shows its own curve among those of its family. A row that no study has is an error. Samplers have a table of means in place
of a curve, from `rattle sample`.
"""
import glob
import html
import json
import os
import re
import subprocess

import curves

# kind: model, options of the study, expression of a row; rows that need another one, and arguments of rows that must have some
FAMILY = {
    "field": ("examples/pendulum.lua", "--stop 10", "rk4({})"),
    "base map": ("examples/kepler.lua", "", "{}"),
    "constrained map": ("examples/double_pendulum.lua", "--stop 5", "{}"),
    "wrapper": ("examples/double_pendulum.lua", "--stop 5", "{}(verlet)"),
    "composition": ("examples/double_pendulum.lua", "--stop 5", "{}(rattle(verlet))"),
    "solver": ("examples/ring.lua", "", "rattle(verlet, solver={})"),
}
OWN = {
    "hamiltonian": ("examples/kepler.lua", "", "rk4({})"),
    "runge_kutta": ("docs/site/coefficients.lua", "", "{}(kutta)"),
    "splitting": ("docs/site/coefficients.lua", "", "{}(ruth)"),
    "exact": ("examples/pendulum.lua", "--stop 10", "rattle({})"),
    "project": ("examples/double_pendulum.lua", "--stop 5", "{}(rk4(dirac))"),
    "adaptive": ("examples/double_pendulum.lua", "--stop 5", "{}(rattle(verlet))"),
    "second_class": ("examples/guiding_centre.lua", "--stop 5", "{}(midpoint)"),
    "triple_jump": ("examples/double_pendulum.lua", "--stop 5", "{}(rattle(verlet), 6)"),
}
SAMPLED = ("examples/torus.lua", "--step 0.2 --samples 4000 --seed 1")
SAMPLERS = {"hmc": "hmc(rattle(verlet))", "nuts": "nuts(rattle(verlet))", "langevin": "langevin(rattle(verlet))"}
ARGUMENT = {"baumgarte": "(2)", "taylor": "(4)", "adams_bashforth": "(4)", "adams_moulton": "(3)", "gauss": "(2)", "spark": "(3)", "spark_gauss": "(2)"}
COMPARED = {"examples/pendulum.lua": ["rattle(verlet)"], "docs/site/coefficients.lua": ["verlet", "rk4"], "examples/guiding_centre.lua": ["suzuki4(second_class(midpoint))"]}
EFFORT = "--effort 0.1"
WORDS = {"lambda": "λ", "sigma": "σ", "psi": "ψ", "Psi": "Ψ", "phi": "φ", "rho": "ρ", "chi": "χ", "mu": "μ", "beta": "β", "tau": "τ", "sum": "Σ", "o": "∘"}
CLAIMS = (("symmetric", "symmetric"), ("symplectic", "symplectic"), ("explicit", "explicit"), ("keeps_g", "g = 0 to round-off"),
          ("keeps_psi", "psi = 0 to round-off"), ("keeps_energy", "H to round-off"), ("proved", "steps can be proved"), ("pure", "no memory of earlier steps"))


def run(rattle, root, *arguments):
    done = subprocess.run([rattle, *arguments], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"rattle {' '.join(arguments)}: {done.stderr}{done.stdout[-500:]}")
    return json.loads(done.stdout)


def formula(text):
    """Formulas of the table as HTML: _ and ^ lower and raise what follows, in braces where it is longer."""
    out, at = [], 0
    while at < len(text):
        c = text[at]
        if c in "_^" and at + 1 < len(text):
            tag, at = ("sub" if c == "_" else "sup"), at + 1
            if text[at] == "{":
                end, depth = at, 0
                while True:
                    depth += {"{": 1, "}": -1}.get(text[end], 0)
                    end += 1
                    if not depth:
                        break
                part = text[at + 1:end - 1]
            else:
                end = at + (re.match(r"[A-Za-z]+|\d+|.", text[at:]).end() if text[at].isdigit() else 1)
                part = text[at:end]
            out.append(f"<{tag}>{formula(part)}</{tag}>")
            at = end
        elif c.isalpha():
            word = re.match(r"[A-Za-z]+", text[at:])[0]
            digit = re.match(r"\d(?!\d)", text[at + len(word):]) if len(word) == 1 else None
            out.append(WORDS.get(word, f"<i>{word}</i>" if len(word) < 3 and word not in ("of", "to", "by") else word) + (f"<sub>{digit[0]}</sub>" if digit else ""))
            at += len(word) + bool(digit)
        else:
            two = text[at:at + 2]
            out.append({"<-": "←", "->": "→"}.get(two) or html.escape(c))
            at += 2 if two in ("<-", "->") else 1
    return "".join(out)


def parameters(root):
    """{method: rows of the table of parameters in docs/methods/README.md}."""
    found = {}
    with open(os.path.join(root, "docs", "methods", "README.md"), encoding="utf-8") as file:
        section = re.split(r"^## Parameters$", file.read(), flags=re.M)[1].split("\n## ")[0]
    for name, rest in re.findall(r"^\| `(\w+)` \| (.*)$", section, re.M):
        found.setdefault(name, []).append("| " + rest)
    return found


class Methods:
    def __init__(self, root, rattle):
        self.root, self.rattle = root, rattle
        self.rows = run(rattle, root, "methods", "--json")["methods"]
        self.explained, studies = {}, {}
        for row in self.rows:
            if row["kind"] == "sampler":
                self.explained[row["name"]] = (None, run(rattle, root, "methods", "--json", SAMPLERS.get(row["name"], row["name"])))
                continue
            model, options, expression = OWN.get(row["name"]) or FAMILY[row["kind"]]
            expression = expression.format(row["name"] + ARGUMENT.get(row["name"], ""))
            family = (model, options)
            self.explained[row["name"]] = (family, run(rattle, root, "methods", "--json", "--model", model, expression))
            wanted = studies.setdefault(family, list(COMPARED.get(model, [])))
            if expression not in wanted:
                wanted.append(expression)
        self.studies = {family: self.study(family, wanted) for family, wanted in studies.items()}

    def study(self, family, wanted):
        model, options = family
        arguments = ["study", "work", model, *options.split(), *EFFORT.split(), "--threads", "1", "--methods", ", ".join(wanted)]
        return arguments, run(self.rattle, self.root, *arguments, "--json")

    def sampled(self, method):
        """The means of a short run, and how many independent samples they are worth."""
        model, options = SAMPLED
        done = run(self.rattle, self.root, "sample", model, "--method", method, *options.split(), "--json")
        counts = done["counts"]
        lines = [f"Means over {done['chains']} chains of {done['samples']} samples of the surface of a torus, `{model}`; {counts['accepted'] / counts['transitions']:.1%} of the proposals were "
                 "accepted. Effective samples are independent samples of the same worth.", "", "| column | mean | its error | effective samples | R-hat |", "|---|---|---|---|---|"]
        lines += [f"| {c['name']} | {c['mean']:.4f} | {c['error']:.4f} | {c['effective']:.0f} | {c['rhat']:.4f} |" for c in done["columns"] if c["error"] is not None]
        return [*lines, "", "The command is", "", f'    rattle sample {model} --method "{method}" {options}', ""]

    def measured(self, row):
        family, explained = self.explained[row["name"]]
        arguments, study = self.studies[family]
        own = next((method for method in study["methods"] if method["method"] == explained["method"]), None)
        if not own or not own["points"]:
            raise SystemExit(f"{row['name']}: no curve in the study of {family[0]}")
        command = " ".join(word if re.fullmatch(r"[\w./-]+", word) else f'"{word}"' for word in arguments)
        return [f"The error at the end of `{family[0]}` (t = 0 to {study['time']['stop']:g}) with shorter and shorter steps, against what it costs: `{own['method']}` among the "
                "other methods of the study. Lower and further left is better. Times are those of the machine that built this page.", "",
                curves.figure(study["methods"], own["method"]), "", "The study is", "", f"    rattle {command}", ""]

    def mentions(self, name):
        """(title, page) of the chapters with a section, a table or a list that begins with the name, or whose name it is."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.root, "docs", "*.md"))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            page = os.path.basename(path)[:-3]
            if page == name or re.search(rf"^(#+|\||\*|)[ *]*`{name}[(`]", text, re.M) and page not in ("errors", "errata", "checklist", "coming-from", "python", "octave"):
                found.append((re.search(r"^# (.*)", text, re.M)[1], page))
        return found

    def page(self, row, rows_of_parameters):
        name = row["name"]
        _, explained = self.explained[name]
        sections = dict(re.findall(r"^(\w[\w ]*)\n((?:  .*\n)+)", explained["explanation"], re.M))
        lines = [f"# {name}", "", f"A {row['kind']}: {row['text']}.", ""]
        own = re.search(rf"^  {name}: (.*)", sections.get("Formula", ""), re.M)
        if own:
            lines += ["## Formula", "", '<div class="formula">' + "<br>".join(formula(part) for part in own[1].split(";  ")) + "</div>", ""]
        if explained["method"] == name:
            lines += ["## Claims", ""]
        else:
            lines += ["## Claims", "", f"Those of `{explained['method']}`:", ""]
        claims = explained["claims"]
        sampler = row["kind"] == "sampler"
        order = "the exact flow" if claims["order"] >= 1000 else claims["order"]
        if sampler:
            lines += ["| error of the measure | detailed balance |", "|---|---|",
                      f"| {'none' if claims['order'] >= 1000 else 'order ' + str(claims['order'])} | {'yes' if claims['symmetric'] else 'no'} |", ""]
        else:
            lines += ["| order | " + " | ".join(text for _, text in CLAIMS) + " |", "|---" * (1 + len(CLAIMS)) + "|",
                      f"| {order} | " + " | ".join("yes" if claims[key] else "no" for key, _ in CLAIMS) + " |", ""]
        for heading in ("Order", "Needs", "Cost per step"):
            if heading in sections:
                lines += [f"**{heading}.** " + html.escape(" ".join(sections[heading].split()), quote=False).replace("_", r"\_").replace("*", r"\*").replace("^", r"\^"), ""]
        if name in rows_of_parameters:
            lines += ["## Parameters", "", "| parameter | default | values | what it is |", "|---|---|---|---|", *rows_of_parameters[name], ""]
        lines += ["## Samples", "", *self.sampled(explained["method"])] if sampler else ["## Error and cost", "", *self.measured(row)]
        if self.mentions(name):
            lines += ["## Read more", "", *(f"* [{title}](../{page}.md)" for title, page in self.mentions(name)), ""]
        if row["citation"]:
            lines += ["## Source", "", row["citation"] + ".", ""]
        lines += [f"`rattle methods {json.dumps(explained['method']) if '(' in explained['method'] else name}` prints this in the terminal. [All methods](README.md)", ""]
        return "\n".join(lines)


def pages(root, rattle):
    methods, rows_of_parameters = Methods(root, rattle), parameters(root)
    for row in methods.rows:
        yield f"methods/{row['name']}", methods.page(row, rows_of_parameters)


def linked(text, names):
    """The table of methods with its names linked to their pages."""
    return re.sub(r"^\| `(\w+)` \|", lambda match: f"| [`{match[1]}`]({match[1]}.md) |" if match[1] in names else match[0], text, flags=re.M)
