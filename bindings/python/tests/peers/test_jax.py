"""Runs in JAX: the bits of run(), derivatives against differences and diffrax, jit, vmap, threads; functions written in JAX as problems."""
import os
import runpy
import sys
import threading
import unittest

import diffrax
import jax
import jax.numpy as jnp
import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common  # noqa: E402
import rattle  # noqa: E402
import rattle.jax  # noqa: E402

jax.config.update("jax_enable_x64", True)


def pendulum():
    """Its length and its weight are pairs that nothing moves."""
    m = rattle.Model("Pendulum")
    (x, px), (y, py), (length, _), (weight, _) = (m.pair(name) for name in ("x", "y", "l", "w"))
    m.hamiltonian((px**2 + py**2)/2 + weight*y)
    m.constrain("rod", x**2 + y**2 - length**2)
    return m


def begin(u):
    """The start at an angle, with a speed, of a length and a weight."""
    angle, speed, length, weight = u
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([length*c, length*s, length, weight]), jnp.array([-speed*s, speed*c, 0, 0])


class Pendulum(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.flow = rattle.jax.Flow(pendulum(), "rattle(verlet)", step=0.01, steps=100, every=25)
        cls.u = jnp.array([0.3, 0.5, 1.2, 0.9])

    def function(self, u):
        Q, P = self.flow(*begin(u))
        return jnp.sum(Q[:, 0]**2*jnp.arange(1, 6)) + P[2] @ Q[4]

    def test_bits_of_run(self):
        m = rattle.Model.from_string('local x,px=pair("x") local y,py=pair("y") hamiltonian((px^2+py^2)/2+y) constrain("rod",x^2+y^2-1) start{x=1,py=-2}')
        run = m.run("rattle(verlet)", step=0.01, steps=100, every=25)
        flow = rattle.jax.Flow(m, "rattle(verlet)", step=0.01, steps=100, every=25)
        for f in (flow, jax.jit(flow)):
            Q, P = f(numpy.array([1.0, 0]), numpy.array([0, -2.0]))
            numpy.testing.assert_array_equal(Q, run.q)
            numpy.testing.assert_array_equal(P, run.p)
        numpy.testing.assert_array_equal(flow.times, run.t)
        self.assertEqual(flow.index("py"), 1)

    def test_derivatives(self):
        """Reverse and forward sweeps, one against the other and against differences."""
        slope, eps = jax.jit(jax.grad(self.function))(self.u), 1e-5
        numpy.testing.assert_allclose(slope, jax.jacfwd(self.function)(self.u), rtol=1e-12)
        for k in range(4):
            d = jnp.zeros(4).at[k].set(eps)
            self.assertAlmostEqual(float((self.function(self.u + d) - self.function(self.u - d))/(2*eps)), float(slope[k]), delta=1e-7)
        _, along = jax.jvp(self.function, (self.u,), (jnp.array([1.0, 2, 3, 4]),))
        self.assertAlmostEqual(float(along), float(slope @ jnp.array([1.0, 2, 3, 4])), places=11)
        jacobian = jax.jacrev(lambda u: self.flow(*begin(u))[0])(self.u)
        numpy.testing.assert_allclose(jacobian, jax.jacfwd(lambda u: self.flow(*begin(u))[0])(self.u), rtol=1e-11, atol=1e-13)
        numpy.testing.assert_allclose(jacobian[0], jax.jacfwd(lambda u: begin(u)[0])(self.u), atol=1e-14)  # the first sample is the start

    def test_batches(self):
        many = self.u + 0.01*jnp.arange(24.0).reshape(6, 4)
        numpy.testing.assert_array_equal(jax.vmap(self.function)(many), [self.function(u) for u in many])
        numpy.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(self.function)))(many), jnp.stack([jax.grad(self.function)(u) for u in many]), rtol=1e-13)
        q, p = jax.vmap(begin)(many)
        numpy.testing.assert_array_equal(self.flow(q, p)[1], jax.vmap(self.flow)(q, p)[1])
        numpy.testing.assert_array_equal(jax.vmap(self.flow, (0, None))(q, p[0])[0][0], self.flow(q[0], p[0])[0])
        numpy.testing.assert_array_equal(jax.vmap(jax.vmap(self.flow))(q.reshape(2, 3, 4), p.reshape(2, 3, 4))[0].reshape(6, 5, 4), self.flow(q, p)[0])

    def test_threads(self):
        many, found = self.u + 0.01*jnp.arange(32.0).reshape(8, 4), [None]*8
        slope = jax.jit(jax.grad(self.function))

        def work(k):
            for _ in range(20):
                found[k] = slope(many[k])

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numpy.testing.assert_array_equal(found, [slope(u) for u in many])

    def test_refusals(self):
        q, p = begin(self.u)
        with self.assertRaisesRegex(TypeError, "float32: expected float64"):
            self.flow(q.astype(jnp.float32), p)
        with self.assertRaisesRegex(ValueError, r"q of shape \(3,\): expected 4 numbers"):
            self.flow(q[:3], p)
        with self.assertRaisesRegex(ValueError, "steps must be a multiple"):
            rattle.jax.Flow(pendulum(), "rattle(verlet)", step=0.01, steps=10, every=3)
        with self.assertRaisesRegex(Exception, "projection"):
            self.flow(q*jnp.nan, p)
        with self.assertRaisesRegex(NotImplementedError, "not implemented"):
            jax.hessian(self.function)(self.u)
        jax.config.update("jax_enable_x64", False)
        try:
            with self.assertRaisesRegex(TypeError, 'jax.config.update."jax_enable_x64", True. first'):
                self.flow(numpy.zeros(4), numpy.zeros(4))
        finally:
            jax.config.update("jax_enable_x64", True)


class Peers(unittest.TestCase):
    def test_diffrax(self):
        """A pendulum of one angle, without constraints: the end and its derivatives, to the error of both."""
        m = rattle.Model()
        q, p = m.pair("q")
        m.hamiltonian(p**2/2 - numpy.cos(q))
        flow = rattle.jax.Flow(m, "kahan_li8(verlet)", step=0.02, stop=5)

        def ours(z):
            return flow(z[:1], z[1:])[0][-1, 0]

        def theirs(z):
            solution = diffrax.diffeqsolve(diffrax.ODETerm(lambda t, z, _: jnp.array([z[1], -jnp.sin(z[0])])), diffrax.Dopri8(), 0, 5, 0.01, z,
                                           stepsize_controller=diffrax.PIDController(rtol=1e-12, atol=1e-12), max_steps=10000)
            return solution.ys[-1, 0]

        z = jnp.array([2.0, 0.3])
        self.assertAlmostEqual(float(ours(z)), float(theirs(z)), delta=1e-9)
        numpy.testing.assert_allclose(jax.grad(ours)(z), jax.grad(theirs)(z), atol=1e-8)

    def test_functions_of_jax(self):
        """H and g as functions of JAX alone are the model of formulas, derivatives of all orders included."""
        def H(q, p):
            return p @ p/2 + jnp.sin(q[0])*q[1]

        def g(q):
            return q @ q - 1

        by_jax = rattle.jax.callbacks(2, H, g, start=([1, 0], [0, -2]))
        m = rattle.Model.from_string('local x,px=pair("x") local y,py=pair("y") hamiltonian((px^2+py^2)/2+sin(x)*y) constrain("rod",x^2+y^2-1) start{x=1,py=-2}')
        one, other = (of.run("rattle(midpoint)", step=0.025, steps=40) for of in (by_jax, m))
        numpy.testing.assert_allclose(one.q, other.q, atol=1e-12)
        one, other = (of.tangent("rattle(midpoint)", step=0.025) for of in (by_jax, m))
        one.vectors = other.vectors
        one.step(20), other.step(20)
        numpy.testing.assert_allclose(one.vectors, other.vectors, atol=1e-11)

    def test_fit(self):
        runpy.run_path(os.path.join(common.EXAMPLES, "python", "fit_lengths.py"))


if __name__ == "__main__":
    unittest.main()
