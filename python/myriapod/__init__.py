"""Myriapod: thousands of robots, one per SIMD lane, all of them obeying the same hard contact law.

    robots()                              names of the robots that ship; TASKS: of the tasks that they learn
    load("my_robot.xml")                  a Model of a file, or load("menagerie:unitree_go2"); its `warnings` say what of the file has no effect
    batch = Batch("go2", 4096)            so many copies of a robot; settings are keywords: dt=0.002, threads=2, sense=("contacts",)
    batch.step(100)                       so many steps of all of them
    batch.q, batch.v                      states, (4096, nq) and (4096, nv); batch.target = x, batch.set("q", x, ids=[3]) write fields; batch.fields names them
    batch.get("impulse")                  of each contact [N s]; points and normals with sense=("contacts",)
    batch.picture("now.png", ids=[0, 1])  what it looks like
    batch.reset(mask), batch.stats()      new episodes; what steps cost, and how exact they were
    LaneTask("go2-flat", 1024)            a task to learn: actions in; observations, rewards and ends out. gymnasium.make_vec("myriapod/go2-flat-v0") is the same
    Policy.load("policy.npz")             what `python -m myriapod train go2-flat` has learnt: a function of observations

SI units, z up, quaternions (w, x, y, z); arrays (environment, component), NumPy or anything with DLPack in the processor's memory.
`python -m myriapod` has the commands (train, play, score, export, view, plan), `python -m myriapod docs` the pages that are called docs/NAME.md.
help(myriapod.Batch) tells the rest of one."""
import importlib
from typing import Any

from . import _moved, rays, rollout
from ._above import above as _upper
from ._library import (
    ArgumentError,
    ArrayTypeError,
    Error,
    FileError,
    ForkError,
    FormatError,
    IsaError,
    LimitError,
    MemoryError,
    ModelWarning,
    ReadOnlyError,
    StateError,
    UnknownAttributeError,
    UnknownKeyError,
    __version__,
    math_version,
)
from ._report import Info, Stats, quarantine_text
from ._sources import robots
from .batch import Batch
from .builder import ModelBuilder
from .contact import ContactProblem, ContactResult, solve
from .distributed.shards import shard
from .envs.lane_task import LaneTask
from .envs.locomotion import REWARD_DOCS, REWARD_TERMS, Locomotion
from .envs.tasks import TASKS, Task
from .evaluation import Evaluation, evaluate, inverse_dynamics, jacobian
from .model import Model, load
from .motor_nets import MotorNet
from .motors import Motor
from .parts import Actuator, Body, Dropped, Fluid, Frame, Geom, Joint, Loop, Pair, Row, Slot
from .plan.linearize import Linearization, linearize
from .plan.planner import Planner
from .policies.networks import Policy, TorchPolicy
from .programs.program import Program
from .programs.recorder import record
from .programs.term_task import TermTask
from .recording import Recording
from .settings import Settings
from .task_table import TaskTable
from .terrain import Patch, PatchKind, Terrain
from .trajectory import Trajectory

_moved.find_moved()


def _picture(*arguments: Any) -> Any:
    from .view.still import picture  # where it is asked for

    return picture(*arguments)


_upper.picture, _upper.learnt = _picture, TASKS

try:  # gymnasium.make_vec("myriapod/anymal-flat-v0") wants no further import
    from .envs.gym import register as _register
except ImportError:  # Gymnasium is not installed
    pass
else:
    _register()


def __getattr__(name: str) -> object:
    """Modules by their old names, which `import myriapod` alone once brought."""
    if name in _moved.MOVED:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is meant to be used, and not what importing it has left here."""
    return sorted({*__all__, *(name for name in _ROOMS if name in globals())})


#: Modules with what not everybody needs, beside those of `__all__`.
_ROOMS = ("contact", "distributed", "envs", "export", "frontends", "known", "learn", "lookups", "motors", "plan", "policies", "programs", "rotations", "sensors",
          "terms", "view")

__all__ = [
    "Actuator",
    "ArgumentError",
    "ArrayTypeError",
    "Batch",
    "Body",
    "ContactProblem",
    "ContactResult",
    "Dropped",
    "Error",
    "Evaluation",
    "FileError",
    "ForkError",
    "FormatError",
    "Fluid",
    "Frame",
    "Geom",
    "Info",
    "IsaError",
    "Joint",
    "LaneTask",
    "LimitError",
    "Linearization",
    "Locomotion",
    "Loop",
    "MemoryError",
    "Model",
    "ModelBuilder",
    "ModelWarning",
    "Motor",
    "MotorNet",
    "Pair",
    "Patch",
    "PatchKind",
    "Planner",
    "Policy",
    "Program",
    "REWARD_DOCS",
    "REWARD_TERMS",
    "ReadOnlyError",
    "Recording",
    "Row",
    "Settings",
    "Stats",
    "StateError",
    "TASKS",
    "Task",
    "TaskTable",
    "TermTask",
    "Terrain",
    "TorchPolicy",
    "Trajectory",
    "UnknownAttributeError",
    "UnknownKeyError",
    "__version__",
    "evaluate",
    "inverse_dynamics",
    "jacobian",
    "linearize",
    "load",
    "math_version",
    "quarantine_text",
    "rays",
    "record",
    "robots",
    "rollout",
    "shard",
    "solve",
]
