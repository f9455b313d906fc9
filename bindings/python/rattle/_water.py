"""What the readers of topologies of other programs share: atoms without mass, hydrogens, water."""
from __future__ import annotations

import typing
import warnings

import numpy

from rattle._c import Array


def with_mass(pairs: numpy.ndarray, masses: Array, elements: typing.Any = None) -> numpy.ndarray:
    """True for pairs of atoms that both have a mass: a bond to a site, whose place follows from other atoms, is no constraint, which a warning says.
    An atom that is an element and has no mass is an error: the file has none."""
    kept = (masses[pairs] > 0).all(axis=1)
    ends = pairs[~kept].ravel()
    sites = ends[masses[ends] == 0]
    for atom in sites if elements is not None else ():
        if elements[atom]:
            raise ValueError(f"atom {atom} is the element {elements[atom]} and has the mass 0: the file has no masses, set those of all atoms first")
    if len(sites):
        warnings.warn(f"{len(pairs) - kept.sum()} bonds to atoms without mass, as atom {sites[0]}, take no part: they are taken as sites, whose places "
                      "follow from other atoms", stacklevel=3)
    return kept


def with_hydrogen(pairs: numpy.ndarray, masses: Array, elements: typing.Any = None) -> numpy.ndarray:
    """True for pairs with hydrogen: by the elements, where all atoms have one, or by masses below 3.5, CHARMM's rule, which heavy hydrogens meet."""
    if elements is not None and all(elements):
        light = numpy.char.upper(numpy.asarray(elements, dtype=str)) == "H"
    else:
        light = (masses > 0) & (masses < 3.5)
    return numpy.asarray(light[pairs].any(axis=1))


def open_water(pairs: numpy.ndarray, masses: Array) -> numpy.ndarray:
    """The hydrogens of each molecule of three atoms whose bonds are O-H and O-H alone [molecules, 2]: masses of 15 to 17, and of 0.9 to 2.1."""
    degree = numpy.bincount(pairs.ravel(), minlength=len(masses))
    light = (masses >= 0.9) & (masses <= 2.1) & (degree == 1)
    centre = (masses >= 15) & (masses <= 17) & (degree == 2)
    both = numpy.concatenate([pairs, pairs[:, ::-1]])
    legs = both[centre[both[:, 0]] & light[both[:, 1]]]
    legs = legs[numpy.argsort(legs[:, 0], kind="stable")]
    whole = numpy.bincount(legs[:, 0], minlength=len(masses))[legs[:, 0]] == 2
    return legs[whole][:, 1].reshape(-1, 2)


def close_water(pairs: numpy.ndarray, lengths: Array, masses: Array, water: float | bool | None,
                apart: typing.Callable[[numpy.ndarray], Array] | None = None) -> tuple[numpy.ndarray, Array]:
    """The pairs and lengths with those of H-H, where a file gives water its two bonds O-H alone. water: a length, True: what apart() finds for
    pairs, False: none, so that the angle vibrates; None: an error asks."""
    open_ = open_water(pairs, masses)
    if not len(open_) or water is False:
        return pairs, lengths
    if water is None or water is True and apart is None:
        more = "" if apart is None else ", water=True is the distance of the positions"
        raise ValueError(f"{len(open_)} molecules of water, as that of atoms {open_[0][0]} and {open_[0][1]}, have two bonds O-H and no length H-H: "
                         f"give it as water=1.5139 (in the unit of the lengths), which makes them rigid{more}, or water=False, with which their "
                         "angle vibrates")
    added = apart(open_) if water is True and apart is not None else numpy.full(len(open_), float(water))
    return numpy.concatenate([pairs, open_]), numpy.concatenate([lengths, added])
