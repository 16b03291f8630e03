"""What a planner had in mind, for eyes: the ways of its samples as lines, and what a sample costs, term by term.

    shown = myriapod.plan.shown.Shown(planner, "LF_FOOT", "RF_FOOT")
    planner.plan(robot)
    ids = shown.samples(12)
    lines, costs = shown.lines(ids), planner.costs[ids]        # (n, 2, steps, 3) [m], (n,)
    terms = myriapod.plan.shown.cost_terms(planner)            # of the plan: {"velocity": (steps,), ..}

`python -m myriapod.plan` draws them (docs/planning.md, A plan that is watched)."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._arrays import numbers
from .._library import ArgumentError
from .._names import nearest
from ..batch import Batch
from ..model import Model
from ..view import turns
from ..view.shapes import body_poses
from .planner import Planner

CHEAP, MIDDLE, DEAR, LOST = (20.0, 150.0, 60.0), (240.0, 175.0, 40.0), (215.0, 40.0, 35.0), (150.0, 150.0, 150.0)  #: colours, 0 to 255


def cost_terms(planner: Planner, sample: int = 0) -> dict[str, np.ndarray]:
    """What a sample of the last iteration costs, by the terms that it is made of, each (steps,): a term's weight times its value, times the length of a control step,
    less; in the last control step also what `terminal` counts. Sample 0 is the plan that the iteration began with.

    The sum of all is the sample's cost, to rounding, where the task has no floor and the sample is not lost. Metrics are there if they count in the end."""
    terms = planner.terms([sample])[0]
    told: dict[str, np.ndarray] = {}
    for k, (name, reward) in enumerate(planner.task.rewards.items()):
        if reward.metric and name not in planner.terminal:
            continue
        told[name] = np.zeros(len(terms)) if reward.metric else 0.0 - terms[:, k]
        told[name][-1] -= planner.terminal.get(name, 0.0) * terms[-1, k] / planner.dt
    return told


def colors(costs: np.ndarray) -> np.ndarray:
    """(n, 3) of costs (n,), 0 to 255: from green, the cheapest of them, over yellow to red, the dearest; grey: lost."""
    costs = np.asarray(costs, float)
    kept = np.isfinite(costs)
    if not kept.any():
        return np.tile(LOST, (len(costs), 1))
    low, high = costs[kept].min(), costs[kept].max()
    part = (np.where(kept, costs, low) - low) / max(high - low, 1e-30)
    ink = np.stack([np.interp(part, (0.0, 0.5, 1.0), channel) for channel in zip(CHEAP, MIDDLE, DEAR)], -1)
    return np.where(kept[:, None], ink, np.array(LOST))


class Shown:
    """Ways of the samples of a planner. of: names of bodies, frames or collision shapes whose places are followed; none: the first body, a robot's base.

    ArgumentError: the robot has no such part. A context manager, as it has a batch for the places of bodies."""

    def __init__(self, planner: Planner, *of: str) -> None:
        self.planner, self._batch = planner, None
        found = [place_of(planner.task.model, name) for name in of] or [(0, np.zeros(3))]
        self._bodies, self._at = np.array([body for body, _ in found]), np.array([at for _, at in found])

    _batch: Batch | None

    def samples(self, count: int) -> np.ndarray:
        """So many samples to look at, and at most those that there are: the first ones, which are drawn as all others are and cost least to replay, 0 among them;
        the last of them is the cheapest of all, if there is one."""
        ids = np.arange(min(max(int(count), 0), self.planner.num_samples))
        costs = self.planner.costs
        best = int(np.argmin(costs))
        if len(ids) > 1 and np.isfinite(costs[best]) and best not in ids:
            ids[-1] = best
        return ids

    def lines(self, samples: Sequence[int] | np.ndarray) -> np.ndarray:
        """(n, places, steps, 3) [m] where they are at the end of each control step, in the world of the robot, in these samples of the last iteration."""
        ids = numbers(samples, "samples")
        steps, nq = self.planner.num_steps, self.planner.task.model.nq
        if ids is None or len(ids) == 0:
            return np.zeros((0, len(self._bodies), steps, 3))
        n = len(ids)
        states, _ = self.planner.replay(ids)
        if self._batch is None or self._batch.envs != n * steps:
            self.close()
            self._batch = Batch(self.planner.task.model, n * steps, task="none", threads=1, precision="f64", sense=("bodies",))
        q = states[..., :nq].reshape(n * steps, nq)
        finite = np.isfinite(q).all(1)
        self._batch.set("q", np.where(finite[:, None], q, self._batch.q[:1]))
        places = np.where(finite[:, None, None], self.places(body_poses(self._batch)), np.nan)
        return places.reshape(n, steps, -1, 3).swapaxes(1, 2)

    def places(self, poses: np.ndarray) -> np.ndarray:
        """(n, places, 3) [m] where they are, of poses (n, n_bodies, 7) as the field `body_pose` has them."""
        of = poses[:, self._bodies]
        return of[..., :3] + turns.rotate(of[..., 3:], self._at)

    def close(self) -> None:
        """Free its batch."""
        if self._batch is not None:
            self._batch.close()
            self._batch = None

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def place_of(model: Model, name: str) -> tuple[int, np.ndarray]:
    """The number of the body that a part moves with, and its place in the body's frame (3,) [m]. ArgumentError: there is no such part; the nearest is named."""
    bodies, geoms = {body.name: body for body in model.bodies}, {geom.name: geom for geom in model.geoms if geom.name}
    if name in bodies:
        return bodies[name].index, np.zeros(3)
    if name not in model.frames and name not in geoms:
        names = {known.lower(): known for known in (*bodies, *model.frames, *geoms)}
        near = nearest(name, names)
        raise ArgumentError(f"the robot {model.name!r} has no body, frame or shape {name!r}" + (f"; did you mean {names[near]!r}?" if near else ""))
    part = model.frame(name) if name in model.frames else geoms[name]
    if part.body < 0:
        raise ArgumentError(f"{name!r} is fixed to the world: it goes no way")
    return part.body, np.array(part.position)
