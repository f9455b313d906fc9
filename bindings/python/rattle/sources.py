"""Sources of models: a text in Lua, or declarations in Python. Both build C models, as many as are asked for."""
import copy
import functools
import operator

import numpy

from rattle._c import address, bytes_of, ffi, lib, options, own, text
from rattle.errors import BadModel, RattleError, check
from rattle.expression import Expression, Graph
from rattle.lua import Value
from rattle.watch import heard
from rattle.written import Writer, entry, member, place, quoted


def names_of(c):
    """(coordinates, momenta) of a C model."""
    pairs = range(lib.rattle_model_pairs(c))
    return [[text(name(c, k)) for k in pairs] for name in (lib.rattle_model_coordinate_name, lib.rattle_model_momentum_name)]


def reader_options(parameters):
    """(options for reading a text with these values of parameters, what they hold on to)."""
    keep = [bytes_of(key) for key in parameters]
    given = ffi.new("rattle_parameter[]", [(key, float(value)) for key, value in zip(keep, parameters.values())])
    how = options("model_options", parameters=given, parameter_count=len(keep))
    how.interrupt = interrupt = ffi.new("int *")
    return how, interrupt, (keep, given)


def read_model(read, arguments, parameters):
    """The C model of a text or a file."""
    how, interrupt, held = reader_options(parameters)
    made = heard(lambda: own("model", read, *arguments, how), interrupt)
    del held
    return made


class Text:
    """A model in Lua, with values of its parameters, and start values that override its own."""

    def __init__(self, read, arguments, name, parameters):
        self.name, self.parameters, self.starts = name, dict(parameters), {}
        self.first = read_model(read, arguments, self.parameters)  # the first to be built
        self.text = ffi.string(lib.rattle_model_text(self.first))

    def build(self):
        c, self.first = self.first or read_model(lib.rattle_model_parse, [bytes_of(self.text), bytes_of(self.name)], self.parameters), None
        return self._restart(c)

    def _restart(self, c):
        """The start values given, in place of the model's own."""
        known = sum(names_of(c), [])
        for name, value in self.starts.items():
            if name not in known:
                raise BadModel(f"start: the model has no variable {name!r}; it has {', '.join(known)}")
            check(lib.rattle_model_start_variable, c, bytes_of(name), value)
        return c

    def start(self, values):
        self.starts = {**self.starts, **{str(name): float(value) for name, value in values.items()}}

    def __getstate__(self):
        return {**vars(self), "first": None}


def square(rows, stages, what):
    """Rows of a tableau, which may end early, as a matrix."""
    rows = [numpy.asarray(row, dtype=float).reshape(-1) for row in rows]
    if len(rows) != stages or any(len(row) > stages for row in rows):
        raise BadModel(f"{what}: expected {stages} rows of at most {stages} numbers, as b has {stages}")
    matrix = numpy.zeros((stages, stages))
    for i, row in enumerate(rows):
        matrix[i, :len(row)] = row
    return matrix


def _give(c, name, kind, order, arrays):
    """Coefficients to a C model."""
    given = {key: address(numpy.ascontiguousarray(values)) for key, values in arrays.items()}
    stages = max(len(values) for values in arrays.values())
    check(getattr(lib, "rattle_model_add_" + kind), c, bytes_of(name), ffi.new(f"rattle_{kind} *", {"stages": stages, "order": order, **given}))


class Draft:
    """Declarations made in Python. The nodes of their expressions are in `graph`; variable 2k is coordinate k, 2k + 1 its momentum,
    RATTLE_VELOCITY + k its velocity, RATTLE_LAMBDA + k the k-th multiplier that is a quantity.

    `journal` has the declarations in order, as pieces of lines of a model file (written.py): (file:line, pieces, None or (node, its text)). A draft
    with words that the library has in model files alone, `spoken`, is built from this text, others by calls of the library."""

    def __init__(self, title=None):
        self.graph, self.title, self.pairs, self.index = Graph(), title, [], {}
        self.hamiltonian, self.constraints, self.observables, self.forces = [], {}, {}, []
        self.starts, self.velocities, self.metadata, self.wishes, self.flows = {}, {}, {}, {}, {}
        self.dirac = set()  # names of constraints
        self.velocity_constraints = {}
        self.graph.multipliers = []  # names of constraints whose multipliers are quantities
        self.clock = None  # the pair of the time
        self.turnings = {}  # (y, x): what turning_angle made of it
        self.coefficients = {}  # name: (kind, order, arrays by name)
        self.masses, self.events = {}, {}  # pair: mass; name: (node, direction, count, stop)
        self.omits = False  # constraints that follow from others
        self.needs_masses = False  # True: potential() was used, and hamiltonian() was not
        self.journal, self.spoken, self.moved = [], False, {}  # moved: starts of variables that model files declared

    def write(self, *parts, defines=None):
        self.journal.append((place(), parts, defines))

    def say(self, text, parts):
        """A call of a function of model files: the text of its result."""
        self.spoken = True
        self.graph.results += 1
        result = f"r[{self.graph.results}]"
        self.write(f"{result} = {text}(", *parts, ")")
        return result

    def options(self):
        """For reading the text."""
        return options("model_options")

    def pair(self, name, momentum=None, free=False, word=True):
        if momentum is None:
            momentum = "p" + name
        for new in (name, momentum):
            if new in self.index or new in self.observables:
                raise BadModel(f"there is a variable or quantity {new!r} already")
        k = len(self.pairs)
        self.pairs.append((name, momentum, free))
        self.graph.names += [name, momentum]
        self.index.update({name: 2 * k, momentum: 2 * k + 1})
        if word:
            z, pz = (member("z", one) for one in (name, momentum))
            self.write(f"{z} = free({quoted(name)})" if free else f"{z}, {pz} = pair({quoted(name)}, {quoted(momentum)})")
        return self.graph.variable(2 * k), self.graph.variable(2 * k + 1)

    def time(self):
        if self.clock is None:
            k = len(self.pairs)
            self.pair("t", "p_t", word=False)
            self.clock = k
            self.write("z.t = time()")
        return self.graph.variable(2 * self.clock)

    def turning_angle(self, y, x):
        y, x = self.graph.expression(y), self.graph.expression(x)
        if (y.node, x.node) not in self.turnings:
            k = len(self.pairs)
            r, _ = self.pair(f"turns[{len(self.turnings) + 1}]", word=False)
            r = r.held()
            c, s = r.cos(), r.sin()
            angle = (y*c - x*s).arctan2(x*c + y*s)
            self.turnings[y.node, x.node] = k, angle.node, r + angle
            name = f"turn[{len(self.turnings)}]"
            self.write(f"{name} = turning_angle(", y.node, ", ", x.node, ")", defines=((r + angle).node, name))
        return self.turnings[y.node, x.node][2]

    def add(self, what, name, value, dirac=False):
        """To constraints or observables."""
        kept = getattr(self, what)
        others = {"constraints": self.velocity_constraints, "velocity_constraints": self.constraints}.get(what, {})
        if name in kept or name in others or (what == "observables" and name in self.index):
            raise BadModel(f"the name {name!r} is taken")
        kept[name] = self.graph.expression(value).node
        if dirac:
            self.dirac.add(name)
        word = {"constraints": "constrain", "velocity_constraints": "velocity_constrain", "observables": "observe"}[what]
        self.write(f"{word}({quoted(name)}, ", kept[name], ", { dirac = true })" if dirac else ")")

    def energy(self, word, e):
        """Adds to H: hamiltonian or potential."""
        self.hamiltonian.append(self.graph.expression(e).node)
        self.needs_masses = None if word == "hamiltonian" or self.needs_masses is None else True
        self.write(f"{word}(", self.hamiltonian[-1], ")")

    def variable(self, which, what):
        """The index of a variable, given as such or by name."""
        if isinstance(which, Expression) and which.graph is self.graph and which.index >= 0:
            return which.index
        if str(which) in self.index:
            return self.index[str(which)]
        raise BadModel(f"{what}: the model has no variable {str(which)!r}; it has {', '.join(self.index)}")

    def amount(self, value):
        """A number, or an expression of parameters."""
        value = self.graph.expression(value) if isinstance(value, Value) else value
        if isinstance(value, Expression) and value.op != "CONSTANT":
            others = [self.graph.name_of(index) for index in self.graph.variables_in(value.node) if index < self.graph.PLACED]
            if others:
                raise TypeError(f"expected a number, or an expression of parameters, found {value}, which depends on {others[0]}")
            return value
        return float(value)

    def start(self, values):
        if self.spoken:
            strangers = {str(which): self.amount(value) for which, value in values.items() if isinstance(which, str) and which not in self.index}
            self.moved = {**self.moved, **strangers}
            values = {which: value for which, value in values.items() if not (isinstance(which, str) and which in strangers)}
        given = {self.variable(which, "start"): self.amount(value) for which, value in values.items()}
        self.starts = {**self.starts, **given}
        # a momentum overrides a velocity that was given before
        self.velocities = {k: value for k, value in self.velocities.items() if 2 * k + 1 not in given}

    def velocity(self, values):
        for which, value in values.items():
            index = self.variable(which, "velocity")
            if index % 2:
                raise BadModel(f"velocity: {which} is a momentum")
            self.velocities = {**self.velocities, index // 2: self.amount(value)}

    def mass(self, values):
        for which, value in values.items():
            index, value = self.variable(which, "mass"), self.amount(value)
            if index % 2:
                raise BadModel(f"mass: {which} is a momentum")
            positive = isinstance(value, Expression) or value > 0
            if not positive or index // 2 in self.masses:
                raise BadModel(f"mass: {which} has a mass already" if positive else f"mass: expected a positive one for {which}, found {value:g}")
            self.masses = {**self.masses, index // 2: value}
            self.write("mass { ", *entry(self.graph.names[index], value, self.graph), " }")

    def whole(self):
        """The nodes that H is the sum of: with masses p^2/(2 mass), in the order of the pairs, and the rest, as one."""
        graph = self.graph
        without = [name for k, (name, _, free) in enumerate(self.pairs) if not free and k != self.clock and k not in self.masses
                   and k not in {pair for pair, _, _ in self.turnings.values()}]
        if self.needs_masses and without:
            raise BadModel(f"{without[0]!r} has no mass: mass({without[0]}=...) and potential(...) need one for each coordinate, unless hamiltonian(...) is given")
        if not self.masses:
            return self.hamiltonian
        terms = [graph.variable(2 * k + 1)**2 / (2 * self.masses[k]) for k in sorted(self.masses)]
        sums = [functools.reduce(operator.add, part) for part in (terms, [Expression(graph, node) for node in self.hamiltonian]) if part]
        return [functools.reduce(operator.add, sums).node]

    def event(self, name, e, direction, count, stop):
        if name in self.events:
            raise BadModel(f"there is an event {name!r} already")
        self.events[name] = node, *_ = self.graph.expression(e).node, int(direction), int(count), int(stop)
        more = [f"{word} = {value}" for word, value in (("direction", int(direction)), ("count", int(count)), ("stop", "true")) if value and (word != "stop" or stop)]
        if name == "stop" and stop:
            self.write("stop { when = ", node, *(f", {one}" for one in more[:-1]), " }")
        else:
            self.write(f"event({quoted(name)}, ", node, f", {{ {', '.join(more)} }})")

    def velocity_of(self, which):
        """The symbol of the velocity of a coordinate."""
        index = self.variable(which, "velocity")
        if index % 2:
            raise BadModel(f"velocity: {which} is a momentum")
        if index // 2 == self.clock:
            return self.graph.expression(1.0)
        return self.graph.variable(lib.RATTLE_VELOCITY + index // 2)

    def multiplier_of(self, name):
        """The symbol of the multiplier of a constraint."""
        if name not in self.constraints and name not in self.velocity_constraints:
            raise BadModel(f"there is no constraint {name!r} whose multiplier could be taken: declare it before")
        names = self.graph.multipliers
        if name not in names:
            names.append(name)
        return self.graph.variable(lib.RATTLE_LAMBDA + names.index(name))

    def force(self, values):
        for which, value in values.items():
            index = self.variable(which, "force")
            if index % 2:
                raise BadModel(f"force: {which} is a momentum; forces are given by coordinates")
            self.forces.append((index // 2, self.graph.expression(value).node))
            self.write("force { ", *entry(self.graph.names[index], Expression(self.graph, self.forces[-1][1]), self.graph), " }")

    def give(self, name, kind, order, arrays):
        """Coefficients of methods, which a model of their own checks."""
        if name in self.coefficients:
            raise BadModel(f"there is a tableau or splitting {name!r} already")
        given = kind, int(order), arrays
        _give(own("model", lib.rattle_model_create), name, *given)
        self.coefficients[name] = given

    def images(self, function, arguments):
        """Images of a flow as nodes [2n], coordinates first; what the function leaves out does not change."""
        n = len(self.pairs)
        image = [self.graph.variable(2 * (j % n) + j // n).node for j in range(2 * n)]
        for which, value in function(arguments).items():
            index = self.variable(which, "flow")
            image[index // 2 + (n if index % 2 else 0)] = self.graph.expression(value).node
        return image

    def build(self):
        if not self.spoken:
            return self._call()
        written = Writer(self)
        try:
            return read_model(lib.rattle_model_parse, [bytes_of(written.text), bytes_of("model")], {})
        except RattleError as error:
            raise written.placed(error) from None

    def _call(self):
        """The C model by calls of the library."""
        c = own("model", lib.rattle_model_create)
        for k, (name, momentum, free) in enumerate(self.pairs):
            if k == self.clock:
                check(lib.rattle_model_time, c, ffi.new("rattle_expr *"))
            elif free:
                check(lib.rattle_model_add_free, c, bytes_of(name), ffi.NULL)
            else:
                check(lib.rattle_model_add_pair, c, bytes_of(name), bytes_of(momentum), ffi.NULL)
        n, flows, hamiltonian = len(self.pairs), {}, self.whole()
        if "fibre" in self.flows:
            m = lib.rattle_model_constraints(c) + len(self.constraints)
            flows[lib.rattle_model_set_fibre] = self.images(self.flows["fibre"], [self.graph.variable(2 * n + i) for i in range(m)])
        if "flow" in self.flows:
            flows[lib.rattle_model_set_flow] = self.images(self.flows["flow"], self.graph.variable(2 * n))
        image = self.graph.copy_to(lib.rattle_model_graph(c))
        for k, node, _ in self.turnings.values():
            check(lib.rattle_model_count_turns, c, k, image[node])
        for node in hamiltonian:
            check(lib.rattle_model_add_hamiltonian, c, image[node])
        for k, node in self.forces:
            check(lib.rattle_model_add_force, c, k, image[node])
        for name, node in self.constraints.items():
            check(lib.rattle_model_add_constraint, c, bytes_of(name), image[node])
            if name in self.dirac:
                check(lib.rattle_model_set_dirac, c, lib.rattle_model_constraints(c) - 1)
        for name, node in self.velocity_constraints.items():
            check(lib.rattle_model_add_velocity_constraint, c, bytes_of(name), image[node])
        for name in self.graph.multipliers:
            check(lib.rattle_model_multiplier, c, bytes_of(name), ffi.new("rattle_expr *"))
        for name, node in self.observables.items():
            check(lib.rattle_model_add_observable, c, bytes_of(name), image[node])
        for name, (node, *how) in self.events.items():
            check(lib.rattle_model_add_event, c, bytes_of(name), image[node], *how)
        for k in {index // 2 for index in self.starts}:
            check(lib.rattle_model_set_start, c, k, self.starts.get(2 * k, 0.0), self.starts.get(2 * k + 1, 0.0))
        for k, value in self.velocities.items():
            check(lib.rattle_model_set_velocity, c, k, value)
        for set_flow, nodes in flows.items():
            check(set_flow, c, ffi.new("rattle_expr[]", [image[node] for node in nodes]))
        for name, given in self.coefficients.items():
            _give(c, name, *given)
        self._describe(c)
        check(lib.rattle_model_eliminate_massless, c)
        if self.omits:
            check(lib.rattle_model_omit_redundant, c)
        return c

    def _describe(self, c):
        if self.title is not None:
            check(lib.rattle_model_set_title, c, bytes_of(self.title))
        for key, value in self.metadata.items():
            check(lib.rattle_model_add_metadata, c, bytes_of(key), bytes_of(value))
        wishes = options("wishes", stop=float("nan"), steps=-1, every=1)
        given = {**self.wishes, "method": bytes_of(self.wishes.get("method"))}
        if "at" in given:
            given["at"] = ffi.new("double[]", given["at"])
            given["at_count"] = len(given["at"])
        for name, value in given.items():
            setattr(wishes, name, value)
        check(lib.rattle_model_set_wishes, c, wishes)
        if wishes.cotangent:
            check(lib.rattle_model_observe_cotangent, c)

    def __copy__(self):
        """Shares the graph, to which nodes are only added."""
        other = object.__new__(Draft)
        vars(other).update({name: value if name == "graph" else copy.copy(value) for name, value in vars(self).items()})
        return other
