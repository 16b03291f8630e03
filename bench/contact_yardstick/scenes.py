"""The scenes of the yardstick, in the order of the report. A new one is a function in a file and a line here."""
from __future__ import annotations

from scenes_hand import hand
from scenes_hold import dry_joint, grip, slope, stack
from scenes_move import cradle, four_bar, rod, roll, slide, spin
from world import Scene

ALL: dict[str, Scene] = {scene.name: scene for scene in (
    *(grip(margin) for margin in (20, 40, 60, 80, 95)),
    *(dry_joint(percent) for percent in (50, 90, 99, 101)),
    *(slope(percent) for percent in (99, 101)),
    *(stack(ratio) for ratio in (1, 100, 1000)),
    slide(), rod(), spin(), roll(), four_bar(), cradle(), hand(30))}
