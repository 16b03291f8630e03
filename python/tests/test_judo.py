"""judo's backend and optimizer. Where judo is not installed, classes stand in that have the signatures of judo-rai 0.1.0; what its controller
does with ours then is not tried."""
import importlib
import sys
import types
from abc import ABC
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pytest
from myriapod import ArgumentError, Batch, Model, Planner
from myriapod.plan import swing_up

mujoco = pytest.importorskip("mujoco")

CART = """<mujoco model="cart"><option timestep="0.01"/><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
 <geom type="box" size=".2 .1 .1" mass="1" contype="0" conaffinity="0"/>
 <body name="pole"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size=".05" mass=".1" contype="0" conaffinity="0"/>
 <site name="tip" pos="0 0 1"/></body></body></worldbody><actuator><motor name="push" joint="rail" gear="10" ctrlrange="-1 1"/></actuator>
 <sensor><jointpos name="angle" joint="hinge"/><framepos name="tip" objtype="site" objname="tip"/></sensor></mujoco>"""


class CartTask:
    """What a backend reads of judo's `Task`."""

    model_path = "cart.xml"

    def __init__(self, text: str = CART) -> None:
        self.spec = mujoco.MjSpec.from_string(text)
        self.model = self.spec.compile()


def stand_in(monkeypatch) -> None:
    of = TypeVar("of")

    @dataclass
    class OptimizerConfig:
        num_rollouts: int = 16
        num_nodes: int = 4
        use_noise_ramp: bool = False
        noise_ramp: float = 2.5

    class Optimizer(ABC, Generic[of]):
        def __init__(self, config: of, nu: int, override_task_name: "str | None" = None) -> None:
            self.config, self.nu = config, nu

    modules = {name: types.ModuleType(name) for name in ("judo", "judo.optimizers", "judo.utils", "judo.utils.rollout_backend")}
    modules["judo.optimizers"].Optimizer, modules["judo.optimizers"].OptimizerConfig = Optimizer, OptimizerConfig
    modules["judo.utils.rollout_backend"].RolloutBackend = ABC
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def ours(monkeypatch):
    try:
        import judo.optimizers  # noqa: F401
    except ModuleNotFoundError:
        stand_in(monkeypatch)
    monkeypatch.delitem(sys.modules, "myriapod.plan.judo", raising=False)
    yield importlib.import_module("myriapod.plan.judo")
    sys.modules.pop("myriapod.plan.judo", None)


def test_rollouts_are_those_of_a_batch_and_sensors_stand_where_mujocos_do(ours) -> None:
    task, random = CartTask(), np.random.default_rng(1)
    control, start = random.uniform(-1, 1, (9, 12, 1)), np.array([0.1, 3.0, 0.2, -0.5])
    backend = ours.LanesBackend(task, 9, threads=1, precision="f64")
    states, sensors, policy = backend.rollout(start, control)
    assert states.shape == (9, 12, 4) and sensors.shape == (9, 12, 4) and policy is None
    with Batch(Model.from_text(CART), 9, task="none", dt=0.01, decimation=1, precision="f64", threads=1) as batch:
        batch.set("q", np.tile(start[:2], (9, 1)))
        batch.set("v", np.tile(start[2:], (9, 1)))
        assert (batch.rollout(control, control_field="control") == states).all()
    cart, angle = states[..., 0], states[..., 1]
    assert np.abs(sensors - np.stack([angle, cart + np.sin(angle), 0 * cart, np.cos(angle)], axis=-1)).max() < 1e-12
    assert (backend.rollout(np.tile(start, (9, 1)), control)[0] == states).all()  # a row for each
    data, theirs = mujoco.MjData(task.model), []
    data.qpos[:], data.qvel[:] = start[:2], start[2:]
    for u in control[0]:
        data.ctrl[:] = u
        mujoco.mj_step(task.model, data)
        theirs.append([*data.qpos, *data.qvel])
    assert np.abs(np.array(theirs) - states[0]).max() < 1e-9  # without contacts, limits and damping it is MuJoCo's step
    backend.update(3)
    assert backend.num_threads == 3 and backend.rollout(start, control[:3])[0].shape == (3, 12, 4)
    blind = ours.LanesBackend(task, 3, sensors=False, threads=1, precision="f64").rollout(start, control[:3])
    assert (blind[0] == states[:3]).all() and blind[1].shape == (3, 12, 4) and not blind[1].any()


def test_what_differs_from_the_task_is_told_by_name(ours) -> None:
    task = CartTask()
    with pytest.raises(ArgumentError, match="control"):
        ours.LanesBackend(task, 4, threads=1).rollout(np.zeros(4), np.zeros((4, 5, 2)))
    task.model = CartTask(CART.replace('"angle"', '"bend"')).model
    with pytest.raises(ArgumentError, match="sensor 'bend' of the task's model is not read here"):
        ours.LanesBackend(task, 4, threads=1)
    task.model = CartTask(CART.replace('"hinge"', '"elbow"')).model
    for sensors in (True, False):
        with pytest.raises(ArgumentError, match="joint 1 is 'elbow' in the task's model"):
            ours.LanesBackend(task, 4, sensors=sensors, threads=1)
    task.model = CartTask(CART.replace('name="push"', 'name="pull"')).model
    with pytest.raises(ArgumentError, match="actuator 0 is 'pull'"):
        ours.LanesBackend(task, 4, threads=1)
    task.model = mujoco.MjSpec.from_string("<mujoco><worldbody/></mujoco>").compile()
    with pytest.raises(ArgumentError, match="nq, nv, nu = 0, 0, 0, but here they are 2, 2, 1"):
        ours.LanesBackend(task, 4, threads=1)


def test_the_optimizers_mean_is_the_planners(ours) -> None:
    with Planner(swing_up.cart_pole(), 32, steps=10, knots=4, temperature=0.2, threads=1) as planner, planner.robot() as robot:
        planner.plan(robot)
        samples, rewards = np.array([planner.sample(k) for k in range(32)]), -planner.costs
        optimizer = ours.Annealed(ours.AnnealedConfig(num_rollouts=32, temperature=0.2), 1)
        assert np.allclose(optimizer.update_nominal_knots(samples, rewards), planner.knots, atol=1e-12)
        rewards[5] = np.nan
        left = np.delete(np.arange(32), 5)
        assert np.allclose(optimizer.update_nominal_knots(samples, rewards), optimizer.update_nominal_knots(samples[left], rewards[left]))
        assert (optimizer.update_nominal_knots(samples, np.full(32, np.nan)) == samples[0]).all()
        assert np.allclose(optimizer.update_nominal_knots(samples, np.ones(32)), samples.mean(axis=0))


def test_noise_fades(ours) -> None:
    np.random.seed(1)
    optimizer, plan = ours.Annealed(ours.AnnealedConfig(num_rollouts=4000, sigma=0.4, fade_iteration=0.5, fade_horizon=0.8), 2), np.arange(6.0).reshape(3, 2)
    for factor in (1.0, 0.5, 0.25):
        drawn = optimizer.sample_control_knots(plan)
        assert (drawn[0] == plan).all() and np.allclose(drawn.std(axis=0), factor * 0.4 * np.array([[0.64], [0.8], [1.0]]), rtol=0.05)
    optimizer.pre_optimization(np.zeros(3), np.zeros(3))
    assert optimizer.sample_control_knots(plan).std(axis=0)[2, 0] > 0.3


def test_judos_controller_swings_a_pole_up(ours, monkeypatch) -> None:
    pytest.importorskip("judo.controller", reason="may skip: judo-rai is not in the environment of the tests, as it wants a MuJoCo of its own version")
    import judo.tasks.base
    from judo.controller import Controller, ControllerConfig
    from judo.tasks import Cartpole

    monkeypatch.setattr(judo.tasks.base, "download_and_extract_meshes", lambda **_: None)  # this task has none
    np.random.seed(0)
    task = Cartpole()
    optimizer = ours.Annealed(ours.AnnealedConfig(num_rollouts=128, sigma=0.5), task.nu)
    controller = Controller(ControllerConfig(max_opt_iters=2), task, optimizer, rollout_backend=ours.LanesBackend(task, 128, threads=1))
    data, angles = mujoco.MjData(task.model), []
    data.qpos[:] = 0.5, np.pi
    for _ in range(150):  # 6 s
        controller.current_state, controller.time = np.concatenate([data.qpos, data.qvel]), data.time
        controller.update_action()
        data.ctrl[:] = controller.action(data.time)
        mujoco.mj_step(task.model, data)
        angles.append(data.qpos[1])
    assert np.cos(angles[-20:]).min() > 0.9
