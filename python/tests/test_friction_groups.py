"""Friction groups: factors on the friction of named geoms, in each environment: closed forms, the law of patches, promises."""
import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, Model

from test_locomotion import instruction_sets

G, MU = 9.81, 0.5
BOX = '<geom name="{0}" type="box" size="0.2 0.2 0.1" friction="0.5"/>'
ALONE = f"""<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.5"/>
  <body name="a" pos="0 0 0.1"><freejoint/>{BOX.format("left")}</body><body name="b" pos="0 3 0.1"><freejoint/>{BOX.format("right")}</body></worldbody></mujoco>"""
STACKED = f"""<mujoco><worldbody><geom name="deck" type="box" size="9 9 0.5" friction="0.5"/>
  <body name="a" pos="0 0 0.6"><freejoint/>{BOX.format("left")}</body></worldbody></mujoco>"""
# Soles of two kinds: the body's patch against the plane has contacts of both
SOLES = """<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.5"/><body name="a" pos="0 0 0.1"><freejoint/><inertial pos="0.03 0.02 0" mass="2" diaginertia="0.02 0.02 0.03"/>
  <geom name="heel" type="box" size="0.1 0.2 0.1" pos="-0.1 0 0" friction="0.5"/><geom name="toe" type="box" size="0.1 0.2 0.1" pos="0.1 0 0" friction="0.5"/>
  <geom name="rim" type="box" size="0.1 0.02 0.1" pos="0.1 0.25 0" friction="0.5"/></body></worldbody></mujoco>"""


def sliding(model, envs, steps=100, dt=1e-3, **options):
    """A batch whose bodies slide along x from 3 m/s; factors are given by `options`."""
    fields = {name: options.pop(name) for name in ("friction", "group_friction") if name in options}
    batch = Batch(model, envs, task="none", dt=dt, threads=1, **{"tolerance": 1e-9, "landing": 0} | options)
    v = np.zeros((envs, model.nv))
    v[:, ::6] = 3.0
    batch.v = v
    for name, value in fields.items():
        batch.set(name, np.asarray(value))
    batch.step(steps)
    return batch


@pytest.mark.parametrize("isa", instruction_sets())
@pytest.mark.parametrize("precision, tolerance", [("f64", 1e-7), ("f32", 3e-4)])
def test_what_slides_is_braked_by_its_own_factor(isa, precision, tolerance):
    model = Model.from_text(ALONE).with_friction_groups({"wet": "right"})
    assert model.friction_groups == ["wet"]
    envs, rng = 19, np.random.default_rng(1)
    friction, group = rng.uniform(0.2, 1.5, (envs, 1)), rng.uniform(0, 1.5, (envs, 1))
    with sliding(model, envs, isa=isa, precision=precision, friction=friction[:, 0], group_friction=group) as batch:
        speed = 3 - np.concatenate([MU * friction, MU * friction * group], 1) * G * 0.1
        assert np.allclose(batch.v[:, ::6], speed, atol=tolerance)
        assert np.allclose(batch.group_friction, group) and batch.group_friction.shape == (envs, 1)


@pytest.mark.parametrize("groups, law", [({"deck": "deck"}, lambda g: g[:, 0]), ({"deck": "deck", "sole": "left"}, lambda g: g[:, 0] * g[:, 1]),
                                         ({"both": "deck,left"}, lambda g: g[:, 0])], ids=["one", "two", "one of both"])
def test_of_two_geoms_each_group_counts_once(groups, law):
    model = Model.from_text(STACKED).with_friction_groups(groups)
    factors = np.random.default_rng(2).uniform(0.3, 1.4, (7, len(groups)))
    with sliding(model, 7, precision="f64", ground="off", group_friction=factors) as batch:
        assert np.allclose(batch.v[:, 0], 3 - MU * law(factors) * G * 0.1, atol=1e-6)


@pytest.mark.parametrize("solver", ["hybrid", "nsgs"])
@pytest.mark.parametrize("sets", [1, 0])
def test_the_law_holds_in_a_patch_of_several_groups(solver, sets):
    """By working sets, too: contacts of one group may not stand for those of another. How normal forces are shared is not determined, and with them
    friction: between what the least and the largest coefficient give."""
    model = Model.from_text(SOLES).with_friction_groups({"heel": "heel", "front": "toe,rim"})
    factors = np.random.default_rng(3).uniform(0.1, 1.5, (17, 2))
    with sliding(model, 17, steps=60, precision="f64", solver=solver, working_sets=sets, group_friction=factors) as batch:
        assert batch.residual_ncp.max() < 1e-8
        for problem, own in zip(batch.problems(), factors):
            assert len(problem.mu) >= 4 and set(np.round(problem.mu, 12)) == set(np.round(MU * own, 12))
        lost = (3 - np.linalg.norm(batch.v[:, :2], axis=1)) / (MU * G * 0.06)
        assert (lost > factors.min(1) - 1e-3).all() and (lost < factors.max(1) + 1e-3).all()
        assert np.abs(batch.v[:, 5]).max() > 0.05  # uneven soles turn it


def test_factors_of_one_change_no_bit():
    plain = Model.from_text(SOLES)
    grouped = plain.with_friction_groups({"all": "*"})
    with sliding(plain, 5) as a, sliding(grouped, 5) as b:
        assert np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v) and plain.hash != grouped.hash


def test_a_robot_falls_alone_whatever_its_neighbours_rub():
    model = Model.from_text(SOLES).with_friction_groups({"heel": "heel", "front": "toe,rim"})
    factors = np.random.default_rng(4).uniform(0.1, 1.5, (21, 2))
    with sliding(model, 21, group_friction=factors) as all_, sliding(model, 1, group_friction=factors[13:14], first_env=13) as one:
        assert np.array_equal(all_.q[13], one.q[0]) and np.array_equal(all_.v[13], one.v[0])


def test_factors_are_saved_and_restored(tmp_path):
    model = Model.from_text(ALONE).with_friction_groups({"wet": "right"})
    factors = np.random.default_rng(5).uniform(0.1, 1.5, (6, 1))
    with sliding(model, 6, group_friction=factors) as batch, sliding(model, 6) as other:
        batch.save(tmp_path / "batch")
        batch.step(20)
        other.restore(tmp_path / "batch")
        other.step(20)
        assert np.array_equal(batch.v, other.v) and np.array_equal(batch.group_friction, other.group_friction)


def test_tasks_draw_a_factor_for_each_group():
    model = Model("anymal").with_friction_groups({"front": "?F_FOOT", "rear": "?H_FOOT"})
    drawn = []
    for threads in (1, 2):
        task = myriapod.Locomotion("anymal-flat", 300, robot=model, threads=threads, vary_group_friction_low=0.4, vary_group_friction_high=1.2)
        drawn.append(task.batch.group_friction.copy())
        first = drawn[-1].copy()
        task.reset()
        assert not np.array_equal(task.batch.group_friction, first)
        task.close()
    assert np.array_equal(*drawn) and drawn[0].shape == (300, 2)
    assert 0.4 <= drawn[0].min() < 0.45 and 1.15 < drawn[0].max() <= 1.2 and abs(np.corrcoef(drawn[0].T)[0, 1]) < 0.2
    with pytest.raises(ArgumentError, match="no friction groups"):
        myriapod.Locomotion("anymal-flat", 2, vary_group_friction_high=1.2)
    with pytest.raises(ArgumentError, match="ends before it begins"):
        myriapod.Locomotion("anymal-flat", 2, robot=model, vary_group_friction_low=1.2, vary_group_friction_high=0.3)


def test_groups_come_along_into_another_model():
    part = Model.from_text(ALONE).with_friction_groups({"wet": "right"})
    builder = myriapod.ModelBuilder("two")
    builder.add_model(part, prefix="x/")
    builder.add_model(part, prefix="y/", position=(0, 8, 0))
    both = builder.compile()
    assert both.friction_groups == ["x/wet", "y/wet"]
    with sliding(both, 2, precision="f64", group_friction=[[0.5, 1], [1, 0.2]]) as batch:
        slowed = (3 - batch.v[:, ::6]) / (MU * G * 0.1)
        assert np.allclose(slowed, [[1, 0.5, 1, 1], [1, 1, 1, 0.2]], atol=1e-5)
    again = both.with_friction_groups({"x/wet": "y/left", "new": "y/right"})
    assert again.friction_groups == ["x/wet", "y/wet", "new"]


def test_nonsense_is_refused():
    model = Model.from_text(ALONE)
    with pytest.raises(ArgumentError, match="group `wet`: there is no geom `rihgt`.*right"):
        model.with_friction_groups({"wet": "left,rihgt"})
    with pytest.raises(ArgumentError, match="no name"):
        model.with_friction_groups({"": "left"})
    with Batch(model, 2, task="none") as batch, pytest.raises(myriapod.StateError, match="friction groups"):
        batch.get("group_friction")
    with Batch(model.with_friction_groups({"wet": "left"}), 3, task="none") as batch:
        with pytest.raises(ArgumentError, match="not negative"):
            batch.group_friction = -1.0
        batch.set("group_friction", np.array([[-1.0]]), ids=[1])
        batch.step(1)
        assert list(batch.quarantined) == [0, lib_parameter(), 0]


def lib_parameter():
    from myriapod._library import lib

    return lib.MYR_QUARANTINE_PARAMETER
