"""Sweeps: the numbers of single runs and of the command, failures as rows, grids and lists, what is refused."""
import contextlib
import csv
import io
import os
import pickle
import signal
import tempfile
import threading
import unittest

import numpy

import common
import rattle

EVENTS = """local x, px = pair("x") local y, py = pair("y") mass {{ x = 1, y = 1 }} potential(y) constrain("rod", x^2 + y^2 - 1)
    observe("height", y + 2) observe("inverse", 1/x) start {{ x = 1, py = -2 }} {} integrate {{ step = 0.01, stop = {} }}"""


def pendulum(**parameters):
    return rattle.load(common.example("pendulum"), **parameters)


class Rows(unittest.TestCase):
    def assert_row(self, sweep, k, run):
        """To the bit."""
        for name in ("q", "p"):
            numpy.testing.assert_array_equal(getattr(sweep, name)[k], getattr(run, name)[-1])
            numpy.testing.assert_array_equal(getattr(sweep, name + "0")[k], getattr(run, name)[0])
        self.assertEqual((sweep.time[k], sweep.steps[k], sweep.status[k], sweep.message[k]), (run.t[-1], run.step[-1], "OK", ""))

    def test_as_runs(self):
        given = numpy.linspace(-2, 2, 5)
        for settings in (dict(stop=10), dict(steps=77, step=0.03, method="shake(verlet)"), dict(stop=2, method="adaptive(rattle(verlet))")):
            for keep in ("ends", "summary"):
                sweep = pendulum().sweep({"py": given}, threads=2, keep=keep, **settings)
                for k, value in enumerate(given):
                    run = pendulum().run(start={"py": value}, every=1, **settings)
                    self.assert_row(sweep, k, run)
                    if keep == "summary":
                        self.assertEqual([sweep.summary.energy_max_error[k], sweep.summary.g_max[k], sweep.summary.psi_max[k], sweep["energy"][k]],
                                         [run.summary.energy_max_error, run.summary.g_max, run.summary.psi_max, run.energy[-1]])
        numpy.testing.assert_array_equal(sweep["start:py"], given)
        numpy.testing.assert_array_equal(sweep["y"], sweep.q[:, 1])

    def test_chaos(self):
        model = rattle.load(common.example("double_pendulum"))
        sweep = model.sweep(parameters={"angle": [0.2, 2]}, keep="chaos", method="rattle(verlet)", step=0.01, stop=200)
        self.assertTrue(sweep["megno"][0] < 2.3 and sweep["megno"][1] > 6 and sweep["sali"][1] < 1e-6 < sweep["sali"][0])
        self.assertTrue(sweep.chaos.exponent[1] > 0.3)
        self.assertIsNone(model.sweep(parameters={"angle": [0.2]}, step=0.01, steps=5).chaos)

    def test_lanes_and_threads(self):
        given, settings = numpy.linspace(-2, 2, 37), dict(step=0.02, steps=300)
        alone = pendulum().sweep({"py": given}, threads=1, lanes=1, **settings)
        self.assert_row(alone, 36, pendulum().run(start={"py": 2}, **settings))
        for lanes in (0, 2, 4, 8):
            with self.subTest(lanes):
                try:
                    sweep = pendulum().sweep({"py": given}, threads=3, lanes=lanes, **settings)
                except rattle.Unsuitable as error:
                    self.assertRegex(str(error), "this processor has vectors of")
                    continue
                numpy.testing.assert_array_equal(sweep.q, alone.q)
                numpy.testing.assert_array_equal(sweep.p, alone.p)
        with self.assertRaisesRegex(rattle.BadArgument, "lanes is 3"):
            pendulum().sweep(lanes=3)

    def test_grid_of_parameters_and_starts(self):
        sweep = pendulum().sweep({"py": [-1, -2]}, parameters={"gravity": [1, 2, 3]}, stop=5, keep="energy")
        self.assertEqual((sweep.shape, len(sweep)), ((3, 2), 6))
        numpy.testing.assert_array_equal(sweep["set:gravity"], [1, 1, 2, 2, 3, 3])
        numpy.testing.assert_array_equal(sweep["start:py"], [-1, -2]*3)
        for k in range(6):
            run = pendulum(gravity=sweep["set:gravity"][k]).run(start={"py": sweep["start:py"][k]}, stop=5)
            self.assert_row(sweep, k, run)
            self.assertEqual(sweep["energy"][k], run.energy[-1])
        pairs = pendulum().sweep({"py": [-1, -2, 0]}, parameters={"gravity": [1, 2, 3]}, grid=False, stop=5)
        self.assertEqual(pairs.shape, (3,))
        numpy.testing.assert_array_equal(pairs.q[:2], sweep.q[[0, 3]])

    def test_start_of_the_model_stays_with_other_parameters(self):
        model = pendulum()
        model.start(x=0, y=-1, px=0.5, py=0)
        sweep = model.sweep(parameters={"gravity": [1, 2]}, stop=1)
        numpy.testing.assert_array_equal(sweep.q0, [[0, -1]]*2)
        other = pendulum(gravity=2)
        other.start(x=0, y=-1, px=0.5, py=0)
        self.assert_row(sweep, 1, other.run(stop=1))

    def test_points(self):
        """An end is the start of another sweep."""
        whole, model = pendulum().sweep({"py": [-1, -2]}, steps=200), pendulum()
        half = model.sweep({"py": [-1, -2]}, steps=100)
        again = model.sweep((half.q, half.p), steps=100)
        numpy.testing.assert_allclose(again.q, whole.q, atol=1e-12)
        self.assert_row(again, 1, model.run(start=(half.q[1], half.p[1]), steps=100))

    def test_velocities_of_the_model(self):
        model = rattle.Model()
        x, px = model.pair("x")
        model.hamiltonian(px**2/4 + x**2)
        model.velocity(x=3)
        model.integrate(step=0.01, steps=10)
        numpy.testing.assert_array_equal(model.sweep({x: [1, 2]}).p0, [[6], [6]])
        self.assert_row(model.sweep({"px": [1, 2]}), 1, model.run(start={"px": 2}))

    def test_observables_and_events(self):
        model = rattle.Model.from_string(EVENTS.format("stop { when = x, count = 3 }", 40))
        sweep = model.sweep({"py": [-2, -1]}, keep=["height"])
        self.assertEqual((sweep.observables, sweep.observed.shape), (["height"], (2, 1)))
        stop = model.run(start={"py": -1}).events["stop"]
        numpy.testing.assert_array_equal(sweep.q[1], stop.q[-1])
        self.assertEqual((sweep["height"][1], sweep.time[1]), (stop["height"][-1], stop.t[-1]))
        self.assertEqual(model.sweep(keep="observables").observables, ["height", "inverse"])
        exact = rattle.Model.from_string(EVENTS.format("", "3.005, exact = true"))
        at = exact.run().events["at"]
        numpy.testing.assert_array_equal(exact.sweep().q[0], at.q[-1])
        self.assertEqual((exact.sweep().time[0], at.t[-1]), (3.005, 3.005))

    def test_frame_and_bar(self):
        common.need("pandas", test=self)
        frame = pendulum().sweep({"x": [1, 1.5]}, stop=1).to_pandas()
        self.assertEqual(list(frame.columns), ["start:x", "status", "time", "steps", "x", "y", "px", "py"])
        self.assertEqual(list(frame["status"]), ["OK", "OFF_CONSTRAINTS"])
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            pendulum().sweep({"py": [-1, -2]}, step=0.001, steps=10_000_000, threads=1, progress=True)
        self.assertRegex(shown.getvalue(), r"^\r\x1b\[Ksweep: +0 %, 0 of 2, ")

    def test_as_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            cases, table = (os.path.join(folder, name) for name in ("sweep.h5", "sweep.csv"))
            common.command("sweep", common.example("pendulum"), "--set", "gravity=1,2", "--start", "py=-2,-1,9", "--stop", "5", "-o", cases, "--quiet")
            common.command("info", cases, "--csv", table)
            with open(table, newline="") as file:
                header, *rows = csv.reader(file)
        columns = pendulum().sweep({"py": [-2, -1, 9]}, parameters={"gravity": [1, 2]}, stop=5, keep=["summary", "observables"]).columns()
        self.assertEqual(set(columns) - set(header), {"energy"})
        self.assertLessEqual(set(header) - set(columns), {"case"})
        for name, values in zip(header, zip(*rows)):
            if name not in ("case", "status"):
                numpy.testing.assert_array_equal(columns[name], numpy.array(values, dtype=float), err_msg=name)


class Failures(unittest.TestCase):
    def test_rows(self):
        sweep = pendulum().sweep({"x": [1, 1.5]}, stop=1, keep="summary")
        self.assertEqual(list(sweep.status), ["OK", "OFF_CONSTRAINTS"])
        self.assertEqual(list(sweep.failed), [False, True])
        self.assertRegex(sweep.message[1], "violates constraint 'rod'.*project=True")
        self.assertIsInstance(sweep.errors[1], rattle.OffConstraints)
        self.assertTrue(numpy.isnan([*sweep.q[1], *sweep.q0[1], sweep.summary.g_max[1]]).all())
        self.assertTrue(numpy.isfinite([*sweep.q[0], sweep.summary.g_max[0]]).all())
        self.assertRegex(repr(sweep), "2 cases.*1 of them failed")
        moved = pendulum().sweep({"x": [1, 1.5]}, stop=1, project=True)
        self.assertFalse(moved.failed.any())
        numpy.testing.assert_allclose(moved.q0, [[1, 0]]*2)
        with self.assertRaisesRegex(KeyError, "start:x"):
            sweep["z"]

    def test_after_some_steps(self):
        with self.assertRaises(rattle.Degenerate) as caught:
            pendulum().run(step=2.0)
        sweep = pendulum().sweep(step=2.0)
        self.assertEqual((sweep.status[0], sweep.message[0], sweep.errors[0].step), ("DEGENERATE", str(caught.exception), caught.exception.step))

    def test_functions_of_python(self):
        def hamiltonian(q, p):
            if q[1] < -0.9:
                raise RuntimeError("low")
            return p @ p/2 + q[1], [0, 1], p
        plain = rattle.Callbacks(2, hamiltonian, constraint=lambda q, p: ([q @ q - 1], [2*q]), m=1, inverse_mass=1, start=([0, 1], [1, 0]))
        how = dict(method="rattle(verlet)", step=0.025, steps=50)
        sweep = plain.sweep({"pq[0]": [0.5, 3]}, threads=2, **how)
        self.assertEqual(list(sweep.status), ["OK", "CALLBACK"])
        self.assertRegex(sweep.message[1], "RuntimeError: low")
        numpy.testing.assert_array_equal(sweep.q[0], plain.run(start={"pq[0]": 0.5}, **how).q[-1])

    def test_ctrl_c(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            pendulum().sweep({"py": [-1, -2]}, parameters={"gravity": [1, 2]}, step=0.001, steps=2_000_000_000)
        self.assertIsInstance(caught.exception, rattle.Interrupted)
        sweep = caught.exception.sweep
        self.assertEqual((set(sweep.status), len(sweep.errors)), ({"INTERRUPTED"}, 0))
        self.assertRegex(sweep.message[3], "interrupted")

    def test_pickles(self):
        sweep = pendulum().sweep({"x": [1, 1.5]}, stop=1, keep=["summary"])
        again = pickle.loads(pickle.dumps(sweep))
        numpy.testing.assert_array_equal(again.q, sweep.q)
        numpy.testing.assert_array_equal(again.summary.energy_final, sweep.summary.energy_final)
        self.assertEqual((str(again.errors[1]), repr(again)), (str(sweep.errors[1]), repr(sweep)))

    def test_refusals(self):
        model = pendulum()
        for arguments, message in ((dict(starts={"z": [1]}), "no variable 'z'; it has x, y, px, py"),
                                   (dict(starts={"x": [1, numpy.nan]}), r"x: number \[1\] is nan"),
                                   (dict(starts={"x": "a"}), "x: expected numbers, found 'a'"),
                                   (dict(starts={"x": []}), "x: expected a list of numbers"),
                                   (dict(starts=([1], [2])), r"q and p of shape \[cases, 2\]"),
                                   (dict(starts=[1, 2, 3]), "expected values by name"),
                                   (dict(parameters={"mass": [1]}), "no parameter 'mass'; it has gravity"),
                                   (dict(starts={"x": [1, 2], "y": [1, 2, 3]}, grid=False), "the same length, but start:x has 2, start:y has 3"),
                                   (dict(keep="height"), "there is no 'height'; give some of ends, "), (dict(threads=-1), "threads")):
            with self.subTest(message), self.assertRaisesRegex(rattle.BadArgument, message):
                model.sweep(**arguments)
        with self.assertRaisesRegex(rattle.BadArgument, "parameters are those that a model file declares"):
            plain = rattle.Model()
            plain.pair("x")
            plain.hamiltonian(plain.formulas[0] or 0)
            plain.sweep(parameters={"mass": [1]}, step=1, steps=1)
        with self.assertRaisesRegex(rattle.Unsuitable, "draws points"):  # what no case can do is no row
            model.sweep(method="hmc(rattle(verlet))")

    def test_parameters_that_change_what_there_is(self):
        model = rattle.Model.from_string("""for i = 1, parameter("n", 1) do local x, px = pair("x" .. i) hamiltonian(px^2/2 + x^2/2) end
            integrate { step = 0.1, steps = 2 }""")
        sweep = model.sweep(parameters={"n": [1, 2]})
        self.assertEqual(list(sweep.status), ["OK", "UNSUITABLE"])
        self.assertRegex(sweep.message[1], "case 1 change how many coordinates")


if __name__ == "__main__":
    common.main()
