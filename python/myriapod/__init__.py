"""Myriapod: thousands of robots, one per SIMD lane, all of them obeying the same hard contact law.

    import myriapod
    with myriapod.Batch("anymal", 1024) as batch:
        batch.step(1000)
        print(batch.q[0, 2], batch.stats().residual_max)

SI units, z up, quaternions (w, x, y, z); arrays (environment, component), NumPy or anything with DLPack in the processor's memory.
`python -m myriapod` has the commands, `python -m myriapod docs` the pages that are called docs/NAME.md."""
import importlib

from . import _moved, rays, rollout
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
