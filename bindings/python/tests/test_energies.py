"""H, the work and their balance: closed forms where energy comes in, in runs, events, records and CSV."""
import csv
import math
import os
import tempfile
import unittest

import numpy

import common
import rattle

EVERY = """local x, px = pair("x") integrate { method = "%s", step = 0.05, stop = 3.05 } output { every = 2, at = { 1.234 } } """
D, W = 0.3, 0.7                                             # damping; frequency of the drive


def block(t):
    """Under the force 3: H is the work, F x."""
    return 4.5*t**2, 4.5*t**2


def damped(t):
    w = math.sqrt(1 - D**2)
    x, v = numpy.exp(-D*t)*(numpy.cos(w*t) + D/w*numpy.sin(w*t)), -numpy.exp(-D*t)/w*numpy.sin(w*t)
    return (x**2 + v**2)/2, (x**2 + v**2)/2 - 0.5


def driven(t):
    x, v = (numpy.cos(W*t) - numpy.cos(t))/(1 - W**2), (numpy.sin(t) - W*numpy.sin(W*t))/(1 - W**2)
    H = (x**2 + v**2)/2 - x*numpy.cos(W*t)
    return H, H


def both(t):
    """A drive of H = p^2/2 - x t and the force 3: v = 3 t + t^2/2."""
    x, v = 1.5*t**2 + t**3/6, 3*t + t**2/2
    return v**2/2 - x*t, v**2/2 - x*t


def motor(t):
    """The speed t against the weight 3."""
    return 2*t**2, 2*t**2


ROWS = [("kahan_li8(verlet)", "hamiltonian(px^2/2) force { x = 3 } ", block),
        ("kahan_li8(verlet)", f"hamiltonian((px^2 + x^2)/2) force {{ x = -2*{D}*px }} start {{ x = 1 }}", damped),
        ("kahan_li8(verlet)", f"hamiltonian((px^2 + x^2)/2 - x*cos({W}*time()))", driven),
        ("kahan_li8(verlet)", "hamiltonian(px^2/2 - x*time()) force { x = 3 }", both),
        ("kahan_li8(rattle(verlet))", "hamiltonian(px^2/2 + 3*x) velocity_constrain(\"motor\", velocity(x) - time())", motor)]


class Energies(unittest.TestCase):
    def close(self, found, wanted):
        numpy.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)

    def test_closed_forms(self):
        for method, text, exact in ROWS:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                name, table, path = (os.path.join(folder, file) for file in ("m.lua", "m.csv", "m.h5"))
                run = rattle.Model.from_string(EVERY % method + text).run(record=path)
                H, work = exact(run.t)
                self.assertTrue(run.has_work)
                self.close(run.H, H)
                self.close(run.work, work)
                self.close(run.energy, run.energy[0])
                at, (H_at, work_at) = run.events["at"], exact(1.234)
                self.close((at.H[0], at.work[0]), (H_at, work_at))
                with open(name, "w") as file:
                    file.write(EVERY % method + text)
                common.command("run", name, "--csv", table, "--quiet")
                with open(table, newline="") as file:
                    header, *rows = csv.reader(file)
                self.assertEqual(header[-3:], ["H", "work", "balance"])
                record = rattle.open(path)
                for column, values in zip(header, numpy.array(rows, dtype=float).T):
                    numpy.testing.assert_array_equal(run[column], values)
                    if column[:2] not in ("g[", "ps"):
                        numpy.testing.assert_array_equal(record[column], values)
                numpy.testing.assert_array_equal(record.events["at"].work, at.work)
                self.assertEqual(list(record.columns())[-3:], ["H", "work", "balance"])
                run.save(path, force=True)
                numpy.testing.assert_array_equal(rattle.open(path).work, run.work)

    def test_sweeps(self):
        """Of the command and of Python, at the end."""
        for method, text, exact in ROWS:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                name, table, path = (os.path.join(folder, file) for file in ("m.lua", "m.csv", "m.h5"))
                model = f"parameter('unused', 1) {EVERY % method} {text}"
                with open(name, "w", encoding="utf-8") as file:
                    file.write(model)
                common.command("sweep", name, "--set", "unused=1,2", "-o", path, "--csv", table, "--quiet")
                with open(table, encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                found = rattle.Model.from_string(model).sweep(parameters={"unused": [1, 2]}, keep="energy")
                for row in rows:
                    H, work = exact(float(row["time"]))
                    self.close([float(row[c]) for c in ("H", "work", "balance")], [H, work, H - work])
                H, work = exact(found["time"])
                for column, values in (("H", H), ("work", work), ("balance", H - work), ("energy", H - work)):
                    self.close(found[column], values)
        plain = rattle.load(common.example("pendulum")).sweep({"py": [-2, -1]}, keep="energy")
        self.assertFalse(plain.has_work or "work" in plain.columns())

    def test_old_records_say_what_they_hold(self):
        """A record without H and work, as those before 0.2: its model has a force."""
        spring = "local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = 1 } integrate { method = 'verlet', step = 0.1, stop = 1 } "
        plain, damped = (rattle.Model.from_string(spring + more).run() for more in ("", "force { x = -px }"))
        with tempfile.TemporaryDirectory() as folder:
            path, figure = (os.path.join(folder, file) for file in ("old.h5", "old.gp"))
            integrator, damped._integrator = damped._integrator, plain._integrator
            damped.save(path)
            damped._integrator = integrator
            self.assertFalse(rattle.open(path).has_work)
            common.command("plot", path, "-o", figure)
            with open(figure, encoding="utf-8") as file:
                self.assertRegex(file.read(), r"Italic H\}.−.\{/:Italic W\}.−.\{/:Italic H\}_0")

    def test_names_of_the_model_come_first(self):
        model = rattle.Model.from_string(EVERY % "verlet" + 'hamiltonian(px^2/2) force { x = 3 } observe("work", 7*x) observe("H", x)')
        with tempfile.TemporaryDirectory() as folder:
            run = model.run(record=os.path.join(folder, "m.h5"))
            record = rattle.open(run.record)
            for of in (run, record):
                numpy.testing.assert_array_equal(of["work"], 7*run["x"])
                numpy.testing.assert_array_equal(of["rattle:work"], run.work)
                numpy.testing.assert_array_equal(of["rattle:H"], run.H)
                numpy.testing.assert_array_equal(of["balance"], run.energy)

    def test_none(self):
        run = rattle.load(common.example("pendulum")).run(steps=3)
        self.assertFalse(run.has_work)
        self.assertNotIn("work", run.columns())
        numpy.testing.assert_array_equal(run.H, run.energy)


if __name__ == "__main__":
    common.main()
