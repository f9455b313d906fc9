"""Exceptions: one class for each status of the library.

All are RattleError, and what Python calls such a failure: ValueError, MemoryError, OSError, ArithmeticError, KeyboardInterrupt. The
classes are made from the library's table of statuses: NOT_CONVERGED is NotConverged."""
import math
import re
import threading

from rattle._c import ffi, lib, text


class RattleError(Exception):
    """A failure that the library reports.

    status: its name, for example "NOT_CONVERGED"; remedy: what to do about it; message: one sentence
    step, time: where a run failed (None: no step); iterations, residual: of its nonlinear loop, the residual in units of round-off
    constraint: index of the responsible constraint (None); where: its name, or file:line, or the method
    run: of a run that failed on its way, what it has done up to there; otherwise None; sweep, sampling: the same of one that was interrupted"""

    status, remedy = "", ""
    step = time = constraint = run = sweep = sampling = None
    iterations, residual, where = 0, 0.0, ""

    def __init__(self, message=""):
        super().__init__(message)
        self.message = message

    def __str__(self):
        return self.message

    def __reduce__(self):
        return _restore, (self.status, {name: value for name, value in vars(self).items() if name not in ("run", "sampling")})


class RattleWarning(UserWarning):
    """What is said of a run that has been made, but may not be the one that was meant."""


_BASES = {"NO_MEMORY": MemoryError, "BAD_ARGUMENT": ValueError, "BAD_METHOD": ValueError, "BAD_MODEL": ValueError,
          "OFF_CONSTRAINTS": ValueError, "NOT_REGULAR": ValueError, "UNSUITABLE": ValueError, "DOMAIN": ArithmeticError,
          "SINGULAR": ArithmeticError, "INTERRUPTED": KeyboardInterrupt, "IO": OSError, "EXISTS": FileExistsError}


def _make(code):
    name = text(lib.rattle_status_name(code))
    words = name.split("_")
    members = {"__doc__": text(lib.rattle_status_text(code)).capitalize() + ".", "__module__": __name__, "status": name,
               "remedy": text(lib.rattle_status_remedy(code))}
    bases = (RattleError, _BASES[name]) if name in _BASES else (RattleError,)
    return type("".join(word if len(word) == 2 and len(words) == 1 else word.capitalize() for word in words), bases, members)


STATUS = {code: _make(code) for code in range(1, lib.RATTLE_STATUS_COUNT)}
_BY_NAME = {kind.status: kind for kind in STATUS.values()}
globals().update({kind.__name__: kind for kind in STATUS.values()})
__all__ = ["RattleError", "RattleWarning", *(kind.__name__ for kind in STATUS.values())]


def _restore(status, members):
    error = _BY_NAME.get(status, RattleError)(members.get("message", ""))
    vars(error).update(members)
    return error


# what a function in Python raised in this thread when the library called it
raised = threading.local()


#: What model files and the command call otherwise
_WORDS = [(r"start ?\{[^}]*project ?= ?true ?\}", "output(project=True)"), (r"output \{ cotangent = true \}", "output(cotangent=True)"),
          (r"\b(start|velocity|force|integrate) ?\{([^}]*)\}", lambda call: f"{call[1]}({call[2].strip().replace(' = ', '=')})"),
          (r"\{ dirac = true \}", "dirac=True"), (r"`rattle (check|run|sample)`", r"\1()")]


def in_python(message):
    """Options of the command as arguments: pass --force, --step 0.1; words of model files as calls."""
    for words, call in _WORDS:
        message = re.sub(words, call, message)
    message = re.sub(r"--(force|project)\b", r"\1=True", message)
    return re.sub(r"--(step|stop|every|effort|error|quantity|reference)\b", r"\1", re.sub(r"--(\w+) (?=[\d.])", r"\1=", message))


def exception(error):
    """The exception of a filled rattle_error. If a function in Python failed, its exception is the cause."""
    cause, raised.error = getattr(raised, "error", None) if error.status == lib.RATTLE_CALLBACK else None, None
    if isinstance(cause, KeyboardInterrupt):
        return cause
    message = in_python(text(error.message))
    result = STATUS[error.status](f"{message}: {type(cause).__name__}: {cause}" if cause else message)
    result.step = error.step if error.step >= 0 else None
    result.time = None if math.isnan(error.time) else error.time
    result.iterations, result.residual = error.iterations, error.residual
    result.constraint = error.constraint if error.constraint >= 0 else None
    result.where = text(error.where)
    result.__cause__ = cause
    return result


def check(function, *arguments):
    """function(*arguments, &error), or its exception."""
    error = ffi.new("rattle_error *")
    if function(*arguments, error):
        raise exception(error)
