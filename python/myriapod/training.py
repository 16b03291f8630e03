"""Training with rsl_rl: the runner with a clock, a progress line, a table of the learning curve and exports. `python -m myriapod.train` is its
command line."""
from __future__ import annotations

import contextlib
import csv
import io
import json
import logging
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rsl_rl.runners import OnPolicyRunner

from .policy import Policy, TorchPolicy, origin
from .rsl_rl import TaskVecEnv

#: Columns of progress.csv. Times in s since the start of the (first) run; reward and length are means over the last 100 episodes.
COLUMNS = ("iteration", "samples", "time_s", "simulation_s", "learning_s", "reward", "length_s", "tracking_linear", "tracking_angular", "fell",
           "action_std", "learning_rate", "value_loss")


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


class Trainer:
    """One training run in a directory: progress.csv, curve.png, TensorBoard's events, model_N.pt, config.json, and at its end policy.npz,
    policy.pt (TorchScript) and policy.onnx. Files of an earlier run in the directory are gone on with when it is resumed."""

    def __init__(self, env: TaskVecEnv, directory: Path, config: dict[str, Any], *, quiet: bool = False) -> None:
        self.env, self.directory, self.config, self.quiet = env, directory, config, quiet
        directory.mkdir(parents=True, exist_ok=True)
        self.rows: list[dict[str, float]] = []
        self._minutes = float("inf")
        self._spent_s = self._learning_s = self._earlier_simulation_s = 0.0
        with contextlib.redirect_stdout(io.StringIO()):  # rsl_rl prints its models
            self.runner = OnPolicyRunner(env, config, str(directory), "cpu")
        self._their_log = self.runner.logger.log
        self.runner.logger.log = self._log
        self._record = {"env": env.cfg, "train": config, "model": env.core.model.name}
        (directory / "config.json").write_text(json.dumps(self._record, indent=1, default=str) + "\n")

    # ---- resuming -----------------------------------------------------------------------------------------------

    def resume(self) -> int:
        """Go on from the newest checkpoint of the directory; the number of iterations it has behind it. FileNotFoundError: there is none."""
        found = sorted(self.directory.glob("model_*.pt"), key=lambda p: int(p.stem.split("_")[1]))
        if not found:
            raise FileNotFoundError(f"{self.directory} has no checkpoint model_N.pt to resume from")
        self.runner.load(str(found[-1]))
        done = self.runner.current_learning_iteration + 1
        self.runner.current_learning_iteration = done
        table = self.directory / "progress.csv"
        if table.exists():
            with table.open(newline="") as file:
                rows = [{k: int(v) if k in ("iteration", "samples") else float(v) for k, v in row.items()} for row in csv.DictReader(file)]
            self.rows = [row for row in rows if row["iteration"] < done]
        if self.rows:
            self._spent_s, self._learning_s, self._earlier_simulation_s = (self.rows[-1][k] for k in ("time_s", "learning_s", "simulation_s"))
        return done

    # ---- learning -----------------------------------------------------------------------------------------------

    def learn(self, iterations: int, minutes: float = float("inf")) -> None:
        """Up to so many iterations more, or until the wall clock of this call is used up; then checkpoint, curve and policy are written, after
        Ctrl-C too."""
        self._minutes, self._iterations = minutes, iterations
        self._start = time.monotonic()
        self._first = self.runner.current_learning_iteration
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # rsl_rl's own words; ours go to stderr
                self.runner.learn(iterations, init_at_random_ep_len=self._first == 0)
        except (TimeIsUp, KeyboardInterrupt) as reason:
            self.runner.save(str(self.directory / f"model_{self.runner.current_learning_iteration}.pt"))
            if self.runner.logger.writer is not None:
                self.runner.logger.stop_logging_writer()
            if isinstance(reason, KeyboardInterrupt):
                self._say("\ninterrupted; what was learnt is kept")
        self._say("\n")
        self.write_table()
        self.plot()
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
            "time_s": self._spent_s + time.monotonic() - self._start,
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
        }
        self.rows.append(row)
        with contextlib.redirect_stdout(io.StringIO()):
            self._their_log(it=it, collect_time=collect_time, learn_time=learn_time, loss_dict=loss_dict, learning_rate=learning_rate, action_std=action_std, **rest)
        self._progress(row)
        if len(self.rows) % 25 == 0:
            self.write_table()
        if time.monotonic() - self._start > 60 * self._minutes:
            raise TimeIsUp

    def _progress(self, row: dict[str, float]) -> None:
        spent = time.monotonic() - self._start
        done = max((row["iteration"] + 1 - self._first) / self._iterations, spent / (60 * self._minutes))
        bar = "#" * round(20 * done) + "." * (20 - round(20 * done))
        follows = "tracking-linear" in self.env.core.reward_terms
        tracking = f"tracking {row['tracking_linear']:.2f} {row['tracking_angular']:.2f}  " if follows else ""
        line = (f"[{bar}] {row['iteration'] + 1:4.0f} it  {row['time_s']:5.0f} s  {row['samples'] / 1e6:6.1f} M samples  reward {row['reward']:6.2f}  "
                f"episode {row['length_s']:4.1f} s  {tracking}std {row['action_std']:.2f}")
        if sys.stderr.isatty():
            self._say("\r" + line)
        elif len(self.rows) % 10 == 1 or done >= 1:
            self._say(line + "\n")

    def _say(self, words: str) -> None:
        if not self.quiet:
            sys.stderr.write(words)
            sys.stderr.flush()

    # ---- what is left behind --------------------------------------------------------------------------------------

    def write_table(self) -> None:
        """progress.csv."""
        path = self.directory / "progress.csv"
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(temporary, path)

    def time_split(self) -> dict[str, float]:
        """Seconds of the run by what they went to. physics and task are the two parts of the simulation's wall clock."""
        stats = self.env.core.batch.stats()
        stages = sum(stats.stage_ns.values())
        simulation = self.rows[-1]["simulation_s"]
        task = simulation * stats.task_ns / max(stages + stats.task_ns, 1e-12)
        total = self.rows[-1]["time_s"]
        return {"physics": simulation - task, "task": task, "learning": self._learning_s, "policy and bookkeeping": total - simulation - self._learning_s,
                "total": total}

    def plot(self) -> None:
        """curve.png: reward, episode length, and tracking where the task has it, against wall-clock time."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        if not self.rows:
            return
        t = np.array([r["time_s"] for r in self.rows]) / 60
        figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.4), constrained_layout=True)
        for axis, keys, label in (
            (axes[0], ["reward"], "return of an episode"),
            (axes[1], ["length_s"], "length of an episode [s]"),
            (axes[2], ["tracking_linear", "tracking_angular"], "tracking terms [1/s]") if "tracking-linear" in self.env.core.reward_terms else
            (axes[2], ["fell"], "part of the episodes that failed"),
        ):
            for key in keys:
                axis.plot(t, [r[key] for r in self.rows], label=key.replace("_", " "))
            axis.set_xlabel("wall clock [min]")
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
        axes[2].legend()
        last = self.rows[-1]
        figure.suptitle(f"{self.env.cfg['task']}: {self.env.num_envs} environments, {last['samples'] / 1e6:.0f} M samples, {last['time_s'] / 60:.1f} min")
        figure.savefig(self.directory / "curve.png", dpi=110)
        pyplot.close(figure)

    def export(self) -> None:
        """policy.npz (layers, for `myriapod.policy` without torch), policy.pt (TorchScript), both with the robot and the settings; policy.onnx."""
        actor = self.runner.alg.get_policy()
        linear = [m for m in actor.mlp if isinstance(m, torch.nn.Linear)]
        numbers = [[p.detach().numpy() for p in parameters] for parameters in zip(*((m.weight, m.bias) for m in linear))]
        told = origin(self.env.core)
        Policy(*numbers, "elu", **told).save(self.directory / "policy.npz")
        self.runner.export_policy_to_jit(str(self.directory), "policy.pt")
        TorchPolicy.tell(self.directory / "policy.pt", told)
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of what no MLP needs
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                self.runner.export_policy_to_onnx(str(self.directory), "policy.onnx")
            except ImportError as missing:  # onnx is a choice
                self._say(f"no policy.onnx: {missing}\n")
