"""Constructed sites: points without mass whose places follow from atoms, as the M of TIP4P. Places and velocities from those of the atoms, and
forces spread over the atoms by the transposed Jacobian, on numpy arrays that are changed in place. docs/bonds.md is the guide."""
from __future__ import annotations

import threading
import typing

import numpy

from rattle._c import Array, Numbers, bytes_of, ffi, lib, options, own, plain, text
from rattle.bonds import _apart, _box, _doubles, _indices, _ints, _numbers, _state
from rattle.errors import check

__all__ = ["Sites", "kinds"]


def _table():
    rows, index = {}, 0
    while (row := lib.rattle_site_kind_of(index)) != ffi.NULL:
        rows[text(row.name)] = plain(row)
        index += 1
    return rows


_KINDS = _table()


def kinds() -> dict[str, dict[str, typing.Any]]:
    """The kinds of sites by name: how many parents and numbers each has, its section and function in GROMACS, and what its place is."""
    return {name: dict(row) for name, row in _KINDS.items()}


class Sites:
    """Sites among the atoms.

        sites = rattle.Sites(4, {3: ("3", [0, 1, 2], [0.128, 0.128])})       atom 3 is the M of TIP4P
        each step:  sites.positions(x);  f = forces of all at x;  sites.forces(x, f)

    atoms: how many there are, with the sites. sites: of each site, by its number from 0 on, its kind, its parents, and the numbers of the kind:
    lengths in the unit of the positions, angles in radians (kinds()). The kind None has three arrays of weights in place of numbers, o, a, b
    [parents], and then p1, p2, p3, c, as rattle/sites.h explains them.
    BadArgument names the site that is wrong."""

    def __init__(self, atoms: int, sites: typing.Mapping[int, typing.Sequence[typing.Any]]):
        self.atoms, self._given = atoms, {int(site): tuple(of) for site, of in sites.items()}
        parents = [_indices(of[1], None, f"the parents of site {site}") for site, of in self._given.items()]
        made = [_weights(site, *of) for site, of in self._given.items()]
        self._first = numpy.concatenate([[0], numpy.cumsum([len(of) for of in parents])]).astype(numpy.int64)
        self._site = _indices(list(self._given), None, "sites")
        arrays = [numpy.concatenate([numpy.empty(0, kind), *rows]).astype(kind)
                  for rows, kind in ((parents, numpy.int32), ([row[0] for row in made], float), ([row[1] for row in made], float))]
        listed = options("sites_list", atoms=atoms, sites=len(parents), site=_ints(self._site), parent=_ints(arrays[0]), weights=_doubles(arrays[1]),
                         lengths=_doubles(arrays[2]), first=ffi.cast("long long *", ffi.from_buffer(self._first)))
        self._c, self._lock = own("sites", lib.rattle_sites_create, listed), threading.Lock()

    def __reduce__(self):
        return Sites, (self.atoms, self._given)

    @property
    def numbers(self) -> numpy.ndarray:
        """The numbers of the sites among the atoms."""
        return self._site

    def positions(self, x: Array, v: Array | None = None, box: Numbers | None = None) -> None:
        """Places the sites of x [atoms, 3], and gives those of v, if there is one, the velocities of these places. box: three edges of a periodic
        box, or the rows of a lower triangular matrix. Singular and Domain name a site, and nothing changes."""
        place = _double(x, self.atoms, "x")
        rate = ffi.NULL if v is None else _double(v, self.atoms, "v")
        _apart("x", x, "v", v)
        with self._lock:
            check(lib.rattle_sites_positions, self._c, place, rate, _box(box))

    def forces(self, x: Numbers, f: Array, box: Numbers | None = None) -> Array:
        """Spreads the forces f [atoms, 3] on sites over their parents, and makes those on sites 0. Returns what this adds to the virial, the sum of
        x f^T, as xx, yy, zz, xy, xz, yz [6]."""
        at = numpy.ascontiguousarray(x, dtype=float)
        place, force = _state(at, self.atoms, "x", write=False), _double(f, self.atoms, "f")
        _apart("x", at, "f", f)
        virial = numpy.zeros(6)
        with self._lock:
            check(lib.rattle_sites_forces, self._c, place, force, _doubles(virial), _box(box))
        return virial

    def __repr__(self):
        return f"<rattle.Sites: {len(self._site)} sites among {self.atoms} atoms>"


def _double(values, atoms, what):
    if isinstance(values, numpy.ndarray) and values.dtype == numpy.float32:
        raise TypeError(f"{what}: expected a numpy array of float64, found an array of float32")
    return _state(values, atoms, what)


def _weights(site, kind, parents, numbers=(), lengths=None):
    """What the library takes for one site: weights [3 parents], lengths [4]."""
    count = len(parents)
    if kind is None:
        weights = numpy.asarray(numbers, dtype=float)
        if weights.shape != (3, count):
            raise ValueError(f"site {site}: expected three arrays of {count} weights, found {weights.shape}")
        return weights.T.ravel(), _numbers(lengths if lengths is not None else numpy.zeros(4), 4, f"the lengths of site {site}")
    wanted = _KINDS.get(kind, {"numbers": 0})["numbers"]
    given = _numbers(numbers, count if wanted < 0 else wanted, f"the numbers of site {site}")
    weights, result = numpy.zeros(3*count + 1), numpy.zeros(4)
    check(lib.rattle_site_weights, bytes_of(kind), count, _doubles(given), _doubles(weights), _doubles(result))
    return weights[:-1], result
