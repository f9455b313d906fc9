"""The molecules that bench_peers wrote: many copies of one, in nm, ps and u."""
import numpy


class Molecules:
    def __init__(self, copies, box, pairs, lengths, masses, x, v):
        self.copies, self.box = copies, box
        self.pairs, self.lengths, self.masses = pairs, lengths, masses  # of one molecule
        self.x, self.v = x, v                                           # of all
        self.atoms, self.bonds = len(masses), len(pairs)

    def errors(self, x, v=None):
        """The largest relative error of a bond and the largest rate of one; molecules may be wrapped into the box."""
        first = numpy.arange(self.copies)[:, None]*self.atoms
        i, j = ((first + self.pairs[:, k]).ravel() for k in (0, 1))
        r = x[i] - x[j]
        r -= self.box*numpy.rint(r/self.box)
        size = numpy.linalg.norm(r, axis=1)
        error = abs(size/numpy.tile(self.lengths, self.copies) - 1).max()
        return error, None if v is None else abs((r*(v[i] - v[j])).sum(axis=1)/size).max()


def read(path):
    with open(path, "rb") as file:
        atoms, bonds, copies = numpy.fromfile(file, numpy.int32, 3)
        box = numpy.fromfile(file, count=3)
        pairs = numpy.fromfile(file, numpy.int32, 2*bonds).reshape(-1, 2)
        lengths, masses = numpy.fromfile(file, count=bonds), numpy.fromfile(file, count=atoms)
        x, v = (numpy.fromfile(file, count=3*atoms*copies).reshape(-1, 3) for _ in range(2))
    return Molecules(int(copies), box, pairs, lengths, masses, x, v)
