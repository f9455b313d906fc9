"""What a call of a run costs in JAX, in microseconds of processor time: least of ROUNDS, in turns.

    python bench/jax_calls.py [ROUNDS]      needs rattle and jax (0.10 or later) in one Python

Beside it what JAX takes for two products of the same size, and what a call back into Python takes (`jax.pure_callback`)."""
import sys
import time

import jax
import jax.numpy as jnp
import numpy

import rattle
import rattle.jax

jax.config.update("jax_enable_x64", True)
PENDULUM = """local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + y) constrain('rod', x^2 + y^2 - 1)
start{x = 1, py = -2} integrate{method = 'rattle(verlet)', step = 0.01, steps = 1}"""


def rows(model):
    one, hundred = (rattle.jax.Flow(model, "rattle(verlet)", step=0.01, steps=steps) for steps in (1, 100))
    q, p = jnp.array([1.0, 0]), jnp.array([0.0, -2])
    batch = numpy.linspace(-2.0, 2, 10000)
    Q, P = jnp.broadcast_to(q, (10000, 2)), jnp.stack([0*batch, batch], axis=1)

    integrator = model.integrator("rattle(verlet)", step=0.01)

    def by_python(q, p):
        integrator.q[:], integrator.p[:] = q, p
        integrator.step(1)
        return numpy.stack([q, integrator.q]), numpy.stack([p, integrator.p])

    shape = jax.ShapeDtypeStruct((2, 2), jnp.float64)
    back = jax.jit(lambda q, p: jax.pure_callback(by_python, (shape, shape), q, p))
    return [("one step", jax.jit(one), (q, p), 2000, 1), ("two products", jax.jit(lambda q, p: (q*p, q*q)), (q, p), 2000, 1),
            ("gradient of one step", jax.jit(jax.grad(lambda q, p: one(q, p)[0][-1, 0])), (q, p), 2000, 1),
            ("one step by pure_callback", back, (q, p), 200, 1),
            ("row of 100 steps in a batch of 10 000", jax.jit(hundred), (Q, P), 1, 10000)]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    table = rows(rattle.Model.from_string(PENDULUM))
    least = {name: float("inf") for name, *_ in table}
    for _ in range(rounds + 1):  # the first one compiles
        for name, call, given, times, parts in table:
            began = time.process_time()
            for _ in range(times):
                jax.block_until_ready(call(*given))
            spent = (time.process_time() - began)/times/parts*1e6
            least[name] = min(least[name], spent)
    for name, spent in least.items():
        print(f"{name:40}{spent:10.1f} us")


if __name__ == "__main__":
    main()
