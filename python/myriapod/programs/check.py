"""A task of terms, looked at: does it do what its functions do, and what does each term cost?"""
from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .._library import ArgumentError
from ..batch import Batch
from ..envs.lane_task import LaneTask
from ..envs.tasks import get_task
from ..model import Model
from ..settings import NUMBERS, Settings
from ..task_table import TaskTable, WrittenTask
from .mirror import COMMAND, Mirror
from .program import Program
from .recording import RecordedTerm, State, inputs_of, is_number, moment_lines


class Recordable(WrittenTask, Protocol):
    """What is looked at: a `TermTask`."""

    def record(self, model: Any, settings: Settings, plain: bool = False) -> dict[str, list[RecordedTerm]]: ...
    def mirror(self, model: Any, settings: Settings) -> Mirror: ...
    def _header(self) -> str: ...

    @property
    def has_mirror(self) -> bool: ...


def robot_of(task: WrittenTask, robot: Any, settings: Settings) -> Model:
    """A Model, or the one of a name or a file; None: the task's own. ArgumentError: it is for any robot."""
    return get_task(task).model(robot, str(settings["root"]))


class _Seen(State):
    """Arrays of all robots: what a term's function is given when it is called as it is written."""

    def __init__(self, model: Model, values: dict[str, np.ndarray]) -> None:
        super().__init__(model)
        self._values = values

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        return value[0, 0] if is_number(name) else value[:, 0] if value.shape[1] == 1 else value

    def draw(self, name: str, rows: int = 1) -> Any:
        return self["draw." + name]


#: Inputs that are known within a control step.
_WITHIN = ("action_before", "actuator_velocity_before", "actuator_force")


def _probe(task: Recordable, made: dict[str, list[RecordedTerm]]) -> tuple[str, dict[str, str]]:
    """The task's text in which everything that its terms read is observed, and what they observe; weights are 1. And input -> its part."""
    inputs = inputs_of(made["act"] + made["judge"] + made["observe"])
    parts = {name: f"seen.{k}" for k, name in enumerate(inputs)}
    judged = inputs_of(made["judge"])
    kept = {name: f"memory.kept{k}" for k, name in enumerate(_WITHIN) if name in judged}  # what is not observed is kept, to be seen
    if len(parts) + len(made["observe"]) > 64:
        raise ArgumentError(f"the terms of {task.name} read {len(parts)} inputs: more than `check` can look at, 64 with what is observed")
    head = task._header().splitlines()
    lines = [line for line in head if line.split()[0] not in ("floor", "uses", "command") and not line.startswith("reward ")]
    lines += ["uses vary"] if any(line.startswith("uses ") and "vary" in line.split() for line in head) else []
    lines += [f"command {task.command}"] if task.command else []
    lines += [f"{t.term.kind} {t.term.name}{' 1' if t.term.kind == 'reward' else ''}" for t in made["judge"] if t.term.kind in ("reward", "metric")]
    lines += [f"observe {part}" for part in parts.values()] + [f"observe {t.term.name}{' group critic' if t.term.kind == 'critic' else ''}" for t in made["observe"]]
    lines += [] if made["observe"] else ["observe nothing"]  # as `moment_lines` has it
    lines += [f"memory {memory.removeprefix('memory.')} {judged[name]}" for name, memory in kept.items()]
    for moment, recorded in made.items():
        lines += moment_lines(moment, recorded, {kept.get(name, name): rows for name, rows in inputs.items()} if moment == "observe" else None)
        lines += [f"output {memory} {name}" for name, memory in kept.items()] if moment == "judge" else []
    lines += [f"output {part} {kept.get(name, name)}" for name, part in parts.items()]  # `observe` is the last
    return "\n".join(lines) + "\n", parts


def _apart(ours: np.ndarray, theirs: Any, name: str) -> float:
    """Of the largest number; infinite where one alone is not a number."""
    given = np.asarray(theirs, float)
    if given.ndim and given.size == ours.size:
        given = given.reshape(ours.shape)
    try:
        given = np.broadcast_to(given, ours.shape)
    except ValueError:
        raise ArgumentError(f"{name}: on arrays it gives shape {given.shape}, but recorded {ours.shape}") from None
    largest = np.abs(given[np.isfinite(given)]).max(initial=0.0) or 1.0
    with np.errstate(invalid="ignore"):
        off = np.where((ours == given) | (np.isnan(ours) & np.isnan(given)), 0.0, np.abs(ours - given) / largest)
    return float(np.where(np.isnan(off), np.inf, off).max(initial=0.0))


def check_terms(task: Recordable, robot: str | Model | None, n: int, steps: int, seed: int, size: float, **settings: Any) -> dict[str, float]:
    """`TermTask.check`."""
    own = {"threads": 1, **settings, "precision": "f64", "seed": seed, "episode": 0.0}
    model = robot_of(task, robot, task.settings(**own))
    made = task.record(model, task.settings(**own))
    text, parts = _probe(task, made)
    between = {name for t in made["act"] + made["step"] for name in t.outputs if name.startswith("memory.")}  # what they were is not seen afterwards
    stepped = {name for t in made["step"] for name in t.outputs}
    judges = [t for t in made["judge"] if not between & set(t.inputs)]
    rng = np.random.default_rng(seed)
    worst: dict[str, float] = {}
    with LaneTask(TaskTable(text, task.name), n, robot=model, autoreset="disabled", dtype=np.float64, **own) as lanes:
        worst |= _begun(made["start"] + made["command"], task, lanes, rng)
        alive, before = np.ones(n, bool), lanes.observe()
        for _ in range(steps):
            out = lanes.act(size * rng.standard_normal((n, lanes.num_actions)))
            seen, ok = out.observation, alive & (out.fault == 0)
            values = {name: seen[ok][:, lanes.observed[part].columns] for name, part in parts.items()}
            earlier = {name: values[name] if name == "action" else before[ok][:, lanes.observed[part].columns] for name, part in parts.items()}
            with np.errstate(all="ignore"):
                for t in made["act"]:
                    given = t.term.function(_Seen(model, earlier))
                    for name, theirs in (given if isinstance(given, dict) else {"target": given}).items():
                        if name in ("target", "torque", "wrench") and name not in stepped:  # late ones read another state than that before the step
                            late = lanes.batch.get("delay")[ok].reshape(-1) > 0
                            got = lanes.batch.get(name)[ok].reshape(int(ok.sum()), -1)
                            apart = _apart(got[~late], np.broadcast_to(theirs, got.shape)[~late], name)
                            worst[f"act.{name}"] = max(worst.get(f"act.{name}", 0.0), apart)
                for t in made["observe"]:
                    name = t.term.outputs + t.term.name
                    got = (out.critic if t.term.kind == "critic" else seen)[ok][:, lanes.observed[name].columns]
                    key = f"{t.term.kind}.{t.term.name}"
                    worst[key] = max(worst.get(key, 0.0), _apart(got, t.term.function(_Seen(model, values)), t.term.name))
                for name, part in parts.items():
                    if name.startswith("memory.") or name == "command":  # it may be steered
                        values[name] = before[ok][:, lanes.observed[part].columns]
                judged, ended = _Seen(model, values), np.zeros(ok.sum(), bool)
                for t in judges:
                    name, theirs = f"{t.term.kind}.{t.term.name}", t.term.function(judged)
                    if t.term.kind in ("reward", "metric"):
                        got = out.terms[ok][:, [lanes.reward_terms.index(t.term.name)]] / lanes.dt
                    elif t.term.kind == "memory":
                        if f"memory.{t.term.name}" not in parts:
                            continue  # nothing reads it
                        got = seen[ok][:, lanes.observed[parts[f"memory.{t.term.name}"]].columns]
                    elif t.term.kind == "steer":
                        got = lanes.batch.get("command")[ok].reshape(int(ok.sum()), -1)
                    else:
                        ended |= np.broadcast_to(np.asarray(theirs, bool).reshape(-1), ended.shape)
                        continue
                    worst[name] = max(worst.get(name, 0.0), _apart(got, theirs, name))
            if len(judges) == len(made["judge"]):
                worst["end"] = max(worst.get("end", 0.0), float(((out.terminated | out.truncated)[ok] != ended).any()))
            alive &= ~(out.terminated | out.truncated)
            before = seen
            if not alive.any():
                break
    mirror = task.mirror(model, task.settings(**own)) if task.has_mirror else None
    return worst | _mirrored(task, mirror, n, rng, **own) if mirror else worst


def _mirrored(task: Recordable, mirror: Mirror, n: int, rng: np.random.Generator, **settings: Any) -> dict[str, float]:
    """How far what is observed of robots' mirror images is from the mirror image of what is observed of them, without noise. What memories are in a mirror
    is not known, and the ground has no mirror image: parts that read them are not compared."""
    worst: dict[str, float] = {}
    sides = mirror.sides
    made = task.record(sides.model, task.settings(**settings), plain=True)
    text, _ = _probe(task, made)
    known = [t.term.name for t in made["observe"] if t.term.kind == "observe" and not any(name.startswith(("memory.", "heights")) for name in t.inputs)]
    with LaneTask(TaskTable(text, task.name), 2 * n, robot=sides.model, autoreset="disabled", dtype=np.float64, **settings) as lanes:
        batch = lanes.batch
        q, v = batch.get("q"), rng.standard_normal((2 * n, sides.model.nv))
        q += 0.1 * rng.standard_normal(q.shape)
        for joint in sides.model.joints:
            if joint.type in ("free", "ball"):
                turn = slice(joint.q + joint.nq - 4, joint.q + joint.nq)
                q[:, turn] /= np.linalg.norm(q[:, turn], axis=1, keepdims=True)
        q[n:], v[n:] = sides.q(q[:n]), sides.v(v[:n])
        command = batch.get("command") if "command" in batch.fields else None
        if command is not None and command.shape[1] == 3:
            command[n:] = COMMAND(command[:n])
            batch.set("command", command)
        batch.set("q", q)
        batch.set("v", v)
        if "encoder_bias" in batch.fields:
            batch.set("encoder_bias", np.zeros_like(batch.get("encoder_bias")))
        batch.refresh()
        for name in known:
            seen = lanes.observe()[:, lanes.observed[name].columns]
            worst[f"mirror.{name}"] = _apart(seen[n:], mirror.parts[name](seen[:n]), name)
    return worst


def _begun(terms: list[RecordedTerm], task: Recordable, lanes: LaneTask, rng: np.random.Generator) -> dict[str, float]:
    """How far programs and functions are apart that run where an episode or a command begins, on numbers of their own."""
    n, worst = lanes.num_envs, {}
    known: dict[str, Any] = {"dt": lanes.settings["dt"], "control_dt": lanes.dt, "actuators": lanes.model.nu}
    known |= {f"setting.{name.replace('_', '-')}": value for name, value in lanes.settings.items()}
    known |= {f"number.{name}": lanes.settings[name] if name in NUMBERS else value for name, value in task.numbers.items()}
    values: dict[str, np.ndarray] = {}
    for name, rows in inputs_of(terms).items():
        if is_number(name):
            values[name] = np.full((n, 1), float(known[name]))
        elif name in lanes.batch.fields:
            values[name] = np.asarray(lanes.batch.get(name), float).reshape(n, rows)
        else:
            x = rng.random((n, rows)) if name.startswith("draw.") else rng.standard_normal((n, rows))
            values[name] = x / np.linalg.norm(x, axis=1, keepdims=True) if name in ("base_turn", "episode_turn") else x
    for t in terms:
        words = ["myriapod_program 1", *(f"input {name} {rows}" for name, rows in t.inputs.items()), *t.lines]
        words += [f"output {name} {register}" for name, register in t.outputs.items()]
        read: dict[str, Any] = {name: values[name] for name in t.inputs}
        got = Program("\n".join(words) + "\n", t.term.name)(precision="f64", **read)
        with np.errstate(all="ignore"):
            given = t.term.function(_Seen(lanes.model, values))
        theirs = given if isinstance(given, dict) else dict.fromkeys(t.outputs, given)
        name = f"{t.term.kind}.{t.term.name}"
        worst[name] = max(_apart(got[output], theirs[output], f"{name}, {output}") for output in t.outputs)
    return worst


@dataclass(frozen=True)
class Explained:
    """A term: what it is, reads and costs. Or the gains of the task."""

    kind: str
    name: str
    doc: str
    words: str  #: weight, or factor and noise
    inputs: tuple[str, ...]
    instructions: int
    ns: float  #: per robot, in floats, on this machine and one thread

    def __str__(self) -> str:
        cost = f"{self.instructions:4} instructions" if self.instructions else f"{'as it is':>17}"
        known = "" if self.kind == "gains" else f"{cost} {self.ns:7.1f} ns   {', '.join(self.inputs)}   "
        return f"{self.kind:9}{self.name:24}{self.words:22}{known}{self.doc}".rstrip()


class Explanation(list[Explained]):
    """The terms of a task in their order; as a text a line each."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


_GAINS = {"own": "those of the model", "quadruped": "those of the library for a quadruped", "sag": "by weight and size, as the task hold"}


def _gains(task: Recordable, model: Model, settings: Settings) -> list[Explained]:
    """With which gains the actuators begin."""
    head = [line for line in task._header().splitlines() if line.split()[0] not in ("command", "memory", "reward", "metric", "actions")]
    rule = next((line.split()[1:] for line in head if line.startswith("gains ")), ["own"])
    text = "\n".join([*head, "observe nothing", "moment judge", "output end.none 0", "moment observe", "input dt", "output nothing dt", ""])
    if not model.nu:
        return []
    with Batch(model, 1, settings, task=TaskTable(text, task.name)) as batch:
        words = [f"{name} {x.min():.4g}{f' to {x.max():.4g}' if x.max() > x.min() else ''}" for name, x in (("kp", batch.kp), ("kd", batch.kd))]
    named = any(line.startswith("gain ") for line in head)
    return [Explained("gains", "by name" if named else rule[0] if len(rule) == 1 else "given", "" if named else _GAINS.get(rule[0], ""), ", ".join(words), (), 0, 0.0)]


def explain_terms(task: Recordable, robot: str | Model | None, envs: int, **settings: Any) -> Explanation:
    """`TermTask.explain`."""
    model = robot_of(task, robot, task.settings(**settings))
    rng = np.random.default_rng(0)

    def value(word: re.Match[str]) -> str:
        """Of a weight that is a number of the task's own, as it is written."""
        return f"{task.numbers[word[0].removeprefix('number.')]:g}" if word[0].removeprefix("number.") in task.numbers else word[0]

    explained = Explanation(_gains(task, model, task.settings(**settings)))
    for recorded in task.record(model, task.settings(**settings)).values():
        for t in recorded:
            words = ["myriapod_program 1", *(f"input {name} {rows}" for name, rows in t.inputs.items()), *t.lines]
            words += [f"output {name} {register}" for name, register in t.outputs.items()]
            program = Program("\n".join(words) + "\n", t.term.name)
            given: dict[str, Any] = {name: rng.standard_normal((envs, rows)).astype(np.float32) for name, rows in t.inputs.items()}
            empty = Program("\n".join(words[:1 + len(t.inputs)]) + "\noutput x 0\n", t.term.name)  # what reading the arrays costs
            times = []
            for p in (program, empty):
                best = np.inf
                for _ in range(20):
                    start = time.perf_counter()
                    p(**given)
                    best = min(best, time.perf_counter() - start)
                times.append(best)
            explained.append(Explained(t.term.kind, t.term.name, t.term.doc, re.sub(r"\bnumber\.[\w-]+", value, t.term.words) if t.term.kind == "reward" else t.term.words, tuple(t.inputs), program.instructions,
                                       max(0.0, 1e9 * (times[0] - times[1]) / envs)))
    return explained
