"""Robots on many contacts, and what they do: the scenes of hard_solves.py and hard_problems.py, as words for the program `scenes`.

Robots that ship come by name. The others are files of their owners, given by --models and never part of this repository: h1 of unitree_ros
(h1/h1.urdf), and of the PyPI package example-robot-data g1, talos with box feet and the Allegro hand. A hand with a ball is made of the hand
alone: the palm upwards, fixed to the world half a metre above the ground, the ball over it."""
import pathlib
import xml.etree.ElementTree as xml

SCENES = ("stand", "sway", "limp", "fall")
DATA = "share/example-robot-data/robots"
# name: (file below one of the folders, None: it ships; its scenes; words for `scenes`)
FINGERS = [f"move=joint_{joint}.0:0.9:0.25:0" for joint in (1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15)]
ROBOTS = {
    "h1": ("h1/h1.urdf", SCENES, []),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", SCENES, []),
    "talos": ("talos_data/robots/talos_reduced_box.urdf", SCENES, []),
    "biped": (None, SCENES, []),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", ("sway", "limp"), ["kp=3", "kd=0.1"]),
    "allegro-ball": ("allegro_hand_description/urdf/allegro_right_hand.urdf", ("stand",), ["kp=30", "kd=0.5", "place=free:0.06:0:0.58", *FINGERS]),
    "stack-3": (None, ("stand", "fall"), ["height=0.3"]),
    "stack-5": (None, ("stand", "fall"), ["height=0.3"]),
    "anymal": (None, SCENES, []),
    "solo12": (None, ("stand", "fall"), []),
}
DRIVEN = {"stand", "sway"}  # by PD; the others are limp


def find(name, folders):
    """The robot's file, or its name where it ships; None where no folder has it."""
    file = ROBOTS[name][0]
    if file is None:
        return name
    for folder in folders:
        for path in (folder / file, folder / DATA / file, folder / "cmeel.prefix" / DATA / file):
            if path.exists():
                return path
    return None


def mount(hand, ball, target):
    """The hand with its palm up in the world, alone or with a ball."""
    robot = xml.parse(hand).getroot()
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    root = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
    robot.append(xml.fromstring('<link name="world"/>'))
    robot.append(xml.fromstring(f'<joint name="mount" type="fixed"><origin xyz="0 0 0.5" rpy="0 -1.5707963 0"/><parent link="world"/><child link="{root}"/></joint>'))
    if ball:
        robot.append(xml.fromstring('<link name="ball"><inertial><mass value="0.1"/><inertia ixx="4.9e-5" iyy="4.9e-5" izz="4.9e-5" ixy="0" ixz="0" iyz="0"/>'
                                    '</inertial><collision><geometry><sphere radius="0.035"/></geometry></collision></link>'))
        robot.append(xml.fromstring('<joint name="free" type="floating"><parent link="world"/><child link="ball"/></joint>'))
    xml.ElementTree(robot).write(target)
    return target


def cases(names, folders, place):
    """(name, scene, words of `scenes`) of the robots that are there; `place`: a folder for files that are made."""
    for name in names:
        path = find(name, [pathlib.Path(folder) for folder in folders])
        if path is None:
            continue
        if name.startswith("allegro"):
            path = mount(path, name == "allegro-ball", pathlib.Path(place) / f"{name}.urdf")
        _, scenes, words = ROBOTS[name]
        for scene in scenes:
            yield name, scene, [str(path), f"scene={scene}", *words]
