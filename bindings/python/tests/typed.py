"""A program that `mypy --strict` takes as it stands, and that runs (tests/venv)."""
import numpy as np

import rattle

m = rattle.Model("Pendulum")
x, px = m.pair("x")
y, py = m.pair("y")
m.hamiltonian((px**2 + py**2)/2 + 2*y)
m.constrain("rod", x**2 + y**2 - 1)
m.start(x=1, py=-2)
run = m.run(rattle.methods.rattle(rattle.methods.verlet), step=0.1, stop=1)
largest: float = float(np.abs(run["x"]).max())
assert largest <= 1 + 1e-12 and m.check().advice_method is not None
bead = rattle.Model("Bead")
s, ps = bead.pair("s")
bead.hamiltonian(ps**2/2 - np.cos(s) + np.maximum(s, 0.0)**3)
bead.observe("side", rattle.where(rattle.lt(s, 0), -1.0, 1.0))
bead.stop(s + 1)
assert bead.run("verlet", step=0.1, stop=1).summary.steps == 10
