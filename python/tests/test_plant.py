"""The benches that judge policies with MuJoCo as the robot: robots that fell are counted, start anew and act again; the stairs are those that are asked for."""
import argparse
import sys
from pathlib import Path

import numpy as np
import pytest

from myriapod import Policy, train
from myriapod.envs.lane_task import LaneTask
from myriapod.envs.trained import origin
from myriapod.learn import loop

pytest.importorskip("mujoco")
sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "bench" / room) for room in ("skills", "tools")]
import climb  # noqa: E402
import humanoid_gate as gate  # noqa: E402
import sim_to_sim  # noqa: E402
from mujoco_plant import Plant  # noqa: E402

ENGINES = ("myriapod", "mujoco")


def idle(task: str) -> Policy:
    """A policy whose mean action is 0, whatever it sees."""
    with LaneTask(task, 1) as core:
        sizes = (core.num_observations, 8, core.num_actions)
        return Policy([np.zeros((n, m)) for m, n in zip(sizes, sizes[1:])], [np.zeros(n) for n in sizes[1:]], "elu", **origin(core))


@pytest.mark.parametrize("engine", ENGINES)
def test_who_fell_starts_anew_and_acts_again(engine):
    policy = idle("g1-legs")
    plant = Plant(policy, policy.task, 2, engine=engine)
    assert float(plant.core.settings["episode"]) == 0.0  # the walk of the gate is longer than an episode of the task, and a robot acts no more behind its end
    home, lying = np.tile(plant.core.model.home, (2, 1)), np.tile(plant.core.model.home, (2, 1))
    lying[1, 2:7] = 0.2, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0
    plant.place(np.arange(2), lying, np.zeros((2, plant.v.shape[1])))
    command = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]], np.float32)
    for _ in range(3):
        plant.core.batch.set("command", command)
        plant.step(policy)
    assert plant.fallen.tolist() == [False, True]
    gate.settled(plant, np.array([1]), np.random.default_rng(0), 0.0)
    assert not plant.fallen.any() and np.allclose(plant.q[1], home[1])
    targets = []
    for _ in range(20):  # it marches: a robot whose episode is over would be told the same all the time
        plant.core.batch.set("command", command)
        plant.step(policy)
        targets.append(plant.core.batch.target.copy())
    assert np.ptp(np.array(targets)[:, 1], axis=0).max() > 0.3 and np.ptp(np.array(targets)[:, 0], axis=0).max() < 1e-6
    assert np.abs(plant.q[1, 7:] - home[1, 7:]).max() > 0.1 and abs(plant.q[0, 2] - home[0, 2]) < 0.05


def test_the_gate_counts_falls_alike_in_both_engines(monkeypatch):
    """A policy that does nothing: who is to stand stands, who is to walk marches and falls, again and again. Both engines say so."""
    monkeypatch.setattr(gate, "STEPS", 300)
    monkeypatch.setattr(gate, "WALK", 60)
    policy, args = idle("g1-legs"), argparse.Namespace(dt=0.0025, push=0.0, radians=False, seed=1)
    found = {engine: gate.measure(policy, args, engine) for engine in ENGINES}
    for numbers in found.values():
        assert all(np.isfinite(value) for value in numbers.values()) and {"falls", "perf"} < set(gate.missed(numbers))
        assert numbers["falls"] >= 20  # 20 of 24 robots are to walk, each falls within 6 s
    here, there = (found[engine] for engine in ENGINES)
    assert abs(here["perf"] - there["perf"]) < 0.05 and here["jerk"] == pytest.approx(there["jerk"], rel=0.05) and here["legs"] == pytest.approx(there["legs"], rel=0.3)


def test_the_gate_tries_each_checkpoint_by_the_numbers_of_then(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "SAVE_EVERY", 1)
    run = ["g1-legs", "--envs", "64", "--threads", "1", "--learn", "hidden=8", "--learn", "steps=4", "--iterations", "3", "--log", str(tmp_path / "run"), "--quiet"]
    assert train.main([*run, "--set", "number.pace=1.5", "--stage", "256:march=0.5", "--stage", "512:lift=0.04", "--stage", "512:march=0.25"]) == 0
    found = [policy.settings for policy, _, _ in gate.policies(tmp_path / "run")]
    assert [policy.get("number.march", 1.0) for policy in found] == [1.0, 0.5, 0.25] and [policy["number.pace"] for policy in found] == [1.5] * 3
    assert Policy.load(tmp_path / "run" / "policy.npz").settings["number.march"] == 0.25
    plant = Plant(next(gate.policies(tmp_path / "run"))[0], "g1-legs", 1, engine="myriapod")
    assert plant.core.batch.task_numbers["march"] == 1.0


def test_robots_stand_on_the_exported_map_as_on_ours():
    """Positions are relative to the patch that a robot is on; MuJoCo has the whole map."""
    policy, stood = idle("anymal-rough"), []
    for engine in ENGINES:
        plant = Plant(policy, policy.task, 10, solref=0.005, engine=engine, seed=3, **sim_to_sim.ground(policy, policy.task))
        assert len(np.unique(plant.at[:, 0])) > 3 and not plant.fallen.any()
        for _ in range(25):  # half a second: they have landed
            plant.step(policy)
        stood.append(plant.q[:, :3].copy())
    assert np.abs(stood[0] - stood[1]).max() < 0.05, stood


def test_stairs_are_those_that_are_asked_for():
    stairs = climb.flight(0.14, 0.3)
    middle = stairs.heights[:, stairs.ny // 2]
    at = [stairs.origin[0] + round(x / stairs.cell) for x in (-0.5, 0.1, 0.4, 2.8, 4.0)]
    assert middle[at] == pytest.approx([0.0, 0.14, 0.28, 1.4, 1.4], abs=1e-3) and np.ptp(stairs.heights, axis=1).max() < 1e-6
    assert np.count_nonzero(np.diff(middle) > 0.13) == climb.STEPS


@pytest.mark.parametrize("engine", ENGINES)
def test_who_does_nothing_climbs_no_stairs(engine, monkeypatch):
    monkeypatch.setattr(climb, "SECONDS", 2)
    args = argparse.Namespace(tread=0.3, robots=4, dt=0.0025, solref=None, cone="elliptic", seed=1, speed=0.6)
    top, fell = climb.climb(idle("anymal-rough"), 0.14, engine, args)
    assert top == 0.0 and fell == 0.0
