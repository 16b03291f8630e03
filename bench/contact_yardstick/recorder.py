"""Fills a Track step by step, the same for every engine: which steps are recorded, in which order the two of a pair come, how long a step takes."""
from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from track import Contacts, Track, relative_velocity
from world import Scene

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  #: position, quaternion, velocity, joint as a Track has them of one frame


class Pairs:
    """Which bodies may touch. The first and the second of a pair are the scene's; the ground is always the second."""

    def __init__(self, scene: Scene):
        pairs = [(scene.index(a), scene.index(b)) for a, b in scene.touch]
        self.ordered = [(b, a) if a < 0 else (a, b) for a, b in pairs]
        self._known = set(self.ordered)

    def __iter__(self):
        return iter(self.ordered)

    def ground(self) -> bool:
        return any(b < 0 for _, b in self.ordered)

    def swapped(self, a: int, b: int) -> bool:
        """Whether the scene names this pair as (b, a)."""
        return (a, b) not in self._known and (b, a) in self._known

    def touch(self, a: int, b: int) -> bool:
        return (a, b) in self._known or (b, a) in self._known


class ContactList:
    """The contacts of a step as an engine names them, one by one."""

    def __init__(self, pairs: Pairs):
        self.pairs, self.rows = pairs, []

    def add(self, a: int, b: int, point, normal, impulse, depth: float) -> None:
        """normal from b into a, impulse on a. What is apart and carries nothing is not a contact."""
        impulse = np.asarray(impulse, float)
        if depth < 0 and not impulse.any():
            return
        sign = 1.0
        if self.pairs.swapped(a, b):
            a, b, sign = b, a, -1.0
        self.rows.append((a, b, point, sign * np.asarray(normal, float), sign * impulse, depth))

    def arrays(self) -> Contacts:
        column = [np.array([row[i] for row in self.rows], dtype=int if i < 2 else float) for i in range(6)]
        return Contacts(column[0], column[1], *(c.reshape(-1, 3) for c in column[2:5]), column[5])


class Stopped(Exception):
    """An engine gave a step up; the message says why."""


def record(scene: Scene, dt: float, frames: int, step: Callable[[], object], state: Callable[[], State], *,
           after: Callable[[ContactList], None] | None = None, ahead: Callable[[ContactList], None] | None = None) -> Track:
    """Steps a scene and keeps its frames. after: adds the contacts of the step that was taken; ahead: those of the step that comes next.

    After an engine has stopped, the frames that are left are NaN, and the note says when and why."""
    steps = round(scene.seconds / dt)
    every = max(1, steps // frames)
    kept, touching, pairs, note = [state()], [], Pairs(scene), ""
    for frame in range(steps // every):
        try:
            for _ in range(every - 1):
                step()
            before = state()[0] if every > 1 else kept[-1][0]
            found = ContactList(pairs)
            if ahead:
                ahead(found)
            step()
            if after:
                after(found)
        except Stopped as stopped:
            left = steps // every - frame
            note = f"stopped after {frame * every * dt:g} s: {stopped}"
            kept += [tuple(np.full_like(part, np.nan) for part in kept[0])] * left
            touching += [ContactList(pairs).arrays()] * left
            break
        kept.append(state())
        listed = found.arrays()
        listed.velocity = relative_velocity(listed, before, kept[-1][2])
        touching.append(listed)
    return Track(dt, every, *(np.array([frame[i] for frame in kept]) for i in range(4)), touching, note=note)


def timed(steps: int, step: Callable[[], object], seconds: float = 1.0) -> float:
    """Nanoseconds per step of at most that many steps and about that long."""
    done, begun = 0, time.perf_counter()
    while done < steps and time.perf_counter() - begun < seconds:
        count = min(16, steps - done)
        try:
            for _ in range(count):
                step()
        except Stopped:
            return float("nan")
        done += count
    return (time.perf_counter() - begun) / max(1, done) * 1e9
