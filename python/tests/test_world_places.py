"""Shapes of the world from Python: what keeps where they are, and what may not be a place of all."""
import pickle

import numpy as np
import pytest

import myriapod
from myriapod import ArgumentError, Terrain

TEXT = """<mujoco model="stones"><worldbody><geom type="plane" size="1 1 1"/>
<geom name="stone" type="box" size=".3 .3 .1" pos="0 0 .1"/><geom name="post" type="cylinder" size=".2 .5" pos="2 0 .5"/>
<body name="ball" pos="0 0 .5"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
OWN = [[0, 0, 0.1], [2, 0, 0.5]]
TOPS = np.array([0.2, 0.35, 0.05, 0.4])


@pytest.fixture
def stones():
    with myriapod.Batch(myriapod.Model.from_text(TEXT), len(TOPS), threads=1, task="none", precision="f64", sense=("bodies", "contacts")) as batch:
        yield batch


def under(batch, tops):
    """Each ball's stone that high, its middle under the ball."""
    places = batch.get("world_at")
    places[:, 0, 2] = tops - 0.1
    batch.world_at = places


def test_a_reset_leaves_them_and_a_copy_has_them(stones):
    under(stones, TOPS)
    places = stones.world_at
    stones.step(10)
    stones.reset()
    assert np.array_equal(stones.world_at, places)
    with pickle.loads(pickle.dumps(stones)) as other:
        assert np.array_equal(other.world_at, places)
        stones.step(50), other.step(50)
        assert other.hash() == stones.hash() and np.array_equal(other.q, stones.q)


def test_what_is_no_place_for_all(stones):
    with pytest.raises(ArgumentError, match="world_at is nan for all environments"):
        stones.world_at = np.nan
    with pytest.raises(ArgumentError, match="world_at has shape"):
        stones.world_at = np.zeros((4, 3, 3))
    assert np.array_equal(stones.world_at, [OWN] * 4)


def test_a_map_leaves_them_with_the_robot():
    """A ball on its stone, wherever below the two the map is; where the map is higher than the stone, it carries the ball."""
    hill = Terrain(0.05 * (np.arange(65) // 16)[:, None] * np.ones(65), cell=0.25)
    model = myriapod.Model.from_text(TEXT).on(hill)
    with myriapod.Batch(model, 3, threads=1, task="none", precision="f64") as batch:
        at = np.array([[-6, 0, 0.0], [6, 2, 0], [6, 2, 0]])
        at[:, 2] = hill.height(at[:, :2]) - [0, 0, 0.4]
        batch.ground_at = at
        assert np.array_equal(batch.world_at, [OWN] * 3)
        batch.step(1000)
        assert np.array_equal(batch.world_at, [OWN] * 3)
        np.testing.assert_allclose(batch.q[:, 2], [0.3, 0.3, 0.5], atol=1e-3)
