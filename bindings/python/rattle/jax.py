"""Runs as functions in JAX, and derivatives of functions written in JAX.

    jax.config.update("jax_enable_x64", True)
    flow = rattle.jax.Flow(model, "rattle(verlet)", step=0.01, stop=10)
    Q, P = flow(q, p)                            # in jit, grad, jvp, vmap; rows are samples
    m = rattle.jax.callbacks(2, H, g, start=(q, p), inverse_mass=1)

XLA calls C functions of the package (docs/decisions/147-runs-in-jax.md)."""
from __future__ import annotations

import ctypes
import typing

import numpy

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from rattle import settings
from rattle._c import bytes_of, ffi, lib
from rattle.callbacks import Callbacks
from rattle.errors import BadArgument

NAMES = ("rattle_flow_run_0", "rattle_flow_push_0", "rattle_flow_pull_0")
_registered: list[str] = []


def _register():
    """Once, after the backend has started: before that JAX accepts whatever it is given."""
    if not _registered:
        jax.devices("cpu")
        for which, name in enumerate(NAMES):
            handler = ctypes.c_void_p(int(ffi.cast("intptr_t", lib.rattle_python_xla_handler(which))))
            jax.ffi.register_ffi_target(name, _capsule(handler), platform="cpu")
            _registered.append(name)


def _capsule(pointer):
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
    return new(pointer, b"xla._CUSTOM_CALL_TARGET", None)


def _wide(what, values, n):
    """An array of float64 with n numbers in its last axis."""
    if not jax.config.jax_enable_x64:
        raise TypeError("rattle computes in float64, which JAX leaves out unless it is asked: jax.config.update(\"jax_enable_x64\", True) first")
    values = jnp.asarray(values)
    if values.dtype != jnp.float64:
        values = values.astype(jnp.float64) if jnp.issubdtype(values.dtype, jnp.integer) else _refuse(what, values)
    if values.ndim == 0 or values.shape[-1] != n:
        raise BadArgument(f"{what} of shape {values.shape}: expected {n} numbers in the last axis")
    return values


def _refuse(what, values):
    raise TypeError(f"{what} is an array of {values.dtype}: expected float64")


def _primitive(which, after):
    """The function number `which` of xla.c. The results, two alike, have the shape of the start where `after` is False, and that of the samples."""
    primitive = Primitive(NAMES[which])
    primitive.multiple_results = True

    def shape(q, rows):
        return (*q.shape[:-1], rows, q.shape[-1]) if after else q.shape

    def call(*arrays, flow, rows):
        result = jax.ShapeDtypeStruct(shape(arrays[0], rows), jnp.float64)
        return jax.ffi.ffi_call(NAMES[which], (result, result))(*arrays, flow=numpy.int64(flow))

    def batch(arrays, axes, *, flow, rows):
        size = next(array.shape[axis] for array, axis in zip(arrays, axes) if axis is not None)
        front = [jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0) for array, axis in zip(arrays, axes)]
        return primitive.bind(*front, flow=flow, rows=rows), (0, 0)

    primitive.def_impl(call)
    primitive.def_abstract_eval(lambda q, *_, flow, rows: [ShapedArray(shape(q, rows), jnp.dtype("float64"))]*2)
    mlir.register_lowering(primitive, mlir.lower_fun(call, multiple_results=True))
    batching.primitive_batchers[primitive] = batch
    return primitive


RUN, PUSH, PULL = _primitive(0, True), _primitive(1, True), _primitive(2, False)


def _along(point, vector, **which):
    """The rule of derivatives of RUN along a vector."""
    vector = [ad.instantiate_zeros(part) for part in vector]
    return RUN.bind(*point, **which), PUSH.bind(*point, *vector, **which)


def _transposed(other):
    def transpose(numbers, q, p, *_, **which):
        return None, None, *other.bind(q, p, *(ad.instantiate_zeros(part) for part in numbers), **which)
    return transpose


ad.primitive_jvps[RUN] = _along
ad.primitive_transposes[PUSH], ad.primitive_transposes[PULL] = _transposed(PULL), _transposed(PUSH)


class Flow:
    """The samples of a run as a function of its start: Q, P = flow(q, p), of arrays [..., n], gives arrays [..., samples, n].

        flow = rattle.jax.Flow(model, "rattle(verlet)", step=0.01, stop=10, every=100)
        jax.grad(lambda p: flow(q, p)[0][-1] @ target)(p)

    Arguments are those of model.run(); samples are at 0, every, 2 every .. steps, by default at the start and the end. Starts are moved onto the
    constraints, as by run(project=True), and derivatives are those along the manifold. In jit, grad, vjp, jvp, jacfwd, jacrev and vmap; second
    derivatives are not there. A parameter of which a derivative is asked is a pair of the model whose momentum nothing has (docs/derivatives.md).
    A failure is JAX's error with the library's sentence.

    times: of the samples; index("x"): the column of a coordinate in Q, or of a momentum in P"""

    def __init__(self, model: typing.Any, method: typing.Any = None, step: float | None = None, stop: float | None = None, steps: int | None = None,
                 every: int | None = None):
        step, stop, steps = settings.times(model._wishes, step, stop, steps)
        every = steps if every is None else settings.whole(every, "every")
        if every < 1 or steps % every:
            raise BadArgument(f"{steps} steps and a sample every {every}: the steps must be a multiple")
        self.problem = model.problem("auto", steps)
        self.method = settings.method_of(model._wishes, self.problem, method)
        self.times = model._wishes.start_time + step*numpy.arange(0, steps + 1, every)
        self._rows, self._text = len(self.times), bytes_of(self.method)
        c = ffi.new("rattle_python_flow *", {"problem": self.problem._c, "method": self._text, "n": self.problem.n,
                                             "start": model._wishes.start_time, "step": step, "every": every, "rows": self._rows})
        _kept.append((ffi.gc(c, lib.rattle_python_flow_end), self.problem, self._text))  # functions that XLA compiled may outlive this object
        self._c = int(ffi.cast("intptr_t", c))
        _register()

    def index(self, name: str) -> int:
        """The place of a coordinate, or of a momentum among the momenta."""
        for names in (self.problem.coordinates, self.problem.momenta):
            if name in names:
                return names.index(name)
        raise KeyError(f"{name!r}: expected one of {', '.join([*self.problem.coordinates, *self.problem.momenta])}")

    def __call__(self, q: typing.Any, p: typing.Any) -> typing.Any:
        q, p = _wide("q", q, self.problem.n), _wide("p", p, self.problem.n)
        shape = jnp.broadcast_shapes(q.shape, p.shape)
        return tuple(RUN.bind(jnp.broadcast_to(q, shape), jnp.broadcast_to(p, shape), flow=self._c, rows=self._rows))

    def __repr__(self):
        return f"<rattle.jax.Flow: {self.method}, {self._rows} samples to t = {self.times[-1]:g}>"


_kept: list[typing.Any] = []


def callbacks(n: int, hamiltonian: typing.Callable[..., typing.Any], constraint: typing.Callable[..., typing.Any] | None = None,
              **options: typing.Any) -> Callbacks:
    """rattle.Callbacks of functions written in JAX, which finds and compiles their first and second derivatives: hamiltonian(q, p) gives a number,
    constraint(q) one or several. `options` are those of Callbacks: start=, inverse_mass= ..."""
    return Callbacks.of_values(n, hamiltonian, constraint, by="jax", **options)


def functions(n: int, hamiltonian: typing.Callable[..., typing.Any], constraint: typing.Callable[..., typing.Any] | None) -> dict[str, typing.Any]:
    """What Callbacks takes, by name: functions of numpy's arrays with their derivatives."""
    _wide("q", numpy.zeros(n), n)
    value = jax.jit(jax.value_and_grad(hamiltonian, argnums=(0, 1)))
    bend = jax.jit(jax.hessian(lambda z: hamiltonian(z[:n], z[n:])))

    def H(q, p):
        energy, gradient = value(q, p)
        return float(energy), *map(numpy.asarray, gradient)

    def H_bent(q, p):
        return numpy.asarray(bend(numpy.concatenate((q, p))))

    made = {"hamiltonian": H, "hamiltonian_hessian": H_bent, "constraint": None}
    if constraint is None:
        return made

    def values(q):
        found = constraint(q)
        return jnp.stack(found) if isinstance(found, (list, tuple)) else jnp.reshape(found, -1)

    rows = jax.jit(lambda q: (values(q), jax.jacrev(values)(q)))
    weighted = jax.jit(jax.hessian(lambda q, w: w @ values(q)))

    def g(q, _):
        return tuple(map(numpy.asarray, rows(q)))

    def g_bent(q, _, w):
        return numpy.pad(weighted(q, w), (0, n))

    return {**made, "constraint": g, "constraint_hessian": g_bent}
