"""Functions written for NumPy, recorded as programs: `record`. What a function is given stands for the rows of one robot; arithmetic on it is written down.

    def reward(q, v):
        level = quat_rotate_back(q[..., 3:7], np.array([0.0, 0.0, -1.0]))
        return {"slow": np.exp(-np.sum(np.square(v), axis=-1)), "level": level}

    recorded = record(reward, q=19, v=18)       # its Program; the same function runs on arrays (n, 19) and (n, 18)
    recorded.check()                            # {"slow": 3e-16, "level": 1e-16}: how far the two are apart"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._library import ArgumentError

#: NumPy's functions of numbers that are one instruction.
_SAME = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg", "absolute": "abs", "fabs": "abs", "minimum": "min", "maximum": "max",
         "sqrt": "sqrt", "floor": "floor", "sign": "sign", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
         "arctan2": "atan2", "tanh": "tanh", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "logical_and": "and",
         "logical_or": "or", "logical_not": "not", "bitwise_and": "and", "bitwise_or": "or", "invert": "not"}
_MASKS = {"lt", "le", "gt", "ge", "eq", "and", "or", "not", "any", "all"}  #: what they give is 1 or 0
_FOLDS = {"add": "sum", "maximum": "most", "minimum": "least", "logical_or": "any", "logical_and": "all"}
_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


class RecordingError(ArgumentError):
    """What a function does cannot be a program: the message says what, and the traceback where."""


class _Robots:
    """How many robots there are, which is not known: it can be asked for and not be used."""

    def _used(self, *_: Any) -> Any:
        raise RecordingError("how many robots there are is not known when a program is recorded; x.shape[-1] is the number of rows")

    __index__ = __int__ = __float__ = __bool__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __gt__ = _used
    __eq__ = _used
    __hash__ = None  # type: ignore[assignment]


class _Tape:
    """The text that grows."""

    def __init__(self, prefix: str = "t.") -> None:  # no argument of a function is called so
        self.lines, self.prefix = ["myriapod_program 1"], prefix
        self.count, self.constants = 0, dict[str, str]()  # of constants: words -> name

    def new(self, words: str, rows: int, scalar: bool | None) -> Symbol:
        name = f"{self.prefix}{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {words}")
        return Symbol(self, name, rows, scalar, words.split()[0] in _MASKS)

    def operand(self, value: Any) -> tuple[str, int, bool | None]:
        """Its word, its rows, and whether it is one number per robot; None: the same number for all."""
        if isinstance(value, Symbol):
            if value._tape is not self:
                raise RecordingError("it is of another recording")
            return value._name, value._rows, value._scalar
        if isinstance(value, _Robots):
            value._used()
        if isinstance(value, np.ma.MaskedArray):
            raise RecordingError("a constant is a masked array, and a program has no masks of constants")
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise RecordingError(f"a constant is not an array of numbers: {error}") from None
        if array.dtype == object or array.dtype.kind not in "biuf":
            raise RecordingError(f"{value!r} is neither a number nor an array of numbers")
        if not np.isfinite(array).all():
            raise RecordingError(f"{value!r} is not finite, and a constant must be")
        if array.ndim == 0:
            return repr(float(array)), 1, None
        if array.ndim > 1 and array.shape[:-1] != (1,) * (array.ndim - 1) or array.size == 0:
            raise RecordingError(f"a constant has shape {array.shape}, but must be a number or (rows,)")
        words = " ".join(repr(float(x)) for x in array.ravel())
        name = self.constants.get(words, "")
        if not name:
            name = self.constants[words] = f"{self.prefix}c{self.count}"
            self.count += 1
            self.lines.append(f"constant {name} {words}")
        return name, array.size, False

    def apply(self, op: str, *values: Any) -> Symbol:
        """An instruction that goes row by row."""
        if op in ("add", "sub", "neg") and all(_is_mask(value) for value in values):
            raise RecordingError(f"{op} of masks alone: NumPy has `or` for +, and no -; write | or mask.astype(float)")
        if op in ("and", "or", "not"):
            values = tuple(_as_mask(value) for value in values)
        if op == "where":
            values = (_as_mask(values[0]), *values[1:])
        words, rows, scalars = zip(*(self.operand(value) for value in values))
        if True in scalars and False in scalars:
            raise RecordingError(f"{op} of one number per robot and of {max(rows)} rows: NumPy would take robots for rows; write x[..., None]")
        sizes = sorted({n for n in rows if n > 1})
        if len(sizes) > 1:
            raise RecordingError(f"{op} of {sizes[0]} rows and {sizes[1]}")
        return self.new(" ".join((op, *words)), max(rows), None if set(scalars) == {None} else False not in scalars)

    def fold(self, op: str, *values: Any, keepdims: bool = False) -> Symbol:
        """An instruction over the rows."""
        if op in ("any", "all"):
            values = tuple(_as_mask(value) for value in values)
        words = [self.operand(value) for value in values]
        if any(scalar is not False for _, _, scalar in words):
            raise RecordingError(f"{op} over the last axis of one number per robot: NumPy would go over the robots")
        return self.new(" ".join((op, *(word for word, _, _ in words))), 1, not keepdims)

    def sized(self, op: str, rows: int, *values: tuple[Any, int]) -> Symbol:
        """An instruction on registers of given sizes: each with its rows."""
        words = [self.operand(value) for value, _ in values]
        for (_, given, scalar), (_, wanted) in zip(words, values):
            if given != wanted or scalar is not False:
                raise RecordingError(f"{op} takes {' and '.join(str(n) for _, n in values)} rows, but is given {' and '.join(str(n) for _, n, _ in words)}")
        return self.new(" ".join((op, *(word for word, _, _ in words))), rows, False)


def _refuse(what: str) -> RecordingError:
    return RecordingError(f"{what} is not an instruction of programs: docs/programs.md has those that are")


def _is_mask(value: Any) -> bool:
    return value._mask if isinstance(value, Symbol) else np.asarray(value).dtype.kind == "b"


def _as_mask(value: Any) -> Any:
    """What NumPy takes for true: all but 0, NaN too."""
    return value if _is_mask(value) or not isinstance(value, Symbol) else ~(value == 0.0)


def _last(axis: Any, what: str, ndim: int = 2) -> None:
    if axis not in (-1, (-1,), ndim - 1, (ndim - 1,)) or isinstance(axis, bool):
        raise RecordingError(f"{what} goes over axis {axis!r}: programs go over the rows of a robot, axis=-1")


def _plain(options: dict[str, Any], what: str) -> None:
    """Nothing but what NumPy has by itself."""
    for name, value in options.items():
        if value is not None and value is not np._NoValue:
            raise _refuse(f"{what} with {name}")


class Symbol(np.lib.mixins.NDArrayOperatorsMixin):
    """Rows of one robot, while a function is recorded: (n, rows), or (n,), to NumPy; a number that is the same for all has no shape."""

    def __init__(self, tape: _Tape, name: str, rows: int, scalar: bool | None, mask: bool = False) -> None:
        self._tape, self._name, self._rows, self._scalar, self._mask = tape, name, rows, scalar, mask

    @property
    def shape(self) -> tuple[Any, ...]:
        """Of arrays of all robots; how many there are is not known."""
        return () if self._scalar is None else (_Robots(),) if self._scalar else (_Robots(), self._rows)

    @property
    def ndim(self) -> int:
        """Of arrays of all robots."""
        return len(self.shape)

    def __bool__(self) -> bool:
        raise RecordingError("what a robot does is not known when a program is recorded: np.where instead of `if`, & and | instead of `and` and `or`")

    def __iter__(self) -> Any:
        raise RecordingError("this goes over robots: programs are of one robot; go over rows by x[..., k]")

    def __float__(self) -> float:
        raise RecordingError("a robot's number is not known when a program is recorded")

    __int__ = __float__

    def __index__(self) -> int:
        raise RecordingError(self._as_count())

    def _as_count(self) -> str:
        """Why it cannot be a count, and what can."""
        return ("a count must be known when a program is recorded, and this number is one that programs read: " +
                ("s.model.nu is how many actuators there are" if self._name == "actuators" else "s.model.nu of actuators, x.shape[-1] of the rows of x"))

    def __len__(self) -> int:
        raise RecordingError("how many robots there are is not known when a program is recorded; x.shape[-1] is the number of rows")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RecordingError("this makes an array of a robot's numbers, which are not known when a program is recorded: numpy functions on them are")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name, tape = ufunc.__name__, self._tape
        if options.get("out") is not None:
            raise RecordingError("this changes an array in place: write x = x + y for x += y, and no out=")
        if method == "reduce" and name in _FOLDS:
            axis, keepdims = options.pop("axis", 0), options.pop("keepdims", False)
            _plain(options, f"numpy.{name}.reduce")
            _last(axis, f"numpy.{name}.reduce", self.ndim)
            return tape.fold(_FOLDS[name], *inputs, keepdims=bool(keepdims))
        if method != "__call__" or options:
            raise _refuse(f"numpy.{name}{'.' + method if method != '__call__' else ''} with {', '.join(options) or 'these arguments'}")
        if name in ("bitwise_and", "bitwise_or", "bitwise_xor", "invert") and not all(_is_mask(value) for value in inputs):
            raise RecordingError(f"numpy.{name} of what is not a mask: compare it, or write numpy.logical_and, _or, _not")
        if name in _SAME:
            return tape.apply(_SAME[name], *inputs)
        if name not in _MADE:
            raise _refuse(f"numpy.{name}")
        return _MADE[name](*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function not in _FUNCTIONS:
            raise _refuse(f"numpy.{function.__name__}")
        try:
            return _FUNCTIONS[function](*args, **options)
        except TypeError as error:
            raise RecordingError(f"numpy.{function.__name__} cannot be recorded with these arguments: {error}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # NumPy asks for many
            raise AttributeError(name)
        raise RecordingError(f"x.{name} is not known to programs: docs/programs.md has what is")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise RecordingError("this changes an array in place: put rows together by numpy.concatenate or numpy.stack, or choose by numpy.where")

    def __format__(self, form: str) -> str:
        raise RecordingError("a robot's number is not known when a program is recorded")

    def __getitem__(self, key: Any) -> Symbol:
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != 2 or not (parts[0] is Ellipsis or parts[0] == slice(None)):
            raise RecordingError(f"x[{key!r}] chooses robots: rows are chosen by x[..., rows]")
        rows = parts[1]
        if self._scalar is None:
            raise RecordingError("a number that is the same for all robots has no rows")
        if rows is None:
            if not self._scalar:
                raise RecordingError("x[..., None] is of one number per robot alone")
            return Symbol(self._tape, self._name, 1, False, self._mask)
        if self._scalar:
            raise RecordingError("one number per robot has no rows to choose from")
        if isinstance(rows, (bool, np.bool_)):
            raise RecordingError(f"x[..., {rows}] adds an axis in NumPy: rows are chosen by numbers or by a mask of {self._rows}")
        if isinstance(rows, (int, np.integer)):
            numbers, one = [int(rows)], True
        elif isinstance(rows, slice):
            numbers, one = list(range(self._rows))[rows], False
        else:
            chosen, one = np.asarray(rows), False
            if chosen.dtype.kind == "b" and chosen.shape == (self._rows,):
                chosen = np.flatnonzero(chosen)
            if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
                raise RecordingError(f"x[..., {rows!r}]: rows are chosen by whole numbers, or by a mask of {self._rows}")
            numbers = [int(k) for k in chosen]
        if not numbers:
            raise RecordingError(f"x[..., {rows!r}] has no rows, of {self._rows}")
        if not all(-self._rows <= k < self._rows for k in numbers):
            raise RecordingError(f"x[..., {rows!r}]: there are {self._rows} rows")
        numbers = [k % self._rows for k in numbers]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            made = self._tape.new(f"slice {self._name} {numbers[0]} {len(numbers)}", len(numbers), one)
        else:
            made = self._tape.new(f"gather {self._name} " + " ".join(map(str, numbers)), len(numbers), False)
        made._mask = self._mask
        return made

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.sum."""
        return np.sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.mean."""
        return np.mean(self, axis=axis, keepdims=keepdims)

    def max(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.max."""
        return np.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.min."""
        return np.min(self, axis=axis, keepdims=keepdims)

    def any(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.any."""
        return np.any(self, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, *, keepdims: bool = False) -> Symbol:
        """As numpy.all."""
        return np.all(self, axis=axis, keepdims=keepdims)

    def clip(self, min: Any = None, max: Any = None) -> Symbol:
        """As numpy.clip."""
        return _clip(self, min, max)

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        """Numbers of a mask, or the mask of numbers. Of whole numbers there are none, but 1 and 0."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return _as_mask(self)
        if kind != "f" and not self._mask:
            raise RecordingError(f"programs have no {np.dtype(dtype)}")
        return Symbol(self._tape, self._name, self._rows, self._scalar)


def _tape_of(*values: Any) -> _Tape:
    return next(value._tape for value in values if isinstance(value, Symbol))


# ---- ufuncs that are several instructions ----------------------------------------------------------------------------------


def _power(x: Any, exponent: Any) -> Any:
    if isinstance(exponent, Symbol) or np.ndim(exponent):
        raise RecordingError("an exponent must be one number")
    n = float(exponent)
    if not np.isfinite(n):
        raise RecordingError(f"an exponent is {n}")
    if n == 0.5:
        return np.sqrt(x)
    if n != int(n):
        return np.exp(n * np.log(x))
    made, square, left = None, x, abs(int(n))
    while left:  # by squares, as x may be negative
        made = square if left & 1 and made is None else made * square if left & 1 else made
        square, left = square * square if left > 1 else square, left >> 1
    return np.ones_like(x) if made is None else 1.0 / made if n < 0 else made


def _matmul(x: Any, matrix: Any) -> Symbol:
    if isinstance(matrix, Symbol) or not isinstance(x, Symbol) or np.ndim(matrix) != 2:
        raise RecordingError("x @ M needs a constant matrix on the right")
    m, (word, rows, scalar) = np.asarray(matrix, float), x._tape.operand(x)
    if scalar or m.shape[0] != rows:
        raise RecordingError(f"x @ M: x has {rows} rows, and M has shape {m.shape}")
    return x._tape.new(f"matvec {x._tape.operand(m.T.ravel())[0]} {word}", m.shape[1], False)


def _log1p(x: Any) -> Any:
    """log(u) times what rounding u = 1 + x took from x (Kahan 1982). Beyond 1 it took nothing that counts, and u - 1 may be infinite."""
    u = 1.0 + x
    return np.where(x > 1.0, np.log(u), np.where(u == 1.0, x, np.log(u) * (x / (u - 1.0))))


def _expm1(x: Any) -> Any:
    """u - 1 times what rounding u = exp(x) took from x (Kahan 1982)."""
    u = np.exp(x)
    return np.where(np.abs(x) > 1.0, u - 1.0, np.where(u == 1.0, x, (u - 1.0) * (x / np.log(u))))


def _sinh(x: Any) -> Any:
    """Of e = expm1(|x|): (e + e / (e + 1)) / 2, with x's sign."""
    e = _expm1(np.abs(x))
    return np.where(np.abs(x) > 1.0, 0.5 * (np.exp(x) - np.exp(-x)), 0.5 * np.sign(x) * (e + e / (e + 1.0)))


_MADE: dict[str, Callable[..., Any]] = {
    "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x, "positive": lambda x: x, "power": _power, "float_power": _power, "matmul": _matmul,
    "arctan": lambda x: np.arctan2(x, 1.0), "hypot": lambda x, y: np.sqrt(x * x + y * y), "not_equal": lambda x, y: ~(x == y),
    "remainder": lambda x, y: x - np.floor(x / y) * y, "floor_divide": lambda x, y: np.floor(x / y), "ceil": lambda x: -np.floor(-x),
    "logical_xor": lambda x, y: ~(_as_mask(x) == _as_mask(y)), "bitwise_xor": lambda x, y: ~(x == y), "isnan": lambda x: ~(x == x), "isfinite": lambda x: x - x == 0.0,
    "deg2rad": lambda x: x * (np.pi / 180.0), "radians": lambda x: x * (np.pi / 180.0), "rad2deg": lambda x: x * (180.0 / np.pi),
    "degrees": lambda x: x * (180.0 / np.pi), "trunc": lambda x: np.sign(x) * np.floor(np.abs(x)), "log1p": _log1p, "expm1": _expm1, "sinh": _sinh,
    "cosh": lambda x: 0.5 * (np.exp(x) + np.exp(-x)), "exp2": lambda x: np.exp(x * np.log(2.0)), "log2": lambda x: np.log(x) * (1.0 / np.log(2.0)),
    "log10": lambda x: np.log(x) * (1.0 / np.log(10.0)), "heaviside": lambda x, at_0: np.where(x == 0.0, at_0, np.where(x > 0.0, 1.0, 0.0)),
}


# ---- NumPy's functions of arrays ---------------------------------------------------------------------------------------------


def _numpys(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(ours: Callable[..., Any]) -> Callable[..., Any]:
        _FUNCTIONS.update(dict.fromkeys(functions, ours))
        return ours
    return keep


def _folding(op: str, *functions: Any) -> None:
    @_numpys(*functions)
    def fold(x: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, **options: Any) -> Symbol:
        _plain(options | {"dtype": dtype}, f"numpy.{functions[0].__name__}")
        if not isinstance(x, Symbol):
            raise RecordingError(f"numpy.{functions[0].__name__} of a list: put it together by numpy.stack(.., axis=-1) first")
        _last(axis, f"numpy.{functions[0].__name__}", x.ndim)
        return _tape_of(x).fold(op, x, keepdims=keepdims)


for _op, *_theirs in (("sum", np.sum), ("most", np.max, np.amax), ("least", np.min, np.amin), ("any", np.any), ("all", np.all)):
    _folding(_op, *_theirs)


@_numpys(np.mean)
def _mean(x: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Symbol:
    _plain({"dtype": dtype}, "numpy.mean")
    return np.sum(x, axis=axis, keepdims=keepdims) / float(x._rows)


@_numpys(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Symbol:
    _last(axis, "numpy.linalg.norm", x.ndim)
    if ord not in (None, 2):
        raise _refuse(f"numpy.linalg.norm of order {ord!r}")
    return _tape_of(x).fold("norm", x, keepdims=keepdims)


@_numpys(np.where)
def _where(condition: Any, x: Any, y: Any) -> Symbol:
    return _tape_of(condition, x, y).apply("where", condition, x, y)


@_numpys(np.clip)
def _clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Symbol:
    a_min, a_max = a_min if min is None else min, a_max if max is None else max
    if a_min is None and a_max is None:
        raise RecordingError("numpy.clip without a bound")
    tape = _tape_of(x, a_min, a_max)
    if a_min is None or a_max is None:
        return tape.apply("max" if a_max is None else "min", x, a_min if a_max is None else a_max)
    return tape.apply("clip", x, a_min, a_max)


@_numpys(np.concatenate)
def _concatenate(parts: Iterable[Any], axis: Any = 0) -> Symbol:
    _last(axis, "numpy.concatenate")
    given = list(parts)
    if not all(isinstance(part, Symbol) and not part._scalar for part in given):
        raise RecordingError("numpy.concatenate takes rows of robots: of one number per robot write x[..., None], or numpy.stack; of a constant zeros_like(x) + c")
    tape = _tape_of(*given)
    words = [tape.operand(part) for part in given]
    return tape.new("concat " + " ".join(word for word, _, _ in words), sum(rows for _, rows, _ in words), False)


@_numpys(np.stack)
def _stack(parts: Iterable[Any], axis: Any = 0) -> Any:
    _last(axis, "numpy.stack")
    given = list(parts)
    if not all(isinstance(part, Symbol) and part._scalar for part in given):
        raise RecordingError("numpy.stack takes one number per robot of each")
    return np.concatenate([part[..., None] for part in given], axis=-1)


@_numpys(np.cross)
def _cross(x: Any, y: Any, axis: Any = -1) -> Symbol:
    _last(axis, "numpy.cross")
    return _tape_of(x, y).sized("cross", 3, (x, 3), (y, 3))


@_numpys(np.diff)
def _diff(x: Any, n: int = 1, axis: Any = -1) -> Symbol:
    _last(axis, "numpy.diff", x.ndim)
    if n != 1 or x.shape[-1] < 2:
        raise RecordingError("numpy.diff is of two rows or more, once")
    return x[..., 1:] - x[..., :-1]


@_numpys(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Symbol:
    if isinstance(a, Symbol) or not isinstance(v, Symbol) or sorter is not None or side != "right":
        raise RecordingError('numpy.searchsorted is of a constant list, with side="right"')
    numbers = np.asarray(a, float)
    if numbers.ndim != 1 or not len(numbers) or (np.diff(numbers) < 0).any():
        raise RecordingError("numpy.searchsorted is of a list of numbers that do not fall")
    word, _, _ = v._tape.operand(numbers)
    return v._tape.new(f"search {word} {v._name}", v._rows, v._scalar)


@_numpys(np.interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """By the row of a table: where it begins, the number there, the slope from there on."""
    if isinstance(xp, Symbol) or isinstance(fp, Symbol) or not isinstance(x, Symbol) or x._scalar is False or not left is right is period is None:
        raise RecordingError("numpy.interp is of one number per robot, between constants xp and fp")
    places, numbers = np.asarray(xp, float), np.asarray(fp, float)
    if places.ndim != 1 or places.shape != numbers.shape or not len(places) or (np.diff(places) <= 0).any():
        raise RecordingError("numpy.interp is between a list of rising numbers xp and as many fp")
    slopes = np.append(np.diff(numbers) / np.diff(places), 0.0)
    table = np.stack([places, numbers, slopes], axis=-1)
    within = np.clip(x, float(places[0]), float(places[-1]))
    word, _, _ = x._tape.operand(table.ravel())
    index, _, _ = x._tape.operand(np.searchsorted(places, within, side="right") - 1.0)
    row = x._tape.new(f"row {word} {index} 3", 3, False)
    return row[..., 1] + row[..., 2] * (within - row[..., 0])


@_numpys(np.zeros_like)
def _zeros_like(x: Any) -> Symbol:
    return x._tape.new(f"repeat 0 {x._rows}", x._rows, x._scalar)


@_numpys(np.ones_like)
def _ones_like(x: Any) -> Symbol:
    return x._tape.new(f"repeat 1 {x._rows}", x._rows, x._scalar)
