"""Bonds of what MDAnalysis reads: topologies of CHARMM, Amber, GROMACS, PDB and many others.

    universe = MDAnalysis.Universe("protein.psf", "protein.dcd")
    bonds = rattle.mdanalysis.bonds_of(universe)
    print(bonds.check(universe.atoms.positions, rattle.mdanalysis.box_of(universe)))

MDAnalysis itself is not imported here: atoms with masses, positions and bonds are all that is used. Lengths are in Angstrom, masses in its units."""
from __future__ import annotations

import typing

import numpy

from rattle._c import Array
from rattle._water import close_water, with_hydrogen, with_mass
from rattle.bonds import Bonds

__all__ = ["bonds_of", "box_of"]


def box_of(universe: typing.Any) -> Array | None:
    """The edges of the periodic box as rows of a lower triangular matrix, as the stages of rattle.Bonds take them; None: there is no box."""
    given = universe.dimensions
    if given is None or not numpy.any(given):
        return None
    a, b, c, *angles = (float(k) for k in given)
    if not (min(a, b, c) > 0 and all(0 < k < 180 for k in angles)):
        raise ValueError(f"dimensions: expected three edges above 0 and three angles of 0 to 180 degrees, found {list(given)}")
    alpha, beta, gamma = (0.0 if k == 90 else numpy.cos(numpy.radians(k)) for k in angles)
    sine = numpy.sqrt(1 - gamma*gamma)
    across = (alpha - beta*gamma)/sine
    height = 1 - beta*beta - across*across
    if not height > 0:
        raise ValueError(f"dimensions: no box has the angles {angles}")
    return numpy.array([[a, 0, 0], [b*gamma, b*sine, 0], [c*beta, c*across, c*numpy.sqrt(height)]])


def bonds_of(universe: typing.Any, hydrogens: bool = False, water: float | bool | None = None, **options: typing.Any) -> Bonds:
    """rattle.Bonds of all bonds of a universe, at the lengths that its positions have, by nearest images.

    Bonds to atoms without mass, whose places follow from others, are none, with a warning. hydrogens: those with hydrogen alone, by elements, or by
    masses below 3.5 where a file names none. water: the length H-H of water that has two bonds O-H alone, as in many PDB and PSF files; True: as its
    positions have it; False: none, its angle vibrates; without it such a file is refused. options: tolerance, solver, threads, as of rattle.Bonds.
    Positions of MDAnalysis are floats: lengths have their round-off, and so have molecules that are to have equal ones."""
    atoms, box = universe.atoms, box_of(universe)
    masses, at = numpy.asarray(atoms.masses, dtype=float), numpy.asarray(atoms.positions, dtype=float)
    if not hasattr(atoms, "bonds"):
        raise ValueError("there are no bonds: MDAnalysis finds none in this file. Load a topology that has them, as PSF, prmtop or PDB with CONECT, or let "
                         "universe.atoms.guess_bonds() guess them by distances")
    pairs = numpy.asarray(atoms.bonds.to_indices(), dtype=int).reshape(-1, 2)
    elements = getattr(atoms, "elements", None)
    pairs = pairs[with_mass(pairs, masses, elements)]
    if hydrogens:
        pairs = pairs[with_hydrogen(pairs, masses, elements)]

    def apart(pairs: numpy.ndarray) -> Array:
        r = at[pairs[:, 0]] - at[pairs[:, 1]]
        for e in (2, 1, 0) if box is not None else ():
            r -= numpy.round(r[:, e:e + 1]/box[e, e])*box[e]
        found = numpy.linalg.norm(r, axis=1)
        if box is not None and len(found) and not 2*found.max() < box.diagonal().min():
            i, j = pairs[found.argmax()]
            raise ValueError(f"the box is {box.diagonal().min():.6g} wide, and the bond of atoms {i} and {j}, of {found.max():.6g}, is not shorter than half "
                             "of that: its nearest image may be another atom")
        return found

    pairs, lengths = close_water(pairs, apart(pairs), masses, water, apart)
    return Bonds(pairs, lengths, masses, **options)
