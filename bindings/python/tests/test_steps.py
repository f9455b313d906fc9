"""Step by step, observers, records, Ctrl-C, the bar."""
import contextlib
import copy
import ctypes
import io
import math
import os
import pickle
import signal
import tempfile
import threading
import time
import unittest

import numpy

import common
import rattle
from rattle.progress import bar


class Steps(unittest.TestCase):
    def setUp(self):
        self.model = rattle.load(common.example("pendulum"))

    def test_what_pickles_and_what_does_not(self):
        """Everything pickles and copies, or says by its name why not."""
        ways = lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy
        for one in (self.model.problem(), self.model.integrator(), self.model.tangent(), self.model.certifier("rattle(verlet)")):
            for way in ways:
                with self.assertRaisesRegex(TypeError, f"^{type(one).__name__} is an object of the library, and is neither pickled nor copied: ."):
                    way(one)
        study = self.model.study("order", ["rattle(verlet)"], stop=1)
        for way in ways:
            again = way(study)
            self.assertEqual((repr(again), repr(again.methods[0].fits)), (repr(study), repr(study.methods[0].fits)))
            self.assertEqual([sorted(table) for table in again.methods[0].tables.values()], [sorted(table) for table in study.methods[0].tables.values()])
        with tempfile.TemporaryDirectory() as folder:
            again.save(folder + "/again.h5")
        for one in (self.model, self.model.check(), self.model.run(steps=3), self.model.sweep({"py": [-2, -1]}, steps=3), rattle.errors.Singular("x"),
                    rattle.Bonds([[0, 1]], [1.0], [1.0, 2.0])):
            for way in ways:
                self.assertEqual(repr(way(one)), repr(one))

    def test_certified_run(self):
        plain, proven = (self.model.run("rattle(verlet)", 0.05, steps=40, certify=certify) for certify in (None, True))
        self.assertEqual((plain.certified, proven.certified, proven.summary.counts.proven), (False, True, 40))
        self.assertTrue(numpy.array_equal(plain.q, proven.q) and numpy.array_equal(plain.p, proven.p))
        self.assertTrue(pickle.loads(pickle.dumps(proven)).certified)
        self.assertEqual(self.model.sweep({"py": [-1, -2]}, method="rattle(verlet)", step=0.05, steps=40, certify=True).steps.tolist(), [40, 40])
        with self.assertRaises(rattle.errors.Unsuitable):
            self.model.run("discrete_gradient", 0.05, steps=4, certify=True)
        # a hyperbola in a plane near the vertex of a cone: the step's free motion ends beside the other sheet, and the end of the curve on this
        # one, z > 0, is the far root of a quadratic equation
        model = rattle.Model()
        (x, px), (y, py), (z, pz) = (model.pair(name) for name in "xyz")
        model.hamiltonian((px**2 + py**2 + pz**2)/2)
        model.constrain("cone", x**2 + y**2 - z**2)
        model.constrain("plane", x - 1e-3)
        model.start(x=1e-3, y=1.0, py=-1.0, z=math.sqrt(1 + 1e-6), pz=-1.0)
        model.integrate("rattle(verlet)", 1.5, steps=3, certify=True)
        run = model.run(project=True)
        (x0, y0, z0), (_, vy, vz) = run.q[0], run.p[0]
        y1, z1 = y0 + 1.5*vy, z0 + 1.5*vz
        ends = [(y1 - s*y0, z1 + s*z0) for s in numpy.roots([y0**2 - z0**2, -2*(y0*y1 + z0*z1), y1**2 - z1**2 + x0**2])]
        right, = [end for end in ends if end[1] > 0]
        self.assertTrue(run.certified)
        self.assertTrue(numpy.allclose(run.q[1][1:], right, rtol=1e-8, atol=0), (run.q[1], ends))
        # the free motion of a step leads three radii beyond the circle: no multiplier leads back
        model = rattle.Model()
        (x, px), (y, py) = (model.pair(name) for name in "xy")
        model.hamiltonian((px**2 + py**2)/2)
        model.constrain("circle", x**2 + y**2 - 1)
        model.start(x=1, py=3)
        model.integrate("rattle(verlet)", 1, steps=3, certify=True)
        with self.assertRaises(rattle.errors.RattleError) as failed:
            model.run()
        self.assertFalse(failed.exception.run.certified)

    def test_state_that_is_set(self):
        """q = values sets the numbers that C works on: before, C kept an array that nobody held."""
        for kind in ("integrator", "certifier", "tangent"):
            moved, other = getattr(self.model, kind)("rattle(verlet)", 0.05), self.model.integrator("rattle(verlet)", 0.05)
            q, p = numpy.array([0.6, 0.8]), [0.4, -0.3]
            moved.q, moved.p = numpy.repeat(q, 2)[::2], p
            other.q[:], other.p[:] = q, p
            moved.step(3)
            other.step(3)
            self.assertEqual((moved.q.tolist(), moved.p.tolist()), (other.q.tolist(), other.p.tolist()))
            self.assertRaisesRegex(ValueError, "q: expected 2 numbers, found 3", setattr, moved, "q", [1, 2, 3])
            self.assertEqual(moved.q.tolist(), other.q.tolist())

    def test_certifier(self):
        model, h = self.model, 0.05
        certifier, integrator = model.certifier("suzuki4(rattle(verlet))", h), model.integrator("suzuki4(rattle(verlet))", h)
        certifier.step(20)
        integrator.step(20)
        self.assertEqual((certifier.q.tolist(), certifier.p.tolist()), (integrator.q.tolist(), integrator.p.tolist()))
        self.assertTrue(certifier.proved)
        self.assertEqual((certifier.certificate["steps"], certifier.certificate["one_piece"]), (20, 100))
        self.assertLess(certifier.certificate["units"], 100)
        # the other end of the fibre solves the equations too: q1 - 2 s q0 meets the circle twice
        certifier = model.certifier("rattle(verlet)", h)
        q0, p0 = certifier.q.copy(), certifier.p.copy()
        certifier.step()
        other = certifier.q - 2*(certifier.q @ q0)*q0/(q0 @ q0)
        self.assertEqual(certifier.check(h, q0, p0, certifier.q)["one_piece"], 1)
        self.assertEqual(certifier.check(h, q0, p0, other)["wrong"], 1)
        with self.assertRaises(rattle.errors.Unsuitable) as refused:
            model.certifier("discrete_gradient", h)
        self.assertIn("cannot be proved", str(refused.exception))
        turning = rattle.load(common.example("foucault"))  # H is not natural
        for method in "rattle(midpoint)", "rattle(gauss(2))", "shake(symplectic_euler)", "spark(3)":
            certifier = turning.certifier(method, h)
            certifier.step(20)
            self.assertEqual((certifier.proved, certifier.certificate["one_piece"]), (True, 20))

    def test_tangent_map(self):
        method, h, steps = "kahan_li6(rattle(verlet))", 0.02, 20
        model = rattle.load(common.example("spherical_pendulum"))
        tangent, integrator = model.tangent(method, h), model.integrator(method, h)
        before = tangent.vectors.copy()
        self.assertEqual(before.shape, (4, 6))
        numpy.testing.assert_allclose(before @ before.T, numpy.eye(4), atol=1e-14)
        start = numpy.concatenate([tangent.q, tangent.p])
        tangent.step(steps)
        integrator.step(steps)
        self.assertEqual((tangent.q.tolist(), tangent.p.tolist()), (integrator.q.tolist(), integrator.p.tolist()))
        self.assertAlmostEqual(tangent.time, steps*h)
        form = numpy.block([[numpy.zeros((3, 3)), numpy.eye(3)], [-numpy.eye(3), numpy.zeros((3, 3))]])
        numpy.testing.assert_allclose(tangent.vectors @ form @ tangent.vectors.T, before @ form @ before.T, atol=1e-12)
        ends = []
        for sign in (1, -1):  # along a vector, by steps from starts that are moved
            z = start + sign*1e-5*before[0]
            moved = model.integrator(method, h, start=dict(zip(("x", "y", "z", "px", "py", "pz"), z)), project=True)
            moved.step(steps)
            ends.append(numpy.concatenate([moved.q, moved.p]))
        numpy.testing.assert_allclose((ends[0] - ends[1])/2e-5, tangent.vectors[0], atol=1e-7)
        with self.assertRaisesRegex(ValueError, "rows of 6"):
            tangent.vectors = numpy.eye(4)
            tangent.step()
        with self.assertRaisesRegex(rattle.Unsuitable, "no exact derivative"):
            model.tangent("adaptive(rattle(verlet))", h)

    def test_same_bits_as_a_run(self):
        for method in ("rattle(verlet)", "shake(verlet)", "kahan_li8(rattle(verlet))", "multistep4", "adaptive(rattle(verlet))"):
            run = self.model.run(method, steps=200, every=50)
            integrator = self.model.integrator(method)
            for k in range(len(run)):
                q, p = integrator.output()
                numpy.testing.assert_array_equal([*q, *p, integrator.time], [*run.q[k], *run.p[k], run.t[k]], err_msg=method)
                self.assertEqual(integrator.energy, run.energy[k])
                for _ in range(50):
                    integrator.step()
            self.assertEqual(integrator.steps, 250)
            self.assertEqual(integrator.counts["steps"], 250)

    def test_turns(self):
        """A spiral spring turns a bead on a ring by a turn and a half; an angle without turns ends the run."""
        def bead(angle):
            m = rattle.Model()
            x, px = m.pair("x")
            y, py = m.pair("y")
            m.hamiltonian((px**2 + py**2)/2 + angle(m, y, x)**2)
            m.observe("angle", angle(m, y, x))
            m.constrain("ring", x**2 + y**2 - 1)
            m.start(x=1, py=14)
            return m
        model = bead(lambda m, y, x: m.turning_angle(y, x))
        run = model.run("kahan_li8(rattle(verlet))", step=0.005, steps=400)
        right = 14/math.sqrt(2)*numpy.sin(math.sqrt(2)*run.t)
        self.assertGreater(right.max(), 9)
        numpy.testing.assert_allclose(run["angle"], right, atol=1e-10)
        self.assertEqual(set(numpy.round(run["turns[1]"]/math.pi, 12)), {0, 1, 2, 3})
        with self.assertRaisesRegex(rattle.Domain, "passes pi.*turning_angle"):
            bead(lambda m, y, x: numpy.arctan2(y, x)).run("rattle(verlet)", step=0.005, steps=400)

    def test_forces(self):
        """A model in Python and the same in Lua: the same bits, and the energy is the balance."""
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)/2 + y)
        m.constrain("rod", x**2 + y**2 - 1)
        m.force({x: -0.3*px}, y=-0.3*py)
        m.start(x=1, py=-0.5)
        lua = rattle.Model.from_string("""local x, px = pair("x")\nlocal y, py = pair("y")\nhamiltonian((px^2 + py^2)/2 + y)
            constrain("rod", x^2 + y^2 - 1)\nforce { x = -0.3*px, y = -0.3*py }\nstart { x = 1, py = -0.5 }""")
        runs = [model.run("rattle(midpoint)", step=0.05, steps=200) for model in (m, lua)]
        numpy.testing.assert_array_equal(runs[0].p, runs[1].p)
        self.assertLess(numpy.ptp(runs[0].energy), 1e-3)
        self.assertLess((runs[0].p[-1]**2).sum()/2 + runs[0].q[-1][1], -0.9)  # H itself falls from 0.125
        calls = rattle.Callbacks(2, lambda q, p: (p @ p/2 + q[1], [0, 1], p), lambda q, p: ([q @ q - 1], [2*q]), 1,
                                 force=lambda q, p: (-0.3*p, numpy.hstack([numpy.zeros((2, 2)), -0.3*numpy.eye(2)])), start=([1, 0], [0, -0.5]))
        numpy.testing.assert_allclose(calls.run("rattle(midpoint)", step=0.05, steps=200).p, runs[0].p, atol=1e-12)
        with self.assertRaisesRegex(rattle.BadModel, "px is a momentum"):
            m.force(px=1)
        with self.assertRaisesRegex(rattle.Unsuitable, "forces that are no gradient"):
            m.integrator("multistep4", step=0.05)

    def test_functions_of_time(self):
        m = rattle.Model()
        x, px = m.pair("x")
        t = m.time()
        m.hamiltonian(px**2/2 + x**2/2 - x*numpy.sin(t))
        m.start(x=1)
        calls = rattle.Callbacks(2, lambda q, p: (p[0]**2/2 + q[0]**2/2 - q[0]*math.sin(q[1]) + p[1],
                                                  [q[0] - math.sin(q[1]), -q[0]*math.cos(q[1])], [p[0], 1]), clock=1, start=([1, 0], [0, 0]))
        runs = [model.run("midpoint", step=0.05, steps=200) for model in (m, calls)]
        numpy.testing.assert_allclose(runs[1].q[:, 0], runs[0].q[:, 0], atol=1e-12)
        numpy.testing.assert_array_equal(runs[1].q[:, 1], 0.05*numpy.arange(201))
        with self.assertRaisesRegex(ValueError, "clock is the index of a coordinate"):
            rattle.Callbacks(2, lambda q, p: (0, p, q), clock=2)

    def test_statics(self):
        m = rattle.Model.from_string("""local x, px = pair("x") hamiltonian(px^2/4 + 19.62*x)
            constrain("pin", x - 1) start { x = 1 }""")
        run = m.run("rattle(verlet)", step=0.01, steps=5)
        numpy.testing.assert_allclose(run.multipliers[:, 0], -19.62, atol=1e-12)
        self.assertEqual(m.check().dof, 0)

    def test_parts_without_mass(self):
        m = rattle.Model()
        (a, pa), (u, _), (b, pb), (c, pc) = (m.pair(name) for name in "aubc")
        m.hamiltonian(pa**2/6 + pb**2/2 + pc**2/4 + 9.81*(3*a + b + 2*c))
        m.constrain("upper", a + u)
        m.constrain("lower", b + c - 2*u)
        run = m.run("rattle(verlet)", step=0.01, steps=100)
        numpy.testing.assert_allclose([run["a"][-1], run["u"][-1], run["lambda[upper]"][-1]], [-9.81/34, 9.81/34, -27.698823529411], atol=1e-12)
        self.assertIsNone(m.check().refused)
        m = rattle.Model()  # u^3 + u = x, so that V = x^2/2
        (x, px), (u, _) = m.pair("x"), m.pair("u")
        m.hamiltonian(px**2/2 + (u**3 + u)**2/2)
        m.constrain("tie", u**3 + u - x)
        m.start(x=1)
        run = m.run("kahan_li8(rattle(verlet))", step=0.02, steps=50)
        u = run["u"][-1]
        numpy.testing.assert_allclose([run["x"][-1], u**3 + u, run["lambda[tie]"][-1]], numpy.cos(1)*numpy.array([1, 1, -1]), atol=1e-12)
        m = rattle.Model()
        (x, px), (u, _) = m.pair("x"), m.pair("u")
        m.hamiltonian(px**2/2 + x**2/2)
        m.constrain("inverse", x*u - 1)
        m.start(x=1)
        with self.assertRaisesRegex(rattle.RattleError, "coordinate 'u', which has no mass, passes a pole of 1/x"):
            m.run("rattle(verlet)", step=0.03, steps=100)
        m = rattle.Model()
        (x, px), (u, _) = m.pair("x"), m.pair("u")
        m.hamiltonian(px**2/2 + (x - u)**4)
        with self.assertRaisesRegex(rattle.RattleError, "coordinate 'u' would never move"):
            m.run("rattle(verlet)", step=0.01, steps=1)
        self.assertIn("coordinate 'u' would never move", m.check().refused)

    def test_multipliers_of_redundant_constraints(self):
        feet, turn, rate = numpy.array([[0, 0], [1, 0.3], [2, 0]]), 0.4, 0.7
        text = ["""redundant "omit"\nlocal x, y = pairs_of("x", 3), pairs_of("y", 3)\nmass(x, 1) mass(y, 1)
            for i = 1, 3 do potential(9*y[i]) end"""]
        links = [(i, None) for i in range(3)] + [(0, 1), (1, 2), (2, 0)]
        for k, (i, j) in enumerate(links):
            a, b = (feet[i] if j is None else (f"x[{j + 1}]", f"y[{j + 1}]"))
            square = 1 if j is None else ((feet[i] - feet[j])**2).sum()
            text.append(f'constrain("g{k}", (x[{i + 1}] - {a})^2 + (y[{i + 1}] - {b})^2 - {float(square)!r})')
        at, v = feet + [math.sin(turn), math.cos(turn)], numpy.tile([math.cos(turn), -math.sin(turn)], (3, 1))*rate
        for i in range(3):
            text.append(f"start {{ [x[{i + 1}]] = {float(at[i][0])!r}, [y[{i + 1}]] = {float(at[i][1])!r} }}")
            text.append(f"velocity {{ [x[{i + 1}]] = {float(v[i][0])!r}, [y[{i + 1}]] = {float(v[i][1])!r} }}")
        run = rattle.Model.from_string("\n".join(text)).run("rattle(verlet)", step=0.01, steps=15)
        q, p = run.q[-1].reshape(2, 3).T, run.p[-1].reshape(2, 3).T
        G, curved = numpy.zeros((6, 3, 2)), numpy.zeros(6)
        for k, (i, j) in enumerate(links):
            G[k, i] = 2*(q[i] - (feet[i] if j is None else q[j]))
            if j is not None:
                G[k, j] = -G[k, i]
            curved[k] = 2*((p[i] - (0 if j is None else p[j]))**2).sum()
        rows = G.reshape(6, 6)
        force = rows @ numpy.tile([0, 9.0], 3)
        least = numpy.linalg.pinv(rows @ rows.T, rcond=1e-10) @ (curved - force)
        names = list(run.problem.constraints)
        found = [run.multipliers[-1][names.index(f"g{k}")] if f"g{k}" in names else run[f"lambda[g{k}]"][-1] for k in range(6)]
        self.assertEqual(len(names), 5)
        numpy.testing.assert_allclose(found, least, atol=1e-9)

    def test_nonholonomic_constraints(self):
        def model(**how):
            m = rattle.Model()
            x, px = m.pair("x")
            y, py = m.pair("y")
            a, pa = m.pair("a")
            m.hamiltonian((px**2 + py**2 + pa**2)/2)
            m.constrain("blade", py*numpy.cos(a) - px*numpy.sin(a), **how)
            m.start(px=1, pa=0.4)
            return m

        def blade(q, p):
            c, s = math.cos(q[2]), math.sin(q[2])
            return [p[1]*c - p[0]*s], [[0, 0, -p[1]*s - p[0]*c, -s, c, 0]]
        calls = [rattle.Callbacks(3, lambda q, p: (p @ p/2, [0, 0, 0], p), blade, 1, start=([0, 0, 0], [1, 0, 0.4]), dirac=meant)
                 for meant in (False, True)]
        for refused in (model(), calls[0]):
            with self.assertRaisesRegex(rattle.BadModel, "two motions may be meant"):
                refused.run("rattle(midpoint)", step=0.01, steps=10, project=True)
        runs = [meant.run("rattle(midpoint)", step=0.01, steps=10, project=True) for meant in (model(dirac=True), calls[1])]
        numpy.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-9)

    def test_constraints_on_velocities(self):
        """A skate on an incline, by symbols, against its closed form; a cart that is locked; what is refused."""
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        a, pa = m.pair("a")
        m.hamiltonian((px**2 + py**2)/2 + pa**2/0.8 - 1.2*x)
        m.velocity_constrain("blade", m.velocity(y)*numpy.cos(a) - m.velocity("x")*numpy.sin(a))
        m.velocity(a=0.9)
        run = m.run("yoshida4(rattle(verlet))", step=0.01, steps=400, every=400)
        t, w = 4, 0.9
        self.assertAlmostEqual(run["x"][-1], 1.2/(2*w*w)*math.sin(w*t)**2, delta=1e-7)
        self.assertAlmostEqual(run["y"][-1], 1.2/(2*w*w)*(w*t - math.sin(2*w*t)/2), delta=1e-7)
        self.assertEqual(list(run.problem.constraints), ["blade"])
        self.assertEqual(str(m.velocity(x)), "velocity(x)")
        self.assertEqual([str(v) for v in m.velocity([x, y])], ["velocity(x)", "velocity(y)"])
        pickled = pickle.loads(pickle.dumps(m))
        numpy.testing.assert_array_equal(pickled.run("rattle(verlet)", step=0.01, steps=10).q, m.run("rattle(verlet)", step=0.01, steps=10).q)
        self.assertEqual(run.problem.implied, [])
        twice = m.copy()
        twice.velocity_constrain("again", 2*m.velocity(y)*numpy.cos(a) - 2*m.velocity(x)*numpy.sin(a))
        again = twice.run("yoshida4(rattle(verlet))", step=0.01, steps=400, every=400)
        self.assertEqual((again.problem.constraints, again.problem.implied), (["blade"], ["again"]))
        numpy.testing.assert_array_equal(again.q, run.q)
        with self.assertRaisesRegex(rattle.Unsuitable, "constraints on velocities"):
            m.run("verlet", step=0.01, steps=1)
        with self.assertRaisesRegex(rattle.RattleError, "constraints on velocities"):
            m.tangent("rattle(verlet)", step=0.01)
        for e, says in ((m.velocity(x)**2, "not affine in velocity"), (x, "use constrain")):
            bad = m.copy()
            bad.velocity_constrain("bad", e)
            with self.assertRaisesRegex(rattle.RattleError, says):
                bad.run("rattle(verlet)", step=0.01, steps=1)
        with self.assertRaisesRegex(rattle.BadModel, "taken"):
            m.constrain("blade", x)
        with self.assertRaisesRegex(rattle.BadModel, "momentum"):
            m.velocity(px)
        driven = rattle.Model()
        x, px = driven.pair("x")
        y, py = driven.pair("y")
        driven.hamiltonian((px**2 + py**2)/2 + (y - x - 1)**2/2)
        driven.velocity_constrain("drive", driven.velocity(x) - 0.5)
        driven.start(y=1, px=0.5)
        run = driven.run("yoshida4(rattle(verlet))", step=0.02, steps=100)
        self.assertAlmostEqual(run["x"][-1], 1, delta=1e-14)
        self.assertAlmostEqual(run["y"][-1], 2 - 0.5*math.sin(2), delta=1e-6)
        self.assertIn("p_t", run.problem.momenta)

    def test_the_state_may_be_written(self):
        integrator = self.model.integrator()
        q, p = integrator.q.copy(), integrator.p.copy()
        integrator.step(100)
        integrator.q[:], integrator.p[:] = q, p
        integrator.step(3)
        before = integrator.time
        integrator.h = -integrator.h
        integrator.step(3)
        self.assertAlmostEqual(integrator.time, before - 3*0.025, places=12)
        numpy.testing.assert_allclose(integrator.q, q, atol=1e-14)

    def test_a_failed_step_changes_nothing(self):
        integrator = self.model.integrator(step=0.025)
        integrator.step(10)
        integrator.h = 5.0
        q, p, steps = integrator.q.copy(), integrator.p.copy(), integrator.steps
        with self.assertRaises(rattle.Degenerate):
            integrator.step()
        numpy.testing.assert_array_equal([*integrator.q, *integrator.p, integrator.steps], [*q, *p, steps])

    def test_wrong_steps(self):
        integrator = self.model.integrator()
        with self.assertRaisesRegex(ValueError, "-5 steps"):
            integrator.step(-5)
        with self.assertRaises(ValueError):
            integrator.q.resize(100)  # the library has its address
        integrator.step(0)
        self.assertEqual(integrator.steps, 0)
        with self.assertRaises(TypeError):
            integrator.step("one")

    def test_impulses(self):
        integrator = self.model.integrator()
        with_p = integrator.p.copy()
        integrator.record_impulses()
        integrator.step()
        impulse, virial = integrator.impulses()
        numpy.testing.assert_allclose(integrator.p - with_p, impulse + [0, -0.025], atol=1e-14)
        self.assertLess(virial, 0)


class Observers(unittest.TestCase):
    def test_samples(self):
        seen = []
        run = rattle.load(common.example("pendulum")).run(steps=100, observers=[seen.append])
        self.assertEqual([sample.step for sample in seen], list(run.step))
        for name, values in (("time", run.t), ("energy", run.energy), ("q", run.q), ("p", run.p), ("g", run.g), ("psi", run.psi),
                             ("multipliers", run.multipliers)):
            numpy.testing.assert_array_equal([getattr(sample, name) for sample in seen], values, err_msg=name)

    def test_what_they_raise_ends_the_run(self):
        seen = []

        def observer(sample):
            seen.append(sample.step)
            if sample.step == 50:
                raise KeyError("fifty")

        with self.assertRaisesRegex(KeyError, "fifty"):
            rattle.load(common.example("pendulum")).run(steps=100, every=10, observers=[observer])
        self.assertEqual(seen[:6], [0, 10, 20, 30, 40, 50])
        self.assertLessEqual(len(seen), 7)

        for wrong in (3, True, -1, "watch", None):
            with self.assertRaisesRegex(TypeError, "a function or the address of one"):
                rattle.load(common.example("pendulum")).run(steps=100, observers=[wrong])

        def interrupted(sample):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            rattle.load(common.example("pendulum")).run(steps=100, observers=[interrupted])


    def test_in_c(self):
        """A C function sees what one of Python sees; an answer that is not 0 ends the run."""
        doubles, seen = ctypes.POINTER(ctypes.c_double), []

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_double, ctypes.c_double, *[doubles]*4)
        def observer(context, step, time, energy, q, p, multipliers, observed):
            seen.append((step, time, energy, *q[:2], *p[:2], multipliers[0], context))
            return 7 if step == 60 else 0

        model, context = rattle.load(common.example("pendulum")), numpy.zeros(3)
        run = model.run(steps=50, every=10, observers=[(observer, context)])
        numpy.testing.assert_array_equal(seen, numpy.column_stack([run.step, run.t, run.energy, run.q, run.p, run.multipliers,
                                                                   [context.ctypes.data]*6]))
        with self.assertRaisesRegex(rattle.Callback, "an observer ended the run at t = 1.5: it returned 7") as caught:
            model.run(steps=100, every=10, observers=[ctypes.cast(observer, ctypes.c_void_p).value])
        self.assertEqual((caught.exception.step, len(caught.exception.run)), (60, 7))
        with self.assertRaisesRegex(TypeError, "no C function"):
            model.run(steps=50, observers=[(seen.append, context)])

    def test_numba(self):
        common.need("numba", test=self)
        import numba

        @numba.cfunc(rattle.callbacks.SIGNATURES["observer"])
        def lowest(context, step, time, energy, q, p, multipliers, observed):
            least = numba.carray(context, 1, numpy.float64)
            least[0] = min(least[0], q[1])
            return 0

        least = numpy.ones(1)
        run = rattle.load(common.example("pendulum")).run(steps=1000, every=1, observers=[(lowest, least)])
        self.assertEqual(least[0], run["y"].min())


class Pickles(unittest.TestCase):
    def test_a_run(self):
        run = rattle.load(common.example("pendulum"), gravity=2).run(steps=100, every=10)
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual((repr(again), repr(again.summary), again.model_text, again.parameters, again.title, len(again)),
                         (repr(run), repr(run.summary), run.model_text, {"gravity": 2}, "Planar pendulum", 11))
        self.assertIn("constrain(", again.model_text)
        for name, values in run.columns().items():
            numpy.testing.assert_array_equal(again[name], values, err_msg=name)
        with self.assertRaises(ValueError):
            again.q[0] = 1
        with self.assertRaisesRegex(ValueError, "cannot be saved as a record"):
            again.save("nowhere.h5")
        # what is read back pickles too, and the model runs again with the same bits
        model = rattle.Model.from_string(again.model_text, **again.parameters)
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).q, model.run(steps=100, every=10).q)


class Records(unittest.TestCase):
    def test_as_the_command_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            run = rattle.load(common.example("pendulum")).run(record=path)
            info = common.json_of("info", path)
            self.assertEqual(run.record, path)
            self.assertEqual(info["samples"], len(run))
            with self.assertRaises(rattle.Exists):
                rattle.load(common.example("pendulum")).run(record=path)
            rattle.load(common.example("pendulum")).run(record=path, force=True, stop=10.0)
            self.assertLess(common.json_of("info", path)["samples"], len(run))
            common.command("resume", path, "--stop", "20", "--quiet")


class Interruption(unittest.TestCase):
    ENDLESS = dict(method="rattle(verlet)", step=0.001, steps=2_000_000_000, every=10_000)

    def test_ctrl_c(self):
        model = rattle.load(common.example("pendulum"))
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.run(**self.ENDLESS)
        self.assertIsInstance(caught.exception, rattle.Interrupted)
        run = caught.exception.run
        self.assertGreater(len(run), 1)
        self.assertEqual(run.summary.status, "INTERRUPTED")
        self.assertLess(run.summary.steps, 2_000_000_000)

    def test_ctrl_c_in_steps_and_studies(self):
        model = rattle.load(common.example("pendulum"))
        integrator = model.integrator(step=0.001)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            integrator.step(2_000_000_000)
        q, steps = integrator.q.copy(), integrator.steps
        self.assertTrue(1000 < steps < 2_000_000_000)
        other = model.integrator(step=0.001)
        other.step(steps)
        numpy.testing.assert_array_equal(other.q, q)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(rattle.Interrupted):
            model.study("drift", ["rattle(verlet)"], stop=1e7, step=0.001)

    def test_ctrl_c_in_models(self):
        for text in ("while true do end", "local s = ('a'):rep(500) while true do s:find('.-.-b') end"):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(rattle.Interrupted):
                rattle.Model.from_string(text)
        made = []  # signals come to the main thread alone
        thread = threading.Thread(target=lambda: made.append(rattle.Model.from_string("local x, px = pair('x') hamiltonian(px^2/2)")))
        thread.start()
        thread.join()
        self.assertEqual(len(made), 1)
        with self.assertRaises(rattle.BadModel):
            rattle.Model.from_string("pair(")

    def test_other_threads_go_on(self):
        """No GIL is held: this thread counts while another one runs."""
        model, count, done = rattle.load(common.example("pendulum")), 0, []
        thread = threading.Thread(target=lambda: done.append(model.run(method="rattle(verlet)", step=0.001, steps=10_000_000, every=10_000)))
        thread.start()
        while thread.is_alive():
            count += 1
            time.sleep(0)
        thread.join()
        self.assertEqual(done[0].step[-1], 10_000_000)
        self.assertGreater(count, 100)

    def test_bar(self):
        model = rattle.load(common.example("pendulum"))
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            model.run(method="rattle(verlet)", step=0.001, steps=10_000_000, every=10_000, progress=True)
            self.assertIsNone(bar(None)[0])  # nobody would see it
        self.assertRegex(shown.getvalue(), r"^\r\x1b\[Krun: +\d\d? %, \d+ of 10000000, ")
        self.assertTrue(shown.getvalue().endswith("\r\x1b[K"))


if __name__ == "__main__":
    common.main()
