"""Bonds of fixed length in ASE: FixBonds is a constraint as ASE's FixBondLengths, for any topology, solved by librattle_bonds.

    import rattle.ase
    atoms.set_constraint(rattle.ase.FixBonds(pairs))

Importing rattle does not import this module, which needs ASE. docs/ase.md is the guide."""
from __future__ import annotations

import math
import typing

import ase.constraints
import ase.geometry
import numpy

from rattle._c import Numbers
from rattle.bonds import Bonds, _indices, _numbers
from rattle.errors import RattleError
from rattle.sites import Sites

__all__ = ["FixBonds"]

FAR = 1e30  # the edge of a box in a direction that is not periodic
# constraints that move atoms one by one after others have placed them
_OTHERS = tuple(getattr(ase.constraints, name) for name in ("FixBondLengths", "FixCartesian", "FixInternals", "FixLinearTriatomic", "FixScaled",
                                                           "FixedLine", "FixedPlane") if hasattr(ase.constraints, name))


class FixBonds(ase.constraints.FixConstraint):
    """Keeps the lengths of bonds, and angles, in molecular dynamics and in optimisations.

    pairs: two atoms of each bond [bonds, 2]; bondlengths: in Angstrom [bonds]; without them those of the atoms when the constraint is first
    used, by nearest images. tolerance: largest relative error of a length, and of its rate |r.v|/(d |v|). angles: three atoms of each angle that
    is kept, the second at its tip, which has bonds with the others [angles, 3]; values: in degrees, or those of the atoms at first use.
    solver: one of rattle.bonds.solvers(); threads: that share the molecules.
    sites: constructed sites by their numbers, each with its kind, parents and numbers, as of rattle.sites.Sites (Angstrom, radians). They are placed
    after the bonds, have no momenta, and forces on them are spread over their parents; their masses mean nothing, and must be above 0 for ASE.
    Atoms that ase.constraints.FixAtoms holds do not move, whatever the order of the constraints. A bond that follows from others takes no degree
    of freedom.
    constraint_forces: after atoms.get_forces(), what the constraint has added to the forces."""

    def __init__(self, pairs: Numbers, bondlengths: Numbers | None = None, tolerance: float = 1e-10, *, angles: Numbers = (),
                 values: Numbers | None = None, solver: str | None = None, threads: int = 1,
                 sites: typing.Mapping[int, typing.Sequence[typing.Any]] | None = None):
        self.pairs, self.angles = _indices(pairs, 2, "pairs"), _indices(angles, 3, "angles")
        if self.pairs.min(initial=0) < 0 or self.angles.min(initial=0) < 0:
            raise ValueError("FixBonds: atoms have numbers from 0 on")
        self.bondlengths = None if bondlengths is None else _numbers(bondlengths, len(self.pairs), "bondlengths")
        self.values = None if values is None else _numbers(values, len(self.angles), "values")
        if not 1e-15 <= tolerance < 0.1:
            raise ValueError(f"tolerance {tolerance!r}: it is a relative error of lengths, from 1e-15 to 0.1")
        self.tolerance, self.solver, self.threads = tolerance, solver, threads
        self.sites = {int(site): tuple(of) for site, of in (sites or {}).items()}
        self.constraint_forces: numpy.ndarray | None = None
        self._forget()

    def adjust_positions(self, atoms, new):
        """Moves the new positions along the bonds of atoms.positions until all lengths are right."""
        if len(self.pairs):
            self._keep(atoms, new)
        if self.sites:
            frame = _Frame(atoms.cell.array, atoms.pbc)
            moved, placed = numpy.array(frame.turn(new)), self._constructed(atoms)
            self._run(placed.positions, moved, box=frame.box)
            new[placed.numbers] = frame.back(moved[placed.numbers])

    def _keep(self, atoms, new):
        bonds, frame = self._prepare(atoms), self._frame(atoms)
        fixed = numpy.isinf(bonds.masses)
        new[fixed] = atoms.positions[fixed]
        moved = frame.turn(new)
        before = None if moved is new else moved.copy()
        self._run(bonds.positions, frame.turn(atoms.positions), moved, None, 1.0, frame.box)
        if before is not None:
            new[self._index] += frame.back((moved - before)[self._index])

    def adjust_momenta(self, atoms, momenta):
        """Removes from the momenta what changes lengths at atoms.positions; sites have none."""
        momenta[list(self.sites)] = 0
        if not len(self.pairs):
            return
        bonds, frame = self._prepare(atoms), self._frame(atoms)
        index, fixed = self._index, numpy.isinf(bonds.masses)
        momenta[fixed] = 0
        masses = numpy.where(fixed, 1, bonds.masses)[:, None]
        rates = frame.turn(momenta/masses)
        before = rates.copy()
        self._run(bonds.velocities, frame.turn(atoms.positions), rates, frame.box)
        momenta[index] += masses[index]*frame.back((rates - before)[index])

    def adjust_forces(self, atoms, forces):
        """Spreads the forces on sites, and removes what would accelerate lengths; constraint_forces holds the difference that this makes."""
        self.redistribute_forces_md(atoms, forces)
        before = forces.copy()
        self.adjust_momenta(atoms, forces)
        self.constraint_forces = forces - before

    def redistribute_forces_md(self, atoms, forces, rand=False):
        """Spreads the forces on sites over their parents, which ASE asks for in dynamics. rand: they are the random numbers of Langevin's
        dynamics, of which parents have their own and sites none."""
        if not self.sites:
            return
        if rand:
            forces[list(self.sites)] = 0
            return
        frame = _Frame(atoms.cell.array, atoms.pbc)
        turned = numpy.array(frame.turn(forces))
        self._run(self._constructed(atoms).forces, frame.turn(atoms.positions), turned, box=frame.box)
        forces[:] = frame.back(turned)

    def get_removed_dof(self, atoms):
        """Degrees of freedom that the bonds remove, and three of each site; those of atoms that FixAtoms holds are counted there."""
        return 3*len(self.sites) + (round(float(self._prepare(atoms).removed()[0])) if len(self.pairs) else 0)

    def get_indices(self):
        return numpy.unique([*self.pairs.ravel().tolist(), *self.sites])

    def check(self, atoms) -> dict[str, typing.Any]:
        """The result of `rattle bonds check` for these atoms: kinds of molecules, condition, rank (rattle.Bonds.check)."""
        if not len(self.pairs):
            raise ValueError("FixBonds: there are no bonds to check")
        bonds, frame = self._prepare(atoms), self._frame(atoms)
        return bonds.check(frame.turn(atoms.positions), frame.box)

    def index_shuffle(self, atoms, ind):
        """The bonds among the atoms of a selection, with their numbers there. IndexError: there are none."""
        chosen = numpy.arange(len(atoms))[ind]
        if len(numpy.unique(chosen)) < len(chosen):
            values, counts = numpy.unique(chosen, return_counts=True)
            raise ValueError(f"FixBonds: atom {values[counts > 1][0]} occurs twice in the selection; remove the constraint first")
        place = numpy.full(len(atoms), -1)
        place[chosen] = numpy.arange(len(chosen))
        pairs, angles = place[self.pairs], place[self.angles]
        kept, bent = (pairs >= 0).all(axis=1), (angles >= 0).all(axis=1)
        whole = {int(place[site]): (kind, place[numpy.asarray(parents)].tolist(), *more) for site, (kind, parents, *more) in self.sites.items()
                 if place[site] >= 0 and (place[numpy.asarray(parents)] >= 0).all()}
        if not kept.any() and not whole:
            raise IndexError("FixBonds: no bond is among the atoms of the selection")
        self.sites = whole
        self.pairs, self.angles = _indices(pairs[kept], 2, "pairs"), _indices(angles[bent], 3, "angles")
        if self.bondlengths is not None:
            self.bondlengths = _numbers(self.bondlengths[kept], None, "bondlengths")
        if self.values is not None:
            self.values = _numbers(self.values[bent], None, "values")
        self._forget()

    def todict(self):
        arguments = {"pairs": self.pairs.tolist(), "tolerance": self.tolerance}
        if self.bondlengths is not None:
            arguments["bondlengths"] = self.bondlengths.tolist()
        if len(self.angles):
            arguments["angles"] = self.angles.tolist()
            if self.values is not None:
                arguments["values"] = self.values.tolist()
        if self.solver is not None:
            arguments["solver"] = self.solver
        if self.threads != 1:
            arguments["threads"] = self.threads
        if self.sites:
            arguments["sites"] = {site: (kind, numpy.asarray(parents).tolist(), *(numpy.asarray(of, dtype=float).tolist() for of in more))
                                  for site, (kind, parents, *more) in self.sites.items()}
        return {"name": "FixBonds", "kwargs": arguments}

    def copy(self):
        return FixBonds(**self.todict()["kwargs"])

    def __repr__(self):
        return f"FixBonds({', '.join(f'{name}={value!r}' for name, value in self.todict()['kwargs'].items())})"

    def __getstate__(self):
        return self.todict()["kwargs"]

    def __setstate__(self, state):
        self.__init__(**state)

    # what was made for the atoms when they were last seen

    def _forget(self):
        self._bonds, self._masses, self._cell, self._longest, self._index = None, None, None, None, numpy.unique(self.pairs)
        self._sites: Sites | None = None

    def _prepare(self, atoms):
        """The Bonds of these atoms, made anew where masses or what FixAtoms holds have changed."""
        masses = atoms.get_masses()
        if len(self._index) and not 0 <= self._index[0] <= self._index[-1] < len(atoms):
            bad = self._index[0] if self._index[0] < 0 else self._index[-1]
            raise IndexError(f"FixBonds: a bond names atom {bad}, and there are {len(atoms)} atoms, from 0 on")
        masses[self._fixed(atoms)] = numpy.inf
        if self._bonds is not None and numpy.array_equal(masses, self._masses):
            return self._bonds
        bonded = numpy.zeros(len(atoms), dtype=bool)
        bonded[self._index] = True
        for atom in numpy.flatnonzero(bonded & ~(masses > 0)):
            raise ValueError(f"FixBonds: atom {atom} ({atoms.symbols[atom]}) has bonds and the mass {masses[atom]:g}; give it one by atoms.set_masses")
        self._measure(atoms)
        moving = numpy.isfinite(masses[self.pairs]).any(axis=1) if len(self.pairs) else numpy.zeros(0, dtype=bool)
        self._bonds = self._run(Bonds, self.pairs[moving], self.bondlengths[moving], numpy.where(bonded, masses, 1), tolerance=self.tolerance,
                                solver=self.solver, threads=self.threads, **self._bends(moving))
        self._masses = masses
        return self._bonds

    def _constructed(self, atoms):
        """The Sites among these atoms."""
        if self._sites is None or self._sites.atoms != len(atoms):
            self._sites = self._run(Sites, len(atoms), self.sites)
        return self._sites

    def _run(self, function, *arguments, **options):
        try:
            return function(*arguments, **options)
        except RattleError as error:
            error.message = f"FixBonds: {error.message}"
            raise

    def _bends(self, moving):
        if len(self.angles) and not moving.all():
            held = self.pairs[~moving][0]
            raise ValueError(f"FixBonds: FixAtoms holds both atoms {held[0]} and {held[1]} of a bond, which FixBonds does not take together with angles")
        return {"angles": self.angles, "values": numpy.radians(self.values)} if len(self.angles) else {}

    def _measure(self, atoms):
        """Lengths and angles that were not given: those of the atoms."""
        x = atoms.positions
        if self.bondlengths is None:
            i, j = self.pairs.T
            self.bondlengths = _numbers(ase.geometry.find_mic(x[j] - x[i], atoms.cell, atoms.pbc)[1] if len(i) else [], None, "bondlengths")
        if self.values is None:
            i, j, k = self.angles.T
            bends = ase.geometry.get_angles(x[i] - x[j], x[k] - x[j], atoms.cell, atoms.pbc) if len(i) else []
            self.values = _numbers(bends, None, "values")

    def _fixed(self, atoms):
        """Atoms of FixAtoms. Refuses constraints that other constraints would spoil afterwards."""
        fixed = numpy.zeros(len(atoms), dtype=bool)
        for other in atoms.constraints:
            if isinstance(other, ase.constraints.FixAtoms):
                fixed[other.get_indices()] = True
            elif isinstance(other, (FixBonds, *_OTHERS)) and not (isinstance(other, FixBonds) and numpy.array_equal(other.pairs, self.pairs)):
                for atom in numpy.intersect1d(self._index, other.get_indices() if hasattr(other, "get_indices") else self._index):
                    raise ValueError(f"FixBonds: atom {atom} is in a {type(other).__name__} too, and one would undo the other; put all bonds into one FixBonds")
        return fixed

    def _sides(self):
        """Pairs of atoms and their distances, third sides of angles included."""
        known = {frozenset(pair): length for pair, length in zip(self.pairs.tolist(), self.bondlengths.tolist())}
        yield from zip(self.pairs.tolist(), self.bondlengths.tolist())
        for (i, j, k), value in zip(self.angles.tolist(), numpy.radians(self.values).tolist()):
            a, b = known[frozenset((i, j))], known[frozenset((j, k))]
            yield (i, k), math.sqrt(a*a + b*b - 2*a*b*math.cos(value))

    def _frame(self, atoms):
        """The frame of the cell. Nearest images are those of the bonds if these are shorter than half of it."""
        key = atoms.cell.array.tobytes(), atoms.pbc.tobytes()
        if self._cell is None or self._cell[0] != key:
            frame = _Frame(atoms.cell.array, atoms.pbc)
            self._longest = self._longest or max(self._sides(), key=lambda side: side[1])
            (i, j), length = self._longest
            if frame.box is not None and length >= numpy.diag(frame.box).min()/2:
                raise ValueError(f"FixBonds: atoms {i} and {j} are kept at {length:g}, which is not shorter than half of the periodic cell")
            self._cell = key, frame
        return self._cell[1]


class _Frame:
    """The periodic cell as the library takes it, lower triangular: its periodic vectors, reduced, in axes that lie along them.

    box: rows, or None; axes: of the frame, as rows, or None where they are those of the atoms"""

    def __init__(self, cell, pbc):
        self.box, self.axes = None, None
        edges = cell[pbc]
        if not len(edges):
            return
        if numpy.linalg.matrix_rank(edges) < len(edges):
            raise ValueError("FixBonds: the cell is periodic along a vector that is zero or depends on the others")
        if numpy.count_nonzero(edges) == len(edges) and numpy.diag(cell)[pbc].all():
            self.box = numpy.diag(numpy.where(pbc, abs(numpy.diag(cell)), FAR))
            return
        edges = ase.geometry.minkowski_reduce(ase.geometry.complete_cell(cell), pbc)[0][pbc]
        if len(edges) == 3 and numpy.linalg.det(edges) < 0:
            edges[2] *= -1  # the same lattice; axes that are no mirror image keep the sides of sites
        across, below = numpy.linalg.qr(edges.T, mode="complete")
        self.axes = across.T
        self.axes[:len(edges)] *= numpy.where(numpy.diag(below) < 0, -1, 1)[:, None]
        if len(edges) < 3 and numpy.linalg.det(self.axes) < 0:
            self.axes[2] *= -1
        self.box = numpy.diag([FAR]*3)
        self.box[:len(edges)] = edges @ self.axes.T
        self.box[numpy.triu_indices(3, 1)] = 0

    def turn(self, vectors):
        return numpy.ascontiguousarray(vectors if self.axes is None else vectors @ self.axes.T)

    def back(self, vectors):
        return vectors if self.axes is None else vectors @ self.axes


# files of ASE are read by the names in ase.constraints
if not hasattr(ase.constraints, "FixBonds"):
    ase.constraints.FixBonds = FixBonds
    ase.constraints.__all__.append("FixBonds")
