"""Batches: N independent copies (environments) of one model, stepped together."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from . import _arrays as arrays
from . import _report, sensors
from ._above import Pictured, want_engines
from ._elsewhere import told
from ._fields import INNER, FieldProperties
from ._handle import Handle
from ._library import ArgumentError, FormatError, LimitError, ModelWarning, StateError, UnknownAttributeError, UnknownKeyError, check, encode_path, ffi, lib, spoken, text
from ._names import Strict, nearest, warn_at_caller
from ._numbered import Numbered
from ._pace import Pace
from ._report import Info, Stats
from .contact import ContactProblem
from .model import Model
from .rays import _RayCasting
from .settings import OF_A_BATCH, Settings, check_keywords
from .task_table import TaskTable, WrittenTask
from .terrain import on_same

_NUMBERS = {name[4:].lower(): number for number, name in sorted(ffi.typeof("myr_field").elements.items()) if name != "MYR_FIELD_COUNT"}
_SENSES = [name[len("sense_"):] for name in OF_A_BATCH if name.startswith("sense_")]
#: Parameters, which must be finite, and those of them that may not be negative either (batch/legal.c has the whole law).
_NOT_NEGATIVE = frozenset(("armature", "damping", "delay", "friction", "group_friction", "kd", "kp", "mass", "strength"))
_PARAMETERS = _NOT_NEGATIVE | {"com", "gravity", "inertia", "world_at"}
Ids = int | Sequence[int] | np.ndarray | None


def field_number(name: str) -> int:
    """The library's number of a field. UnknownKeyError: there is none of this name."""
    if words := told(name):
        raise UnknownKeyError(f"there is no field {name!r}: {words}")
    if name not in _NUMBERS:
        near = nearest(name, _NUMBERS)
        raise UnknownKeyError(f"there is no field {name!r}" + (f"; did you mean {near!r}?" if near else f"; there are: {', '.join(_NUMBERS)}"))
    return _NUMBERS[name]


def _sense_settings(sense: str | Iterable[str]) -> dict[str, int]:
    """The settings that these words stand for."""
    words = (sense,) if isinstance(sense, str) else tuple(sense)
    for word in words:
        if word not in _SENSES:
            raise ArgumentError(f"sense: {word!r} is none of {', '.join(_SENSES)}")
    return {f"sense_{word}": 1 for word in words}


def row_shape(name: str, components: int) -> tuple[int, ...]:
    """Shape of one environment's row of a field."""
    inner = INNER.get(name, ())
    return () if inner is None else (components // int(np.prod(inner)), *inner)


def _want_legal(field: str, values: np.ndarray) -> None:
    """ArgumentError for what is given to all environments and would quarantine each of them: that is a mistake, and not one robot's fate."""
    wrong = values[~np.isfinite(values) | ((values < 0) & (field in _NOT_NEGATIVE))]
    if wrong.size:
        raise ArgumentError(f"{field} is {wrong.flat[0]:g} for all environments that it is set in, but must be finite"
                            f"{' and not negative' if field in _NOT_NEGATIVE else ''}: each would be quarantined (illegal parameter)")


class Batch(Strict, _RayCasting, Pictured, Numbered, FieldProperties):
    """`envs` copies of a model, each with its own state, parameters, inputs and random stream.

    model: a Model, or what Model() takes (its `root` is then the settings'). settings: a Settings, copied; then `profile` is read over
    it, then the keys. sense: what the steps should also write, the settings sense_* in short: "acceleration", "bodies" (poses, velocities),
    "contacts" (points, normals). task: the setting of this name, or a task of one's own: a TermTask, a TaskTable; its settings are then under the keys.
    All environments start at the model's home, or as the task draws it: a quadruped's `stand`, which it has unless told otherwise, draws headings.

        batch = Batch("anymal", 4096, dt=0.002, threads=2, sense=("bodies",))
        batch.step(100)
        batch.q                       # (4096, 19) float32, a copy, read-only: `batch.q[:, 2] += 1` raises
        batch.kp = 80.0               # one number for all; `batch.kp *= 2` works, too
        batch.set("q", start, ids=[3, 5])
        q = batch.get("q")            # a copy to be changed

    Arrays are row-major (environment, component); frames and units are those of include/myriapod/batch.h. Contents are data: a NaN in a
    torque quarantines that environment and no other (`quarantined` says why). Methods may be called from any thread, one at a time: a second one waits. Memory is
    freed by `close()`, by leaving a `with` block or with the object. A batch can be pickled, with its state and its parameters; an attribute
    that it does not have is refused (UnknownAttributeError). Raises ArgumentError, FileError, FormatError, LimitError, IsaError,
    MemoryError; any use after `close()` raises StateError, any use in a forked child ForkError."""

    def __init__(self, model: Model | str | os.PathLike[str], envs: int = 1, settings: Settings | None = None, *,
                 sense: str | Iterable[str] = (), profile: str | os.PathLike[str] | None = None, task: str | WrittenTask | None = None,
                 **settings_keys: Any) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise ArgumentError(f"settings is {type(settings).__name__}, but must be a Settings; single ones are keywords: Batch(model, envs, dt=0.002)")
        written = task if isinstance(task, WrittenTask) else None
        self._settings = settings.copy() if settings is not None else written.settings() if written else Settings()
        if profile is not None:
            self._settings.load(profile)
        check_keywords(settings_keys, type(self).__name__, ("model", "envs", "settings", "sense", "profile"))
        if task is not None and not written:
            want_engines(str(task))
            settings_keys = {"task": task, **settings_keys}
        self._settings.update(**settings_keys | _sense_settings(sense))
        envs = arrays.whole(envs, "envs", -(2**63))
        self._robot = self._model = model if isinstance(model, Model) else Model(model, str(self._settings["root"]))
        asked = (self._settings["terrain"], self._settings["terrain_seed"], dict[str, Any]())
        generated = None if asked[0] == "plane" else ("generate", asked)
        if self._model.terrain is not None and self._model.terrain._made == generated:
            self._robot = self._model._plane  # it is on this very map already
        out = ffi.new("myr_batch **")
        self._table = written.table(self._robot, self._settings) if written else None
        if self._table:
            try:
                check(lib.myr_batch_create_for(self._robot._c, envs, self._settings._c, self._table._c, out))
            except (FormatError, LimitError) as error:
                raise self._table._told(error) from None
        else:
            check(lib.myr_batch_create(self._robot._c, envs, self._settings._c, out))
        self._handle = Handle(out[0], lib.myr_batch_free, "batch")
        if generated:
            self._model = on_same(self._robot, lib.myr_batch_model(out[0]), generated)
        for words in self.warnings:
            warn_at_caller(words, ModelWarning)
        self._settings["dt"] = self.info.dt_s  # 0 was the model's own
        self._settings._take_numbers(out[0])
        self._envs, self._seed = envs, int(self._settings["seed"])
        self._dtype = np.dtype(np.float32 if self.info.precision == 4 else np.float64)
        self._pace = Pace(self._envs * int(self._settings["decimation"]))

    # ---- what it is ---------------------------------------------------------------------------------------------

    def _open(self) -> Handle:  # the library's batch, for one call at a time: `with self._open() as c`
        return self._handle

    @property
    def warnings(self) -> list[str]:
        """What its creation found odd: the task hold says where most of its robots would fall without action. Each was a ModelWarning."""
        with self._open() as c:
            said: list[str] = []
            while (words := lib.myr_batch_warning(c, len(said))) != ffi.NULL:
                said.append(spoken(text(words)))
            return said

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def settings(self) -> Settings:
        """The settings it was made with, `auto` not resolved, `dt` as it is; numbers that `set_numbers` has set are as they are now. They are read-only
        (ReadOnlyError): give others to Batch(...). `Settings(batch.settings)` is a copy that may be changed."""
        return self._settings._frozen()

    @property
    def envs(self) -> int:
        """Number of environments."""
        return self._envs

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64: the precision of the steps, and of the arrays that `get` makes."""
        return self._dtype

    @property
    def info(self) -> Info:
        """Instruction set, threads, memory, task."""
        with self._open() as c:
            return _report.info(c)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that this batch keeps."""
        with self._open() as c:
            return tuple(name for name, number in _NUMBERS.items() if lib.myr_batch_components(c, number) > 0)

    def shape(self, field: str) -> tuple[int, ...]:
        """Shape of a field of all environments, (envs, ...)."""
        with self._open() as c:
            return (self._envs, *row_shape(field, lib.myr_batch_components(c, field_number(field))))

    def __getattr__(self, name: str) -> Any:
        if told(name):
            raise UnknownAttributeError(self._no_attribute(name))
        near = None if name.startswith("_") else nearest(name, (word for word in dir(type(self)) if not word.startswith("_")))
        words = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(f"{words}; did you mean {near!r}?") if near else AttributeError(words, name=name, obj=self)  # with these Python looks for one

    def _no_attribute(self, name: str) -> str:
        if words := told(name):
            return f"a {type(self).__name__} has no attribute {name!r}: {words}"
        if name in OF_A_BATCH:
            return f"{name!r} is a setting, and settings belong to the creation of a batch: Batch(model, envs, {name}=...)"
        return super()._no_attribute(name)

    # ---- stepping -----------------------------------------------------------------------------------------------

    def step(self, steps: int = 1) -> None:
        """Advance all environments by so many control steps, each `decimation` steps of dt.

        The interpreter is free for other threads meanwhile. Ctrl-C ends the call within about 0.1 s (or one step) with
        KeyboardInterrupt; all environments have then made the same whole number of steps, and the batch is as usable as before."""
        wanted = arrays.whole(steps, "steps", -(2**63))
        with self._open() as c:
            if wanted < 1:
                check(lib.myr_batch_step(c, wanted))
            self._pace.run(wanted, lambda _, count: check(lib.myr_batch_step(c, count)))

    def rollout(self, control: Any = None, nsteps: int | None = None, control_field: str = "target", state_out: Any = None) -> np.ndarray:
        """Step with an array of controls and return the state after every step, (envs, nsteps, nq + nv): q, then v.

        Unlike `myriapod.rollout.rollout`, which drives `torque` unless said otherwise and returns time, q, v, this drives `target`, goes on
        from where the batch is, and returns no time.

        control: (envs, nsteps, nu) of float32 or float64, written step by step into `control_field`, "target" [rad | m], "torque"
        [N m | N] or "control", what the model's file calls so; None: the fields stay as they are, for `nsteps` steps. The last control stays in the field. state_out: the caller's
        array for the states, of the control's dtype; None: a new one of it (of the batch's precision where there is no control).
        Ctrl-C interrupts as in `step`: states up to there are written."""
        if control_field not in ("target", "torque", "control"):
            raise ArgumentError(f"control_field is {control_field!r}, but must be 'target', 'torque' or 'control'")
        number = field_number(control_field)
        with self._open() as c:
            nu, nx = self._model.nu, self._model.nq + self._model.nv
            given = None if control is None else arrays.take(control, "control")
            if nsteps is None:
                if given is None:
                    raise ArgumentError("rollout needs a control array or nsteps")
                if given.ndim != 3:
                    raise ArgumentError(f"control has shape {given.shape}, but must be ({self._envs}, nsteps, {nu}) = (envs, nsteps, nu)")
                nsteps = given.shape[1]
            steps = arrays.whole(nsteps, "nsteps", -(2**63))
            if given is not None:
                arrays.want_shape(given, (self._envs, steps, nu), "control", "(envs, nsteps, nu)")
            if steps < 0:
                raise ArgumentError(f"nsteps is {steps}")
            if given is not None:
                dtype, why = given.dtype, " (control's)"
            elif state_out is not None:
                dtype, why = arrays.float_type(arrays.adopt(state_out, "state_out").dtype, "state_out's dtype"), ""
            else:
                dtype, why = self._dtype, ""
            states = arrays.output(state_out, "state_out", (self._envs, steps, nx), dtype, why)
            job = ffi.new("myr_rollout *", {"control_field": number, "type": arrays.myr_type(dtype)})
            job.control_stride, job.state_stride = steps * nu, steps * nx

            def piece(first: int, count: int) -> None:
                job.steps = count
                if given is not None:
                    job.control = ffi.cast("void *", given.ctypes.data + first * nu * dtype.itemsize)
                job.state = ffi.cast("void *", states.ctypes.data + first * nx * dtype.itemsize)
                check(lib.myr_batch_rollout(c, job))

            self._pace.run(steps, piece)
            return states

    def reset(self, mask: Any = None, *, seed: int | None = None) -> None:
        """Start a new episode, of the environments where mask (envs,) of bool or uint8 is true, or of those with the numbers in it, [0, 3], or of all; lifts
        their quarantine. seed: begin anew, as `restart` does."""
        if seed is not None:
            if mask is not None:
                raise ArgumentError("a seed is of all environments: give reset a seed or a mask, not both")
            return self.restart(seed)
        chosen = None if mask is None else arrays.chosen(mask, "mask", self._envs)
        with self._open() as c:
            check(lib.myr_batch_reset(c, arrays.pointer(chosen, "uint8_t *")))

    def refresh(self) -> None:
        """Bring body_pose and body_velocity up to date with q and v, without a step: after setting q or v. Nothing to do where they are not kept."""
        with self._open() as c:
            check(lib.myr_batch_refresh(c))

    def close_loops(self, ids: Ids = None) -> np.ndarray:
        """Move the positions of the environments `ids` (None: all) until their loops and couplings close: after setting a q that does not.

        Returns how far open each then is, (n,) float64 [m | rad]. StateError where one does not close from where it is: it stays as it was."""
        chosen = arrays.numbers(ids, "ids")
        open_ = np.zeros(self._envs if chosen is None else len(chosen))
        with self._open() as c:
            check(lib.myr_batch_close_loops(c, arrays.pointer(chosen, "int64_t *"), len(open_), arrays.pointer(open_, "double *")))
        return open_

    def restart(self, seed: int) -> None:
        """Begin anew: every environment starts episode 0 of this seed, as in a batch created with it. Parameters that were set stay."""
        number = arrays.whole(seed, "seed")
        with self._open() as c:
            check(lib.myr_batch_restart(c, number))
        self._seed = number

    # ---- reading and writing ------------------------------------------------------------------------------------

    def _is_whole(self, c: Any, number: int) -> bool:
        """Does the field hold whole numbers? Then the library takes the type MYR_I64 for it."""
        return lib.myr_batch_get(c, number, ffi.NULL, 0, lib.MYR_I64, ffi.NULL) != lib.MYR_E_ARG

    def get(self, field: str, ids: Ids = None, out: Any = None, dtype: Any = None) -> np.ndarray:
        """A field of the environments `ids` (None: all), as an array (n, ...), shaped as the property of this name says.

        dtype: float32 or float64; None: the batch's precision, and int64 for fields of whole numbers. out: the caller's array to write
        into, of exactly that shape and dtype, C-contiguous; it is also returned (torch CPU tensors: their memory, as an array)."""
        number = field_number(field)
        chosen = arrays.numbers(ids)
        with self._open() as c:
            n = self._envs if chosen is None else len(chosen)
            whole = self._is_whole(c, number)
            if dtype is None:
                wanted, why = (np.dtype(np.int64), " (whole numbers)") if whole else (self._dtype, " (the batch's precision; or say dtype=)")
            elif whole and np.dtype(dtype) == np.int64:
                wanted, why = np.dtype(np.int64), " (dtype)"
            else:
                wanted, why = arrays.float_type(dtype), " (dtype)"
            shape = (n, *row_shape(field, lib.myr_batch_components(c, number)))
            array = arrays.output(out, "out", shape, wanted, why)
            check(lib.myr_batch_get(c, number, arrays.pointer(chosen, "int64_t *"), n, arrays.myr_type(wanted), arrays.pointer(array)))
            return array

    def sensor(self, name: str) -> np.ndarray:
        """What a sensor of the model reads, (envs, n), after the last step or at the start of the episode; `view("sensors")` shows all, uncopied."""
        return sensors.of_batch(self, name)

    def set(self, field: str, values: Any, ids: Ids = None) -> None:
        """Write a field of the environments `ids` (None: all). values: (n, ...) as `get` gives it, or one row or one number for all of them.

        float32 and float64, NumPy or DLPack, are read where they lie. Of an environment named twice the last row stays. A row of each
        environment is data: one that is not a legal parameter (a friction below zero) quarantines its own in the next step. One number or row
        for all that is not legal is refused (ArgumentError)."""
        number = field_number(field)
        chosen = arrays.numbers(ids)
        with self._open() as c:
            n = self._envs if chosen is None else len(chosen)
            row = row_shape(field, lib.myr_batch_components(c, number))
            judge = partial(_want_legal, field) if field in _PARAMETERS else None
            given = arrays.rows(values, field, n, row, f"({'envs' if chosen is None else 'ids'}, ...)", judge)
            check(lib.myr_batch_set(c, number, arrays.pointer(chosen, "int64_t *"), n, arrays.myr_type(given.dtype), arrays.pointer(given)))

    def problems(self, ids: Ids = None) -> list[ContactProblem]:
        """The contact problems that the first step of the next `step` solves in the environments `ids` (None: all), without that step.

        They hold the very numbers of the batch's precision, the task's reset or new targets already in them; an environment that touches
        nothing or is in quarantine has one of no contacts. `solve` takes them. Under dynamics="maximal", where a step solves several, they are
        the first; under "maximal-tree", whose steps solve none, StateError is raised."""
        chosen = arrays.numbers(ids)
        with self._open() as c:
            room, rows = self.model.n_slots, self.model.n_rows
            most = 3 * room + rows
            G, slots, ids, patches = np.empty(most * most), np.empty(room, np.int32), np.empty(rows, np.int32), np.empty(room, np.int32)
            c_, mu, start, R, stairs = np.empty(most), np.empty(room), np.empty(most), np.empty(most), np.empty((rows, 3))
            out = ffi.new("myr_problem_room *", {"room": room, "room_rows": rows, "slots": arrays.pointer(slots, "int *"),
                                                 "row_ids": arrays.pointer(ids, "int *"), "patches": arrays.pointer(patches, "int *")})
            for name, array in (("G", G), ("c", c_), ("mu", mu), ("start", start), ("R", R), ("stairs", stairs)):
                setattr(out, name, arrays.pointer(array, "double *"))
            problems = []
            for env in range(self._envs) if chosen is None else chosen:
                check(lib.myr_batch_problem(c, int(env), out))
                nc, nr = out.contacts, out.rows
                m = 3 * nc + nr
                problems.append(ContactProblem(G[: m * m].reshape(m, m).copy(), c_[: 3 * nc].reshape(nc, 3).copy(), mu[:nc].copy(),
                                               start[: 3 * nc].reshape(nc, 3).copy(), R[: 3 * nc].reshape(nc, 3).copy(), slots[:nc].copy(),
                                               stairs[:nr].copy(), c_[3 * nc : m].copy(), start[3 * nc : m].copy(), ids[:nr].copy(), patches[:nc].copy()))
            return problems

    def view(self, field: str) -> np.ndarray:
        """The field where it lies: a read-only array (tiles, lanes, components) without a copy; environment e is [e // lanes, e % lanes].

        It shows what the next steps make of it and keeps the batch's memory for as long as it lives, also after `close()`. Lanes past the
        last environment hold an idle robot. Fields that are not stored as they are read (com, inertia, time, ...) raise ArgumentError."""
        number, view = field_number(field), ffi.new("myr_view *")
        with self._open() as c:
            check(lib.myr_batch_view(c, number, view))
            return np.asarray(arrays.TileView(view, self._handle.memory))

    def copy(self, sources: Ids, targets: Ids) -> None:
        """Full state and parameters of environment sources[i] to targets[i], in order. One source may serve all targets."""
        to = arrays.numbers(targets, "targets")
        of = arrays.numbers(sources, "sources")
        if of is None or to is None:
            raise ArgumentError("copy needs environment numbers: sources and targets")
        if len(of) == 1:
            of = np.ascontiguousarray(np.broadcast_to(of, to.shape))
        arrays.want_shape(of, to.shape, "sources", "that of targets")
        with self._open() as c:
            check(lib.myr_batch_copy(c, arrays.pointer(of, "int64_t *"), arrays.pointer(to, "int64_t *"), len(to)))

    def place(self, levels: Any = None, columns: Any = None, ids: Ids = None) -> None:
        """Put the environments `ids` (None: all) on patches of the generated map that their model is on: sets `patch`, and with it `ground_at`.

        levels, columns: whole numbers, one for each of these environments, or one for all; negative ones count from the last. None: as they
        are. q and v stay as they are, relative to the new origin. ArgumentError: the map has no such patch; StateError: there are no patches."""
        terrain = self._model.terrain
        if terrain is None or not terrain.patch_levels:
            raise StateError(f"the model {self._model.name} is on {'no map' if terrain is None else 'a map without patches: set ground_at'}; "
                             "a generated one has them: Batch(model, terrain=\"legged-gym\"), or Batch(model.on(terrain))")
        patch = self.get("patch", ids)
        for axis, (name, given, n) in enumerate((("levels", levels, terrain.patch_levels), ("columns", columns, terrain.patch_columns))):
            if given is not None:
                patch[:, axis] = arrays.indices(given, name, len(patch), n)
        self.set("patch", patch, ids)

    def set_collision(self, mask: Any) -> None:
        """Which geoms may touch the ground: (n_geoms,) of bool or uint8, for all environments."""
        chosen = arrays.mask(mask, "mask", len(self._model.geoms), "(n_geoms,)")
        with self._open() as c:
            check(lib.myr_batch_set_collision(c, arrays.pointer(chosen, "uint8_t *")))

    # ---- states and files ---------------------------------------------------------------------------------------

    def get_state(self, ids: Ids = None, out: Any = None) -> np.ndarray:
        """Full states of the environments `ids` (None: all) as opaque bytes, (n, state_bytes) uint8: q, v, warm start, targets, counters,
        episode, time, quarantine. Parameters and inputs are not in them."""
        chosen = arrays.numbers(ids)
        with self._open() as c:
            n = self._envs if chosen is None else len(chosen)
            array = arrays.output(out, "out", (n, lib.myr_batch_state_bytes(c)), np.dtype(np.uint8))
            check(lib.myr_batch_get_state(c, arrays.pointer(chosen, "int64_t *"), n, arrays.pointer(array)))
            return array

    def set_state(self, states: Any, ids: Ids = None) -> None:
        """Put states of `get_state` back, (n, state_bytes) uint8, taken from any batch of the same model and precision."""
        chosen = arrays.numbers(ids)
        with self._open() as c:
            n = self._envs if chosen is None else len(chosen)
            given = arrays.take(states, "states", np.dtype(np.uint8))
            arrays.want_shape(given, (n, lib.myr_batch_state_bytes(c)), "states", "(n, state_bytes)")
            check(lib.myr_batch_set_state(c, arrays.pointer(chosen, "int64_t *"), n, arrays.pointer(given)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file, which is whole or absent. FileError."""
        with self._open() as c:
            check(lib.myr_batch_save(c, encode_path(path)))

    def restore(self, path: str | os.PathLike[str], part: bool = False) -> None:
        """Take over what a saved batch of this model and these settings has of these environments, by global ids: all, or with `part` some. FileError; FormatError."""
        with self._open() as c:
            check((lib.myr_batch_restore_part if part else lib.myr_batch_restore)(c, encode_path(path)))

    def hash(self) -> int:
        """A number of 64 bits over the global ids, q and v of all environments; those of two halves add up (modulo 2**64) to the whole's."""
        with self._open() as c:
            return lib.myr_batch_hash(c)

    def stats(self) -> Stats:
        """What the steps since the last `clear_stats` cost and reached."""
        with self._open() as c:
            return _report.stats(c)

    def clear_stats(self) -> None:
        """Start the statistics anew."""
        with self._open() as c:
            lib.myr_batch_clear_stats(c)

    # ---- the end ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free the memory (once no `view` needs it any more). Twice is fine."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        """Has `close()` been called?"""
        return self._handle.memory is None

    def __reduce__(self) -> Any:
        settings = self._settings.copy()
        settings["seed"] = self._seed
        return _from_saved, (type(self), self._robot, self._envs, settings, self._saved(), self._table)

    def _saved(self) -> bytes:
        """What `save` writes."""
        with tempfile.TemporaryDirectory(prefix="myriapod-") as folder:
            path = Path(folder) / "batch"
            self.save(path)
            return path.read_bytes()

    def _restore_saved(self, saved: bytes, part: bool = False) -> None:
        """`restore` from what `_saved` gave."""
        with tempfile.TemporaryDirectory(prefix="myriapod-") as folder:
            path = Path(folder) / "batch"
            path.write_bytes(saved)
            self.restore(path, part)

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Batch of {self._envs} {self._model.name}, {self._dtype}{', closed' if self.closed else f', task {self.info.task}'}>"


def _from_saved(kind: type[Batch], model: Model, envs: int, settings: Settings, saved: bytes, table: TaskTable | None = None) -> Batch:
    """What was pickled."""
    batch = kind(model, envs, settings, task=table)
    batch._restore_saved(saved)
    return batch
