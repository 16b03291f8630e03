"""Plans by sampling, in lanes (include/myriapod/plan.h): many futures of one robot, each with other actions, judged by a task's rewards.

    planner = myriapod.Planner(myriapod.plan.walk.anymal(), samples=320, sigma=0.2)
    robot = planner.robot()                       # one environment of the task: the robot itself, or what is known of it
    while True:
        planner.plan(robot)
        robot.act(planner.control()[None])
        planner.shift(1)

A cost is a reward of negative weight, so a cost is written as a task is (docs/planning.md)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _arrays
from .._handle import Handle
from .._library import ArgumentError, UnknownKeyError, check, ffi, lib
from ..batch import Batch
from ..envs.lane_task import LaneTask
from ..envs.tasks import get_task
from ..model import Model
from ..task_table import WrittenTask
from .given import GIVEN

SPLINES = {"hold": lib.MYR_SPLINE_HOLD, "linear": lib.MYR_SPLINE_LINEAR, "cubic": lib.MYR_SPLINE_CUBIC}
UPDATES = {"mppi": lib.MYR_UPDATE_MPPI, "best": lib.MYR_UPDATE_BEST, "cem": lib.MYR_UPDATE_CEM}
#: Options of `myr_plan_options`, by their names.
OWN = {name for name, _ in ffi.typeof("myr_plan_options").fields} - {"spline", "update"}
#: Names of what a planner takes beside settings.
OPTIONS = (*sorted(OWN), "samples", "sigma", "lower", "upper", "terminal", "spline", "update", "robot", "numbers", "self_collision", "sense", "profile")


@dataclass(frozen=True)
class Report:
    """Of a plan's last iteration; costs are of the samples that are not lost, nan where all are."""

    least: float
    mean: float
    deviation: float
    kept: float  #: of sample 0, the plan that the iteration began with; inf: lost
    effective: float  #: samples that count: (sum of weights)^2 over sum of squared weights
    best: int  #: the cheapest sample; -1: all are lost
    lost: int  #: whose episode ended within the horizon, or whose cost is not finite
    why: str  #: what most of the lost ones met; "": none is lost
    rollout_s: float  #: wall clock: noise, steps and costs [s]
    wall_s: float  #: of all [s]


class PlannedTask(LaneTask):
    """A task whose robots are told what to do by a plan: it need not observe anything."""

    _blind, _caller, _keywords = True, "Planner", OPTIONS


class Planner:
    """task: as `LaneTask` takes it, or the name of a cost that ships, such as "anymal-walk" (`plan/given.py` has the options that go with it); its rewards
    less their costs are what a plan is judged by. samples: environments of the planner's own batch, whole tiles of 16 (float64: 8) are the cheapest. sigma:
    standard deviation of the noise, a number, (num_actions,) or (knots, num_actions). lower, upper: bounds of actions, likewise without knots. terminal:
    factors by which terms and metrics, by their names, count once more at the horizon's end. spline: "hold", "linear", "cubic". update: "mppi", "best"
    (predictive sampling) or "cem". self_collision: whether links of the robot touch each other, as `Model` takes it; "off" is half of the time where feet
    alone touch the ground. options: those of `myr_plan_options` by their names (include/myriapod/plan.h), such as `steps=20, knots=6, iterations=2`; and
    settings of the samples, such as `dt=0.02, decimation=1, threads=1`.
    Raises: ArgumentError (an option is out of range, by its name), and what `LaneTask` does."""

    def __init__(self, task: str | WrittenTask, samples: int = 512, *, sigma: Any = 0.3, lower: Any = None, upper: Any = None, terminal: Mapping[str, float] | None = None,
                 spline: str = "linear", update: str = "mppi", robot: str | Model | None = None, numbers: Mapping[str, Any] | None = None,
                 self_collision: str | None = None, **options: Any) -> None:
        if isinstance(task, str) and task in GIVEN:
            task = GIVEN[task].task()
        if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 1:
            raise ArgumentError(f"samples is {samples!r}, but must be a whole number from 1 on")
        o = ffi.new("myr_plan_options *")
        lib.myr_plan_options_default(o)
        for name, words, field in ((spline, SPLINES, "spline"), (update, UPDATES, "update")):
            if name not in words:
                raise ArgumentError(f"{field} is {name!r}, but must be one of {', '.join(words)}")
            setattr(o, field, words[name])
        settings = {name: value for name, value in options.items() if name not in OWN}
        _called(settings)
        if self_collision is not None:
            robot = _alone(get_task(task), robot, self_collision, str(settings.get("root", "auto")))
        for name in OWN & set(options):
            try:
                setattr(o, name, options[name])
            except (TypeError, OverflowError):
                whole = dict(ffi.typeof("myr_plan_options").fields)[name].type.cname != "double"
                raise ArgumentError(f"{name} must be a {'whole ' if whole else ''}number, got {options[name]!r}") from None
        self._asked, self._settings = (task, robot, numbers), settings
        #: Names of the only shapes that touch; (): all do.
        self.feet: tuple[str, ...] = get_task(task).feet
        #: The samples.
        self.task = PlannedTask(task, samples, robot=robot, autoreset="disabled", dtype=np.float64, numbers=numbers, **settings)
        self.num_samples, self.num_actions, self.num_knots, self.num_steps = self.task.num_envs, self.task.num_actions, int(o.knots), int(o.steps)
        #: Length of a control step [s].
        self.dt = self.task.dt
        shape = (self.num_knots, self.num_actions)
        noise = _spread(sigma, "sigma", shape if 0 < self.num_knots <= lib.MYR_PLAN_KNOTS else (1, self.num_actions))
        low, high = (None if bound is None else _spread(bound, name, shape[1:]) for bound, name in ((lower, "lower"), (upper, "upper")))
        #: Bounds of actions, (num_actions,); infinite: none.
        self.lower: np.ndarray = np.full(shape[1:], -np.inf) if low is None else low.copy()
        #: Likewise.
        self.upper: np.ndarray = np.full(shape[1:], np.inf) if high is None else high.copy()
        #: Factors by which terms and metrics count once more at the horizon's end.
        self.terminal: dict[str, float] = dict(terminal or {})
        out = ffi.new("myr_planner **")
        with self.task.batch._open() as batch:
            check(lib.myr_planner_create(o, batch, *(_arrays.pointer(a, "double *") for a in (noise, low, high, self._terminal(terminal))), out))
        self._handle = Handle(out[0], lib.myr_planner_destroy, "planner")
        #: All options as they are.
        self.options: dict[str, Any] = {name: getattr(o, name) for name in sorted(OWN)} | {"spline": spline, "update": update}

    def _terminal(self, terminal: Mapping[str, float] | None) -> np.ndarray | None:
        if not terminal:
            return None
        factors = np.zeros(len(self.task.reward_terms))
        for name, factor in terminal.items():
            if name not in self.task.reward_terms:
                raise ArgumentError(f"terminal has {name!r}, but the task's terms and metrics are {', '.join(self.task.reward_terms)}")
            factors[self.task.reward_terms.index(name)] = factor
        return factors

    def robot(self, num_envs: int = 1, *, numbers: Mapping[str, float] | None = None, **settings: Any) -> LaneTask:
        """Environments of the same task that a plan can begin with: the robot, where it is a simulated one, else what is known of it. They have the
        planner's numbers and settings, and over them `numbers` and `settings`, such as `dt=0.002, decimation=10, precision="f64"`; their time is not up
        unless `episode` says so. ArgumentError: control steps of another length."""
        task, robot, own = self._asked
        made = PlannedTask(task, num_envs, robot=robot, autoreset="disabled", dtype=np.float64, numbers={**(own or {}), **(numbers or {})}, **{**self._settings, "episode": 0.0, **settings})
        if abs(made.dt - self.dt) > 1e-9:
            made.close()
            raise ArgumentError(f"a control step of the robot takes {made.dt:g} s, one of the plan {self.dt:g} s: choose dt and decimation so that they are the same")
        return made

    # ---- a plan --------------------------------------------------------------------------------------------------------

    def start(self, robot: LaneTask | Batch, env: int = 0) -> None:
        """Samples begin where this environment is: state, parameters, and what its task remembers. ArgumentError: it is of another robot or task;
        StateError: it is quarantined, or its episode is over and it does not move until it is reset."""
        if not isinstance(robot, (LaneTask, Batch)):
            raise ArgumentError(f"a plan begins with a robot, as `planner.robot()` makes it, or a batch of one, not with {type(robot).__name__}: set its q and v")
        batch = robot.batch if isinstance(robot, LaneTask) else robot
        with self._handle as c, self.task.batch._open(), batch._open() as b:
            check(lib.myr_planner_start(c, b, _arrays.whole(env, "env", -(2**63))))

    def plan(self, robot: LaneTask | Batch | None = None, env: int = 0) -> Report:
        """Draw, roll out, judge and take the mean, `iterations` times. robot: `start` there first."""
        if robot is not None:
            self.start(robot, env)
        r = ffi.new("myr_plan_report *")
        with self._handle as c, self.task.batch._open():
            check(lib.myr_planner_plan(c, r))
        return Report(**{name: getattr(r, name) for name, _ in ffi.typeof("myr_plan_report").fields}, why=self._why(r.lost))

    def _why(self, lost: int) -> str:
        """What most lost samples met: a fault, such as an output of the task that is not a number, or none."""
        if not lost:
            return ""
        faults = np.bincount(np.asarray(self.task.batch.get("quarantined"), np.int64)[~np.isfinite(self.costs)], minlength=1)
        most = int(faults.argmax())
        return f"{faults[most]} of {lost}: " + (self.task.fault_text(most) if most else "an end of the task, or a cost that is not finite")

    def control(self, control_step: Any = 0.0) -> np.ndarray:
        """Action (num_actions,) of the plan at a control step from now, or (n, num_actions) at n of them, real numbers."""
        places = np.asarray(control_step, np.float64)
        out = np.empty((places.size, self.num_actions))
        with self._handle as c:
            for at, row in zip(places.reshape(-1), out):
                check(lib.myr_planner_control(c, float(at), _arrays.pointer(row, "double *")))
        return out.reshape(*places.shape, self.num_actions)

    def shift(self, control_steps: float = 1.0) -> None:
        """The plan from so many control steps on; past its end its last action goes on."""
        with self._handle as c:
            check(lib.myr_planner_shift(c, float(control_steps)))

    # ---- what it has ---------------------------------------------------------------------------------------------------

    @property
    def knots(self) -> np.ndarray:
        """The plan, (num_knots, num_actions): the planner's memory, to be read and written until it is closed."""
        return self._view(lib.myr_planner_knots, (self.num_knots, self.num_actions))

    @knots.setter
    def knots(self, value: Any) -> None:
        self.knots[...] = value

    @property
    def sigma(self) -> np.ndarray:
        """The noise that the next plan begins with, (num_knots, num_actions), likewise."""
        return self._view(lib.myr_planner_sigma, (self.num_knots, self.num_actions))

    @sigma.setter
    def sigma(self, value: Any) -> None:
        self.sigma[...] = value

    @property
    def costs(self) -> np.ndarray:
        """(num_samples,) of the last iteration; inf: lost. A copy."""
        return np.array(self._view(lib.myr_planner_costs, (self.num_samples,)))

    def _view(self, call: Any, shape: tuple[int, ...]) -> np.ndarray:
        with self._handle as c:
            count = int(np.prod(shape))
            return _Held(np.frombuffer(ffi.buffer(call(c), count * 8), np.float64).reshape(shape), self._handle.memory)

    def sample(self, sample: int) -> np.ndarray:
        """Knots (num_knots, num_actions) of a sample of the last iteration."""
        out = np.empty((self.num_knots, self.num_actions))
        with self._handle as c, self.task.batch._open():
            check(lib.myr_planner_sample(c, _arrays.whole(sample, "sample", -(2**63)), _arrays.pointer(out, "double *")))
        return out

    def replay(self, samples: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States (n, steps, nq + nv) that these samples of the last iteration went through, and what they cost (n,)."""
        ids = _arrays.numbers(samples, "samples")
        n = 0 if ids is None else len(ids)
        states, costs = np.empty((n, self.num_steps, self.task.model.nq + self.task.model.nv)), np.empty(n)
        with self._handle as c, self.task.batch._open():
            check(lib.myr_planner_replay(c, _arrays.pointer(ids, "int64_t *"), n, _arrays.pointer(states, "double *"), _arrays.pointer(costs, "double *")))
        return states, costs

    def terms(self, samples: Sequence[int] | np.ndarray) -> np.ndarray:
        """Terms (n, steps, n_terms) of these samples, in the order of `task.reward_terms` and as `LaneTask.act` gives them: weighted, times the
        length of a control step. `myriapod.plan.shown.cost_terms` makes costs of them."""
        ids = _arrays.numbers(samples, "samples")
        n = 0 if ids is None else len(ids)
        terms = np.empty((n, self.num_steps, len(self.task.reward_terms)))
        with self._handle as c, self.task.batch._open():
            check(lib.myr_planner_terms(c, _arrays.pointer(ids, "int64_t *"), n, _arrays.pointer(terms, "double *")))
        return terms

    def close(self) -> None:
        """Give the memory back; further calls raise StateError."""
        self._handle.close()
        self.task.close()

    def __enter__(self) -> Planner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Held(np.ndarray):
    """A view of the planner's memory, which lives as long as the view does."""

    def __new__(cls, array: np.ndarray, memory: Any) -> _Held:
        made = array.view(cls)
        made._memory = memory
        return made

    def __array_finalize__(self, other: Any) -> None:
        self._memory = getattr(other, "_memory", None)


#: What others call an option.
_CALLED = {"horizon": "steps", "num_samples": "samples", "num_rollouts": "samples", "num_envs": "samples", "lambda": "temperature", "lambda_": "temperature",
           "noise": "sigma", "std": "sigma", "num_knots": "knots", "order": "spline"}


def _called(settings: Mapping[str, Any]) -> None:
    """UnknownKeyError: an option by a name that it has elsewhere, or one that a planner decides. Others are judged with the settings."""
    for key in settings:
        if key in _CALLED:
            raise UnknownKeyError(f"Planner takes no {key!r}; did you mean {_CALLED[key]!r}?")
        if key in ("dtype", "autoreset"):
            raise UnknownKeyError(f"Planner takes no {key!r}: its robots are float64's, and not reset")


def _alone(task: Any, robot: str | Model | None, self_collision: str, root: str) -> Model:
    """The task's robot, whose links touch each other or not."""
    if isinstance(robot, Model):
        raise ArgumentError("self_collision is given, and a robot that has been loaded: load it with that self_collision")
    return Model(task.robot_or(robot), root, feet=task.feet or None, self_collision=self_collision)


def _spread(value: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    array = _arrays.take(value, name, np.dtype(np.float64))
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    except ValueError:
        raise ArgumentError(f"{name} has shape {np.shape(array)}, but must be one number, or be of the shape {shape} or its last dimensions") from None
