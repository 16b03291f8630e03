"""The Allegro hand that ships holds its cube, tilted, for a minute."""
from __future__ import annotations

import math
import pathlib
import xml.etree.ElementTree as xml

import measures
from scenes_hold import G
from track import Track
from world import Body, Figure, Joint, Scene

FILE = pathlib.Path(__file__).resolve().parents[2] / "robots" / "allegro-cube.xml"


def hand(tilt: float) -> Scene:
    """tilt [degrees]: by how much gravity leans towards the fingers."""
    bodies = []
    root = xml.parse(FILE).getroot()
    home = next(key for key in root.iter("key") if key.get("name") == "home")
    for body in root.iter("body"):
        kind = "free" if body.find("freejoint") is not None else "hinge" if body.find("joint") is not None else "fixed"
        bodies.append(Body(body.get("name"), 0.0, (0, 0, 0), Joint(kind)))
    cube = [body.name for body in bodies].index("cube")
    lean = math.radians(tilt)

    def judge(track: Track) -> list[Figure]:
        return [Figure("creep", 1e6 * measures.creep(track, cube, 2.0), "um/s", 0.0), Figure("deepest", 1e6 * measures.deepest(track), "um", 0.0)]

    return Scene("hand", f"An Allegro hand that holds a cube of 100 g, tilted by {tilt:g} degrees", "Fingers and cube come to rest, and stay.",
                 "mjlab, robosuite and ManiSkill users: objects creep out of hands", 60.0, tuple(bodies), (), judge, friction=0.8, mass=0.1, look=2.0,
                 gravity=(G * math.sin(lean), 0, -G * math.cos(lean)), file=str(FILE), control=tuple(float(x) for x in home.get("ctrl").split()))
