"""What a task's programs are given and what they give back: order of outputs, memories that stay, zeros, statistics of samples."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from myriapod import LaneTask, Planner, Program, TermTask
from myriapod.plan import given


def task_of(name: str) -> TermTask:
    task = TermTask(name, robot="anymal", settings={"dt": 0.005, "decimation": 2})
    task.reward(-1.0, name="speed")(lambda s: np.sum(np.square(s.v), axis=-1))
    task.observe("actuator_velocity")
    return task


def raised(s: Any) -> Any:
    return {"q": s.q + 0.5, "base_position": s.base_position}


def test_a_later_output_is_the_one_that_counts() -> None:
    task = task_of("later")
    task.start(raised)
    with LaneTask(task, 3, threads=1) as env:
        env.reset()
        q, home = env.batch.get("q")[0], np.array(env.batch.model.home)
    assert np.allclose(q[:3], home[:3], atol=1e-6) and np.allclose(q[7:], home[7:] + 0.5, atol=1e-6)


def test_a_memory_that_stays_is_judged() -> None:
    task = task_of("stays")
    task.memory(2, name="kept")(lambda s: s.memory.kept)
    with LaneTask(task, 3, threads=1, autoreset="disabled") as env:
        env.reset()
        memory = env.batch.get("memory")
        memory[1] = np.nan
        env.batch.set("memory", memory)
        env.act(np.zeros((3, 12)))
        codes = np.ravel(env.batch.get("quarantined"))
        assert codes[0] == codes[2] == 0 and "kept" in env.fault_text(int(codes[1]))


def test_no_velocity_has_no_sign() -> None:
    with LaneTask(task_of("zero"), 2, threads=1) as env:
        env.reset()
        env.batch.set("v", np.full(env.batch.get("v").shape, -0.0))
        assert not np.signbit(env.observe()).any()


def test_statistics_of_samples_are_measured() -> None:
    plan = given.find("anymal-walk")
    with Planner(plan.task(), 16, steps=9, knots=3, threads=1, **{**plan.options, "iterations": 1}) as planner, planner.robot() as robot:
        q = robot.batch.get("q")
        q[0, 2] += 0.02
        robot.batch.set("q", q)
        planner.plan(robot)
        stats = planner.task.batch.stats()
    assert 0 < stats.residual_p50 <= stats.residual_p99 < 1e-3


@pytest.mark.parametrize("many, wide", [(100, 60), (50, 50)])
def test_rows_that_pairs_would_need_are_done_without(many: int, wide: int) -> None:
    """Products whose sums come late: what they are made of has no room for as long."""
    lines = ["myriapod_program 1", f"input a {wide}", f"input b {wide}"]
    for k in range(many):
        lines += [f"x{k} = add a {k + 0.5}", f"y{k} = add b {k + 0.25}", f"p{k} = mul x{k} y{k}"]
    lines += [f"s{k} = sum p{k}" for k in range(many)] + ["t0 = add s0 1"] + [f"t{k} = add t{k - 1} s{k}" for k in range(1, many)]
    text = "\n".join([*lines, f"output o t{many - 1}", ""])
    ones = np.ones((1, wide))
    got = Program(text)(precision="f64", a=ones, b=ones)["o"]
    wanted = 1 + wide * sum((k + 1.5) * (k + 1.25) for k in range(many))
    assert abs(float(got[0, 0]) - wanted) < 1e-12 * wanted
