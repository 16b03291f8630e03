"""Parameters that no robot may have: refused where they are given to all, data where they are one robot's."""
import myriapod
import numpy as np
import pytest

LEGAL = {"com": False, "gravity": False, "inertia": False, "armature": True, "damping": True, "friction": True, "kd": True, "kp": True, "mass": True}


@pytest.mark.parametrize("name", LEGAL)
def test_a_parameter_no_robot_may_have_is_refused_for_all_and_is_data_of_one(batch, name):
    """What the package refuses for all robots, the library must quarantine in one robot as an illegal parameter."""
    assert set(batch.fields) & set(LEGAL) == set(LEGAL)
    for bad in (np.nan, np.inf, *([-1.0] if LEGAL[name] else [])):
        before, row = batch.get(name), np.broadcast_to(bad, batch.shape(name)[1:])
        for values in (bad, row):
            for ids in (None, [3]):
                with pytest.raises(myriapod.ArgumentError, match=f"{name} is {bad:g} .*must be finite.*illegal parameter"):
                    batch.set(name, values, ids)
        with pytest.raises(myriapod.ArgumentError):
            setattr(batch, name, bad)
        assert np.array_equal(batch.get(name), before)
        values = before.copy()
        values[3] = bad
        setattr(batch, name, values)
        batch.step(1)
        assert [myriapod.quarantine_text(code) for code in batch.quarantined[2:5]] == ["healthy", "illegal parameter", "healthy"]
        for each in ("mass", "com", "inertia") if name in ("mass", "com", "inertia") else (name,):
            batch.set(each, batch.get(each, [2]), [3])
        batch.reset()
    batch.step(1)
    assert not batch.quarantined.any()
