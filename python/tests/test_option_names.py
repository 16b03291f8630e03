"""Options of the learner by the names that they had."""
import warnings

import pytest

from myriapod import ArgumentError
from myriapod.learn.ppo import RENAMED, Learner, renamed


def test_old_names_are_taken_with_a_warning() -> None:
    values = {"discount": 0.9, "lambda": 0.8, "rate": 2e-3, "divergence": 0.03, "entropy_weight": 0.02, "value_weight": 0.5, "gradient_norm": 2.0, "clip": 0.3}
    assert set(values) == set(RENAMED)
    with pytest.warns(DeprecationWarning) as told, Learner(16, 4, 2, hidden=(8,), threads=1, steps=24, **values) as learner:
        assert {str(w.message) for w in told} == {f"the option {old} is called {new} now" for old, new in RENAMED.items()}
        assert all(learner.options[new] == values[old] for old, new in RENAMED.items())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Learner(16, 4, 2, hidden=(8,), threads=1, steps=24, **{new: values[old] for old, new in RENAMED.items()}) as learner:
            assert learner.options["gamma"] == 0.9


def test_both_names_at_once_are_refused() -> None:
    with pytest.warns(DeprecationWarning), pytest.raises(ArgumentError, match="the option gamma is given twice, once as discount"):
        renamed({"gamma": 0.9, "discount": 0.9})
    with pytest.raises(ArgumentError, match="gama is not an option of a learner"):
        Learner(8, 4, 2, gama=0.9)
