"""Loops and couplings of joints from Python: built, from files, closed, counted."""
from __future__ import annotations

import numpy as np
import pytest

import myriapod

BAR = '<link name="{0}"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>'
HINGE = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/><axis xyz="0 1 0"/>{4}</joint>'
FOUR_BAR = "".join([
    '<robot name="four-bar"><link name="world"/>', *(BAR.format(name) for name in ("crank", "coupler", "rocker")),
    HINGE.format("a", "world", "crank", "0 0 0", ""), HINGE.format("b", "crank", "coupler", "0 0 -0.2", ""),
    HINGE.format("c", "world", "rocker", "0.3 0 0", ""),
    '<loop_joint name="tip" type="ball"><link1 link="coupler" xyz="0 0 -0.4"/><link2 link="rocker" xyz="0 0 -0.4"/></loop_joint></robot>'])


def test_a_loop_from_a_file():
    model = myriapod.Model.from_text(FOUR_BAR)
    assert model.n_loops == 1 and not model.warnings
    tip = model.loops[0]
    assert (tip.name, tip.type, tip.body, tip.other, tip.row, tip.n_rows) == ("tip", "ball", 1, 2, 0, 3)
    with myriapod.Batch(model, 4, precision="f64", tolerance=1e-10) as batch:
        batch.step(1000)
        free = batch.stats()
        assert 0 < free.loop_error_max < 1e-4 and free.not_converged == 0
        assert "loop_impulse" in batch.fields and batch.loop_impulse.shape == (4, 3) and np.all(np.linalg.norm(batch.loop_impulse, axis=1) > 1e-4)
        q = batch.q + [0.3, -0.2, 0.1]
        batch.q = q
        assert np.all(batch.close_loops() < 1e-12) and np.all(np.abs(batch.q - q) > 1e-3)
        assert batch.close_loops([2]).shape == (1,)
        batch.q = np.full((4, 3), np.inf)
        with pytest.raises(myriapod.StateError, match="do not close"):
            batch.close_loops()
    with myriapod.Batch(model, 4, precision="f64", loop_projection=2) as batch:
        batch.step(1000)
        assert batch.stats().loop_error_max < 1e-10
    with myriapod.Batch("double-pendulum", 1) as batch:
        batch.step(1)
        assert batch.stats().loop_error_max is None and batch.loop_impulse.shape == (1, 0)


def test_loops_of_ones_own():
    builder = myriapod.ModelBuilder("hand")
    shape = {"mass": 0.1, "com": (0, 0, -0.02), "inertia": (1e-4, 1e-4, 1e-4, 0, 0, 0), "axis": (0, 1, 0)}
    palm = builder.body("palm", -1, "free", mass=1.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    first = builder.body("first", palm, **shape)
    second = builder.body("second", first, position=(0, 0, -0.05), lower=-1, upper=1, **shape)
    third = builder.body("third", second, position=(0, 0, -0.05), **shape)
    builder.coupling("mimic", {second: 1}, driver=first, polynomial=(0.1, 0.5))
    builder.coupling("tendon", {second: 0.5, third: -1})
    builder.loop("handle", "fixed", palm, -1, other_position=(0, 0, 1))
    model = builder.compile()
    assert [(loop.name, loop.type) for loop in model.loops] == [("mimic", "coupling"), ("tendon", "coupling"), ("handle", "fixed")]
    assert [row.joint for row in model.rows] == [second] and model.rows[0].upper == 1
    assert np.allclose(model.home, [0, 0, 1, 1, 0, 0, 0, *model.home[7:]]) and np.isclose(model.home[8], 0.1 + 0.5 * model.home[7])
    with myriapod.Batch(model, 3, precision="f64", tolerance=1e-10) as batch:
        batch.torque = np.random.default_rng(1).normal(size=(3, 3)) * 0.02
        batch.step(500)
        q = batch.q
        assert np.allclose(q[:, 8], 0.1 + 0.5 * q[:, 7], atol=1e-9) and np.allclose(0.5 * q[:, 8], q[:, 9], atol=1e-9)
        assert np.allclose(q[:, :3], [0, 0, 1], atol=1e-6) and batch.stats().loop_error_max < 1e-6
        force = np.linalg.norm(batch.loop_impulse[:, model.loops[2].row:][:, :3], axis=1) / 1e-3
        assert np.all(np.abs(force - 1.3 * 9.81) < 6)  # it holds the hand, whose fingers swing


def test_mistakes_are_named():
    with pytest.raises(myriapod.FormatError, match="loop_joint `tip`: type `screw` is unknown"):
        myriapod.Model.from_text(FOUR_BAR.replace('type="ball"', 'type="screw"'))
    with pytest.raises(myriapod.FormatError, match="`tip`: it does not close: .* open by"):
        myriapod.Model.from_text(FOUR_BAR.replace('"0.3 0 0"', '"3 0 0"'))
    builder = myriapod.ModelBuilder("hand")
    one = builder.body("one", -1, mass=1)
    with pytest.raises(myriapod.ArgumentError, match="joint `one` comes twice|its driver is one of its joints"):
        builder.coupling("c", {one: 1}, driver=one)
    with pytest.raises(myriapod.ArgumentError, match="coefficients.0. is 1e.60, but must be a number of at most 1e.15"):
        builder.coupling("c", {one: 1e60})
    with pytest.raises(myriapod.ArgumentError, match="polynomial.1. is nan"):
        builder.coupling("c", {one: 1}, polynomial=(0, float("nan")))
    with pytest.raises(myriapod.ArgumentError, match="0 terms"):
        builder.coupling("c", {})
    with pytest.raises(myriapod.ArgumentError, match="polynomial has 6"):
        builder.coupling("c", {one: 1}, polynomial=range(6))
    with pytest.raises(myriapod.ArgumentError, match="both ends are on body"):
        builder.loop("l", "ball", one, one)
    with pytest.raises(myriapod.ArgumentError, match="not a loop of two bodies"):
        builder.loop("l", "coupling", one)
