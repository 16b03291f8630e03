# `myriapod bench` from outside: exit statuses, messages, the tables, and a JSON whose figures are all there, positive and agree with each
# other. Never fails on time: how fast anything is, is not looked at.
# ctest: heavy
import pathlib
import signal
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import INPUT, OK, PROGRAM, USAGE, check, finish, path, read, run

SHORT = ["--seconds", "0.01", "--envs", "64", "--sizes", "16,40", "--warmup", "20", "--steps", "4"]
STAGES = "actuate kinematics collide dynamics free delassus solve integrate sense".split()
FIGURE = "threads windows calls_per_window steps_per_call robot_steps wall_s robot_steps_per_s ns_per_robot_step_core ns_per_robot_step_core_p10 us_per_call us_per_call_p10".split()
ROW = FIGURE + "cpus speedup efficiency balance stage_ns contacts_mean iterations_mean iterations_p99 iterations_max residual_p99 residual_ncp_p99 solves not_converged quarantined state_hash".split()
SIZE = "envs threads bytes tiles balance one_step long_call".split()
ROBOT = "model task nq nv slots dt_s precision isa dynamics solver tolerance lanes bytes_per_env envs tiles same_bits threads sizes settings".split()
FILE = "bench version math complete profile seconds_per_figure wall_s units machine robots".split()
MACHINE = "cpu packages numa_nodes cores logical usable_cores usable l1d_bytes l2_bytes l3_bytes isa isa_why load_before large_pages".split()


def equal(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def keys(found, wanted, what):
    check(sorted(found) == sorted(wanted), f"{what}: keys {sorted(found)}, not {sorted(wanted)}")


def check_figure(f, envs, what, decimation=1):
    """Positive, and one arithmetic behind all of them."""
    for key in FIGURE:
        check(f[key] > 0, f"{what}: {key} is {f[key]}")
    calls = f["windows"] * f["calls_per_window"]
    check(f["windows"] >= 3, f"{what}: {f['windows']} windows")
    check(f["robot_steps"] == calls * f["steps_per_call"] * envs * decimation, f"{what}: {f['robot_steps']} robot-steps of {envs} robots in {calls} calls of {f['steps_per_call']}")
    check(equal(f["robot_steps_per_s"], f["robot_steps"] / f["wall_s"]), f"{what}: the rate is not robot-steps by time")
    check(equal(f["robot_steps_per_s"] * f["ns_per_robot_step_core"], 1e9 * f["threads"]), f"{what}: rate times ns is not 1e9 times threads")
    check(equal(f["us_per_call"] * calls, 1e6 * f["wall_s"]), f"{what}: the calls do not add up to the time")
    check(equal(f["ns_per_robot_step_core_p10"] / f["ns_per_robot_step_core"], f["us_per_call_p10"] / f["us_per_call"]), f"{what}: two p10 of the same windows")


def check_robot(robot, threads, sizes, what, decimation=1):
    keys(robot, ROBOT, what)
    check(robot["tiles"] == -(-robot["envs"] // robot["lanes"]), f"{what}: {robot['tiles']} tiles")
    check(robot["same_bits"] is True and len({row["state_hash"] for row in robot["threads"]}) == 1, f"{what}: bits go by the number of threads")
    check([row["threads"] for row in robot["threads"]] == threads, f"{what}: rows of {[row['threads'] for row in robot['threads']]} threads")
    for row in robot["threads"]:
        name = f"{what}, {row['threads']} threads"
        keys(row, ROW, name)
        check_figure(row, robot["envs"], name, decimation)
        check(len(row["cpus"]) == row["threads"], f"{name}: processors {row['cpus']}")
        check(sorted(row["stage_ns"]) == sorted(STAGES) and all(row["stage_ns"][s] > 0 for s in ("kinematics", "solve", "integrate")), f"{name}: stages {row['stage_ns']}")
        busiest = -(-robot["tiles"] // row["threads"])
        check(equal(row["balance"], robot["tiles"] / (busiest * row["threads"])), f"{name}: balance {row['balance']}")
        first = robot["threads"][0]
        check(equal(row["speedup"], row["robot_steps_per_s"] / first["robot_steps_per_s"]), f"{name}: speedup {row['speedup']}")
        check(equal(row["efficiency"] * row["threads"], row["speedup"] * first["threads"]), f"{name}: efficiency {row['efficiency']}")
        check(row["contacts_mean"] > 0 and row["solves"] > 0 and row["iterations_mean"] > 0 and row["residual_p99"] > 0, f"{name}: what the solves reached")
        check(0 <= row["not_converged"] <= row["solves"] and row["quarantined"] == 0, f"{name}: {row['not_converged']} not converged, {row['quarantined']} in quarantine")
    check([(s["envs"], s["threads"]) for s in robot["sizes"]] == sizes, f"{what}: sizes {[(s['envs'], s['threads']) for s in robot['sizes']]}")
    for size in robot["sizes"]:
        name = f"{what}, {size['envs']} robots on {size['threads']}"
        keys(size, SIZE, name)
        check(size["bytes"] > 0 and size["one_step"]["steps_per_call"] == 1 and size["long_call"]["steps_per_call"] > 1, f"{name}: {size}")
        for call in ("one_step", "long_call"):
            keys(size[call], FIGURE, name)
            check_figure(size[call], size["envs"], f"{name}, {call}", decimation)


def check_figures():
    done = run("bench", "anymal:trot", "hopper", *SHORT, "--threads", "3,1,2,3", "--json", path("bench.json"))
    r = read("bench.json")
    keys(r, FILE, "bench")
    keys(r["machine"], MACHINE, "machine")
    check(r["complete"] is True and r["bench"] == 1 and r["wall_s"] > 0 and r["seconds_per_figure"] == 0.01, f"the head: {r['complete']}, {r['seconds_per_figure']}")
    check([(x["model"], x["task"]) for x in r["robots"]] == [("anymal", "trot"), ("hopper", "none")], "robots and their tasks")
    # 16 robots are one tile of 16 lanes: more threads would only wait
    for robot in r["robots"]:
        check_robot(robot, [1, 2, 3], [(16, 1), (40, 1), (40, 3)], robot["model"])
        check(robot["isa"] == r["machine"]["isa"] and robot["lanes"] == 16, f"{robot['model']}: isa {robot['isa']}")
    for word in ("machine ", "isa ", "settings ", "anymal, task trot", "hopper, task none", "efficiency", "contacts ", "not converged", "stages", "kinematics", "sizes",
                 "the same for all numbers of threads"):
        check(word in done.stdout, f"the tables lack `{word}`:\n{done.stdout}")
    check(not done.stderr, f"stderr: {done.stderr}")


def check_settings():
    isa = read("bench.json")["machine"]["isa"]
    words = ["--isa", isa, "--precision", "f64", "--solver", "pgs", "--tolerance", "1e-4", "--dt", "0.002", "--decimation", "2", "--pin", "0", "--threads", "2"]
    done = run("bench", "anymal:stand", *SHORT, *words, "--json", "-")
    check("efficiency" in done.stderr and "over 2" in done.stderr and done.stdout.startswith("{"), "--json - is standard output, the tables go to stderr")
    with open(path("bench.json"), "w", encoding="utf-8") as file:
        file.write(done.stdout)
    robot = read("bench.json")["robots"][0]
    check_robot(robot, [2], [(16, 2), (40, 2)], "settings", decimation=2)
    wanted = {"precision": "f64", "solver": "pgs", "tolerance": 1e-4, "dt_s": 0.002, "lanes": 8, "task": "stand", "isa": isa}
    check({key: robot[key] for key in wanted} == wanted, f"settings: {robot['settings']}")
    check(robot["threads"][0]["cpus"] == [-1, -1] and "not pinned" in done.stderr, "--pin 0")
    # Without --envs all threads have as many tiles: the next multiple of 16 tiles each.
    run("bench", "cube", "--seconds", "0.01", "--sizes", "16", "--warmup", "0", "--steps", "1", "--threads", "3", "--profile", "rollout", "--json", path("bench.json"))
    robot = read("bench.json")["robots"][0]
    check(robot["envs"] >= 4096 and robot["tiles"] % 48 == 0 and robot["threads"][0]["balance"] == 1, f"robots by default: {robot['envs']}")
    check(read("bench.json")["profile"] == "rollout", "the profile's name")
    # The robots of the command without arguments, on all cores.
    run("bench", *SHORT, "--json", path("bench.json"))
    r = read("bench.json")
    check([(x["model"], x["task"]) for x in r["robots"]] == [("anymal", "trot"), ("biped", "none")], "the robots that are measured unless told")
    gains = [float(x["settings"]["kp"]) for x in r["robots"]]
    check(gains[0] < 0 and gains[1] == 600, f"gains of the biped alone: {gains}")
    for robot in r["robots"]:
        rows = [row["threads"] for row in robot["threads"]]
        check(rows[0] == 1 and rows[-1] == r["machine"]["usable_cores"] and rows == sorted(set(rows)), f"rows {rows}")


def check_refusals():
    old = "kept"
    with open(path("old.json"), "w", encoding="utf-8") as file:
        file.write(old)
    keep = ["--json", path("old.json")]
    run("bench", "--threads", "1,x", status=USAGE, says=["--threads", '"x"', "--help"])
    run("bench", "--threads", "0", status=USAGE, says=['"0"'])
    run("bench", "--threads", ",", status=USAGE, says=["--threads"])
    run("bench", "--sizes", "16,1.5", status=USAGE, says=["--sizes", '"1.5"'])
    run("bench", "--seconds", "0", status=USAGE, says=["--seconds", '"0"'])
    run("bench", "--seconds", "nan", status=USAGE, says=["--seconds", '"nan"'])
    run("bench", "--envs", "-3", status=USAGE, says=["--envs", '"-3"'])
    run("bench", "--solver", "pgz", status=USAGE, says=["pgz"])
    run("bench", "--sedonds", "3", status=USAGE, says=['"--sedonds"', '"--seconds"'])
    run("bench", "--task", "trot", status=USAGE, says=["--task", "ROBOT"])
    run("bench", "anymall", *keep, status=INPUT, says=["anymall"])
    run("bench", "anymal", "hopper:trot", *keep, status=INPUT, says=["hopper", "trot"])  # before the first is measured
    run("bench", "anymal", "--profile", "no-such", *keep, status=INPUT, says=["no-such"])
    run("bench", "anymal", "--json", path("no/such/folder.json"), status=INPUT, says=["folder.json"])
    with open(path("old.json"), encoding="utf-8") as file:
        check(file.read() == old, "a command that failed wrote its file")
    text = run("bench", "--help").stdout
    check("Examples:" in text and "--solver=" in text and text.count("--threads=") == 1 and "--threads=LIST" in text, "bench --help")


def check_interrupt():
    """Ctrl-C: status 0, and the file is whole and says that it is not complete."""
    started = subprocess.Popen([PROGRAM, "bench", "cube", "--seconds", "3600", "--threads", "1", "--sizes", "16", "--warmup", "0", "--envs", "16", "--json", path("cut.json")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        started.wait(1.5)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=200)
    if started.returncode == -signal.SIGINT:
        return "the signal came before the command was ready"
    check(started.returncode == OK and "interrupted" in said, f"Ctrl-C: status {started.returncode}, {said}")
    r = read("cut.json")
    check(r["complete"] is False and r["robots"][0]["sizes"] == [], f"Ctrl-C: {r['complete']}")
    return None


finish(check_figures, check_settings, check_refusals, check_interrupt)
