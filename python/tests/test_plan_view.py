"""A plan that is watched: lines of samples, the cost by its terms, the loop that is shown, the command."""
import numpy as np
import pytest
from found import needs_ffmpeg
from myriapod import ArgumentError, Batch, Planner, TermTask
from myriapod.plan import swing_up, walk
from myriapod.plan.__main__ import main, make_source, parser
from myriapod.plan.shown import CHEAP, DEAR, LOST, Shown, colors, cost_terms
from myriapod.plan.watch import PlanSource, plant
from myriapod.view import offscreen, serve
from myriapod.view.frame import Lines
from myriapod.view.panel import Panel, paint


def cart(**options) -> Planner:
    return Planner(swing_up.cart_pole(), 32, **{"steps": 12, "sigma": 0.6, "lower": -1.0, "upper": 1.0, "threads": 1, **options})


def test_lines_are_the_states_of_a_replay() -> None:
    """Of a cart its place, of the pole's tip what its angle says; of ANYmal's base q, and its foot where another batch has that."""
    with cart() as planner, planner.robot() as robot, Shown(planner, "cart", "tip") as shown:
        robot.act(np.full((1, 1), 0.5))
        planner.plan(robot)
        ids = shown.samples(5)
        lines, (states, _) = shown.lines(ids), planner.replay(ids)
        x, angle = states[..., 0], states[..., 1]
        assert lines.shape == (5, 2, 12, 3) and np.ptp(lines[:, 1, -1, 0]) > 0.01
        assert np.allclose(lines[:, 0, :, 0], x) and np.allclose(lines[:, 1, :, 0], x - np.sin(angle), atol=1e-6) and np.allclose(lines[:, 1, :, 2], 1.0 - np.cos(angle), atol=1e-6)
    with Planner(walk.anymal(), 32, steps=6, knots=3, threads=1) as planner, planner.robot() as robot, Shown(planner, "base", "LF_FOOT", "LF_SHANK") as shown:
        planner.plan(robot)
        states, _ = planner.replay([3, 1])
        lines = shown.lines([3, 1])
        assert np.allclose(lines[:, 0], states[..., :3])
        frame = planner.task.model.frame("LF_FOOT")
        with Batch(planner.task.model, 1, task="none", threads=1, precision="f64", sense=("bodies",)) as batch:
            batch.set("q", states[0, -1:, :19])
            batch.refresh()
            assert np.allclose(shown.places(batch.get("body_pose"))[0], lines[0, :, -1]) and frame.body == planner.task.model.body("LF_SHANK").index
        assert np.allclose(np.linalg.norm(lines[:, 1] - lines[:, 2], axis=-1), np.linalg.norm(frame.position), atol=1e-6)


def test_samples_that_are_looked_at_have_the_plan_and_the_best() -> None:
    with cart() as planner, planner.robot() as robot, Shown(planner) as shown:
        planner.knots = 0.8  # which stirs the cart for nothing
        best = planner.plan(robot).best
        assert list(shown.samples(32)) == list(range(32)) and len(shown.samples(99)) == 32 and len(shown.samples(0)) == 0 and list(shown.samples(1)) == [0]
        assert best > 3 and list(shown.samples(3)) == [0, 1, best]


@pytest.mark.parametrize("make", [lambda: Planner(walk.anymal(), 32, steps=8, knots=3, iterations=2, threads=1), cart], ids=["anymal", "cart"])
def test_terms_are_what_the_plan_costs(make) -> None:
    with make() as planner, planner.robot() as robot:
        report = planner.plan(robot)
        terms = cost_terms(planner)
        assert sum(term.sum() for term in terms.values()) == pytest.approx(report.kept, rel=1e-5) and len(terms) >= 4 and all(len(term) == planner.num_steps for term in terms.values())
        for sample in (1, 17):
            assert sum(term.sum() for term in cost_terms(planner, sample).values()) == pytest.approx(planner.costs[sample], rel=1e-5)


def test_what_counts_at_the_end_is_in_the_last_step() -> None:
    task = TermTask("go", robot="cart-pole", actions="controls", settings={"dt": 0.02, "decimation": 1})
    task.reward(-2.0, name="place")(lambda s: np.square(s.q[..., 0] - 0.5))
    task.metric(lambda s: np.abs(s.q[..., 0] - 0.5), name="far")
    task.metric(lambda s: s.q[..., 1], name="other")
    with Planner(task, 16, steps=5, knots=3, terminal={"far": -3.0, "place": 0.5}, precision="f64", threads=1) as planner, planner.robot(precision="f64", threads=1) as robot:
        planner.plan(robot)
        terms, (states, costs) = cost_terms(planner, 7), planner.replay([7])
        off = states[0, :, 0] - 0.5
        assert set(terms) == {"place", "far", "termination"} and np.allclose(terms["far"], [0, 0, 0, 0, 3.0 * abs(off[-1])])
        place = 2.0 * np.square(off) * planner.dt
        place[-1] += 0.5 * 2.0 * np.square(off[-1])
        assert np.allclose(terms["place"], place) and sum(t.sum() for t in terms.values()) == pytest.approx(costs[0], rel=1e-12)


def test_colours_go_by_cost() -> None:
    assert np.allclose(colors(np.array([3.0, 1.0, np.inf])), [DEAR, CHEAP, LOST]) and np.allclose(colors(np.array([np.inf])), [LOST]) and np.allclose(colors(np.array([2.0])), [CHEAP])


def test_a_line_ends_where_it_is_not_finite() -> None:
    points = np.arange(24.0).reshape(2, 4, 3)
    points[1, 2] = np.nan
    pieces, ink, wide = Lines(points, np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([True, False])).pieces()
    assert len(pieces) == 4 and list(wide) == [True, True, True, False] and list(ink[-1]) == [4, 5, 6] and np.allclose(pieces[-1], points[1, :2])


def test_the_robot_is_told_and_pushed_and_its_numbers_change() -> None:
    planner = Planner(walk.anymal(), 32, steps=6, knots=3, threads=1)
    source = PlanSource(planner, plant(planner), of=("LF_FOOT",), command=(0.3, 0.0, 0.1), push=0.5)
    assert source.batch.settings["dt"] == pytest.approx(0.002) and source.dt == pytest.approx(0.02)
    frame = source.frame(np.array([0]))
    assert frame.lines.points.shape == (8, 7, 3) and frame.lines.wide.sum() == 1
    assert np.allclose(frame.lines.points[:, 0], frame.lines.points[0, 0]) and np.allclose(source.command, [0.3, 0.0, 0.1])
    source._numbers["reward-velocity"] = -16.0
    before = planner.knots.copy()
    source.advance(2)
    assert source.batch.task_numbers["reward-velocity"] == planner.task.batch.task_numbers["reward-velocity"] == -16.0 and (planner.knots != before).any()
    assert source.batch.get("time")[0] == pytest.approx(0.04)
    source._numbers["pace"] = 1e9
    source.advance(1)
    assert "pace" in source.about(0) and source.batch.task_numbers["pace"] == 2.5
    told = source.about(0)
    assert "velocity" in told and " ms, 0 of 32 lost" in told and "command +0.30, +0.00, +0.10" in told
    speeds = [source.batch.v[0, :2].copy()]
    while source._moments < 150:
        source.advance(1)
        speeds.append(source.batch.v[0, :2].copy())
    changes = np.linalg.norm(np.diff(speeds, axis=0), axis=-1)
    assert changes[-1] > 0.3 and np.median(changes) < 0.2
    source.seek(0)
    assert source.batch.get("time")[0] == 0.0 and np.allclose(source.command, [0.3, 0.0, 0.1])
    with pytest.raises(ArgumentError, match="is 3 finite numbers, got 1, 2"):
        source.tell([1, 2])
    source.close()


def test_pushes_are_those_of_the_seed() -> None:
    ends = []
    for seed in (5, 5, 6):
        planner = Planner(walk.anymal(), 16, steps=3, knots=2, threads=1, seed=seed, sigma=0.0)
        source = PlanSource(planner, plant(planner))
        source.push(np.array([0]), 0.5)
        ends.append(source.batch.v[0, :2].copy())
        source.close()
    assert (ends[0] == ends[1]).all() and np.linalg.norm(ends[0] - ends[2]) > 0.01 and np.linalg.norm(ends[0]) == pytest.approx(0.5, abs=0.01)


def test_a_robot_that_fails_begins_anew() -> None:
    task = TermTask("far", robot="cart-pole", actions="controls", settings={"dt": 0.02, "decimation": 1})
    task.reward(1.0, name="away")(lambda s: s.q[..., 0])
    task.end(lambda s: np.abs(s.q[..., 0]) > 0.02, name="left")
    planner = Planner(task, 16, steps=4, knots=2, sigma=1.0, lower=0.5, upper=1.0, threads=1)
    source = PlanSource(planner, plant(planner))
    while not source.falls:
        source.advance(1)
        assert source._moments < 100
    assert abs(source.batch.q[0, 0]) < 0.02 and np.isfinite(source.frame(np.array([0])).poses).all() and "began anew 1 times" in source.about(0)
    source.close()


def test_the_page_has_the_controls(monkeypatch) -> None:
    pytest.importorskip("viser", reason="viser is not installed: pip install '.[view]' in a clone of the project")
    from myriapod.view.player import Player

    monkeypatch.setattr("myriapod.view.player.BUDGET_S", 60.0)
    source = make_source(parser().parse_args(["anymal-walk", "--samples", "32", "--set", "steps=5", "--command", "0.2", "0", "0"]))
    server = serve(port=0)
    try:
        player = Player(server, source)
        player.tick(0.05)
        player._tell()
        assert source._moments == 2 and "velocity" in player._status.content and set(player.scene._lines) == {False, True}
        thin = player.scene._lines[False].points
        assert thin.shape == (7 * 4 * 5, 2, 3) and player.scene._lines[True].points.shape == (4 * 5, 2, 3)
        boxes = {handle.label: handle for handle in server.gui._gui_input_handle_from_uuid.values()}
        boxes["forward [m/s]"].value, boxes["lines"].value, boxes["lift"].value = 0.7, 3, 0.1
        player._button("push")
        player.tick(0.05)
        assert source.command[0] == pytest.approx(0.7) and source.batch.task_numbers["lift"] == 0.1 and player.scene._lines[False].points.shape == (2 * 4 * 5, 2, 3)
        boxes["lines"].value = 0
        player.tick(0.05)
        assert player.scene._lines[True].points.shape == (0, 2, 3)
    finally:
        server.stop()
        source.close()


@needs_ffmpeg
def test_a_film_of_half_a_second(tmp_path, capsys) -> None:
    pytest.importorskip("PIL")
    film = tmp_path / "cart.mp4"
    assert main(["cart-pole-swing-up", "--samples", "32", "--seconds", "0.5", "--fps", "10", "--film", str(film), "--size", "240x136"]) == 0
    assert film.read_bytes()[4:8] == b"ftyp" and film.stat().st_size > 2000 and "6 pictures in" in capsys.readouterr().out


def test_lines_and_bars_are_in_a_picture() -> None:
    pytest.importorskip("PIL")
    planner = cart(steps=40, knots=5, iterations=2)
    source = PlanSource(planner, plant(planner), of=("tip",), away=1.7)
    source.advance(30)
    studio = offscreen.Studio(source, np.array([0]), 320, 180, shadows=False)
    placed = studio.placed()
    whole = studio.paint(placed).astype(int)
    placed.panel = None
    without_words = studio.paint(placed).astype(int)
    placed.lines = None
    bare = studio.paint(placed).astype(int)
    green = (without_words[..., 1] > without_words[..., 0] + 60) & (without_words[..., 1] > without_words[..., 2] + 30)
    assert (whole != without_words).any(-1).sum() > 2000 and (without_words != bare).any(-1).sum() > 100 and green.sum() > 20
    source.close()


def test_bars_are_as_long_as_their_numbers() -> None:
    pytest.importorskip("PIL")
    image = paint(np.full((180, 320, 3), 90, np.uint8), Panel(["words"], [("a", 1.0), ("b", 0.5), ("c", -0.25)], 1.0)).astype(int)
    blue, orange = image[..., 2] - image[..., 0] > 60, image[..., 0] - image[..., 2] > 100
    lengths = sorted({int(n) for n in blue.sum(1) if n})
    assert lengths[-1] == pytest.approx(2 * lengths[0], abs=2) and orange.sum(1).max() == pytest.approx(lengths[0] / 2, abs=2)


@pytest.mark.parametrize("words, message", [
    (["anymal-wlk"], "there is no task 'anymal-wlk'; did you mean 'anymal-walk'?"),
    (["cart-pole-swing-up", "--command", "1"], "the task 'cart-pole-swing-up' has no commands"),
    (["anymal-walk", "--samples", "16", "--command", "1", "2"], "is 3 finite numbers, got 1, 2"),
    (["anymal-walk", "--samples", "16", "--of", "LF_FEET"], "no body, frame or shape 'LF_FEET'; did you mean 'LF_FOOT'?"),
    (["cart-pole-swing-up", "--set", "stepps=4"], "--set stepps: this is neither an option of the planner nor a setting; did you mean 'steps'?"),
    (["cart-pole-swing-up", "--set", "steps=few"], "steps must be a whole number"),
    (["cart-pole-swing-up", "--set", "seed=2"], "there is an argument for 'seed'"),
    (["cart-pole-swing-up", "--lines", "-1"], "--lines -1 is below 0"),
    (["cart-pole-swing-up", "--push", "nan"], "a push is nan m/s"),
    (["cart-pole-swing-up", "--samples", "16", "--set", "numbers=3"], "a number of the task is --set number.NAME=VALUE"),
    (["cart-pole-swing-up", "--samples", "16", "--set", "self_collision=no"], "self_collision"),
    (["cart-pole-swing-up", "--samples", "16", "--film", "/no/such/folder/a.mp4"], "/no/such/folder/a.mp4: there is no such folder"),
])
def test_mistakes_of_the_command_are_told_in_a_line(words, message, capsys) -> None:
    pytest.importorskip("viser")
    assert main([*words, "--port", "0", "--seconds", "0.02"]) == 1
    said = capsys.readouterr().err
    assert message in said and said.startswith("myriapod.plan: ") and said.count("\n") == 1
