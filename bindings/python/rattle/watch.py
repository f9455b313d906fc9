"""A call that takes long, watched from Python a few times per second: Ctrl-C ends it, and a bar shows how far it is."""
from rattle._c import ffi, lib


class Watch:
    """stop: an int * that ends the call when it is not 0; error: the exception that did."""

    def __init__(self, show=None):
        self.stop, self.error, self.show = ffi.new("int *"), None, show
        self.handle = ffi.new_handle(self)

    def observer(self):
        """For rattle_run."""
        return ffi.new("rattle_observer *", {"struct_size": ffi.sizeof("rattle_observer"), "self": self.handle,
                                             "progress": lib.rattle_python_progress})

    def fail(self, error):
        if self.error is None:
            self.error = error
        self.stop[0] = 1

    def reraise(self):
        """What a callback has raised; KeyboardInterrupt is left to the status of the call."""
        if self.error is not None and not isinstance(self.error, KeyboardInterrupt):
            raise self.error


def failed(kind, error, traceback):
    """Keeps what a callback raises, a signal's handler too, and ends the call."""
    if traceback is not None:
        ffi.from_handle(traceback.tb_frame.f_locals["self"]).fail(error.with_traceback(traceback))


@ffi.def_extern(onerror=failed)
def rattle_python_progress(self, so_far, steps):
    watch = ffi.from_handle(self)
    if watch.show is not None:
        watch.show(so_far.steps, steps)
