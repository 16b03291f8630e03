"""Where a training's curves go: TensorBoard's events."""
from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol


class Curves(Protocol):
    """Takes curves, point by point."""

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """One point of each curve; what is not a number is left out."""

    def close(self) -> None:
        """There are no more."""


class Events:
    """TensorBoard's events, where tensorboard is installed; torch is not needed."""

    def __init__(self, directory: Path | None) -> None:
        self._writer: Any = None
        if directory is None:
            return
        with contextlib.suppress(ImportError):
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self._writer = EventFileWriter(str(directory))

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """One point of each curve."""
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        points = [Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items() if value == value]
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=points)))

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()
