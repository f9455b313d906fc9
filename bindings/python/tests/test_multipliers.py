"""Multipliers as quantities: a rope's tension by closed forms, an event at which it is slack, and what is refused."""
import copy
import pickle
import unittest

import numpy

import common  # noqa: F401
import rattle


def stone(speed2=3.5):
    """A stone of 0.7 on a rope of length 2, thrown from below with v^2 = speed2 g L."""
    m = rattle.Model("stone")
    x, px = m.pair("x")
    y, py = m.pair("y")
    m.mass(x, 0.7)
    m.mass(y, 0.7)
    m.potential(0.7*9.81*y)
    m.constrain("rope", (x**2 + y**2 - 4)/4)
    m.start(x=0, y=-2, px=0.7*(speed2*9.81*2)**0.5)
    m.observe("tension", m.multiplier("rope"))  # the force is lambda r/2, of a rope of length 2
    m.stop(m.multiplier("rope"), direction=-1)
    return m


class Multipliers(unittest.TestCase):
    def test_tension(self):
        run = stone().run(method="kahan_li8(rattle(verlet))", step=0.01, stop=10)
        height = run["y"]/2
        right = 0.7*9.81*(3.5 - 2 - 3*height)  # m v^2/L - m g cos, by the energy
        numpy.testing.assert_allclose(run["tension"], right, atol=1e-9)
        self.assertAlmostEqual(height[-1], 0.5, delta=1e-10)  # slack

    def test_copies_and_texts(self):
        m = stone()
        end = m.run(method="rattle(verlet)", step=0.01, stop=1)["tension"]
        for again in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)), rattle.Model.from_string(m.text)):
            numpy.testing.assert_array_equal(again.run(method="rattle(verlet)", step=0.01, stop=1)["tension"], end)

    def test_joint_of_a_module(self):
        m = rattle.Model("rod")
        mech = m.require("mechanics")
        mech.gravity(0, -9.81)
        rod = mech.planar(name="rod", shape=mech.rod(mass=1, length=1), at=[0.5, 0])
        pin = mech.revolute("pin", mech.ground.at(0, 0), rod.at(-0.5, 0))
        m.observe("force", pin.force())
        run = m.run(method="rattle(verlet)", step=0.001, stop=0.01)
        self.assertAlmostEqual(run["force[2]"][0], 9.81/4, delta=1e-12)  # of a rod that is let go while it is level

    def test_words(self):
        m = stone()
        self.assertEqual(str(m.multiplier("rope")), "multiplier(...)")
        with self.assertRaisesRegex(rattle.BadModel, "no constraint 'rod'"):
            m.multiplier("rod")
        with self.assertRaisesRegex(ValueError, "multiplier.rope. has no value by coordinates"):
            m.multiplier("rope")(x=1)
        m.potential(m.multiplier("rope"))
        with self.assertRaisesRegex(rattle.BadModel, "contains the multiplier of 'rope'"):
            m.run(method="rattle(verlet)", step=0.01, stop=0.1)


if __name__ == "__main__":
    unittest.main()
