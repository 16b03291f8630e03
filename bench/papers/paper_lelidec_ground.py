"""Le Lidec 2024, the bumpy ground of Fig. 19, of which the paper says that it has a "roughness of 10^-1 m".

How its bumps are made it does not say. Here: a height every 0.1 m, uniform in 0 .. 0.1 m, each drawn for itself, triangles between. That is the rough
ground of the controller that the paper walks with (Léziart 2021), as the authors' laboratory publishes it (quadruped-reactive-walking, pybullet_sim.py: 10 m
x 10 m, a sample every 0.1 m, random.seed(41)), but for the 0.07 m that it has there. The authors' ContactBench has another ground under Solo-12, sines of
0.2 m with 0.21 m from crest to crest: slopes of 80 degrees, where no foot stands."""
import random

import myriapod
import numpy as np

ROUGH, CELL, SAMPLES, SEED = 0.1, 0.1, 100, 41
WITHIN = 0.35, 0.25  # half of a rectangle that holds a Solo-12, or a Talos, on its feet [m]


def bumpy(rough=ROUGH):
    """10 m x 10 m of ground, its middle at x = y = 0."""
    draw = random.Random(SEED)
    heights = np.array([[draw.random() for _ in range(SAMPLES)] for _ in range(SAMPLES)]).T  # rows of y, as they are drawn there
    return myriapod.Terrain(rough * heights, cell=CELL)


def places(terrain, n, reach=3.5, within=WITHIN):
    """Where on it n robots begin, (n, 3) [m]: a square grid of places, each as high as the highest sample around it, so that no robot begins in a bump."""
    side = int(np.ceil(np.sqrt(n)))
    line = np.round(np.linspace(-reach, reach, side) / CELL) * CELL
    at = np.array([(x, y) for x in line for y in line])[:n]
    reached = [CELL * np.arange(-np.ceil(w / CELL), np.ceil(w / CELL) + 1) for w in within]
    around = np.stack(np.meshgrid(*reached, indexing="ij"), -1).reshape(-1, 2)
    return np.column_stack([at, terrain.height((at[:, None] + around).reshape(-1, 2)).reshape(len(at), -1).max(1)])
