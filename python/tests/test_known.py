"""Robots of collections by name, with small folders of the same layout as theirs."""
import importlib
import os
import pathlib
import re
import subprocess
import sys

import myriapod
import pytest
from myriapod import known

URDF = """<robot name="{0}"><link name="world"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="1 0 0"/></joint></robot>"""
MJCF = """<mujoco model="{0}"><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
SCENE = """<mujoco model="scene"><include file="{0}"/></mujoco>"""


def put(path, text, *words):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(*words))
    return path


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch, tmp_path):
    for variable in ("MENAGERIE_PATH", "MENAGERIE_ROOT", "EXAMPLE_ROBOT_DATA_MODEL_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "robot" not in p])
    monkeypatch.setattr(known, "_loaders", dict)
    monkeypatch.setattr(known, "_installed", lambda module: module in sys.modules and getattr(sys.modules[module], "made_up", False))


@pytest.fixture
def menagerie(tmp_path):
    root = tmp_path / "mujoco_menagerie"
    put(root / "some_humanoid" / "h7.xml", MJCF, "h7")
    put(root / "some_humanoid" / "h7_with_hands.xml", MJCF, "h7 with hands")
    put(root / "some_humanoid" / "scene.xml", SCENE, "h7.xml")
    put(root / "some_hand" / "left_hand.xml", MJCF, "left")
    put(root / "some_hand" / "right_hand.xml", MJCF, "right")
    put(root / "some_hand" / "scene_left.xml", SCENE, "left_hand.xml")
    put(root / "some_dog" / "dog.xml", MJCF, "dog")
    put(root / "some_dog" / "dog_mjx.xml", MJCF, "dog for mjx")
    put(root / "assets" / "notes.txt", "no robot")
    return root


def test_paths_and_shipped_names_stay(tmp_path):
    path = put(tmp_path / "own.urdf", URDF, "own")
    assert myriapod.load("hopper").name == myriapod.Model("hopper").name and myriapod.load("chain-3").nv == 12
    assert myriapod.load(path).name == myriapod.load(str(path)).name == "own" and known.find("stack-2") == "stack-2"
    assert myriapod.load("cube", root="floating").source == "cube"


def test_a_checkout_of_menagerie(menagerie, monkeypatch, tmp_path):
    assert myriapod.load("menagerie:some_humanoid", menagerie=menagerie).name == "h7"
    assert myriapod.load("menagerie:some_humanoid/h7_with_hands", menagerie=str(menagerie)).name == "h7 with hands"
    assert known.find("menagerie:some_humanoid/scene", menagerie=menagerie).endswith("some_humanoid/scene.xml")
    monkeypatch.setenv("MENAGERIE_PATH", str(menagerie))
    assert myriapod.load("menagerie:some_dog").name == "dog"
    assert myriapod.Batch("menagerie:some_dog", 2).model.name == "dog" and myriapod.Model("menagerie:some_humanoid/h7").name == "h7"
    with pytest.raises(myriapod.FileError, match="did you mean 'menagerie:some_dog'?"):
        myriapod.Batch("dog", 2)
    assert myriapod.load("menagerie:some_hand/right_hand.xml").name == "right"
    assert known.names() == ["menagerie:some_dog", "menagerie:some_hand", "menagerie:some_humanoid"]
    for name, words in (
        ("menagerie:some_hand", "several robots.*menagerie:some_hand/left_hand, menagerie:some_hand/right_hand"),
        ("menagerie:humanoid", "did you mean 'some_humanoid'"),
        ("menagerie:some_dgo", "did you mean 'some_dog'"),
        ("menagerie:some_humanoid/h8", "'h8.xml'.*did you mean 'h7'"),
        ("menagerie:assets", "no robot 'assets'"),
        ("dog", "no shipped robot 'dog'.*did you mean 'menagerie:some_dog'"),
    ):
        with pytest.raises(myriapod.FileError, match=words):
            myriapod.load(name)
    monkeypatch.setenv("MENAGERIE_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(OSError, match=r"\$MENAGERIE_PATH is .*nowhere.*not a folder.*github.com"):
        myriapod.load("menagerie:some_dog")


def test_without_a_checkout(tmp_path, menagerie):
    (tmp_path / "cache" / "mujoco_menagerie" / ".git").mkdir(parents=True)  # a clone that failed does not count
    with pytest.raises(OSError, match="git clone https.*MENAGERIE_PATH.*pip install mujoco-menagerie"):
        myriapod.load("menagerie:some_dog")
    (tmp_path / "cache" / "mujoco_menagerie" / ".git").rmdir()
    (tmp_path / "cache" / "mujoco_menagerie").rmdir()
    menagerie.rename(tmp_path / "cache" / "mujoco_menagerie")
    assert myriapod.load("menagerie:some_dog").name == "dog"


def test_the_package_of_menagerie(menagerie, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "mujoco_menagerie", raising=False)
    put(tmp_path / "packages" / "mujoco_menagerie.py", """
import pathlib
made_up = True
class Robot:
    default_model = "dog"
    def xml(self, entry):
        if entry != "dog":
            raise KeyError(f"no entry {{entry}}")
        return pathlib.Path({0!r}) / "dog.xml"
names, get = lambda: ["some_dog"], lambda name: Robot()
""", str(menagerie / "some_dog"))
    monkeypatch.syspath_prepend(tmp_path / "packages")
    try:
        importlib.import_module("mujoco_menagerie")
        check_package()
    finally:
        del sys.modules["mujoco_menagerie"]


def check_package():
    assert myriapod.load("menagerie:some_dog").name == "dog" and known.names() == ["menagerie:some_dog"]
    with pytest.raises(OSError, match="did you mean 'some_dog'"):
        myriapod.load("menagerie:dog")
    with pytest.raises(OSError, match="package mujoco-menagerie says: .*no entry cat"):
        myriapod.load("menagerie:some_dog/cat")


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """The package as it is: a module by robot, which clones when it is imported."""
    package = tmp_path / "packages" / "robot_descriptions"
    put(package / "__init__.py", "made_up = True")
    put(package / "_repositories.py", """
from types import SimpleNamespace
REPOSITORIES = {{"dogs": SimpleNamespace(url="https://example.org/dogs.git", cache_path="dogs")}}
""")
    put(package / "_cache.py", """
import os
def clone_to_cache(name, commit=None):
    if os.path.exists({0!r}):
        return {0!r}
    raise RuntimeError("could not resolve host: example.org")
""", str(tmp_path / "cloned"))
    for name, line in (("dog", 'URDF_PATH = REPOSITORY_PATH + "/dog.urdf"'), ("dog_mj", 'MJCF_PATH = REPOSITORY_PATH + "/dog.xml"'), ("odd", "XACRO_PATH = ''")):
        put(package / f"{name}_description.py", "from ._cache import clone_to_cache as _clone_to_cache\nREPOSITORY_PATH = _clone_to_cache('dogs')\n" + line)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    kept = {k: sys.modules.pop(k) for k in list(sys.modules) if k.split(".")[0] == "robot_descriptions"}
    __import__("robot_descriptions")
    yield tmp_path
    for name in [k for k in sys.modules if k.split(".")[0] == "robot_descriptions"]:
        del sys.modules[name]
    sys.modules.update(kept)


def test_robot_descriptions(descriptions):
    put(descriptions / "cloned" / "dog.urdf", URDF, "dog of urdf")
    put(descriptions / "cloned" / "dog.xml", MJCF, "dog of mjcf")
    assert myriapod.load("robot_descriptions:dog_description").name == "dog of urdf"
    assert myriapod.load("dog_mj_description").name == myriapod.load("robot_descriptions:dog_mj").name == "dog of mjcf"
    for name, words in (
        ("robot_descriptions:dig_description", "no 'dig_description'; did you mean 'dog'"),
        ("cat_description", "no 'cat_description'; there are: dog, dog_mj, odd"),
        ("odd_description", "neither MJCF nor URDF"),
        ("dog", "did you mean 'robot_descriptions:dog_description', 'robot_descriptions:dog_mj_description'"),
    ):
        with pytest.raises(OSError, match=words):
            myriapod.load(name)
    (descriptions / "cloned" / "dog.urdf").unlink()
    with pytest.raises(OSError, match="dog.urdf is not there.*another version"):
        myriapod.load("dog_description")


def test_robot_descriptions_without_a_network(descriptions):
    with pytest.raises(OSError, match=r"cannot be cloned \(RuntimeError: could not resolve host.*git clone https://example.org/dogs.git .*cache/dogs"):
        myriapod.load("dog_description")
    put(descriptions / "cache" / "dogs" / "dog.urdf", URDF, "cached dog")
    assert myriapod.load("dog_description").name == "cached dog"
    from robot_descriptions import _cache

    with pytest.raises(RuntimeError, match="could not resolve"):  # theirs is theirs again
        _cache.clone_to_cache("dogs")


def test_what_is_not_installed():
    with pytest.raises(OSError, match="pip install robot_descriptions"):
        myriapod.load("dog_description")
    with pytest.raises(OSError, match="pip install example-robot-data"):
        myriapod.load("example-robot-data:dog")
    with pytest.raises(OSError, match="no shipped robot 'dog'; of the collections none is here"):
        myriapod.load("dog")


def test_example_robot_data(tmp_path, monkeypatch):
    robots = tmp_path / "site" / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    put(robots / "dog_description" / "robots" / "dog.urdf", URDF, "dog")
    put(robots / "arm_description" / "urdf" / "arm6.urdf", URDF, "arm of six")
    put(robots / "arm_description" / "urdf" / "arm7_robot.urdf", URDF, "arm of seven")
    put(robots / "bird_description" / "urdf" / "bird_simple.urdf", URDF, "bird")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    for name, wanted in (("dog", "dog"), ("dog_description", "dog"), ("arm/arm6", "arm of six"), ("arm7", "arm of seven"), ("bird", "bird")):
        assert myriapod.load(f"example-robot-data:{name}").name == wanted
    assert known.names() == [f"example-robot-data:{n}" for n in ("arm", "bird", "dog")]
    for name, words in (("arm", "several robots.*arm/arm6, example-robot-data:arm/arm7_robot"), ("dgo", "did you mean 'dog'"), ("arm/arm8", "did you mean 'arm6'")):
        with pytest.raises(OSError, match=words):
            myriapod.load(f"example-robot-data:{name}")


@pytest.mark.parametrize("name, words", [
    ("menagerei:dog", "no collection 'menagerei', but 'menagerie'"),
    ("menagerie:", "must stand a name"),
    ("menagerie:../dog", "must stand a name"),
    ("example-robot-data:/etc", "must stand a name"),
])
def test_names_of_a_wrong_form(name, words):
    with pytest.raises(ValueError, match=words):
        known.find(name)


def test_the_path_for_the_program(menagerie):
    done = subprocess.run([sys.executable, "-W", "error", "-m", "myriapod.where", "menagerie:some_dog", "hopper", "--menagerie", str(menagerie)],
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{menagerie / 'some_dog' / 'dog.xml'}\nhopper\n"), done.stderr
    done = subprocess.run([sys.executable, "-m", "myriapod.where", "menagerie:some_cat", "--menagerie", str(menagerie)], capture_output=True, text=True)
    assert done.returncode == 1 and "no robot 'some_cat'" in done.stderr


def test_the_page(tmp_path):
    """Its programs are Python, and the names of Menagerie are such as a checkout has."""
    root = pathlib.Path(os.environ.get("MYRIAPOD_SOURCE", pathlib.Path(__file__).parents[2]))
    text = (root / "docs" / "known-robots.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    for block in blocks:
        compile(block, "known-robots.md", "exec")
    names = set(re.findall(r'"menagerie:([\w/]+)"', text))
    assert len(blocks) == 6 and len(names) >= 5
    for name in names:
        folder, _, file = name.partition("/")
        put(tmp_path / folder / f"{file or 'robot'}.xml", MJCF, name)
        assert myriapod.load(f"menagerie:{name}", menagerie=tmp_path).name == name


@pytest.mark.parametrize("letters", [300, 5000, 100000])
def test_names_that_no_file_can_have_are_errors_of_ours(menagerie, monkeypatch, tmp_path, letters):
    name = "a" * letters
    for what in (f"menagerie:{name}", f"menagerie:some_dog/{name}", name, f"{name}.urdf", f"./{name}/b.xml", "menagerie:a\0b", f"{name}_description"):
        with pytest.raises(myriapod.Error):
            myriapod.load(what, menagerie=menagerie)
    for folder in (tmp_path / name, "~nobody_of_this_name/menagerie"):
        with pytest.raises(myriapod.Error):
            known.find("menagerie:some_dog", menagerie=folder)
    put(tmp_path / "robots" / "some_description" / "urdf" / "some.urdf", URDF, "some")
    monkeypatch.setenv("EXAMPLE_ROBOT_DATA_MODEL_DIR", str(tmp_path / "robots"))
    with pytest.raises(myriapod.Error):
        known.find(f"example-robot-data:{name}")
    with pytest.raises(myriapod.Error):
        myriapod.Model(name)
