#!/usr/bin/env python3
"""Pictures of twenty ANYmals that trot on maps of the profiles, five kinds of ground beside each other, from easy at the back to hard in front.

    python bench/agree/terrain_pictures.py [FOLDER] [--profiles isaac-lab,mjlab]

Runs where `myriapod` is installed. Writes terrain-PROFILE.png: docs/images has those of isaac-lab and mjlab; docs/tutorials/terrain.md does the same for
legged-gym. Says how high the bases are above the ground below them [m]."""
import argparse
import pathlib
from dataclasses import replace

import numpy as np

import myriapod
from myriapod.view.live import SENSE, BatchSource
from myriapod.view.offscreen import Studio, write_png

LEVELS, STEPS, WIDTH, HEIGHT = 4, 1500, 1440, 810
SKY = 190  # rows at the top in which there is nothing
# numbers of the profile's kinds, from the left to the right
KINDS = {"legged-gym": (1, 2, 3, 4, 5), "isaac-lab": (4, 3, 1, 0, 2), "mjlab": (3, 5, 2, 1, 6)}


def picture(profile, path):
    of_profile = myriapod.Terrain.profile_kinds(profile)
    kinds = [replace(of_profile[n], share=1.0) for n in KINDS[profile]]
    ground = myriapod.Terrain.generate(profile, seed=3, levels=LEVELS, columns=len(kinds), border=1.6, kinds=kinds)
    robots = np.arange(LEVELS * len(kinds))
    with myriapod.Batch(myriapod.Model("anymal").on(ground), len(robots), task="trot", threads=1, sense=SENSE) as batch:
        batch.place(levels=robots // len(kinds), columns=robots % len(kinds))
        batch.step(STEPS)
        above = batch.q[:, 2] + batch.ground_at[:, 2] - ground.height(batch.q[:, :2] + batch.ground_at[:, :2])
        write_png(path, Studio(BatchSource(batch), robots, WIDTH, HEIGHT).picture()[SKY:])
        print(f"{path}: {', '.join(kind.kind for kind in kinds)}; bases {above.min():.2f} .. {above.max():.2f} m above the ground, "
              f"{(batch.quarantined != 0).sum()} quarantined")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".")
    parser.add_argument("--profiles", default="isaac-lab,mjlab", help="comma-separated")
    args = parser.parse_args()
    for profile in args.profiles.split(","):
        picture(profile, pathlib.Path(args.folder) / f"terrain-{profile}.png")


if __name__ == "__main__":
    main()
