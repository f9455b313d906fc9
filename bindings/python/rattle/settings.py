"""Options of a run: the settings of the model, overridden by arguments. The rules are those of `rattle run`."""
import dataclasses
import math
import resource

from rattle._c import bytes_of, lib, own, text
from rattle.errors import BadArgument, NoMemory
from rattle.methods import method_text


@dataclasses.dataclass
class Plan:
    method: str
    step: float
    start: float
    stop: object  # None: steps were asked for
    steps: int
    every: int
    project: bool
    certify: bool = False
    extremes: bool = False


def count_steps(start, stop, h):
    """Whole steps of h that reach stop; 1023/0.025 is 40920 though neither number is exact in binary."""
    exact = (stop - start) / h
    if not 0 < exact < 9e15:
        raise BadArgument(f"step {h:g}: no whole number of steps leads from time {start:g} to {stop:g}")
    nearest = round(exact)
    return nearest if abs(exact - nearest) <= 1e-12 * nearest else math.ceil(exact)


def canonical(method, compensated=False):
    """The canonical text of a method expression."""
    parsed = own("method", lib.rattle_method_parse, bytes_of(method))
    if compensated:
        lib.rattle_method_compensate(parsed)
    return text(lib.rattle_method_text(parsed))


def step_of(wishes, step):
    step = wishes.step if step is None else float(step)
    if step == 0 or not math.isfinite(step):
        raise BadArgument("no time step: pass step=, or set it by integrate(step=...); check() recommends one" if step == 0 else
                          f"the step is {step:g}; it must be finite")
    return step


def whole(value, what):
    """A whole number, which 3.0 is too, and 2.5 is not."""
    if isinstance(value, (str, bytes)) or value != value or int(value) != value:
        raise BadArgument(f"{what} = {value!r}: expected a whole number")
    return int(value)


def fits(count, numbers, what, remedy):
    """Refuses so many rows of numbers as neither this machine nor the limits of the process hold, before they are computed."""
    limit, size = resource.getrlimit(resource.RLIMIT_AS)[0], 8 * numbers * count
    memory = math.inf if limit == resource.RLIM_INFINITY else limit
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            memory = min(memory, 1024 * sum(int(line.split()[1]) for line in file if line.startswith(("MemTotal:", "SwapTotal:"))))
    except OSError:
        pass
    if size > memory:
        raise NoMemory(f"{count:.6g} {what} of {8 * numbers} bytes are {size:.3g} bytes, and there are {memory:.3g}: {remedy}")


def times(wishes, step, stop, steps):
    """(step, stop, steps) of a run; stop is None if steps were asked for."""
    if stop is not None and steps is not None:
        raise BadArgument("stop and steps exclude each other; give one of them")
    step = step_of(wishes, step)
    if stop is None and steps is None:
        stop, steps = (None, wishes.steps) if wishes.steps >= 0 else (None if math.isnan(wishes.stop) else wishes.stop, None)
    if stop is None and steps is None:
        raise BadArgument("no end: pass stop= or steps=, or set it by integrate(stop=...)")
    if steps is not None and steps < 1:
        raise BadArgument(f"steps = {steps}: expected 1 or more")
    return step, stop, whole(steps, "steps") if stop is None else count_steps(wishes.start_time, stop, step)


def method_of(wishes, problem, method):
    """The method asked for, or the model's, or the default of the problem; compensated where the model wishes it."""
    asked = method_text(method) if method is not None else text(wishes.method) or problem.default_method
    return canonical(asked, wishes.compensated)
