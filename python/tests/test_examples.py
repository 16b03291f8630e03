"""The examples do what they promise."""
import importlib
import sys
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod.rotations import quat_mul

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))  # an example may share another one's loop


def load(name):
    return importlib.import_module(name)


def test_mppi_follows_the_path():
    mppi = load("mppi")
    result = mppi.run(seconds=3.2, samples=48, threads=1)
    trace = result["trace"]
    assert result["time"][-1] == 3.2 and trace.shape == (161, 2) and len(result["plan"]) == 40
    along = mppi.STEP * np.linalg.norm(mppi.PATH[: len(mppi.PATH) // 4, :2] - trace[-1], axis=1).argmin()
    assert abs(along - 3.2 * mppi.SPEED) < 0.2
    assert result["distance"].max() < 0.15 and result["behind"][-1] < 0.2


def test_mppis_path_is_one_of_even_steps():
    """Rows are so far apart, directions are those of the way from row to row, and the end is the beginning."""
    mppi = load("mppi")
    ways = np.diff(mppi.PATH[:, :2], axis=0)
    assert np.abs(np.linalg.norm(ways, axis=1) / mppi.STEP - 1).max() < 1e-3
    assert ((ways * mppi.PATH[:-1, 2:]).sum(axis=1) > 0.999 * mppi.STEP).all() and np.abs(mppi.PATH[-1] - mppi.PATH[0]).max() < 1e-9


def test_mppi_is_repeatable():
    mppi = load("mppi")
    runs = [mppi.run(seconds=0.32, samples=17, threads=threads)["trace"] for threads in (1, 2)]
    assert (runs[0] == runs[1]).all()


def test_ilqr_swings_a_pole_up():
    """Costs fall in every iteration, and the pole ends upright; the states are those that the controls lead to."""
    ilqr = load("ilqr")
    found = ilqr.run(steps=120, iterations=60)
    assert (np.diff(found["costs"]) < 0).all() and np.cos(found["x"][-1, 1]) < -0.99 and abs(found["u"]).max() <= 1.0
    assert abs(ilqr.cost(found["x"], found["u"]) - found["costs"][-1]) < 1e-9 * found["costs"][-1]


def test_an_arm_pushes_a_puck():
    """To places on both sides, for good within 2 cm; where nothing is planned the puck stays."""
    push = load("push")
    found = push.run(np.array([[0.5, 0.2], [0.35, -0.25]]), samples=128, seconds=2.0)
    assert all(when < 1.6 and off < 0.02 for when, off, _ in found)
    [(when, off, _)] = push.run(np.array([[0.5, 0.2]]), samples=1, seconds=0.4)
    assert when == np.inf and off > 0.15


def test_plans_walk_mujocos_robot():
    """Two seconds of Go2 in MuJoCo: it stands, walks, walks and turns, at the height that it has, and does not lean."""
    pytest.importorskip("mujoco")
    way, told, plans = load("plan_mujoco").run(seconds=2.1, samples=128, threads=1)
    assert way.shape == (105, 19) and told.shape == (105, 3) and len(plans) == 105 and (told[-1] == [0.5, 0.0, 0.5]).all()
    assert way[:, 2].min() > 0.2 and (1 - 2 * (way[:, 4] ** 2 + way[:, 5] ** 2)).min() > 0.8 and way[-1, 0] - way[0, 0] > 0.3


def test_joints_of_mujocos_robot_are_found_by_their_names():
    """Of the same robot whose actuators stand in the other order, home and targets go to the same joints."""
    mujoco = pytest.importorskip("mujoco")
    example, ours = load("plan_mujoco"), myriapod.Model("go2")
    spec = mujoco.MjSpec.from_file(str(example.ROBOT))
    turned = [(actuator.name, actuator.target) for actuator in spec.actuators][::-1]
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for name, target in turned:
        spec.add_actuator(name=name, target=target, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    theirs = spec.compile()
    q, v, u = example.places(ours, theirs)
    assert u.tolist() == list(range(11, -1, -1)) and q.tolist() == list(range(19)) and v.tolist() == list(range(18))
    assert [theirs.actuator(int(k)).trnid[0] for k in u] == [theirs.joint(joint.name).id for joint in sorted(ours.joints, key=lambda j: j.u) if joint.u >= 0]


def test_ilqr_steps_a_foot_through_its_contacts():
    """Planned where contacts give way; the foot steps where they are hard, too, and gains undo a push."""
    step = load("ilqr_step")
    found = step.run(seconds=0.6)
    assert (np.diff(found["costs"]) < 0).all() and found["costs"][-1] < 0.05 * found["costs"][0]
    names = ("planned", "hard", "hard, with gains", "hard, pushed", "hard, pushed, with gains")
    planned, hard, gains, pushed, held = (found["outcomes"][name] for name in names)
    for each, near in ((planned, 3e-3), (hard, 15e-3), (gains, 6e-3), (held, 6e-3)):
        assert each["foot"] < near and each["others"] < 15e-3 and each["lift"] > 0.06 and each["tilt"] < 1.5 and each["speed"] < 0.1
    assert held["foot"] < 0.5 * pushed["foot"]
    first, last = (found["step"].feet(found["x"][k]) for k in (0, -1))
    assert abs(last[0, 0] - first[0, 0] - 0.15) < 3e-3 and abs(last[:, 2] - first[:, 2]).max() < 2e-3


def test_slopes_of_the_steps_cost_are_those_of_differences():
    step, random = load("ilqr_step"), np.random.default_rng(1)
    model = myriapod.Model("anymal")
    begin = np.concatenate([model.home, np.zeros(model.nv)])
    its = step.Step(model, begin, np.tile(model.home[7:], (3, 1)), 0.15)
    x = np.tile(begin, (4, 1)) + 0.05 * random.standard_normal((4, len(begin)))
    u = np.tile(model.home[7:], (3, 1)) + 0.1 * random.standard_normal((3, 12))
    x[:, 3:7] /= np.linalg.norm(x[:, 3:7], axis=1, keepdims=True)
    slope, _, slope_u, _ = its.expand(x, u)

    def moved(t, k, by):
        y = x.copy()
        if 3 <= k < 6:
            turn = np.zeros(4)
            turn[0], turn[k - 2] = np.cos(by / 2), np.sin(by / 2)
            y[t, 3:7] = quat_mul(y[t, 3:7], turn)
        else:
            y[t, k if k < 3 else k + 1] += by
        return its.cost(y, u)

    for t in (1, 3):
        by_hand = [(moved(t, k, 1e-5) - moved(t, k, -1e-5)) / 2e-5 for k in range(2 * model.nv)]
        assert np.allclose(slope[t], by_hand, rtol=1e-6, atol=1e-6)
    w = u.copy()
    w[2, 5] += 1e-5
    assert abs((its.cost(x, w) - its.cost(x, 2 * u - w)) / 2e-5 - slope_u[2, 5]) < 1e-7
