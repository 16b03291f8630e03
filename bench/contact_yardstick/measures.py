"""What every scene is judged by, whatever the engine: computed from the states and impulses of a Track alone."""
from __future__ import annotations

import law
import numpy as np
from track import Contacts, Track
from world import Scene


def residual(contacts: Contacts, friction: float, mass: float, dt: float) -> float:
    """The largest distance of a step's contacts from the full law [m/s]. Impulses are divided by the mass that is watched, so that a law is broken by
    velocities on every scale. What was apart as the step began may come as near as it was: gap / dt breaks no law."""
    if not len(contacts.first):
        return 0.0
    impulse, velocity = law.to_axes(contacts.impulse, contacts.normal) / mass, law.to_axes(contacts.velocity, contacts.normal)
    velocity[:, 2] += np.maximum(-contacts.depth, 0) / dt
    return float(np.max(law.full(impulse, velocity, np.full(len(impulse), friction))))


def residuals(scene: Scene, track: Track) -> np.ndarray:
    """Of the frames after scene.look [m/s]. Where things bounce an impact's velocity is not 0 and there is none: NaN."""
    if scene.restitution:
        return np.array([np.nan])
    first = int(np.searchsorted(track.time, scene.look))
    return np.array([residual(contacts, scene.friction, scene.mass, track.dt) for contacts in track.contacts[first:]])


def friction_work(track: Track) -> float:
    """Work that friction does over the run [J]: negative where it brakes. Of the last step of each frame, times the steps of a frame."""
    total = 0.0
    for contacts in track.contacts:
        along = np.sum(contacts.impulse * contacts.normal, axis=1, keepdims=True) * contacts.normal
        total += float(np.sum((contacts.impulse - along) * contacts.velocity))
    return total * track.every


def deepest(track: Track) -> float:
    """The deepest that two shapes were in each other [m], of all frames."""
    return max((float(contacts.depth.max(initial=0.0)) for contacts in track.contacts), default=0.0)


def creep(track: Track, body: int, after: float, axis: int | None = None, lost: float = 0.01) -> float:
    """Mean speed [m/s] of a body's origin from time `after` on, until the end or until it is `lost` [m] away: where it is less where it was, over the time."""
    first = int(np.searchsorted(track.time, after))
    way = track.position[first:, body] - track.position[first, body]
    far = np.linalg.norm(way, axis=1) if axis is None else np.abs(way[:, axis])
    last = int(np.argmax(far > lost)) if np.any(far > lost) else len(far) - 1
    return float(far[last]) / (track.time[first + last] - track.time[first])
