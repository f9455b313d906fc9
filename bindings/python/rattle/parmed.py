"""Bonds of what ParmEd reads: PSF with parameters, prmtop of Amber, topologies of CHARMM and Tinker, MOL2 and mmCIF with parameters.

    structure = parmed.load_file("system.prmtop")
    bonds = rattle.parmed.bonds_of(structure, hydrogens=True)

ParmEd itself is not imported here. Lengths are the equilibrium lengths of the types of bonds, in Angstrom."""
from __future__ import annotations

import typing

import numpy

from rattle._water import close_water, with_mass
from rattle.bonds import Bonds

__all__ = ["bonds_of"]


def bonds_of(structure: typing.Any, hydrogens: bool = False, water: float | bool | None = None, **options: typing.Any) -> Bonds:
    """rattle.Bonds of all bonds of a structure, at the lengths of their types; bonds to atoms without mass (sites, lone pairs) are none,
    with a warning.

    hydrogens: those with hydrogen alone, by atomic number, whatever the mass. water: the length H-H of water that has two bonds O-H alone;
    False: its angle vibrates; without it such a file is refused. options: tolerance, solver, threads, as of rattle.Bonds."""
    masses = numpy.array([atom.mass for atom in structure.atoms], dtype=float)
    kept = [bond for bond in structure.bonds if not hydrogens or 1 in (bond.atom1.atomic_number, bond.atom2.atomic_number)]
    pairs = numpy.array([(bond.atom1.idx, bond.atom2.idx) for bond in kept], dtype=int).reshape(-1, 2)
    heavy = with_mass(pairs, masses, [atom.atomic_number and atom.element_name for atom in structure.atoms])
    for bond, real in zip(kept, heavy):
        if real and bond.type is None:
            raise ValueError(f"the bond of atoms {bond.atom1.idx} ({bond.atom1.name}) and {bond.atom2.idx} ({bond.atom2.name}) has no type and so no "
                             "length: load the parameters too, as structure.load_parameters(parameters) does for a PSF")
    lengths = numpy.array([bond.type.req for bond, real in zip(kept, heavy) if real], dtype=float)
    pairs, lengths = close_water(pairs[heavy], lengths, masses, water)
    return Bonds(pairs, lengths, masses, **options)
