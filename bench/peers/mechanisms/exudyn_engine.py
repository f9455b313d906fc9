"""Exudyn: bodies in redundant coordinates with joints (genalpha, trapez2), its kinematic tree of hinges (kt:RK44), a free body in rotation vectors (lg:RK44).

    PYTHON -m peers.mechanisms.exudyn_engine NAME      in bench; lines and answers are those of engine.hpp"""
import json
import sys
import time

import exudyn as exu
import exudyn.utilities as exudyn
import numpy

from .reference import Minimal
from .systems import BALL, FREE, HINGE, system

KINDS = {"genalpha": "GeneralizedAlpha", "trapez2": "TrapezoidalIndex2", "RK44": "RK44"}


class Engine:
    def __init__(self, s):
        self.s, self.reached = s, 0.0
        self.minimal = Minimal(s)

    def start(self, method, _):
        self.container = exu.SystemContainer()
        self.mbs, self.reached, self.tree = self.container.AddSystem(), 0.0, method.startswith("kt:")
        if self.tree:
            self.add_tree()
        else:
            self.add_bodies(exu.NodeType.RotationRotationVector if method.startswith("lg:") else exu.NodeType.RotationEulerParameters)
        self.mbs.Assemble()
        self.how = exu.SimulationSettings()
        self.how.solution.file.write = False
        self.how.timeIntegration.automaticStepSize = False
        if not self.tree and len(self.s.bodies) > 8:
            self.how.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        if self.s.name == "bricard":  # redundant conditions
            self.how.linearSolver.solverType = exu.LinearSolverType.EigenDense
            self.how.linearSolver.ignoreSingularJacobian = True
        self.kind = getattr(exu.DynamicSolverType, KINDS[method.split(":")[-1]])

    def add_tree(self):
        s = self.s
        if s.loops or any(b.joint != HINGE for b in s.bodies):
            raise RuntimeError("kinematic trees have hinges and slides alone")
        types, frames, offsets, inertias, centres = [], exu.Matrix3DList(), exu.Vector3DList(), exu.Matrix3DList(), exu.Vector3DList()
        for b in s.bodies:
            up, joint = (s.bodies[b.parent].R, s.bodies[b.parent].J) if b.parent >= 0 else (numpy.eye(3), numpy.zeros(3))
            types.append(getattr(exu.JointType, "Revolute" + "XYZ"[int(numpy.argmax(b.R.T @ b.a))]))
            frames.Append(up.T @ b.R)
            offsets.Append(up.T @ (b.J - joint))
            inertias.Append(numpy.diag(b.inertia))
            centres.Append(-b.inner(b.J))
        n = len(s.bodies)
        node = self.mbs.AddNode(exudyn.NodeGenericODE2(referenceCoordinates=[0.]*n, initialCoordinates=[0.]*n, numberOfODE2Coordinates=n,
                                                       initialCoordinates_t=[float(b.rate[0]) for b in s.bodies]))
        self.mbs.AddObject(exudyn.ObjectKinematicTree(
            nodeNumber=node, jointTypes=types, linkParents=[b.parent for b in s.bodies], jointTransformations=frames, jointOffsets=offsets,
            linkInertiasCOM=inertias, linkCOMs=centres, linkMasses=[b.mass for b in s.bodies], baseOffset=[0, 0, 0], gravity=s.gravity.tolist()))

    def add_bodies(self, rotations):
        s, ground = self.s, self.mbs.CreateGround()
        self.bodies = [self.mbs.CreateRigidBody(
            inertia=exudyn.RigidBodyInertia(mass=b.mass, inertiaTensor=numpy.diag(b.inertia)), referencePosition=b.c.tolist(), referenceRotationMatrix=b.R,
            initialVelocity=b.v.tolist(), initialAngularVelocity=b.w.tolist(), gravity=s.gravity.tolist(), nodeType=rotations) for b in s.bodies]

        def number(i):
            return ground if i < 0 else self.bodies[i]

        def hinge(one, two, J, a):
            self.mbs.CreateRevoluteJoint(bodyNumbers=[number(one), number(two)], position=J.tolist(), axis=a.tolist(), useGlobalFrame=True, show=False)

        for i, b in enumerate(s.bodies):
            if b.joint == HINGE:
                hinge(b.parent, i, b.J, b.a)
            elif b.joint == BALL:
                self.mbs.CreateSphericalJoint(bodyNumbers=[number(b.parent), number(i)], position=b.J.tolist(), useGlobalFrame=True, show=False)
        for loop in s.loops:
            if s.name == "fourbar":  # its point in the plane alone: the hinge would be redundant
                self.mbs.CreateGenericJoint(bodyNumbers=[number(loop.one), ground], position=loop.J.tolist(), constrainedAxes=[1, 1, 0, 0, 0, 0],
                                            useGlobalFrame=True, show=False)
            else:
                hinge(loop.one, loop.two, loop.J, loop.a)

    def advance(self, until, steps):
        how = self.how.timeIntegration
        how.startTime, how.endTime, how.numberOfSteps = self.reached, until, steps
        if self.mbs.SolveDynamic(self.how, solverType=self.kind, updateInitialValues=True, showHints=False, showCausingItems=False) is False:
            raise RuntimeError("SolveDynamic failed")
        self.reached = until

    def sample(self):
        """Tip, energy, the largest opening of a joint."""
        s, when = self.s, exu.ConfigurationType.Current if self.reached else exu.ConfigurationType.Initial
        if self.tree:
            data = self.mbs.systemData
            y = numpy.concatenate([data.GetODE2Coordinates(when), data.GetODE2Coordinates_t(when)])
            return self.minimal.tip(y), self.minimal.energy(y), 0.0
        R, c, energy = [], [], 0.0
        for i, b in zip(self.bodies, s.bodies):
            x, v, w, axes = (numpy.array(self.mbs.GetObjectOutputBody(i, getattr(exu.OutputVariableType, name), [0, 0, 0], when))
                             for name in ("Position", "Velocity", "AngularVelocityLocal", "RotationMatrix"))
            energy += (b.mass*v @ v + b.inertia @ w**2)/2 - b.mass*s.gravity @ x
            R.append(axes.reshape(3, 3))
            c.append(x)

        def place(i, point):
            return point if i < 0 else c[i] + R[i] @ s.bodies[i].inner(point)

        pairs = [(i, b.parent, b.J) for i, b in enumerate(s.bodies) if b.joint != FREE] + [(loop.one, loop.two, loop.J) for loop in s.loops]
        opening = max((numpy.linalg.norm(place(one, J) - place(two, J)) for one, two, J in pairs), default=0.0)
        return c[s.last] + R[s.last] @ s.tip, energy, opening

    def run(self, method, rate, seconds, chunks):
        at, steps = 0, round(rate*seconds)
        try:
            self.start(method, 1/rate)
            ns, energy, opening = [], [float(self.sample()[1])], 0.0
            for k in range(chunks):
                before, at = steps*k//chunks, steps*(k + 1)//chunks
                begin = time.thread_time_ns()
                self.advance(at/rate, at - before)
                ns.append(time.thread_time_ns() - begin)
                tip, now, opens = self.sample()
                energy.append(float(now))
                opening = max(opening, float(opens))
            if not numpy.isfinite(energy).all():
                raise RuntimeError("the energy is not finite")
            return {"ns": ns, "energy": energy, "tip": tip.tolist(), "open": opening, "steps": steps}
        except Exception as error:  # pylint: disable=broad-except
            return {"failed": " ".join(str(error).split())[:200], "at": at/rate}


def main():
    engine = Engine(system(sys.argv[1]))
    for line in sys.stdin:
        method, rate, seconds, chunks = line.split()
        print("\n@" + json.dumps(engine.run(method, float(rate), float(seconds), int(chunks))), flush=True)


if __name__ == "__main__":
    main()
