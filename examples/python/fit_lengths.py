"""The lengths of a double pendulum from where its end was seen: a run in JAX, fitted by optax. Needs jax and optax.

A length is a pair of the model whose momentum nothing has, so that its derivative is one of the start."""
import jax
import jax.numpy as jnp
import optax

import rattle
import rattle.jax

jax.config.update("jax_enable_x64", True)
m = rattle.Model("Double pendulum")
(x, px), (y, py), (l, pl) = (m.pairs_of(name, 2) for name in "xyl")
m.hamiltonian((px @ px + py @ py)/2 + 9.81*y.sum())
m.constrain("rod", [x[0]**2 + y[0]**2 - l[0]**2, (x[1] - x[0])**2 + (y[1] - y[0])**2 - l[1]**2])
flow = rattle.jax.Flow(m, "rattle(verlet)", step=0.005, stop=1.5, every=10)


def seen(lengths, angles=jnp.array([1.2, 0.4])):
    """Where the end is, at 0, 0.05 .. 1.5, from rest at these angles."""
    x, y = (jnp.cumsum(lengths*part) for part in (jnp.sin(angles), -jnp.cos(angles)))
    Q, _ = flow(jnp.concatenate([x, y, lengths]), jnp.zeros(6))
    return Q[:, 1:4:2]


data = seen(jnp.array([1.1, 0.8])) + 0.01*jax.random.normal(jax.random.key(0), (31, 2))
loss = jax.jit(jax.value_and_grad(lambda lengths: jnp.mean((seen(lengths) - data)**2)))
lengths = jnp.array([1.0, 1.0])
adam = optax.adam(0.02)
state = adam.init(lengths)
for _ in range(300):
    value, slope = loss(lengths)
    change, state = adam.update(slope, state)
    lengths = lengths + change
print(f"lengths {lengths[0]:.3f} and {lengths[1]:.3f}, {float(value)**0.5:.4f} off on average")
