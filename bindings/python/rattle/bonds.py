"""Bond lengths at molecular scale: |x_i - x_j| = d for any number of atoms in any topology, as the two constraint stages of RATTLE, on
numpy arrays that the library reads and writes in place. docs/bonds.md is the guide."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import typing

import numpy
import numpy.typing

from rattle._c import Array, Numbers, bytes_of, ffi, lib, options, own, plain, text
from rattle.errors import check

__all__ = ["Bonds", "Outputs", "repartition", "rules", "solvers"]

State = typing.Union[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float32]]


class Outputs(typing.NamedTuple):
    """Results of a stage.

    multipliers: of bonds, then of angles [bonds + angles]; forces: on each atom [atoms, 3]; virial: xx, yy, zz, xy, xz, yz of these forces [6]"""

    multipliers: Array
    forces: Array
    virial: Array


def _table(of):
    """The rows of a table of the library by their names."""
    rows, index = {}, 0
    while (row := of(index)) != ffi.NULL:
        rows[text(row.name)] = plain(row)
        index += 1
    return rows


_SOLVERS = _table(lib.rattle_bonds_solver_of)


def solvers() -> dict[str, dict[str, str]]:
    """The solvers by name: clusters that each can do, its source, what it does."""
    return {name: dict(row) for name, row in _SOLVERS.items()}


def rules() -> dict[str, dict[str, str]]:
    """The rules of repartition() by name: where the program has it, what it does."""
    return _table(lib.rattle_bonds_rule_of)


def repartition(masses: Numbers, pairs: Numbers, value: float, rule: str = "openmm", hydrogens: Numbers | None = None) -> Array:
    """New masses, of which those of hydrogens are taken from the atoms that they are bonded to; molecules of an atom with two hydrogens, as water,
    keep theirs. K. A. Feenstra, B. Hess, H. J. C. Berendsen, J. Comput. Chem. 20 (1999) 786.

    masses: of all atoms [atoms]; pairs: all bonds, those too that are not kept [bonds, 2]. rule: one of rules(); value: its number, the mass of hydrogens
    for "openmm", a factor of at least 1 for "gromacs" and "factor". hydrogens: their numbers; None: atoms of masses from 0.9 to 1.2.
    BadArgument names the atom of which nothing is left."""
    given, bonds = _numbers(masses, None, "masses"), _indices(pairs, 2, "pairs")
    mask, result = ffi.NULL, given.copy()
    if hydrogens is not None:
        chosen = _indices(hydrogens, None, "hydrogens")
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(given):
            raise ValueError(f"hydrogens: expected atoms from 0 to {len(given) - 1}, found {chosen.min()} to {chosen.max()}")
        light = numpy.zeros(len(given), numpy.int8)
        light[chosen] = 1
        mask = ffi.from_buffer("char[]", light)
    topology = options("bonds_topology", atoms=len(given), bonds=len(bonds), pairs=_ints(bonds), masses=_doubles(given))
    check(lib.rattle_bonds_repartition, bytes_of(rule), float(value), topology, mask, _doubles(result))
    return result


_NUMBERS = {numpy.dtype("float64"): "double[]", numpy.dtype("float32"): "float[]"}


def _state(values, atoms, what, like=None, write=True):
    """The data of an array of positions or velocities [atoms, 3], for C; nothing is copied. like: an array whose numbers it must have."""
    if not isinstance(values, numpy.ndarray) or values.dtype not in ([like.dtype] if like is not None else _NUMBERS):
        found = f"an array of {values.dtype}" if isinstance(values, numpy.ndarray) else type(values).__name__
        wanted = "float64 or float32" if like is None else f"{like.dtype}, as that of the other arrays"
        raise TypeError(f"{what}: expected a numpy array of {wanted}, found {found}")
    if values.size != 3*atoms:
        raise ValueError(f"{what}: expected {atoms} atoms with three numbers each, found an array of {values.shape}")
    if not values.flags.c_contiguous or write and not values.flags.writeable:
        raise ValueError(f"{what} is changed in place: expected an array that is contiguous and can be written, as numpy.array(a) makes it")
    return ffi.from_buffer(_NUMBERS[values.dtype], values, require_writable=write)


def _apart(what, values, other, others):
    """Refuses two arrays of a stage that share memory: what is written to one would be read from the other."""
    if others is not None and numpy.shares_memory(values, others):
        raise ValueError(f"{what} and {other} share memory, and {other} is changed in place: give a copy, as {other}.copy()")


def _box(box):
    """rattle_bonds_box of three edges or of the rows of a lower triangular matrix; NULL for None."""
    if box is None:
        return ffi.NULL
    edges = numpy.asarray(box, dtype=float)
    edges = numpy.diag(edges) if edges.shape == (3,) else edges
    if edges.shape != (3, 3) or numpy.triu(edges, 1).any() or not (numpy.diag(edges) > 0).all():
        raise ValueError("box: expected three edges above 0, or the rows of a lower triangular matrix whose diagonal is above 0")
    return ffi.new("rattle_bonds_box *", {"edge": edges.tolist()})


_repartitioned = repartition


def _made(pairs, lengths, masses, angles, values, tolerance, solver, threads, bodies=(), places=None):
    """Bonds that were pickled."""
    return Bonds(pairs, lengths, masses, angles=angles, values=values, tolerance=tolerance, solver=solver, threads=threads, bodies=bodies,
                 places=places)


class Bonds:
    """Bonds of fixed length, and angles, among atoms.

        bonds = rattle.Bonds([(0, 1), (0, 2), (1, 2)], [1, 1, 1.633], masses)
        each step:  v += h/2*F/m;  x0[:] = x;  x += h*v;  bonds.positions(x0, x, v, h);  v += h/2*F/m;  bonds.velocities(x, v)

    pairs: atoms i and j of each bond, from 0 on [bonds, 2]; lengths: their distances [bonds]; masses: of all atoms, infinite for one that
    does not move [atoms]. angles: i, j, k of each angle that is kept, at atom j, which has bonds with i and k [angles, 3]; values: in radians.
    bodies: atoms of each group, of any size, that is kept whole by its own inertia; they have no bonds. places: positions of all atoms that show the
    shapes of the bodies [atoms, 3].
    repartition: a number with which repartition() makes the masses of hydrogens, by `rule` and with `hydrogens` as there; `pairs` are all bonds then, and
    `masses` of the object are what steps must use. None: masses stay as they are.
    tolerance: largest relative error of a length, and of its rate |r.v|/(d |v|); 0: 1e-12. solver: one of solvers(); None: for each cluster
    of connected atoms the cheapest that can do it. threads: that share the clusters; results are the same for any number.
    BadArgument names the bond or the atom that is wrong, Unsuitable the atoms of a cluster that the solver cannot do."""

    #: atoms i and j of each bond, their lengths, the atoms' masses: arrays that cannot be written
    pairs: numpy.ndarray
    lengths: Array
    masses: Array

    def __init__(self, pairs: Numbers, lengths: Numbers, masses: Numbers, *, angles: Numbers = (), values: Numbers = (),
                 tolerance: float = 0.0, solver: str | None = None, threads: int = 1, bodies: typing.Sequence[Numbers] = (),
                 places: Numbers | None = None, repartition: float | None = None, rule: str = "openmm", hydrogens: Numbers | None = None):
        self.pairs, self.angles = _indices(pairs, 2, "pairs"), _indices(angles, 3, "angles")
        self.lengths, self.values = _numbers(lengths, len(self.pairs), "lengths"), _numbers(values, len(self.angles), "values")
        self.masses = _numbers(masses, None, "masses")
        if repartition is not None:
            self.masses = _numbers(_repartitioned(self.masses, self.pairs, repartition, rule, hydrogens), None, "masses")
        self.tolerance, self._chosen = tolerance, (solver, threads)
        self.bodies = tuple(_indices(atoms, None, f"atoms of body {k}") for k, atoms in enumerate(bodies))
        joined, first = numpy.concatenate([numpy.empty(0, numpy.int32), *self.bodies]), numpy.cumsum([0, *map(len, self.bodies)]).astype(numpy.int64)
        if len(joined) and (places is None or joined.min() < 0 or joined.max() >= len(self.masses)):
            raise ValueError("bodies: give the positions of all atoms, which show their shapes, as places=x" if places is None else
                             f"bodies: expected atoms from 0 to {len(self.masses) - 1}, found {joined.min()} to {joined.max()}")
        self._places = None if places is None else _numbers(places, 3*len(self.masses), "places")
        shapes = numpy.zeros((0, 3)) if places is None else numpy.ascontiguousarray(self._places.reshape(-1, 3)[joined])
        name = bytes_of(solver)
        topology = options("bonds_topology", atoms=len(self.masses), bonds=len(self.pairs), angles=len(self.angles),
                           pairs=_ints(self.pairs), lengths=_doubles(self.lengths), masses=_doubles(self.masses),
                           angle_atoms=_ints(self.angles), angle_values=_doubles(self.values), bodies=len(self.bodies),
                           body_first=ffi.cast("long long *", ffi.from_buffer(first)), body_atoms=_ints(joined), body_places=_doubles(shapes))
        chosen = options("bonds_options", tolerance=tolerance, solver=name, threads=threads)
        self._c, self._lock = own("bonds", lib.rattle_bonds_create, topology, chosen), threading.Lock()

    def __reduce__(self):
        return _made, (self.pairs, self.lengths, self.masses, self.angles, self.values, self.tolerance, *self._chosen, self.bodies, self._places)

    def positions(self, x0: State, x: State, v: State | None = None, h: float = 1.0, box: Numbers | None = None,
                  scale: float | None = None) -> Outputs | None:
        """Moves x along the bonds of x0 until all lengths are right; v, if given, gets the change of x divided by h.

        x0, x, v: [atoms, 3] of float64, or of float32 with a tolerance that floats reach; the last two are changed in place. x0 may be x,
        else they share no memory. box: three edges of a periodic box, or the rows of a lower triangular matrix.
        scale: with it the stage returns Outputs, whose forces are scale times mass times displacement; 2/h**2 gives those of the step.
        Singular and NotConverged name the atoms of a bond, Domain an atom whose position is not finite; clusters that fail are left as
        they were, the others are solved."""
        n = len(self.masses)
        end = _state(x, n, "x")
        x0 = numpy.ascontiguousarray(x0, dtype=x.dtype)
        start = _state(x0, n, "x0", write=False)
        rate = ffi.NULL if v is None else _state(v, n, "v", like=x)
        if x0.ctypes.data != x.ctypes.data:  # one array may be both
            _apart("x0", x0, "x", x)
        _apart("x0", x0, "v", v), _apart("x", x, "v", v)
        function = lib.rattle_bonds_positions_float if x.dtype == numpy.float32 else lib.rattle_bonds_positions_out
        return self._stage(scale, function, start, end, rate, h, _box(box))

    def velocities(self, x: State, v: State, box: Numbers | None = None, scale: float | None = None) -> Outputs | None:
        """Removes from v what changes lengths at x; v is changed in place. scale: with it the stage returns Outputs; 2/h gives the forces of
        a step h. Errors as those of positions()."""
        n = len(self.masses)
        rate = _state(v, n, "v")
        x = numpy.ascontiguousarray(x, dtype=v.dtype)
        at = _state(x, n, "x", write=False)
        _apart("x", x, "v", v)
        function = lib.rattle_bonds_velocities_float if v.dtype == numpy.float32 else lib.rattle_bonds_velocities_out
        return self._stage(scale, function, at, rate, _box(box))

    def removed(self, groups: Numbers | None = None) -> Array:
        """Degrees of freedom that bonds remove from groups of atoms: groups has the number of each atom's group, from 0 on, or below 0 for
        none; without it all atoms are one group."""
        of = numpy.zeros(len(self.masses), dtype=numpy.int32) if groups is None else _indices(groups, None, "groups")
        if len(of) != len(self.masses):
            raise ValueError(f"groups: expected {len(self.masses)} numbers, found {len(of)}")
        result = numpy.zeros(max(1, int(of.max(initial=0)) + 1))
        check(lib.rattle_bonds_removed, self._c, _ints(of), len(result), _doubles(result))
        return result

    @property
    def summary(self) -> dict[str, typing.Any]:
        """Numbers of atoms, bonds, clusters, shapes, rings, of bonds that repeat others; the width of the vectors and their name."""
        result = options("bonds_summary")
        check(lib.rattle_bonds_summarise, self._c, result)
        return plain(result)

    @property
    def repeated(self) -> numpy.ndarray:
        """The bonds that follow from others, and are left to them."""
        count = ffi.new("long long *")
        first = lib.rattle_bonds_repeated(self._c, count)
        return numpy.array([first[k] for k in range(count[0])], dtype=int)

    @property
    def chosen(self) -> list[str | None]:
        """The solver of each atom's cluster; None: the atom has no bonds."""
        index, names = numpy.empty(len(self.masses), dtype=numpy.int32), [*_SOLVERS]
        lib.rattle_bonds_chosen(self._c, _ints(index))
        return [names[k] if k >= 0 else None for k in index]

    def check(self, x: Numbers | None = None, box: Numbers | None = None) -> dict[str, typing.Any]:
        """The result of `rattle bonds check`, which must be installed: rank, kinds of clusters with their condition, the sweeps that SHAKE and the
        order that LINCS would need, the advised solver. x: positions [atoms, 3]; without them it makes some from the lengths."""
        return self._ask("check", x, box)

    def export(self, path: str | os.PathLike[str], x: Numbers | None = None, box: Numbers | None = None, units: str | None = None,
               force: bool = False) -> list[str]:
        """Writes the bonds for GROMACS (path NAME.top, beside it NAME.gro where x is given) or LAMMPS (NAME.data, beside it NAME.in; needs x), or as
        NAME.bonds, by `rattle bonds export`, which must be installed; returns the names of the files. Atoms without mass are left out. units: of
        lengths and masses, "real" for Angstrom and u, "gromacs" for nm and u, or another style of LAMMPS. force: existing files are replaced."""
        more = [*(["--units", units] if units else []), *(["--force"] if force else [])]
        return list(self._ask("export", x, box, "-o", os.path.abspath(path), *more)["files"])

    def _ask(self, verb, x, box, *words):
        """What the command says of the topology."""
        from rattle.report import command
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bonds")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._text(x, box))
            asked = [command(), "bonds", verb, path, "--json", *words, *(["--tolerance", repr(self.tolerance)] if self.tolerance else [])]
            done = subprocess.run(asked, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr.strip() or done.stdout.strip())
        return json.loads(done.stdout)

    def _text(self, x, box):
        """The topology in the format rattle-bonds."""
        if self.bodies:
            raise ValueError("check() and export() take bonds alone: these have bodies")
        if not numpy.isfinite(self.masses).all():
            raise ValueError(f"atom {numpy.argmin(numpy.isfinite(self.masses))} has an infinite mass, which check() and export() do not take")
        at = None if x is None else numpy.asarray(x, dtype=float).reshape(len(self.masses), 3)
        lines = ["rattle-bonds 1"]
        for k, mass in enumerate(self.masses.tolist()):
            lines.append(" ".join(["atom", repr(mass), *([] if at is None else map(repr, at[k].tolist()))]))
        lines += [f"bond {i + 1} {j + 1} {d!r}" for (i, j), d in zip(self.pairs.tolist(), self.lengths.tolist())]
        lines += [f"angle {i + 1} {j + 1} {k + 1} {value!r}"
                  for (i, j, k), value in zip(self.angles.tolist(), numpy.degrees(self.values).tolist())]
        edges = _box(box)
        if edges != ffi.NULL:
            e = edges.edge
            lines.append(f"box {e[0][0]!r} {e[1][1]!r} {e[2][2]!r} {e[1][0]!r} {e[2][0]!r} {e[2][1]!r}")
        return "\n".join([*lines, ""])

    def _stage(self, scale, function, *arguments):
        with self._lock:
            if scale is None:
                check(function, self._c, *arguments, ffi.NULL)
                return None
            result = Outputs(numpy.zeros(len(self.pairs) + len(self.angles)), numpy.zeros((len(self.masses), 3)), numpy.zeros(6))
            check(function, self._c, *arguments, options("bonds_outputs", multipliers=_doubles(result.multipliers),
                                                         forces=_doubles(result.forces), virial=_doubles(result.virial), scale=scale))
            return result

    def __repr__(self):
        found = self.summary
        return f"<rattle.Bonds: {len(self.pairs)} bonds and {len(self.angles)} angles of {found['atoms']} atoms in {found['clusters']} clusters>"


def _indices(values, width, what):
    """Whole numbers as an array for C that cannot be written."""
    given = numpy.asarray(values)
    shape = (-1,) if width is None else (-1, width)
    if given.size and given.dtype.kind not in "iu" or width and given.size % width or width and given.ndim not in (1, 2):
        raise ValueError(f"{what}: expected {f'{width} whole numbers in each row' if width else 'whole numbers'}, found an array of "
                         f"{given.dtype} of {given.shape}")
    if given.size and (given.max() > 2**31 - 1 or given.min() < -2**31):
        raise ValueError(f"{what}: a number is out of the range of 32 bits")
    result = numpy.array(given, dtype=numpy.int32).reshape(shape)
    result.flags.writeable = False
    return result


def _numbers(values, count, what):
    result = numpy.array(values, dtype=float).reshape(-1)
    if count is not None and len(result) != count:
        raise ValueError(f"{what}: expected {count} numbers, found {len(result)}")
    result.flags.writeable = False
    return result


def _ints(values):
    return ffi.cast("int *", ffi.from_buffer(values))


def _doubles(values):
    return ffi.cast("double *", ffi.from_buffer(values))
