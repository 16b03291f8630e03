"""What newcomers get wrong: one exception each, which says what was given and what is wanted, and nothing changed."""
import copy
import pickle

import myriapod
import numpy as np
import pytest

MISTAKES = [
    ("wrong shape", lambda b: b.set("q", np.zeros((3, 19))), ValueError, r"q has shape \(3, 19\), but must be \(20, 19\)"),
    ("wrong dtype", lambda b: setattr(b, "torque", np.zeros((20, 12), complex)), TypeError, "complex128"),
    ("no numbers", lambda b: setattr(b, "torque", np.array([None] * 12)), TypeError, "object"),
    ("not contiguous", lambda b: b.get("q", out=np.zeros((20, 38), np.float32)[:, ::2]), ValueError, "not C-contiguous"),
    ("read only output", lambda b: b.get("q", out=np.broadcast_to(np.float32(0), (20, 19)).copy().view(Frozen)), ValueError, "read only"),
    ("float64 for float32", lambda b: b.get("q", out=np.zeros((20, 19))), TypeError, "float64, but must be float32"),
    ("output's shape", lambda b: b.get("q", out=np.zeros((19, 20), np.float32)), ValueError, r"\(19, 20\), but must be \(20, 19\)"),
    ("id out of range", lambda b: b.get("q", ids=[0, 20]), ValueError, r"ids\[1\] is 20"),
    ("negative id", lambda b: b.set("q", 0, ids=[-1]), ValueError, "-1"),
    ("mask as ids", lambda b: b.get("q", ids=np.ones(20, bool)), TypeError, "flatnonzero"),
    ("mask's length", lambda b: b.reset(np.ones(19, bool)), ValueError, r"mask has shape \(19,\), but must be \(20,\)"),
    ("reset of an environment that is not", lambda b: b.reset([3, 20]), ValueError, r"mask names environment 20, but there are 0 \.\. 19"),
    ("reset from the end", lambda b: b.reset(-1), ValueError, "mask names environment -1"),
    ("reset by a seed and ids", lambda b: b.reset([0], seed=1), ValueError, "not both"),
    ("MuJoCo's qpos", lambda b: b.qpos, AttributeError, "no attribute 'qpos': MuJoCo's qpos is 'q' here"),
    ("MuJoCo's ctrl", lambda b: setattr(b, "ctrl", 0.0), AttributeError, "MuJoCo's ctrl is 'control' here"),
    ("MuJoCo's qvel", lambda b: b.get("qvel"), KeyError, "MuJoCo's qvel is 'v' here"),
    ("a robot of a collection without it", lambda b: myriapod.Batch("a1"), OSError, "'menagerie:.*'"),
    ("a text for a model", lambda b: myriapod.Batch("<mujoco/>", 4), ValueError, r"Model\.from_text\(text\), or load\(text\)"),
    ("mask of floats", lambda b: b.reset(np.ones(20)), TypeError, "bool or uint8"),
    ("unknown field", lambda b: b.get("velocity"), KeyError, "velocity"),
    ("negative steps", lambda b: b.step(-1), ValueError, "-1"),
    ("half a step", lambda b: b.step(1.5), ValueError, "steps is 1.5, but must be a whole number"),
    ("steps as text", lambda b: b.step("3"), ValueError, "steps is '3', but must be a whole number"),
    ("half a step of a rollout", lambda b: b.rollout(nsteps=1.5), ValueError, "nsteps is 1.5, but must be a whole number"),
    ("a seed too large", lambda b: b.restart(2**63), ValueError, "seed is 9223372036854775808, but must lie in 0 .. 9223372036854775807"),
    ("a list of seeds", lambda b: b.restart([1, 2]), ValueError, r"seed is \[1, 2\], but must be a whole number"),
    ("half a seed", lambda b: b.restart(1.5), ValueError, "seed is 1.5, but must be a whole number"),
    ("a part of a copy", lambda b: b.q.__setitem__((slice(None), 2), 1.0), ValueError, r"`\.q` gives a read-only copy.*batch\.get\('q'\)"),
    ("a misspelt field", lambda b: setattr(b, "tagret", 0.0), AttributeError, "no attribute 'tagret'; did you mean 'target'"),
    ("a misspelt field to read", lambda b: b.get("tagret"), KeyError, "'tagret'; did you mean 'target'"),
    ("an attribute of a model", lambda b: setattr(b.model, "mas", 3.0), AttributeError, "Model has no attribute 'mas', and none can be set"),
    ("a batch's setting", lambda b: b.settings.__setitem__("dt", 0.01), ValueError, r"read-only: they belong to the creation of the batch.*Batch\("),
    ("a batch's setting as attribute", lambda b: setattr(b.settings, "dt", 0.01), ValueError, r"read-only.*Settings\(batch.settings\)"),
    ("a batch's settings", lambda b: b.settings.update(dt=0.01), ValueError, "read-only"),
    ("a batch's profile", lambda b: b.settings.load("paper"), ValueError, "read-only"),
    ("a setting as a batch's attribute", lambda b: setattr(b, "dt", 0.01), AttributeError, r"'dt' is a setting.*Batch\(model, envs, dt=\.\.\.\)"),
    ("controls' shape", lambda b: b.rollout(np.zeros((20, 12))), ValueError, r"\(envs, nsteps, nu\)"),
    ("controls of no time", lambda b: b.rollout(np.zeros((20, 12))), ValueError, r"shape \(20, 12\), but must be \(20, nsteps, 12\) = \(envs, nsteps, nu\)"),
    ("None for numbers", lambda b: setattr(b, "torque", None), TypeError, "torque is None, but must be an array or a number"),
    ("None for states", lambda b: b.set_state(None), TypeError, "states is None"),
    ("no controls", lambda b: b.rollout(), ValueError, "nsteps"),
    ("control field", lambda b: b.rollout(np.zeros((20, 1, 12)), control_field="q"), ValueError, "'q'"),
    ("states' dtype", lambda b: b.rollout(np.zeros((20, 1, 12)), state_out=np.zeros((20, 1, 37), np.float32)), TypeError, "float64"),
    ("foreign state", lambda b: b.set_state(np.zeros_like(b.get_state())), ValueError, "state 0"),
    ("no saved batch", lambda b: b.restore("/nowhere/batch"), OSError, "/nowhere/batch"),
]
WITHOUT_BATCH = [
    ("missing file", lambda: myriapod.Model("/nowhere/robot.urdf"), OSError, "/nowhere/robot.urdf"),
    ("broken file", lambda: myriapod.Model.from_text("<robot", "mine"), myriapod.FormatError, "mine"),
    ("unknown robot", lambda: myriapod.Batch("anymall", 4), OSError, "anymall"),
    ("unknown setting", lambda: myriapod.Batch("cube", 4, tolerence=1e-5), ValueError, "did you mean 'tolerance'"),
    ("steps of a batch", lambda: myriapod.Batch("cube", 4, steps=100), KeyError, r"Batch takes no 'steps'.*`step\(steps\)`"),
    ("envs of a task", lambda: myriapod.Locomotion("anymal-flat", envs=4), KeyError, "Locomotion takes no 'envs'"),
    ("misspelt keyword", lambda: myriapod.Batch("cube", 4, sens="bodies"), KeyError, "Batch takes no 'sens'.*did you mean 'sense'"),
    ("unknown keyword", lambda: myriapod.Batch("cube", 4, xyzzy=1), KeyError, "Batch takes no 'xyzzy'.*docs/settings.md"),
    ("a seed too large", lambda: myriapod.Batch("cube", 4, seed=2**63), ValueError, r"'seed' is 9223372036854775808.* below 2\*\*63"),
    ("setting as attribute", lambda: setattr(myriapod.Settings(), "dt", 0.1), AttributeError, r"settings\['dt'\] = value"),
    ("misspelt attribute", lambda: setattr(myriapod.Settings(), "tolerence", 0.1), AttributeError, r"settings\['tolerance'\] = value"),
    ("bad value", lambda: myriapod.Batch("cube", 4, dt=-1), ValueError, "dt"),
    ("no value", lambda: myriapod.Settings(dt=None), ValueError, "None"),
    ("unknown profile", lambda: myriapod.Settings("fast"), OSError, "fast"),
    ("unknown sense", lambda: myriapod.Batch("cube", 4, sense="forces"), ValueError, "forces"),
    ("unknown root", lambda: myriapod.Model("cube", root="free"), ValueError, "free"),
    ("settings as dict", lambda: myriapod.Batch("cube", 4, {"dt": 0.1}), ValueError, "Settings"),
    ("no environments", lambda: myriapod.Batch("cube", 0), ValueError, "envs is 0"),
    ("envs as float", lambda: myriapod.Batch("cube", 1e3), ValueError, "whole number"),
    ("too many", lambda: myriapod.Batch("anymal", 10**17), myriapod.Error, "memory|envs"),
    ("bad problem", lambda: myriapod.solve(np.eye(3), [0, 0, -1], [-1.0]), ValueError, "mu"),
    ("G's shape", lambda: myriapod.solve(np.eye(4), [0, 0, -1], [1.0]), ValueError, "G has shape"),
    ("evaluate's q", lambda: myriapod.evaluate(myriapod.Model("cube"), np.zeros(3)), ValueError, "q has shape"),
    ("evaluate's want", lambda: myriapod.evaluate(myriapod.Model("cube"), np.zeros(7), want="mass"), ValueError, "mass"),
]


class Frozen(np.ndarray):
    def __array_finalize__(self, _):
        self.flags.writeable = False


@pytest.mark.parametrize("name, mistake, error, words", MISTAKES, ids=[m[0] for m in MISTAKES])
def test_mistake(batch, name, mistake, error, words):
    batch.step(1)
    before = batch.hash()
    with pytest.raises(error, match=words) as caught:
        mistake(batch)
    assert isinstance(caught.value, myriapod.Error) and caught.value.status < 0
    assert batch.hash() == before


@pytest.mark.parametrize("name, mistake, error, words", WITHOUT_BATCH, ids=[m[0] for m in WITHOUT_BATCH])
def test_mistake_without_batch(name, mistake, error, words):
    with pytest.raises(error, match=words) as caught:
        mistake()
    assert isinstance(caught.value, myriapod.Error) and caught.value.status < 0


def test_fields_in_place(batch):
    """A whole field may be changed in place, a part of the copy that a property gives may not; a copy by `get` is the caller's."""
    q, kp = batch.get("q"), batch.get("kp")
    with pytest.raises(myriapod.ReadOnlyError, match="read-only copy"):
        batch.q[:, 2] += 1
    with pytest.raises(ValueError):
        np.add(batch.q, 1, out=batch.q)
    assert np.array_equal(batch.q, q)
    batch.kp *= 2
    batch.q += np.float32(0.5)
    batch.v -= 1.0
    assert np.array_equal(batch.kp, 2 * kp) and np.array_equal(batch.q, q + np.float32(0.5)) and (batch.v == -1).all()
    mine = batch.q.copy()
    mine[:, 2] += 1
    mine *= 2
    theirs = batch.get("q")
    theirs[:, 2] += 1
    assert np.array_equal(mine, 2 * theirs) and type(batch.q + 1) is np.ndarray and repr(batch.q).startswith("array(")


def test_a_copy_of_a_batchs_settings_may_be_changed(batch, robot):
    """What a batch shows is read-only, pickled too; every copy of it is the caller's."""
    shown = batch.settings
    for mine in (myriapod.Settings(shown), shown.copy(), copy.copy(shown), copy.deepcopy(shown.copy())):
        assert dict(mine) == dict(shown)
        mine["dt"] = 0.002
        mine.update(threads=2)
        assert (mine["dt"], shown["dt"], batch.settings["dt"]) == (0.002, 0.001, 0.001)
    assert myriapod.Settings(shown, dt=0.004)["dt"] == 0.004
    with myriapod.Batch(robot, 2, mine) as other:
        assert other.settings["dt"] == 0.002
    task = myriapod.Locomotion("anymal-flat", 1)
    for fixed in (shown, pickle.loads(pickle.dumps(shown)), task.settings, pickle.loads(pickle.dumps(task)).settings):
        with pytest.raises(myriapod.ReadOnlyError):
            fixed["dt"] = 0.01


def test_a_field_that_was_not_asked_for():
    with myriapod.Batch("cube", 2) as batch:
        with pytest.raises(myriapod.StateError, match=r'sense=\("bodies",\)'):
            _ = batch.body_pose


def test_a_closed_batch(robot):
    with myriapod.Batch(robot, 4) as batch:
        batch.step(1)
    assert batch.closed and "closed" in repr(batch)
    batch.close()
    uses = [lambda: batch.q, lambda: setattr(batch, "q", 0), batch.step, batch.reset, batch.hash, batch.stats, batch.clear_stats, batch.get_state,
            lambda: batch.view("q"), lambda: batch.info, lambda: batch.fields, lambda: batch.save("/tmp/x"), lambda: batch.copy(0, 1),
            lambda: batch.rollout(nsteps=1), lambda: batch.set_collision(np.ones(len(robot.geoms), bool)), lambda: batch.shape("q")]
    for use in uses:
        with pytest.raises(myriapod.StateError, match="closed"):
            use()


def test_what_is_odd_of_a_model_is_a_warning_at_the_callers_line(tmp_path):
    file = tmp_path / "mesh.urdf"
    file.write_text('<robot name="m"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
                    '<collision><geometry><mesh filename="a.dae"/></geometry></collision></link></robot>')
    with pytest.warns(myriapod.ModelWarning) as seen:
        model = myriapod.Model(str(file))
    assert [str(one.message) for one in seen] == model.warnings and len(model.warnings) >= 2
    assert {one.filename for one in seen} == {__file__}
    with pytest.warns(myriapod.ModelWarning, match="mesh"), myriapod.Batch(str(file), 1):
        pass


def test_other_simulators_names_are_understood():
    with pytest.raises(myriapod.UnknownKeyError, match="did you mean 'dt'"):
        myriapod.Batch("cube", 1, timestep=0.002)


def test_models_of_mujoco_are_refused_with_what_to_write():
    mujoco = pytest.importorskip("mujoco")
    xml = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    for model, words in ((mujoco.MjModel.from_xml_string(xml), "path of its XML file"), (mujoco.MjSpec.from_string(xml), r"Model\.from_text\(spec\.to_xml\(\)\)")):
        for make in (myriapod.Batch, myriapod.Model, myriapod.load):
            with pytest.raises(myriapod.ArgumentError, match=words):
                make(model)


@pytest.mark.filterwarnings("ignore::myriapod.ModelWarning")
def test_text_is_loaded():
    model = myriapod.load("\n <mujoco model='ball'><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    assert model.nv == 6 and model.name == "ball" and myriapod.Batch(model).envs == 1


def test_reset_takes_numbers_of_environments(batch):
    """As well as a mask; a list of whole numbers is numbers, whatever its length, and bytes are a mask."""
    for given, which in (([0, 3], [0, 3]), (np.array([3, 0, 3]), [0, 3]), (7, [7]), ([], []), (list(range(20)), range(20)), ([0] * 19 + [1], [0, 1]),
                         (np.array([0] * 19 + [1], np.uint8), [19]), ([True] + [False] * 19, [0])):
        batch.restart(0)
        batch.reset(given)
        assert list(np.flatnonzero(batch.episode)) == list(which)


def test_reset_with_a_seed_begins_anew(batch):
    other = myriapod.Batch(batch.model, 20, task="random", seed=7, threads=1)
    same = myriapod.Batch(batch.model, 20, task="random", threads=1)
    for b in (other, same):
        b.step(5)
    same.reset(seed=7)
    other.restart(7)
    assert np.array_equal(same.q, other.q) and not same.episode.any()
