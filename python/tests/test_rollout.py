"""The rollout with MuJoCo's arguments: the same shapes and repetitions, and the bits of Batch.step."""
from inspect import signature
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod.rollout import rollout

N, STEPS = 6, 15


@pytest.fixture
def inputs(robot):
    random = np.random.default_rng(8)
    start = np.tile(np.concatenate([[2.5], robot.home, np.zeros(18)]), (N, 1))
    start[:, 20:] += 0.1 * random.standard_normal((N, 18))
    return start, random.standard_normal((N, STEPS, 12))


def test_agrees_with_steps(robot, inputs):
    start, control = inputs
    state, sensed = rollout(robot, None, start, control, sensors=("body_pose", "impulse"), dt=0.002, decimation=2, threads=1)
    assert state.shape == (N, STEPS, 38) and state.dtype == np.float64 and sensed.shape == (N, STEPS, 7 * robot.n_bodies + 3 * robot.n_slots)
    assert np.allclose(state[:, :, 0], 2.5 + 0.004 * np.arange(1, STEPS + 1))
    with myriapod.Batch(robot, N, task="none", sense="bodies", dt=0.002, decimation=2, threads=1) as batch:
        batch.q, batch.v = start[:, 1:20], start[:, 20:]
        for k in range(STEPS):
            batch.torque = control[:, k]
            batch.step(1)
            assert (state[:, k, 1:20] == batch.q).all() and (state[:, k, 20:] == batch.v).all()
            assert (sensed[:, k, : 7 * robot.n_bodies] == batch.body_pose.reshape(N, -1)).all()
    assert (rollout(robot, None, start, control, dt=0.002, decimation=2)[0] == state).all()


def test_singleton_dimensions_are_repeated(robot, inputs):
    start, control = inputs
    one = rollout(robot, None, start[0], control[:1, :1], nstep=STEPS)[0]
    assert one.shape == (1, STEPS, 38)
    many = rollout(robot, None, np.tile(start[:1], (N, 1)), np.tile(control[:1, :1], (N, STEPS, 1)))[0]
    assert (many == one).all()
    assert (rollout(robot, None, start[:1], np.tile(control[:1, :1], (N, 1, 1)), nstep=STEPS)[0] == many).all()
    assert rollout(robot, None, start[0, 1:], nstep=4)[0].shape == (1, 4, 38)
    assert rollout(robot, nstep=2)[0].shape == (1, 2, 38)


def test_a_given_batch_and_given_outputs(robot, inputs):
    start, control = inputs
    with myriapod.Batch(robot, N, task="none", threads=1) as batch:
        state = np.zeros((N, STEPS, 38), np.float32)
        assert rollout(robot, batch, start, control, state=state)[0] is state
        first = state.copy()
        rollout(robot, batch, start, control, state=state)
        assert (state == first).all()  # nothing of the first is left
        rollout(robot, batch, start, control, state=state, nstep=STEPS, skip_checks=True)
        assert (state == first).all()
        # A start with all feet in contact: for one that touches to rounding, the tolerance of the solve decides in which step it lands.
        start = start - [*3 * [0.0], 0.001, *34 * [0.0]]
        cold = rollout(robot, batch, start, control)[0]
        warm = rollout(robot, batch, start, control, initial_warmstart=np.full(3 * robot.n_slots, 0.2))[0]
        assert not (warm == cold).all() and np.allclose(warm, cold, rtol=0, atol=1e-3)


def test_mistakes(robot, inputs):
    start, control = inputs
    for call, words in [
        (lambda: rollout(robot, None, start[:, :5], control), "1 \\+ nq \\+ nv"),
        (lambda: rollout(robot, None, start[:4], control), "nbatch is 4, but control has 6"),
        (lambda: rollout(robot, None, start, control[:, :, :3]), "nu"),
        (lambda: rollout(robot, None, start, control, nstep=3), "nstep is 3"),
        (lambda: rollout([robot, robot], None, start, control), "one Model"),
        (lambda: rollout(robot, [1], start, control), "Batch or None"),
        (lambda: rollout(robot, None, start, control, sensors="height"), "height"),
        (lambda: rollout(robot, None, start, control, chunk_size=3), "chunk_size"),
        (lambda: rollout(robot, None, start, control, state=np.zeros((N, STEPS))), "state has shape"),
        (lambda: rollout(robot, None, start, control, skip_checks=True), "skip_checks"),
    ]:
        with pytest.raises(myriapod.ArgumentError, match=words):
            call()


def test_what_the_two_rollouts_drive_and_return_is_said_at_both(robot):
    """They differ in what they drive and in the time: who goes from one to the other reads it at either."""
    with myriapod.Batch(robot, 1, task="stand") as batch:
        assert batch.rollout(nsteps=2).shape == (1, 2, 37)
        assert signature(batch.rollout).parameters["control_field"].default == "target"
    assert rollout(robot, nstep=2)[0].shape == (1, 2, 38)
    assert signature(rollout).parameters["control_field"].default == "torque"
    assert "Unlike `myriapod.rollout.rollout`, which drives `torque`" in " ".join(myriapod.Batch.rollout.__doc__.split())
    assert "Unlike this, `Batch.rollout` drives `target`" in " ".join(rollout.__doc__.split())
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "sampling-based-control.md").read_text()
    assert '| drives, unless `control_field` says otherwise | `"torque"` | `"target"` |' in page
