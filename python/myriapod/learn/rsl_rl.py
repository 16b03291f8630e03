"""rsl_rl's PPO as the trainer has it (`python -m myriapod.train --learner rsl_rl`). Its runner makes, saves and loads the networks; the iterations are
the trainer's."""
from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rsl_rl.runners import OnPolicyRunner

from .._library import ArgumentError, FormatError
from .._names import warn_at_caller
from .._whole import whole
from ..envs.rsl_rl import TaskVecEnv
from ..policies.networks import Policy
from .backend import Iteration
from .loop import Trainer
from .together import Together


def ppo_config(seed: int, **changes: Any) -> dict[str, Any]:
    """The configuration rsl_rl is given: legged_gym's for anymal_c_flat, in rsl_rl's present words. `changes` name its single numbers."""
    hidden = [128, 64, 32]
    algorithm = {
        "class_name": "PPO",
        "num_learning_epochs": 5,
        "num_mini_batches": 4,
        "clip_param": 0.2,
        "gamma": 0.99,
        "lam": 0.95,
        "value_loss_coef": 1.0,
        "entropy_coef": 0.01,
        "learning_rate": 1e-3,
        "max_grad_norm": 1.0,
        "schedule": "adaptive",
        "desired_kl": 0.01,
    }
    algorithm.update(changes)
    return {
        "seed": seed,
        "num_steps_per_env": 24,
        "save_interval": 50,
        "check_for_nan": True,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {
            "class_name": "MLPModel",
            "hidden_dims": hidden,
            "activation": "elu",
            "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0},
        },
        "critic": {"class_name": "MLPModel", "hidden_dims": hidden, "activation": "elu"},
        "algorithm": algorithm,
    }


class _Runner(OnPolicyRunner):
    """rsl_rl's own, which in several processes wants a GPU for each. Its gradients are summed by torch's process group."""

    def __init__(self, env: TaskVecEnv, config: dict[str, Any], together: Together) -> None:
        self._together = together
        super().__init__(env, config, None, "cpu")  # None: curves are the trainer's

    def _configure_multi_gpu(self) -> None:
        job = self._together.job
        self.is_distributed, self.gpu_world_size = job is not None, self._together.ranks
        self.gpu_global_rank, self.gpu_local_rank = self._together.rank, job.local_rank if job else 0
        self.cfg["multi_gpu"] = {"global_rank": self.gpu_global_rank, "local_rank": self.gpu_local_rank, "world_size": self.gpu_world_size} if job else None


class RslRl:
    """env: the task. config: what rsl_rl's runner takes, such as `ppo_config`. together: processes of torchrun that learn together; the task has this one's
    robots. Gradients are then torch's sums: all processes have the same weights, which are not those of one process."""

    name, ending = "rsl_rl", "pt"

    def __init__(self, env: TaskVecEnv, config: dict[str, Any], together: Together | None = None) -> None:
        if env.core.num_critic_observations and config["obs_groups"]["critic"] == ["policy"]:
            config = {**config, "obs_groups": {**config["obs_groups"], "critic": ["policy", "critic"]}}
        self.env, self.core, self.options = env, env.core, config
        self.together = Together(None, env.core.num_envs) if together is None else together
        if self.together.job and self.together.job.launcher != "gloo":
            raise ArgumentError(f"rsl_rl learns in several processes that torchrun starts, and these are started by {self.together.job.launcher}")
        self.steps, self.seed, self.done = int(config["num_steps_per_env"]), int(config["seed"]), 0
        with contextlib.redirect_stdout(io.StringIO()):  # it prints its models
            self.runner = _Runner(env, dict(config), self.together)

    def set_option(self, name: str, value: float) -> None:
        """A number of the algorithm (`entropy_coef`, `desired_kl`, ..)."""
        if not isinstance(getattr(self.runner.alg, name, None), (int, float)):
            raise ArgumentError(f"rsl_rl's PPO has no number {name!r}")
        setattr(self.runner.alg, name, value)

    def begin(self) -> None:
        """The networks learn: layers that act otherwise then are told."""
        self.runner.alg.train_mode()
        if self.together.job:
            self.runner.alg.broadcast_parameters()

    def iterate(self) -> Iteration:
        """As the runner's `learn` has it."""
        alg, core = self.runner.alg, self.core
        episodes = failed = 0
        returns = control_steps = 0.0
        terms = dict.fromkeys(core.term_columns, 0.0)
        with torch.inference_mode():
            seen = self.env.get_observations()
            for _ in range(self.steps):
                seen, rewards, dones, extras = self.env.step(alg.act(seen))
                alg.process_env_step(seen, rewards, dones, extras)
                final = core.final()
                if not len(final.ids):
                    continue
                episodes += len(final.ids)
                failed += int((~extras["time_outs"][final.ids]).sum())
                returns += float(final.episode_return.sum(dtype="float64"))
                control_steps += float(final.episode_length.sum())
                for k, column in enumerate(core.term_columns):
                    terms[column] += float(final.terms[:, k].sum(dtype="float64"))
            alg.compute_returns(seen)
        if self.together.job:
            episodes, failed, returns, control_steps, *sums = self.together.job.sum(np.array([episodes, failed, returns, control_steps, *terms.values()])).tolist()
            episodes, failed, terms = int(episodes), int(failed), dict(zip(terms, sums))
        start = time.monotonic()
        losses = alg.update()
        self.done += 1
        self.runner.current_learning_iteration = self.done - 1
        return Iteration(
            episodes=episodes,
            failed=failed,
            returns=returns,
            control_steps=control_steps,
            terms=terms,
            learning_s=time.monotonic() - start,
            action_std=float(alg.get_policy().output_std.detach().mean()),
            learning_rate=alg.learning_rate,
            value_loss=losses["value"],
            losses={f"Loss/{name}": value for name, value in losses.items()},
        )

    def save(self, path: Path, training: Mapping[str, Any]) -> None:
        """The networks and the optimizer, by the runner. Environments begin anew when it is gone on from."""
        if not self.together.writes:
            return
        with whole(path) as partial:
            self.runner.save(str(partial), {"training": dict(training)})

    def load(self, path: Path, before: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """As `save` left it, or as rsl_rl's own runner did. FormatError: it is damaged, or of other networks."""
        try:
            infos = self.runner.load(str(path))
        except Exception as error:  # torch and pickle raise what they like
            raise FormatError(f"{path}: no checkpoint of these networks: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}") from None
        self.done = self.runner.current_learning_iteration + 1
        training = (infos or {}).get("training", {})
        training = training if isinstance(training, dict) else {}
        before(training)
        return training

    def policy(self, **origin: Any) -> Policy:
        """Its layers as they stand, with the observation's normalization where the configuration has one."""
        actor = self.runner.alg.get_policy()
        linear = [m for m in actor.mlp if isinstance(m, torch.nn.Linear)]
        weights, biases = ([getattr(m, kind).detach().numpy().copy() for m in linear] for kind in ("weight", "bias"))
        if getattr(actor, "obs_normalization", False):
            origin.update(mean=actor.obs_normalizer.mean.numpy(), std=(actor.obs_normalizer.std + actor.obs_normalizer.eps).numpy())
        return Policy(weights, biases, self.options["actor"]["activation"], **origin)


def OldTrainer(env: TaskVecEnv, directory: Path, config: dict[str, Any], *, quiet: bool = False) -> Trainer:
    """What `myriapod.learn.rsl_rl.Trainer` was: `Trainer(RslRl(env, config), directory, ..)`."""
    warn_at_caller("Trainer(env, directory, config) is Trainer(RslRl(env, config), directory) of myriapod.learn", DeprecationWarning)
    return Trainer(RslRl(env, config), directory, quiet=quiet)
