"""Training with rsl_rl: the runner with a clock, a progress line, a table of the learning curve and exports, as
`python -m myriapod.train --learner rsl_rl` has it."""
from __future__ import annotations

import contextlib
import io
import json
import logging
import statistics
from pathlib import Path
from typing import Any

import torch
from rsl_rl.runners import OnPolicyRunner

from ._whole import whole
from .policy import ENDED_BY, Policy, TorchPolicy, origin
from .rsl_rl import TaskVecEnv
from .training_log import TrainingLog, checkpoints

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


class TimeIsUp(Exception):
    """The wall clock that was asked for is used up."""


class Trainer(TrainingLog):
    """One training run in a directory: progress.csv, curve.png, TensorBoard's events, model_N.pt, config.json, and at its end policy.npz,
    policy.pt (TorchScript) and policy.onnx. Files of an earlier run in the directory are gone on with when it is resumed."""

    def __init__(self, env: TaskVecEnv, directory: Path, config: dict[str, Any], *, quiet: bool = False) -> None:
        super().__init__(env.core, directory, quiet=quiet)
        if env.core.num_critic_observations and config["obs_groups"]["critic"] == ["policy"]:
            config = {**config, "obs_groups": {**config["obs_groups"], "critic": ["policy", "critic"]}}
        self.env, self.config = env, config
        with contextlib.redirect_stdout(io.StringIO()):  # rsl_rl prints its models
            self.runner = OnPolicyRunner(env, config, str(directory), "cpu")
        self._their_log = self.runner.logger.log
        self.runner.logger.log = self._log
        self._record = {"env": env.cfg, "train": config, "model": env.core.model.name}
        with whole(directory / "config.json") as partial:
            partial.write_text(json.dumps(self._record, indent=1, default=str) + "\n")

    # ---- resuming -----------------------------------------------------------------------------------------------

    def resume(self) -> int:
        """Go on from the newest checkpoint of the directory; the number of iterations it has behind it. FileNotFoundError: there is none."""
        found, self.strays = checkpoints(self.directory, "pt")
        if not found:
            raise FileNotFoundError(f"{self.directory} has no checkpoint model_N.pt to resume from")
        self.runner.load(str(found[-1]))
        done = self.runner.current_learning_iteration + 1
        self.runner.current_learning_iteration = done
        self.read_table(done)
        return done

    # ---- learning -----------------------------------------------------------------------------------------------

    def learn(self, iterations: int, minutes: float = float("inf")) -> None:
        """Up to so many iterations more, or until the wall clock of this call is used up; then checkpoint, curve and policy are written, after
        Ctrl-C too."""
        self.begin(self.runner.current_learning_iteration, iterations, minutes)
        try:
            if iterations:  # 0: what the newest checkpoint holds is written
                with contextlib.redirect_stdout(io.StringIO()):  # rsl_rl's own words; ours go to stderr
                    self.runner.learn(iterations, init_at_random_ep_len=self._first == 0)
        except (TimeIsUp, KeyboardInterrupt) as reason:
            self.runner.save(str(self.directory / f"model_{self.runner.current_learning_iteration}.pt"))
            if self.runner.logger.writer is not None:
                self.runner.logger.stop_logging_writer()
            if isinstance(reason, KeyboardInterrupt):
                self.ended_by = "Ctrl-C"
                self.say("\ninterrupted; what was learnt is kept")
        self.say("\n")
        self.write_table()
        self.plot(str(self.env.cfg["task"]))
        self.export()

    def _log(self, it: int, collect_time: float, learn_time: float, loss_dict: dict[str, float], learning_rate: float, action_std: torch.Tensor, **rest: Any) -> None:
        logger = self.runner.logger
        extras = [dict(e) for e in logger.ep_extras]

        def mean(key: str) -> float:
            values = [float(e[key]) for e in extras if key in e]
            return statistics.fmean(values) if values else float("nan")

        self._learning_s += learn_time
        env = self.env
        row = {
            "iteration": it,
            "samples": (it + 1) * env.num_envs * self.config["num_steps_per_env"],
            "time_s": self.spent_s,
            "simulation_s": self._earlier_simulation_s + env.core.batch.stats().wall_s,
            "learning_s": self._learning_s,
            "reward": statistics.fmean(logger.rewbuffer) if logger.rewbuffer else float("nan"),
            "length_s": env.core.dt * statistics.fmean(logger.lenbuffer) if logger.lenbuffer else float("nan"),
            "tracking_linear": mean("Reward/tracking-linear"),
            "tracking_angular": mean("Reward/tracking-angular"),
            "fell": mean("Episode/fell"),
            "action_std": float(action_std.detach().mean()),
            "learning_rate": learning_rate,
            "value_loss": loss_dict["value"],
            **self.row_of_terms({key: mean(key) for key in self.terms if any(key in e for e in extras)}),
        }
        with contextlib.redirect_stdout(io.StringIO()):
            self._their_log(it=it, collect_time=collect_time, learn_time=learn_time, loss_dict=loss_dict, learning_rate=learning_rate, action_std=action_std, **rest)
        self.add_row(row)
        if self.is_time_up():
            raise TimeIsUp

    def export(self) -> None:
        """policy.npz (layers, for `myriapod.policy` without torch), policy.pt (TorchScript), both with the robot and the settings; policy.onnx."""
        actor = self.runner.alg.get_policy()
        linear = [m for m in actor.mlp if isinstance(m, torch.nn.Linear)]
        weights, biases = ([getattr(m, kind).detach().numpy() for m in linear] for kind in ("weight", "bias"))
        told = origin(self.env.core)
        if self.ended_by:
            told["settings"][ENDED_BY] = self.ended_by
        Policy(weights, biases, "elu", **told).save(self.directory / "policy.npz")
        self.runner.export_policy_to_jit(str(self.directory), "policy.pt")
        TorchPolicy.tell(self.directory / "policy.pt", told)
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of what no MLP needs
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                self.runner.export_policy_to_onnx(str(self.directory), "policy.onnx")
            except ImportError as missing:  # onnx is a choice
                self.say(f"no policy.onnx: {missing}\n")
