"""A control step by jax.ffi: the numbers of a batch that does the same, inside jit and scan (tests/packages/check_jax.sh runs it; jax is not in the tests' environment)."""
import shutil
import sys
from pathlib import Path

import myriapod
import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="may skip: jax (640 MB) is in an environment of its own, that of tests/packages/check_jax.sh")
import jax.numpy as jnp  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import jax_step  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="may skip: no C++ compiler")
SETTINGS = {"threads": 1, "kp": 80.0, "kd": 2.0, "decimation": 4}


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    return jax_step.Step("anymal", 20, tmp_path_factory.mktemp("built"), **SETTINGS)


def start(model):
    q = np.tile(model.home, (20, 1)).astype(np.float32)
    return q, np.zeros((20, model.nv), np.float32), q[:, 7:] + np.linspace(-0.1, 0.1, 20, dtype=np.float32)[:, None]


def test_its_numbers_are_those_of_a_batch(step):
    q, v, control = start(step.batch.model)
    run = jax.jit(lambda q, v: jax.lax.scan(lambda s, _: (step(*s, control), s[0][:, 2]), (q, v), None, length=25))
    (last_q, last_v), height = run(q, v)
    assert height.shape == (25, 20) and (np.asarray(run(q, v)[0][0]) == np.asarray(last_q)).all()
    with myriapod.Batch("anymal", 20, task="none", **SETTINGS) as batch:
        for _ in range(25):
            batch.reset()
            batch.set("q", q)
            batch.set("v", v)
            batch.set("control", control)
            batch.step()
            q, v = batch.get("q"), batch.get("v")
    assert (np.asarray(last_q) == q).all() and (np.asarray(last_v) == v).all() and abs(v).max() > 1e-3


def test_a_wrong_shape_and_a_refused_call_are_told(step):
    q, v, control = start(step.batch.model)
    with pytest.raises(ValueError, match="control is float32"):
        step(jnp.asarray(q), jnp.asarray(v), jnp.asarray(control[:, :3]))
    with pytest.raises(Exception, match="steps"):
        jax.block_until_ready(step._call(q, v, control, batch=np.int64(step._address), steps=np.int64(-1)))
