"""Type stubs are those of the tables, and mypy takes a program that uses the package as it should, and not another."""
import os
import subprocess
import sys
import tempfile
import unittest

import common
import rattle
import stubs

GOOD = """
import numpy as np
import rattle
from rattle import methods

m = rattle.Model("Pendulum")
x, px = m.pair("x")
y, py = m.pair("y")
m.hamiltonian((px**2 + py**2)/2 + 2*y)
m.constrain("rod", x**2 + y**2 - 1)
m.start(x=1, py=-2)
try:
    run = m.run(methods.kahan_li8(methods.rattle(methods.verlet)), step=0.1, stop=1)
    total: float = run.q.sum() + run["x"][0]
    name: str = m.check().class_
except rattle.NotConverged as error:
    step: int | None = error.step
integrator = m.integrator("rattle(verlet)", step=0.1)
integrator.step(10)
time: float = integrator.time
swept = m.sweep({"py": np.linspace(-2, -1, 5)}, step=0.1, stop=1, keep=["summary"])
ends: float = swept.q.sum() + swept["x"].reshape(swept.shape)[0]
why: str = swept.errors[0].message
"""
BAD = ["rattle.Model(3)", "rattle.load('x').run(step='small')", "rattle.NotConvergd", "rattle.methods.verlt()", "rattle.open('x').t.foo",
       "rattle.load('x').check().clas", "rattle.load('x').sweep(thread=2)"]


class Types(unittest.TestCase):
    def test_stubs_are_those_of_the_tables(self):
        package = os.path.dirname(rattle.__file__)
        for name, make in stubs.STUBS.items():
            with open(os.path.join(package, name)) as there:
                self.assertEqual(make(), there.read(), f"bindings/python/tests/stubs.py makes {name}")
        self.assertTrue(os.path.exists(os.path.join(package, "py.typed")))

    def test_mypy(self):
        common.need("mypy", test=self)
        with tempfile.TemporaryDirectory() as folder:
            for name, program in (("good.py", GOOD), ("bad.py", "import rattle\n" + "\n".join(BAD) + "\n")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(program)
            environment = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(rattle.__file__))}

            done = subprocess.run([sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", folder, "good.py", "bad.py"],
                                  cwd=folder, env=environment, capture_output=True, text=True)
            found = done.stdout
            self.assertNotIn("good.py", found)
            for line in range(2, len(BAD) + 2):
                self.assertIn(f"bad.py:{line}: error", found, BAD[line - 2])


if __name__ == "__main__":
    common.main()
