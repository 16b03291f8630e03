"""Sensors beside their definitions: readings and step means of ../shared/oracles where they are, beside MuJoCo, and laws that need neither."""
import importlib.util
import json
import pathlib
import warnings

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracles" / "worlds2"
WHY = "truth that none of the project's code computed lies in ../shared/oracles"


def model_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return myriapod.Model.from_text(text)


def batch_of(model, envs, precision="f64", **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Batch(model, envs, task="none", precision=precision, spin_damping=0, **settings)


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
                    contacts.append((bodies[model.bodies[slot.body].name.partition(".")[0]], point[k, s], world))
                    if slot.other_body >= 0:
                        contacts.append((bodies[model.bodies[slot.other_body].name.partition(".")[0]], point[k, s], -world))
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
