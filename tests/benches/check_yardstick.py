#!/usr/bin/env python3
# ctest: slow needs=python timeout=1200
"""The contact yardstick as `make yardstick YARDSTICK=--quick` runs it, with a solver of a user's: its page and tables are there, whole, and say what they must."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]), pathlib.Path(os.environ["MYRIAPOD_BUILD"])
YARDSTICK = SOURCE / "bench" / "contact_yardstick"


def main():
    subprocess.run([YARDSTICK / "setup.sh", BUILD], check=True)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "report"
        done = subprocess.run([BUILD / "yardstick-venv" / "bin" / "python", "-B", YARDSTICK, "--build", BUILD, "--quick", "--out", out,
                               "--solver", f"{YARDSTICK / 'examples' / 'pgs_numpy.py'}:pgs"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit {done.returncode}\n{done.stdout}\n{done.stderr[-5000:]}")
        page, data = (out / "index.html").read_text(encoding="utf-8"), json.loads((out / "yardstick.json").read_text(encoding="utf-8"))
        rows = list(csv.DictReader((out / "scenes.csv").open(encoding="utf-8")))
    bad = []
    check = lambda good, text: None if good else bad.append(text)
    creep = {(row["scene"], row["variant"]): float(row["value"]) for row in rows if row["figure"] == "creep"}
    mine = "Myriapod, its defaults (hybrid, float)"
    check(creep.get(("grip-20", mine), 1e9) < 10, f"the grip creeps by {creep.get(('grip-20', mine))} um/s")
    check(creep.get(("dry-99", mine), 1e9) < 1e-5, f"the joint creeps by {creep.get(('dry-99', mine))} rad/s")
    judged = [row for row in data["scenes"]["rows"] if row["variant"] == mine and row.get("law_max") is not None]
    check(judged and all(row["law_max"] < 1e-4 for row in judged), f"the law is broken by {[row['law_max'] for row in judged]} m/s")
    if "MuJoCo" in {row["engine"] for row in rows}:  # the thread's own figures: 1500 um/s with impratio 1, 155 with 10
        for variant, published in (("MuJoCo, elliptic", 1500), ("MuJoCo, elliptic, impratio 10", 155)):
            check(0.5 < creep[("grip-20", variant)] / published < 2, f"{variant}: {creep[('grip-20', variant)]} um/s, published {published}")
    board = data["problems"]["rows"]
    check(any(row["solver"].endswith("pgs_numpy.py:pgs") or "pgs_numpy" in row["solver"] for row in board), "the user's solver is not in the table")
    full = [row for row in board if row["solver"] == "hybrid" or row["solver"].startswith("hybrid")]
    check(full and all(row["wrong"] == 0 for row in full), f"hybrid: {full}")
    check(page.count("<svg") >= 2 and page.count("<table>") >= 4 and page.rstrip().endswith("</html>"), f"the page has {page.count('<svg')} pictures, {page.count('<table>')} tables")
    for text in bad:
        print(text)
    print(done.stdout)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
