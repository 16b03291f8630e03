"""Tasks of named terms, each a function written for NumPy: recorded for a robot, and run in lanes.

    walk = TermTask("creep", robot="anymal", settings={"dt": 0.005, "decimation": 4, "solver": "bisection"}, gains="quadruped")

    @walk.reward(1.0)
    def forward(s):
        "exp(-(0.5 m/s - speed forward)^2 / 0.25)"
        return np.exp(-4 * np.square(s.base_linear[..., 0] - 0.5))

    @walk.end
    def fallen(s):
        return s.base_down[..., 2] > -0.5

    walk.observe("base_linear", noise=0.1)
    walk.observe("base_down", noise=0.05)
    walk.observe("encoder", noise=0.01)

    with LaneTask(walk, 1024) as task: ...          # and `myriapod.train`, `score`, `play`, Gymnasium, rsl_rl

docs/tables.md has all of it."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._arrays import whole
from .._library import ArgumentError, Error, FormatError, LimitError, check, encode, ffi, lib
from .._names import warn_at_caller
from ..settings import DOCS, NUMBERS, Settings
from ..task_table import INPUTS, Stage, TaskTable, merged
from .check import Explanation, check_terms, explain_terms, robot_of
from .errors import by_term, place, want_call
from .mirror import How, Mirror, mirror_of, reflected
from .recording import MOMENTS, Function, RecordedTerm, State, Term, _Writing, moment_lines
from .symbols import RecordingError, _Tape
from .words import check_given, idle

#: A number, or where it is read when a batch is made: `setting.KEY`, `number.NAME`.
Number = float | str

_HEADER = "myriapod_task 1\n"
_EMPTY = "moment judge\noutput end.none 0\nmoment observe\ninput dt\noutput nothing dt\n"


def _word(value: Number, what: str) -> str:
    if isinstance(value, str):
        if not value.startswith(("setting.", "number.")):
            raise ArgumentError(f"{what} is {value!r}, but must be a number, 'setting.KEY' or 'number.NAME'")
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) == float("inf"):
        raise ArgumentError(f"{what} is {value!r}, but must be a finite number, 'setting.KEY' or 'number.NAME'")
    return repr(float(value))


def _json(sensor: dict[str, Any]) -> str:
    try:
        return json.dumps(sensor)
    except TypeError as error:
        raise ArgumentError(f"sensor {sensor.get('name')!r}: {error}: a task's sensors are words and numbers; a pattern is {{'kind': 'ring', 'n': 6}}") from None


class TermTask:
    """A task whose terms are added one by one, mostly as decorators of functions of a `State`.

    name: of the task. robot: what `Model` loads; "": any. feet: names of the only shapes of it that touch, as `Model` takes them; (): all. sensors: which it gets where it does not have them, as `Model.with_sensors` takes them. settings: those of its batches, under what a caller says. needs: "quadruped", "actuators".
    uses: of "vary" (the settings vary_*), "pushes", "patches" (of generated maps), "trial" (a warning where it falls without actions). gains: "own" (the
    model's), "quadruped", "sag" (by weight and size, as the task hold), (kp, kd), or a dict of them by names of actuators ("*_knee_*": (150, 6)), of which a
    later one counts. actions: "targets" (home + action_scale action), "controls" (action_scale action, as the robot's file has controls: torques, say), or how
    many numbers they have, which terms `act` turn into what actuators do. floor: the sum of the terms is never below 0. training, learner: as
    `myriapod.Task`'s. mirror: how an action looks in a mirror, "actuators" say, or as `observe` takes it; None: the task has no mirror. ArgumentError: a name or a number that cannot be. A setting that nothing reads is warned of when the task is recorded."""

    def __init__(self, name: str, *, robot: str = "", feet: tuple[str, ...] = (), sensors: Sequence[dict[str, Any]] = (), about: str = "", settings: dict[str, Any] | None = None,
                 needs: tuple[str, ...] = (), uses: tuple[str, ...] = (), gains: str | tuple[Number, Number] | Mapping[str, tuple[Number, Number]] = "own",
                 actions: str | int = "targets", floor: Number = 0.0, training: dict[str, Any] | None = None, learner: dict[str, Any] | None = None, mirror: How | None = None) -> None:
        if not isinstance(robot, (str, os.PathLike)):
            raise ArgumentError(f"robot is {robot!r}, but must be a name or a file, as the task's text has it; a Model is for LaneTask(task, robot=model), check and text")
        if "#" in os.fspath(robot):
            raise ArgumentError(f"robot is {os.fspath(robot)!r}, but # begins a comment in a task's text: give the path another name")
        self.name, self.robot, self.about = name, os.fspath(robot), about
        self.feet = (feet,) if isinstance(feet, str) else tuple(feet)
        if not all(isinstance(name, str) for name in self.feet) or not all(isinstance(sensor, dict) and isinstance(sensor.get("name"), str) for sensor in sensors):
            raise ArgumentError(f"feet are names, {self.feet!r} here, and sensors dicts with a name, {sensors!r} here")
        self.sensors = tuple(dict(sensor) for sensor in sensors)
        self._settings, self.training, self.learner = dict(settings or {}), dict(training or {}), dict(learner or {})
        check_given(self._settings, self.training, self.learner)
        self._uses = (uses,) if isinstance(uses, str) else tuple(uses)
        self._idle: set[str] = set()  # settings that were warned of
        self.terms: list[Term] = []  #: in the order in which they were added
        self.command = 0  #: how many numbers its command has
        self.numbers: dict[str, float] = {}  #: of its own, by name
        self._stages: list[Stage] = []
        self.curricula: tuple[Function, ...] = ()  #: what is called between the iterations of a training
        self._every: Number = 0.0
        self._head = [f"name {name}"]
        self._head += [f"needs {' '.join((needs,) if isinstance(needs, str) else needs)}"] if needs else []
        self._head += [f"uses {' '.join(self._uses)}"] if self._uses else []
        if isinstance(gains, Mapping):
            for names, pair in gains.items():
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    raise ArgumentError(f"gains of {names!r} are {pair!r}, but must be (kp, kd)")
                self._head.append(f"gain {names} {_word(pair[0], 'kp')} {_word(pair[1], 'kd')}")
        else:
            self._head += ["gains " + (gains if isinstance(gains, str) else " ".join(_word(g, "a gain") for g in gains))]
        self._head += [f"floor {_word(floor, 'floor')}"]
        self._actions = actions
        self._head += [f"actions {actions}"] if actions != "targets" else []
        self._memories: list[str] = []
        self._mirror = mirror
        self._when: Function | None = None
        self._read(self._header() + self._empty())  # says what is wrong

    # ---- what it has ------------------------------------------------------------------------------------------------------

    def _add(self, kind: str, words: str = "", name: str | None = None, mirror: How | None = None) -> Callable[[Function], Function]:
        def keep(function: Function) -> Function:
            own = str(name or getattr(function, "__name__", ""))
            if not re.fullmatch(r"[A-Za-z_][\w-]{0,39}", own, re.ASCII):
                raise ArgumentError(f"{own!r} is not a name of a term: letters, digits, _ and -, not a digit first, at most 40; give `name=`")
            if any(term.kind == kind and term.name == own for term in self.terms):
                raise ArgumentError(f"there is a term {own!r} of the kind {kind} already")
            doc = (getattr(function, "__doc__", "") or "").strip().splitlines()
            self.terms.append(Term(kind, own, function, doc[0].replace("#", "number") if doc else "", words, mirror=mirror))
            return function

        return keep

    def reward(self, weight: Number, name: str | None = None) -> Callable[[Function], Function]:
        """A term of the reward: one number per robot, times its weight and the length of a control step. A weight is a number of the task's own,
        "reward-NAME" with "-" for "_", which --set number.reward-NAME=.. and stages change; one that is called as a setting ("reward-torque") has the value of
        that, where it is set. Or a word, "setting.KEY" or "number.NAME"."""
        want_call(weight, "reward(weight)")
        _word(weight, "a weight")

        def keep(function: Function) -> Function:
            added = self._add("reward", "", name)(function)
            term = self.terms.pop()
            self.terms.append(replace(term, words=self._weight(term.name, weight)))
            return added

        return keep

    def _weight(self, term: str, weight: Number) -> str:
        """The word of a weight, a number of its own if it is one. ArgumentError: there is a number of this name already."""
        if isinstance(weight, str):
            return weight
        own = f"reward-{term.replace('_', '-')}"
        self.number(own, weight)
        return f"number.{own}"

    def metric(self, function: Function, name: str | None = None) -> Function:
        """What is measured, one number per robot, and does not count in the reward: training logs it by name, `myriapod.score` and goals take its mean."""
        return self._add("metric", "", name)(function)

    def termination(self, weight: Number) -> None:
        """The weight of the term `termination`, which is 1 where an episode ends by failing; as `reward` takes it."""
        _word(weight, "a weight")
        self._head.append(f"reward termination {self._weight('termination', weight)}")

    def end(self, function: Function, name: str | None = None) -> Function:
        """Where it is true the episode ends by failing."""
        return self._add("end", "", name)(function)

    def truncate(self, function: Function, name: str | None = None) -> Function:
        """Where it is true the episode ends without failing."""
        return self._add("truncate", "", name)(function)

    def memory(self, rows: int = 1, name: str | None = None) -> Callable[[Function], Function]:
        """What the function gives is kept: from the next control step on it is `s.memory.NAME`, 0 where an episode begins."""
        want_call(rows, "memory(rows)")
        rows = whole(rows, "rows", 1, lib.MYR_TASK_MEMORY_ROWS)

        def keep(function: Function) -> Function:
            added = self._add("memory", "", name)(function)
            self._memories.append(f"memory {self.terms[-1].name} {rows}")
            return added

        return keep

    def observe(self, input: str | None = None, *, name: str | None = None, scale: Number | None = None, noise: Number | None = None,
                history: int = 1, group: str = "actor", mirror: How | None = None) -> Any:
        """A part of the observation, in the order in which they are added: factor times (what it gives + noise of +- so much).

        `task.observe("base_down", noise=0.05)` is an input as it is, `@task.observe(noise=0.05)` what a function gives. history: so many control
        steps are seen, the oldest first and the present last; where an episode begins all are the present. group: "actor", or "critic" of what a
        critic alone observes (`LaneTask.observe_critic`, rsl_rl's group "critic"). mirror: how it looks in a mirror, of a task that has one; of many inputs
        it is known (`myriapod.programs.mirror`)."""
        want_call(input, "observe()")
        if group not in ("actor", "critic"):
            raise ArgumentError(f"a group of observations is 'actor' or 'critic', not {group!r}")
        words = (f"scale {_word(scale, 'scale')} " if scale is not None else "") + (f"noise {_word(noise, 'noise')} " if noise is not None else "")
        words += f"history {whole(history, 'history', 1, lib.MYR_TASK_HISTORY)}" if history != 1 else ""
        kind = "critic" if group == "critic" else "observe"
        if input is None:
            return self._add(kind, words.strip(), name, mirror)
        part: str = input

        def same(s: State) -> Any:
            return s[part]

        same.__doc__ = INPUTS.get(part, f"the input {part}")
        self._add(kind, words.strip(), name or re.sub(r"[^\w-]", "_", part))(same)
        self.terms[-1] = replace(self.terms[-1], input=part, mirror=mirror)
        return None

    def start(self, function: Function, name: str | None = None) -> Function:
        """Where an episode begins: a dict of `base_position`, `base_turn`, `base_velocity`, `actuator_position`, q, v, memories ("memory.NAME") and
        parameters by their field's name. The robot stands at home, at rest."""
        return self._add("start", "", name)(function)

    def act(self, function: Function, name: str | None = None) -> Function:
        """What an action does, where it takes effect: targets (n, nu) [rad, m], or a dict of "target", "control" (as the robot's file has it),
        "torque", "wrench", and memories ("memory.NAME"). `s.action` has the rows of the task's `actions`."""
        if not isinstance(self._actions, int):
            raise ArgumentError(f"{self.name}: say how many numbers an action has, as TermTask(.., actions=12), for the term `act` to turn them into targets")
        return self._add("act", "", name)(function)

    def step(self, function: Function, name: str | None = None) -> Function:
        """What happens before each step of dt: a dict as that of `act`, a `wrench` say, or memories of what is between control steps."""
        return self._add("step", "", name)(function)

    def commands(self, rows: int, every: Number = 0.0, name: str | None = None) -> Callable[[Function], Function]:
        """What is commanded, (n, rows): drawn where an episode begins, and every so many seconds; 0: once. It is `s.command`. Or a dict of "command" and
        memories ("memory.NAME"), which last."""
        want_call(rows, "commands(rows)")
        rows = whole(rows, "rows", 1, lib.MYR_TASK_MEMORY_ROWS)

        def keep(function: Function) -> Function:
            if self.command:
                raise ArgumentError("there is a command already")
            added = self._add("command", "", name)(function)
            self.command, self._every = rows, every
            return added

        return keep

    def steer(self, function: Function, name: str | None = None) -> Function:
        """What is commanded from the next control step on, of what was, (n, rows) of `commands`: behind the reward of each control step. Of a heading that is
        commanded the yaw rate, say. Where a command is drawn anew, that takes its place."""
        if not self.command:
            raise ArgumentError(f"{self.name}: there is no command to steer: @task.commands(rows) first")
        if any(term.kind == "steer" for term in self.terms):
            raise ArgumentError(f"{self.name}: there is a term that steers already")
        return self._add("steer", "", name)(function)

    def mirror_when(self, function: Function) -> Function:
        """Where it is true, one truth per robot, the policy sees the robot's mirror image, and acts in it: what an actor observes and `s.action` in the term
        `act` are mirrored. Of a gait with a clock, while the second foot swings: left and right are one problem then. Commands, rewards and a critic's own
        observation stay."""
        if self._mirror is None:
            raise ArgumentError(f"{self.name}: say how an action is mirrored, TermTask(.., mirror=\"actuators\") say")
        if not isinstance(self._actions, int):
            raise ArgumentError(f"{self.name}: actions are mirrored where the term `act` reads them: TermTask(.., actions=12) and @task.act")
        self._when = function
        return function

    @property
    def mirrored_while(self) -> str:
        """The name of what `mirror_when` was given, "": nothing."""
        return getattr(self._when, "__name__", "") if self._when else ""

    @property
    def has_mirror(self) -> bool:
        """Does it say how it looks in a mirror?"""
        return self._mirror is not None

    def mirror(self, model: Any = None, settings: Settings | None = None) -> Mirror:
        """How the task looks in a mirror; printed, it is a line for each part and one for the action. ArgumentError: of a part it is not known, by its name; a
        joint or an actuator has no counterpart."""
        if self._mirror is None:
            raise ArgumentError(f"{self.name} has no mirror: TermTask(.., mirror=\"actuators\"), or how else its action is mirrored")
        model = robot_of(self, model, self.settings() if settings is None else settings)
        return mirror_of(model, self._mirror, self._actions if isinstance(self._actions, int) else model.nu, self.terms)

    def number(self, name: str, value: float, low: float = -float("inf"), high: float = float("inf"), doc: str = "") -> None:
        """A number of its own, `s.number.NAME`: LaneTask(task, numbers={name: value}) has another, and in a command --set number.NAME=VALUE; what is not in
        low .. high is refused. doc: what it is [unit]. One that is called as a number of the library's tasks is ("reward-torque") has the value of that
        setting, where it is set."""
        if name.replace("-", "_") in DOCS and name not in NUMBERS:
            raise ArgumentError(f"{name!r} is a setting: read it as s.setting.{name.replace('-', '_')}, or call the number otherwise")
        if name in self.numbers:
            raise ArgumentError(f"there is a number {name!r} already" + (", of the weight of this name: a weight of your own number is 'number.NAME'" if name.startswith("reward-") else ""))
        if not low <= value <= high:
            raise ArgumentError(f"the number {name!r} is {value!r}, but must lie in {low!r} .. {high!r}")
        ranged = doc or low > -float("inf") or high < float("inf")
        self._head.append(f"number {name} {_word(float(value), 'a number')}" + (f" {float(low)!r} {float(high)!r} {doc.replace('#', 'number')}".rstrip() if ranged else ""))
        self.numbers[name] = float(value)

    def stage(self, samples: float, **numbers: float) -> None:
        """From so many samples of a training on, of all environments together, these numbers of its own, or settings of its episodes, are others:
        `task.stage(2e6, push_speed=0.5)`. A policy is scored in the task without its stages, but for what it acts by
        (`TaskTable.acts_by`)."""
        if isinstance(samples, bool) or not isinstance(samples, (int, float)) or not 0 <= samples < float("inf"):
            raise ArgumentError(f"a stage begins after {samples!r} samples, but must after a number of them, 0 or more")
        if not numbers:
            raise ArgumentError(f"the stage after {samples:g} samples changes nothing: stage(2e6, push_speed=0.5)")
        for name, value in numbers.items():
            if isinstance(value, str):
                raise ArgumentError(f"the number {name!r} of a stage is {value!r}, but must be a finite number")
            _word(value, f"the number {name!r} of a stage")
        self._stages.append(Stage(float(samples), {name: float(value) for name, value in numbers.items()}))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What its numbers are in the course of a training."""
        own = {name.replace("_", "-"): name for name in self.numbers}
        return merged(Stage(stage.samples, {own.get(name.replace("_", "-"), name.replace("_", "-")): value for name, value in stage.numbers.items()})
                      for stage in self._stages)

    def curriculum(self, function: Function) -> Function:
        """Called between the iterations of a training with a `myriapod.learn.curriculum.Progress`: a dict of the numbers, or settings of episodes, that are
        others from now on. `at.numbers` has what was said before. A file of the task does not have it: it is Python."""
        self.curricula = (*self.curricula, function)
        return function

    # ---- its text ---------------------------------------------------------------------------------------------------------

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of what is measured beside the reward."""
        return tuple(term.name for term in self.terms if term.kind == "metric")

    def settings(self, **keys: Any) -> Settings:
        """The settings that it asks for, and over them `keys`."""
        return Settings(**{**self._settings, **keys})

    def _header(self) -> str:
        lines = [*self._head, *self._memories]
        if self.about:
            lines.append(f"about {self.about.replace('#', 'number')}")
        if self.robot:
            lines.append(f"robot {self.robot}")
        if self.feet:
            lines.append(f"feet {','.join(self.feet)}")
        lines += [f"sensor {_json(sensor)}" for sensor in self.sensors]
        lines += [f"stage {stage.samples!r} {name} {value!r}" for stage in self.stages for name, value in stage.numbers.items()]
        for name, value in self._settings.items():
            lines.append(f"setting {name.replace('_', '-')} {Settings(**{name: value})[name] if not isinstance(value, str) else value}")
        for kind, own in (("train", self.training), ("learner", self.learner)):
            lines += [f"{kind} {name} {','.join(map(str, value)) if isinstance(value, (tuple, list)) else value}" for name, value in own.items()]
        if self.command:
            lines.append(f"command {self.command} every {_word(self._every, 'every')}" if self._every else f"command {self.command}")
        return _HEADER + "\n".join(lines) + "\n"

    def _empty(self) -> str:
        """Moments that do nothing."""
        return _EMPTY + ("moment act\ninput target\noutput target target\n" if isinstance(self._actions, int) else "")

    def _read(self, text: str) -> TaskTable:
        """The table of a text of its own, whose mistakes are then told by its terms."""
        def tell(error: Error) -> Error:
            return by_term(error, self.name, text, self.terms)

        try:
            table = TaskTable(text, self.name)
        except (FormatError, LimitError) as error:
            raise tell(error) from None
        table._tell = tell
        return table

    def record(self, model: Any = None, settings: Settings | None = None, plain: bool = False) -> dict[str, list[RecordedTerm]]:
        """All terms for a robot, as `text`: moment -> their lines. plain: without `mirror_when`. RecordingError: what a function does cannot be a program."""
        settings = self.settings() if settings is None else settings
        model = robot_of(self, model, settings)
        command = f"moment command\nconstant none {'0 ' * self.command}\noutput command none\n" if self.command else ""
        probe = self._read(self._header() + "observe nothing\n" + command + self._empty())
        own = settings.copy()
        own.update(threads=1, seed=0)
        made: dict[str, list[RecordedTerm]] = {moment: [] for moment in MOMENTS}
        out = ffi.new("myr_batch **")
        check(lib.myr_batch_create_for(model._c, 1, own._c, probe._c, out))
        batch = ffi.gc(out[0], lib.myr_batch_free)
        mirror = self.mirror(model, settings) if self._mirror is not None and not plain else None
        for term in self.terms:
            made[term.moment].append(self._record(model, batch, self._seen(self._worded(term, model), mirror), term.moment))
        self._warn_of_idle(settings, [name for recorded in made.values() for term in recorded for name in term.inputs])
        return made

    def _warn_of_idle(self, settings: Settings, inputs: list[str]) -> None:
        """Once of each setting that is asked for and that nothing reads."""
        usual, words = Settings(), "\n".join([*self._head, _word(self._every, "every"), *(term.words for term in self.terms)])
        asked = dict.fromkeys([*self._settings, *self.training, *(name for name in settings if settings[name] != usual[name])])
        drawn_anew = ["setting.command_keep"] if self.command and self._every else []
        for name, why in idle(asked, self._uses, [*inputs, *drawn_anew], words).items():
            if name not in self._idle:
                self._idle.add(name)
                warn_at_caller(f"{self.name}: the setting {name} has no effect: {why}", UserWarning)

    def _worded(self, term: Term, model: Any) -> Term:
        """An input that is observed, with the words and the unit that this task and this robot have for it."""
        kind, _, name = term.input.rpartition(".")
        own = [t.doc for t in self.terms if (t.kind, t.name) == ("memory", name) or t.kind == term.input == "command"]
        sensors = [f"what the sensor {name} reads: {s.kind} [{s.unit}]" for s in model.sensors if kind == "sensor" and s.name == name]
        return replace(term, doc=next(filter(None, [*(own if kind != "sensor" else []), *sensors]), term.doc)) if term.input else term

    def _seen(self, term: Term, mirror: Mirror | None) -> Term:
        """An observed part, or `act`, of a policy that looks into a mirror at times."""
        if mirror is None or self._when is None or term.kind not in ("observe", "act"):
            return term
        return replace(term, function=reflected(term, self._when, mirror.action if term.kind == "act" else mirror.parts[term.name]))

    def _record(self, model: Any, batch: Any, term: Term, moment: str) -> RecordedTerm:
        tape, rows = _Tape(f"{term.name}/"), ffi.new("int *")
        inputs: dict[str, int] = {}

        def rows_of(name: str) -> int:
            try:
                check(lib.myr_batch_input_rows(batch, encode(moment, "moment"), encode(str(name), "input"), rows))
            except Error as error:
                raise RecordingError(str(error).removeprefix(f"{self.name}: ")) from None
            return int(rows[0])

        try:
            given = term.function(_Writing(model, tape, inputs, rows_of))
        except ArgumentError as error:
            raise RecordingError(f"{term.kind} {term.name}: {error}{place(term.function)}") from error
        if term.kind == "act" and not isinstance(given, dict):
            given = {"target": given}
        if term.kind in ("start", "act", "step") or term.kind == "command" and isinstance(given, dict):
            if not isinstance(given, dict):
                raise RecordingError(f"{term.kind} {term.name}: it must give a dict of what is set{place(term.function)}")
            if term.kind == "command" and "command" not in given:
                raise RecordingError(f"command {term.name}: its dict has no \"command\"{place(term.function)}")
            outputs = {str(name): tape.operand(value)[0] for name, value in given.items()}
        else:
            if isinstance(given, dict) or given is None:
                raise RecordingError(f"{term.kind} {term.name}: it must give an array, not {type(given).__name__}{place(term.function)}")
            outputs = {"command" if term.kind in ("command", "steer") else term.outputs + term.name: tape.operand(given)[0]}
        return RecordedTerm(term, tuple(tape.lines[1:]), inputs, outputs)

    def text(self, model: Any = None, settings: Settings | None = None) -> str:
        """The table for a robot, as a text. model: a name, a file or a Model; None: the task's own."""
        settings = self.settings() if settings is None else settings
        model = robot_of(self, model, settings)
        made = self.record(model, settings)
        lines = []
        for term in (self._worded(term, model) for term in self.terms):
            if term.kind in ("reward", "metric", "observe", "critic"):
                words = f": {term.doc}" if term.moment == "observe" and term.doc else term.doc  # which may begin as what stands before them does
                head = f"observe {term.name} group critic" if term.kind == "critic" else f"{term.kind} {term.name}"
                lines.append(f"{head} {term.words} {words}".rstrip())
        if not made["observe"]:
            lines.append("observe nothing : the length of a step, for a task that a plan does")
        if self._mirror is not None:
            mirror = self.mirror(model, settings)
            lines += [f"mirror {name} {part.words}" for name, part in {**mirror.parts, "action": mirror.action}.items()]
        for moment, recorded in made.items():
            lines += moment_lines(moment, recorded)
        return self._header() + "\n".join(lines) + "\n"

    def table(self, model: Any = None, settings: Settings | None = None) -> TaskTable:
        """The table for a robot, as `text`."""
        return self._read(self.text(model, settings))

    def check(self, robot: Any = None, n: int = 64, steps: int = 50, seed: int = 0, size: float = 0.5, **settings: Any) -> dict[str, float]:
        """How far lanes and functions are apart, in doubles: `n` robots act at random, and each function is called, too, with the arrays that its term was
        given. Of each the largest difference over the largest number, "kind.name" -> difference; "end" is all ends together, "observe.NAME" without noise.

        size: of the actions. Commands stay, and nothing is pushed, so that what terms saw can be read behind them. What `start` and `command` give is
        compared apart from that, on fields as an episode begins and on random numbers for what they read beside them. Not compared: terms `step`, and who
        reads a memory that `act` or `step` writes. "mirror.NAME", of a task that has a mirror: how far what is observed of robots' mirror images is from the
        mirror image of what is observed of them. ArgumentError: a function gives other shapes on arrays."""
        return check_terms(self, robot, n, steps, seed, size, **settings)

    def explain(self, robot: Any = None, envs: int = 4096, **settings: Any) -> Explanation:
        """Its gains, and its terms, as a text a line each: what each reads, how many instructions it is, and what these cost by themselves [ns per robot]. What two terms have
        in common is computed once in the task, and counted twice here."""
        return explain_terms(self, robot, envs, **settings)

    def __repr__(self) -> str:
        kinds = [f"{sum(t.kind == kind for t in self.terms)} {kind}" for kind in ("reward", "metric", "observe", "critic", "end", "truncate", "memory") if any(t.kind == kind for t in self.terms)]
        return f"<TermTask {self.name}: {', '.join(kinds) or 'empty'}>"
