"""Models."""
from __future__ import annotations

import copy
import numbers
import os
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy

from rattle._c import Numbers, Path, array, bytes_of, ffi, lib, plain, text
from rattle.errors import BadArgument
from rattle.expression import Expression, Graph
from rattle.fit import Fit, fit
from rattle.live import Live, live
from rattle.lua import Value
from rattle.methods import method_text
from rattle.problem import Problem, of_model
from rattle.sources import Draft, Text, names_of, square
from rattle.system import AnyMethod, System
from rattle.written import Writer, arguments, entry, listed, member, number, pieces, quoted


def _assigned(values, named):
    """{variable: value} of start(x=1), start({x: 1}), start(x, 1) and start(array, values)."""
    if len(values) == 2:
        which, what = values
        if isinstance(which, (Expression, str)):
            return {which: what, **named}
        which = numpy.asarray(which, dtype=object)
        return {**dict(zip(which.flat, numpy.broadcast_to(what, which.shape).flat)), **named}
    if not all(isinstance(given, dict) for given in values):
        raise TypeError("expected values by name, as x=1, {x: 1}, or variables and their values")
    return {key: value for given in (*values, named) for key, value in given.items()}


class Model(System):
    """A problem of mechanics: H(q, p), constraints g = 0, a start.

    Model.from_file("pendulum.lua", gravity=9.81), Model.from_string(text): model files in Lua, with values of their parameters.
    Model(title): written in Python,

        m = rattle.Model("Planar pendulum")
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + y)
        m.constrain("rod", x**2 + y**2 - 1)
        m.start(x=1, py=-2)

    Pickles, also to other processes. Threads may share a model that they do not change."""

    def __init__(self, title: str | None = None):
        self._become(Draft(title))

    def _become(self, source):
        self._source, self._lock, self._built, self._problems = source, threading.RLock(), None, {}
        return self

    @classmethod
    def from_file(cls, path: Path, **parameters: float) -> Model:
        """The model in a file."""
        return cls()._become(Text(lib.rattle_model_load, [bytes_of(path)], os.fspath(path), parameters))

    @classmethod
    def from_string(cls, source: str, name: str = "model", **parameters: float) -> Model:
        """The model in a text; `name` is used in messages."""
        return cls()._become(Text(lib.rattle_model_parse, [bytes_of(source), bytes_of(name)], name, parameters))

    # ---- declarations ----

    def _change(self):
        """Forgets the built model, since a declaration follows; returns the source."""
        with self._lock:
            self._built, self._problems = None, {}
        return self._source

    def _draft(self):
        if isinstance(self._source, Text):
            raise TypeError("the formulas of a model in Lua cannot be changed; only its start can")
        return self._change()

    def pair(self, name: str, momentum: str | None = None) -> tuple[Expression, Expression]:
        """A coordinate and its momentum, called "p" + name by default: x, px = m.pair("x")."""
        return self._draft().pair(name, momentum)

    def pairs_of(self, name: str, n: int, momentum: str | None = None) -> tuple[Any, Any]:
        """Arrays of n coordinates and momenta, called name[1] ..."""
        momentum = "p" + name if momentum is None else momentum
        made = [self.pair(f"{name}[{i}]", f"{momentum}[{i}]") for i in range(1, n + 1)]
        return tuple(numpy.array(part, dtype=object) for part in zip(*made))

    def free(self, name: str) -> Expression:
        """A variable without a momentum, determined by 0 = dH/dname."""
        return self._draft().pair(name, free=True)[0]

    def time(self) -> Expression:
        """The time t, the same variable in each call: start_time + k h in the k-th step."""
        return self._draft().time()

    def turning_angle(self, y: Any, x: Any) -> Expression:
        """The angle of the direction (x, y), which counts turns: atan2(y, x) where a run begins, continued from step to step. It adds a coordinate
        turns[k], a multiple of pi that it is measured from."""
        return self._draft().turning_angle(y, x)

    def hamiltonian(self, e: Any) -> None:
        """Adds e to H."""
        self._draft().energy("hamiltonian", e)

    def mass(self, *values: Any, **named: float) -> None:
        """Adds p**2/(2 mass) to H, by coordinate: mass(x=2), mass({x: 2}), mass(x, 2), mass(array, 2)."""
        self._draft().mass(_assigned(values, named))

    def potential(self, e: Any) -> None:
        """Adds e to H; each coordinate must then have a mass, unless hamiltonian() is used too."""
        self._draft().energy("potential", e)

    def event(self, name: str, e: Any, *, direction: int = 0, count: int = 0, stop: bool = False) -> None:
        """A zero of e along the motion: where e rises (direction 1), falls (-1), or both (0); count: the events that are kept, 0: all; stop: the
        last of them ends the run. run.events[name] has where they happened."""
        self._draft().event(name, e, direction, count, stop)

    def stop(self, when: Any, *, direction: int = 0, count: int = 0) -> None:
        """Ends runs where `when` is 0: the event "stop"."""
        self._draft().event("stop", when, direction, count, True)

    def units(self, *, length: str | None = None, mass: str | None = None, time: str | None = None) -> None:
        """Names of units, which records and pages keep; numbers do not change."""
        for what, name in (("length", length), ("mass", mass), ("time", time)):
            if name is not None:
                if not 0 < len(name.encode()) <= 32:
                    raise ValueError(f"the name of a unit has 1 to 32 bytes, found {name!r}")
                self._draft().metadata["unit of " + what] = name

    def force(self, *values: Any, **named: Any) -> None:
        """Adds forces that are no gradient, by coordinate: force(x=-0.1*px), force({x: -0.1*px}), force(x, -0.1*px), force(array, expressions)."""
        self._draft().force(_assigned(values, named))

    def constrain(self, name: str, e: Any, *, dirac: bool = False, vakonomic: bool = False) -> None:
        """The constraint e = 0; of an array of expressions, constraints name[1] ... dirac: of one that is linear in the momenta Dirac's motion is
        meant, whose multiplier displaces coordinates; it is refused otherwise, for what locks, drives or rolls is a velocity_constrain.
        vakonomic: the old name of dirac."""
        self._add("constraints", name, e, dirac or vakonomic)

    def velocity_constrain(self, name: str, e: Any) -> None:
        """The constraint e = 0 on velocities, e affine in the symbols m.velocity(x), with coordinates and time: wheels, blades, locks and motors.
        The reaction acts along the factors of the velocities. Of an array of expressions, constraints name[1] ..."""
        self._add("velocity_constraints", name, e)

    def multiplier(self, name: str) -> Expression:
        """The multiplier lambda of a constraint, as in p' = -H_q + f - lambda g_q, as a quantity: for observe, event and stop. It is that of the
        point, so that a force -lambda g_q has the order of the method."""
        return self._draft().multiplier_of(name)

    def redundant(self, what: Literal["omit", "refuse"]) -> None:
        """"omit": constraints that follow from others are left out, as of overconstrained mechanisms (docs/mechanics.md); "refuse", the default."""
        if what not in ("omit", "refuse"):
            raise ValueError(f"redundant({what!r}): expected 'omit' or 'refuse'")
        self._draft().omits = what == "omit"

    def observe(self, name: str, e: Any) -> None:
        """A quantity to sample; of an array of expressions, quantities name[1] ..."""
        self._add("observables", name, e)

    def _add(self, what, name, e, dirac=False):
        draft, parts = self._draft(), {name: e}
        if isinstance(e, (numpy.ndarray, list, tuple)) or getattr(e, "shape", ()):  # as SymPy's matrices have
            parts = {f"{name}[{i}]": part for i, part in enumerate(numpy.asarray(e, dtype=object).flat, 1)}
        for part_name, part in parts.items():
            if isinstance(part, (bool, numpy.bool_)):
                raise TypeError(f"{part_name!r} is {part}, the result of a comparison: what is to be 0 is an expression, f - y where f == y is meant")
            draft.add(what, part_name, part, dirac)

    # ---- words that the library has in model files ----

    def _say(self, text, given, options):
        draft = self._draft()
        return Value(self, draft.say(text, arguments(given, options, draft.graph)))

    def controller(self, *, every: float, sample: Callable[[Any], dict[str, Any]] | None = None, outputs: dict[str, float] | None = None,
                   states: dict[str, float] | None = None, start: float = 0.0, name: str | None = None) -> Any:
        """A controller with a sample at the times start + k every, whose values are constant in between (docs/controllers.md).

        outputs, states: {name: its value before the first sample}; sample: a function of the values so far, as s.u, that returns {name: expression}, the
        values after the sample. It is called once. Without it run(control=...) says the values. The result has the values, as c.u; they stand in forces, potentials, what is observed and events.
        The steps of a run must end at the samples."""
        draft = self._draft()
        graph, outputs, states = draft.graph, outputs or {}, states or {}
        given = {"every": every, "start": start, "outputs": outputs, "states": states, **({"name": name} if name is not None else {})}
        parts = [entry(key, value, graph) for key, value in given.items()]
        if sample is not None:
            after = sample(types.SimpleNamespace(**{one: graph.placed(member("s", one)) for one in (*outputs, *states)}))
            if not isinstance(after, dict):
                raise TypeError(f"sample returns {{name: expression}}, found a {type(after).__name__}")
            inside = [(piece, "inside") if isinstance(piece, int) else piece for piece in pieces(after, graph)]
            parts.append(["sample = function(s) return ", *inside, " end"])
        return Value(self, draft.say("controller", ["{", *listed(parts), "}"]))

    def switch(self, constraint: str | list[str], *, begins: Any = None, ends: Any = None, active: bool = False, restitution: float = 0.0,
               hold: bool = False, either: bool = False, name: str | None = None) -> Any:
        """Constraints that begin and end within steps (docs/switches.md), by their names.

        begins, ends: expressions that rise through 0 there; active: they are on at the start. Where they begin momenta jump by the impulse that
        they ask for, of one constraint with that restitution. hold: they keep the values that they have there; either: they begin where `begins`
        comes to 0 from either side. The result has the values on, 1 or 0, lost, the energy lost in impacts so far, and with either side, the sign
        of `begins`. Each change is an event of the switch's name, that of the first constraint by default."""
        return self._switch("switch", constraint, begins=begins, ends=ends, active=active, restitution=restitution, hold=hold, either=either, name=name)

    def one_sided(self, constraint: str, *, restitution: float = 0.0, active: bool = False, name: str | None = None) -> Any:
        """The constraint g of that name becomes g >= 0: it begins where g falls to 0, with an impact, and ends where it would pull. Otherwise as
        switch."""
        return self._switch("one_sided", constraint, restitution=restitution, active=active, name=name)

    def _switch(self, word, constraint, **given):
        draft = self._draft()
        given = {"constraint": constraint if isinstance(constraint, str) else list(constraint), **given}
        parts = [entry(key, value, draft.graph) for key, value in given.items() if value is not None and value is not False]
        return Value(self, draft.say(word, ["{", *listed(parts), "}"]))

    def parameter(self, name: str, default: float) -> Expression:
        """A number that sweeps vary, as in m.sweep(parameters={"g": [1, 2]}), and model files take by -P: an expression, which start, mass and others
        take as a number."""
        draft = self._draft()
        return draft.graph.placed(draft.say("parameter", [f"{quoted(name)}, {number(default)}"]))

    def require(self, name: str) -> Any:
        """A module of model files: mech = m.require("mechanics") has bodies, joints and springs (docs/mechanics.md), "vectors" and others are there too.
        Its functions take what they take in model files; arguments by name are those of the table: mech.planar(name="arm", mass=1, inertia=0.1)."""
        return Value(self, self._draft().say("require", [quoted(name)]), module=True)

    def molecule(self, **options: Any) -> Any:
        """Beads in space and rods between them: m.molecule(beads=10, bonds="chain", length=1) (docs/models.md). The result has the lists x, y, z, px, py
        and pz; numbers of beads begin with 1."""
        return self._say("molecule", (), options)

    def bonds(self, *bonds: Any, **options: Any) -> None:
        """More rods, as (i, j, length): m.bonds((1, 5, 1.6), molecule=chain)."""
        self._beads("bonds", bonds, options)

    def angles(self, *beads: Any, **options: Any) -> None:
        """Potentials of the angles of bonds: m.angles(k=5, theta=1.9), of all, or of those given as (i, j, k)."""
        self._beads("angles", beads, options)

    def torsions(self, *beads: Any, **options: Any) -> None:
        """Potentials of torsions: m.torsions(k=2, n=3), of all, or of those given as (i, j, k, l)."""
        self._beads("torsions", beads, options)

    def pair_potential(self, **options: Any) -> None:
        """Forces between all beads that are not bonded: m.pair_potential(kind="wca", epsilon=1, sigma=1)."""
        self._say("pair_potential", (), options)

    def draw(self, **options: Any) -> None:
        """What reports draw: m.draw(point=[x, y], size=0.1), m.draw(spring=[[0, 0], [x, y]]) (docs/models.md)."""
        self._say("draw", (), options)

    def _beads(self, word, lists, options):
        draft = self._draft()
        parts = [*(pieces(one, draft.graph) for one in lists), *([f"{name} = ", *pieces(value, draft.graph)] for name, value in options.items())]
        draft.say(word, ["{ ", *listed(parts), " }"])

    # ---- starts and settings ----

    def start(self, *values: Any, **named: float) -> None:
        """Start values; the default is 0: start(x=1, py=-2), start({x: 1, "y[3]": 2}), start(x, 1), start(array, values)."""
        self._change().start(_assigned(values, named))

    def velocity(self, *values: Any, **named: float) -> Any:
        """Start momenta from velocities dq/dt, which are given like start values; of a coordinate alone, m.velocity(x), the symbol of its velocity, for
        velocity_constrain; of an array of coordinates, an array of symbols."""
        if len(values) == 1 and not named and not isinstance(values[0], dict):
            which = values[0]
            if isinstance(which, (Expression, str)):
                return self._draft().velocity_of(which)
            which = numpy.asarray(which, dtype=object)
            made = numpy.empty(which.shape, dtype=object)
            made.flat = [self._draft().velocity_of(one) for one in which.flat]
            return made
        self._draft().velocity(_assigned(values, named))
        return None

    def integrate(self, method: AnyMethod | None = None, step: float | None = None, stop: float | None = None, steps: int | None = None,
                  start_time: float | None = None, certify: bool | None = None, exact: bool | None = None) -> None:
        """Settings of runs that give none. stop and steps exclude each other; certify: each step is proved (docs/certificates.md); exact: the run
        ends at `stop` itself, by a step of fractional length, and not at the first whole step that reaches it."""
        given = dict(method=None if method is None else method_text(method), step=step, stop=stop, steps=steps, start_time=start_time,
                     certify=None if certify is None else int(certify), exact=None if exact is None else int(exact))
        if stop is not None and steps is not None:
            raise ValueError("stop and steps exclude each other; give one of them")
        wishes = self._draft().wishes
        if stop is not None or steps is not None:
            wishes.pop("stop", None), wishes.pop("steps", None)
        wishes.update((name, value) for name, value in given.items() if value is not None)

    def output(self, every: int | None = None, compensated: bool | None = None, cotangent: bool | None = None,
               project: bool | None = None, at: Numbers | None = None) -> None:
        """every: steps between samples; at: output at these times too, or, a number, by this step of time (run.events["at"]); compensated: compensated sums of q and p; cotangent: samples momenta modulo Gᵀλ as cotangent:px;
        project: moves a start that violates the constraints onto them."""
        given = dict(every=every, compensated=compensated, cotangent=cotangent, project=project)
        wishes = self._draft().wishes
        if at is not None:
            wishes.pop("at", None), wishes.pop("at_step", None)
            wishes.update({"at_step": float(at)} if isinstance(at, numbers.Real) else {"at": [float(time) for time in at]})
        wishes.update((name, int(value)) for name, value in given.items() if value is not None)

    def metadata(self, **entries: object) -> None:
        """Texts that records keep."""
        self._draft().metadata.update((name, str(value)) for name, value in entries.items())

    def fibre(self, function: Callable[[list[Expression]], dict]) -> None:
        """The exact flow of the constraints: function(s) gives {variable: image} under exp(s[0] X_g0 + s[1] X_g1 + ...)."""
        self._draft().flows["fibre"] = function

    def flow(self, function: Callable[[Expression], dict]) -> None:
        """The exact flow of H, for the method `exact`: function(h) gives {variable: image}."""
        self._draft().flows["flow"] = function

    def tableau(self, name: str, A: Any, b: Numbers, Ahat: Any = None, bhat: Numbers | None = None, order: int = 0) -> None:
        """A Runge-Kutta method, runge_kutta(name): rows of A, which may end early, and weights b; Ahat, bhat: those of the momenta, if
        they differ. order: a claim, which is refused if it does not hold (docs/models.md)."""
        b = numpy.array(b, dtype=float).reshape(-1)
        arrays = {"A": square(A, len(b), "A"), "b": b}
        if Ahat is not None:
            arrays["Ahat"] = square(Ahat, len(b), "Ahat")
        if bhat is not None:
            arrays["bhat"] = array(bhat, len(b), "bhat")
        self._draft().give(name, "tableau", order, arrays)

    def splitting(self, name: str, c: Numbers, d: Numbers, order: int = 0) -> None:
        """A splitting method for H = T(p) + V(q), splitting(name): fractions c of the step in drifts and d in kicks, c first; the
        shorter of both is filled up with 0. order: as of tableau()."""
        c, d = (numpy.array(values, dtype=float).reshape(-1) for values in (c, d))
        stages = max(len(c), len(d))
        arrays = {"c": numpy.pad(c, (0, stages - len(c))), "d": numpy.pad(d, (0, stages - len(d)))}
        self._draft().give(name, "splitting", order, arrays)

    # ---- use ----

    @property
    def _model(self):
        with self._lock:
            if self._built is None:
                self._built = self._source.build()
            return self._built

    @property
    def _wishes(self):
        return lib.rattle_model_wishes(self._model)

    def problem(self, evaluator: str = "auto", steps: int = 0) -> Problem:
        """The Problem: H, g and their derivatives. `steps`: how many are planned, which decides whether "auto" compiles."""
        key = evaluator, len(str(int(steps)))
        with self._lock:
            if key not in self._problems:
                self._problems[key] = of_model(self._model, evaluator, steps)
            return self._problems[key]

    def _started(self, start):
        other = self.copy()
        if isinstance(start, tuple):
            names = names_of(self._model)
            start = {name: value for part, values in zip(names, start) for name, value in zip(part, array(values, len(part), "start"))}
        other.start(start)
        return other

    def _moved(self):
        return self._source.starts if isinstance(self._source, Text) else {}

    def copy(self) -> Model:
        """A model of its own, with expressions in common."""
        return Model()._become(copy.copy(self._source))

    def fit(self, data: Any, vary: Any = (), vary_start: Iterable[str] | Literal["all"] = (), *, sigma: Any = None,
            method: AnyMethod | None = None, step: float = 0.0, most_steps: int = 0) -> Fit:
        """The Fit of parameters and starts to data (docs/fits.md). The search begins at the values of the model.

        data: columns by name, a dict or data frame: "t", coordinates, momenta or observables, nan where nothing was measured, "sigma_NAME" for
            standard deviations; or a list of such, one for each run
        vary: names of parameters, or {name: (low, high)}, None in place of bounds being those of the model; vary_start: names of coordinates and
            momenta whose starts are found for each run, or "all"
        sigma: a standard deviation, {name: deviation}, or None: all data weigh the same, and errors are taken from the residuals
        method, step: those of the model, if not given; most_steps: of the search (0: 200)"""
        if self._moved():
            raise BadArgument("a fit needs the starts in the text of the model: write start { ... } there, as expressions of its parameters")
        if lib.rattle_model_text(self._model) == ffi.NULL:
            return Model.from_string(self.text).fit(data, vary, vary_start, sigma=sigma, method=method, step=step, most_steps=most_steps)
        if vary_start == "all":
            clock, (coordinates, momenta) = lib.rattle_model_clock(self._model), names_of(self._model)
            moving = [k for k, name in enumerate(coordinates) if k != clock and not name.startswith("turns[")]
            vary_start = [part[k] for part in (coordinates, momenta) for k in moving]
        return fit(self.problem(), data, vary, vary_start, sigma, None if method is None else method_text(method), step, most_steps)

    def live(self, *, method: AnyMethod | None = None, step: float | None = None, stop: float | None = None, height: int = 720) -> Live:
        """A page in which the model runs, with sliders for its parameters and its start (docs/live.md); a notebook displays it in the cell.

        method, step, stop: with which it begins, in place of those of the model; height: of the cell, in pixels. Unsuitable: the command was built
        without the module that runs models in pages"""
        if self._moved():
            raise BadArgument("a live page begins with the starts in the text of the model: write start { ... } there, or move the page's sliders")
        name = os.path.splitext(os.path.basename(self._source.name))[0] if isinstance(self._source, Text) else "model"
        given = self.parameters if isinstance(self._source, Text) else {}
        return live(name + ".lua", self.text, given, dict(method=None if method is None else method_text(method), step=step, stop=stop), height)

    # ---- what is in it ----

    @property
    def title(self) -> str:
        return text(lib.rattle_model_title(self._model))

    @property
    def text(self) -> str:
        """The model as a text in Lua, which Model.from_string reads; of a model written in Python it is written here."""
        source = self._source
        return source.text.decode("utf-8", "replace") if isinstance(source, Text) else Writer(source).text

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that a model in Lua declares, with the values used."""
        given = ffi.new("rattle_parameter **")
        return {text(given[0][i].name): given[0][i].value for i in range(lib.rattle_model_parameters(self._model, given))}

    @property
    def formulas(self) -> tuple[Expression | None, dict[str, Expression]]:
        """(H, {constraint: g}) as expressions."""
        c = self._model
        names = [name for pair in zip(*names_of(c)) for name in pair]
        graph, image = Graph.copy_of(lib.rattle_model_graph(c), names)
        nodes = {text(lib.rattle_model_constraint_name(c, i)): lib.rattle_model_constraint_expr(c, i)
                 for i in range(lib.rattle_model_constraints(c))}
        h = lib.rattle_model_hamiltonian(c)
        return Expression(graph, image[h]) if h else None, {name: Expression(graph, image[e]) for name, e in nodes.items()}

    @property
    def coefficients(self) -> dict[str, types.SimpleNamespace]:
        """The tableaus and splittings, with what their coefficients are found to be: order, symmetric, symplectic, explicit ..."""
        c, found = self._model, ffi.new("rattle_coefficients *")
        result = {}
        for i in range(lib.rattle_model_coefficients(c, 0, ffi.NULL)):
            lib.rattle_model_coefficients(c, i, found)
            result[text(found.name)] = types.SimpleNamespace(**plain(found, leave=("name",)))
        return result

    def _repr_html_(self):
        from rattle.display import model_html
        return model_html(self)

    def __getstate__(self):
        return self._source

    def __setstate__(self, source):
        self._become(source)

    def __repr__(self):
        c = self._model
        return (f"<rattle.Model {self.title!r}: n = {lib.rattle_model_pairs(c)}, m = {lib.rattle_model_constraints(c)}"
                + "".join(f", {name} = {value:g}" for name, value in self.parameters.items()) + ">")
