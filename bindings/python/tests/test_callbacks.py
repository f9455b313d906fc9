"""Functions as problems: plain ones, and C functions by ctypes, cffi and numba; the same motion as the model's."""
import ctypes
import pickle
import tempfile
import threading
import time
import unittest
import warnings

import numpy

import common
import rattle

RUN = dict(method="rattle(verlet)", step=0.025, steps=400, every=10)


def H(q, p):
    return p @ p/2 + q[1], [0, 1], p


def g(q, p):
    return [q @ q - 1], [2*q]


def pendulum(hamiltonian=H, constraint=g, **more):
    return rattle.Callbacks(2, hamiltonian, constraint=constraint, **{"m": 1, "inverse_mass": [1, 1], "start": ([1, 0], [0, -2]), **more})


def c_functions(kind):
    doubles = ctypes.POINTER(ctypes.c_double)
    function = kind(ctypes.c_int, ctypes.c_void_p, doubles, doubles, doubles)

    def hamiltonian(context, z, value, gradient):
        value[0] = (z[2]**2 + z[3]**2)/2 + z[1]
        gradient[0], gradient[1], gradient[2], gradient[3] = 0, 1, z[2], z[3]
        return 0

    def constraint(context, z, value, jacobian):
        value[0] = z[0]**2 + z[1]**2 - 1
        jacobian[0], jacobian[1], jacobian[2], jacobian[3] = 2*z[0], 2*z[1], 0, 0
        return 0

    return function(hamiltonian), function(constraint)


class Functions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = rattle.load(common.example("pendulum")).run(**RUN)

    def test_plain(self):
        run = pendulum(coordinates=["x", "y"], constraints=["rod"]).run(**RUN)
        numpy.testing.assert_allclose(run.q, self.model.q, atol=1e-12)
        self.assertEqual((run.problem.evaluator, run.problem.kind, run.problem.momenta), ("callbacks", "natural", ["px", "py"]))
        numpy.testing.assert_array_equal(run["px"], run.p[:, 0])
        self.assertLess(run.summary.g_max, 1e-14)

    def test_starts_of_other_lengths(self):
        """A start has n numbers each, or one for all: C read behind shorter ones."""
        for start in (([1], [0, 1]), ([1, 0, 0], [0]), ([], []), ([1, 0], [[0, 1], [2, 3]])):
            self.assertRaisesRegex(ValueError, "start: [qp]: expected 2 numbers, found", pendulum, start=start)
            self.assertRaisesRegex(ValueError, "start: [qp]: expected 2 numbers, found", pendulum().run, start=start, **RUN)
        self.assertEqual(pendulum(start=([1, 0], 0)).given[1].tolist(), [0, 0])

    def test_wrong_gradient(self):
        """check() says it where it is read, and advises no step; a run whose energy is off warns of it; a right one is silent."""
        wrong = pendulum(lambda q, p: (H(q, p)[0], [0, -1], p))
        with self.assertWarnsRegex(rattle.RattleWarning, r"the derivative of H by q\[1\]") as caught:
            run = wrong.run(**RUN)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(len(run.warnings), 1)
        self.assertIn(run.warnings[0], run._repr_html_().replace("&#x27;", "'"))
        found = wrong.check()
        self.assertIn("note: the derivative of H by q[1]", repr(found))
        self.assertIn("the derivative of H by q[1]", found._repr_html_())
        self.assertIsNone(found.advice_method)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(pendulum().run(**RUN).warnings, [])
        self.assertNotIn("derivative", repr(pendulum().check()))

    def test_number_of_constraints(self):
        """It is that of the values: a forgotten m dropped them."""
        without = rattle.Callbacks(2, H, constraint=g, inverse_mass=1, start=([1, 0], [0, -2]))
        self.assertEqual((without.m, without.problem().m), (1, 1))
        numpy.testing.assert_array_equal(without.run(**RUN).q, pendulum().run(**RUN).q)
        alone = rattle.Callbacks(2, H, constraint=lambda q, p: (q @ q - 1, 2*q), inverse_mass=1, start=([1, 0], [0, -2]))
        numpy.testing.assert_array_equal(alone.run(**RUN).q, without.run(**RUN).q)
        self.assertRaisesRegex(ValueError, "m = 2, but the constraints return 1 value: leave m out", pendulum, m=2)
        self.assertRaisesRegex(ValueError, "m = 0, but the constraints return 1 value", pendulum, m=0)
        self.assertRaisesRegex(ValueError, "m = 1, and there are no constraints", pendulum, constraint=None)
        self.assertRaisesRegex(ValueError, "does not say how many .* pass m=", pendulum, constraint=c_functions(ctypes.CFUNCTYPE)[1], m=None)
        self.assertEqual(rattle.Callbacks(2, H).m, 0)

    def test_shapes(self):
        """Values of another shape than the place for them are refused: numpy would spread one number over them."""
        for wrong, what in ((dict(hamiltonian=lambda q, p: (1, [1], p)), "the derivatives of H by q: expected 2 numbers, found 1"),
                            (dict(hamiltonian=lambda q, p: (1, [0, 1], [[1, 2]])), "the derivatives of H by p: expected 2 numbers, found 1 by 2"),
                            (dict(constraint=lambda q, p: ([q @ q - 1], [2*q[:1]])), "the derivatives of the constraints, rows of 2 or 4"),
                            (dict(constraint=lambda q, p: ([q @ q - 1, 0], [2*q]), m=2), "the derivatives of the constraints, .* expected 2 by 2"),
                            (dict(constraint=lambda q, p: ([q @ p], [[*p, *q]]), holonomic=True), "said to be holonomic"),
                            (dict(force=lambda q, p: ([0], numpy.zeros((2, 4))), inverse_mass=None), "the forces: expected 2 numbers, found 1"),
                            (dict(force=lambda q, p: ([0, 0], numpy.zeros(4)), inverse_mass=None), "the derivatives of the forces: expected 2 by 4")):
            with self.assertRaisesRegex(rattle.Callback, what, msg=what):
                pendulum(**{"m": None, **wrong}).run("rattle(midpoint)", step=0.01, steps=2)
        free = rattle.Callbacks(2, lambda q, p: (p @ p/2, 0, p), inverse_mass=1, start=(0, 1))  # a number is for all
        numpy.testing.assert_allclose(free.run("verlet", step=0.5, steps=2).q[-1], 1)

    def test_wrong_gradient_of_samples(self):
        wrong = pendulum(constraint=lambda q, p: ([q @ q - 1], [[2*q[0], 3*q[1]]]), start=([0.6, 0.8], 0))
        with self.assertWarnsRegex(rattle.RattleWarning, r"the derivative of g\[0\] by q\[1\]") as caught:
            found = wrong.sample("hmc(rattle(verlet))", step=0.1, samples=20, chains=2, warmup=0)
        self.assertEqual(caught.filename, __file__)
        self.assertIn(found.warnings[0], repr(found))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rattle.RattleWarning)  # 20 draws without a warm-up are few
            warnings.filterwarnings("error", ".*derivative", rattle.RattleWarning)
            right = pendulum().sample("hmc(rattle(verlet))", step=0.1, samples=20, chains=2, warmup=0)
        self.assertEqual(([said for said in right.warnings if "derivative" in said], right.values.shape[:2]), ([], (2, 20)))
        again = pickle.loads(pickle.dumps(right))
        numpy.testing.assert_array_equal(again["q[0]"], right["q[0]"])
        self.assertEqual((repr(again), again.estimates, again.values.flags.writeable), (repr(right), right.estimates, False))

    def test_more_samples_than_memory(self):
        """They are refused before they are computed, with what to do."""
        for start in (lambda: pendulum().run("rattle(verlet)", step=1e-9, stop=100),
                      lambda: pendulum().sample("hmc(rattle(verlet))", step=0.1, samples=10**11)):
            began = time.monotonic()
            with self.assertRaisesRegex(rattle.NoMemory, r"e\+11 samples of \d+ bytes are .* bytes, and there are .*every="):
                start()
            self.assertLess(time.monotonic() - began, 5)
        # so many steps are not so many samples, and an observer may end a run
        def ends(sample):
            raise EOFError
        with self.assertRaises(EOFError):
            pendulum().run("rattle(verlet)", step=1e-9, stop=100, every=1000, observers=[ends])

    def test_remedies_are_those_of_python(self):
        def model(**start):
            m = rattle.Model()
            (x, px), (y, py) = m.pair("x"), m.pair("y")
            m.hamiltonian((px**2 + py**2)/2 + y)
            m.constrain("rod", x**2 + y**2 - 1)
            m.start(**start)
            return m
        off = model(x=1.5)
        with self.assertRaisesRegex(rattle.OffConstraints, r"project=True, or output\(project=True\)$"):
            off.run("rattle(verlet)", step=0.1, steps=1)
        off.run("rattle(verlet)", step=0.1, steps=1, project=True)
        off.output(project=True)
        off.run("rattle(verlet)", step=0.1, steps=1)
        with self.assertRaisesRegex(rattle.NotRegular, r"write start\(\.\.\.\)$"):
            model().run("rattle(verlet)", step=0.1, steps=1)
        locked = rattle.Model()
        (x, px), (y, py) = locked.pair("x"), locked.pair("y")
        locked.hamiltonian((px**2 + py**2)/2 + x*y)
        locked.constrain("lock", px)
        self.assertRegex(repr(locked.check()), r"; refused: 'lock' is linear in the momenta.*expression, dirac=True\)")

    def test_ctypes(self):
        def g(q, p):
            return [float(q[0])**2 + float(q[1])**2 - 1], [2*q]  # numpy's products of vectors may round once for both

        h, c = c_functions(ctypes.CFUNCTYPE)
        for first in (h, ctypes.cast(h, ctypes.c_void_p).value):
            numpy.testing.assert_array_equal(pendulum(first, c).run(**RUN).q, pendulum(h, g).run(**RUN).q)

    def test_general(self):
        """H that is not separable, g(q, p), with second derivatives and without."""
        def hamiltonian(q, p):
            return (p @ p)*(1 + q[0]**2)/2 + q @ q, [p @ p*q[0] + 2*q[0], 2*q[1]], p*(1 + q[0]**2)

        def hessian(q, p):
            h = numpy.diag([p @ p + 2, 2, 1 + q[0]**2, 1 + q[0]**2])
            h[0, 2:] = h[2:, 0] = 2*p*q[0]
            return h

        def constraint(q, p):
            return [q @ q + p @ p - 1], [[*(2*q), *(2*p)]]

        settings = dict(method="rattle(midpoint)", step=0.01, steps=50)
        start = ([0, 0.6], [0.8, 0])
        plain = rattle.Callbacks(2, hamiltonian, constraint, 1, start=start)
        self.assertEqual(plain.problem().kind, "coisotropic")
        full = rattle.Callbacks(2, hamiltonian, constraint, 1, start=start, hamiltonian_hessian=hessian,
                                constraint_hessian=lambda q, p, w: 2*w[0]*numpy.eye(4))
        m = rattle.Model()
        x, px = m.pair("x")
        y, py = m.pair("y")
        m.hamiltonian((px**2 + py**2)*(1 + x**2)/2 + x**2 + y**2)
        m.constrain("sphere", x**2 + y**2 + px**2 + py**2 - 1)
        m.start(y=0.6, px=0.8)
        wanted = m.run("rattle(midpoint)", step=0.01, steps=50, project=True)
        for problem in (plain, full):
            problem.given = m.problem().start(True)
            numpy.testing.assert_allclose(problem.run(**settings).q, wanted.q, atol=1e-9)

    def test_failures(self):
        calls = []

        def leaves(q, p):
            calls.append(q)
            if len(calls) > 300:
                raise KeyError("enough")
            return H(q, p)

        with self.assertRaises(rattle.Callback) as caught:
            pendulum(leaves).run(**RUN)
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertEqual(caught.exception.run.summary.steps, caught.exception.step)
        with self.assertRaisesRegex(rattle.Callback, "Hamiltonian callback .*: ValueError: ") as caught:
            pendulum(lambda q, p: (1, 2)).run(**RUN)
        self.assertIsInstance(caught.exception.__cause__, ValueError)

        def interrupted(q, p):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            pendulum(interrupted).run(**RUN)
        with self.assertRaisesRegex(ValueError, "context"):
            pendulum(context=1).problem()
        with self.assertRaisesRegex(ValueError, "no variable 'z'"):
            pendulum().run(start={"z": 1}, **RUN)

    def test_whole(self):
        of = pickle.loads(pickle.dumps(pendulum()))
        found = of.check(trial=False)
        self.assertEqual((found.kind, found.class_, found.advice_method), ("natural", "coisotropic", "rattle(verlet)"))
        other = of.run(start=([0, -1], [2, 0]), **RUN)
        self.assertEqual(list(other.q[0]), [0, -1])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        saved = of.run(record=folder.name + "/run.h5", **RUN)
        numpy.testing.assert_array_equal(rattle.open(saved.record).q, saved.q)
        self.assertIsNone(rattle.open(saved.record).model)
        results = []
        threads = [threading.Thread(target=lambda: results.append(of.run(**RUN).q)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for q in results:
            numpy.testing.assert_array_equal(q, results[0])
        integrator = of.integrator("rattle(verlet)", step=0.025)
        integrator.step(400)
        numpy.testing.assert_array_equal(integrator.q, results[0][-1])


class Numba(unittest.TestCase):
    def test_cfuncs(self):
        common.need("numba", test=self)
        import numba
        signature = rattle.callbacks.SIGNATURES

        @numba.cfunc(signature["hamiltonian"])
        def hamiltonian(context, z, value, gradient):
            value[0] = (z[2]**2 + z[3]**2)/2 + z[1]
            gradient[0], gradient[1], gradient[2], gradient[3] = 0, 1, z[2], z[3]
            return 0

        @numba.cfunc(signature["constraint"])
        def constraint(context, z, value, jacobian):
            value[0] = z[0]**2 + z[1]**2 - 1
            jacobian[0], jacobian[1], jacobian[2], jacobian[3] = 2*z[0], 2*z[1], 0, 0
            return 0

        run = pendulum(hamiltonian, constraint).run(**RUN)
        h, c = c_functions(ctypes.CFUNCTYPE)
        numpy.testing.assert_array_equal(run.q, pendulum(h, c).run(**RUN).q)


if __name__ == "__main__":
    common.main()
