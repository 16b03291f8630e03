# The program from outside: exit statuses, messages that quote the offender, outputs that are whole or absent, the keys of
# --json, joints matched by name, Ctrl-C. Never fails on time. What `solve` is asked and answers: check_cli_solve.py.
# ctest: timeout=300
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import FOREVER, INPUT, OK, PROGRAM, QUICK, SOURCE, USAGE, WORK, check, dot, finish, near, path, problems, read, run, solver_names, terminal, write

# A trunk with two different branches, a slider at the end of one: enough that a wrong permutation shows.
LINK = '<link name="{}"><inertial><origin xyz="{}"/><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0.001" ixz="0" iyz="-0.002"/></inertial></link>'
URDF = (
    '<robot name="crab">'
    + LINK.format("trunk", "0.01 0.02 0.03", 3, 0.03, 0.04, 0.05)
    + LINK.format("left", "0 0.1 -0.1", 1, 0.01, 0.011, 0.012)
    + LINK.format("claw", "0.05 0 0", 0.4, 0.011, 0.012, 0.013)
    + LINK.format("right", "0 -0.1 -0.2", 1.5, 0.02, 0.021, 0.022)
    + '<joint name="j_left" type="revolute"><parent link="trunk"/><child link="left"/><origin xyz="0 0.2 0"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="10" velocity="10"/></joint>'
    + '<joint name="j_claw" type="prismatic"><parent link="left"/><child link="claw"/><origin xyz="0 0 -0.3" rpy="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="10"/></joint>'
    + '<joint name="j_right" type="continuous"><parent link="trunk"/><child link="right"/><origin xyz="0 -0.2 0" rpy="0 0.2 0"/><axis xyz="0 1 0"/></joint>'
    + "</robot>"
)
# Where two files keep the four joints: (name, type, q, v).
ORDER_A = [("root", "free", 0, 0), ("j_left", "revolute", 7, 6), ("j_claw", "prismatic", 8, 7), ("j_right", "revolute", 9, 8)]
ORDER_B = [("j_right", "continuous", 0, 2), ("anything", "free", 1, 3), ("j_claw", "prismatic", 8, 1), ("j_left", "revolute", 9, 0)]
WIDTH = {"free": (7, 6)}
Q = {"root": [0.1, -0.2, 0.7, 0.5, 0.5, -0.5, 0.5], "j_left": [0.4], "j_claw": [-0.1], "j_right": [1.1]}
V = {"root": [0.3, 0.1, -0.4, 0.7, -0.2, 0.9], "j_left": [1.3], "j_claw": [-0.6], "j_right": [0.8]}
TAU = {"root": [1.0, 2.0, 3.0, -0.1, 0.2, -0.3], "j_left": [0.5], "j_claw": [-4.0], "j_right": [0.25]}


def joint(name, kind):
    return "root" if kind == "free" else name


def states(order, extra=None):
    q, v, tau = [0] * 10, [0] * 9, [0] * 9
    for name, kind, at_q, at_v in order:
        nq, nv = WIDTH.get(kind, (1, 1))
        q[at_q : at_q + nq] = Q[joint(name, kind)]
        v[at_v : at_v + nv] = V[joint(name, kind)]
        tau[at_v : at_v + nv] = TAU[joint(name, kind)]
    file = {
        "floating": True,
        "joint_order": [{"name": n, "type": t, "q_index": a, "v_index": b} for n, t, a, b in order],
        "states": [{"q": q, "v": v, "tau": tau, "M": "an answer to be ignored", "acc": [1e300]}],
    }
    file.update(extra or {})
    return file


def columns(order):
    """Place of each velocity component of ORDER_A's file in the file of `order`."""
    place = {joint(n, t): b for n, t, _, b in order}
    return [place[joint(n, t)] + i for n, t, _, _ in ORDER_A for i in range(WIDTH.get(t, (1, 1))[1])]


def check_general():
    helped = run("--help").stdout
    for command in ("run", "eval", "solve", "compare", "bench", "info"):
        check(f"myriapod {command} " in helped, f"--help has no example of {command}")
        text = run(command, "--help").stdout
        check("Examples:" in text, f"{command} --help has no examples")
    keys = []
    for name, form in (("include/myriapod/settings.def", r'MYR_SETTING_\w+\(\w+, "([^"]+)"'), ("include/myriapod/episode.def", r'MYR_SETTING_\w+\(\w+, "([^"]+)"'),
                       ("tasks/text/locomotion.task", r"^number (\S+)"), ("tasks/text/hold.task", r"^number (\S+)")):
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            found = re.findall(form, file.read(), re.M)
        check(len(found) > 5, f"{name} cannot be read")
        keys += found
    text = run("run", "--help").stdout
    for key in keys:
        check(f"--{key}=" in text, f"run --help: the key {key} is not a flag")
    check(re.match(r"myriapod \d+\.\d+\.\d+", run("--version").stdout), "--version shows no version")
    run(status=USAGE, says=["run, eval, solve"])
    run("rum", status=USAGE, says=['"rum"', '"run"'])
    run("frobnicate", status=USAGE, says=['"frobnicate"'])
    run("run", status=USAGE, says=["MODEL"])
    run("run", "anymal", "hopper", status=USAGE, says=['"hopper"', '"anymal"'])
    run("run", "anymal", "--envz", "3", status=USAGE, says=['"--envz"', '"--envs"'])
    run("run", "anymal", "--tolerence=3", status=USAGE, says=['"--tolerence"', '"--tolerance"'])
    run("run", "anymal", "--envs", "many", status=USAGE, says=["envs", "many"])
    run("run", "anymal", "--envs", "0", status=USAGE, says=["envs", "0"])
    run("run", "anymal", "--solver", "bisecton", status=USAGE, says=["bisecton", "bisection-paper", "mean", "'bisection'"])
    run("run", "anymal", "--solver", "foo", status=USAGE, says=["foo", *solver_names()])
    run("run", "anymal", "--dt", "nan", status=USAGE, says=["dt", "nan"])
    run("run", "anymal", "--reward-air-tme", "1", status=USAGE, says=['"--reward-air-tme"', '"--reward-air-time"'])
    run("run", "anymal", "--hold-width", "0", status=USAGE, says=["--hold-width", "'hold-width' is 0, but must lie in 1e-09 .. 1e+06"])
    run("run", "anymal", "--soft-limit", "much", status=USAGE, says=["'soft-limit' is 'much', but must be a number"])
    run("run", "chain-2", "--profile", write("bad.json", {"soft-limit": 2}), status=INPUT, says=["bad.json", "'soft-limit' is 2, but must lie in 0 .. 1"])
    run("run", "anymal", "--json", status=USAGE, says=["json"])
    run("eval", "anymal", status=USAGE, says=["--states"])
    run("solve", status=USAGE, says=["PROBLEMS"])
    run("solve", "x.json", "--envs", "3", status=USAGE, says=['"--envs"'])
    run("run", "no-such-robot", status=INPUT, says=["no-such-robot"])
    run("run", path("absent.urdf"), status=INPUT, says=["absent.urdf"])
    run("run", write("broken.urdf", "<robot name='x'><link name='a'/>"), status=INPUT, says=["broken.urdf"])
    run("run", "chain-2", "--profile", write("bad.json", {"tolerence": 1e-3}), status=INPUT, says=["bad.json", "tolerence", "'tolerance'"])
    run("run", "chain-2", "--profile", "no-such-profile", status=INPUT, says=["no-such-profile"])

    # On a terminal the bare command teaches.
    here, there = terminal("help on a terminal")
    if here is None:
        return
    process = subprocess.Popen([PROGRAM, "run"], stdin=subprocess.DEVNULL, stdout=there, stderr=subprocess.PIPE)
    os.close(there)
    text = b""
    while select.select([here], [], [], 60)[0]: # read before the process ends: the help is longer than a terminal's buffer
        try:
            part = os.read(here, 65536)
        except OSError: # the process has closed the terminal
            break
        text += part
        if not part:
            break
    check(process.wait(60) == USAGE and b"Usage:" in text, "`run` on a terminal without arguments prints no help")
    process.stderr.close()
    os.close(here)


def check_outputs():
    for flag in ("--json", "--save"):
        run("run", "chain-2", *FOREVER, flag, path("absent/out"), status=INPUT, says=["absent/out"])
        run("run", "chain-2", *FOREVER, flag, WORK, status=INPUT, says=[WORK])
    run("run", "chain-2", *FOREVER, "--json", path("same"), "--save", path("same"), status=USAGE, says=["same"])
    run("run", "chain-2", *FOREVER, "--json", path("same"), "--save", os.path.join(os.path.dirname(path("same")), ".", "same"), status=USAGE, says=["same"])
    run("run", "chain-2", *QUICK, "--json", "/dev/full", status=INPUT, says=["/dev/full"])
    for words in (["eval", "chain-2", "--states", write("s.json", {"states": []})], ["solve", write("p.json", {"problems": []})]):
        run(*words, "--json", path("absent/out"), status=INPUT, says=["absent/out"])
        run(*words, "--json", path("empty-" + words[0]))
    check(read("empty-solve") == {"problems": []}, "solve of no problems")
    # What fails leaves the old file, and no other.
    os.mkdir(path("old"))
    write("old/r.json", "precious")
    run("run", "no-such-robot", "--json", path("old/r.json"), status=INPUT)
    with open(path("old/r.json"), encoding="utf-8") as file:
        check(file.read() == "precious", "a failed run changed its output file")
    check(os.listdir(path("old")) == ["r.json"], f"a failed run left {os.listdir(path('old'))}")
    os.symlink(path("old/r.json"), path("link.json"))
    run("run", "chain-2", *QUICK, "--json", path("link.json"))
    check(os.path.islink(path("link.json")) and "model" in read("old/r.json"), "--json does not write through a symbolic link")


KEYS = (
    "model nq nv slots envs steps warmup dt task terrain dynamics solver tolerance profile precision isa threads cpus robot_steps_per_s "
    "ns_per_robot_step_core stage_ns contacts_mean iterations_mean iterations_p99 iterations_max solves_mean solves_p99 solves_max residual_p50 residual_p99 residual_max "
    "residual_ncp_p50 residual_ncp_p99 residual_ncp_max limit_violation_max loop_error_max not_converged stalled unsolvable lane_occupancy bytes_per_env quarantined penetration_p50 penetration_max base_height_p50 upright "
    "state_hash"
).split()
RESIDUALS = [key for key in KEYS if key.startswith("residual")]
STAGES = "actuate kinematics collide dynamics free delassus solve integrate sense".split()


def check_run():
    done = run("run", "anymal", *QUICK, "--json", path("r.json"), "--save", path("batch.bin"))
    for word in ("anymal", "thread", "ns per robot-step and core", "B per environment", "quarantined", "occupancy"):
        check(word in done.stdout, f"the summary lacks `{word}`")
    check("\r" not in done.stderr, "a progress bar although stderr is not a terminal")
    check(os.path.getsize(path("batch.bin")) > 0, "--save wrote nothing")
    r = read("r.json")
    check(list(r) == KEYS, f"keys of --json: {sorted(set(r) ^ set(KEYS))}")
    check(list(r["stage_ns"]) == STAGES, f"stages: {list(r['stage_ns'])}")
    expected = {"model": "anymal", "nq": 19, "nv": 18, "envs": 20, "steps": 5, "warmup": 3, "dt": 0.001, "task": "stand", "solver": "hybrid", "precision": "f32"}
    for key, value in expected.items():
        check(r[key] == value, f"{key} is {r[key]}, not {value}")
    check(re.fullmatch("[0-9a-f]{16}", r["state_hash"]), f"state_hash {r['state_hash']}")
    check(near(r["ns_per_robot_step_core"] * r["robot_steps_per_s"] / 1e9 / r["threads"], 1.0), "the two speeds disagree")
    check(len(r["cpus"]) == r["threads"], "cpus has not one number per thread")
    check(r["residual_p50"] <= r["residual_p99"] <= r["residual_max"], "residual percentiles are out of order")
    check(r["contacts_mean"] > 0 and r["iterations_max"] >= r["iterations_p99"] >= 1, "a standing robot touches nothing")
    check(0 < r["lane_occupancy"] <= 1 and r["quarantined"] == 0, "lane occupancy or quarantine")

    one = run("run", "anymal", *QUICK, "--threads", "1", "--json", "-")
    check(json.loads(one.stdout)["state_hash"] == r["state_hash"], "one thread has another hash; or --json - is not JSON alone")

    # default < profile < flag, wherever the flag stands
    run("run", "chain-2", "--precision", "f32", *QUICK, "--profile", "paper", "--json", path("r.json"))
    r = read("r.json")
    check((r["profile"], r["solver"], r["precision"], r["task"]) == ("paper", "bisection-paper", "f32", "none"), "default < profile < flag")
    run("run", "chain-2", "--envs", "3", "--steps", "0", "--warmup", "0", "--json", path("r.json"))
    r = read("r.json")
    check(list(r) == KEYS and r["steps"] == 0 and r["robot_steps_per_s"] is None, "a run of no steps")
    check(all(r[key] is None for key in RESIDUALS), f"residuals of no solve: {[r[key] for key in RESIDUALS]}")
    # A speed limit that falling robots break: named by global id, with the reason, and still a success.
    done = run("run", "anymal", "--task", "drop", "--envs", "20", "--steps", "500", "--warmup", "0", "--speed-limit", "3", "--first-env", "1000", "--json", path("r.json"))
    check(read("r.json")["quarantined"] == 20, f"{read('r.json')['quarantined']} of 20 robots faster than 3 m/s are in quarantine")
    check("1000 (speed limit)" in done.stdout, "the summary names no quarantined environment by its global id")


def check_interrupt():
    """Ctrl-C on a terminal: the bar was there, the figures so far come out, and stepping in pieces has changed no bit."""
    here, there = terminal("progress bar and Ctrl-C")
    if here is None:
        return
    words = [PROGRAM, "run", "chain-2", "--envs", "64", "--steps", "1000000000", "--warmup", "0", "--json", path("c.json")]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=there, text=True, env={**os.environ, "TERM": "xterm"})
    os.close(there)
    seen, until = b"", time.time() + 60
    while time.time() < until and process.poll() is None and seen.count(b"robot-steps/s") < 3:
        if select.select([here], [], [], 1)[0]:
            seen += os.read(here, 4096)
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        process.kill()
        problems.append("Ctrl-C does not end a run")
        return
    finally:
        os.close(here)
    check(b"[" in seen and b"%" in seen and b"left" in seen, f"no progress bar on a terminal: {seen[:200]}")
    if not check(process.returncode == OK and "state" in out, f"Ctrl-C: exit {process.returncode}: {out[:200]}"):
        return
    r = read("c.json")
    if check(0 < r["steps"] < 1000000000, f"after Ctrl-C steps is {r['steps']}") and r["steps"] < 3000000:
        run("run", "chain-2", "--envs", "64", "--steps", str(r["steps"]), "--warmup", "0", "--json", path("d.json"))
        check(read("d.json")["state_hash"] == r["state_hash"], "the interrupted run and the whole run differ")


def check_eval():
    model = write("crab.urdf", URDF)
    answers = {}
    for label, order in (("a", ORDER_A), ("b", ORDER_B)):
        for precision in ("f64", "f32"):
            run("eval", model, "--states", write("in.json", states(order)), "--precision", precision, "--json", path("out.json"))
            answers[label, precision] = read("out.json")
    a = answers["a", "f64"]["states"][0]
    n = range(9)
    v, tau = states(ORDER_A)["states"][0]["v"], states(ORDER_A)["states"][0]["tau"]
    check(answers["a", "f64"]["floating"] is True and a["v"] == v, "eval does not repeat the state")
    check(all(near(a["M"][i][j], a["M"][j][i]) for i in n for j in n), "M is not symmetric")
    check(near(a["kinetic"], 0.5 * dot(v, [dot(row, v) for row in a["M"]])), "kinetic is not v' M v / 2")
    check(all(near(dot(a["M"][i], a["acc"]) + a["bias"][i], tau[i], 100) for i in n), "M acc + bias is not tau")
    check(near(a["M"][0][0], 5.9), "the total mass is not on M's diagonal")
    check(near(a["potential"], 5.9 * 9.81 * a["com"][2], 100), "potential is not m g z")
    check(set(a["frames"]) == {"trunk", "left", "claw", "right"}, f"frames: {sorted(a['frames'])}")
    for name, frame in a["frames"].items():
        check(set(frame) == {"pos", "quat_wxyz", "linvel_world", "angvel_world", "Jpos"}, f"keys of frame {name}")
        check(all(near(dot(frame["Jpos"][i], v), frame["linvel_world"][i]) for i in range(3)), f"Jpos v is not the velocity of {name}")
        check(near(dot(frame["quat_wxyz"], frame["quat_wxyz"]), 1), f"quaternion of {name}")
    # The other order: the same numbers in other places, bit for bit.
    at = columns(ORDER_B)
    for precision in ("f64", "f32"):
        a, b = (answers[label, precision]["states"][0] for label in "ab")
        check([[b["M"][at[i]][at[j]] for j in n] for i in n] == a["M"], f"{precision}: M is not permuted by name")
        for key in ("v", "tau", "bias", "acc"):
            check([b[key][at[i]] for i in n] == a[key], f"{precision}: {key} is not permuted by name")
        check(b["q"][1:8] == a["q"][0:7] and [b["q"][i] for i in (9, 8, 0)] == a["q"][7:], f"{precision}: q is not permuted by name")
        for key in ("kinetic", "potential", "com"):
            check(a[key] == b[key], f"{precision}: {key} depends on the joint order")
        for name in a["frames"]:
            check([[row[at[i]] for i in n] for row in b["frames"][name]["Jpos"]] == a["frames"][name]["Jpos"], f"{precision}: Jpos of {name} is not permuted")
    check(answers["a", "f32"]["states"][0]["M"] != answers["a", "f64"]["states"][0]["M"], "--precision changes nothing")

    some = states(ORDER_A, {"frames": ["claw"]})
    run("eval", model, "--states", write("in.json", some), "--json", path("out.json"))
    check(list(read("out.json")["states"][0]["frames"]) == ["claw"], "`frames` does not choose the frames")
    fixed = {"floating": False, "states": [{"q": [0.1, 0.2, 0.3], "v": [0, 0, 0], "tau": [0, 0, 0]}]}
    run("eval", model, "--states", write("in.json", fixed), "--json", path("out.json"))
    check(read("out.json")["nv"] == 3, "`floating`: false gives no fixed root")

    def refused(says, change, order=None):
        file = states(order or ORDER_A)
        change(file)
        run("eval", model, "--states", write("in.json", file), "--json", path("out.json"), status=INPUT, says=["in.json", *says])

    order, state = "joint_order", lambda f: f["states"][0]
    refused(['"j_klaw"', '"j_claw"'], lambda f: f[order][2].update(name="j_klaw"))
    refused(['"j_claw"', "missing"], lambda f: f[order].pop(2))
    refused(['"j_left"', "twice"], lambda f: f[order][2].update(name="j_left", type="revolute"))
    refused(['"j_claw"', '"revolute"', "prismatic"], lambda f: f[order][2].update(type="revolute"))
    refused(["q_index", "overlaps"], lambda f: f[order][2].update(q_index=7))
    refused(["v_index", "9", "outside"], lambda f: f[order][3].update(v_index=9))
    refused(["v_index", '"x"'], lambda f: f[order][3].update(v_index="x"))
    refused(['"anything"', "fixed"], lambda f: f.update(floating=False), ORDER_B)
    refused(['"floating"', '"yes"'], lambda f: f.update(floating="yes"))
    refused(['"frames"', '"clwa"', '"claw"'], lambda f: f.update(frames=["clwa"]))
    refused(["state 0", '"q"', "9", "10"], lambda f: state(f)["q"].pop())
    refused(["state 0", '"v"', "missing"], lambda f: state(f).pop("v"))
    refused(["state 0", '"tau"[3]', "NaN"], lambda f: state(f)["tau"].__setitem__(3, float("nan")))
    refused(["state 0", "quaternion", "2"], lambda f: state(f)["q"].__setitem__(slice(3, 7), [2, 0, 0, 0]))
    refused(['"states"'], lambda f: f.pop("states"))
    run("eval", model, "--states", write("in.json", '{"states": [}'), status=INPUT, says=["in.json", "line 1"])
    run("eval", model, "--states", path("absent.json"), status=INPUT, says=["absent.json"])


def all_near(a, b):
    return len(a) == len(b) and all(near(x, y, abs(y)) for x, y in zip(a, b))


def check_eval_on_request():
    """Forces that give accelerations, and whole Jacobians: in the file's order, and only where they are asked for."""
    model = write("crab.urdf", URDF)
    answers = {}
    for name, order in (("a", ORDER_A), ("b", ORDER_B)):
        file = states(order)
        place, rates = columns(order), [0.3, -1.2, 2.1, 0.4, -0.7, 1.9, -2.2, 0.6, 1.1]
        file["states"][0]["vdot"] = [0] * 9
        for at, rate in zip(place, rates):
            file["states"][0]["vdot"][at] = rate
        run("eval", model, "--states", write(f"{name}.json", json.dumps(file)), "--jacobian", "--json", path("out.json"))
        state = read("out.json")["states"][0]
        wanted = [dot(row, state["vdot"]) + bias for row, bias in zip(state["M"], state["bias"])]
        check(all_near(state["inverse_dynamics"], wanted), f"inverse dynamics, order {name}: {state['inverse_dynamics']} not {wanted}")
        for frame, got in state["frames"].items():
            velocity = [dot(row, state["v"]) for row in got["J"]]
            check(len(got["J"]) == 6 and all_near(velocity, got["linvel_world"] + got["angvel_world"]), f"J v of {frame}: {velocity}")
            check(all_near(sum(got["J"][:3], []), sum(got["Jpos"], [])), f"J and Jpos of {frame}")
        answers[name] = [state["inverse_dynamics"][at] for at in place] + [row[at] for row in state["frames"]["claw"]["J"] for at in place]
    check(all_near(answers["a"], answers["b"]), "inverse dynamics and Jacobians depend on the file's order")
    run("eval", model, "--states", write("plain.json", json.dumps(states(ORDER_A))), "--json", path("out.json"))
    state = read("out.json")["states"][0]
    check("inverse_dynamics" not in state and "J" not in state["frames"]["claw"], "answers that were not asked for")
    file["states"][0]["vdot"] = [1, 2]
    run("eval", model, "--states", write("b.json", json.dumps(file)), status=INPUT, says=['"vdot"', "2 numbers", "needs 9"])


MJCF = '''<mujoco model="crane"><worldbody><body><joint name="turn" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/>
<body pos="0 0 .3"><joint name="lift" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></body></worldbody>
<actuator><position name="turn" joint="turn" kp="40" kv="4"/><motor name="lift" joint="lift" gear="9" ctrlrange="-1 1"/></actuator>
<keyframe><key name="home" qpos="0 -.5"/><key name="low" qpos=".4 .2" ctrl=".4 .1"/></keyframe></mujoco>'''


def check_driving():
    """Home, gains, controls, recordings and saved batches: each is seen in what comes out, and a wrong one named."""
    robot = write("crane.xml", MJCF)
    text = run("info", robot).stdout
    for word in ("2 actuators", "keyframes     home low", "torque ", "target "):
        check(word in text, f"info of an MJCF lacks `{word}`")

    def hash_of(*words, steps="40"):
        result = json.loads(run("run", robot, "--envs", "3", "--steps", steps, "--warmup", "0", "--precision", "f64", "--json", "-", *words).stdout)
        return result["state_hash"]

    told = json.loads(run("info", robot, "--json").stdout)
    check([a["name"] for a in told["actuators"]] == ["turn", "lift"] and told["actuators"][0]["kp"] == 40 and told["actuators"][1]["force"] == [-9, 9]
          and told["actuators"][1]["controls"] == "torque" and told["actuators"][1]["terms"] == [{"joint": "lift", "moment": 1}], f"actuators: {told['actuators']}")
    check([k["name"] for k in told["keyframes"]] == ["home", "low"] and told["keyframes"][1]["control"] == [0.4, 0.1], f"keyframes: {told['keyframes']}")

    pose = write("pose.json", {"joints": {"lift": 0.2, "turn": 0.4}})
    gains = write("gains.json", {"actuators": {"lift": {"kp": 80}}})
    same = write("same.json", {"kp": [40, 0], "kd": [4, 0]})
    row = write("row.txt", "# turn lift\n0.4, 0.1\n")
    plain = hash_of()
    check(hash_of("--home", "home") == plain, "--home home is not home")
    check(hash_of("--home", "low") == hash_of("--home", write("q.json", {"q": [0.4, 0.2]}), "--target", row), "a keyframe is not its pose and controls")
    check(hash_of("--home", pose) == hash_of("--home", path("q.json")), "joints by name are not q")
    check(len({plain, hash_of("--home", "low"), hash_of("--home", pose), hash_of("--gains", gains), hash_of("--target", "sine:0.1"),
               hash_of("--target", "sine:0.1,2"), hash_of("--target", row), hash_of("--ground", "0.6")}) == 8, "a flag changes nothing")
    check(hash_of("--gains", same) == plain, "the gains of the file itself change something")
    check(hash_of("--motors", write("pd.json", {"*": {}})) == plain, "motors that are a pd at once change something")
    slow = {"turn": {"kind": "dc", "stall": 60, "speed": 2, "delay": [1, 3]}, "l*": {"lag": "exact", "lag_s": 0.1, "lag_range": [-1, 1], "lag_behind": True}}
    check(hash_of("--motors", write("slow.json", slow), "--target", row) != hash_of("--target", row), "--motors changes nothing")
    check(hash_of("--target", "home") == plain, "--target home changes something")
    check(hash_of("--target", write("long.txt", "0.4 0.1\n" * 40)) == hash_of("--target", row), "the last line of controls does not stay")

    run("run", robot, "--envs", "3", "--steps", "15", "--warmup", "0", "--precision", "f64", "--save", path("half.save"))
    check(hash_of("--restore", path("half.save"), steps="25") == plain, "--restore does not go on where --save was")
    run("run", robot, "--envs", "3", "--steps", "40", "--warmup", "5", "--record", path("crane.rec"), "--record-envs", "2", "--record-every", "10")
    check(os.path.getsize(path("crane.rec")) > 4 * 2 * 4 * 4, "--record wrote less than four frames")

    small = ["--envs", "2", "--steps", "3", "--warmup", "0"]
    for flag, content, says in (("--home", {"q": [1]}, ["bad.json", "2 numbers"]), ("--home", {"joints": {"lfit": 1}}, ["`lfit`", "'lift'"]),
                                ("--home", {"joints": {"lift": "x"}}, ["lift", '"x"']), ("--home", [1], ["bad.json", "a pose is"]),
                                ("--gains", {"kp": -1}, ["kp", "-1"]), ("--gains", {"kp": [1]}, ["kp", "2 actuators"]), ("--gains", {"kq": 1}, ["kq"]),
                                ("--gains", {"actuators": {"lfit": {}}}, ["'lift'"]), ("--gains", {"actuators": {"lift": {"k": 1}}}, ["lift", '"k"']),
                                ("--gains", {"actuators": [1]}, ["actuators"]), ("--target", "1 2\n1 2 3\n", ["bad.json:2", "more than 2"]),
                                ("--target", "1 2\n\n1\n", ["bad.json:3", "1 number"]), ("--target", "1 x\n", ["bad.json:1", '"x']),
                                ("--target", "1 nan\n", ["bad.json:1"]), ("--target", "# 1 2\n", ["no numbers"]),
                                ("--target", "1 2\n\0x\n", ["byte 4 is 0"]), ("--home", {"joints": {}, "lift": 1}, ['"lift"']), ("--gains", {}, ["no gains"]),
                                ("--motors", {}, ["motors are"]), ("--motors", {"lfit": {}}, ["`lfit`", "'lift'"]), ("--motors", {"*": {"kind": "steam"}}, ['"steam"']),
                                ("--motors", {"*": {"kind": "dc", "stall": 3}}, ["speed of its dc motor is 0"]), ("--motors", {"*": {"stall": 3}}, ["stall", "pd"]),
                                ("--motors", {"*": {"delay": [1.5, 2]}}, ["delay", "1.5"]), ("--motors", {"*": {"lag": "soon"}}, ["lag", "soon"]),
                                ("--motors", {"*": {"net": "/nowhere.json"}}, ["/nowhere.json"]), ("--motors", {"*": 3}, ['"*"', "3"])):
        run("run", robot, *small, flag, write("bad.json", content), status=INPUT, says=says)
    for words, says in ((["--home", "hom"], ["'home'", "`hom`"]), (["--home", path("none.json")], ["none.json"]), (["--gains", path("none.json")], ["none.json"]),
                        (["--target", path("none.txt")], ["none.txt"]), (["--restore", path("none.save")], ["none.save"]),
                        (["--restore", path("pose.json")], ["pose.json"]), (["--record", "/nowhere/at/all.rec"], ["/nowhere/at/all.rec"])):
        run("run", robot, *small, *words, status=INPUT, says=says)
    for words, says in ((["--target", "sine:"], ["sine:"]), (["--target", "sine:1,x"], ["sine:1,x"]), (["--record-envs", "2"], ["--record FILE"]),
                        (["--record", "-"], ["--record"]), (["--ground", "high"], ["ground"]), (["--hull-corners", "3"], ["4 to 64"]),
                        (["--self-collision", "some"], ["some", "off, auto, all"]),
                        (["--record", path("x.rec"), "--record-every", "9" * 20], ["--record-every"])):
        run("run", robot, *small, *words, status=USAGE, says=says)
    run("run", "anymal", *QUICK, "--task", "trot", "--target", "sine:0.1", status=USAGE, says=["trot"])
    stops = write("stops.xml", MJCF.replace('name="lift"', 'name="lift" range="-60 60"', 1))
    run("run", stops, *small, "--home", write("far.json", {"joints": {"lift": 90}}), says=["far.json", '"lift"', "limits"])
    run("run", robot, *small, "--start-height", "0.3", says=["--start-height", "the task none"])
    check("hold, none" in run("info", robot).stdout and "hold" not in run("info", "cube").stdout, "info lists other tasks than the robot can do")
    run("run", "cube", *QUICK, "--target", "sine:0.1", status=INPUT, says=["no actuators"])
    run("view", "crane.rec", status=INPUT, says=["MYRIAPOD_PYTHON", "/no/python"], env={**os.environ, "MYRIAPOD_PYTHON": "/no/python"})
    run("view", "crane.rec", status=INPUT, says=["pip install", "has not"], env={**os.environ, "MYRIAPOD_PYTHON": "false"})
    python = write("python", '#!/bin/sh\n[ "$1" = -c ] || echo "$@" >&2\n')
    os.chmod(python, 0o755)
    for command in ("train", "score", "play", "view"):  # start Python's, with the words as they are
        run(command, status=INPUT, says=[f"myriapod.{command}", "pip install", "has not"], env={**os.environ, "MYRIAPOD_PYTHON": "false"})
        run(command, "a b", "--c", says=[f"-m myriapod.{command} a b --c"], env={**os.environ, "MYRIAPOD_PYTHON": python})


def check_info():
    text = run("info").stdout
    with open(os.path.join(SOURCE, "kernels", "isas.def"), encoding="utf-8") as file:
        isas = re.findall(r"^MYR_ISA\((\w+),", file.read(), re.M)
    check(len(isas) >= 3, f"kernels/isas.def lists {isas}")
    for word in ("processor", *isas, "threads", "isa", "SLEEF", "core"):
        check(word in text, f"info lacks `{word}`")
    text = run("info", write("crab.urdf", URDF)).stdout
    for word in ("crab", "j_claw", "prismatic", "nv 9", "5.9 kg", "warnings"):
        check(word in text, f"info MODEL lacks `{word}`")
    check("nv 3" in run("info", path("crab.urdf"), "--root", "fixed").stdout, "info --root fixed")
    text = run("info", "--profile", "paper", "--alpha-min", "0.5").stdout
    for pattern in (r"tolerance +1e-06 ", r"solver +bisection-paper ", r"alpha-min +0\.5 .*command line"):
        check(re.search(pattern, text), f"info --profile paper lacks {pattern}")
    run("info", "no-such-robot", status=INPUT, says=["no-such-robot"])
    text = run("info", "stack-3", "--time").stdout
    for pattern in (r"falls, nothing can touch +\d+\n", r"falls, all shapes +\d+   \d+\.\d contacts, [+-]\d+\.\d\d for each of 3 pairs\n",
                    r"after 1 s from home +\d+   \d+\.\d contacts"):
        check(re.search(pattern, text), f"info --time lacks {pattern}: {text}")
    run("info", "--time", status=USAGE, says=["MODEL is missing"])
    run("info", "anymal", "--time", "--json", status=USAGE, says=["--json", "--time"])


def check_objects():
    """Models beside a robot: --object of run and info."""
    yard = ["anymal", "--object", "cube@2,0,0.5", "--object", "cube@3,-1e-1,1", "--object", "double-pendulum"]
    model = json.loads(run("info", *yard, "--json").stdout)
    names = [b["name"] for b in model["bodies"]]
    check(model["nu"] == 14 and {"base", "cube/cube", "cube_2/cube"} <= set(names), f"info --object: {names}")
    check(model["home"][19:22] == [2, 0, 0.6] and model["home"][26:29] == [3, -0.1, 1.1], f"homes of objects: {model['home'][19:]}")
    turned = json.loads(run("info", "cube", "--object", "cube@1,2,3,0,2,0,0", "--json").stdout)["home"]  # upside down: 0.1 m below its origin
    check(near(turned[7], 1) and near(turned[8], 2) and near(turned[9], 2.9) and turned[10:] == [0, 1, 0, 0], f"info --object with a turn: {turned}")
    check(run("run", *yard, *QUICK, "--save", path("yard.save")).stdout.startswith("robot        anymal"), "run --object")
    run("run", *yard, *QUICK, "--restore", path("yard.save"))
    for words, says in ((["--object", "cube@1,2"], ["1,2"]), (["--object", "cube@1,2,x"], ["1,2,x"]), (["--object", "@1,2,3"], ["names no model"]),
                        (["--object", "cube@1,2,nan"], ["nan"]), (["--object", "cube@1,2,3,1"], ["1,2,3,1"]), (["--object", "cube@1,2,3,1,0,0,0,0"], ["1,0,0,0,0"])):
        run("run", "anymal", *QUICK, *words, status=USAGE, says=says)
    run("run", "anymal", *QUICK, "--object", "no-such", status=INPUT, says=["--object", "no-such"])
    run("info", "anymal", "--object", path("none.urdf"), status=INPUT, says=["--object", "none.urdf"])


def check_terrain():
    """Generated ground: --terrain of run and info."""
    text = run("info", "--terrain", "legged-gym").stdout
    for pattern in (r"Terrain legged-gym, seed 1\n", r"samples +1312 x 2112, 0\.1 m apart", r"heights +-1\.89 to 1\.89 m, whole steps of 0\.005 m\n", r"fields and columns\n",
                    r"10 levels x 20 columns of 8 m\n", r"kinds +slope 0-1, rough 2-3, stairs 4-15, obstacles 16-19\n", r"hash +[0-9a-f]{16}\n"):
        check(re.search(pattern, text), f"info --terrain lacks {pattern}: {text}")
    check("Terrain" not in run("info", "anymal").stdout, "info speaks of a map where the ground is a plane")
    plane, stairs, rough = (json.loads(run("info", "anymal", "--json", *words).stdout) for words in ([], ["--terrain", "stairs"], ["--terrain", "rough", "--terrain-seed", "7"]))
    check(plane["terrain"] is None and len(plane["slots"]) == 12 and len(stairs["slots"]) == 20 and plane["hash"] != stairs["hash"], "a model on a map: slots and hash of info --json")
    check(stairs["terrain"]["kinds"] == ["stairs"] * 4 and stairs["terrain"]["columns"] and stairs["terrain"]["samples"] == [960, 480], f"terrain of info --json: {stairs['terrain']}")
    check(rough["terrain"]["fields"] and not rough["terrain"]["columns"] and (rough["terrain"]["lowest"], rough["terrain"]["highest"]) == (0, 0.1), f"terrain of info --json: {rough['terrain']}")
    done = run("run", "anymal", *QUICK, "--terrain", "rough", "--terrain-seed", "7", "--json", path("map.json"))
    check(re.search(r"\nterrain +rough, seed 7: 960 x 480 samples.*10 levels x 4 columns", done.stdout), f"run --terrain: {done.stdout}")
    check(read("map.json")["terrain"] == rough["terrain"] and read("map.json")["slots"] == 20, "terrain of run --json")
    for command in ("run", "info"):
        run(command, "anymal", "--terrain", "leged-gym", status=USAGE, says=["leged-gym", "'legged-gym'", "stones"])
    run("run", "anymal", *QUICK, "--terrain", "rough", "--ground", "off", status=INPUT, says=["ground"])
    run("run", "anymal", *QUICK, "--terrain-seed", "-1", status=USAGE, says=["terrain-seed"])


def check_info_json():
    text = run("info", write("crab.urdf", URDF), "--json").stdout
    model = json.loads(text)
    check("processor" not in text, "info --json speaks of the machine")
    check([j["name"] for j in model["joints"]][1:] == ["j_left", "j_claw", "j_right"], "joints of info --json")
    left, claw, right = model["joints"][1:]
    check((claw["q"], claw["v"], claw["u"], claw["parent"], claw["type"]) == (8, 7, 1, "j_left", "prismatic"), f"j_claw: {claw}")
    check(left["range"] == [-2, 2] and left["effort"] == 10 and left["velocity_limit"] == 10 and left["position"] == [0, 0.2, 0], f"j_left: {left}")
    check(right["range"] is None and right["axis"] == [0, 1, 0] and right["effort"] is None, f"j_right: {right}")
    check(model["joints"][0]["axis"] is None and model["joints"][0]["parent"] is None, "the free joint of info --json")
    bodies = {b["name"]: b for b in model["bodies"]}
    check(bodies["claw"]["parent"] == "left" and bodies["claw"]["mass"] == 0.4 and bodies["claw"]["com"] == [0.05, 0, 0], "bodies of info --json")
    check(bodies["right"]["inertia"] == [0.02, 0.021, 0.022, 0.001, 0, -0.002], f"inertia: {bodies['right']['inertia']}")
    check(model["gravity"] == [0, 0, -9.81] and len(model["home"]) == model["nq"] == 10 and re.fullmatch("[0-9a-f]{16}", model["hash"]), "head of info --json")
    check(any("touch" in w for w in model["warnings"]), f"warnings: {model['warnings']}")
    run("info", path("crab.urdf"), f"--json={path('crab.json')}")
    check(read("crab.json") == model, "--json=FILE differs from --json")
    check(json.loads(run("info", path("crab.urdf"), "--json", "--root", "fixed").stdout)["nv"] == 3, "info --json --root fixed")
    balls = json.loads(run("info", "stack-2", "--json").stdout)
    check(balls["pairs"] == [{"slot": 16, "n_slots": 9, "geoms": [0, 1], "friction": 0.95}] and balls["slots"][16]["other"] == 1, f"pairs: {balls['pairs']}")
    check(balls["slots"][0]["other"] is None and balls["geoms"][0]["size"] == [0.1, 0.1, 0.1], "slots of the ground")
    told = {word: json.loads(run("info", "chain-6", "--json", "--self-collision", word).stdout) for word in ("off", "auto", "all")}
    found = {word: one["self_contact"] for word, one in told.items()}
    check(found["off"] == json.loads(run("info", "chain-6", "--json").stdout)["self_contact"] == {"self_collision": "off", "filtered": 0, "kept": 0, "dropped": []},
          f"self-contact of info --json: {found['off']}")
    check(found["all"]["filtered"] == found["auto"]["filtered"] == found["all"]["kept"] == len(told["all"]["pairs"]) > 0, f"all pairs: {found['all']}")
    check(found["auto"]["kept"] == len(told["auto"]["pairs"]) == found["auto"]["filtered"] - len(found["auto"]["dropped"]), f"pairs that can meet: {found['auto']}")
    check(f"{found['auto']['kept']} of {found['auto']['filtered']} pairs kept" in run("info", "chain-6", "--self-collision", "auto").stdout, "self-contact of info")
    linkage = json.loads(run("info", os.path.join(SOURCE, "tests", "models", "linkage.urdf"), "--json").stdout)
    check(linkage["loops"] and {"body", "other", "position"} <= set(linkage["loops"][0]), f"loops: {linkage['loops']}")
    run("info", "--json", status=USAGE, says=["MODEL"])
    run("info", "anymal", "--json", "x.json", status=USAGE, says=["--json=FILE"])
    run("info", "no-such-robot", "--json", status=INPUT, says=["no-such-robot"])


finish(check_general, check_outputs, check_run, check_interrupt, check_eval, check_eval_on_request, check_driving, check_info, check_objects, check_terrain, check_info_json)
