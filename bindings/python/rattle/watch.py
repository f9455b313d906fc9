"""A call that takes long, watched from Python: a few times per second Ctrl-C is seen and a bar drawn; observers get each sample."""
import dataclasses
import signal
import threading

import numpy

from rattle._c import ffi, lib, pointer_of


class Watch:
    """interrupt: an int * that ends the call when it is not 0; error: the exception that did; show: is given what is done and what there is."""

    def __init__(self, show=None):
        self.interrupt, self.error, self.show = ffi.new("int *"), None, show
        self.handle = ffi.new_handle(self)

    def observer(self):
        """For rattle_run."""
        return _observer(self.handle, progress=lib.rattle_python_progress)

    def fail(self, error):
        if self.error is None:
            self.error = error
        self.interrupt[0] = 1

    def reraise(self, status):
        """Raises the exception of a function of Python. A call that Ctrl-C has interrupted says so by its status."""
        if self.error is not None and not (status == lib.RATTLE_INTERRUPTED and isinstance(self.error, KeyboardInterrupt)):
            raise self.error


def wait(call, interrupt):
    """Calls it on a thread while this one sees to signals. Returns what the handler of a signal has raised: KeyboardInterrupt, for one. Nothing that
    a handler raises leaves while the call goes on, whose data are this thread's: handlers are held until then. Other threads get no signals."""
    if threading.current_thread() is not threading.main_thread():
        call()
        return None
    raised, held, over = [], {}, threading.Event()

    def hold(handler):
        def hear(number, frame):
            if not held:
                return handler(number, frame)
            try:
                handler(number, frame)
            except BaseException as error:
                raised.append(error)
                interrupt[0] = 1
        return hear

    def work():
        try:
            call()
        finally:
            over.set()

    handlers = {number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))}
    try:
        for number, handler in handlers.items():
            held[number] = handler
            signal.signal(number, hold(handler))
        threading.Thread(target=work, daemon=True).start()
        while not over.wait(0.1):  # a signal that another thread was given is seen then
            pass
    finally:
        while held:
            try:
                for number, handler in list(held.items()):
                    signal.signal(number, handler)
                    del held[number]
            except BaseException as error:  # a handler that is its own again
                raised.append(error)
    return raised[0] if raised else None


def heard(make, interrupt):
    """What make() returns or raises, or what the handler of a signal has raised meanwhile."""
    made, failures = [], []

    def call():
        try:
            made.append(make())
        except BaseException as raised:
            failures.append(raised)

    stop = wait(call, interrupt)
    if stop is not None and not (failures and isinstance(failures[0], type(stop))):  # Interrupted is a KeyboardInterrupt that says more
        raise stop
    if failures:
        raise failures[0]
    return made[0]


@dataclasses.dataclass
class Sample:
    """A sample as an observer gets it; the arrays are its own."""
    step: int
    time: float
    energy: float
    q: numpy.ndarray
    p: numpy.ndarray
    g: numpy.ndarray
    psi: numpy.ndarray
    multipliers: numpy.ndarray
    observed: numpy.ndarray


class Observer:
    """Calls a function with each sample of a run of `problem`."""

    def __init__(self, function, problem, watch):
        self.function, self.watch = function, watch
        self.sizes = {"q": problem.n, "p": problem.n, "g": problem.m, "psi": problem.m, "multipliers": problem.m,
                      "observed": len(problem.observables)}
        self.handle = ffi.new_handle(self)

    def observer(self):
        return _observer(self.handle, record=lib.rattle_python_record)

    def fail(self, error):
        self.watch.fail(error)


class Opening:
    """Begins the observer of a record for a run, with Ctrl-C seen meanwhile: a file of many observables takes long to create."""

    def __init__(self, record, watch):
        self.whole, self.watch, self.opened, self.handle = lib.rattle_record_observer(record), watch, False, ffi.new_handle(self)

    def observers(self):
        """For rattle_run: one that begins it, and the rest of it."""
        rest = ffi.new("rattle_observer *", self.whole[0])
        rest.begin = ffi.NULL
        return [_observer(self.handle, begin=lib.rattle_python_open), rest]

    def open(self, *start):
        status = []
        stop = wait(lambda: status.append(self.whole.begin(self.whole.self, *start)), self.watch.interrupt)
        self.opened = status[0] == lib.RATTLE_OK
        if stop is not None:
            self.watch.fail(stop)
        return status[0]

    def fail(self, error):
        self.watch.fail(error)


class ObserverInC:
    """Calls a C function with each sample, without Python (callbacks.SIGNATURES)."""

    def __init__(self, function, context=None):
        where = pointer_of(function)
        if where is None:
            raise TypeError(f"{function!r} is no C function; a context is for those")
        if context is None or isinstance(context, (int, ffi.CData)):
            held = ffi.cast("void *", context or 0)
        else:
            held = ffi.from_buffer(context)  # an array, for one
        kind = dict(ffi.typeof("rattle_python_observer").fields)["function"].type
        self.handle, self.keep = ffi.new("rattle_python_observer *", {"function": ffi.cast(kind, where), "context": held}), (function, held)

    def observer(self):
        return _observer(self.handle, record=ffi.addressof(lib, "rattle_python_observe"))


def observer_of(given, problem, watch):
    """A function of Python, a C function, or (C function, context)."""
    if isinstance(given, tuple):
        return ObserverInC(*given)
    return Observer(given, problem, watch) if pointer_of(given) is None else ObserverInC(given)


def _observer(handle, **calls):
    return ffi.new("rattle_observer *", {"struct_size": ffi.sizeof("rattle_observer"), "self": handle, **calls})


def failed(kind, error, traceback):
    """Keeps what a function raises, a signal's handler too, and ends the call."""
    if traceback is not None:
        ffi.from_handle(traceback.tb_frame.f_locals["self"]).fail(error.with_traceback(traceback))


@ffi.def_extern(onerror=failed)
def rattle_python_progress(self, so_far, steps):
    watch = ffi.from_handle(self)
    if watch.show is not None:
        watch.show(so_far.steps, steps)


@ffi.def_extern(onerror=failed, error=lib.RATTLE_CALLBACK)
def rattle_python_open(self, integrator, start, error):
    return ffi.from_handle(self).open(integrator, start, error)


@ffi.def_extern(onerror=failed, error=lib.RATTLE_CALLBACK)
def rattle_python_record(self, sample, error):
    of = ffi.from_handle(self)
    arrays = {name: numpy.frombuffer(ffi.buffer(getattr(sample, name), 8 * size)).copy() if size else numpy.zeros(0)
              for name, size in of.sizes.items()}
    of.function(Sample(sample.step, sample.time, sample.energy, **arrays))
    return lib.RATTLE_OK


@ffi.def_extern(onerror=failed)
def rattle_python_study(self, so_far):
    watch = ffi.from_handle(self)
    if watch.show is not None:
        watch.show(so_far.runs, so_far.runs_most)
