"""Constraints that begin and end, written in Python and in Lua: the same bits, and closed forms."""
import math
import unittest

import common  # noqa: F401
import rattle

LUA = """local x, px = pair("x") local y, py = pair("y") mass { x = 3, y = 3 } potential(3*9.81*y) start { x = 0.6 }
constrain("rope", 1 - x^2 - y^2)
local rope = one_sided { constraint = "rope", restitution = 0.5 }
observe("lost", rope.lost)
"""


def written():
    m = rattle.Model("written")
    x, _ = m.pair("x")
    y, _ = m.pair("y")
    m.mass(x=3, y=3)
    m.potential(3*9.81*y)
    m.start(x=0.6)
    m.constrain("rope", 1 - x**2 - y**2)
    rope = m.one_sided("rope", restitution=0.5)
    m.observe("lost", rope.lost)
    return m


class Switches(unittest.TestCase):
    def test_rope(self):
        """Free fall to (0.6, -0.8), and Newton's law of impact there."""
        run = written().run("rattle(verlet)", step=0.01, steps=41)
        taut, v = run.events["rope"], math.sqrt(2*9.81*0.8)
        self.assertAlmostEqual(taut.t[0], v/9.81, delta=1e-13)
        self.assertAlmostEqual(run["lost"][-1], 1.5*(0.8*v)**2*0.75, delta=1e-12)
        self.assertAlmostEqual(taut.work[0], -1.5*(0.8*v)**2*0.75, delta=1e-12)

    def test_same_as_lua(self):
        a, b = written().run(step=0.01, steps=150), rattle.Model.from_string(LUA).run(step=0.01, steps=150)
        self.assertEqual(a.q.tobytes(), b.q.tobytes())
        self.assertEqual(a["rope.on"][-1], 1)

    def test_two_ropes(self):
        """A ball falls into two ropes, which catch it in turn until it hangs at rest; with a ball that falls between both, at once."""
        for e, x in ((0, 0.0005), (0, 0), (0.5, 0.05)):
            m = rattle.Model("between")
            u, _ = m.pair("x")
            v, _ = m.pair("y")
            m.mass(x=2, y=2)
            m.potential(2*9.81*v)
            m.start(x=x, y=-0.3)
            for name, at in (("left", -0.3), ("right", 0.3)):
                m.constrain(name, 0.25 - (u - at)**2 - v**2)
                m.one_sided(name, restitution=e)
            run = m.run(step=0.001, steps=700)
            text = (f"local u, pu = pair('x') local v, pv = pair('y') mass {{ x = 2, y = 2 }} potential(2*9.81*v) start {{ x = {x}, y = -0.3 }}\n"
                    f"for _, rope in ipairs {{ {{'left', -0.3}}, {{'right', 0.3}} }} do constrain(rope[1], 0.25 - (u - rope[2])^2 - v^2)\n"
                    f"one_sided {{ constraint = rope[1], restitution = {e} }} end")
            same = rattle.Model.from_string(text).run(step=0.001, steps=700)
            self.assertEqual(run.q.tobytes(), same.q.tobytes())
            self.assertAlmostEqual(run["y"][-1], -0.4, delta=1e-15)
            self.assertEqual((run["left.on"][-1], run["right.on"][-1]), (1, 1))
            self.assertAlmostEqual(run["left.lost"][-1] + run["right.lost"][-1], 1.962, delta=1e-5)
            self.assertLess(len(run.events["left"].t) + len(run.events["right"].t), 200)

    def test_clutch(self):
        """Two discs that are joined turn with the momentum of both."""
        m = rattle.Model("clutch")
        a, _ = m.pair("a")
        b, _ = m.pair("b")
        m.mass(a=2, b=3)
        m.potential(0)
        m.start(pa=5)
        m.constrain("clutch", a - b)
        clutch = m.switch("clutch", begins=m.time() - 0.255, ends=m.time() - 0.5, hold=True)
        m.observe("joined", clutch.on)
        run = m.run(step=0.01, steps=60)
        self.assertAlmostEqual(run["pa"][-1], 2, delta=1e-14)
        self.assertAlmostEqual(run["pb"][-1], 3, delta=1e-14)
        self.assertEqual([run["joined"][k] for k in (25, 26, 49, 51)], [0, 1, 1, 0])
        other = rattle.Model("other")
        x, px = other.pair("x")
        other.hamiltonian(px**2/2)
        with self.assertRaisesRegex(rattle.RattleError, "no constraint \"clutsch\""):
            other.switch("clutsch", ends=x)
            other.run(step=0.1, steps=1)


if __name__ == "__main__":
    unittest.main()
