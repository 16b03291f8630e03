"""The page of measurements over time: bench/results/PROCESSOR/*.csv, drawn. Only the site has it; the figures themselves lie in the repository.

A file is of one question. Its rows have `date` and `commit`; those of one commit are one measurement. machine.txt beside it says what the processor is."""
from __future__ import annotations

import csv
import statistics
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.hashsalt": "myriapod", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False,
                            "axes.spines.right": False})
from matplotlib import pyplot  # noqa: E402

Rows = list[dict[str, str]]
TASKS = ("stand", "trot", "hang", "drop", "random")
INTRO = """# Measurements over time

What commits took, by processor. Figures of two processors are not to be compared. The rows are in
[`bench/results/`](../bench/results), what they mean in [What was measured](benchmarks.md). `bench/tools/keep.py` adds a measurement.
"""


def read(path: Path) -> dict[str, Rows]:
    """Measurements in their order, by date and commit."""
    found: dict[str, Rows] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            if not row.get("date") or not row.get("commit"):
                raise SystemExit(f"{path}:{number}: a row needs `date` and `commit`")
            found.setdefault(f"{row['date']}, {row['commit']}", []).append(row)
    return dict(sorted(found.items(), key=lambda item: item[0][:10]))


def speed(path: Path, out: Path) -> str:
    """ns per robot-step of each task, float and double, AVX-512."""
    found = read(path)
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.1), layout="constrained")
    for axis, precision in zip(axes, ("float", "double")):
        for task in TASKS:
            points = [(number, float(row["ns"])) for number, rows in enumerate(found.values()) for row in rows
                      if (row["task"], row["precision"], row["isa"]) == (task, precision, "avx512")]
            axis.plot(*zip(*points), marker="o", label=task)
        axis.set(title=f"{precision}, AVX-512", ylabel="ns per robot-step", xlim=(-0.3, len(found) - 0.7), ylim=(0, None))
        axis.set_xticks(range(len(found)), [name.replace(", ", "\n") + f"\n{rows[0]['solver']}" for name, rows in found.items()])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(out, metadata={"Date": None})
    pyplot.close(figure)
    head = "| date, commit | solver | precision | " + " | ".join(TASKS) + " |\n" + "| --- " * (3 + len(TASKS)) + "|\n"
    lines = ""
    for name, rows in found.items():
        for precision in ("float", "double"):
            ns = {row["task"]: row["ns"] for row in rows if row["precision"] == precision and row["isa"] == "avx512"}
            lines += f"| {name} | `{rows[0]['solver']}` | {precision} | " + " | ".join(ns.get(task, "") for task in TASKS) + " |\n"
    return f"Nanoseconds per robot-step of 4096 ANYmals on one core, AVX-512, by the default solver of the commit (`bench/speed/speed.py`).\n\n{head}{lines}"


def seconds_of_seeds(path: Path, out: Path, tasks: tuple[str | None, ...]) -> str:
    """Seconds of each seed, drawn; lines of a table. A task of its own is a column of dots beside the others of its commit."""
    found = read(path)
    groups = [(name, task, seconds) for name, rows in found.items() for task in tasks
              if (seconds := [float(row["seconds"]) for row in rows if row.get("task") == task])]
    figure, axis = pyplot.subplots(figsize=(9, 3.1), layout="constrained")
    lines = ""
    for number, (name, task, seconds) in enumerate(groups):
        axis.plot([number] * len(seconds), seconds, "o", alpha=0.5, color="C0")
        axis.plot([number - 0.15, number + 0.15], [statistics.median(seconds)] * 2, color="C1", linewidth=2)
        lines += f"| {name} | {f'`{task}` | ' if task else ''}{len(seconds)} | {statistics.median(seconds):.1f} | {max(seconds):.1f} |\n"
    axis.set(ylabel="seconds, and their median", xlim=(-0.5, len(groups) - 0.5), ylim=(0, None))
    axis.set_xticks(range(len(groups)), [name.replace(", ", "\n") + (f"\n{task}" if task else "") for name, task, _ in groups])
    figure.savefig(out, metadata={"Date": None})
    pyplot.close(figure)
    return lines


def learn_to_walk(path: Path, out: Path) -> str:
    return ("Seconds until ANYmal walks, by seeds, on two cores (`bench/skills/learn_to_walk.py`).\n\n"
            "| date, commit | seeds | median [s] | worst [s] |\n| --- | --- | --- | --- |\n" + seconds_of_seeds(path, out, (None,)))


def learn_humanoids(path: Path, out: Path) -> str:
    return ("Seconds until a humanoid walks, by seeds, on two cores (`bench/skills/learn_to_walk.py --task TASK`).\n\n"
            "| date, commit | task | seeds | median [s] | worst [s] |\n| --- | --- | --- | --- | --- |\n"
            + seconds_of_seeds(path, out, ("h1-flat", "g1-legs", "g1-flat")))


QUESTIONS = {"speed": ("Speed", speed), "learn_to_walk": ("Learning to walk", learn_to_walk),
             "learn_humanoids": ("Humanoids that learn to walk", learn_humanoids)}


def write(results: Path, docs: Path) -> None:
    """docs/history.md and its pictures."""
    (docs / "history").mkdir(parents=True)
    text = INTRO
    for name, (title, draw) in QUESTIONS.items():
        text += f"\n## {title}\n"
        for path in sorted(results.glob(f"*/{name}.csv")):
            processor = path.parent.name
            machine = (path.parent / "machine.txt").read_text(encoding="utf-8").strip()
            picture = f"history/{name}-{processor}.svg"
            words, _, table = draw(path, docs / picture).partition("\n\n")
            text += f"\n### {title}: {processor}\n\n{machine} {words}\n\n![{title} on {processor}, commit by commit]({picture})\n\n{table}"
    unknown = [path for path in sorted(results.glob("*/*.csv")) if path.stem not in QUESTIONS]
    if unknown:
        raise SystemExit(f"{unknown[0]}: docs/site/history.py draws {', '.join(QUESTIONS)}, and not this")
    (docs / "history.md").write_text(text, encoding="utf-8")
