"""Names that are wrong, of robots, tasks, solvers and policies: what was meant is said. Messages of the library have the calls of Python."""
import re

import myriapod
import pytest
from myriapod import ArgumentError, FileError, StateError
from myriapod._library import spoken
from myriapod._names import nearest
from myriapod._sources import find_file


@pytest.mark.parametrize("wrong, meant", [
    ("unitree_go2", "go2"), ("Go2", "go2"), ("go-2", "go2"), ("unitree_g1", "g1"), ("unitree_h1", "h1"), ("anybotics_anymal_c", "anymal"), ("ANYmal", "anymal"),
    ("franka_emika_panda", "panda"), ("panda_arm", "panda"), ("ant", "gym-ant"), ("cartpole", "cart-pole"), ("solo-12", "solo12"), ("anymall", "anymal"),
])
def test_a_robot(wrong, meant):
    for make in (myriapod.load, myriapod.Model, myriapod.Batch):
        with pytest.raises(FileError, match=f"did you mean {meant!r}"):
            make(wrong)


def test_robots_that_ship():
    ships = myriapod.robots()
    assert {"anymal", "go2", "g1", "hand-ball"} <= set(ships) and ships == sorted(set(ships))
    for name in ships:
        assert myriapod.load(str(find_file(name) or name)).warnings == [], name  # our own files have nothing odd in them


@pytest.mark.parametrize("wrong, meant", [
    ("go2", "go2-flat"), ("unitree-go2-flat", "go2-flat"), ("Isaac-Velocity-Flat-Unitree-Go2-v0", "go2-flat"), ("Mjlab-Velocity-Flat-Unitree-G1", "g1-flat"),
    ("anymal_flat", "anymal-flat"), ("Ant-v5", "gym-ant"), ("InvertedPendulum-v5", "gym-inverted-pendulum"), ("g1-trackign", "g1-tracking"),
])
def test_a_task(wrong, meant):
    with pytest.raises(myriapod.UnknownKeyError, match=f"there is no task '{wrong}'; did you mean '{meant}'"):
        myriapod.LaneTask(wrong)


def test_a_task_of_the_trainer_where_one_of_the_engine_is_wanted():
    with pytest.raises(ArgumentError, match=r"'go2-flat' is a task for learning.*LaneTask\('go2-flat'"):
        myriapod.Batch("go2", task="go2-flat")
    with pytest.raises(ArgumentError, match="did you mean 'trot'"):
        myriapod.Batch("go2", task="trott")


def test_a_solver():
    for wrong, meant in (("newton_compliant", "newton-compliant"), ("PGS", "pgs"), ("compliant", "newton-compliant"), ("ngss", "nsgs")):
        with pytest.raises(ArgumentError, match=f"did you mean '{meant}'"):
            myriapod.Batch("go2", solver=wrong)


def test_a_policy(tmp_path):
    (tmp_path / "run").mkdir()
    for name in ("policy.npz", "policy.onnx", "model_100.npz"):
        (tmp_path / "run" / name).write_bytes(b"")
    for wrong, meant in (("run/polcy.npz", "run/policy.npz"), ("run/polcy.onnx", "run/policy.onnx"), ("run", "run/policy.npz"), ("run/model_10.npz", "run/model_100.npz")):
        with pytest.raises(FileError, match=re.escape(f"; did you mean '{tmp_path / meant}'?")):
            myriapod.Policy.load(tmp_path / wrong)
    for wrong in ("nowhere/policy.npz", "run/x.pth"):
        with pytest.raises((FileError, StateError)) as told:
            myriapod.Policy.load(tmp_path / wrong)
        assert "did you mean" not in str(told.value)


def test_a_joint_of_a_file(tmp_path):
    text = '<mujoco><worldbody><body><joint name="hip"/><geom size="1"/></body></worldbody><actuator><motor joint="hipp"/></actuator></mujoco>'
    with pytest.raises(myriapod.FormatError, match="no joint `hipp`; did you mean `hip`"):
        myriapod.Model.from_text(text)


def test_names_that_are_near_to_none():
    for wrong in ("", "x", "--", "v5", "unitree_a1", "gravitation"):
        assert nearest(wrong, ["go2", "anymal", "warm-start"]) is None
    assert nearest("", []) is None and nearest("go2", []) is None


def test_messages_have_the_calls_of_python():
    for said, heard in (("myr_batch_step: steps is -1", "Batch.step: steps is -1"), ("myr_batch_create: envs is 0", "Batch: envs is 0"),
                        ("myr_model_find_joint: `name` is NULL", "`name` is NULL"), ("a.xml:3: myr_batch_get is meant", "a.xml:3: Batch.get is meant"),
                        ("myr_terrain_height: place 0 is off", "Terrain.height: place 0 is off"), ("myr_isa_get: name is NULL", "name is NULL"),
                        ("settings were not made by myr_settings_default() of this", "settings were not made by Settings of this")):
        assert spoken(said) == heard
    with myriapod.Batch("sphere", 2) as batch:
        for wrong, says in ((lambda: batch.step(-1), "Batch.step: steps is -1"), (lambda: batch.get("q", [5]), "Batch.get: ids[0] is 5"),
                            (lambda: batch.view("com"), "use Batch.get"), (lambda: myriapod.Batch("sphere", 0), "Batch: envs is 0")):
            with pytest.raises(ArgumentError) as told:
                wrong()
            assert says in str(told.value) and "myr_" not in str(told.value)


def test_dir_has_what_is_meant_to_be_used():
    assert set(myriapod.__all__) <= set(dir(myriapod)) and "envs" in dir(myriapod)
    assert not [name for name in dir(myriapod) if name.startswith("_") and name != "__version__"] and "importlib" not in dir(myriapod)
    assert all(getattr(myriapod, name) is not None for name in dir(myriapod))
    named = re.findall(r"^    (?:batch = |batch\.)?(\w+)", myriapod.__doc__, re.M)
    assert len(named) == 10 and all(hasattr(myriapod, name) or hasattr(myriapod.Batch, name) for name in named)


def test_words_of_others_are_told_as_they_are_here():
    with myriapod.Batch("sphere", 2) as batch:
        for word, says in (("contact_forces", "batch.impulse"), ("num_envs", "batch.envs"), ("joint_pos", "batch.q"), ("render", "batch.picture"),
                           ("qpos", "MuJoCo's qpos is 'q' here"), ("targt", "did you mean 'target'"), ("restrat", "did you mean 'restart'")):
            with pytest.raises(AttributeError, match=re.escape(says)):
                getattr(batch, word)
        with pytest.raises(myriapod.UnknownKeyError, match="batch.impulse"):
            batch.get("contact_force")
        assert not hasattr(batch, "__array__") and not hasattr(batch, "_private")
    with pytest.raises(myriapod.UnknownKeyError, match="takes no 'device': it runs on the processor"):
        myriapod.Batch("sphere", 2, device="cuda")


def test_options_that_are_nearly_right(capsys):
    from myriapod import export, train

    for main, words, says in ((train.main, ["go2-flat", "--num_envs", "64"], "did you mean --envs?"), (export.main, ["p.npz", "--onx", "a"], "did you mean --onnx?"),
                              (train.main, ["go2-flat", "--xyzzy"], "--xyzzy")):
        with pytest.raises(SystemExit) as ended:
            main(words)
        said = capsys.readouterr().err
        assert ended.value.code == 2 and says in said and ("did you mean" in said) == ("did you mean" in says)
