"""The C side as all modules need it: the library, ownership, texts, structs and arrays."""
from __future__ import annotations

import ctypes
import os
import typing

import numpy
import numpy.typing

from rattle._rattle import ffi, lib

#: An array of doubles; what may be given for one.
Array = numpy.typing.NDArray[numpy.float64]
Numbers = numpy.typing.ArrayLike
Path = typing.Union[str, os.PathLike]

__all__ = ["Array", "Numbers", "Path", "ffi", "lib", "text", "bytes_of", "Held", "own", "options", "array", "shared", "plain", "address",
           "pointer_of"]


def text(pointer):
    """A C string as str; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


class Held:
    """Objects that live in the library. They are neither pickled nor copied: `instead` says what is."""

    instead = ""

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__} is an object of the library, and is neither pickled nor copied: {self.instead}")


def bytes_of(value):
    """A text or path as a C string, which ends at its first zero byte, so that it must not have one; NULL for None."""
    if value is None:
        return ffi.NULL
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError(f"{value!r} has a zero byte at place {encoded.index(0)}; leave it out")
    return ffi.new("char[]", encoded)


def own(kind, create, *arguments, keep=None):
    """The object that create(&object, *arguments, &error) makes. It is destroyed when nobody holds it, and holds `arguments` and `keep`
    till then."""
    from rattle.errors import check
    slot = ffi.new(f"rattle_{kind} **")
    check(create, slot, *arguments)
    destroy = getattr(lib, f"rattle_{kind}_destroy", None) or lib.rattle_record_close

    def end(pointer, held=(arguments, keep)):
        slot[0] = pointer
        destroy(slot)

    return ffi.gc(slot[0], end)


def options(kind, **members):
    """A struct of options with its size; members that are not given are 0."""
    struct = ffi.new(f"rattle_{kind} *", members)
    struct.struct_size = ffi.sizeof(f"rattle_{kind}")
    return struct


def address(values):
    """The data of a contiguous array of doubles, for C."""
    return ffi.from_buffer("double[]", values, require_writable=True)


def array(values, size, what):
    """A new contiguous array of `size` doubles."""
    result = numpy.array(values, dtype=float).reshape(-1)
    if result.size != size:
        raise ValueError(f"{what}: expected {size} numbers, found {result.size}")
    return result


def shared(pointer, shape, owner, dtype=float):
    """Memory of the library as an array that cannot be written. `owner` lives as long as the array."""
    count = int(numpy.prod(shape))
    if count == 0:
        return numpy.zeros(shape, dtype)
    held = ffi.gc(pointer, lambda _, owner=owner: None)
    view = numpy.frombuffer(ffi.buffer(held, count * numpy.dtype(dtype).itemsize), dtype).reshape(shape)
    view.flags.writeable = False
    return view


def plain(struct, leave=()):
    """A C struct, or what a pointer points to, as a dict: numbers and texts; structs inside as dicts. Other pointers are left out."""
    result, struct_type = {}, ffi.typeof(struct)
    for name, field in (struct_type.item if struct_type.kind == "pointer" else struct_type).fields:
        if name in leave or name in ("struct_size", "reserved"):
            continue
        kind, value = field.type.kind, getattr(struct, name)
        if kind in ("primitive", "enum"):
            result[name.rstrip("_")] = value
        elif kind == "struct":
            result[name] = plain(value)
        elif field.type.cname in ("char *", "char const *") or field.type.cname.startswith("char["):
            result[name.rstrip("_")] = text(value)
    return result


def pointer_of(function):
    """The address of a C function; None for a function of Python. Numbers in the page that no program has are mistakes."""
    if isinstance(function, ffi.CData):
        return function
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    where = function if isinstance(function, int) else getattr(function, "address", None)
    if not isinstance(where, int):
        if not callable(function):
            raise TypeError(f"expected a function or the address of one, found {function!r}")
        return None
    if not where >= 4096:
        raise TypeError(f"expected a function or the address of one, found the number {where}")
    return where
