"""Live sources: a batch that a task of the library drives, or a task that a policy drives."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._library import ArgumentError
from ..batch import Batch
from ..envs.protocol import fault_text
from ..model import Model
from .frame import Frame, world_forces
from .sight import Sight

SENSE = ("bodies", "contacts")


class BatchSource:
    """A batch, stepped as its task says. It is used by one thread at a time, and closed with the source."""

    frames = None

    def __init__(self, batch: Batch, title: str | None = None) -> None:
        self._has_contacts = batch.model.n_slots > 0
        self._sight = Sight(batch.model.sensors)
        wanted = (("bodies", "body_pose"), ("contacts", "contact_point"))[: 1 + self._has_contacts]  # a robot without slots has no such field
        missing = [word for word, name in wanted if name not in batch.fields]
        if missing:
            raise ArgumentError(f"the batch was made without sense={tuple(missing)!r}; to be looked at it needs sense={SENSE!r}")
        settings = batch.settings
        self.batch, self.model, self.envs = batch, batch.model, batch.envs
        self.random = np.random.default_rng()  #: which way a push goes
        self._step = float(settings["dt"])
        self.dt = self._step * int(settings["decimation"])
        self.title = title or f"{self.model.name}, task {batch.info.task}, {self.envs} environments, step {1e3 * self._step:g} ms"

    def frame(self, ids: np.ndarray) -> Frame:
        """The present moment."""
        poses = self.batch.get("body_pose", ids, dtype=np.float64)
        time = float(self.batch.get("time", ids[:1], dtype=np.float64).reshape(-1)[0])
        at = None if self.model.terrain is None else self.batch.get("ground_at", ids, dtype=np.float64)
        world = self.batch.get("world_at", ids, dtype=np.float64) if self.model.n_world else None
        if not self._has_contacts:
            nothing = np.zeros((len(ids), 0, 3))
            return Frame(time, poses, nothing, nothing, at, world, self._sight.of(self.batch, ids, poses))
        impulse, normal = self.batch.get("impulse", ids, dtype=np.float64), self.batch.get("contact_normal", ids)
        return Frame(time, poses, self.batch.get("contact_point", ids, dtype=np.float64), world_forces(impulse, normal, self._step), at, world,
                     self._sight.of(self.batch, ids, poses))

    def advance(self, moments: int) -> None:
        """So many control steps."""
        self.batch.step(moments)

    def seek(self, moment: int) -> None:
        """New episodes for all."""
        self.batch.reset()

    def push(self, ids: np.ndarray, speed: float) -> None:
        """Add a horizontal speed [m/s] in a random direction to the free bodies of `ids`."""
        v = self.batch.get("v", ids)
        for joint in self.model.joints:
            if joint.type == "free":
                angle = self.random.uniform(0.0, 2.0 * np.pi, len(ids))
                v[:, joint.v : joint.v + 2] += speed * np.stack([np.cos(angle), np.sin(angle)], axis=-1).astype(v.dtype)
        self.batch.set("v", v, ids)

    def about(self, env: int) -> str:
        """How the environment is."""
        quarantine = int(self.batch.get("quarantined", [env]).reshape(-1)[0])
        return f"episode {int(self.batch.get('episode', [env]).reshape(-1)[0])}" + (f", **quarantined: {fault_text(quarantine)}**" if quarantine else "")

    def add_controls(self, gui: Any) -> None:
        """None of its own."""

    def close(self) -> None:
        """Free the batch."""
        self.batch.close()


class PolicySource(BatchSource):
    """A task, all of whose environments one policy drives.

    core: what `myriapod.envs.any_task.open_task` gives. policy: observations (n, n_obs) -> actions (n, nu); None: no actions, the robot stands.
    Commands, where the task has them, come from sliders, or the task draws them."""

    def __init__(self, core: Any, policy: Callable[[np.ndarray], np.ndarray] | None, name: str = "") -> None:
        super().__init__(core.batch, f"{core.task}, {f'policy {name}' if policy else 'no policy: it stands'}, {core.num_envs} environments")
        self.core, self.dt, self._policy = core, core.dt, policy
        self.command = np.array([0.5 if policy else 0.0, 0.0, 0.0])  #: forward, to the left [m/s], yaw rate [rad/s]
        self.drawn_commands = False  #: leave them to the task
        self.has_commands = hasattr(core, "command")
        self.rewards, self.terms = np.zeros(core.num_envs), np.zeros((core.num_envs, len(core.reward_terms)))
        self._largest = 1e-9
        wanted, given = (core.num_observations, core.num_actions), (getattr(policy, "n_obs", None), getattr(policy, "n_act", None))
        for what, has, needs in zip(("observations", "actions"), given, wanted):
            if has is not None and has != needs:
                raise ArgumentError(f"the policy {name} has {has} {what}, but task {core.task} has {needs}")
        self._actions(core.observe())  # refuses a policy that does not fit before anything is shown

    def _actions(self, observation: np.ndarray) -> np.ndarray:
        n, nu = self.core.num_envs, self.core.num_actions
        actions = np.zeros((n, nu), np.float32) if self._policy is None else np.asarray(self._policy(observation))
        if actions.shape != (n, nu):
            raise ArgumentError(f"the policy gives actions of shape {actions.shape}, but must give {(n, nu)}")
        return actions

    def advance(self, moments: int) -> None:
        """So many control steps."""
        for _ in range(moments):
            if self.has_commands and not self.drawn_commands:
                self.core.command = self.command.astype(np.float32)
            out = self.core.act(self._actions(self.core.observe()))
            self.rewards, self.terms = out.reward, out.terms / self.dt

    def seek(self, moment: int) -> None:
        """New episodes for all."""
        self.core.reset()

    def about(self, env: int) -> str:
        """Command and speed, where the task has commands; reward, and its terms as bars."""
        if not self.has_commands:
            return f"{super().about(env)}; reward {float(self.rewards[env]):.3f}{self.bars(env)}"
        forward, left, yaw = self.core.command[env]
        joint = self.model.joints[0]
        speed = float(np.hypot(*self.batch.get("v", [env])[0, joint.v : joint.v + 2]))
        return (f"{super().about(env)}; command {forward:+.2f}, {left:+.2f} m/s, {yaw:+.2f} rad/s; "
                f"speed {speed:.2f} m/s; reward {float(self.rewards[env]):.3f}{self.bars(env)}")

    def bars(self, env: int) -> str:
        """The reward terms of the last control step, per second, each with a bar, and metrics: Markdown. "": there are none."""
        metrics = {name for name, term in self.core.rewards.items() if term.metric}
        told = [(name, float(value)) for name, value in zip(self.core.reward_terms, self.terms[env]) if self.terms[:, self.core.reward_terms.index(name)].any() or name in metrics]
        if not told:
            return ""
        self._largest = max(0.98 * self._largest, *(abs(value) for name, value in told if name not in metrics), 1e-9)  # so that bars do not jump from look to look
        wide = max(len(name) for name, _ in told)
        lines = [f"{name:{wide}} {value:+7.3f} " + ("" if name in metrics else f"{'█' * round(12 * abs(value) / self._largest)}{'' if value >= 0 else ' -'}") for name, value in told]
        return "\n\n```\n" + "\n".join(lines) + "\n```"

    def add_controls(self, gui: Any) -> None:
        """Commands, where the task has them."""
        if not self.has_commands:
            return
        with gui.add_folder("Command"):
            drawn = gui.add_checkbox("drawn by the task", self.drawn_commands, hint="each environment its own, as in training")
            sliders = [
                gui.add_slider(label, -limit, limit, 0.05, float(value))
                for label, limit, value in zip(("forward [m/s]", "left [m/s]", "yaw rate [rad/s]"), (2.0, 1.0, 1.5), self.command)
            ]

        def take(_: Any) -> None:
            self.command, self.drawn_commands = np.array([s.value for s in sliders], dtype=float), bool(drawn.value)

        for control in (drawn, *sliders):
            control.on_update(take)


def batch_source(model: Model, envs: int, **settings: Any) -> BatchSource:
    """A batch of a model with these settings (`task`, `dt`, `seed`, ...), ready to be looked at."""
    return BatchSource(Batch(model, envs, sense=SENSE, **settings))
