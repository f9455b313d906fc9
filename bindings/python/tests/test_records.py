"""Records: what was run is read again, saved afterwards or written meanwhile."""
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


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def test_columns(self):
        run = rattle.load(common.example("chain"), N=5).run(steps=100, record=self.path("run.h5"))
        record = rattle.open(self.path("run.h5"))
        for name in ("t", "energy", "q", "p", "multipliers"):
            numpy.testing.assert_array_equal(getattr(record, name), getattr(run, name), err_msg=name)
        for name, values in record.columns().items():
            if name not in ("g", "psi"):
                numpy.testing.assert_array_equal(values, run[name], err_msg=name)
        numpy.testing.assert_array_equal(record["g"], abs(run.g).max(axis=1))
        self.assertEqual((len(record), record.method, record.title), (len(run), run.method, "Chain"))
        self.assertEqual(record.info.counts.newton_iterations, run.summary.counts.newton_iterations)
        numpy.testing.assert_array_equal(record.model.run(steps=100).q, run.q)
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(record))["x[1]"], run["x[1]"])
        with self.assertRaisesRegex(KeyError, "x\\[1\\]"):
            record["x1]"]
        with self.assertRaises(rattle.IO):
            rattle.open(self.path("none.h5"))

    def test_other_formats(self):
        rattle.load(common.example("chain"), N=5).run(steps=100, record=self.path("run.h5"))
        record = rattle.open(self.path("run.h5"))
        for ending in ("xyz", "nc", "h5md", "csv"):
            record.write(self.path("run." + ending), length="nm", time="ps", box=(9, 9, 9), bonds=[("x[1]", "x[2]")])
            self.assertGreater(os.path.getsize(self.path("run." + ending)), 1000)
        with open(self.path("run.xyz")) as file:
            lines = file.read().split("\n")
        self.assertIn('Lattice="90 0 0 0 90 0 0 0 90"', lines[1])
        numpy.testing.assert_allclose([float(x) for x in lines[-2].split()[1:4]], [10*record["x[5]"][-1], 10*record["y[5]"][-1], 0], rtol=1e-15)
        with self.assertRaises(rattle.Exists):
            record.write(self.path("run.xyz"))
        with self.assertRaises(ValueError):
            record.write(self.path("run.pdb"))

    def test_saved_is_what_would_have_been_written(self):
        for method in ("rattle(verlet)", "multistep4", "rattle(verlet, project=output)", "rattle(verlet, compensated)"):
            model = rattle.load(common.example("pendulum"))
            model.run(method, steps=300, record=self.path("one.h5"), force=True)
            model.run(method, steps=300).save(self.path("two.h5"), force=True)
            for name in ("one.h5", "two.h5"):
                common.command("resume", self.path(name), "--stop", "12", "--quiet")
            one, two = (rattle.open(self.path(name)) for name in ("one.h5", "two.h5"))
            self.assertEqual(list(one.columns()), list(two.columns()))
            for name, values in one.columns().items():
                numpy.testing.assert_array_equal(values, two[name], err_msg=f"{method}: {name}")
            self.assertEqual(one.info.counts, two.info.counts)
            self.assertGreater(len(one), 40)

    def test_warnings_stand_in_records(self):
        m = rattle.Model()
        x, p = m.pair("x")
        m.hamiltonian(p**2 / 2 + x**2 / 2)
        m.start(x=1)
        with self.assertWarns(rattle.RattleWarning):
            run = m.run("verlet", step=1.9, steps=10, record=self.path("one.h5"))
        run.save(self.path("two.h5"))
        self.assertRegex(run.warnings[0], "the energy is off by")
        for name in ("one.h5", "two.h5"):
            self.assertEqual(rattle.open(self.path(name)).info.warnings, run.warnings)

    def test_remedies_are_those_of_python(self):
        path = self.path("run.h5")
        m = rattle.load(common.example("pendulum"))
        for force in (True, True):
            m.run(steps=10, record=path, force=force)
        with self.assertRaisesRegex(rattle.Exists, "or pass force=True$"):
            m.run(steps=10, record=path)
        with self.assertRaisesRegex(rattle.OffConstraints, "or project it: project=True, or"):
            m.run(steps=10, start={"x": 1.5})

    def test_ctrl_c_while_the_file_is_created(self):
        m = rattle.Model.from_string("""
            local x, px = pair("x") hamiltonian(px^2/2)
            for i = 1, 80000 do observe("o" .. i, i*x) end""")  # some seconds, in which the interrupt comes
        folder = os.path.dirname(self.path(""))

        def when_there_is_a_file():
            while not os.listdir(folder) or threading.active_count() < 3:  # this one and the one that creates it
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        run = m.run("verlet", step=0.1, steps=1)
        for write in (lambda: m.run("verlet", step=0.1, steps=1, record=self.path("run.h5")), lambda: run.save(self.path("run.h5"))):
            threading.Thread(target=when_there_is_a_file).start()
            with self.assertRaisesRegex(rattle.Interrupted, "while .*run.h5 was created: nothing was written") as caught:
                write()
            self.assertEqual(os.listdir(folder), [])
            if caught.exception.run is not None:
                self.assertIsNone(caught.exception.run.record)

    def test_a_record_that_grows(self):
        lengths = []
        path = self.path("run.h5")

        def follow(sample):
            if sample.step == 20_000:  # flushed at the latest after a second: what is there is a beginning
                lengths.append(len(rattle.open(path)))

        run = rattle.load(common.example("pendulum")).run(steps=40_000, observers=[follow], record=path)
        record = rattle.open(path)
        self.assertEqual(len(record.refresh()), len(run))
        self.assertLessEqual(lengths[0], len(run))


if __name__ == "__main__":
    common.main()
