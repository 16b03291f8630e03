"""Modules that have moved are the same ones by their old names, with a warning at the line that imports them."""
import importlib
import subprocess
import sys
import warnings

import myriapod
import pytest
from myriapod._moved import MOVED, SPLIT

#: They need what may not be installed.
NEEDS = {"rsl_rl": "rsl_rl", "training": "rsl_rl", "sb3": "stable_baselines3", "gym": "gymnasium", "gym_parts": "gymnasium", "numpy_task": "gymnasium"}

#: Public names of before, by the module that had them.
NAMES = {
    "any_task": ("NumpyCore", "check_task", "open_task"), "goal": ("Goal",),
    "gym": ("LocomotionVectorEnv", "TaskEnv", "TaskVectorEnv", "register"), "lane_task": ("Final", "LaneTask", "Observed", "Outcome", "Reward", "fault_text", "reward_terms"),
    "lane_training": ("Events", "LaneTrainer", "posed_and_trained"), "lanes": ("Lanes", "Rollout", "as_lanes", "in_lanes", "lanes_of", "rollout", "states_of"),
    "learner": ("Learner", "Report", "renamed"), "locomotion": ("Final", "Locomotion", "Outcome", "fault_text"), "networks": ("Policy", "TorchPolicy", "Trained"),
    "numpy_task": ("NumpyTask", "philox"), "policy": ("Policy", "TorchPolicy", "Trained", "origin", "trained_task", "warnings_as_lines"),
    "program": ("Program",), "recorder": ("record",), "rsl_rl": ("LocomotionVecEnv", "TaskVecEnv"), "sb3": ("VecEnv", "make_vec_env"),
    "symbols": ("RecordingError", "Symbol"), "tasks": ("Task", "get_task", "is_file", "overview"), "term_task": ("TermTask",),
    "training": ("Trainer", "ppo_config"), "training_log": ("TrainingLog", "checkpoints"),
}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_is_the_same_module(old):
    if old in NEEDS:
        pytest.importorskip(NEEDS[old], reason="may skip: not every index has it")
    sys.modules.pop(f"myriapod.{old}", None)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        module = importlib.import_module(f"myriapod.{old}")
    new = f"myriapod.{MOVED[old]}"
    assert f"the module myriapod.{old} is called {new} now" in [str(w.message) for w in warned if w.category is DeprecationWarning]
    assert getattr(myriapod, old) is module
    if old not in SPLIT:
        assert module is importlib.import_module(new) and module.__name__ == module.__spec__.name == new
    for name, (where, there) in SPLIT.get(old, {}).items():
        assert getattr(module, name) is getattr(importlib.import_module(f"myriapod.{where}"), there)
    for name in NAMES.get(old, ()):
        assert callable(getattr(module, name)), name


def test_what_is_within_moves_with_it():
    with pytest.warns(DeprecationWarning, match="myriapod.programs.given.go2") as warned:
        import myriapod.given.go2 as go2  # noqa: PLR0402: the other form asks the package, which has it already
    assert go2 is importlib.import_module("myriapod.programs.given.go2") and warned[-1].filename == __file__


def test_import_alone_brings_them_without_a_warning_of_ours():
    """As `import myriapod` did: `myriapod.tasks.TASKS`. The package itself uses no old name."""
    words = "import warnings; warnings.simplefilter('error', DeprecationWarning); import myriapod, myriapod.train, myriapod.score, myriapod.learn.lanes"
    assert subprocess.run([sys.executable, "-c", words], capture_output=True, text=True).stderr == ""
    again = f"{words}; warnings.simplefilter('ignore'); assert 'hold' in myriapod.tasks.TASKS and myriapod.learner.Learner"
    assert subprocess.run([sys.executable, "-c", again], capture_output=True, text=True).stderr == ""
    with pytest.raises(AttributeError, match="has no attribute 'tsks'"):
        myriapod.tsks  # noqa: B018


def test_old_trainers(tmp_path):
    with myriapod.LaneTask("hold", 8, robot="solo12", threads=1, episode=0.2) as task, pytest.warns(DeprecationWarning, match="Lanes"):
        trainer = myriapod.lane_training.LaneTrainer(task, tmp_path, options={"threads": 1, "hidden": [8]}, quiet=True)
        trainer.learn(1)
    assert (tmp_path / "policy.npz").exists()
