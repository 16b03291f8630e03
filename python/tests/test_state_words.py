"""What the numbers of a batch mean is said where a user looks: in the docstrings, and in docs/batch.md."""
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod.envs.locomotion import fault_text

PAGE = (Path(__file__).parents[2] / "docs" / "batch.md").read_text()


def words(text):
    return " ".join(text.split())


def test_reasons_of_a_quarantine_have_words_wherever_the_number_is():
    said = [myriapod.quarantine_text(code) for code in range(8)]
    assert said == ["healthy", "not finite", "speed limit", "action not finite", "illegal parameter", "rotation", "too many contacts", "off the map"]
    assert said == [fault_text(code) for code in range(8)]
    doc = words(myriapod.Batch.quarantined.__doc__)
    assert "myriapod.quarantine_text" in doc
    for code, text in enumerate(said):
        assert f"{code} {text}" in doc and f"\n| {code} | {text} | " in PAGE
    assert myriapod.quarantine_text(8) == "unknown" and "\n| 8 |" not in PAGE
    for mistake in (-1, 0.5, "1", [0, 1]):
        with pytest.raises(myriapod.ArgumentError, match="code is"):
            myriapod.quarantine_text(mistake)


@pytest.mark.parametrize("name, value, reason", [("torque", np.nan, "not finite"), ("target", np.nan, "not finite"), ("q", np.inf, "not finite"),
                                                 ("v", 1e9, "speed limit"), ("kp", -1.0, "illegal parameter")])
def test_what_causes_a_quarantine(batch, name, value, reason):
    values = batch.get(name)
    values[7] = value
    batch.set(name, values)
    batch.step(2)
    assert {int(env): myriapod.quarantine_text(batch.quarantined[env]) for env in np.flatnonzero(batch.quarantined)} == {7: reason}


def test_a_whole_turn_in_a_step_is_named():
    """The rotation of maximal coordinates ends at half a turn, its quarantine begins at 2.5 rad in a step."""
    with myriapod.Batch("cube", 3, task="none", dynamics="maximal", dt=0.01) as batch:
        batch.q, batch.gravity = [0, 0, 9, 1, 0, 0, 0], 0.0
        v = batch.get("v")
        v[1, 3], v[2, 3] = 260.0, 240.0
        batch.set("v", v)
        batch.step(1)
        assert [myriapod.quarantine_text(code) for code in batch.quarantined] == ["healthy", "rotation", "healthy"]


def test_layout_of_the_state_is_in_the_docstrings():
    q, v, model = (words(x.__doc__) for x in (myriapod.Batch.q, myriapod.Batch.v, myriapod.Model))
    for word in ("x y z of the body origin [m, world]", "quaternion w x y z (body -> world)", "hinge [rad]", "slider [m]"):
        assert word in q
    for word in ("linear velocity in WORLD axes [m/s]", "angular velocity in BODY axes [rad/s]", "hinge [rad/s]", "slider [m/s]"):
        assert word in v
    for text in (model, words(PAGE).replace("**world**", "WORLD").replace("**body**", "BODY")):
        assert "velocity of the body origin in WORLD axes [m/s]" in text and "angular velocity in BODY axes [rad/s]" in text


def test_layout_of_the_state_is_as_said():
    """A turned cube that spins about one of its own axes, and flies along one of the world's."""
    turned = [np.sqrt(0.5), 0, np.sqrt(0.5), 0]  # its z is the world's x
    with myriapod.Batch("cube", 1, task="none", precision="f64", sense="bodies") as batch:
        batch.gravity = 0.0
        batch.q, batch.v = [0, 0, 5, *turned], [2.0, 0, 0, 0, 0, 3.0]
        batch.refresh()
        assert np.allclose(batch.body_velocity[0, 0], [2, 0, 0, 3, 0, 0])
        batch.step(100)
        assert batch.q[0, :3] == pytest.approx([2 * batch.time[0], 0, 5])


def test_the_two_frictions_are_told_apart():
    field, setting = words(myriapod.Batch.friction.__doc__), myriapod.Settings.doc("friction")
    assert "factor" in field and "the setting" in field and "a factor on it" in setting
    with myriapod.Batch("cube", 1, friction=0.3) as batch:
        assert batch.friction == [1] and batch.settings["friction"] == pytest.approx(0.3)
