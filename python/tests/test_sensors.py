"""Sensors beside their definitions: readings and step means of ../shared/oracles where they are, beside MuJoCo, and laws that need neither."""
import importlib.util
import json
import pathlib
import warnings

import myriapod
import numpy as np
import pytest
from mjcf_scene import batch_of, model_of
from myriapod import ArgumentError, Batch
from myriapod.envs.lane_task import LaneTask
from myriapod.settings import instruction_sets

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracles" / "worlds2"
G1 = FOLDER.parents[1] / "models" / "mujoco_warp" / "unitree_g1" / "scene_flat.xml"
WHY = "truth that none of the project's code computed lies in ../shared/oracles"


def reference():
    spec = importlib.util.spec_from_file_location("reference", FOLDER / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def off(ours, truth, kind):
    """By how much; a quaternion and its negative are one."""
    ours, truth = np.asarray(ours, float), np.asarray(truth, float)
    wrong = [np.abs(ours - truth).max()]
    if kind in ("framequat", "ballquat"):
        wrong.append(np.abs(ours + truth).max())
    return min(wrong) / max(1.0, np.abs(truth).max())


def named(case):
    """Its XML with a name for each sensor, by their order."""
    parts = case["xml"].split("<sensor>")
    body, tail = parts[1].split("</sensor>")
    pieces = body.split("<")
    out, n = [pieces[0]], 0
    for piece in pieces[1:]:
        if piece and piece[0].isalpha():
            word, _, rest = piece.partition(" ")
            if ' name="' not in piece:
                rest = f'name="sensor {n}" {rest}'
            n += 1
            piece = f"{word} {rest}"
        out.append(piece)
    return f"{parts[0]}<sensor>{'<'.join(out)}</sensor>{tail}"


CASES = json.loads((FOLDER / "sensors.json").read_text())["models"] if FOLDER.exists() else []
STEP_MEANS = ("accelerometer", "framelinacc", "frameangacc", "force", "torque")


@pytest.mark.skipif(not CASES, reason=WHY)
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_readings_beside_the_oracle(precision):
    tolerance = 1e-10 if precision == "f64" else 3e-4
    compared, kinds = 0, set()
    for case in CASES:
        model = model_of(named(case))
        names = {s.name: s for s in model.sensors}
        states = case["states"]
        with batch_of(model, len(states), precision) as batch:
            batch.set("q", np.array([s["q"] for s in states]))
            batch.set("v", np.array([s["v"] for s in states]))
            batch.refresh()
            for i, sensor in enumerate(case["sensors"]):
                kind = sensor["type"]
                if f"sensor {i}" not in names or kind in STEP_MEANS or kind.endswith("frc"):
                    continue
                read = batch.sensor(f"sensor {i}")
                for k, state in enumerate(states):
                    assert off(read[k], state["values"][i], kind) < tolerance, (case["name"], i, sensor, k, read[k], state["values"][i])
                    compared += 1
                kinds.add(kind)
    print(f"{compared} readings of {len(kinds)} kinds")
    assert compared > 3000 and len(kinds) >= 18


@pytest.mark.skipif(not CASES, reason=WHY)
@pytest.mark.parametrize("where", ["in the air", "on the ground"])
def test_step_means_beside_the_definition(where):
    step = reference().step
    compared = touched = 0
    for case in CASES:
        model = model_of(named(case))
        chosen = [(i, s) for i, s in enumerate(case["sensors"]) if s["type"] in STEP_MEANS and f"sensor {i}" in {x.name for x in model.sensors}]
        bodies = {b["name"]: k for k, b in enumerate(case["table"]["bodies"])}

        def number(name, bodies=bodies):
            """In the table, of a link: of a body with several joints the last one has its name, of one without a name the place in the file."""
            return bodies[name.partition(".")[0]] if name.partition(".")[0] in bodies else int(name.removeprefix("body_")) - 1

        shared = {b["parent"] for b in case["table"]["bodies"] if not b["joints"]}  # bodies with others fixed to them: whose contact is it?
        dt, states = 0.002, case["states"]
        with batch_of(model, len(states), dt=dt, sense="contacts", tolerance=1e-12) as batch:
            q = np.array([s["q"] for s in states])
            v = np.array([s["v"] for s in states]) * 0.2
            if model.joints[0].type != "free":
                if where == "on the ground":
                    continue
            else:
                q[:, 2] += 5 if where == "in the air" else 0
            batch.set("q", q)
            batch.set("v", v)
            if where == "on the ground":  # as deep as a shape may be: near the ground, then so many steps that some touch
                batch.step(1)
            q0, v0 = batch.get("q").copy(), batch.get("v").copy()
            batch.step(1)
            q1, v1, impulse = batch.get("q"), batch.get("v"), batch.get("impulse")
            point, normal = batch.get("contact_point"), batch.get("contact_normal")
            for k in range(len(states)):
                contacts = []
                for s in np.flatnonzero(impulse[k].any(axis=1)):
                    slot = model.slots[s]
                    z = normal[k, s]
                    along = np.eye(3)[1 if abs(z[0]) > 0.9 else 0]
                    x = along - (along @ z) * z
                    x /= np.linalg.norm(x)
                    world = impulse[k, s] @ np.array([x, np.cross(z, x), z])
                    contacts.append((number(model.bodies[slot.body].name), point[k, s], world))
                    if slot.other_body >= 0:
                        contacts.append((number(model.bodies[slot.other_body].name), point[k, s], -world))
                if shared & {c[0] for c in contacts}:
                    continue
                touched += len(contacts)
                for i, sensor in chosen:
                    truth = step(case["table"], sensor, q0[k], v0[k], q1[k], v1[k], dt, contacts)
                    assert off(batch.sensor(f"sensor {i}")[k], truth, sensor["type"]) < 1e-8, (case["name"], sensor, k)
                    compared += 1
    print(f"{compared} step means, {touched} contacts")
    assert compared > 200 and (where == "in the air" or touched > 10)


def test_a_standing_robot_feels_its_weight():
    model = myriapod.load("anymal").with_sensors({"name": "feet", "kind": "contact_force", "of": "*FOOT*", "touched_by": "ground"},
                                                 {"name": "push", "kind": "touch", "of": "*FOOT*"},
                                                 {"name": "imu", "kind": "accelerometer", "of": "base"},
                                                 {"name": "held", "kind": "force", "of": "LF_THIGH"})
    with Batch(model, 20, task="stand", precision="f64", tolerance=1e-7) as batch:
        batch.step(1500)
        weight = model.mass * 9.81
        assert np.allclose(batch.sensor("feet"), [0, 0, weight], atol=1e-6 * weight)
        assert np.allclose(batch.sensor("push"), weight, rtol=1e-6)
        assert np.allclose(np.linalg.norm(batch.sensor("imu"), axis=1), 9.81, rtol=1e-6)


@pytest.mark.skipif(not G1.exists(), reason=WHY)
def test_a_standing_humanoids_feet_carry_it():
    """Unitree's G1 on its own feet, seven spheres each, by stiff position motors: the ground's force is its weight as far as the solver goes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = myriapod.load(str(G1), keyframe="home").with_sensors({"name": "feet", "kind": "contact_force", "of": "*foot*", "touched_by": "ground"})
    weight, held = model.mass * 9.81, [model.joints[a.joints[0]].q for a in model.actuators]
    for tolerance, most in ((1e-7, 1e-5), (1e-5, 1e-5 / (9.81 * 0.005))):
        with batch_of(model, 2, kp=2000, kd=60, dt=0.005, tolerance=tolerance) as batch:
            batch.target = batch.q[:, held]
            batch.step(800)
            assert np.abs(batch.v).max() < 1e-3 and 0.78 < batch.q[1, 2] < 0.79
            assert np.abs(batch.sensor("feet")[1] / weight - [0, 0, 1]).max() < most


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_an_impact_is_felt_whole(precision):
    model = myriapod.load("sphere").with_sensors({"name": "hit", "kind": "contact_force", "of": "*"}, {"name": "felt", "kind": "accelerometer"},
                                                 {"name": "time", "kind": "air_time", "of": "*"})
    dt = 0.001
    with batch_of(model, 3, precision, dt=dt, restitution=0) as batch:
        q = batch.get("q").copy()
        q[:, 2] += 0.3
        batch.set("q", q)
        seen = False
        for _ in range(400):
            before = batch.get("v")[:, 2].copy()
            batch.step(1)
            after, force = batch.get("v")[:, 2], batch.sensor("hit")[:, 2]
            if force.max() > 0 and not seen:
                seen = True
                assert np.allclose(force * dt, model.mass * (after - before + 9.81 * dt), rtol=1e-5)
                assert (force > 40 * model.mass * 9.81).all()
                assert np.allclose(batch.sensor("felt")[:, 2], (after - before) / dt + 9.81, rtol=1e-4)
                assert (batch.sensor("time")[:, 4] == 1).all()
                air = batch.sensor("time")[:, 1].copy()
                assert np.allclose(air, np.sqrt(2 * 0.3 / 9.81), atol=3 * dt)
        assert seen
        assert np.allclose(batch.sensor("time")[:, 1], air) and (batch.sensor("time")[:, 0] == 0).all()
        assert np.allclose(batch.sensor("time")[:, 2] + air, 400 * dt, rtol=1e-4)


LAWS = json.loads((FOLDER / "laws.json").read_text()) if FOLDER.exists() else {}


@pytest.mark.skipif(not LAWS, reason=WHY)
def test_air_times_beside_the_oracle():
    """A ball on the ground, without gravity: what presses it down is what the ground gives back, step by step."""
    compared = 0
    for case in LAWS["air_time"]:
        model = myriapod.load("sphere").with_sensors({"name": "times", "kind": "air_time", "of": "*", "threshold": case["threshold"]})
        with batch_of(model, 1, dt=case["dt"], decimation=1, tolerance=1e-12) as batch:
            batch.set("gravity", np.zeros((1, 3)))
            for step, force in enumerate(case["force"]):
                batch.set("wrench", np.array([[[0, 0, -force, 0, 0, 0]]]))
                batch.step(1)
                if (step + 1) % case["decimation"] == 0:
                    truth = case["after_each_control_step"][(step + 1) // case["decimation"] - 1]
                    assert np.allclose(batch.sensor("times")[0, :4], truth[:4], atol=1e-9), (step, batch.sensor("times"), truth)
                    compared += 1
    assert compared > 100


@pytest.mark.parametrize("ground", ["plane", "rough"])
def test_heights_are_above_the_ground(ground):
    model = myriapod.load("anymal").with_sensors({"name": "base", "kind": "height", "of": "base"}, {"name": "shank", "kind": "height", "of": "LF_SHANK"},
                                                 {"name": "there", "kind": "framepos", "of": "LF_SHANK"})
    if ground == "rough":
        model = model.on(myriapod.Terrain(np.random.default_rng(5).uniform(0, 0.2, (60, 60)), cell=0.1))
    with batch_of(model, 9, ground=0.3 if ground == "plane" else "auto") as batch:
        batch.step(3)
        at = np.stack([batch.q[:, :3], batch.sensor("there")])
        for name, place in zip(("base", "shank"), at, strict=True):
            origin = batch.ground_at if ground == "rough" else np.array([[0, 0, 0]])
            below = model.terrain.height(place[:, :2] + origin[:, :2]) - origin[:, 2] if ground == "rough" else 0.3
            assert np.allclose(batch.sensor(name)[:, 0], place[:, 2] - below, atol=1e-12)


def test_sensors_change_no_bits_and_start_with_the_episode():
    robot = myriapod.load("anymal")
    sensed = robot.with_sensors({"name": "imu.gyro", "kind": "gyro", "of": "base"}, {"name": "imu.acc", "kind": "accelerometer"},
                                {"name": "feet", "kind": "air_time", "of": "*FOOT*"}, {"name": "knee", "kind": "actuatorfrc", "of": "LF_KFE"},
                                {"name": "leg", "kind": "torque", "of": "LF_SHANK"})
    assert robot.hash == sensed.hash
    with Batch(robot, 33, task="trot") as plain, Batch(sensed, 33, task="trot") as batch:
        assert np.allclose(np.linalg.norm(batch.sensor("imu.acc"), axis=1), 9.81, rtol=1e-5)
        plain.step(50)
        batch.step(50)
        assert plain.hash() == batch.hash()
        assert (batch.sensor("feet")[:, :4] > 0).any()
        batch.reset([2])
        assert (batch.sensor("feet")[2] == 0).all() and np.allclose(np.linalg.norm(batch.sensor("imu.acc")[2]), 9.81, rtol=1e-5)
        assert (batch.sensor("knee")[2] == 0).all()


@pytest.mark.parametrize("autoreset", ["same-step", "next-step"])
def test_sensors_change_no_bits_through_pushes_and_resets(autoreset):
    """A step takes over the kinematics that sensors asked for, but not those of the state before a push or a reset."""
    robot = myriapod.load("anymal")
    ways = []
    for model in (robot, robot.with_sensors({"name": "foot", "kind": "framepos", "of": "LF_FOOT"}), robot.with_sensors({"name": "spin", "kind": "gyro", "of": "base"})):
        with LaneTask("anymal-flat", 33, robot=model, autoreset=autoreset, dt=0.005, decimation=4, episode=0.3, push_speed=2.0, push_interval=0.14, threads=1) as task:
            way, random = [], np.random.default_rng(3)
            for _ in range(40):
                task.act(random.uniform(-1, 1, (33, task.num_actions)).astype(np.float32))
                way.append(np.concatenate([task.batch.q.copy(), task.batch.v.copy()], axis=1))
            ways.append(np.array(way))
    assert np.abs(np.diff(ways[0][:, :, 19:25], axis=0)).max() > 1  # pushed, and reset
    assert np.array_equal(ways[0], ways[1]) and np.array_equal(ways[0], ways[2])


@pytest.mark.parametrize("task", ["random", "drop"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_shown_bodies_change_no_bits_through_resets_within_a_call(task, precision):
    """Episodes of a batch begin anew within a call: the next step has the kinematics of the new one."""
    def way(calls, **settings):
        with Batch("anymal", 17, task=task, precision=precision, threads=1, dt=0.02, decimation=1, seed=3, **settings) as batch:
            for steps in calls:
                batch.step(steps)
            return batch.q.copy()

    plain = way([700])
    assert np.array_equal(way([700], sense=("bodies",)), plain) and np.array_equal(way([1] * 700, sense=("bodies",)), plain)


def test_names_and_nonsense():
    robot = myriapod.load("anymal")
    for wrong, words in (({"name": "a", "kind": "smell"}, "must be one of framepos"), ({"name": "a", "kind": "gyro", "of": "bas"}, "base"),
                         ({"name": "a", "kind": "jointpos", "of": "LF_HAB"}, "LF_HAA"), ({"name": "a", "kind": "touch", "of": "nose"}, "no shape"),
                         ({"name": "", "kind": "gyro"}, "needs a name"), ({"name": "a", "kind": "gyro", "ref": "base"}, "not seen from a frame"),
                         ({"name": "a", "kind": "gyro", "cutoff": -1}, "cutoff is -1"), ({"name": "a", "kind": "touch", "of": "*", "touched_by": "me"}, "me")):
        with pytest.raises(ArgumentError, match=words):
            robot.with_sensors(wrong)
    with pytest.raises(ArgumentError, match="another one has this name"):
        robot.with_sensors({"name": "a", "kind": "gyro"}, {"name": "a", "kind": "gyro"})
    model = robot.with_sensors({"name": "a", "kind": "gyro"})
    assert model.sensor("a").size == 3 and model.sensor("a").unit == "rad/s"
    with Batch(model, 1) as batch, pytest.raises(ArgumentError, match="no sensor `b`"):
        batch.sensor("b")


def test_patterns_in_words():
    """As a task's text says them, which is JSON."""
    scan = {"name": "feet", "kind": "height_scan", "of": "LF_SHANK", "value": "clearance", "least": True}
    robot = myriapod.load("anymal")
    made, told = (robot.with_sensors({**scan, "pattern": pattern}) for pattern in (myriapod.rays.ring(4, 0.05), {"kind": "ring", "n": 4, "radius": 0.05}))
    assert made.hash == told.hash and (made.sensor("feet").look.rays == told.sensor("feet").look.rays).all()
    for wrong, words in (({"kind": "star"}, "has a kind, grid, ring, lidar, pinhole"), ({}, "has a kind"), ({"kind": "ring", "m": 4}, "unexpected keyword argument 'm'"),
                         ({"kind": "ring", "n": 0}, "'n': 0}: it has 1 x 0 rays"), ("ring", "must be one of myriapod.rays")):
        with pytest.raises(ArgumentError, match=words):
            robot.with_sensors({**scan, "pattern": wrong})
    task = myriapod.TermTask("sees", robot="anymal", gains="quadruped", sensors=[{**scan, "pattern": {"kind": "ring", "n": 4, "radius": 0.05}}], settings={"dt": 0.005})
    task.reward(1.0, name="high")(lambda s: s.sensor.feet)
    task.observe("sensor.feet", name="foot")
    with myriapod.LaneTask(myriapod.TaskTable(task.text()), 2) as lanes:
        assert lanes.model.hash == told.hash and np.isfinite(lanes.act(np.zeros((2, 12), np.float32)).reward).all()


TREE = """<mujoco><compiler angle="radian"/><option timestep="{dt}" gravity="0.3 -0.2 -9.7" magnetic="0.1 -0.4 0.2"><flag contact="disable"/></option><worldbody>
  <site name="post" pos="1 2 0.5" euler="0.3 0.2 -0.4"/>
  <body name="base" pos="0 0 3"><freejoint/><inertial pos="0.02 0.01 -0.03" mass="3" diaginertia="0.05 0.06 0.07"/>
    <geom size="0.05" contype="0" conaffinity="0" mass="0"/>
    <site name="imu" pos="0.05 -0.02 0.1" euler="0.5 -0.3 0.8"/>
    <body name="arm" pos="0.2 0.1 0" euler="0.2 0.1 0"><joint name="elbow" axis="0.1 1 0.2" armature="0.01"/>
      <inertial pos="0 0 -0.2" mass="1.2" diaginertia="0.02 0.02 0.004"/>
      <body name="wrist" pos="0 0 -0.4" euler="0 0.4 0.1"><inertial pos="0.03 0 0" mass="0.3" diaginertia="0.001 0.002 0.0015"/>
        <site name="ft" pos="0 0.01 0" euler="0.1 0 0.2"/>
        <body name="hand" pos="0.1 0 0"><joint name="wristball" type="ball"/><inertial pos="0 0.05 0" mass="0.4" diaginertia="0.002 0.001 0.001"/>
          <site name="tip" pos="0 0.1 0.02" euler="-0.3 0.2 0.1"/></body></body></body>
    <body name="rail" pos="-0.2 0 0"><joint name="slide" type="slide" axis="1 0.2 0"/><inertial pos="0 0 0.1" mass="0.7" diaginertia="0.01 0.01 0.01"/></body>
  </body></worldbody>
  <actuator><motor name="m" joint="elbow" gear="3"/><position name="p" joint="slide" kp="20" kv="2"/></actuator>
  <sensor>{sensors}</sensor></mujoco>"""
NOW = "".join(f'<{kind} name="{kind} {site}" site="{site}"/>' for kind in ("gyro", "velocimeter", "magnetometer") for site in ("imu", "tip"))
NOW += "".join(f'<{kind} name="{kind} {obj} {ref}" objtype="{typ}" objname="{obj}"' + (f' reftype="site" refname="{ref}"/>' if ref else "/>")
               for kind in ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
               for typ, obj in (("site", "tip"), ("xbody", "wrist"), ("site", "post")) for ref in ("", "imu", "post"))
NOW += "".join(f'<{kind} name="{kind} {body}" body="{body}"/>' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom") for body in ("base", "arm", "hand"))
NOW += '<jointpos name="jp" joint="elbow"/><jointvel name="jv" joint="slide"/><ballquat name="bq" joint="wristball"/>'
NOW += '<ballangvel name="ba" joint="wristball"/><actuatorpos name="ap" actuator="m"/><actuatorvel name="av" actuator="m"/>'
MEAN = "".join(f'<{kind} name="{kind} {site}" site="{site}"/>' for kind in ("force", "torque", "accelerometer") for site in ("ft", "tip"))
MEAN += '<framelinacc name="fl" objtype="site" objname="tip"/><frameangacc name="fa" objtype="site" objname="tip"/>'
MEAN += '<actuatorfrc name="fm" actuator="m"/><actuatorfrc name="fp" actuator="p"/><jointactuatorfrc name="jf" joint="elbow"/>'


@pytest.mark.parametrize("isa", instruction_sets())
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_readings_beside_mujoco(isa, precision):
    """Every kind after a step, at random states; every mean over a step of a microsecond, which is MuJoCo's instant."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(7)
    for sensors, dt, tolerance in ((NOW, 0.002, 1e-11 if precision == "f64" else 2e-5), (MEAN, 1e-6, 2e-4)):
        if sensors is MEAN and precision == "f32":
            continue  # changes of velocity over a microsecond are roundings of a float
        text = TREE.format(dt=dt, sensors=sensors)
        theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
        data, n = mujoco.MjData(theirs), 17
        q, v, control = np.zeros((n, theirs.nq)), rng.normal(size=(n, theirs.nv)), rng.normal(size=(n, theirs.nu))
        truth = np.zeros((n, theirs.nsensordata))
        for k in range(n):
            q[k] = rng.normal(size=theirs.nq)
            data.qpos[:] = q[k]
            mujoco.mj_normalizeQuat(theirs, data.qpos)
            q[k], data.qvel[:], data.ctrl[:] = data.qpos, v[k], control[k]
            mujoco.mj_forward(theirs, data)
            truth[k] = data.sensordata
        with batch_of(model, n, precision, dt=dt, isa=isa) as batch:
            batch.set("q", q)
            batch.set("v", v)
            batch.set("control", control)
            if sensors is NOW:
                batch.refresh()
            else:
                batch.step(1)
            assert len(model.sensors) == theirs.nsensor
            for sensor in model.sensors:
                i = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_SENSOR, sensor.name)
                first = theirs.sensor_adr[i]
                for k in range(n):
                    assert off(batch.sensor(sensor.name)[k], truth[k, first:first + theirs.sensor_dim[i]], sensor.kind) < tolerance, (sensor, k)


def test_range_finders_and_tendons_beside_mujoco():
    """Geoms of every type about an arm with range finders; MuJoCo's -1 for nothing is infinity here. Tendons over two joints, with and without limits."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(3)
    sites = "".join(f'<site name="s{i}" pos="{p[0]} {p[1]} {p[2]}" euler="{e[0]} {e[1]} {e[2]}"/>'
                    for i, (p, e) in enumerate(zip(rng.normal(size=(40, 3)) * 0.1, rng.uniform(-3, 3, size=(40, 3)))))
    finders = "".join(f'<rangefinder name="s{i}" site="s{i}"{" cutoff=%s1.5%s" % (chr(34), chr(34)) if i == 0 else ""}/>' for i in range(40))
    text = f"""<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="0 0 1"/><geom type="box" size=".3 .2 .4" pos="1.2 0 .3" euler=".2 .1 .4"/>
      <geom type="cylinder" size=".2 .4" pos="-1 .4 .5" euler=".5 0 0"/><geom type="sphere" size=".3" pos="0 1.3 .8"/>
      <geom type="capsule" size=".1 .5" pos=".2 -1.2 .6" euler="0 .7 .2"/>
      <body name="base" pos="0 0 .9"><freejoint/><geom size=".15" mass="1"/>{sites}
        <body name="a" pos=".2 0 0"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
          <body name="b" pos=".3 0 0"><joint name="b" axis="0 0 1"/><geom size=".08" pos=".1 0 0"/></body></body></body></worldbody>
      <tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-0.5"/></fixed>
        <fixed name="u" limited="true" range="-9 9"><joint joint="b" coef="3"/></fixed></tendon>
      <sensor>{finders}<tendonpos name="tp" tendon="t"/><tendonvel name="tv" tendon="t"/><tendonpos name="up" tendon="u"/></sensor></mujoco>"""
    theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
    data, n = mujoco.MjData(theirs), 33
    assert len(model.sensors) == theirs.nsensor == 43
    batch = batch_of(model, n)
    truth, q = np.zeros((n, 43)), batch.q.copy()
    v = rng.normal(size=(n, theirs.nv))
    for k in range(n):
        q[k, :3] += rng.normal(size=3) * 0.1
        q[k, 3:7] = rng.normal(size=4)
        q[k, 3:7] /= np.linalg.norm(q[k, 3:7])
        q[k, 7:] = rng.normal(size=2)
        data.qpos[:], data.qvel[:] = q[k], v[k]
        mujoco.mj_forward(theirs, data)
        truth[k] = data.sensordata
    batch.q, batch.v = q, v
    batch.refresh()
    ours = batch.sensors.copy()
    nothing = np.isinf(ours)
    assert np.array_equal(nothing[:, 1:], truth[:, 1:] == -1) and 100 < nothing.sum() < 1000
    assert np.array_equal(ours[:, 0][truth[:, 0] == -1], np.full((truth[:, 0] == -1).sum(), 1.5))  # a cutoff is the most that it shows
    seen = (truth != -1) & ~nothing
    assert (np.abs(ours - truth)[seen] < 1e-12 * (1 + truth[seen] ** 2)).all()  # far away a ray is flat


def test_range_finders_of_what_is_fixed_see_other_fixed_things():
    """The default passes through the shapes of the frame's own body alone, as MuJoCo's range finders do."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><geom type="box" size=".1 1 1" pos="2 0 0"/><body name="mount"><geom type="sphere" size=".2"/>
      <site name="s" zaxis="1 0 0"/></body><body name="head" pos="0 0 3"><freejoint/><geom size=".1" mass="1"/>
      <body name="hat" pos="0 0 .3"><geom name="hat" size=".05" mass="0"/><site name="down" zaxis="0 0 -1"/></body></body></worldbody>
      <sensor><rangefinder name="a" site="s"/><rangefinder name="b" site="down"/></sensor></mujoco>"""
    theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    with batch_of(model, 1) as batch:
        assert np.allclose(batch.sensors[0], data.sensordata, atol=1e-12) and np.allclose(batch.sensors[0], [1.9, 0.2])


def test_touch_counts_within_its_site():
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 1"/><body name="box" pos="0 0 0.1"><freejoint/>
      <geom type="box" size="0.2 0.1 0.1" mass="2"/><site name="all" type="box" size="0.3 0.2 0.15"/><site name="right" type="box" pos="0.2 0 -0.1" size="0.05 0.2 0.05"/>
      <site name="corner" type="sphere" pos="0.2 0.1 -0.1" size="0.03"/><site name="none" type="capsule" pos="0 0 0.3" size="0.02 0.05"/></body></worldbody>
      <sensor><touch name="all" site="all"/><touch name="right" site="right"/><touch name="corner" site="corner"/><touch name="none" site="none"/></sensor></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    for _ in range(1000):
        mujoco.mj_step(theirs, data)
    with batch_of(model_of(text), 2, dt=0.002, tolerance=1e-10) as batch:
        batch.step(1000)
        read = [float(batch.sensor(name)[1, 0]) for name in ("all", "right", "corner", "none")]
    weight = 2 * 9.81
    assert np.allclose(read, [weight, weight / 2, weight / 4, 0], atol=1e-6)
    assert np.allclose(read, data.sensordata, rtol=1e-3, atol=1e-6)


def test_axes_of_inertia_are_those_of_the_file():
    """objtype `body` is the frame of the inertia: of an <inertial>, of a body's one geom, of a body that weighs nothing."""
    bodies = {"said": '<inertial mass="1" pos="0.1 0.2 0.3" euler="20 30 40" diaginertia="0.02 0.01 0.015"/><geom size="0.1"/>',
              "one": '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.2" euler="10 50 70"/>',
              "framed": '<frame euler="0 0 35" pos="0 0.1 0"><inertial mass="1" pos="0.1 0 0" euler="0 15 0" diaginertia="0.02 0.01 0.015"/></frame>',
              "light": '<body name="below"><geom size="0.1" pos="0.2 0 0"/></body>',
              "beside": '<geom type="box" size="0.1 0.2 0.3" euler="10 50 70"/><geom size="0.01" mass="0"/>',
              "mount": '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0" euler="10 50 70" mass="0"/><body name="held" pos="0.1 0 0"><geom size="0.1"/></body>',
              "several": '<geom type="box" size="0.1 0.2 0.3" euler="10 50 70"/><geom size="0.01"/>',
              "full": '<inertial mass="1" pos="0 0 0" fullinertia="0.02 0.01 0.015 0.001 0 0"/>'}
    joint = '<joint axis="1 2 3"/>'
    sensors = "".join(f'<{kind} name="{kind}_{name}" objtype="body" objname="{name}"/>' for name in bodies
                      for kind in ("framepos", "framequat", "framexaxis", "framelinvel", "frameangvel"))
    sensors += '<framepos name="seen" objtype="xbody" objname="said" reftype="body" refname="one"/>'
    text = (f"<mujoco><worldbody>{''.join(f'<body name={chr(34)}{name}{chr(34)} pos={chr(34)}{k} 0 1{chr(34)} euler={chr(34)}0 {20 * k} 0{chr(34)}>{joint}{inside}</body>' for k, (name, inside) in enumerate(bodies.items()))}"
            f"</worldbody><sensor>{sensors}</sensor></mujoco>")
    with pytest.warns(myriapod.ModelWarning, match="framequat framequat_several .inertial axes.") as told:
        model = myriapod.Model.from_text(text)
    assert sum(str(w.message).count("(inertial axes)") for w in told) == 4 and len(model.sensors) == 5 * 8 + 1 - 4
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(3)
    data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, theirs.nq), rng.normal(size=theirs.nv)
    mujoco.mj_forward(theirs, data)
    with batch_of(model, 1) as batch:
        batch.q, batch.v = data.qpos[None], data.qvel[None]
        batch.refresh()
        for sensor in model.sensors:
            want, read = data.sensor(sensor.name).data, batch.sensor(sensor.name)[0]
            assert np.allclose(read, want, atol=1e-12) or sensor.kind == "framequat" and np.allclose(read, -want, atol=1e-12), (sensor.name, read, want)


def test_a_body_without_weight_loses_its_subtree():
    text = """<mujoco><worldbody><body name="b"><joint/><geom size="0.1"/><body name="camera"><site name="s"/></body></body></worldbody>
      <sensor><subtreecom name="light" body="camera"/><force name="pull" site="s"/><subtreecom name="all" body="b"/></sensor></mujoco>"""
    with pytest.warns(myriapod.ModelWarning, match="subtreecom light .what weighs nothing., force pull .what weighs nothing."):
        assert [s.name for s in myriapod.Model.from_text(text).sensors] == ["all"]


def test_what_is_not_here_is_named():
    text = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/><geom size="0.1" pos="1 0 0"/><site name="s"/></body></worldbody>
      <sensor><gyro name="g" site="s"/><user name="far" dim="1"/><jointpos joint="j"/><clock name="tick"/>
      <framequat name="turned" objtype="body" objname="b"/></sensor></mujoco>"""
    with pytest.warns(myriapod.ModelWarning, match="user far .its kind., clock tick .its kind., framequat turned .inertial axes."):
        model = myriapod.Model.from_text(text)
    assert [s.name for s in model.sensors] == ["g", "jointpos_2"]
    with pytest.warns(myriapod.ModelWarning, match="gyro g .no such site."):
        myriapod.Model.from_text(text.replace('name="g" site="s"', 'name="g" site="q"'))
