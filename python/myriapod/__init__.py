"""Myriapod: thousands of robots, one per SIMD lane, all of them obeying the same hard contact law.

    import myriapod
    with myriapod.Batch("anymal", 1024) as batch:
        batch.step(1000)
        print(batch.q[0, 2], batch.stats().residual_max)

SI units, z up, quaternions (w, x, y, z); arrays (environment, component), NumPy or anything with DLPack in the processor's memory."""
from . import rollout
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
    StateError,
    UnknownKeyError,
    __version__,
    math_version,
)
from ._report import Info, Stats
from .batch import Batch
from .contact import ContactResult, solve
from .evaluation import Evaluation, evaluate
from .model import Geom, Joint, Model, ModelBuilder
from .recording import Recording
from .settings import Settings

__all__ = [
    "ArgumentError",
    "ArrayTypeError",
    "Batch",
    "ContactResult",
    "Error",
    "Evaluation",
    "FileError",
    "ForkError",
    "FormatError",
    "Geom",
    "Info",
    "IsaError",
    "Joint",
    "LimitError",
    "MemoryError",
    "Model",
    "ModelBuilder",
    "Recording",
    "Settings",
    "Stats",
    "StateError",
    "UnknownKeyError",
    "__version__",
    "evaluate",
    "math_version",
    "rollout",
    "solve",
]
