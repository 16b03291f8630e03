#!/usr/bin/env python3
"""How much of the MJCF files in some folders loads: in full, with named losses, or not, and what the losses are. Where MuJoCo is there, each
that loads is compared with it: nq, nv, the mass and, at the home pose, the mass matrix.

    python bench/mjcf_coverage.py FOLDER ... [--build DIR] [--csv FILE]

Files that are no whole model (<mujocoinclude>, no body that moves) are left aside. A mesh that is not there refuses its file,
in MuJoCo too."""
import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LOSSES = {"meshes are skipped": "meshes", "weigh by meshes": "masses of meshes", "collision shapes that do not act": "shapes", "planes that": "planes",
          "torsional": "torsional friction", "`margin`": "margin", "actuators that": "actuators", "tendons that": "tendons", "springs of": "springs of balls",
          "equalities that": "equalities", "contact pairs": "contact pairs", "no fluid": "fluid", "limits of ball": "limits of balls", "mocap": "mocap",
          "plugins": "plugins"}


def is_model(path):
    """A whole file that says what moves; what is not XML counts, too."""
    try:
        root = xml.parse(path).getroot()
    except xml.ParseError:
        return b"<mujoco" in path.read_bytes()
    return root.tag == "mujoco" and any(next(root.iter(tag), None) is not None for tag in ("body", "include", "attach"))


def ask(program, path):
    """(refusal or None, size line, losses) of one file."""
    done = subprocess.run([program, "info", path], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1].split(": ", 1)[-1], None, []
    size = re.search(r"nq (\d+), nv (\d+).*?([\d.e+-]+) kg", done.stdout)
    warnings = done.stdout[done.stdout.find("  warnings "):]
    return None, (int(size[1]), int(size[2]), float(size[3])), sorted({short for words, short in LOSSES.items() if words in warnings})


def matrix(program, path, q, nv, folder):
    """The mass matrix at q."""
    states = pathlib.Path(folder) / "states.json"
    states.write_text(json.dumps({"states": [{"q": q, "v": [0.0] * nv, "tau": [0.0] * nv}]}), encoding="utf-8")
    done = subprocess.run([program, "eval", path, "--states", states], capture_output=True, text=True, check=False, timeout=120)
    return json.loads(done.stdout)["states"][0]["M"] if done.returncode == 0 else None


def beside(mujoco, numpy, program, path, size, folder):
    """What MuJoCo says otherwise; None: it cannot read the file either."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError):
        return None
    if (model.nq, model.nv) != size[:2]:
        return f"nq, nv are {model.nq}, {model.nv} there"
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = numpy.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, full, data.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(model, data, full)
    ours = matrix(program, path, list(data.qpos), model.nv, folder)
    if ours is None:
        return "eval fails"
    off = abs(numpy.array(ours) - full).max() / abs(full).max()
    return f"M is off by {off:.1e}" if off > 1e-10 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    parser.add_argument("--csv", type=pathlib.Path, help="write a line for each file")
    args = parser.parse_args()
    try:
        import mujoco
        import numpy
    except ImportError:
        mujoco = numpy = None
    rows, losses, refusals = [], collections.Counter(), collections.Counter()
    files = sorted({path for folder in args.folders for path in folder.rglob("*.xml") if is_model(path)})
    with tempfile.TemporaryDirectory() as scratch:
        for path in files:
            refused, size, lost = ask(args.build / "myriapod", path)
            peer = beside(mujoco, numpy, args.build / "myriapod", path, size, scratch) if mujoco and size else None
            losses.update(lost)
            refusals.update([re.sub(r"^\S+:\d+: |`[^`]*`|\d[\d.e+-]*", "", refused)] if refused else [])
            rows.append([path, "refused" if refused else "with losses" if lost else "in full", "; ".join(lost) or refused or "",
                         "" if peer is None else peer or "agrees"])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["file", "loads", "why", "MuJoCo"], *rows])
    counts = collections.Counter(row[1] for row in rows)
    print(f"{len(rows)} models: {counts['in full']} in full, {counts['with losses']} with named losses, {counts['refused']} refused")
    for title, counter in (("losses", losses), ("refused because", refusals)):
        print(f"{title}:", *(f"\n  {count:4} {what.strip()}" for what, count in counter.most_common()))
    peers = [row for row in rows if row[3]]
    print(f"beside MuJoCo: {sum(row[3] == 'agrees' for row in peers)} of {len(peers)} agree", *(f"\n  {row[0]}: {row[3]}" for row in peers if row[3] != "agrees"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
