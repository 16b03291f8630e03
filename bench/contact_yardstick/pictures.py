"""The pictures of the report, as SVG texts. matplotlib."""
from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 the back end is chosen first

matplotlib.rcParams.update({"font.size": 9, "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False})
COLOURS = {"Myriapod": "#0b6e4f", "MuJoCo": "#c1440e", "Bullet": "#4a6fa5", "Drake": "#8e5ea2", "Siconos": "#c58b00", "Pinocchio": "#4a6fa5", "foreign": "#777777"}
MARKS = "osD^vP*X<>"


def svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]


def _figure_value(row: Mapping[str, Any], name: str) -> float:
    return next((f["value"] for f in row.get("figures", ()) if f["name"] == name), math.nan)


def sweep(rows: Sequence[Mapping[str, Any]], family: str, figure: str, dt: float, x_label: str, y_label: str, floor: float, goal: float | None = None) -> str:
    """One figure of scenes FAMILY-x against x, a line for each variant; values below `floor` are drawn at it."""
    drawn, axes = plt.subplots(figsize=(6.4, 4.0))
    chosen = [row for row in rows if row["scene"].startswith(f"{family}-") and row["dt"] == dt and "figures" in row and not math.isnan(_figure_value(row, figure))]
    for k, variant in enumerate(dict.fromkeys(row["variant"] for row in chosen)):
        mine = sorted((float(row["scene"].split("-")[1]), max(floor, _figure_value(row, figure))) for row in chosen if row["variant"] == variant)
        engine = next(row["engine"] for row in chosen if row["variant"] == variant)
        axes.plot(*zip(*mine), marker=MARKS[k % len(MARKS)], ms=4, lw=1, color=COLOURS[engine], alpha=0.9, label=variant)
    if goal:
        axes.axhline(goal, color="black", lw=0.8, ls=":")
    axes.set(yscale="log", xlabel=x_label, ylabel=y_label)
    axes.legend(fontsize=6.5, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg(drawn)


def law_and_speed(rows: Sequence[Mapping[str, Any]], dt: float) -> str:
    """The law's violation against the time of a step: a point for each scene and variant."""
    drawn, axes = plt.subplots(figsize=(6.4, 4.0))
    for engine, colour in COLOURS.items():
        mine = [(row["ns_per_step"], max(1e-12, row["law_max"])) for row in rows if row["engine"] == engine and row["dt"] == dt and row.get("law_max") is not None]
        if mine:
            axes.scatter(*zip(*mine), s=14, color=colour, alpha=0.6, label=engine)
    axes.set(xscale="log", yscale="log", xlabel="time of a step [ns]; Myriapod: of one robot among 256, one core", ylabel="largest violation of the law [m/s]")
    axes.legend(frameon=False)
    return svg(drawn)


def profile(curves: Mapping[str, Sequence[tuple[float, float]]], engine_of: Mapping[str, str], title: str) -> str:
    """Performance profile of Dolan and More: share of the problems solved within tau times the time of the quickest."""
    drawn, axes = plt.subplots(figsize=(6.4, 4.0))
    count: dict[str, int] = {}
    for name, points in sorted(curves.items(), key=lambda item: -max((y for _, y in item[1]), default=0)):
        engine = engine_of.get(name, "foreign")
        count[engine] = count.get(engine, 0) + 1
        if points:
            axes.step(*zip(*points), where="post", lw=1.2, color=COLOURS.get(engine, "#777777"), ls=("-", "--", ":", "-.")[(count[engine] - 1) % 4], label=name)
    axes.set(xscale="log", xlabel="tau: time over that of the quickest solver", ylabel="share of the problems solved", ylim=(0, 1.02), title=title)
    axes.legend(fontsize=6.5, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg(drawn)
