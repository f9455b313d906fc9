"""The seven mechanisms, each once as data in the axes of the world at the start, and the files that programs read: NAME.txt, NAME.lua for librattle, NAME.xml
and NAME.stiff.xml for MuJoCo.

    python3 -m peers.mechanisms.systems FOLDER      in bench: writes all files

A body has R (its axes as columns), c (centre of mass), J (the point of its joint), a (the axis of a hinge), rate (of the hinge, or the relative spin in axes
of the body), v and w (velocity and spin in the world)."""
import math
import os
import sys

import numpy

HINGE, BALL, FREE = 0, 1, 2
BAR = (0.02, 0.09, 0.1)
X, Y, Z = numpy.eye(3)


def rotation(axis, angle):
    x, y, z = numpy.asarray(axis, float)/numpy.linalg.norm(axis)
    K = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return numpy.eye(3) + math.sin(angle)*K + (1 - math.cos(angle))*K @ K


class Body:
    def __init__(self, parent, joint, mass, inertia, R, c, J, a=Z, rate=(0, 0, 0)):
        self.parent, self.joint, self.mass, self.inertia = parent, joint, float(mass), numpy.array(inertia, float)
        self.R, self.c, self.J, self.a, self.rate = (numpy.array(values, float) for values in (R, c, J, a, rate))
        self.v, self.w = numpy.zeros(3), numpy.zeros(3)

    def inner(self, point):
        """A point of the world in the axes of the body, from its centre of mass."""
        return self.R.T @ (point - self.c)


class Loop:
    """A hinge that closes a loop, of bodies one and two (-1: the ground)."""

    def __init__(self, one, two, J, a):
        self.one, self.two, self.J, self.a = one, two, numpy.array(J, float), numpy.array(a, float)


class System:
    def __init__(self, name, gravity):
        self.name, self.gravity, self.bodies, self.loops, self.tip = name, numpy.array(gravity, float), [], [], numpy.array([0.5, 0, 0])
        self.last = None  # the body whose tip is compared

    def add(self, *given, **named):
        self.bodies.append(Body(*given, **named))
        self.last = len(self.bodies) - 1

    def set_velocities(self):
        """v and w from the rates of all joints."""
        for b in self.bodies:
            spin = b.a*b.rate[0] if b.joint == HINGE else b.R @ b.rate
            if b.parent < 0:
                b.w, at_joint = spin, numpy.zeros(3)
            else:
                p = self.bodies[b.parent]
                b.w, at_joint = p.w + spin, p.v + numpy.cross(p.w, b.J - p.c)
            b.v = at_joint + numpy.cross(b.w, b.c - b.J)

    def opening_rates(self):
        """The rates at which loops open: of the point, and of the direction of the axis."""
        rates = []
        for loop in self.loops:
            v, w = numpy.zeros((2, 3)), numpy.zeros((2, 3))
            for k, i in enumerate((loop.one, loop.two)):
                if i >= 0:
                    b = self.bodies[i]
                    v[k], w[k] = b.v + numpy.cross(b.w, loop.J - b.c), b.w
            rates += [*(v[0] - v[1]), *numpy.cross(w[0] - w[1], loop.a)]
        return numpy.array(rates)

    def drive(self, rate):
        """Rates with which the loops stay closed, the first hinge turning at this one."""
        columns = []
        for k in range(len(self.bodies)):
            for j, b in enumerate(self.bodies):
                b.rate = numpy.array([float(j == k), 0, 0])
            self.set_velocities()
            columns.append(self.opening_rates())
        A = numpy.array(columns).T
        rest = numpy.linalg.lstsq(A[:, 1:], -A[:, 0]*rate, rcond=1e-10)[0]
        for b, value in zip(self.bodies, [rate, *rest]):
            b.rate = numpy.array([value, 0, 0])


def chain50():
    """Fifty bodies on balls in a straight line, let go: all of them fall nearly freely (bench/bodies.lua)."""
    s = System("chain50", (0, 0, -1))
    for i in range(50):
        s.add(i - 1, BALL, 1, BAR, numpy.eye(3), (i + 0.5, 0, 0), (i, 0, 0))
    return s


def chain50b():
    """The same bodies, bent."""
    s, J = System("chain50b", (0, 0, -9.81)), numpy.zeros(3)
    for i in range(50):
        R = rotation(Z, 0.4*math.sin(0.9*i)) @ rotation(Y, math.pi/2 - 0.8 - 0.5*math.sin(0.7*i))
        s.add(i - 1, BALL, 1, BAR, R, J + 0.5*R[:, 0], J)
        J = J + R[:, 0]
    return s


def tree30():
    """A binary tree of thirty bodies on hinges, whose axes alternate."""
    s = System("tree30", (0, 0, -9.81))
    for i in range(30):
        axis = (Y, X, Z)[int(math.log2(i + 1)) % 3]
        up, J = numpy.eye(3), numpy.zeros(3)
        if i:
            p = s.bodies[(i - 1)//2]
            up, J = p.R, p.c + p.R @ [0.1 if i % 2 else -0.1, 0.05, -0.25]
        R = up @ rotation(axis, 0.5 + 0.3*math.sin(1 + i))
        s.add((i - 1)//2 if i else -1, HINGE, 1, (0.025, 0.02, 0.012), R, J + R @ [0.03, 0, -0.25], J, a=up @ axis)
    s.tip = numpy.array([0, 0, -0.25])
    return s


def chain10():
    """Ten bars on hinges, whose axes alternate."""
    s, J, up = System("chain10", (0, 0, -9.81)), numpy.zeros(3), numpy.eye(3)
    for i in range(10):
        axis = Z if i % 2 else Y
        R = up @ rotation(axis, 0.3 + 0.2*math.sin(i))
        s.add(i - 1, HINGE, 1, BAR, R, J + 0.5*R[:, 0], J, a=up @ axis)
        J, up = J + R[:, 0], R
    return s


def fourbar():
    """Bars of 0.4, 1 and 0.8 over a frame of 1, on four parallel hinges in space: three of the conditions follow from the others."""
    s, P, C = System("fourbar", (0, -9.81, 0)), 0.4*numpy.array([math.cos(1), math.sin(1), 0]), numpy.array([1.0, 0, 0])
    D = numpy.linalg.norm(C - P)
    up = math.atan2(C[1] - P[1], C[0] - P[0]) + math.acos((1 + D*D - 0.64)/(2*D))
    points = [numpy.zeros(3), P, P + [math.cos(up), math.sin(up), 0], C]
    for i in range(3):
        length = numpy.linalg.norm(points[i + 1] - points[i])
        x = (points[i + 1] - points[i])/length
        thick, long = 0.005*length, (length**2 + 0.01)*length/12
        s.add(i - 1, HINGE, length, (thick, long, long), numpy.column_stack([x, numpy.cross(Z, x), Z]), (points[i] + points[i + 1])/2, points[i])
    s.loops.append(Loop(2, -1, C, Z))
    s.last = 1
    s.drive(6.0)
    return s


def bricard():
    """Bricard's mechanism of six bars, one of them the ground, from rest (examples/bricard.lua)."""
    s = System("bricard", (0, -9.81, 0))
    points = numpy.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = (Y, Z, X, Y, Z, X)
    for i in range(5):
        x = points[i + 1] - points[i]
        inertia = (0.02/12, 1.01/12, 1.01/12)
        s.add(i - 1, HINGE, 1, inertia, numpy.column_stack([x, axes[i], numpy.cross(x, axes[i])]), (points[i] + points[i + 1])/2, points[i], a=axes[i])
    s.loops.append(Loop(4, -1, points[5], axes[5]))
    s.last = 2
    return s


def racket():
    """A free body that turns about its middle axis."""
    s = System("racket", (0, 0, 0))
    s.add(-1, FREE, 1, (1, 2, 2.5), numpy.eye(3), (0, 0, 0), (0, 0, 0), rate=(0.1, 4, 0.1))
    s.tip = numpy.array([1, 0.5, 0.25])
    return s


ALL = {make.__name__: make for make in (racket, fourbar, bricard, chain10, tree30, chain50, chain50b)}


def system(name):
    made = ALL[name]()
    made.set_velocities()
    return made


def numbers(values, between=" "):
    return between.join(repr(float(x)) for x in numpy.ravel(values))


def text(s):
    """What the programs in C++ read (engine.hpp)."""
    lines = [f"{numbers(s.gravity)} {len(s.bodies)}"]
    for b in s.bodies:
        lines.append(f"{b.parent} {b.joint} {b.mass!r} " + " ".join(numbers(x) for x in (b.inertia, b.R, b.c, b.J, b.a, b.rate, b.v, b.w)))
    lines.append(str(len(s.loops)))
    lines += [f"{loop.one} {loop.two} {numbers(loop.J)} {numbers(loop.a)}" for loop in s.loops]
    return "\n".join([*lines, f"{s.last} {numbers(s.tip)}", ""])


def lua(s):
    """The model of librattle, in bodies or, with the parameter `joints`, in joint coordinates."""
    def args(values):
        return numbers(values, ", ")

    def joint(name, kind, one, two, J, a):
        if kind == FREE:
            return []
        ends = [f"b[{i}]:here({args(J)})" + (f":along({args(a)})" if kind == HINGE else "") for i in (one, two)]
        return [f'mech.{"revolute" if kind == HINGE else "spherical"}("{name}", {", ".join(ends)})']

    lines = [f'title "{s.name}"', 'local mech = require "mechanics"', 'local joints = parameter("joints", 0) > 0',
             'mech.coordinates(joints and "joints" or "bodies")',
             f"mech.gravity({args(s.gravity)})", "local b = {[-1] = mech.ground}"]
    for i, b in enumerate(s.bodies):
        rows = ", ".join("{" + args(row) + "}" for row in b.R)
        lines.append(f'b[{i}] = mech.body {{ name = "b{i}", mass = {b.mass!r}, inertia = {{{args(b.inertia)}}}, at = {{{args(b.c)}}}, '
                     f"rotation = mech.mat3({rows}), velocity = {{{args(b.v)}}}, spin = {{{args(b.w)}}} }}")
    for i, b in enumerate(s.bodies):
        lines += joint(f"j{i}", b.joint, i, b.parent, b.J, b.a)
    for i, loop in enumerate(s.loops):
        lines += joint(f"l{i}", HINGE, loop.one, loop.two, loop.J, loop.a)
    lines.append(f"local tip = b[{s.last}]:at({args(s.tip)}):position()")
    lines += [f'observe("{x}", tip.{x})' for x in "xyz"]
    return "\n".join([*lines, 'integrate { method = joints and "gauss(8)" or "rattle(verlet)", step = 0.001, stop = 1 }', ""])


def quaternion(R):
    """The unit quaternion of a rotation: the largest eigenvector of a symmetric matrix."""
    w = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    K = numpy.zeros((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = numpy.trace(R), w, w
    K[1:, 1:] = R + R.T - numpy.trace(R)*numpy.eye(3)
    return numpy.linalg.eigh(K)[1][:, -1]


def mjcf(s, stiff):
    """MuJoCo's model; stiff: loops held by springs as stiff as 8000 steps a second bear. Two points of its axis hold a hinge of a loop; one suffices in the
    plane, where the other would be redundant."""
    def element(i):
        b = s.bodies[i]
        up, at = (numpy.eye(3), numpy.zeros(3)) if b.parent < 0 else (s.bodies[b.parent].R, s.bodies[b.parent].c)
        pivot = f'pos="{numbers(b.inner(b.J))}"'
        joint = (f'<joint type="hinge" {pivot} axis="{numbers(b.R.T @ b.a)}"/>', f'<joint type="ball" {pivot}/>', "<freejoint/>")[b.joint]
        site = f'<site name="tip" pos="{numbers(s.tip)}"/>' if i == s.last else ""
        inner = "".join(element(k) for k, child in enumerate(s.bodies) if child.parent == i)
        return (f'<body name="b{i}" pos="{numbers(up.T @ (b.c - at))}" quat="{numbers(quaternion(up.T @ b.R))}"><inertial pos="0 0 0" mass="{b.mass!r}" '
                f'diaginertia="{numbers(b.inertia)}"/>{joint}{site}{inner}</body>\n')

    equality, how = "", ' solref="-1e8 -2e4" solimp="0.9999 0.9999 0.001"' if stiff else ""
    for loop in s.loops:
        for k in range(1 if s.name == "fourbar" else 2):
            anchor = s.bodies[loop.one].inner(loop.J + k*loop.a)
            equality += f'<connect body1="b{loop.one}" anchor="{numbers(anchor)}"{how}/>'
    world = "".join(element(k) for k, b in enumerate(s.bodies) if b.parent < 0)
    return (f'<mujoco><compiler angle="radian" balanceinertia="false" boundmass="0" boundinertia="0"/><option gravity="{numbers(s.gravity)}">'
            f'<flag contact="disable"/></option><worldbody>\n{world}</worldbody><equality>{equality}</equality></mujoco>\n')


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name in ALL:
        s = system(name)
        for ending, content in ((".txt", text(s)), (".lua", lua(s)), (".xml", mjcf(s, False)), (".stiff.xml", mjcf(s, True))):
            with open(os.path.join(folder, name + ending), "w", encoding="utf-8") as file:
                file.write(content)


if __name__ == "__main__":
    write(sys.argv[1])
