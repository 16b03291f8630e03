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
    trace = result["trace"]
    assert result["time"][-1] == 3.2 and trace.shape == (161, 2) and len(result["plan"]) == 40
    along = mppi.STEP * np.linalg.norm(mppi.PATH[: len(mppi.PATH) // 4, :2] - trace[-1], axis=1).argmin()
    assert abs(along - 3.2 * mppi.SPEED) < 0.2
    assert result["distance"].max() < 0.15 and result["behind"][-1] < 0.2


def test_mppis_path_is_one_of_even_steps():
    """Rows are so far apart, directions are those of the way from row to row, and the end is the beginning."""
    mppi = load("mppi")
    ways = np.diff(mppi.PATH[:, :2], axis=0)
    assert np.abs(np.linalg.norm(ways, axis=1) / mppi.STEP - 1).max() < 1e-3
    assert ((ways * mppi.PATH[:-1, 2:]).sum(axis=1) > 0.999 * mppi.STEP).all() and np.abs(mppi.PATH[-1] - mppi.PATH[0]).max() < 1e-9


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
