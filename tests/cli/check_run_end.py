# What `myriapod run` says of its robots after the last step, from outside: standing, fallen, sunk in the ground, fallen through it, and
# where nothing can be said. Closed forms where there are any. Never fails on time.
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import QUICK, check, finish, path, read, run, write

RESIDUALS = "residual_p50 residual_p99 residual_max residual_ncp_p50 residual_ncp_p99 residual_ncp_max".split()


def ending(*words):
    """The JSON and the summary of a run."""
    done = run("run", *words, "--json", path("end.json"))
    return read("end.json"), done


def check_end():
    r, done = ending("anymal", "--envs", "20", "--steps", "300", "--warmup", "0")
    check(r["upright"] == 1 and 0.4 < r["base_height_p50"] < 0.6, f"ANYmals that stand: {r['upright']}, {r['base_height_p50']} m")
    check(0 <= r["penetration_p50"] <= r["penetration_max"] < 1e-4, f"standing in the ground: {r['penetration_max']} m")
    check("100 % upright" in done.stdout and all(r[key] is not None for key in RESIDUALS), "the summary of robots that stand")
    # On a map each robot is judged by the ground below it.
    r, _ = ending("anymal", "--terrain", "rough", "--seed", "7", "--envs", "80", "--steps", "300", "--warmup", "0")
    check(r["upright"] == 1 and 0.47 < r["base_height_p50"] < 0.56 and 0 <= r["penetration_max"] < 1e-4, f"ANYmals on rough ground: {r['upright']}, {r['base_height_p50']} m, {r['penetration_max']} m")
    link = '<robot name="r"><link name="a"><inertial><origin xyz="{} 0 0"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>{}</link></robot>'
    # A pillar whose weight is beside its foot lies down: on its side, its middle half a width above the ground.
    r, _ = ending(write("pillar.urdf", link.format(0.2, '<collision><geometry><box size="0.1 0.1 1"/></geometry></collision>')), "--envs", "3", "--steps", "4000", "--precision", "f64", "--gap", "0.01")
    check(r["upright"] == 0 and abs(r["base_height_p50"] - 0.05) < 1e-3 and r["penetration_max"] < 1e-3, f"a pillar that fell: {r['upright']}, {r['base_height_p50']} m, {r['penetration_max']} m")
    # A soft contact rests compliance times weight deep: 1e-3 m/N, 2 kg.
    ball = write("ball.urdf", link.format(0, '<collision><geometry><sphere radius="0.1"/></geometry></collision>'))
    r, _ = ending(ball, "--envs", "3", "--steps", "4000", "--precision", "f64", "--compliance", "1e-3", "--dissipation-time", "0.049", "--baumgarte", "0.02")
    check(abs(r["penetration_p50"] - 2 * 9.81e-3) < 1e-6 and abs(r["penetration_max"] - 2 * 9.81e-3) < 1e-6 and r["upright"] == 1, f"sunken: {r['penetration_p50']} m")
    check(abs(r["base_height_p50"] - (0.1 - 2 * 9.81e-3)) < 1e-6, f"a sunken ball is {r['base_height_p50']} m high")
    # Every robot is quarantined: the run says so, and not that there is no root.
    gone = '<robot name="g"><link name="a"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    r, done = ending(write("gone.urdf", gone), "--envs", "3", "--steps", "5")
    check(r["upright"] is None and "every environment is quarantined" in done.stdout, f"all are gone:\n{done.stdout}")
    # A robot whose shapes are all meshes that are not read: a warning says that it falls, and it ends g n (n + 1) dt^2 / 2 below its start.
    mesh = write("mesh.urdf", link.format(0, '<collision><geometry><mesh filename="x.dae"/></geometry></collision>'))
    r, done = ending(mesh, "--envs", "3", "--steps", "1000", "--warmup", "0", "--precision", "f64")
    check("fall through the ground" in done.stderr and "mesh.urdf" in done.stderr, f"no warning of a robot that cannot touch: {done.stderr}")
    check(r["upright"] == 0 and abs(r["base_height_p50"] + 9.81 * 1000 * 1001 / 2 * 1e-6) < 1e-6, f"buried: {r['upright']}, {r['base_height_p50']} m")
    check(r["penetration_p50"] is None and r["penetration_max"] is None and all(r[key] is None for key in RESIDUALS), "figures of what cannot touch")
    check("residual     -" in done.stdout and "penetration -" in done.stdout and "0 % upright" in done.stdout, f"the summary of a robot that falls: {done.stdout}")
    r, done = ending("double-pendulum", *QUICK)
    check("fall" not in done.stderr and all(r[key] is None for key in ("upright", "base_height_p50", "penetration_p50", "penetration_max")), f"a pendulum: {r}")
    # Robots in quarantine are not judged; where all are, nothing is known.
    r, _ = ending("anymal", "--task", "drop", "--envs", "20", "--steps", "500", "--warmup", "0", "--speed-limit", "3")
    check(r["quarantined"] == 20 and r["upright"] is None and r["penetration_max"] is None, f"all in quarantine: {r['upright']}")


finish(check_end)
