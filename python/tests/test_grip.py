"""A capsule of 45 g that two pads grip, for a minute: it must not creep, in float and double (MuJoCo #3328; bench/contact_yardstick has the whole sweep)."""
import numpy as np
import pytest

import myriapod

MASS, MU, SQUEEZE = 0.045, 0.7, 0.002
PAD = ('<body name="{name}" pos="{x} 0 0"><joint type="slide" axis="1 0 0" damping="100" stiffness="{kp}" springref="{to}"/>'
       '<geom name="{name}" type="box" size="0.008 0.030 0.020" mass="0.2" contype="0" conaffinity="0"/></body>')


def gripped(margin):
    kp = margin * MASS * 9.81 / MU / SQUEEZE  # the pads' load is margin times what one of them needs
    pads = PAD.format(name="left", x=-0.0125, kp=kp, to=0.0005 + SQUEEZE) + PAD.format(name="right", x=0.0125, kp=kp, to=-0.0005 - SQUEEZE)
    rod = ('<body name="rod" quat="0.7071067811865476 -0.7071067811865476 0 0"><freejoint/>'
           f'<geom name="rod" type="capsule" size="0.004 0.016" mass="{MASS}" contype="0" conaffinity="0"/></body>')
    pairs = "".join(f'<pair geom1="rod" geom2="{name}" condim="3" friction="{MU} {MU}"/>' for name in ("left", "right"))
    return myriapod.Model.from_text(f"<mujoco><worldbody>{pads}{rod}</worldbody><contact>{pairs}</contact></mujoco>")


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("tolerance, most", [(1e-5, 10e-6), (1e-7, 0.1e-6)])
@pytest.mark.parametrize("margin, dt", [(20, 0.002), (40, 0.002), (60, 0.005), (95, 0.001)])
def test_a_grip_does_not_creep(precision, tolerance, most, margin, dt):
    batch = myriapod.Batch(gripped(margin), 1, dt=dt, precision=precision, tolerance=tolerance, threads=1, task="none")
    batch.step(round(0.5 / dt))
    held = np.array(batch.q[0, 2:5], dtype=float)
    batch.step(round(59.5 / dt))
    creep = np.linalg.norm(batch.q[0, 2:5] - held) / 59.5
    assert creep < most, f"{1e6 * creep:.3g} um/s"
