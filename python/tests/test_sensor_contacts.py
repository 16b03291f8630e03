"""Contacts one by one: MuJoCo's `contact` sensor beside MuJoCo and laws."""
import myriapod
import numpy as np
import pytest
from mjcf_scene import batch_of, model_of
from myriapod import ArgumentError, Batch

RESTING = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
  <body name="box" pos="0 0 .1"><freejoint/><geom name="box" type="box" size=".2 .15 .1" mass="2"/><site name="corner" type="sphere" size=".12" pos=".2 .15 -.1"/></body>
  <body name="pile" pos="0 0 .25"><freejoint/><geom name="lid" type="box" size=".1 .1 .05" mass="1"/><geom name="knob" size=".03" pos="0 0 .05" mass=".1"/></body>
  <body name="ball" pos="1 0 .1"><freejoint/><geom name="ball" size=".1" mass=".5"/></body></worldbody><sensor>
  <contact name="box floor" geom1="box" geom2="floor" num="6" data="found dist pos normal"/>
  <contact name="floor box" geom1="floor" geom2="box" num="2" data="found force normal"/>
  <contact name="near" geom1="ball" geom2="floor" num="1" data="found force dist pos normal" reduce="mindist"/>
  <contact name="hard" body1="box" num="3" data="force" reduce="maxforce"/>
  <contact name="net" body1="box" body2="world" data="found force torque dist pos normal tangent" reduce="netforce"/>
  <contact name="lid" subtree1="pile" subtree2="box" num="4" data="found normal"/>
  <contact name="corner" site="corner" geom2="floor" data="found pos"/>
  <contact name="never" geom1="ball" geom2="lid" data="found force"/></sensor></mujoco>"""


def test_contacts_beside_mujoco_and_laws():
    """Things at rest: counts, places and normals are MuJoCo's, whose contacts are soft; forces hold the weights, and turn about where they say."""
    mujoco = pytest.importorskip("mujoco")
    theirs, model = mujoco.MjModel.from_xml_string(RESTING), model_of(RESTING)
    data = mujoco.MjData(theirs)
    for _ in range(2000):
        mujoco.mj_step(theirs, data)
    batch = batch_of(model, 2, tolerance=1e-9)
    assert (batch.sensors == 0).all()  # no step was made
    batch.step(2000)
    assert len(model.sensors) == theirs.nsensor and batch.sensors.shape[1] == theirs.nsensordata
    ours = {s.name: batch.sensor(s.name)[1] for s in model.sensors}
    truth = {s.name: data.sensordata[s.row:s.row + s.size] for s in model.sensors}
    assert [s.size for s in model.sensors] == [48, 14, 11, 9, 17, 16, 4, 4]
    place = lambda rows: rows[np.lexsort(np.round(rows, 3).T)]
    for name, width, columns in (("box floor", 8, slice(2, 8)), ("lid", 4, slice(1, 4))):
        a, b = ours[name].reshape(-1, width), truth[name].reshape(-1, width)
        assert np.array_equal(a[:, 0], b[:, 0]) and (a[:, 0] > 0).sum() == 4  # four found, the places behind them empty
        assert np.allclose(place(a[:4, columns]), place(b[:4, columns]), atol=2e-3) and (a[4:] == 0).all()
    assert (np.abs(ours["box floor"].reshape(6, 8)[:4, 1]) < 1e-6).all()
    there, back = ours["floor box"].reshape(2, 7), truth["floor box"].reshape(2, 7)
    assert np.allclose(there[:, 4:], [0, 0, 1]) and np.allclose(back[:, 4:], [0, 0, 1], atol=1e-3) and (there[:, 0] == 4).all() and (there[:, 1] > 0).all()
    assert np.allclose(ours["near"], truth["near"], atol=2e-3) and abs(ours["near"][1] - 0.5 * 9.81) < 1e-6
    hard = ours["hard"].reshape(3, 3)
    size = np.linalg.norm(hard, axis=1)
    assert (np.diff(size) <= 0).all() and size[2] > 0
    net = ours["net"]
    assert net[0] == 4 and np.allclose(net[1:4], [0, 0, -3.1 * 9.81], atol=1e-5) and np.allclose(net[4:7], 0, atol=1e-5) and net[7] == 0
    assert np.allclose(net[8:11], [0, 0, 0], atol=2e-3) and np.array_equal(net[11:], [1, 0, 0, 0, 1, 0])
    assert np.allclose(net[:4], truth["net"][:4], rtol=2e-3, atol=2e-3)
    assert ours["corner"][0] == truth["corner"][0] == 1 and np.allclose(ours["corner"][1:], [0.2, 0.15, 0], atol=2e-3)
    assert (ours["never"] == 0).all()


def test_single_contacts_add_up_in_motion():
    """A walking robot: forces one by one, turned from their axes, are those that a contact_force sensor adds up; normals point to the ground."""
    feet = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
    names = [g.name for g in myriapod.load("anymal").geoms]
    model = myriapod.load("anymal").with_sensors(*({"name": f, "kind": "contact_force", "of": f"{f}*"} for f in feet), *(
        {"name": f"{f} one", "kind": "contact", "of": f"{f}*", "touching": "ground", "data": ("force", "normal", "tangent", "found"), "contacts": 2} for f in feet))
    assert any(n.startswith("LF_FOOT") for n in names) and model.sensor("LF_FOOT one").size == 20
    with Batch(model, 64, task="trot", precision="f64") as batch:
        touched = 0
        for _ in range(30):
            batch.step(1)
            for foot in feet:
                total, rows = batch.sensor(foot), batch.sensor(f"{foot} one").reshape(64, 2, 10)
                n, t = rows[..., 4:7], rows[..., 7:10]
                world = rows[..., 1:2] * n + rows[..., 2:3] * t + rows[..., 3:4] * np.cross(n, t)
                assert np.allclose(world.sum(1), -total, atol=1e-9)
                found = rows[:, 0, 0] > 0
                assert np.allclose(n[found, 0], [0, 0, -1]) and (rows[found, 0, 1] >= 0).all() and (rows[~found] == 0).all()
                touched += found.sum()
        assert touched > 1000
    robot = myriapod.load("anymal")
    for wrong, word in (({"data": "found loud"}, "data is"), ({"data": ()}, "data is 0"), ({"contacts": 0}, "contacts is 0"), ({"contacts": 33}, "1 to 32"),
                        ({"reduce": "max"}, "reduce is"), ({"touching": "moon"}, "no shape `moon`")):
        with pytest.raises(ArgumentError, match=word):
            robot.with_sensors({"name": "a", "kind": "contact", "of": "LF_FOOT*", **wrong})


@pytest.mark.parametrize("wanted", ['site="s"', 'geom2="b"', '', 'geom1="b" geom2="floor" num="3" reduce="netforce"', 'geom1="b" cutoff="0.01"'])
def test_contacts_of_whatever_touches_point_as_mujocos(wanted):
    """No first shape, a site, three places for one net force, a cutoff that cuts none: found, force and normal of a ball at rest."""
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco><worldbody><geom name="wall" type="plane" size="5 5 1" pos="3 0 0" euler="0 -90 0"/><geom name="floor" type="plane" size="5 5 1"/>
      <body pos="0 0 .1"><freejoint/><geom name="b" size=".1" mass="1"/><site name="s" size=".3"/></body></worldbody>
      <sensor><contact name="c" {wanted} data="found force normal"/></sensor></mujoco>"""
    theirs, model = mujoco.MjModel.from_xml_string(text), model_of(text)
    data = mujoco.MjData(theirs)
    for _ in range(500):
        mujoco.mj_step(theirs, data)
    with batch_of(model, 1, dt=0.002, tolerance=1e-9) as batch:
        batch.step(500)
        assert np.allclose(batch.sensor("c")[0], data.sensordata, atol=2e-3), (batch.sensor("c")[0], data.sensordata)


def test_what_of_contacts_is_not_here_is_named():
    text = """<mujoco><worldbody><geom name="wall" type="plane" size="5 5 1" pos="3 0 0" euler="0 -90 0"/><geom name="floor" type="plane" size="5 5 1"/>
      <body pos="0 0 .1"><freejoint/><geom name="b" size=".1" mass="1"/><site name="s"/></body></worldbody>
      <sensor><contact name="c" geom1="b" {}/><rangefinder name="r" site="s" {}/></sensor></mujoco>"""
    for contact, finder, word in (('geom2="wall"', "", "contact c .none of its shapes may touch"), ('num="40"', "", "contact c .more contacts than are kept"),
                                  ('data="linvel"', "", "contact c .its data"), ("", 'data="normal"', "rangefinder r .its data")):
        with pytest.warns(myriapod.ModelWarning, match=word):
            assert len(myriapod.Model.from_text(text.format(contact, finder)).sensors) == 1
