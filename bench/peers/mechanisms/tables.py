"""The tables that bench/mechanisms_peers prints, in Markdown."""
from .rounds import at_error, families

ERRORS = {name: (1e-3, 1e-6, 1e-10) for name in ("racket", "fourbar", "bricard", "chain10", "tree30", "chain50")}
ERRORS["chain50b"] = (1e-4, 1e-6, 1e-8)
TARGETS = {"chain10": (0.6, 0.3, 0.15), "tree30": (1.1, 0.6, 0.25), "fourbar": (0.5,)*3, "bricard": (0.5,)*3, "chain50b": (1.0, 0.5, 0.25), "racket": (1.0,)*3}
NOT_SYMPLECTIC = ("joints:dop853", "bodies:multistep8")
HEADS = ("system", "error", "symplectic, ms", "by", "not symplectic, ms", "by", "best peer, ms", "by", "symplectic / peer", "not / peer", "target", "held")
ROWS = ("| " + " | ".join(HEADS) + " |", "|---"*len(HEADS) + "|")


def power(x):
    return f"{x:.0e}".replace("e-0", "e-")


def number(x):
    return "–" if x is None else f"{1e3*x:.3g}"


def best(lists, error, wanted):
    """(time, engine, method) of the fastest of the families that are wanted; (None, ...) if none has the error."""
    times = [(at_error(points, error), engine, method) for (engine, method), points in lists.items() if wanted(engine, method)]
    return min((t for t in times if t[0] is not None), default=(None, "", ""))


def words(entry, own=False):
    time, engine, method = entry
    if time is None:
        return ""
    return f"`{method.split(':', 1)[1]}`, {method.split(':')[0]}" if own else f"{engine} {method}"


def ratio(own, peer):
    return "–" if own[0] is None or peer[0] is None else f"{own[0]/peer[0]:.2f}"


def rows(system, found):
    lists = families(found)
    for k, error in enumerate(ERRORS[system]):
        ours = best(lists, error, lambda engine, method: engine == "librattle" and method not in NOT_SYMPLECTIC)
        other = best(lists, error, lambda engine, method: engine == "librattle" and method in NOT_SYMPLECTIC)
        peer = best(lists, error, lambda engine, method: engine != "librattle")
        target = TARGETS.get(system, (None,)*3)[k]
        held = "" if target is None or peer[0] is None else "no" if ours[0] is None or ours[0] > target*peer[0] else "yes"
        cells = (system, power(error), number(ours[0]), words(ours, True), number(other[0]), words(other, True), number(peer[0]), words(peer),
                 ratio(ours, peer), ratio(other, peer), "" if target is None else str(target), held)
        yield "| " + " | ".join(cells) + " |"


def by_engine(system, found, names):
    """Each engine's best, its own integrators and ours around its accelerations."""
    lists = families(found)
    for error in ERRORS[system]:
        times = [best(lists, error, lambda engine, method, name=name: engine == name) for name in names]
        yield f"| {system} | {power(error)} | " + " | ".join("–" if t[0] is None else f"{number(t[0])} {t[2]}" for t in times) + " |"


def accuracy(system, found):
    """The smallest error that each engine reaches."""
    least = {}
    for c in found:
        if c.engine not in least or c.error < least[c.engine].error:
            least[c.engine] = c
    return f"| {system} | " + " | ".join(f"{name} {power(c.error)} ({c.method}, {c.rate})" for name, c in least.items()) + " |"


OPENINGS = (("librattle", "bodies:rattle(verlet)", 500), ("librattle", "joints:spark_gauss(4)", 50), ("MuJoCo", "Euler", 500), ("MuJoCo", "RK4", 500),
            ("MuJoCo", "RK4+stiff", 8000), ("Pinocchio", "symeuler", 1000), ("Pinocchio", "rk4", 500), ("Pinocchio", "dop8", 100), ("Simbody", "rkm", "1e-3"),
            ("Simbody", "rkm", "1e-9"), ("Exudyn", "genalpha", 1000))


def openings(of_systems):
    """How far loops open within 1 s, in m: of {system: found}."""
    yield "| | " + " | ".join(of_systems) + " |"
    yield "|---"*(len(of_systems) + 1) + "|"
    for which in OPENINGS:
        opens = [[c.open for c in found if (c.engine, c.method, c.rate) == which] for found in of_systems.values()]
        if any(opens):
            yield f"| {which[0]} {which[1]}, {which[2]} | " + " | ".join(f"{o[0]:.0e}" if o else "–" for o in opens) + " |"
