"""Data files for LAMMPS: many copies of a small molecule on a lattice, with room between them. Units lj, lengths about 1.

    systems.py NAME COPIES FILE        NAME: water, methyl, methane, ring, dioxide, cage, chain; COPIES along each edge
"""
import math
import random
import sys

# places of atoms, masses by type, types, bonds (type, i, j), angles (type, i, j, k), dihedral-free; equilibrium values in the file's head
ANGLE = math.radians(109.47122063449069)


def star(count):
    corners = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)][:count]
    return [(0, 0, 0)] + [tuple(c / math.sqrt(3) for c in corner) for corner in corners]


def molecule(name):
    if name == "water":
        half = ANGLE / 2
        return {"x": [(0, 0, 0), (math.sin(half), math.cos(half), 0), (-math.sin(half), math.cos(half), 0)], "type": [1, 2, 2],
                "bonds": [(1, 0, 1), (1, 0, 2)], "angles": [(1, 1, 0, 2)]}
    if name in ("methyl", "methane"):
        count = 3 if name == "methyl" else 4
        return {"x": star(count), "type": [1] + [2] * count, "bonds": [(1, 0, k) for k in range(1, count + 1)], "angles": []}
    if name == "ring":
        x = [(math.cos(k * math.pi / 3), math.sin(k * math.pi / 3), 0.25 * (-1) ** k) for k in range(6)]
        size = math.dist(x[0], x[1])
        return {"x": [tuple(c / size for c in p) for p in x], "type": [1, 2] * 3,
                "bonds": [(1, k, (k + 1) % 6) for k in range(6)], "angles": []}
    if name == "dioxide":
        return {"x": [(0, 0, 0), (1, 0, 0), (-1, 0, 0)], "type": [1, 2, 2], "bonds": [(1, 0, 1), (1, 0, 2)], "angles": [(1, 1, 0, 2)]}
    if name == "cage":  # two tetrahedra with a common face; the angle between their tips follows from the nine edges
        turns = [2 * math.pi * k / 3 for k in range(3)]
        x = [(math.cos(t) / math.sqrt(3), math.sin(t) / math.sqrt(3), 0) for t in turns] + [(0, 0, math.sqrt(2 / 3)), (0, 0, -math.sqrt(2 / 3))]
        return {"x": x, "type": [1, 1, 1, 2, 2], "bonds": [(1, 0, 1), (1, 0, 2), (1, 1, 2)] + [(1, i, j) for i in range(3) for j in (3, 4)],
                "angles": [(1, 3, 0, 4)]}
    raise SystemExit(f"no molecule {name}")


def snake(edge):
    """One chain through all points of a cubic lattice, and along the box's diagonal planes."""
    points = []
    for i in range(edge):
        for j in range(edge) if i % 2 == 0 else reversed(range(edge)):
            forward = (i * edge + (j if i % 2 == 0 else edge - 1 - j)) % 2 == 0
            points += [(i, j, k) for k in (range(edge) if forward else reversed(range(edge)))]
    return points


def system(name, copies):
    """Places, types, molecule numbers, bonds, angles, edge of the box."""
    if name == "chain":
        x = snake(copies)
        n = len(x)
        return x, [1 + k % 2 for k in range(n)], [1] * n, [(1, k, k + 1) for k in range(n - 1)], [], float(copies)
    one = molecule(name)
    room = 4.2 if name == "ring" else 3.6
    x, types, of, bonds, angles = [], [], [], [], []
    for c in range(copies ** 3):
        at = [room * (c // copies ** d % copies + 0.3) for d in range(3)]
        first = len(x)
        x += [tuple(p + a for p, a in zip(place, at)) for place in one["x"]]
        types += one["type"]
        of += [c + 1] * len(one["x"])
        bonds += [(t, first + i, first + j) for t, i, j in one["bonds"]]
        angles += [(t, first + i, first + j, first + k) for t, i, j, k in one["angles"]]
    return x, types, of, bonds, angles, room * copies


def write(name, copies, path, tilt=0.0, shuffled=True):
    x, types, of, bonds, angles, edge = system(name, copies)
    order = list(range(len(x)))
    if shuffled:
        random.Random(1).shuffle(order)  # tags in no order that helps
    with open(path, "w", encoding="utf-8") as file:
        put = lambda *words: print(*words, file=file)
        put(f"{name}, {copies} along each edge\n\n{len(x)} atoms\n{len(bonds)} bonds\n{len(angles)} angles")
        put(f"2 atom types\n1 bond types\n1 angle types\n\n0 {edge} xlo xhi\n0 {edge} ylo yhi\n0 {edge} zlo zhi")
        if tilt:
            put(f"{tilt * edge} {-tilt * edge} {tilt * edge} xy xz yz")
        put("\nMasses\n\n1 12.0\n2 1.0\n\nAtoms # molecular\n")
        for k, p in enumerate(x):
            put(order[k] + 1, of[k], types[k], *(f"{c:.15g}" for c in p))
        put("\nBonds\n")
        for k, (t, i, j) in enumerate(bonds):
            put(k + 1, t, order[i] + 1, order[j] + 1)
        if angles:
            put("\nAngles\n")
            for k, (t, *a) in enumerate(angles):
                put(k + 1, t, *(order[i] + 1 for i in a))


def bonds_of(path):
    """Pairs of IDs in a file that write has written."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\nBonds\n")[1].split("\nAngles\n")[0].split("\n")
    return [tuple(map(int, line.split()[2:])) for line in lines if line.strip()]


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
