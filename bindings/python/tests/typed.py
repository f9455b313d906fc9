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


two = rattle.Model("Bodies")
mech = two.require("mechanics")
g = two.parameter("g", 9.81)
rod = mech.planar(name="rod", shape=mech.rod(mass=1, length=1), at=[0.5, 0])
mech.revolute("pin", mech.ground.at(0, 0), rod.at(-0.5, 0))
two.potential(g*rod.x[1] + rattle.lgamma(2 + rod.angle**2) + np.logaddexp(rod.angle, 0*rod.angle))
two.observe("end", rod.at(0.5, 0).position())
run = two.run("rattle(verlet)", step=0.01, steps=10)
text: str = two.text
found = rattle.Callbacks.of_values(1, lambda q, p: p[0]**2/2 + np.cos(q[0]), start=([1], [0]))
assert found.by == "complex" and run["end[1]"][0] == 1
