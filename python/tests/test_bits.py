"""The same bits however a batch is spread over threads, split into two, or its calls into pieces."""
import myriapod
import numpy as np
import pytest
from myriapod import _pace

ENVS = 37


def disturbed(robot, envs=ENVS, first=0, task="random", **keys):
    batch = myriapod.Batch(robot, envs, first_env=first, task=task, decimation=2, **keys)
    random = np.random.default_rng(5)
    batch.v = (0.3 * random.standard_normal((ENVS, 18)))[first : first + envs]
    return batch


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_threads_and_splits(robot, precision):
    def run(envs, first, threads):
        with disturbed(robot, envs, first, threads=threads, precision=precision) as batch:
            batch.step(150)
            return batch.hash(), batch.q

    whole, q = run(ENVS, 0, 1)
    assert run(ENVS, 0, 2)[0] == whole
    one, two = run(16, 0, 1), run(ENVS - 16, 16, 2)
    assert (one[0] + two[0]) % 2**64 == whole
    assert (np.concatenate([one[1], two[1]]) == q).all()


def test_pieces_of_steps_and_rollouts(robot, monkeypatch):
    control = np.random.default_rng(6).standard_normal((ENVS, 40, 12))

    def run(cuts):
        monkeypatch.setattr(_pace, "PIECE_S", cuts)
        with disturbed(robot, threads=2) as batch:
            batch.step(60)
            states = batch.rollout(control, control_field="torque")
            return batch.hash(), states

    pieces = []
    count = _pace.Pace.run
    monkeypatch.setattr(_pace.Pace, "run", lambda self, n, f: count(self, n, lambda a, b: (pieces.append(b), f(a, b))[1]))
    whole = run(1e9)
    assert pieces == [60, 40]
    cut = run(1e-9)
    assert pieces[2:] == [1] * 100
    assert cut[0] == whole[0] and (cut[1] == whole[1]).all()


def test_rollout_is_steps(robot):
    control = np.random.default_rng(7).uniform(-1, 1, (ENVS, 12, 12)).astype(np.float32)
    for field in ("target", "torque"):
        with disturbed(robot, task="stand", threads=1) as rolled, disturbed(robot, task="stand", threads=1) as stepped:
            out = np.zeros((ENVS, 12, 37), np.float32)
            assert rolled.rollout(control, control_field=field, state_out=out) is out
            for k in range(12):
                stepped.set(field, control[:, k])
                stepped.step(1)
                assert (out[:, k, :19] == stepped.q).all() and (out[:, k, 19:] == stepped.v).all()
            assert rolled.hash() == stepped.hash()
