"""What sensors see: the ends of rays and the points of scans, from what the sensors show."""
from __future__ import annotations

import numpy as np

from ..batch import Batch
from ..sensors import Look, Sensor
from . import turns


def _heading(quaternion: np.ndarray) -> np.ndarray:
    """(k, 4) turns about z to where the x axes point to, seen from above."""
    x = turns.rotate(quaternion, np.array([1.0, 0.0, 0.0]))
    half = np.arctan2(x[..., 1], x[..., 0]) / 2
    return np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], -1)


def _scanned(look: Look, at: np.ndarray, heading: np.ndarray, reading: np.ndarray) -> np.ndarray:
    flat = np.concatenate([look.rays, np.zeros((len(look.rays), 1))], 1)
    points = at[:, None] + turns.rotate(heading[:, None], flat[None])
    points[..., 2] = reading if look.value == "height" else at[:, None, 2] - reading
    return np.stack([points, points], 2)


def _met(look: Look, at: np.ndarray, quaternion: np.ndarray, reading: np.ndarray) -> np.ndarray:
    origin, along = at[:, None] + turns.rotate(quaternion[:, None], look.rays[None, :, :3]), turns.rotate(quaternion[:, None], look.rays[None, :, 3:])
    distance = reading / -look.rays[:, 5] if look.depth else reading
    with np.errstate(invalid="ignore"):
        return np.stack([origin, origin + np.where(np.isfinite(distance) & (distance >= 0), distance, np.nan)[..., None] * along], 2)


class Sight:
    """Of a model's sensors those that look; of a scan that shows its least value alone nothing is known."""

    def __init__(self, sensors: list[Sensor]) -> None:
        self._seeing = [s for s in sensors if s.look is not None and not s.look.least and (s.shown == "all" or s.history == 1)]

    def of(self, batch: Batch, ids: np.ndarray, poses: np.ndarray) -> np.ndarray | None:
        """(k, n, 2, 3) from where and where, of body poses (k, n_bodies, 7); a scan's two are one point. None: there are no such sensors.

        The newest reading is drawn from where the frame is now: what is late is seen to be late."""
        if not self._seeing:
            return None
        shown, parts = batch.get("sensors", ids, dtype=np.float64), []
        for sensor in self._seeing:
            look, reading = sensor.look, shown[:, sensor.columns].reshape(len(ids), -1, sensor.size)[:, 0]
            assert look is not None
            own = (np.array(look.position), np.array(look.quaternion))
            if look.body < 0:
                at, quaternion = (np.broadcast_to(part, (len(ids), len(part))) for part in own)
            else:
                at, quaternion = turns.compose((poses[:, look.body, :3], poses[:, look.body, 3:]), own)
            if look.rays.shape[1] == 2:
                parts.append(_scanned(look, at, _heading(quaternion), reading))
            else:
                parts.append(_met(look, at, _heading(quaternion) if look.axes == "heading" else quaternion, reading))
        return np.concatenate(parts, 1)
