"""The report of the yardstick: one HTML page with its pictures in it, the tables as CSV, everything as JSON."""
from __future__ import annotations

import csv
import html
import json
import math
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pictures
import scenes

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;color:#222}h1,h2,h3{line-height:1.2}h2{margin-top:2.5rem}
table{border-collapse:collapse;font-size:13px;margin:.6rem 0;display:block;overflow-x:auto}th,td{padding:.15rem .6rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}tr.ours td{background:#eef6f1}tr.out td{color:#888}code{background:#f3f3f3;padding:0 .2em}svg{max-width:100%;height:auto}.note{color:#555;font-size:13px}"""


def number(value: float | None, digits: int = 3) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return "infinite" if math.isinf(value) else f"{value:.{digits}g}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kinds: Iterable[str] = ()) -> str:
    kinds = list(kinds)
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
    for k, row in enumerate(rows):
        kind = kinds[k] if k < len(kinds) else ""
        lines.append(f'<tr class="{kind}">' + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def scene_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All rows of one scene."""
    said = [row for row in rows if "figures" in row]
    if not said:
        return "<p>No engine could run it.</p>"
    names = [f"{f['name']} [{f['unit']}]" + (f", exact {number(f['exact'], f['digits'])}" if f["exact"] is not None else "") for f in said[0]["figures"]]
    head = ["engine", "dt [ms]", *names, "law, median [m/s]", "law, most", "work of friction [J]", "deepest [um]", "ns a step", "alone", "what it said"]
    cells, kinds = [], []
    for row in said:
        cells.append([row["variant"], f"{1e3 * row['dt']:g}", *(number(f["value"], f["digits"]) for f in row["figures"]), number(row["law_median"], 2), number(row["law_max"], 2),
                      number(row["friction_work"], 2), number(1e6 * row["depth"], 2), number(row["ns_per_step"], 4), number(row["ns_alone"], 4), row["note"]])
        kinds.append("ours" if row["engine"] == "Myriapod" else "")
    left = {row["left_out"]: [] for row in rows if "left_out" in row}
    for row in rows:
        if "left_out" in row:
            left[row["left_out"]].append(row["variant"])
    out = "".join(f'<p class="note">Left out: {html.escape(", ".join(dict.fromkeys(names)))}: {html.escape(why)}.</p>' for why, names in left.items())
    return table(head, cells, kinds) + out


def where_a_rival_is_nearer(rows: Sequence[Mapping[str, Any]], dt: float) -> list[tuple[str, str, str, str]]:
    """(scene, figure, the rival's value, our default's) where a rival comes nearer to what is exact than Myriapod as it comes, by more than a tenth of
    Myriapod's error and more than rounding."""
    found = []
    for name in dict.fromkeys(row["scene"] for row in rows):
        mine = next((row for row in rows if row["scene"] == name and row["variant"].startswith("Myriapod, its defaults") and "figures" in row and row["dt"] == dt), None)
        if not mine:
            continue
        for k, figure in enumerate(mine["figures"]):
            if figure["exact"] is None:
                continue
            error = abs(figure["value"] - figure["exact"])
            rivals = [(abs(row["figures"][k]["value"] - figure["exact"]), row) for row in rows
                      if row["scene"] == name and row["engine"] != "Myriapod" and "figures" in row and row["dt"] == dt and math.isfinite(row["figures"][k]["value"])]
            if rivals:
                best, row = min(rivals, key=lambda pair: pair[0])
                if best < 0.9 * error and error > 1e-12:
                    found.append((name, f"{figure['name']} [{figure['unit']}], exact {number(figure['exact'], figure['digits'])}",
                                  f"{row['variant']}: {number(row['figures'][k]['value'], figure['digits'])}", number(figure["value"], figure["digits"])))
    return found


def scene_csv(rows: Sequence[Mapping[str, Any]], path: pathlib.Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["scene", "engine", "variant", "dt_s", "seconds", "figure", "unit", "value", "exact", "law_median_m_s", "law_max_m_s", "friction_work_J", "depth_m",
                      "ns_per_step", "ns_alone", "iterations", "note"])
        for row in rows:
            for f in row.get("figures", [{"name": "", "unit": "", "value": "", "exact": ""}]):
                out.writerow([row["scene"], row["engine"], row["variant"], row["dt"], row["seconds"], f["name"], f["unit"], f["value"], f["exact"],
                              *(row.get(key, "") for key in ("law_median", "law_max", "friction_work", "depth", "ns_per_step", "ns_alone", "iterations")), row.get("note", row.get("left_out"))])


def quality_part(data: Mapping[str, Any]) -> str:
    rows, middle = data["rows"], 0.002
    out = ["<h2 id=scenes>Scenes</h2>",
           "<p>Each scene has an exact answer. <b>Law</b>: how far a step's impulses and velocities are from the full law of Coulomb and Signorini, in m/s, by one yardstick for all "
           "engines (<code>law.py</code>); the median and the most over the run. <b>Work of friction</b>: negative where it brakes. <b>ns a step</b>: one robot's step on one core; "
           "Myriapod steps 256 robots side by side, <b>alone</b> is one by itself.</p>"]
    if any(row["scene"] == "grip-95" for row in rows):
        out += ["<h3>How fast a gripped capsule creeps</h3>", pictures.sweep(rows, "grip", "creep", middle, "grip, in times of what one pad needs", "creep [um/s], 60 s, dt 2 ms", 1e-5, 10.0)]
    if any(row["scene"] == "dry-90" for row in rows):
        out += ["<h3>How fast a joint creeps below its dry friction</h3>", pictures.sweep(rows, "dry", "creep", middle, "load [% of the friction]", "creep [rad/s], 60 s, dt 2 ms", 1e-10)]
    out += ["<h3>The law and the time of a step</h3>", pictures.law_and_speed(rows, middle)]
    for name in dict.fromkeys(row["scene"] for row in rows):
        scene = scenes.ALL[name]
        out += [f'<h3 id="{name}">{html.escape(scene.title)} <code>{name}</code></h3>', f"<p><b>Exact:</b> {html.escape(scene.law)} <b>Source:</b> {html.escape(scene.source)}.</p>",
                scene_table([row for row in rows if row["scene"] == name])]
    return "\n".join(out)


def rivals_part(data: Mapping[str, Any]) -> str:
    found = where_a_rival_is_nearer(data["rows"], 0.002)
    if not found:
        return ""
    return ("<h2 id=rivals>Where another engine is nearer to what is exact</h2><p>Than Myriapod with its defaults (float, tolerance 1e-5), at 2 ms, by more than a tenth of its error.</p>"
            + table(["scene", "figure", "nearest of the others", "Myriapod, its defaults"], found))


def write(folder: pathlib.Path, parts: Sequence[str], data: Mapping[str, Any], machine: str, commands: Sequence[str]) -> pathlib.Path:
    """The page, and the data beside it. parts: HTML; commands: what made the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "yardstick.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    head = ("<h1>The contact yardstick</h1>" + "".join(f"<p>{html.escape(line)}</p>" for line in machine.splitlines())
            + "<p>Made by " + ", ".join(f"<code>{html.escape(c)}</code>" for c in commands) + ".</p>")
    page = folder / "index.html"
    page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>The contact yardstick</title><style>{STYLE}</style><body>{head}\n' + "\n".join(parts) + "</body></html>\n",
                    encoding="utf-8")
    return page
