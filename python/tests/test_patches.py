"""Which contacts are of one patch, and which shapes touch."""
import pickle

import numpy as np
import pytest

import myriapod


def test_problems_say_what_is_of_one_patch():
    batch = myriapod.Batch(myriapod.Model("biped"), 1, task="none", dt=1e-3, precision="f64", threads=1)
    batch.step(400)
    (problem,) = batch.problems()
    assert len(problem.patches) == len(problem.mu) > 4
    bodies = [batch.model.slots[slot].body for slot in problem.slots]
    for i in range(1, len(bodies)):
        assert (problem.patches[i] == problem.patches[i - 1]) == (bodies[i] == bodies[i - 1])
    one = {"G": problem.G, "c": problem.c, "mu": problem.mu, "start": problem.start, "rows": problem.rows, "row_c": problem.row_c, "row_start": problem.row_start}
    with_patches = myriapod.solve(**one, patches=problem.patches, tolerance=1e-9)
    each_by_itself = myriapod.solve(**one, tolerance=1e-9)
    renamed = myriapod.solve(**one, patches=[10**12 * int(p) for p in problem.patches], tolerance=1e-9)
    assert with_patches.status == each_by_itself.status == "converged"
    np.testing.assert_allclose(with_patches.velocity, each_by_itself.velocity, atol=1e-7)
    np.testing.assert_array_equal(with_patches.impulse, renamed.impulse)
    for wrong in ([0], [[0] * len(problem.mu)], [0.5] * len(problem.mu)):
        with pytest.raises(myriapod.Error, match="patches"):
            myriapod.solve(**one, patches=wrong)


def test_feet_alone_touch():
    robot = myriapod.Model("biped")
    names = [geom.name for geom in robot.geoms if geom.n_slots]
    feet = myriapod.Model("biped", feet=names[:1])
    assert [geom.name for geom in feet.geoms if geom.n_slots] == names[:1] and feet.mass == robot.mass
    assert [geom.name for geom in myriapod.Model("biped", feet=names[0]).geoms if geom.n_slots] == names[:1]
    with pytest.raises(myriapod.ArgumentError, match="feet"):
        myriapod.Model("biped", feet=["no_such_shape"])


def test_a_model_of_feet_is_pickled():
    feet = myriapod.Model("biped", feet="*")
    assert pickle.loads(pickle.dumps(feet)).hash == feet.hash
