"""A fluid drags at every body by the box of its inertia: MuJoCo's forces, closed forms, and steps of any length that turn no motion round."""
import pathlib
import warnings

import gymnasium
import myriapod
import numpy as np
import pytest
from mjcf_scene import batch_of, model_of
from myriapod import ArgumentError

SWIMMER = pathlib.Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"
TREE = """<mujoco><compiler angle="radian"/><option timestep="{dt}" density="{density}" viscosity="{viscosity}" wind="0.7 -0.4 0.3" gravity="0 0 -9.8">
  </option><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="base" pos="0 0 3"><freejoint/><geom type="box" size=".3 .2 .1" density="700"/>
    <body name="arm" pos=".3 .1 0" euler=".2 .1 .4"><joint name="j" axis=".1 1 .2" armature=".01"/><geom type="ellipsoid" size=".05 .08 .25" pos="0 0 -.2" density="900"/>
      <body name="fin" pos="0 0 -.4" euler=".3 -.2 .1"><inertial pos=".02 0 .1" mass=".4" diaginertia=".004 .003 .0015"/><geom size=".01" mass="0"/></body>
      <body name="hand" pos="0 .1 -.4"><joint name="b" type="ball"/><geom type="box" size=".02 .1 .15" pos="0 .1 0"/></body></body>
    <body name="rail" pos="-.3 0 0"><joint name="s" type="slide" axis="1 .2 0"/><geom type="box" size=".1 .05 .2" pos="0 0 .1"/><geom type="sphere" size=".1" pos=".1 0 .2"/></body>
  </body></worldbody></mujoco>"""
FISH = """<mujoco><option timestep="0.004" density="{density}" viscosity="{viscosity}"/><worldbody><body name="fish" pos="0 0 2"><freejoint/>
  <geom type="box" size=".2 .05 .1" mass="3"/><body pos="-.2 0 0"><joint name="tail" axis="0 0 1" damping="0.02"/>
  <geom type="box" size=".1 .01 .1" pos="-.1 0 0" mass=".2"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("density, viscosity", [(1000, 0), (0, 3), (1.2, 1.8e-5), (500, 0.5)])
def test_accelerations_are_mujocos(density, viscosity):
    """Over a step of a nanosecond, at random states: trees, balls, sliders, a body that is fixed to another one, wind."""
    mujoco = pytest.importorskip("mujoco")
    text = TREE.format(dt=1e-9, density=density, viscosity=viscosity)
    theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
    assert model.fluid == myriapod.Fluid(density, viscosity, (0.7, -0.4, 0.3))
    data, rng, n = mujoco.MjData(theirs), np.random.default_rng(5), 17
    q, v, truth, still = np.zeros((n, theirs.nq)), rng.normal(size=(n, theirs.nv)), np.zeros((n, theirs.nv)), np.zeros((n, theirs.nv))
    for k in range(n):
        data.qpos[:] = rng.normal(size=theirs.nq)
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        q[k], data.qvel[:] = data.qpos, v[k]
        mujoco.mj_forward(theirs, data)
        truth[k] = data.qacc
        dragged = data.qfrc_fluid.copy()
        mujoco.mj_solveM(theirs, data, still[k][None], dragged[None])
    with batch_of(model, n, dt=1e-9) as batch:
        batch.q, batch.v = q, v
        before = batch.v.copy()
        batch.step(1)
        ours = (batch.v - before) / 1e-9
    size = np.abs(truth).max()
    assert np.abs(ours - truth).max() < 3e-6 * size and np.abs(still).max() > 1e-5 * size


@pytest.mark.parametrize("precision, dynamics", [("f64", "generalized"), ("f32", "generalized"), ("f64", "maximal")])
def test_a_ball_sinks_by_the_closed_form(precision, dynamics):
    """Viscosity alone: v = -g tau (1 - exp(-t / tau)), tau = m / (3 pi d mu); density alone: v = -V tanh(g t / V), V^2 = 2 m g / (rho A)."""
    radius, mass = 0.1, 2.0
    side = np.sqrt(6 * 0.4) * radius
    for density, viscosity in ((0.0, 1.5), (800.0, 0.0)):
        model = model_of(f"""<mujoco><option density="{density}" viscosity="{viscosity}"/><worldbody><body pos="0 0 50"><freejoint/>
                             <geom size="{radius}" mass="{mass}"/></body></worldbody></mujoco>""")
        with batch_of(model, 2, dt=1e-4, precision=precision, dynamics=dynamics, ground="off") as batch:
            for k in range(1, 11):
                batch.step(500)
                t = 0.05 * k
                tau, terminal = mass / (3 * np.pi * side * viscosity) if viscosity else 0, np.sqrt(2 * mass * 9.81 / (density * side**2)) if density else 0
                want = -9.81 * tau * (1 - np.exp(-t / tau)) if viscosity else -terminal * np.tanh(9.81 * t / terminal)
                assert abs(batch.v[1, 2] - want) < 5e-4 * abs(want), (density, k)


@pytest.mark.parametrize("dt", [0.001, 0.02, 0.5])
def test_a_step_of_any_length_takes_energy_and_turns_no_motion_round(dt):
    """In syrup of lead, at 10 m/s and 30 rad/s: what drag changes of a step's velocity, seen beside the same robot without it, leaves less energy."""
    text = TREE.format(dt=dt, density=11000, viscosity=50).replace('wind="0.7 -0.4 0.3"', "").replace('armature=".01"', "")
    wet = model_of(text)
    rng, n = np.random.default_rng(1), 65
    with batch_of(wet, n, dt=dt, ground="off") as batch, batch_of(wet.in_fluid(), n, dt=dt, ground="off") as dry:
        q, v = batch.q.copy(), rng.normal(size=batch.v.shape) * 10
        v[:, 3:] *= 3
        q[:, 7] = rng.normal(size=n)
        batch.q, batch.v, dry.q, dry.v = q, v, q, v
        M = myriapod.evaluate(wet, q, want="M").M
        batch.step(1)
        dry.step(1)
        change = batch.v - dry.v
        before, after = (np.einsum("ni,nij,nj->n", x, M, x) for x in (v, v + change))
        along = np.einsum("ni,nij,nj->n", v, M, v + change)
        assert (after < before).all() and (along > 0).all() and (after / before).min() < 0.5
    ball = model_of("""<mujoco><option density="9000" viscosity="80" gravity="0 0 0"/><worldbody><body><freejoint/><geom type="box" size=".1 .2 .3" mass=".5"/></body></worldbody></mujoco>""")
    with batch_of(ball, 1, dt=dt, ground="off") as batch:
        batch.v = [[5, -4, 3, 0, 0, 0]]
        for _ in range(10):
            before = batch.v[0, :3].copy()
            batch.step(1)
            assert (batch.v[0, :3] * before >= 0).all() and (np.abs(batch.v[0, :3]) <= np.abs(before)).all()


def test_lighter_robots_and_rods_do_not_turn_round_either():
    """A tenth of the mass in thick oil; a rod without a moment about its axis."""
    text = """<mujoco><option density="{}" viscosity="{}" gravity="0 0 0"/><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="{}"/>
              <geom size=".01" mass="0"/></body></worldbody></mujoco>"""
    with batch_of(model_of(text.format(5000, 90, ".02 .02 .02")), 2, dt=0.1, ground="off") as batch:
        batch.mass = [[1.0], [0.1]]
        batch.v = np.full((2, 6), 4.0)
        for _ in range(5):
            before = batch.v.copy()
            batch.step(1)
            assert (batch.v >= 0).all() and (batch.v <= before).all()
    with batch_of(model_of(text.format(0, 90, ".02 .02 1e-12")), 1, dt=0.1, ground="off") as batch:
        batch.v = np.full((1, 6), 4.0)
        batch.step(3)
        assert np.isfinite(batch.v).all() and np.abs(batch.v).max() <= 4.0


def test_gymnasiums_swimmer_swims_beside_mujoco():
    """A wave along its joints: in water it swims as MuJoCo's does with the same steps; without the fluid its middle stays."""
    mujoco = pytest.importorskip("mujoco")
    text = SWIMMER.read_text().replace('integrator="RK4"', 'integrator="Euler"')
    theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
    assert model.fluid.density == 4000 and model.fluid.viscosity == 0.1
    data, dt, steps = mujoco.MjData(theirs), 0.001, 8000
    theirs.opt.timestep = dt
    dry = model.in_fluid()
    with batch_of(model, 3, dt=dt) as wet, batch_of(dry, 3, dt=dt) as still:
        most, start = 0.0, wet.q[0].copy()
        for k in range(steps):
            t = k * dt
            control = 0.5 * min(1.0, t) * np.cos(2 * np.pi * t + np.array([0.0, 1.0]))
            data.ctrl[:] = control
            mujoco.mj_step(theirs, data)
            for batch in (wet, still):
                batch.control = np.tile(control, (3, 1))
                batch.step(1)
            most = max(most, np.abs(data.qpos[3:]).max())
        begins, swum, truth, stayed = (myriapod.evaluate(model, q, want="com").com for q in (start, wet.q[0], data.qpos, still.q[0]))
        way = np.linalg.norm(truth - begins)
        assert way > 0.7 and most < 1.2  # [m] in 8 s; its limits do not act
        assert np.linalg.norm(swum - truth) < 0.01 * way and np.linalg.norm(stayed - begins) < 0.02 * way


def test_a_fluid_is_of_the_model():
    dry = model_of(FISH.format(density=0, viscosity=0))
    wet = dry.in_fluid(1000, 1e-3, wind=(0.1, 0, 0))
    assert dry.fluid == myriapod.Fluid(0, 0, (0, 0, 0)) and wet.fluid == myriapod.Fluid(1000, 1e-3, (0.1, 0, 0))
    assert dry.hash != wet.hash and dry.hash == wet.in_fluid().hash
    two = myriapod.ModelBuilder("two")
    two.add_model(wet)
    two.add_model(wet, prefix="b/", position=(0, 1, 0))
    assert two.compile().fluid == wet.fluid
    builder = myriapod.ModelBuilder("wet")
    builder.fluid(1000, 1e-3)
    builder.add_model(dry)
    assert builder.compile().fluid == myriapod.Fluid(1000, 1e-3, (0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing of it is lost
        assert myriapod.Model.from_text(FISH.format(density=1, viscosity=0).replace("<option", '<option wind="1 0 0"')).fluid.wind == (1, 0, 0)
    for wrong, word in (({"density": -1}, "density is -1"), ({"viscosity": float("nan")}, "viscosity is nan"), ({"wind": (0, 0, float("inf"))}, r"wind\[2\] is inf"),
                        ({"wind": (1, 2)}, "wind has 2 numbers")):
        with pytest.raises(ArgumentError, match=word):
            dry.in_fluid(**wrong)
    with pytest.raises(myriapod.Error, match="density is -1"):
        model_of(FISH.format(density=-1, viscosity=0))
    with pytest.warns(myriapod.ModelWarning, match="fluidshape"):
        myriapod.Model.from_text(FISH.format(density=1000, viscosity=0).replace('mass="3"', 'mass="3" fluidshape="ellipsoid"'))


def test_the_same_bits_everywhere():
    model = model_of(TREE.format(dt=0.002, density=1000, viscosity=0.1))
    results = {}
    for envs, threads, first in ((33, 1, 0), (33, 2, 0), (16, 1, 17)):
        with batch_of(model, envs, dt=0.002, threads=threads, first_env=first, precision="f32") as batch:
            v = np.random.default_rng(2).normal(size=(33, batch.v.shape[1])).astype(np.float32)
            batch.v = v[first:first + envs]
            batch.step(100)
            results[envs, threads] = batch.q[-16:].copy()
    assert all(np.array_equal(results[33, 1], other) for other in results.values())
