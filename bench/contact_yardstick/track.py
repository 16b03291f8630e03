"""What a run of a scene leaves: where bodies were, and by which impulses contacts acted. Every engine fills the same arrays; nothing here is an engine's word
about itself: velocities at contacts are of the bodies' states."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Contacts:
    """The contacts of one step. Points and normals are those that the step was computed with."""

    first: np.ndarray  #: (k,) int, body on which `impulse` acts
    second: np.ndarray  #: (k,) int, the other; -1: the ground
    point: np.ndarray  #: (k, 3) world [m]
    normal: np.ndarray  #: (k, 3) world, unit, from the second into the first
    impulse: np.ndarray  #: (k, 3) world, on the first, of the whole step [N s]
    depth: np.ndarray  #: (k,) overlap [m], negative where apart
    velocity: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  #: (k, 3) world, of the first's point less the second's after the step [m/s]


def relative_velocity(contacts: Contacts, origin: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Velocity of the first's point less the second's (k, 3). origin: (bodies, 3), where bodies were as the step began; velocity: (bodies, 6), of body
    frames' origins and angular, world axes, after the step."""

    def of(body: np.ndarray) -> np.ndarray:
        arm = contacts.point - origin[body]
        return np.where(body[:, None] < 0, 0.0, velocity[body, :3] + np.cross(velocity[body, 3:], arm))

    return of(contacts.first) - of(contacts.second)


@dataclass
class Track:
    """A run. Frame 0 is the start; frame i > 0 is the state after step `i * every`; contacts[i] are those of that last step."""

    dt: float
    every: int  #: steps from one frame to the next
    position: np.ndarray  #: (frames, bodies, 3) of body frames, world [m]
    quaternion: np.ndarray  #: (frames, bodies, 4), body -> world
    velocity: np.ndarray  #: (frames, bodies, 6) of body frames' origins and angular, world axes
    joint: np.ndarray  #: (frames, bodies, 2) position and velocity of slides and hinges; NaN for others
    contacts: list[Contacts]  #: (frames - 1,)
    ns_per_step: float = float("nan")  #: of one robot on one core; of an engine with lanes, many side by side
    ns_alone: float = float("nan")  #: of an engine with lanes: one robot by itself
    iterations: float = float("nan")  #: of the contact solver, mean of the steps, where the engine says so
    note: str = ""  #: what the engine said of itself: steps that did not converge

    @property
    def time(self) -> np.ndarray:
        return np.arange(len(self.position)) * self.dt * self.every
