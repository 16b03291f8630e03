"""Plans by sampling: costs written as rewards, what is planned is what the robot does, and what is said of mistakes."""
import argparse
import csv
import gc
import importlib
import sys
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, Model, Planner, StateError, TermTask, Terrain
from myriapod.plan import get_up, given, reach, stand, swing_up, turn, walk
from myriapod.plan.legs import find_legs
from myriapod.plan.planner import PlannedTask

CART = {"steps": 50, "knots": 6, "lower": -1.0, "upper": 1.0, "sigma": 0.6, "threads": 1}


def bench(name: str):
    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "bench" / room) for room in ("skills", "speed")]
    return importlib.import_module(name)


def swings(planner: Planner, seconds: float = 5.0) -> np.ndarray:
    """q of a cart and its pole after each control step, in doubles and finer steps than the plan's."""
    way = []
    with planner.robot(dt=0.002, decimation=10, precision="f64", threads=1) as robot:
        for _ in range(round(seconds / robot.dt)):
            planner.plan(robot)
            robot.act(planner.control()[None])
            planner.shift(1.0)
            way.append(robot.batch.q[0].copy())
    return np.array(way)


@pytest.mark.parametrize("options", [{"samples": 256, "update": "cem", "iterations": 2, "fade_iteration": 1.0}, {"samples": 256, "update": "best"},
                                     {"samples": 128, "update": "mppi", "iterations": 2, "spline": "cubic"}], ids=["cem", "best", "mppi"])
def test_a_cart_swings_its_pole_up(options) -> None:
    with Planner(swing_up.cart_pole(), **CART, **options) as planner:
        way = swings(planner)
    assert (np.cos(way[-50:, 1]) < -0.95).all() and (np.abs(way[:, 0]) < 1.9).all()


def test_anymal_walks_as_it_is_told() -> None:
    """Three seconds by 2 x 160 samples: upright, and as fast as it is told."""
    with Planner(walk.anymal(), 160, iterations=2, sigma=0.2, threads=1, seed=3) as planner, planner.robot(dt=0.001, decimation=20, precision="f64", threads=1) as robot:
        robot.batch.set("command", np.array([[0.4, 0.0, 0.0]]))
        ahead, high = [], []
        for _ in range(150):
            report = planner.plan(robot)
            robot.act(planner.control()[None])
            planner.shift(1.0)
            ahead.append(robot.batch.q[0, 0])
            high.append(robot.batch.q[0, 2])
            assert report.lost < 160 and report.least <= report.mean and 1 <= report.effective <= 160
    assert min(high) > 0.4 and abs((ahead[-1] - ahead[70]) / (79 * 0.02) - 0.4) < 0.15


def test_anymal_walks_up_steps() -> None:
    """Three of 0.08 m in five seconds; with targets of level ground it stumbles over the first."""
    high = 0.08 * np.clip(np.floor((np.arange(-20, 41) * 0.1 - 0.5) / 0.4 + 1 + 1e-9), 0, 3)
    robot = Model("anymal").on(Terrain(np.repeat(high[:, None], 21, axis=1), 0.1, 0.001, (20, 10), columns=True))
    with Planner(walk.anymal(), 320, robot=robot, iterations=2, sigma=0.2, temperature=0.3, threads=1) as planner, planner.robot(dt=0.002, decimation=10, precision="f64", threads=1) as real:
        real.batch.set("command", np.array([[0.4, 0.0, 0.0]]))
        for _ in range(250):
            planner.plan(real)
            real.act(planner.control()[None])
            planner.shift(1.0)
        q = real.batch.q[0]
    assert q[0] > 1.4 and abs(q[2] - 0.24 - 0.54) < 0.08 and abs(q[1]) < 0.2


def test_legs_move_feet_where_they_are_told() -> None:
    feet = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
    legs = find_legs("go2", feet)
    assert np.sign(legs.places[:, :2]).tolist() == [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    model = myriapod.Model("go2").with_sensors(*({"name": foot + "_at", "kind": "framepos", "of": foot, "ref": "base"} for foot in feet))
    moved = 0.004 * np.random.default_rng(1).standard_normal((4, 3))
    with Batch(model, 1, task="none", precision="f64", threads=1) as batch:
        q = batch.q.copy()
        q[0, [joint.q for joint in sorted((joint for joint in model.joints if joint.u >= 0), key=lambda joint: joint.u)]] += moved.T.ravel() @ legs.inverse
        batch.set("q", q)
        batch.refresh()
        at = batch.get("sensors")[0, -12:].reshape(4, 3)
    assert abs(at - legs.places - moved).max() < 2e-4
    with pytest.raises(ArgumentError, match="foot 'FL_calf' of 'go2': its leg has 2 joints, which do not move it in all directions"):
        find_legs("go2", ("FL_calf",))
    with pytest.raises(ArgumentError, match="'panda' does not float"):
        find_legs("panda", ("hand",))
    how = {"radius": 0.022, "gains": (40.0, 1.0), "height": 0.29, "look": 0.08}
    with pytest.raises(ArgumentError, match="feet are to be the left front, right front, left hind and right hind one, but FL_foot, FR_foot, RR_foot, RL_foot are not"):
        walk.walker("crossed", "", "go2", feet=("FL_foot", "FR_foot", "RR_foot", "RL_foot"), **how)
    with pytest.raises(ArgumentError, match="hops: a walker trots on 4 feet, not on 1"):
        walk.walker("hops", "", "hopper", feet=("foot",), **how)


def test_a_wall_is_no_step() -> None:
    """Beside one of 0.5 m, which its left feet see, a Go2's targets are those of a trot that climbs 0.116 m, not half a metre."""
    high = np.zeros((61, 41))
    high[:, 22:] = 0.5
    robot = Model("go2", feet=("*_foot",), self_collision="off").on(Terrain(high, 0.1, 0.001, (20, 20), columns=True))
    with Planner(walk.go2(), 16, robot=robot, threads=1) as planner, planner.robot(numbers={"pace": 2.0}) as real:
        assert real.batch.task_numbers["pace"] == 2.0 and planner.task.batch.task_numbers["pace"] == 2.5
        real.batch.set("command", np.array([[0.4, 0.0, 0.0]]))
        most = 0.0
        for _ in range(20):
            real.act(np.zeros((1, 12)))
            most = max(most, float(abs(real.batch.get("target")[0] - real.batch.model.home[7:]).max()))
    assert 0.6 < most < 1.4


def test_a_hand_turns_a_cube() -> None:
    """By a third of a radian in a second, without losing it: nothing but fingers turns it."""
    with Planner(turn.allegro(), 64, **given.TURNS, threads=1, seed=2) as planner, planner.robot(dt=0.004, decimation=10, precision="f64", threads=1) as hand:
        for k in range(38):
            hand.batch.set("command", np.array([[min(0.5, 0.5 * k * planner.dt)]]))
            planner.plan(hand)
            hand.act(planner.control()[None])
            planner.shift(1.0)
        w, x, y, z = hand.batch.q[0, 19:23]
    assert np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) > 0.33 and 1 - 2 * (x * x + y * y) > 0.95


def test_a_humanoid_stands_through_a_push() -> None:
    """A second and a half by 2 x 96 samples; without a plan it falls by then."""
    heights = []
    with Planner(stand.g1(), 96, steps=15, knots=5, iterations=2, sigma=0.2, threads=1) as planner:
        for planned in (True, False):
            with planner.robot(threads=1) as robot:
                v = robot.batch.v.copy()
                v[0, :2] = 0.25, 0.15
                robot.batch.set("v", v)
                for _ in range(75):
                    if planned:
                        planner.plan(robot)
                    robot.act(planner.control()[None] if planned else np.zeros((1, 12)))
                    planner.shift(1.0)
                heights.append(robot.batch.q[0, 2])
    assert heights[0] > 0.7 and heights[1] < 0.5


@pytest.mark.parametrize("robot", ["anymal", "go2", "g1"])
def test_the_bench_walks_mujocos_robot(robot) -> None:
    """A second of bench/skills/plan_walk.py, plans a control step late: no robot falls in either engine."""
    pytest.importorskip("mujoco")
    plan_walk = bench("plan_walk")
    asked = plan_walk.arguments("--seconds 1.3 --samples 96".split())
    rows = [plan_walk.run(robot, engine, 1, asked) for engine in ("myriapod", "mujoco")]
    assert all(row["fallen_s"] is None and row["lowest"] > 0.2 for row in rows)
    assert abs(rows[0]["lowest"] - rows[1]["lowest"]) < 0.1


def test_anymal_gets_up_from_its_back() -> None:
    """Limp it fell on its back; two seconds by 3 x 160 samples. Told to stand as at home, it stays there."""
    falls, names = bench("plan_get_up"), ("steps", "knots", "iterations", "sigma", "temperature", "fade_iteration")
    asked = argparse.Namespace(seconds=2.5, samples=160, threads=1, **dict.fromkeys(names))
    row = falls.run("anymal", "myriapod", 6, asked)
    assert row["lay"] > 3.0 and row["stands"] and row["lean"] < 0.2 and abs(row["height"] - 0.53) < 0.05
    with Planner(get_up.anymal(), 16, threads=1) as planner:
        real = falls.Robot(planner, "myriapod")
        falls.fall(real, np.random.default_rng(6))
        for _ in range(100):
            real.act(np.zeros(12))
        assert falls.lean(real.state[0]) > 1.0


def test_an_arm_reaches_over_a_wall() -> None:
    """It crosses the wall to within a centimetre and does not lean on it; by the straight distance it stays on its side."""
    reaches = bench("plan_reach")
    asked = argparse.Namespace(goals=2, seconds=1.8, samples=128, threads=1)
    over, stuck = (reaches.run(way, 1, asked)[1] for way in ("plan", "blind"))
    assert over["crosses"] and over["distance"] < 0.01 and over["force"] < 5.0
    assert stuck["crosses"] and stuck["distance"] > 0.2


def test_the_way_over_the_wall_is_the_straight_one_where_it_is_free() -> None:
    """Of hands and places on both sides, as the cost has them, beside the two legs over the top."""
    with Planner(reach.panda(), 16, steps=1, knots=1, threads=1, precision="f64") as planner, planner.robot(precision="f64", threads=1) as robot:
        for goal in (np.array([0.5, 0.3, 0.2]), np.array([0.5, -0.3, 0.2])):
            robot.batch.set("command", goal[None])
            robot.batch.set("q", np.array([[0.3, 0.3, 0.0, -2.0, 0.0, 2.3, -0.7, 0.04, 0.04]]))
            out = robot.act(np.zeros((1, 7)))
            hand = robot.batch.sensor("hand_pos")[0]
            way = out.terms[0, robot.reward_terms.index("way")] / (-5.0 * robot.dt)
            part = hand[1] / (hand[1] - goal[1])
            top = np.array([*(hand + part * (goal - hand))[:2], 0.55])
            wanted = np.linalg.norm(goal - hand) if goal[1] > 0 else np.linalg.norm(top - hand) + np.linalg.norm(goal - top)
            assert 0.05 < hand[1] and hand[2] < 0.45 and abs(way - wanted) < 1e-9


def test_the_bench_of_plans_has_peers_on_the_same_robot(tmp_path, monkeypatch, capsys) -> None:
    """bench/speed/plan_cost.py: rows as they were asked for, of one robot in both of MuJoCo's ways, and a file of them."""
    pytest.importorskip("mujoco")
    plan_cost = bench("plan_cost")
    monkeypatch.setattr(sys, "argv", ["plan_cost.py", "cart-pole:16x3@1e9", "anymal:16x4", "allegro:16x2", "--rounds", "1", "--peer", "--csv", str(tmp_path / "plans.csv")])
    with pytest.raises(SystemExit, match="a row is ROBOT:SAMPLESxSTEPS"):
        plan_cost.main()
    sys.argv[1] = "cart-pole:16x3@1000000000"
    plan_cost.main()
    with open(tmp_path / "plans.csv", newline="") as file:
        cart, dog, hand = csv.DictReader(file)
    assert (cart["robot"], cart["samples"], cart["steps"], cart["keeps up"]) == ("cart-pole", "16", "3", "no")
    assert (dog["robot"], dog["rate [1/s]"], hand["rate [1/s]"]) == ("anymal", "50.0", "25.0") and all(float(dog[f"{name} ms"]) > 0 for name in ("planner", "arrays", *plan_cost.peers()))
    assert capsys.readouterr().out.count("| anymal | 16 | 4 | 1 |") == 1
    with Planner(walk.anymal(), 16, steps=4, threads=1) as planner, planner.robot(threads=1) as robot:
        ways = [kind(planner, robot, False, 1).step(16, np.zeros((16, 4, 12))) for kind in plan_cost.peers().values()]
    assert ways[0].shape == (16, 4, 37) and all((way == ways[0]).all() for way in ways) and (ways[0][:, -1, 2] != ways[0][:, 0, 2]).all()


def hop(metric: bool = True) -> TermTask:
    task = TermTask("hop", robot="hopper", gains=(60.0, 1.0), settings={"dt": 0.01, "decimation": 2})

    @task.reward(-3.0)
    def low(s):
        return np.square(s.q[..., 0] - 0.1)

    @task.reward(-0.5)
    def fast(s):
        return np.sum(np.square(s.v), axis=-1)

    if metric:
        @task.metric
        def far(s):
            return np.abs(s.q[..., 1])

    return task


def test_costs_are_those_of_the_functions_on_arrays() -> None:
    """Of every sample: the task's functions, in NumPy, of the states that a replay went through; and what counts at the end once more."""
    with Planner(hop(), 21, steps=7, knots=3, terminal={"far": -2.0, "low": 0.5}, precision="f64", threads=1) as planner, planner.robot(precision="f64", threads=1) as robot:
        robot.act(np.full((1, planner.num_actions), 0.3))
        planner.plan(robot)
        states, costs = planner.replay(np.arange(21))
        q, v = states[..., : planner.task.model.nq], states[..., planner.task.model.nq :]
        low, fast, far = -3.0 * np.square(q[..., 0] - 0.1), -0.5 * np.square(v).sum(-1), np.abs(q[..., 1])
        wanted = -planner.dt * (low + fast).sum(-1) + 2.0 * far[:, -1] - 0.5 * low[:, -1]
        assert states.shape == (21, 7, planner.task.model.nq + planner.task.model.nv)
        assert np.allclose(costs, wanted, rtol=1e-11) and (costs == planner.costs).all() and len(set(costs.tolist())) == 21


@pytest.mark.parametrize("made", [walk.anymal, swing_up.cart_pole, lambda: reads_dt()], ids=["anymal", "cart-pole", "dt"])
def test_terms_of_a_task_that_observes_nothing_are_checked(made) -> None:
    """`TermTask.check`: recorded and on arrays they are the same, one that reads what `nothing` observes, too."""
    found = made().check(n=4, steps=5)
    assert any(name.startswith("reward.") for name in found) and max(found.values()) < 1e-12


def reads_dt() -> TermTask:
    task = TermTask("reads-dt", robot="hopper", gains=(60.0, 1.0), settings={"dt": 0.01, "decimation": 2})
    task.reward(-1.0, name="fast")(lambda s: s.dt * np.sum(np.square(s.v), axis=-1))
    return task


def test_views_outlive_the_planner_and_are_its_own() -> None:
    planner = Planner(hop(False), 16, steps=4, knots=3, threads=1)
    planner.knots = 0.25
    planner.sigma[1:] = 0.0
    assert (planner.control([0.0, 1.5, 99.0]) == 0.25).all() and planner.control(0.5).shape == (planner.num_actions,)
    knots = planner.knots
    planner.close()
    gc.collect()
    assert (knots == 0.25).all()
    other = Planner(hop(False), 16, steps=4, knots=3, threads=1)
    with other.robot() as robot:
        other.plan(robot)
        other.task.close()  # the samples' batch
        for call in (other.plan, lambda: other.start(robot), lambda: other.sample(0), lambda: other.replay([0]), lambda: other.terms([0])):
            with pytest.raises(StateError, match="closed"):
                call()
    for call in (planner.plan, planner.control, lambda: planner.knots):
        with pytest.raises(StateError, match="the planner is closed"):
            call()


def test_a_robot_has_the_settings_of_the_planner() -> None:
    with Planner(hop(), 16, threads=1, action_scale=0.3, dt=0.005, decimation=4) as planner, planner.robot(dt=0.001, decimation=20) as robot:
        assert robot.settings["action_scale"] == 0.3 and robot.settings["dt"] == 0.001 and planner.robot().settings["dt"] == 0.005


def test_links_touch_each_other_or_not() -> None:
    with Planner(walk.go2(), 16, threads=1) as all_of_it, Planner(walk.go2(), 16, threads=1, self_collision="off") as feet, feet.robot() as robot:
        assert all_of_it.task.model.pairs and not feet.task.model.pairs and not robot.model.pairs
        feet.plan(robot)
        with all_of_it.robot() as other, pytest.raises(ArgumentError, match="what touches what, differ"):
            feet.plan(other)
    with pytest.raises(ArgumentError, match="self_collision"):
        Planner(walk.go2(), 16, self_collision="no")
    with pytest.raises(ArgumentError, match="load it with that self_collision"):
        Planner(walk.go2(), 16, robot=myriapod.load("go2"), self_collision="off")


def test_a_replay_draws_what_its_sample_drew() -> None:
    """Numbers that a task draws as it goes belong to an environment: a replay is that environment's."""
    task = TermTask("lots", robot="cart-pole", actions="controls", settings={"dt": 0.02, "decimation": 1})
    task.reward(-1.0, name="luck")(lambda s: s.draw("luck"))
    with Planner(task, 40, steps=5, knots=2, threads=1) as planner, planner.robot() as robot:
        planner.plan(robot)
        assert len(set(planner.costs.tolist())) > 30 and (planner.replay([33, 2, 19])[1] == planner.costs[[33, 2, 19]]).all()


def test_a_robot_whose_episode_is_over_is_told_and_time_is_not_up() -> None:
    """A loop that plans, acts and shifts does not look at what `act` says: the planner does."""
    task = hop()
    with Planner(task, 16, threads=1, episode=0.1) as planner, planner.robot() as endless, planner.robot(episode=0.1) as short:
        for _ in range(5):
            endless.act(np.zeros((1, planner.num_actions)))
            short.act(np.zeros((1, planner.num_actions)))
        planner.plan(endless)
        with pytest.raises(StateError, match="over: it does not move until it is reset"):
            planner.plan(short)
        short.reset()
        planner.plan(short)


def test_lost_samples_say_why() -> None:
    task = hop()

    @task.reward(-1.0)
    def broken(s):
        return np.sqrt(-1.0 - np.square(s.q[..., 0]))

    with Planner(task, 16, threads=1) as planner, planner.robot() as robot:
        report = planner.plan(robot)
        assert report.lost == 16 and report.why == "16 of 16: reward.broken is not a number"
    with Planner(hop(), 16, threads=1) as planner, planner.robot() as robot:
        assert planner.plan(robot).why == ""
    ends = hop()

    @ends.end
    def always(s):
        return s.q[..., 0] > -1e9

    with Planner(ends, 16, threads=1) as planner, planner.robot() as robot:
        report = planner.plan(robot)
        assert report.lost == 16 and report.why == "16 of 16: an end of the task, or a cost that is not finite"


@pytest.mark.parametrize("options, words", [
    ({"temprature": 0.2}, "Planner takes no 'temprature'.*did you mean 'temperature'"), ({"horizon": 20}, "did you mean 'steps'"), ({"num_samples": 9}, "did you mean 'samples'"),
    ({"lambda_": 0.1}, "did you mean 'temperature'"), ({"noise": 0.1}, "did you mean 'sigma'"), ({"num_envs": 16}, "did you mean 'samples'"),
    ({"timestep": 0.01}, "did you mean 'dt'"), ({"dtype": "f32"}, "its robots are float64's"),
])
def test_options_that_are_misspelt_are_guessed(options, words) -> None:
    with pytest.raises(myriapod.UnknownKeyError, match=words):
        Planner(swing_up.cart_pole(), 16, **options)


def test_samples_are_replayed_after_a_shift_as_they_were_drawn() -> None:
    """Knots that hold shift by parts, and the samples of the last draw keep what they had."""
    with Planner(swing_up.cart_pole(), 16, steps=12, knots=3, spline="hold", threads=1) as planner, planner.robot() as robot:
        planner.plan(robot)
        before = planner.replay([0, 3])
        planner.shift(2.5)
        after = planner.replay([0, 3])
    assert np.array_equal(before[0], after[0]) and np.array_equal(before[1], after[1])


def test_costs_that_ship_go_by_name() -> None:
    with Planner("cart-pole-swing-up", 16, threads=1) as planner:
        assert planner.task.task == "cart-pole-swing-up"
    for samples in (0, -3, 1.5, True, "many"):
        with pytest.raises(ArgumentError, match="samples is"):
            Planner("cart-pole-swing-up", samples)
    with Planner("cart-pole-swing-up", 16, threads=1) as planner, pytest.raises(ArgumentError, match="not with ndarray"):
        planner.plan(np.zeros(2))


def test_mistakes_are_told_by_name() -> None:
    for options, says in (({"steps": 0}, "steps is 0"), ({"spline": "wavy"}, "spline is 'wavy', but must be one of hold, linear, cubic"),
                          ({"update": "ilqr"}, "update is 'ilqr'"), ({"sigma": np.ones(5)}, "sigma has shape"), ({"sigma": -1.0}, "sigma of knot 0, action 0, is -1"),
                          ({"knots": "six"}, "knots must be a whole number"), ({"lower": 1.0, "upper": -1.0}, "action 0 lies between lower 1 and upper -1"),
                          ({"terminal": {"near": 1.0}}, "terminal has 'near', but the task's terms and metrics are low, fast, far")):
        with pytest.raises(ArgumentError, match=says):
            Planner(hop(), 16, threads=1, **options)
    with Planner(hop(), 16, threads=1) as planner:
        with pytest.raises(StateError, match=r"is not known \(Planner.start\)"):
            planner.plan()
        with pytest.raises(ArgumentError, match="a control step of the robot takes 0.01 s, one of the plan 0.02 s"):
            planner.robot(dt=0.01, decimation=1)
        with PlannedTask(walk.anymal(), 1, threads=1) as other, pytest.raises(ArgumentError, match="another robot"):
            planner.plan(other)
        with planner.robot(ground="-0.5") as deep, pytest.raises(ArgumentError, match="ground is at -0.5 m, that of the samples at 0 m"):
            planner.plan(deep)
        with planner.robot(threads=1) as robot, pytest.raises(ArgumentError, match="1"):
            planner.plan(robot, env=1)
    with pytest.raises(ArgumentError, match="nothing is observed"):
        myriapod.LaneTask(hop(), 4, threads=1)
