"""Constrained molecules solved densely with numpy, one by one: what the plug-ins, and the constraints of LAMMPS and OpenMM, are compared with.

Rows of constraints are g(x) = 0 with a matrix G = dg/dx: a distance |x_i - x_j| - d, and for an atom c on the line of i and j the three rows
x_c - (1 - a) x_i - a x_j. A step is RATTLE's (Andersen, J. Comput. Phys. 52 (1983) 24): v += h/2 f/m; x' = x + h v - M^-1 G(x)^T s with g(x') = 0;
v = (x' - x)/h + h/2 f(x')/m without its part in the range of M^-1 G(x')^T. Linear systems are solved in the sense of least squares, so that rows may
depend on one another. Forces are springs to the places of the start. Nothing of librattle or of an engine is used."""
import numpy


class Molecule:
    """masses [n]; shape: places [n, 3]; bonds: pairs; angles: (i, j, k) at j, whose third side is kept too; lines: (i, c, j)."""

    def __init__(self, masses, shape, bonds, angles=(), lines=()):
        self.masses, self.shape = numpy.array(masses, float), numpy.array(shape, float)
        self.bonds, self.angles, self.lines = list(bonds), list(angles), list(lines)

    def length(self, i, j):
        return float(numpy.linalg.norm(self.shape[i] - self.shape[j]))

    def pairs(self):
        """All that are kept, as an engine has them."""
        return self.bonds + [(i, k) for i, _, k in self.angles]

    def rows(self):
        """(pairs, lengths, lines with their weights) of the dense solution: inner atoms of lines are placed, and have no distances."""
        inner = {c for _, c, _ in self.lines}
        pairs = [(i, j) for i, j in self.pairs() if not inner & {i, j}]
        return pairs, [self.length(*pair) for pair in pairs], [(i, c, j, self.length(i, c)/self.length(i, j)) for i, c, j in self.lines]


def values(rows, x):
    """g(x) and G(x)."""
    pairs, lengths, lines = rows
    g, matrix = numpy.zeros(len(pairs) + 3*len(lines)), numpy.zeros((len(pairs) + 3*len(lines), len(x), 3))
    for k, ((i, j), d) in enumerate(zip(pairs, lengths)):
        r = x[i] - x[j]
        now = numpy.linalg.norm(r)
        g[k], matrix[k, i], matrix[k, j] = now - d, r/now, -r/now
    for k, (i, c, j, a) in enumerate(lines):
        at = slice(len(pairs) + 3*k, len(pairs) + 3*k + 3)
        g[at] = x[c] - (1 - a)*x[i] - a*x[j]
        matrix[at, c], matrix[at, i], matrix[at, j] = numpy.eye(3), -(1 - a)*numpy.eye(3), -a*numpy.eye(3)
    return g, matrix.reshape(len(g), -1)


def solve(matrix, wanted):
    return numpy.linalg.lstsq(matrix, wanted, rcond=1e-9)[0]


def rank(molecule):
    """Degrees of freedom that the constraints take, at its shape."""
    return numpy.linalg.matrix_rank(values(molecule.rows(), molecule.shape)[1], tol=1e-9)


def place(rows, masses, before, x):
    """x moved along the rows at `before` until g(x) = 0."""
    inverse, steer = numpy.repeat(1/masses, 3), values(rows, before)[1]
    for _ in range(60):
        g, matrix = values(rows, x)
        if abs(g).max() < 4e-16*abs(x - x[0]).max():
            break
        change = inverse*(steer.T @ solve(matrix*inverse @ steer.T, g))
        x = x - change.reshape(x.shape)
    if abs(g).max() > 1e-13*abs(x - x[0]).max():
        raise ArithmeticError(f"the dense solution has an error of {abs(g).max():.1e}")
    return x


def project(rows, masses, x, v):
    """v without its part that changes g."""
    inverse, matrix = numpy.repeat(1/masses, 3), values(rows, x)[1]
    for _ in range(2):
        v = v - (inverse*(matrix.T @ solve(matrix*inverse @ matrix.T, matrix @ v.ravel()))).reshape(v.shape)
    return v


class System:
    """Copies of molecules: `start` and `velocities` [n, 3], all atoms one after another; `of`: (molecule, its first atom)."""

    def __init__(self, molecules, seed=1, edge=4.0, size=1.0, spring=0.0, energy=1.0, pushed=0.0, off=0.0):
        """On a cubic lattice of that edge, turned at random. Velocities have the energy of one degree of freedom (kT), and keep the lengths but for the
        share `pushed`; off: places are moved by that length times a random number of [-1, 1]. Lengths are multiplied by `size`."""
        random = numpy.random.default_rng(seed)
        self.of, places, speeds, self.spring = [], [], [], spring
        self.edge = edge*size*int(numpy.ceil(len(molecules)**(1/3)))
        for number, m in enumerate(molecules):
            turned = Molecule(m.masses, size*m.shape @ numpy.linalg.qr(random.normal(size=(3, 3)))[0].T, m.bonds, m.angles, m.lines)
            count = round(self.edge/(edge*size))
            at = edge*size*(numpy.array([number % count, number//count % count, number//count**2]) + 0.5)
            v = random.normal(size=turned.shape.shape)*numpy.sqrt(energy/turned.masses)[:, None]
            kept = project(turned.rows(), turned.masses, turned.shape, v)
            self.of.append((turned, sum(len(p) for p in places)))
            places.append(turned.shape + at + off*size*random.uniform(-1, 1, turned.shape.shape))
            speeds.append(kept + pushed*(v - kept))
        self.start, self.velocities = numpy.vstack(places), numpy.vstack(speeds)
        self.masses = numpy.concatenate([m.masses for m in molecules])

    def kinetic(self, v):
        return float(0.5*numpy.sum(self.masses[:, None]*v**2))

    def energy(self, x, v):
        return self.kinetic(v) + float(0.5*self.spring*numpy.sum((x - self.start)**2))

    def taken(self):
        return int(sum(rank(m) for m, _ in self.of))

    def lengths(self, x):
        """The largest relative error of a length."""
        return max(abs(float(numpy.linalg.norm(x[first + i] - x[first + j]))/m.length(i, j) - 1) for m, first in self.of for i, j in m.pairs())

    def keeping(self, x, v):
        """v without what changes lengths at x."""
        return numpy.vstack([project(m.rows(), m.masses, x[first:first + len(m.masses)], v[first:first + len(m.masses)]) for m, first in self.of])

    def constraint_forces(self, x, v, force):
        """-G^T s for which g has no second derivative: G M^-1 (f - G^T s) + (dG/dt) v = 0, with velocities that keep g."""
        result = numpy.zeros_like(x)
        for m, first in self.of:
            here = slice(first, first + len(m.masses))
            rows, inverse = m.rows(), numpy.repeat(1/m.masses, 3)
            u, matrix = project(rows, m.masses, x[here], v[here]), values(rows, x[here])[1]
            turning = numpy.zeros(len(matrix))  # of a distance d its second derivative along u is |u_i - u_j|^2/d
            for k, ((i, j), d) in enumerate(zip(*rows[:2])):
                turning[k] = numpy.sum((u[i] - u[j])**2)/d
            result[here] = -(matrix.T @ solve(matrix*inverse @ matrix.T, matrix @ (inverse*force[here].ravel()) + turning)).reshape(-1, 3)
        return result

    def run(self, steps, h):
        """Places and velocities at the end, and the energy after each step. Places of the start are moved until lengths are right, along the bonds that
        they have; velocities lose what changes lengths."""
        x, v, energies = self.start.copy(), self.velocities.copy(), numpy.zeros(steps + 1)
        for m, first in self.of:
            here = slice(first, first + len(m.masses))
            rows, masses, start, at, u = m.rows(), m.masses, self.start[here], x[here], v[here]
            by = self.spring/masses[:, None]
            at = place(rows, masses, at, at)
            u = project(rows, masses, at, u)
            for k in range(steps + 1):
                energies[k] += 0.5*numpy.sum(masses[:, None]*u**2) + 0.5*self.spring*numpy.sum((at - start)**2)
                if k == steps:
                    break
                u = u - 0.5*h*by*(at - start)
                before, at = at, place(rows, masses, at, at + h*u)
                u = project(rows, masses, at, (at - before)/h - 0.5*h*by*(at - start))
            x[here], v[here] = at, u
        return x, v, energies


def bent(angle):
    """Three atoms with two sides of length 1 and this angle between them, in degrees."""
    half = numpy.radians(angle)/2
    return [(0, 0, 0), (numpy.sin(half), numpy.cos(half), 0), (-numpy.sin(half), numpy.cos(half), 0)]


def rhomboid(fold):
    """Two triangles with a common side, as the core of a cholesterol model, one turned about it by this angle, in degrees."""
    x = numpy.array([(0, 0, 0), (1.5, 0, 0), (0.75, 0.5, 0), (2.25, 0.5, 0)])
    axis, r, turn = (x[1] - x[2])/numpy.linalg.norm(x[1] - x[2]), x[3] - x[1], numpy.radians(fold)
    x[3] = x[1] + numpy.cos(turn)*r + numpy.sin(turn)*numpy.cross(axis, r) + (1 - numpy.cos(turn))*(axis @ r)*axis
    return x


def cage():
    """Two tetrahedra with a common face."""
    around = 2*numpy.pi*numpy.arange(3)/3
    return [(numpy.cos(t)/3**0.5, numpy.sin(t)/3**0.5, 0) for t in around] + [(0, 0, (2/3)**0.5), (0, 0, -(2/3)**0.5)]


SIDES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
MOLECULES = {
    "H2O": Molecule([16, 1, 1], bent(109.47), [(0, 1), (0, 2)], [(1, 0, 2)]),
    "HDO": Molecule([16, 1, 2], bent(109.47), [(0, 1), (0, 2)], [(1, 0, 2)]),
    "CO2": Molecule([12, 16, 16], [(0, 0, 0), (1, 0, 0), (-1, 0, 0)], [(0, 1), (0, 2)], [(1, 0, 2)], [(1, 0, 2)]),
    "HCN": Molecule([12, 1, 14], [(0, 0, 0), (0.9, 0, 0), (-1, 0, 0)], [(0, 1), (0, 2)], [(1, 0, 2)], [(1, 0, 2)]),
    "flat rhomboid": Molecule([12, 12, 12, 12], rhomboid(0), SIDES),
    "bent rhomboid": Molecule([12, 12, 12, 12], rhomboid(50), SIDES),
    "cage with ten distances": Molecule([12, 12, 12, 4, 4], cage(), [(i, j) for j in range(5) for i in range(j)]),
}
