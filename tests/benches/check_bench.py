# ctest: long
# The benches run and write what they say. What they measure here means nothing: other tests run at the same time.
import array
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SOURCE, BUILD = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]), os.environ["MYRIAPOD_BUILD"]
sys.path[:0] = [str(SOURCE / "bench" / room) for room in ("peers", "tools")]
import mujoco_humanoids
import mujoco_model
import mujoco_trails

FACTS = {"home": [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0] + 12 * [0.1], "kp": 12 * [80.0], "kd": 12 * [2.0], "effort": 12 * [80.0]}


def check(condition, what):
    if not condition:
        sys.exit(what)


def run(script, *options):
    """Standard output, the JSON document and the CSV rows of a quick run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-B", SOURCE / "bench" / script, "--build", BUILD, "--quick", "--patience", "0", "--results", folder, "--date", "today", *options]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        check(done.returncode == 0, f"{script}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        files = {path.suffix: path for path in pathlib.Path(folder).iterdir()}
        check(all("_today_" in path.name for path in files.values()) and set(files) == {".json", ".csv"}, f"{script} wrote {sorted(files.values())}")
        with open(files[".csv"], encoding="utf-8", newline="") as file:
            return done.stdout, json.loads(files[".json"].read_text(encoding="utf-8")), list(csv.DictReader(file))


text, document, rows = run("speed/speed.py", "--tasks", "hang", "--precisions", "f32")
probes = document["machine"]["probe_best"]
check(probes["scalar"] > 1e8 and all(rate > 1e8 for rate in probes.values()), f"probe: {probes}")
isas = [key for key in probes if key != "scalar"] or ["portable"]
check([row["isa"] for row in rows] == isas and all(float(row["ns"]) > 0 for row in rows), f"speed.py rows: {rows}")
check(len({row["state_hash"] for row in rows}) == 1, "speed.py: instruction sets end in different states")
check(f"{float(rows[0]['ns']):.1f}" in text, "speed.py prints another figure than it writes")

_, document, rows = run("papers/table2.py", "--tasks", "hang", "--envs", "64")
check({"bisection", "bisection-paper"} <= {row["solver"] for row in rows} and all(float(row["solve_ns"]) > 0 for row in rows), f"table2.py rows: {rows}")

_, document, rows = run("speed/memory.py")
check(int(rows[0]["peak_rss_bytes"]) > int(rows[0]["envs"]) * 500, f"memory.py rows: {rows}")

library = os.path.join(BUILD, "libmyriapod.so")
done = subprocess.run([os.path.join(BUILD, "bench", "ab"), "anymal", "task=hang", "envs=32", "warmup=600", "steps=2", "windows=5", "stages=1", "--", f"a={library}", f"b={library}"],
                      capture_output=True, text=True)
check(done.returncode == 0, f"ab: exit {done.returncode}\n{done.stdout}{done.stderr}")
check(done.stdout.count(" equal\n") == 2 and "DIFFERS" not in done.stdout and done.stdout.count("dynamics ") == 2 and "solver hybrid, tolerance 1e-05" in done.stdout, f"ab says:\n{done.stdout}")

# What mujoco_humanoids.py gives both engines, on ours alone: driven by PD the biped keeps standing and walks on the spot, limp it does not.
with tempfile.TemporaryDirectory() as folder:
    urdf, states, moves, trail = (os.path.join(folder, name) for name in ("biped.urdf", "states", "moves", "trail"))
    mujoco_trails.write_urdf(SOURCE / "robots" / "biped.urdf", urdf, True)
    joints, heights = mujoco_trails.joints_of(urdf), {}
    check(len(joints) == 13 and joints[0][0] == "waist" and joints[0][3] == 150, f"joints of the biped: {joints}")
    drawn = mujoco_humanoids.draw_states("biped", joints, "stand")
    mujoco_trails.write_rows(states, (state["q"][:2] + [0.84] + state["q"][3:] + state["v"] for state in drawn))
    for scene in mujoco_humanoids.SCENES:
        mujoco_trails.write_rows(moves, mujoco_humanoids.moves("biped", joints, urdf, scene))
        command = [os.path.join(BUILD, "bench", "trail"), urdf, states, trail, "1500", "10", *([] if scene == "fall" else [f"moves={moves}"]), "root=auto", "envs=32", "dt=0.001"]
        done = subprocess.run(command, capture_output=True, text=True)
        check(done.returncode == 0, f"trail: exit {done.returncode}\n{done.stderr}")
        q = array.array("d", pathlib.Path(trail).read_bytes())
        check(len(q) == 150 * len(drawn) * 20, f"trail wrote {len(q)} numbers")
        heights[scene] = [q[k + 2] for k in range(149 * len(drawn) * 20, len(q), 20)]
    check(min(heights["stand"] + heights["walk"]) > 0.75 and max(heights["fall"]) < 0.5, f"roots of bipeds after 1.5 s: {heights}")

model = xml.fromstring(mujoco_model.mjcf(SOURCE / "robots" / "anymal.urdf", FACTS, 1e-3, "elliptic", True, True))
masses = [float(inertial.get("mass")) for inertial in model.iter("inertial")]
check(abs(sum(masses) - 30.4) < 1e-9, f"MJCF of anymal weighs {sum(masses)} kg")
check([len(list(model.iter(tag))) for tag in ("joint", "position", "freejoint", "geom")] == [12, 12, 1, 7], "MJCF of anymal: joints, actuators or geoms are missing")
print("speed, table2, memory, ab and trail run; the robot for MuJoCo is whole")
