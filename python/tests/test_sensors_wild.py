"""Sensors of MJCF files from the wild beside MuJoCo on the same states: those in ../shared/models where it is, and in the folders of MYRIAPOD_WILD (PATH's
form). Meshes are taken out of both, as their files may be missing; `python test_sensors_wild.py FOLDER ..` prints what was compared and what is lost;
with --every each body, joint and site gets kinematic sensors beside those of the file."""
import collections
import os
import pathlib
import re
import sys
import warnings
from xml.etree import ElementTree

import myriapod
import numpy as np
import pytest

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models"
FOLDERS = [folder for folder in (SHARED, *map(pathlib.Path, filter(None, os.environ.get("MYRIAPOD_WILD", "").split(os.pathsep)))) if folder.exists()]
OTHERWISE = {"accelerometer", "force", "torque", "framelinacc", "frameangacc", "actuatorfrc", "jointactuatorfrc", "touch", "contact"}  # means over a step
WITHOUT = ("mesh", "texture", "material", "hfield", "skin", "flex", "plugin", "extension", "visual", "statistic")
STATES = 8


def bare(path):
    """The file with what it includes, without meshes and looks."""
    def walk(node):
        for child in list(node):
            if child.tag == "include":
                at, file = list(node).index(child), path.parent / child.get("file", "")
                node.remove(child)
                for k, more in enumerate(list(bare(file)) if file.exists() else []):
                    node.insert(at + k, more)
            elif child.tag in WITHOUT or (child.tag == "geom" and (child.get("mesh") or child.get("type") in ("mesh", "hfield", "sdf"))):
                node.remove(child)
            else:
                child.attrib.pop("material", None)
                walk(child)
    root = ElementTree.parse(path).getroot()
    walk(root)
    return root


ON_BODIES = ("framepos", "framequat", "framelinvel", "frameangvel", "framexaxis", "subtreecom", "subtreelinvel", "subtreeangmom")
ON_SITES = ("framepos", "framequat", "framezaxis", "gyro", "velocimeter", "magnetometer")


def sense_all(root):
    """Kinematic sensors of every body, joint and site that has a name."""
    sensors = ElementTree.SubElement(root, "sensor")
    def add(kind, **words):
        ElementTree.SubElement(sensors, kind, {"name": f"every_{len(sensors)}", **words})
    world = root.find("worldbody")
    for node in (world.iter() if world is not None else ()):
        name = node.get("name")
        for kind in (ON_BODIES if node.tag == "body" and name else ()):
            add(kind, **({"body": name} if kind.startswith("subtree") else {"objtype": "xbody", "objname": name}))
        for kind in (ON_SITES if node.tag == "site" and name else ()):
            add(kind, **({"objtype": "site", "objname": name} if kind.startswith("frame") else {"site": name}))
        if node.tag == "joint" and name and node.get("type") in (None, "hinge", "slide"):
            add("jointpos", joint=name), add("jointvel", joint=name)
        if node.tag == "joint" and name and node.get("type") == "ball":
            add("ballquat", joint=name), add("ballangvel", joint=name)


def compare(folders, every=False):
    """Of each kind how many readings, and by how much the worst is off; sensors in the files, of these those that are read, and what is lost."""
    mujoco = pytest.importorskip("mujoco")
    kinds, lost, files = collections.defaultdict(lambda: [0, 0.0]), collections.Counter(), []
    for path in sorted(path for folder in folders for path in folder.rglob("*.xml")):
        try:
            root = bare(path)
            if every:
                sense_all(root)
            text = ElementTree.tostring(root, encoding="unicode")
            theirs = mujoco.MjModel.from_xml_string(text) if "<sensor" in text else None
        except (ElementTree.ParseError, ValueError):
            continue  # a part of a file, or one that needs what was taken out
        if theirs is None or not theirs.nsensor:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = myriapod.Model.from_text(text)
            except myriapod.Error as error:
                files.append((path, theirs.nsensor, 0, str(error)))
                continue
        files.append((path, theirs.nsensor, len(model.sensors), ""))
        lost.update(why for words in model.warnings if "sensors of these kinds" in words for why in re.findall(r"(\w+ [^,:]*\([^)]*\))", words))
        if (model.nq, model.nv) == (theirs.nq, theirs.nv):
            readings(mujoco, theirs, model, kinds)
    return kinds, files, lost


def readings(mujoco, theirs, model, kinds):
    data, rng = mujoco.MjData(theirs), np.random.default_rng(0)
    q, v, truth = np.zeros((STATES, theirs.nq)), rng.normal(size=(STATES, theirs.nv)), np.zeros((STATES, theirs.nsensordata))
    for k in range(STATES):
        data.qpos[:] = theirs.qpos0 + rng.uniform(-0.3, 0.3, theirs.nq)
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        q[k], data.qvel[:] = data.qpos, v[k]
        mujoco.mj_forward(theirs, data)
        truth[k] = data.sensordata
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = myriapod.Batch(model, STATES, task="none", precision="f64", ground="off")
    with batch:
        batch.q, batch.v = q, v
        batch.refresh()
        for sensor in model.sensors:
            i = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_SENSOR, sensor.name)
            if i < 0 or sensor.kind in OTHERWISE or sensor.kind == "rangefinder":
                continue
            want, ours = truth[:, theirs.sensor_adr[i]:][:, :theirs.sensor_dim[i]], batch.sensor(sensor.name)
            off = np.abs(ours - want).max(1)
            if sensor.kind in ("framequat", "ballquat"):
                off = np.minimum(off, np.abs(ours + want).max(1))
            kinds[sensor.kind][0] += STATES
            kinds[sensor.kind][1] = max(kinds[sensor.kind][1], (off / np.maximum(1, np.abs(want).max(1))).max())


@pytest.mark.skipif(not FOLDERS, reason="robot descriptions from the wild lie in ../shared/models")
def test_sensors_of_files_from_the_wild_are_mujocos():
    kinds, files, _ = compare(FOLDERS)
    assert sum(count for count, _ in kinds.values()) > 100 and max(worst for _, worst in kinds.values()) < 1e-11, dict(kinds)
    assert not [file for file in files if file[3] and "sensor" in file[3]], files  # none is refused for a sensor


if __name__ == "__main__":
    of, seen, left = compare([pathlib.Path(folder) for folder in sys.argv[1:] if folder != "--every"], "--every" in sys.argv)
    for kind in sorted(of):
        print(f"{kind:20} {of[kind][0]:6} readings, worst {of[kind][1]:.2g}")
    print(f"{len(seen)} files, {sum(f[1] for f in seen)} sensors, {sum(f[2] for f in seen)} of them read; {sum(c for c, _ in of.values())} readings compared")
    print("refused:", *(f"{path}: {why}" for path, _, _, why in seen if why), sep="\n  ")
    print("lost:", *(f"{n} {what}" for what, n in left.most_common()), sep="\n  ")
