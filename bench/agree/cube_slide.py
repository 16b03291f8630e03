#!/usr/bin/env python3
"""A cube let go at 6 m/s with mu 0.5, on the ground and on a box: how far it is lifted and how far it slides, by the hard solver and the
convex one of Myriapod and by MuJoCo, at several time steps. Coulomb's law: no lift, and v^2 / (2 mu g) = 3.670 m.

    python3 bench/agree/cube_slide.py        needs myriapod and mujoco 4.0.0"""
import mujoco
import myriapod
import numpy

SPEED, MU, HALF, GRAVITY = 6.0, 0.5, 0.1, 9.81
STEP_SIZES = (1e-3, 2e-3, 5e-3)
XML = """<mujoco><option timestep="{dt}" cone="{cone}" impratio="{impratio}"/><worldbody>{under}
<body name="cube" pos="-2 0 {z}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5 0 0"/></body></worldbody></mujoco>"""
UNDER = {"ground": '<geom type="plane" size="0 0 1" friction="0.5 0 0"/>',
         "box": '<geom type="box" size="5 5 0.5" pos="0 0 0.5" friction="0.5 0 0"/>'}


def seen(heights, places):
    return max(heights) - heights[0], places[-1] - places[0]


def by_mujoco(under, dt, cone, impratio):
    top = 1.0 if under == "box" else 0.0
    xml = XML.format(dt=dt, cone=cone, impratio=impratio, under=UNDER[under], z=top + HALF)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qvel[0] = SPEED
    track = [(data.qpos[2], data.qpos[0])]
    for _ in range(int(2.0 / dt)):
        mujoco.mj_step(model, data)
        track.append((data.qpos[2], data.qpos[0]))
    return seen(*zip(*track))


def by_myriapod(under, dt, solver):
    builder = myriapod.ModelBuilder("slide")
    if under == "box":
        table = builder.body("table", joint="fixed", position=(0, 0, 0.5), mass=0)
        builder.geom(table, "box", size=(5, 5, 0.5), friction=MU)
    cube = builder.body("cube", joint="free", mass=1, inertia=(HALF * HALF * 2 / 3,) * 3 + (0,) * 3)
    builder.geom(cube, "box", size=(HALF,) * 3, friction=MU)
    top = 1.0 if under == "box" else 0.0
    batch = myriapod.Batch(builder.compile(), 1, dt=dt, solver=solver, precision="f64", task="none", tolerance=1e-10, max_sweeps=5000)
    state, speed = numpy.zeros((1, 7)), numpy.zeros((1, 6))
    state[0, :4] = -2, 0, top + HALF - 1e-6, 1
    speed[0, 0] = SPEED
    batch.q, batch.v = state, speed
    track = [(batch.q[0, 2], batch.q[0, 0])]
    for _ in range(int(2.0 / dt)):
        batch.step()
        track.append((batch.q[0, 2], batch.q[0, 0]))
    return seen(*zip(*track))


def main():
    engines = {"nsgs (hard)": lambda under, dt: by_myriapod(under, dt, "nsgs"),
               "admm-ccp (convex)": lambda under, dt: by_myriapod(under, dt, "admm-ccp"),
               "MuJoCo, pyramids (its default)": lambda under, dt: by_mujoco(under, dt, "pyramidal", 1),
               "MuJoCo, elliptic cones": lambda under, dt: by_mujoco(under, dt, "elliptic", 1),
               "MuJoCo, elliptic, impratio 100": lambda under, dt: by_mujoco(under, dt, "elliptic", 100)}
    print("| lift, slide | " + " | ".join(f"{under}, {1e3 * dt:g} ms" for under in UNDER for dt in STEP_SIZES) + " |")
    print("| --- |" + " --- |" * (len(UNDER) * len(STEP_SIZES)))
    for name, run in engines.items():
        cells = []
        for under in UNDER:
            for dt in STEP_SIZES:
                lift, way = run(under, dt)
                cells.append(f"{1e3 * lift:.3g} mm, {way:.3f} m")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
