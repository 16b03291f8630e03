"""Arrays in and out: what may be given, what is said when it may not, and where its numbers lie.

Given may be a NumPy array, anything with DLPack in this machine's memory (a torch CPU tensor, a JAX array), anything with the array
protocol, a list or a number. float32 and float64 in one piece are used where they lie; other numbers are converted, others refused."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._library import ArgumentError, ArrayTypeError, ReadOnlyError, ffi, lib

_CPU = 1  # kDLCPU
_TYPES = {np.dtype(np.float32): lib.MYR_F32, np.dtype(np.float64): lib.MYR_F64, np.dtype(np.int64): lib.MYR_I64}
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def adopt(value: Any, name: str) -> np.ndarray:
    """Any array-like as a NumPy array, without a copy where it is an array already."""
    if isinstance(value, np.ndarray):
        return value
    if value is None:
        raise ArrayTypeError(f"{name} is None, but must be an array or a number")
    if getattr(value, "requires_grad", False):
        raise ArgumentError(f"{name} is a tensor that requires grad: the simulation has no gradients; give {name}.detach()")
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        kind, index = value.__dlpack_device__()
        if int(kind) != _CPU:
            raise ArgumentError(f"{name} lies on device {getattr(value, 'device', (int(kind), index))}, but must lie in the processor's memory")
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError) as error:
            raise ArrayTypeError(f"{name} ({type(value).__name__}) gives no array: {error}") from None
    try:
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ArgumentError(f"{name} ({type(value).__name__}) is not an array: {error}") from None


def take(value: Any, name: str, dtype: np.dtype | None = None) -> np.ndarray:
    """An input as a C-contiguous array of `dtype` (None: float32 or float64, as it comes; other numbers become float64).

    No copy where it is one already. ArrayTypeError: what it holds cannot become that without loss of meaning."""
    array = adopt(value, name)
    if dtype is None:
        dtype = array.dtype if array.dtype in FLOATS else FLOATS[1]
    if array.dtype != dtype and not np.can_cast(array.dtype, dtype, "safe"):
        raise ArrayTypeError(f"{name} has dtype {array.dtype}, which is not safely converted to {dtype}")
    return np.require(array, dtype, ["C", "A"])


def want_shape(array: np.ndarray, shape: tuple[int, ...], name: str, words: str = "") -> None:
    """ArgumentError unless the array has this shape; `words` says what the dimensions are."""
    if array.shape != shape:
        raise ArgumentError(f"{name} has shape {array.shape}, but must be {shape}{' = ' + words if words else ''}")


def rows(value: Any, name: str, n: int, row: tuple[int, ...], words: str, judge: Callable[[np.ndarray], None] | None = None) -> np.ndarray:
    """An input of shape (n, *row), or one row for all, or one number for all; `judge` sees what is for all, and may raise."""
    array = take(value, name)
    if array.shape == (n, *row):
        return array
    if array.shape == row or array.shape == ():
        if judge is not None:
            judge(array)
        return np.ascontiguousarray(np.broadcast_to(array, (n, *row)))
    choices = f"{(n, *row)} = {words}" + (f", {row} for all, or one number" if row else ", or one number")
    raise ArgumentError(f"{name} has shape {array.shape}, but must be {choices}")


def output(out: Any, name: str, shape: tuple[int, ...], dtype: np.dtype, why: str = "") -> np.ndarray:
    """The caller's array as one to write into; None: a new one. `why` says where the wanted dtype comes from."""
    if out is None:
        return np.empty(shape, dtype)
    array = adopt(out, name)
    if not array.flags.writeable and hasattr(out, "numpy") and not isinstance(out, np.ndarray):
        shared = out.numpy()  # torch: old DLPack has no word for `writeable`
        if shared.ctypes.data == array.ctypes.data:
            array = shared
    if array.dtype != dtype:
        raise ArrayTypeError(f"{name} has dtype {array.dtype}, but must be {dtype}{why}")
    want_shape(array, shape, name)
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise ArgumentError(f"{name} is not C-contiguous (strides {array.strides}); give one made by np.empty({shape}, np.{dtype})")
    if not array.flags.writeable:
        raise ArgumentError(f"{name} is read only")
    return array


def numbers(ids: int | Sequence[int] | np.ndarray | None, name: str = "ids") -> np.ndarray | None:
    """Environment numbers as (n,) int64; None stays None. Their range is the library's to check."""
    if ids is None:
        return None
    array = adopt(ids, name)
    if array.dtype == np.bool_:
        raise ArrayTypeError(f"{name} are booleans, but must be environment numbers; of a mask np.flatnonzero(mask)")
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ArrayTypeError(f"{name} have dtype {array.dtype}, but must be whole numbers")
    if array.ndim > 1:
        raise ArgumentError(f"{name} has shape {array.shape}, but must be (n,)")
    return np.ascontiguousarray(np.atleast_1d(array), dtype=np.int64)


def mask(value: Any, name: str, length: int, words: str) -> np.ndarray:
    """(length,) of bool or uint8 as bytes."""
    array = adopt(value, name)
    if array.dtype not in (np.dtype(np.bool_), np.dtype(np.uint8)):
        raise ArrayTypeError(f"{name} has dtype {array.dtype}, but must be bool or uint8")
    want_shape(array, (length,), name, words)
    return np.ascontiguousarray(array).view(np.uint8)


def chosen(value: Any, name: str, length: int) -> np.ndarray:
    """Some of `length` environments as a mask of bytes, (length,): from a mask, or from the numbers of them."""
    array = adopt(value, name)
    if array.dtype in (np.dtype(np.bool_), np.dtype(np.uint8)):
        return mask(array, name, length, "(envs,)")
    if array.size and array.dtype.kind not in "iu":
        raise ArrayTypeError(f"{name} has dtype {array.dtype}, but must be bool or uint8, or whole numbers of environments")
    ids = numbers(array, name)
    assert ids is not None  # of an array there are some
    wrong = ids[(ids < 0) | (ids >= length)]
    if wrong.size:
        raise ArgumentError(f"{name} names environment {wrong[0]}, but there are 0 .. {length - 1}")
    marked = np.zeros(length, np.uint8)
    marked[ids] = 1
    return marked


def indices(value: Any, name: str, n: int, length: int) -> np.ndarray:
    """(n,) numbers from 0 to length - 1, from n of them or one for all; negative ones count from the last."""
    given = numbers(value, name)
    if given is None or given.shape not in ((n,), (1,)):
        raise ArgumentError(f"{name} has shape {np.shape(value)}, but must be ({n},), or one number for all")
    wrong = given[(given < -length) | (given >= length)]
    if wrong.size:
        raise ArgumentError(f"{name} has {wrong[0]}, but there are 0 .. {length - 1}")
    return np.broadcast_to(given % length, (n,))


def whole(value: Any, name: str, lowest: int = 0, highest: int = 2**63 - 1) -> int:
    """A whole number that fits the library's 64 bits. ArgumentError for a fraction, a bool, a list, or one out of range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ArgumentError(f"{name} is {value!r}, but must be a whole number")
    if not lowest <= value <= highest:
        raise ArgumentError(f"{name} is {value}, but must lie in {lowest} .. {highest}")
    return int(value)


class Reading(np.ndarray):
    """What reading `batch.NAME` gives: a copy. It is read-only, so that `batch.q[:, 2] += 1`, which would change the copy alone, raises.

    `batch.q += 1` and `batch.kp *= 2` set the field: they compute a new array, which is then assigned. What is computed from a reading is
    a plain array; its `copy()` may be written to."""

    _field = ""

    def __array_finalize__(self, source: Any) -> None:
        self._field = getattr(source, "_field", "")

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable and self._field:
            name = self._field
            raise ReadOnlyError(f"`.{name}` gives a read-only copy, and a part that is set would not reach the batch: take `x = batch.get({name!r})`, "
                                f"change x, and set `batch.{name} = x`")
        super().__setitem__(key, value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **keys: Any) -> Any:
        if out is not None:
            keys["out"] = tuple(_plain(x) for x in out)
        return getattr(ufunc, method)(*map(_plain, inputs), **keys)

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Reading) else value


def _in_place(ufunc: np.ufunc) -> Callable[[Reading, Any], Any]:
    def compute(self: Reading, other: Any) -> Any:
        if not self.flags.writeable:
            return ufunc(_plain(self), _plain(other))
        ufunc(_plain(self), _plain(other), out=(_plain(self),))  # the caller's own copy
        return self

    return compute


for _word, _ufunc in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.divide), ("floordiv", np.floor_divide),
                      ("mod", np.remainder), ("pow", np.power)):
    setattr(Reading, f"__i{_word}__", _in_place(_ufunc))


def reading(array: np.ndarray, field: str) -> np.ndarray:
    """A new array as what a property of this name gives."""
    array.flags.writeable = False
    seen = array.view(Reading)
    seen._field = field
    return seen


def myr_type(dtype: np.dtype) -> int:
    """The library's word for a dtype that `float_type` or `take` let through."""
    return _TYPES[dtype]


def float_type(dtype: Any, name: str = "dtype") -> np.dtype:
    """float32 or float64; ArrayTypeError for anything else."""
    try:
        wanted = np.dtype(dtype)
    except TypeError as error:
        raise ArrayTypeError(f"{name}: {error}") from None
    if wanted not in FLOATS:
        raise ArrayTypeError(f"{name} is {wanted}, but must be float32 or float64")
    return wanted


def pointer(array: np.ndarray | None, ctype: str = "void *") -> Any:
    """Address of an array's first number, valid as long as the caller holds the array; None is NULL."""
    return ffi.NULL if array is None else ffi.cast(ctype, array.ctypes.data)


class TileView:
    """What NumPy asks for the tiles' memory. It holds the batch's memory, so that an array made of it never outlives that."""

    def __init__(self, view: Any, memory: Any) -> None:
        dtype = np.dtype({lib.MYR_F32: np.float32, lib.MYR_F64: np.float64, lib.MYR_I64: np.int64}[view.type])
        self._memory = memory
        self.__array_interface__ = {
            "version": 3,
            "shape": (-(-view.envs // view.lanes), view.lanes, view.components),
            "strides": (view.tile_stride, view.lane_stride, view.row_stride),
            "typestr": dtype.str,
            "data": (int(ffi.cast("uintptr_t", view.data)), True),
        }
