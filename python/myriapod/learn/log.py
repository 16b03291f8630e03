"""What a training leaves behind and says meanwhile, whichever learner it has: progress.csv, curve.png, the progress line."""
from __future__ import annotations

import csv
import re
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from .._library import FormatError
from .._whole import whole
from ..envs.protocol import RunningTask
from .together import Together

#: Columns of progress.csv, before those of the reward's terms. Times in s since the start of the (first) run; reward and length are means over
#: the last 100 episodes.
COLUMNS = ("iteration", "samples", "time_s", "simulation_s", "learning_s", "reward", "length_s", "tracking_linear", "tracking_angular", "fell",
           "action_std", "learning_rate", "value_loss")

#: Of more than ten curves in one panel, whose colours come again.
LINES = ("-", "--", ":", "-.")


def checkpoints(directory: Path, ending: str) -> tuple[list[Path], list[Path]]:
    """The checkpoints model_N.ENDING of a directory by their number, and files whose names are nearly such."""
    found = {path: re.fullmatch(r"model_([0-9]{1,18})", path.stem) for path in directory.glob(f"model_*.{ending}")}
    numbers = {path: int(match[1]) for path, match in found.items() if match}
    return sorted(numbers, key=lambda path: numbers[path]), sorted(path for path, match in found.items() if not match)


class TrainingLog:
    """Rows of progress.csv, one per iteration, and what is made of them. core: the task. together: of its processes one writes."""

    def __init__(self, core: RunningTask, directory: Path, together: Together, *, quiet: bool = False) -> None:
        self.core, self.directory, self.together = core, directory, together
        self.writes, self.quiet = together.writes, quiet or not together.writes
        if self.writes:
            directory.mkdir(parents=True, exist_ok=True)
        #: Columns of the reward's terms, what each paid per second, and of metrics, their mean, in the episodes that ended in an iteration, or last ended.
        self.terms: tuple[str, ...] = core.term_columns
        #: Columns of some tasks: on a generated map the mean level of the environments.
        self.more: tuple[str, ...] = ("level",) if "patch" in core.batch.fields else ()
        self.rows: list[dict[str, float]] = []
        self.strays: list[Path] = []  #: files that `resume` passed over: they are called nearly as checkpoints are
        self.ended_by = ""  #: "clock" or "Ctrl-C" where one of these ended the training, which is elsewhere on another machine
        self._minutes = float("inf")
        self._iterations = self._first = 0
        self._start = time.monotonic()
        self._spent_s = self._learning_s = self._earlier_simulation_s = 0.0

    def begin(self, first: int, iterations: int, minutes: float) -> None:
        """The clock starts: so many iterations are behind, so many more are to come, or as the time allows."""
        if iterations:
            self.ended_by = ""
        self._first, self._iterations, self._minutes = first, iterations, minutes
        self._start = time.monotonic()

    @property
    def spent_s(self) -> float:
        """Wall clock since the beginning of the first run."""
        return self._spent_s + time.monotonic() - self._start

    def is_time_up(self) -> bool:
        """Is the wall clock that `begin` was given used up, though iterations are left? Then that is what ended the training."""
        done = self.rows[-1]["iteration"] + 1 - self._first if self.rows else 0
        if done >= self._iterations or not time.monotonic() - self._start > 60 * self._minutes:
            return False
        self.ended_by = "clock"
        return True

    def read_table(self, done: int) -> None:
        """Rows of an earlier run in this directory, those of the first `done` iterations."""
        table = self.directory / "progress.csv"
        if table.exists():
            try:
                with table.open(newline="") as file:
                    rows = [self._row_of(row) for row in csv.DictReader(file)]
            except (ValueError, TypeError, KeyError, csv.Error) as error:
                raise FormatError(f"{table} is damaged ({type(error).__name__}: {error}): remove it to go on without the rows of before") from None
            self.rows = [row for row in rows if row["iteration"] < done]
        if self.rows:
            self._spent_s, self._learning_s, self._earlier_simulation_s = (self.rows[-1][k] for k in ("time_s", "learning_s", "simulation_s"))

    def _row_of(self, row: dict[str, str]) -> dict[str, float]:
        """A row as it is in the file; older files have no columns of terms."""
        numbers = {k: int(row[k]) if k in ("iteration", "samples") else float(row[k]) for k in COLUMNS}
        return numbers | {k: float(row.get(k, "nan")) for k in (*self.more, *self.terms)}

    def row_of_terms(self, paid: Mapping[str, float]) -> dict[str, float]:
        """The columns of terms: `paid` where episodes ended, else as in the row before."""
        last = self.rows[-1] if self.rows else {}
        return {k: paid.get(k, last.get(k, float("nan"))) for k in self.terms}

    def write_table(self) -> None:
        """progress.csv, whole or as it was."""
        if not self.writes:
            return
        with whole(self.directory / "progress.csv") as partial, partial.open("w", newline="") as file:
            writer = csv.DictWriter(file, (*COLUMNS, *self.more, *self.terms))
            writer.writeheader()
            writer.writerows(self.rows)

    def add_row(self, row: dict[str, float]) -> None:
        """One iteration more: the row, the progress line, and now and then the table."""
        self.rows.append(row)
        self._progress(row)
        if len(self.rows) % 25 == 0:
            self.write_table()

    def _progress(self, row: dict[str, float]) -> None:
        spent = time.monotonic() - self._start
        done = max((row["iteration"] + 1 - self._first) / self._iterations, spent / (60 * self._minutes))
        bar = "#" * round(20 * done) + "." * (20 - round(20 * done))
        left = spent * (1 - done) / done
        follows = "tracking-linear" in self.core.reward_terms
        tracking = f"tracking {row['tracking_linear']:.2f} {row['tracking_angular']:.2f}  " if follows else ""
        tracking += f"level {row['level']:.2f}  " if "level" in self.more else ""
        line = (f"[{bar}] {row['iteration'] + 1:4.0f} it  {row['time_s']:5.0f} s  {max(left, 0):4.0f} s left  {row['samples'] / 1e6:6.1f} M samples  "
                f"reward {row['reward']:6.2f}  episode {row['length_s']:4.1f} s  {tracking}std {row['action_std']:.2f}")
        if sys.stderr.isatty():
            self.say("\r" + line)
        elif len(self.rows) % 10 == 1 or done >= 1:
            self.say(line + "\n")

    def say(self, words: str) -> None:
        """To standard error, unless it is to be quiet."""
        if not self.quiet:
            sys.stderr.write(words)
            sys.stderr.flush()

    def plot(self, title: str) -> None:
        """curve.png: reward, episode length, and tracking where the task has it, against wall-clock time; below them what each term pays, and metrics."""
        if not self.rows or not self.writes or not find_spec("matplotlib"):
            return
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        minutes = [r["time_s"] / 60 for r in self.rows]
        paid = [k for k in self.terms if k.startswith("Reward/") and any(r[k] for r in self.rows)]  # a term of weight 0 pays nothing
        measured = [k for k in self.terms if k.startswith("Metric/")]
        on_map = ["level"] if "level" in self.more else []
        panels = [["reward", "length", "task", *on_map], *([["terms"] * (3 + len(on_map))] if paid else []), *([["metrics"] * (3 + len(on_map))] if measured else [])]
        figure, axes = pyplot.subplot_mosaic(panels, figsize=(12, 3.4 + 4.6 * (len(panels) - 1)), constrained_layout=True)
        for name, keys, label in (
            ("reward", ["reward"], "return of an episode"),
            ("length", ["length_s"], "length of an episode [s]"),
            ("task", ["tracking_linear", "tracking_angular"], "tracking terms [1/s]") if "tracking-linear" in self.core.reward_terms else
            ("task", ["fell"], "part of the episodes that failed"),
            ("level", on_map, "mean level of the map"),
            ("terms", paid, "what terms pay [1/s]"),
            ("metrics", measured, "metrics, their mean"),
        ):
            if not keys:
                continue
            for i, key in enumerate(keys):
                axes[name].plot(minutes, [r[key] for r in self.rows], LINES[i // 10 % len(LINES)], label=key.split("/")[-1].replace("_", " "))
            axes[name].set_xlabel("wall clock [min]")
            axes[name].set_ylabel(label)
            axes[name].grid(alpha=0.3)
        axes["task"].legend()
        for name in ("terms", "metrics"):
            if name in axes:
                axes[name].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
        last = self.rows[-1]
        figure.suptitle(f"{title}: {self.together.envs} environments, {last['samples'] / 1e6:.0f} M samples, {last['time_s'] / 60:.1f} min")
        figure.savefig(self.directory / "curve.png", dpi=110)
        pyplot.close(figure)
