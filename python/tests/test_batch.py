"""Reading, writing, stepping: shapes, dtypes, ids, views, states, files."""
import myriapod
import numpy as np
import pytest
from myriapod._fields import INNER
from myriapod.envs.locomotion import fault_text

ENVS = 20


def test_fields_have_the_shapes_of_the_header(batch, robot):
    slots, bodies = robot.n_slots, robot.n_bodies
    wanted = {
        "q": (19,), "v": (18,), "impulse": (slots, 3), "target": (12,), "gravity": (3,), "friction": (), "mass": (bodies,), "com": (bodies, 3),
        "inertia": (bodies, 6), "wrench": (bodies, 6), "body_pose": (bodies, 7), "body_velocity": (bodies, 6), "contact_point": (slots, 3),
        "acceleration": (18,), "time": (), "residual": (), "quarantined": (),
    }
    for name, row in wanted.items():
        assert getattr(batch, name).shape == batch.shape(name) == (ENVS, *row), name
    locomotion = {"command", "action", "delay", "memory", "history"}  # of batches made for that task
    loops = {"loop_impulse"}  # of which this robot has none
    maps = {"ground_at", "patch", "world_at"}  # of batches on a map, or with geoms fixed to the world
    parts = {"activation", "sensors", "group_friction"}  # of models with motors that keep something, with sensors, with friction groups
    assert set(batch.fields) == set(INNER) - locomotion - loops - maps - parts
    with myriapod.Batch(robot, 3, task="locomotion", sense=("acceleration", "bodies", "contacts")) as walking:
        assert set(walking.fields) == set(INNER) - loops - maps - parts - {"history"}  # which no part of its observation has
        assert walking.command.shape == (3, 3) and walking.action.shape == (3, 12) and walking.memory.shape == (3, 8) and walking.delay.shape == walking.clock.shape == (3,)


def test_every_field_can_be_read_and_what_is_writable_written_back(batch):
    batch.step(5)
    for name in batch.fields:
        value = getattr(batch, name)
        assert value.dtype == (np.int64 if name in ("iterations", "solve_status", "episode", "quarantined") else np.float32), name
        if getattr(type(batch), name).fset:
            setattr(batch, name, value + 1)
            assert np.allclose(getattr(batch, name), value + 1, atol=1e-4), name
        else:
            with pytest.raises(AttributeError):
                setattr(batch, name, value)
            with pytest.raises(myriapod.ArgumentError, match="read only"):
                batch.set(name, 0.0)
    assert not set(INNER) & {n for n in vars(myriapod.Batch) if not n.startswith("_")}  # no field hides behind a method


def test_rows_numbers_ids_and_types(batch):
    start = batch.q
    batch.set("kp", 50)
    batch.set("kp", np.arange(12.0), ids=[3, 5])
    kp = batch.kp
    assert (kp[0] == 50).all() and (kp[3] == np.arange(12)).all() and (kp[5] == np.arange(12)).all()
    rows = np.arange(24, dtype=np.float64).reshape(2, 12)
    batch.set("target", rows, ids=np.array([7, 7], dtype=np.int32))
    assert (batch.get("target", ids=7) == rows[1]).all()  # the last one stays
    out = np.full((2, 19), np.nan, dtype=np.float64)
    assert batch.get("q", ids=[1, 0], out=out, dtype=np.float64) is out
    assert (out == start[[1, 0]]).all()
    batch.q = np.asfortranarray(start + 1)  # copied once
    assert (batch.q == start + 1).all()
    batch.set("q", np.zeros((0, 19)), ids=[])
    assert batch.get("q", ids=[]).shape == (0, 19)


def test_view_shows_the_tiles_and_keeps_them(robot):
    batch = myriapod.Batch(robot, ENVS, threads=1)
    q = batch.view("q")
    assert q.shape == (2, 16, 19) and not q.flags.writeable and q.dtype == np.float32
    batch.step(10)
    last = batch.q
    assert (q.reshape(-1, 19)[:ENVS] == last).all()
    assert (batch.view("mass").reshape(-1, robot.n_bodies)[:ENVS] == batch.mass).all()
    with pytest.raises(myriapod.ArgumentError, match="not stored"):
        batch.view("com")
    batch.close()
    del batch
    assert (q.reshape(-1, 19)[:ENVS] == last).all()


def test_reset_copy_states_and_files(batch, tmp_path):
    batch.step(30)
    lived = batch.q
    mask = np.zeros(ENVS, dtype=bool)
    mask[4] = True
    batch.reset(mask)
    assert batch.time.tolist() == [0 if i == 4 else pytest.approx(0.03) for i in range(ENVS)] and (batch.q[5] == lived[5]).all()
    assert batch.episode.tolist() == [1 if i == 4 else 0 for i in range(ENVS)]
    batch.copy(5, [4, 6])
    assert (batch.q[4] == lived[5]).all() and (batch.q[6] == lived[5]).all()
    states, saved = batch.get_state(), tmp_path / "batch"
    assert states.dtype == np.uint8 and states.shape[0] == ENVS
    batch.save(saved)
    before = batch.hash()
    batch.step(3)
    after = batch.hash()
    assert before != after
    batch.restore(saved)
    assert batch.hash() == before
    batch.step(3)
    assert batch.hash() == after
    batch.set_state(states)
    assert batch.hash() == before
    batch.set_state(states[5:6], ids=[0])
    assert (batch.q[0] == lived[5]).all()


def test_what_it_says_of_itself(batch, robot):
    batch.step(100)
    stats, info = batch.stats(), batch.info
    assert stats.robot_steps == 100 * ENVS and set(stats.stage_ns) >= {"kinematics", "solve"} and 3 < stats.contacts_mean < 5
    assert info.envs == ENVS and info.threads == 1 and info.task == "stand" and len(info.cpus) == 1
    assert 0 <= stats.residual_p50 <= stats.residual_p99 <= stats.residual_max < 1e-4
    batch.clear_stats()
    nothing = batch.stats()
    assert nothing.robot_steps == 0 and {nothing.residual_p50, nothing.residual_p99, nothing.residual_max} == {None}
    assert {nothing.residual_ncp_p50, nothing.residual_ncp_p99, nothing.residual_ncp_max} == {None}  # no solve has no residual, not 0
    assert robot.nq == 19 and robot.is_quadruped and 29 < robot.mass < 31 and robot.home.shape == (19,)
    assert [j.name for j in robot.joints][1] == "LF_HAA" and robot.joints[0].type == "free" and robot.geoms[0].type == "box"
    assert batch.time.tolist() == [pytest.approx(0.1)] * ENVS


def test_collision_mask(robot):
    with myriapod.Batch(robot, 1, task="none") as batch:
        batch.set_collision(np.zeros(len(robot.geoms), dtype=bool))
        batch.step(100)
        assert batch.q[0, 2] < robot.home[2] - 0.02  # nothing holds it


def test_one_bad_robot_harms_nobody(batch):
    torque = np.zeros((ENVS, 12))
    torque[3, 2] = np.nan
    batch.torque = torque
    batch.step(2)
    assert batch.quarantined.tolist() == [1 if i == 3 else 0 for i in range(ENVS)]


def test_a_parameter_that_is_no_legal_number_is_told_by_name(batch):
    friction = np.ones(batch.shape("friction"))
    friction[2] = np.nan
    batch.friction = friction
    batch.step(2)
    assert [fault_text(reason) for reason in batch.quarantined] == ["illegal parameter" if i == 2 else "healthy" for i in range(ENVS)]


def test_a_model_without_a_file():
    builder = myriapod.ModelBuilder("ball")
    body = builder.body("ball", joint="free", mass=1, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    builder.geom(body, "sphere", (0.1,))
    builder.frame("pole", body, (0, 0, 0.1))
    model = builder.compile()
    assert (model.name, model.nq, model.nv, model.nu, model.frames) == ("ball", 7, 6, 0, ["ball", "pole"])
    with pytest.raises(myriapod.ArgumentError, match="dampng"):
        builder.body("b", dampng=1)
    with myriapod.Batch(model, 3) as batch:
        batch.step(10)
        assert batch.q[0, 2] == pytest.approx(0.1, abs=1e-4)


def test_settings():
    settings = myriapod.Settings("rollout", dt=0.002, pin=False)
    assert settings["dt"] == 0.002 and settings["pin"] == 0 and settings["solver"] == "hybrid" and isinstance(settings["friction"], float)
    assert "max_sweeps" in settings and settings["max-sweeps"] == settings["max_sweeps"] and len(dict(settings)) == len(settings) > 20
    assert "[s]" in settings.doc("dt") and "dt=0.002" in repr(settings)
    with pytest.raises(myriapod.ArgumentError):
        settings.update(seed=5, dt=-1)
    assert settings["seed"] == 1  # nothing of it was done
    with pytest.warns(DeprecationWarning, match="^solver pgs-004 is now called pgs-lelidec$") as seen:
        assert myriapod.Settings(solver="pgs-004")["solver"] == "pgs-lelidec"
    assert seen[0].filename == __file__  # it points at the caller
    with myriapod.Batch("cube", 2, settings, dt="0.004") as batch:
        assert batch.settings["dt"] == 0.004 and settings["dt"] == 0.002


def test_sense_is_short_for_settings(robot):
    for options in ({"sense": "bodies"}, {"sense_bodies": 1}, {"sense": ("bodies",), "sense_bodies": 1}, {"sense": ("bodies",), "sense_bodies": 0}):
        with myriapod.Batch(robot, 1, **options) as batch:
            assert batch.settings["sense_bodies"] == 1 and batch.body_pose.shape[0] == 1 and "acceleration" not in batch.fields
    with pytest.raises(myriapod.ArgumentError, match="none of acceleration, bodies, contacts"):
        myriapod.Batch(robot, 1, sense="body")
    with myriapod.Batch(robot, 1) as batch, pytest.raises(myriapod.StateError, match="sense=..contacts"):
        batch.contact_point
