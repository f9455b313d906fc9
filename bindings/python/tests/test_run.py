"""Model files: the same numbers as the command, arrays that share memory, errors with their fields."""
import csv
import gc
import math
import os
import pickle
import tempfile
import unittest

import numpy

import common
import rattle

integral = getattr(numpy, "trapezoid", None) or numpy.trapz  # its name from numpy 2.0 on; 2.4 has the other no more

# models and what overrides their settings, so that each takes a moment
RUNS = [("pendulum", {}), ("double_pendulum", dict(steps=500)), ("chain", dict(steps=200)), ("rigid_body", dict(steps=300)),
        ("ellipsoid", dict(method="kahan_li8(rattle(verlet))", steps=100)), ("commuting", dict(stop=2.0)),
        ("index_one", dict(steps=200)), ("guiding_centre", dict(steps=200)), ("encounter", dict(stop=1.0)), ("harmonic", dict(steps=100)),
        ("kepler", dict(steps=300, every=7)), ("ring", dict(method="shake(verlet)", steps=100)), ("spherical_pendulum", dict(steps=90))]


class Runs(unittest.TestCase):
    def test_same_bits_as_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, settings in RUNS:
                with self.subTest(name):
                    path = os.path.join(folder, name + ".csv")
                    options = [part for key, value in settings.items() for part in ("--" + key, str(value))]
                    summary = common.json_of("run", common.example(name), "--csv", path, *options)
                    with open(path, newline="") as file:
                        header, *rows = csv.reader(file)
                    run = rattle.load(common.example(name)).run(**settings)
                    columns = run.columns()
                    self.assertEqual(set(columns), set(header))
                    table = numpy.array(rows, dtype=float).T
                    self.assertEqual(len(run), len(rows))
                    for column, values in zip(header, table):
                        numpy.testing.assert_array_equal(columns[column], values, err_msg=column)
                    self.assertEqual(run.method, summary["method"])
                    self.assertEqual(run.summary.energy_max_error, summary["energy"]["max_error"])
                    self.assertEqual(run.summary.counts.newton_iterations, summary["counts"]["newton_iterations"])

    def test_events(self):
        source = """local x, px = pair("x") local y, py = pair("y") mass { x = 1, y = 1 } potential(y) constrain("rod", x^2 + y^2 - 1)
            observe("height", y + 2) start { x = 1, py = -2 } output { at = { 0.505, 2 } } event("never", x - 2) stop { when = x, count = 3 }
            integrate { step = 0.01, stop = 40 }"""
        with tempfile.TemporaryDirectory() as folder:
            first, second = (os.path.join(folder, name) for name in ("first.h5", "second.h5"))
            run = rattle.Model.from_string(source).run(record=first)
            self.assertEqual(run.summary.ended_by, "stop")
            self.assertEqual(set(run.events), {"stop", "at"})
            stop = run.events["stop"]
            self.assertEqual((len(stop), list(stop.direction), list(run.events["at"].t)), (3, [-1, 1, -1], [0.505, 2.0]))
            self.assertLess(abs(stop["x"]).max(), 1e-15)
            numpy.testing.assert_array_equal(stop["height"], stop["y"] + 2)
            self.assertTrue(all(stop.t - 0.01*stop.step < 0.0100001) and stop.multipliers.shape == (3, 1))
            run.save(second)
            for path in (first, second):
                record = rattle.open(path)
                self.assertEqual(list(record.events), ["never", "stop", "at"])
                self.assertEqual(len(record.events["never"]), 0)
                for name in run.events:
                    for field in ("t", "energy", "step", "direction", "q", "p", "multipliers", "observed"):
                        numpy.testing.assert_array_equal(getattr(record.events[name], field), getattr(run.events[name], field), err_msg=field)
            again = pickle.loads(pickle.dumps(run))
            numpy.testing.assert_array_equal(again.events["stop"]["px"], stop["px"])
            with self.assertRaises(KeyError):
                stop["z"]

    def test_the_end_is_the_last_sample(self):
        """Of runs, sweeps and records the same, to the bit."""
        source = """local x, px = pair("x") hamiltonian(px^2/2 + x^2/2) start { x = 1 } %s
            integrate { method = "kahan_li8(verlet)", step = 0.1, stop = %s, exact = true } output { every = %d }"""
        for stop, when, every, time, rows in ((0.55, "", 1, 0.55, 7), (0.55, "", 4, 0.55, 3), (0.5, "", 4, 0.5, 3),
                                              (9, "stop { when = x - 0.5 }", 3, math.pi/3, 5), (0.55, "stop { when = x - 0.5 }", 1, 0.55, 7)):
            with self.subTest(stop=stop, when=when, every=every), tempfile.TemporaryDirectory() as folder:
                model = rattle.Model.from_string(source % (when, stop, every))
                paths = [os.path.join(folder, name) for name in ("written.h5", "saved.h5")]
                run, sweep = model.run(record=paths[0]), model.sweep({"x": [1]})
                run.save(paths[1])
                self.assertAlmostEqual(run.t[-1], time, delta=1e-9)
                self.assertAlmostEqual(run["x"][-1], math.cos(time), delta=1e-9)
                self.assertEqual((len(run), run.summary.stop, run.summary.ended_by), (rows, run.t[-1], "stop" if time > 1 else None))
                self.assertEqual(run.summary.final, {"x": run["x"][-1], "px": run["px"][-1]})
                self.assertTrue((numpy.diff(run.t) > 0).all())
                self.assertEqual((sweep.q[0, 0], sweep.p[0, 0], sweep.time[0]), (run.q[-1, 0], run.p[-1, 0], run.t[-1]))
                for path in paths:
                    record = rattle.open(path)
                    numpy.testing.assert_array_equal(record.t, run.t)
                    numpy.testing.assert_array_equal(record.q, run.q)

    def test_parameters(self):
        model = rattle.load(common.example("pendulum"), gravity=9.81)
        self.assertEqual(model.parameters, {"gravity": 9.81})
        self.assertNotEqual(model.run(steps=10)["y"][-1], rattle.load(common.example("pendulum")).run(steps=10)["y"][-1])
        with self.assertRaisesRegex(rattle.BadModel, "gravity"):
            rattle.load(common.example("pendulum"), gravty=1)

    def test_arrays_share_memory_and_outlive_the_run(self):
        run = rattle.load(common.example("pendulum")).run(steps=5000, every=1)
        q, copy, x = run.q, run.q.copy(), run["x"]
        self.assertFalse(q.flags.owndata)
        self.assertTrue(numpy.shares_memory(x, q))
        with self.assertRaises(ValueError):
            q[0, 0] = 1
        del run
        gc.collect()
        filler = [numpy.full(5001 * 2, 7.0) for _ in range(20)]
        numpy.testing.assert_array_equal(q, copy)
        self.assertEqual(len(filler), 20)

    def test_settings(self):
        model = rattle.Model.from_string("local x, px = pair('x') hamiltonian(px^2/2 - cos(x)) start { x = 1 }")
        for settings, sentence in ((dict(steps=10), "no time step"), (dict(step=0.1), "no end"), (dict(step=0.1, stop=1, steps=10), "exclude"),
                                   (dict(step=0.1, stop=-1), "no whole number"), (dict(step=0.1, steps=0), "1 or more"),
                                   (dict(step=0.1, steps=10, every=0), "every 0 steps"), (dict(step=float("nan"), steps=1), "finite")):
            with self.subTest(sentence), self.assertRaisesRegex(rattle.BadArgument, sentence):
                model.run(**settings)
        for stop, step, steps in ((2.1, 0.3, 7), (1.0, 0.3, 4), (1.2, 0.3, 4)):  # 2.1/0.3 is 7.000000000000001
            self.assertEqual(model.run(step=step, stop=stop).summary.steps, steps)
        run = model.run(step=0.025, stop=1023, every=1000)
        self.assertEqual((run.summary.steps, run.method, run.step[-1]), (40920, "verlet", 40920))

    def test_whole_numbers(self):
        """2.5 steps were 2."""
        model = rattle.load(common.example("pendulum"))
        for how in ({"steps": 2.5}, {"steps": 2, "every": 1.5}, {"steps": float("nan")}):
            self.assertRaisesRegex(rattle.BadArgument, "expected a whole number", model.run, step=0.1, **how)
        self.assertEqual(len(model.run(step=0.1, steps=4.0, every=numpy.int64(2)).t), 3)

    def test_start(self):
        model = rattle.load(common.example("pendulum"))
        first = model.run(steps=50, every=50)
        second = model.run(steps=50, every=50, start=(first.q[-1], first.p[-1]))
        numpy.testing.assert_array_equal(second.q[-1], model.run(steps=100, every=50).q[-1])
        with self.assertRaisesRegex(ValueError, "expected 2 numbers, found 3"):
            model.run(start=([1, 2, 3], [0, 0]), steps=1)
        with self.assertRaisesRegex(TypeError, "by name"):
            model.run(start=[1, 0], steps=1)
        with self.assertRaises(rattle.OffConstraints):
            model.run(start={"x": 2}, steps=1)
        self.assertLess(model.run(start={"x": 2}, steps=1, project=True).summary.g_max, 1e-15)

    def test_evaluators_agree(self):
        model = rattle.load(common.example("double_pendulum"))
        block, native = (model.run(steps=300, evaluator=kind) for kind in ("block", "native"))
        self.assertEqual((block.evaluator, native.evaluator), ("block", "native"))
        numpy.testing.assert_array_equal(block.q, native.q)


class Errors(unittest.TestCase):
    def test_every_status_has_a_class(self):
        for kind in rattle.errors.STATUS.values():
            self.assertTrue(issubclass(kind, rattle.RattleError) and kind.status and kind.remedy and kind.__doc__)
        self.assertTrue(issubclass(rattle.BadModel, ValueError) and issubclass(rattle.NoMemory, MemoryError))

    def test_fields(self):
        with self.assertRaises(rattle.BadModel) as caught:
            rattle.Model.from_string("title 'x'\nlocal x = pear('x')", name="wrong.lua")
        self.assertEqual(caught.exception.where, "wrong.lua:2")
        with self.assertRaises(OSError) as caught:
            rattle.load("/nowhere.lua")
        self.assertIsInstance(caught.exception, rattle.IO)
        with self.assertRaisesRegex(rattle.BadMethod, "rattle"):
            rattle.load(common.example("pendulum")).run(method="ratle(verlet)")

    def test_texts_with_a_zero_byte(self):
        m = rattle.Model.from_file(common.example("pendulum"))
        for use in (lambda text: m.run(text, step=0.1, stop=1), lambda text: m.run(step=0.1, stop=1, record=text), rattle.Model.from_file,
                    rattle.Model.from_string, lambda text: rattle.Method(text).claims, lambda text: m.integrator(text, 0.1),
                    lambda text: m.tangent(text, 0.1), lambda text: m.sample(text, samples=1), lambda text: rattle.Record(text),
                    lambda text: rattle.Bonds([(0, 1)], [1], [1, 1], solver=text)):
            with self.assertRaisesRegex(ValueError, "zero byte at place 6; leave it out"):
                use("verlet\0(midpoint)")

    def test_a_run_that_fails(self):
        text = "local x, px = pair('x') local y, py = pair('y') mass { x = 1, y = 1 } potential(log(x + 0.5)) start { x = 1, px = -1 }"
        with self.assertRaises(rattle.Domain) as caught:
            rattle.Model.from_string(text).run(method="verlet", step=0.01, stop=10, every=1)
        error = caught.exception
        self.assertIsInstance(error, ArithmeticError)
        self.assertEqual(error.step, error.run.step[-1])
        self.assertGreater(len(error.run), 50)
        self.assertEqual(error.run.summary.status, "DOMAIN")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.step, again.time, str(again)), (rattle.Domain, error.step, error.time, str(error)))


class Extremes(unittest.TestCase):
    def test_over_all_steps(self):
        """Of few samples and of all steps; the peak at the dead centre is masses times accelerations."""
        crank = rattle.load(common.example("slider_crank"), gas=0)
        few, all_ = crank.run(every=1000, stop=0.02, extremes=True), crank.run(every=1, stop=0.02)
        self.assertAlmostEqual(few.extremes["pin force"].peak, 781.25, delta=1e-6)
        self.assertEqual(few.extremes["pin force"].peak_time, 0)
        for name in few.problem.observables:
            self.assertEqual((few.extremes[name].least, few.extremes[name].peak), (min(all_[name]), max(all_[name])))
            self.assertEqual(few.extremes[name].least_time, all_.t[numpy.argmin(all_[name])])
            self.assertAlmostEqual(few.extremes[name].mean, integral(all_[name], all_.t)/0.02, delta=1e-9*max(abs(all_[name])))
        self.assertEqual(all_.extremes, {})
        self.assertEqual(pickle.loads(pickle.dumps(few)).extremes, few.extremes)
        with self.assertRaisesRegex(rattle.BadArgument, "observes nothing"):
            rattle.load(common.example("pendulum")).run(steps=3, extremes=True)


class Check(unittest.TestCase):
    def test_as_the_command(self):
        for name in ("pendulum", "commuting", "guiding_centre", "index_one"):
            printed, found = common.json_of("check", common.example(name)), rattle.load(common.example(name)).check()
            for key in ("kind", "n", "m", "dof", "index", "second_class_count", "valid_methods", "fibre"):
                self.assertEqual(getattr(found, key), printed[key], f"{name}: {key}")
            self.assertEqual(found.class_, printed["class"])
            singular = printed["nondegeneracy"]["min_singular_value"]  # null: there is none
            numpy.testing.assert_equal(found.min_singular_value, float("nan") if singular is None else singular)
            self.assertEqual([list(g) for g in found.generations], [g["constraints"] for g in printed["generations"]])

    def test_points(self):
        problem = rattle.load(common.example("pendulum")).problem()
        q, p = problem.start()
        self.assertEqual((list(q), list(p), problem.energy(q, p)), ([1, 0], [0, -2], 2.0))
        self.assertEqual([list(x) for x in problem.residuals([2, 0], [1, 0])], [[3.0], [4.0]])
        q, p = problem.project([3, 4], [1, 0])
        numpy.testing.assert_allclose([*q, q @ p], [0.6, 0.8, 0], atol=1e-15)
        with self.assertRaisesRegex(ValueError, "expected 2 numbers, found 3"):
            problem.energy([1, 2, 3], [0, 0])


if __name__ == "__main__":
    common.main()
