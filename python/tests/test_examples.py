"""The examples do what they promise."""
import importlib.util
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mppi_follows_the_path():
    mppi = load("mppi")
    result = mppi.run(seconds=3.2, samples=48, threads=1)
    path, trace = result["path"], result["trace"]
    assert result["time"][-1] == 3.2 and trace.shape == (161, 2) and result["stats"].quarantined == 0
    along = path.s[np.linalg.norm(path.points[: len(path.points) // 4] - trace[-1], axis=1).argmin()]
    assert abs(along - 3.2 * mppi.SPEED) < 0.2
    assert result["distance"].max() < 0.15 and result["behind"][-1] < 0.2


def test_mppi_is_repeatable():
    mppi = load("mppi")
    runs = [mppi.run(seconds=0.32, samples=17, threads=threads)["trace"] for threads in (1, 2)]
    assert (runs[0] == runs[1]).all()


def test_ilqr_swings_a_pole_up():
    """Costs fall in every iteration, and the pole ends upright; the states are those that the controls lead to."""
    ilqr = load("ilqr")
    found = ilqr.run(steps=120, iterations=60)
    assert (np.diff(found["costs"]) < 0).all() and np.cos(found["x"][-1, 1]) < -0.99 and abs(found["u"]).max() <= 1.0
    assert abs(ilqr.cost(found["x"], found["u"]) - found["costs"][-1]) < 1e-9 * found["costs"][-1]
