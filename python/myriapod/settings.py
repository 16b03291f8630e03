"""Settings: every key of include/myriapod/settings.def and every number of the library's own tasks, by its name with '-' written as '_'."""
from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from ._library import ArgumentError, ReadOnlyError, UnknownKeyError, check, encode, encode_path, ffi, lib, text
from ._names import Strict, nearest, warn_at_caller

Value = int | float | str


def _walk() -> Iterator[tuple[str, str]]:
    """(key, meaning) of all settings, in the library's order."""
    key, doc = ffi.new("char **"), ffi.new("char **")
    index = 0
    while lib.myr_settings_key(ffi.NULL, index, key, ffi.NULL, doc):
        yield text(key[0]), text(doc[0])
        index += 1


_KEYS = [key for key, _ in _walk()]
#: Name in Python -> what the key means, with its unit.
DOCS: dict[str, str] = {key.replace("-", "_"): doc for key, doc in _walk()}
_FIELDS = [name for name, _ in ffi.typeof("myr_settings").fields if name not in ("cookie", "n_numbers", "numbers")]  # settings.def gives both their order
if not all(re.fullmatch(f"{key.replace('-', '_')}(_s|_m)?", field) for key, field in zip_longest(_KEYS[:len(_FIELDS)], _FIELDS, fillvalue="")):
    raise ImportError("the library and the declarations of this package are of different versions")


def _number(place: int) -> float:
    """The value of the key at this place of the library's order, where it is not set."""
    default, word = ffi.new("myr_settings *", lib.myr_settings_default()), ffi.new(ffi.typeof("myr_setting_number").fields[0][1].type)
    lib.myr_settings_key(default, place, ffi.NULL, word, ffi.NULL)
    return float(text(word))


#: Numbers of the library's own tasks, which have no member of the struct: key -> its value in the task.
NUMBERS: dict[str, float] = {key: _number(place) for place, key in enumerate(_KEYS) if place >= len(_FIELDS)}
_PLACES = {key.replace("-", "_"): (key, field) for key, field in zip_longest(_KEYS, _FIELDS, fillvalue="")}


def _place(name: str) -> tuple[str, str]:
    """Key and struct member ("": a number of a task) of a name. UnknownKeyError: none, with the nearest one in the message."""
    place = _PLACES.get(name.replace("-", "_")) if isinstance(name, str) else None
    if place:
        return place
    near = nearest(str(name).replace("-", "_"), _PLACES)
    raise UnknownKeyError(f"there is no setting {name!r}" + (f"; did you mean {near!r}?" if near else f"; there are: {', '.join(_PLACES)}"))


def task_numbers(batch: Any) -> dict[str, float]:
    """Numbers of the task of a batch of the library, as they are there."""
    info, made = ffi.new("myr_number_info *"), dict[str, float]()
    while lib.myr_batch_get_number(batch, len(made), info) == lib.MYR_OK:
        made[text(info.name)] = info.value
    return made


#: Settings that say how a batch is run and not what it simulates.
OF_THE_RUN = ("envs", "steps", "warmup", "isa", "threads", "pin", "seed", "first_env", "sense_acceleration", "sense_bodies", "sense_contacts")

#: Settings of the program alone, which a batch does not read: what a caller has for them.
_PROGRAMS = {"envs": "the number of environments is an argument", "steps": "`step(steps)` says how many", "warmup": "step as often before you measure"}

#: Settings that a batch reads.
OF_A_BATCH = tuple(name for name in _PLACES if name not in _PROGRAMS)


#: What other simulators call it.
_ELSEWHERE = {"timestep": "dt", "time_step": "dt", "frame_skip": "decimation", "num_envs": "envs", "nthread": "threads"}


def check_keywords(keys: Iterable[str], owner: str, own: Iterable[str]) -> None:
    """UnknownKeyError for a keyword that is neither one of its `own` of what is called (`owner`) nor a setting that a batch reads."""
    names = [*own, *OF_A_BATCH]
    for key in keys:
        plain = key.replace("-", "_")
        if plain in names:
            continue
        if plain in ("device", "sim_device", "headless"):
            raise UnknownKeyError(f"{owner} takes no {key!r}: it runs on the processor's cores (threads=N), without a window")
        near = _ELSEWHERE.get(plain) or nearest(plain, [*names, *_PROGRAMS])
        if near in _PROGRAMS:
            raise UnknownKeyError(f"{owner} takes no {key!r}; {near!r} is a setting of the program `myriapod` alone: {_PROGRAMS[near]}")
        raise UnknownKeyError(f"{owner} takes no {key!r}, and there is no setting of this name" +
                              (f"; did you mean {near!r}?" if near else f"; it takes {', '.join([*own, 'the settings of docs/settings.md'])}"))


def from_pairs(pairs: Iterable[str], flags: Iterable[str]) -> dict[str, Any]:
    """Of a command line: `--set KEY=VALUE`, several times; `number.NAME=VALUE`, a number of the task, is in `numbers`. ArgumentError for another
    form, or a key that has a flag or argument of its own."""
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ArgumentError(f"--set {pair}: KEY=VALUE is wanted")
        if key.startswith("number."):
            values.setdefault("numbers", {})[key.partition(".")[2]] = value
            continue
        name = key.replace("-", "_")
        if name in flags:
            raise ArgumentError(f"--set {pair}: there is an argument for {key!r}; see --help")
        values[name] = value
    return values


def _word(name: str, value: Any) -> str:
    """A value as the text of a flag."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise ArgumentError(f"setting {name!r} is {value}, but must be a whole number below 2**63")
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    raise ArgumentError(f"setting {name!r}: {value!r} is neither a number nor a word")


def _pass_on_note() -> None:
    """A DeprecationWarning at the caller's line if the library noted that a word has a new name."""
    note = text(lib.myr_settings_note())
    if note:
        warn_at_caller(note, DeprecationWarning)


class Settings(Strict, Mapping[str, Value]):
    """Values of all settings: the defaults, then a profile, then single keys; the later one wins.

        Settings("rollout", dt=0.002, threads=1)

    A mapping from names to values (`settings["dt"]`, `dict(settings)`), set by `settings["dt"] = 0.002` or `update(dt=0.002)`.
    Names are the keys of the program's flags with '_' for '-'. Values are int, float (SI units) or str; bool is 1 or 0, and text
    is read as a flag would be. Raises UnknownKeyError for an unknown name, ArgumentError for a value out of range or of the
    wrong kind, FileError or FormatError for a profile that cannot be read. A failed assignment changes nothing. `settings.dt = 0.002`, which
    sets no key, raises UnknownAttributeError. Settings can be pickled and copied.

    Those that a batch or a task shows (`batch.settings`) are read-only: they belong to its creation, and a change raises ReadOnlyError.
    `Settings(batch.settings)` and `batch.settings.copy()` may be changed, and given to a new Batch."""

    _read_only = False

    def __init__(self, profile: str | os.PathLike[str] | Settings | None = None, **keys: Any) -> None:
        self._c = ffi.new("myr_settings *", lib.myr_settings_default())
        if isinstance(profile, Settings):
            self._c[0] = profile._c[0]
        elif profile is not None:
            self.load(profile)
        self.update(**keys)

    def load(self, profile: str | os.PathLike[str]) -> None:
        """Read a profile over the values here: a shipped or found name, or a path (with a '/' or ending in .json)."""
        self._want_changeable()
        check(lib.myr_settings_load(self._c, encode_path(profile)))
        _pass_on_note()

    def update(self, **keys: Any) -> None:
        """Set several keys, all or (where one is wrong) none."""
        self._want_changeable()
        changed = self.copy()
        for name, value in keys.items():
            changed[name] = value
        self._c[0] = changed._c[0]

    def _want_changeable(self) -> None:
        if self._read_only:
            raise ReadOnlyError("these settings are read-only: they belong to the creation of the batch, which would not hear of a change. Give them "
                                "to Batch(model, envs, dt=0.002), or change a copy, Settings(batch.settings), and give that")

    def _no_attribute(self, name: str) -> str:
        self._want_changeable()
        near = name if name in _PLACES else nearest(name, _PLACES)
        return f"Settings have no attribute {name!r}; a setting is set by settings[{near or 'key'!r}] = value"

    def __reduce__(self) -> Any:
        given = self._numbers()  # others are as the table of a task has them
        own = {name: value for name, value in given.items() if name not in NUMBERS}  # of a table of one's own
        return _from_items, (type(self), {name: value for name, value in self.items() if _PLACES[name][1] or _PLACES[name][0] in given}, self._read_only, own)

    def _numbers(self) -> dict[str, float]:
        """The numbers of tasks that were set."""
        return {text(number.name): number.value for number in self._c.numbers[0:self._c.n_numbers]}

    def _put_number(self, name: str, value: float) -> None:
        """One more, of a table of one's own, which the library does not know before there is a batch."""
        k = next((k for k in range(self._c.n_numbers) if text(self._c.numbers[k].name) == name), self._c.n_numbers)
        self._c.numbers[k].name, self._c.numbers[k].value = encode(name, "name"), value
        self._c.n_numbers = max(self._c.n_numbers, k + 1)

    def _take_numbers(self, batch: Any) -> None:
        """Numbers of the task of a batch of the library as they are there: its table may have other ones than the library's."""
        for name, value in task_numbers(batch).items():
            if name in NUMBERS and self[name] != value:
                self[name] = value

    def __copy__(self) -> Settings:
        return self.copy()

    def copy(self) -> Settings:
        """The same values, independent of these, to be changed."""
        twin = object.__new__(type(self))
        twin._c = ffi.new("myr_settings *", self._c[0])
        return twin

    def _frozen(self) -> Settings:
        """The same values, read-only: what is shown of a batch that is made."""
        twin = self.copy()
        twin._read_only = True
        return twin

    @staticmethod
    def doc(name: str) -> str:
        """What a key means, with its unit."""
        return DOCS[_place(name)[0].replace("-", "_")]

    def __getitem__(self, name: str) -> Value:
        key, field = _place(name)
        if not field:
            return self._numbers().get(key, NUMBERS[key])
        value = getattr(self._c, field)
        return text(value) if isinstance(value, ffi.CData) else value

    def __setitem__(self, name: str, value: Any) -> None:
        self._want_changeable()
        check(lib.myr_settings_set(self._c, _place(name)[0].encode(), _word(name, value).encode()))
        _pass_on_note()

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __repr__(self) -> str:
        default = Settings()
        return f"Settings({', '.join(f'{k}={v!r}' for k, v in self.items() if v != default[k])})"


def instruction_sets() -> list[str]:
    """Those that the library holds and this processor has: what the setting `isa` may say beside "auto"."""
    info, names, i = ffi.new("myr_isa_info *"), [], 0
    while lib.myr_isa_name(i) != ffi.NULL:
        if lib.myr_isa_get(lib.myr_isa_name(i), info) == 0 and info.present:
            names.append(text(info.name))
        i += 1
    return names


def alike() -> dict[str, Any]:
    """The settings `vary_*` as they are unless a task has others: no robot differs from another one."""
    return {name: value for name, value in Settings().items() if name.startswith("vary_")}


def _from_items(kind: type[Settings], values: dict[str, Value], read_only: bool = False, own: Mapping[str, float] | None = None) -> Settings:
    """What was pickled."""
    made = kind()
    made.update(**values)
    for name, value in (own or {}).items():
        made._put_number(name, value)
    made._read_only = read_only
    return made
