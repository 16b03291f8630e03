#!/usr/bin/env python3
"""Robots, balls and a cube on a hand after a fall: how deep they lie, what impacts do to energy, how high balls bounce, what fast balls pass.

    python bench/agree/landing.py MODELS [--envs 4] [--robots cube,go2]    MODELS: a folder with menagerie/ and gymnasium/

Runs where `myriapod` is installed; MuJoCo beside where that is, with its own defaults and the same time step. Limp (no task, motors without gains and torque), from a metre
above home, turning, default settings but the time step, two and a half seconds.

Robots: of the last tenth of a second the deepest contact of each robot and step, median and most [m]; what still moves faster than 1 cm/s or rad/s is left
out, `rest` counts the looks that are left; `moving`: the most of all. `gain` and `lost`: the work of all impulses of contacts and joints, of the steps in
which it adds energy and of those in which it takes some, summed, as shares of what the fall of a metre gives a robot (m g 1 m).
`allegro`: a cube of 6 cm that falls onto a hand of boxes with the sizes of an Allegro hand.
Balls: the first apex beside e^2 times the height [m]; how many of 64 pass a plate of 1 cm at 2.5 cm a step."""
import argparse
import pathlib
import warnings

import numpy as np

import myriapod

ROBOTS = {"cube": "cube", "anymal": "anymal", "go2": "menagerie/unitree_go2/go2.xml", "g1": "menagerie/unitree_g1/g1.xml", "ant": "gymnasium/ant.xml",
          "skydio": "menagerie/skydio_x2/x2.xml", "allegro": "<hand>"}
STEPS = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
GRAVITY, FALL_S = 9.81, 2.5
GROUND = '<geom type="plane" size="0 0 1"/>'


def hand():
    """A palm that looks up, three fingers and a thumb; each finger is four hinges, held by springs as soft as the hand's own."""
    links = ((0.0082, 0.0164, "0 0 1", "-0.47 0.47"), (0.027, 0.054, "0 1 0", "-0.196 1.61"), (0.0192, 0.0384, "0 1 0", "-0.174 1.709"),
             (0.008, 0.016, "0 1 0", "-0.227 1.618"))  # half length, length, axis, range

    def finger(place):
        text = ""
        for k, (half, length, axis, limits) in enumerate(links):
            text += f'<body pos="{f"0 0 {links[k - 1][1]}" if k else place}"><joint axis="{axis}" range="{limits}" damping="0.1" stiffness="1"/>' \
                    f'<geom type="box" size="0.0098 0.01375 {half}" pos="0 0 {half}" mass="0.04"/>'
        return text + '<geom type="capsule" size="0.012 0.01" pos="0 0 0.019" mass="0.02"/>' + "</body>" * len(links)
    fingers = "".join(finger(f"0 {y} 0.0475") for y in (0.0435, 0, -0.0435)) + finger("0.03 0.0435 -0.03")
    return (f'<mujoco><compiler angle="radian" autolimits="true"/><worldbody>{GROUND}<body name="palm" pos="0 0 0.3" quat="0.7071068 0 0.7071068 0">'
            f'<geom type="box" size="0.0204 0.0565 0.0475" mass="0.4"/>{fingers}</body><body name="cube" pos="0.02 0 0.36"><freejoint/>'
            '<geom type="box" size="0.03 0.03 0.03" mass="0.1"/></body></worldbody></mujoco>')


def quiet(call, *args, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **named)


def starts(home, nv, envs, last, joints):
    """Home, a metre higher, turning by up to 3 rad/s about each axis: the first floating body, or the last. Joints (q, lower, upper) within limits."""
    q, v = np.tile(np.asarray(home, float), (envs, 1)), np.zeros((envs, nv))
    for at, lower, upper in joints:
        q[:, at] = np.clip(q[:, at], lower, upper)
    at, rate = (len(home) - 5, nv - 3) if last else (2, 3)
    q[:, at] += 1
    v[:, rate:rate + 3] = 3 * np.sin(1 + np.arange(3) + 2 * np.arange(envs)[:, None])
    return q, v


def impulse_work(model, q, v, after, dt):
    """Of all impulses of a step, contacts' and joints': what it made of v without them, and what with them [J]. With e = 0 it is not above 0."""
    found = myriapod.evaluate(model, q, v, want=("M", "acceleration"))
    free = v + dt * found.acceleration
    return 0.5 * np.einsum("ni,nij,nj->n", after - free, found.M, after + free)


def ours(model, dt, envs, last):
    batch = quiet(myriapod.Batch, model, envs, dt=dt, task="none", threads=1, sense=("contacts",))
    joints = [(joint.q, joint.lower, joint.upper) for joint in model.joints if joint.lower <= joint.upper and joint.nq == 1]
    q, v = starts(batch.get("q")[0], batch.get("v").shape[1], envs, last, joints)
    batch.set("q", q), batch.set("v", v)
    for gain in ("kp", "kd", "torque"):
        batch.set(gain, 0 * np.asarray(batch.get(gain)))
    steps, looks, depths, every, gain, lost = int(FALL_S / dt), max(int(0.1 / dt), 5), [], 0.0, 0.0, 0.0
    fall = model.mass * GRAVITY * envs
    for step in range(steps):
        batch.step(1)
        after = np.array(batch.get("v"), float)
        work = impulse_work(model, q, v, after, dt)
        gain, lost = gain + work[work > 0].sum() / fall, lost - work[work < 0].sum() / fall
        q, v = np.array(batch.get("q"), float), after
        if step < steps - looks:
            continue
        depth = np.asarray(batch.get("contact_depth")).reshape(envs, -1).max(1)
        depths.extend(depth[np.abs(v).max(1) < 0.01])
        every = max(every, depth.max())
    batch.close()
    return f"{words(depths, every)} {gain:8.1e} {lost:6.2f}"


def without_meshes(mujoco, path):
    """The model without its meshes, as ours reads it here: nothing but what else collides, and its inertias."""
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH or geom.meshname:
            spec.delete(geom)
    for asset in [*spec.meshes, *spec.materials, *spec.textures]:
        spec.delete(asset)
    for geom in spec.geoms:
        geom.material = ""
    if not any(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.geoms):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    return spec.compile()


def mujocos(mujoco, model, dt, envs, last):
    model.opt.timestep, model.actuator_gainprm[:], model.actuator_biasprm[:] = dt, 0, 0
    depths, every, looks = [], 0.0, max(int(0.1 / dt), 5)
    joints = [(at, *limits) for at, limits, limited in zip(model.jnt_qposadr, model.jnt_range, model.jnt_limited) if limited]
    for env in range(envs):
        data = mujoco.MjData(model)
        q, v = starts(model.qpos0, model.nv, envs, last, joints)
        data.qpos[:], data.qvel[:] = q[env], v[env]
        for step in range(int(FALL_S / dt)):
            mujoco.mj_step(model, data)
            if step >= int(FALL_S / dt) - looks:
                deep = max([0.0, *(-c.dist for c in data.contact)])
                every = max(every, deep)
                if np.abs(data.qvel).max() < 0.01:
                    depths.append(deep)
    return words(depths, every)


def words(depths, every):
    """Median and most of what rests, how many looks, most of all."""
    rest = f"{np.median(depths):8.1e} {np.max(depths):8.1e} {len(depths):5}" if len(depths) else f"{'-':>8} {'-':>8} {0:5}"
    return f"{rest} {every:8.1e}"


def robots(args, mujoco):
    print(f"{'robot':8} {'dt / ms':>7}  {'p50':>8} {'most':>8} {'rest':>5} {'moving':>8} {'gain':>8} {'lost':>6}   MuJoCo: {'p50':>8} {'most':>8} {'rest':>5} "
          f"{'moving':>8}")
    for name in args.robots.split(","):
        source, last = ROBOTS[name], name == "allegro"
        path = args.models / source if source.endswith(".xml") else None
        if path and not path.exists():
            print(f"{name}: no {path}")
            continue
        model = quiet(myriapod.load, hand()) if last else quiet(myriapod.load, str(path), meshes="skip") if path else myriapod.load(name)
        peer = mujoco and (mujoco.MjModel.from_xml_string(hand()) if last else without_meshes(mujoco, path) if path else None)
        for dt in STEPS:
            beside = mujocos(mujoco, peer, dt, 2, last) if peer else ""
            print(f"{name:8} {1e3 * dt:7g}  {ours(model, dt, args.envs, last)}           {beside}", flush=True)


def balls(mujoco):
    """Apexes after a fall of half a metre and a bit, and balls at 2.5 cm a step over a plate of 1 cm."""
    radius, envs = 0.1, 64
    ball = f'<body pos="0 0 {radius}"><freejoint/><geom type="sphere" size="{radius}" mass="1"/></body>'
    model = quiet(myriapod.load, f"<mujoco><worldbody>{GROUND}{ball}</worldbody></mujoco>")
    plate_text = f'<mujoco><worldbody><geom type="box" size="1 1 0.005" pos="0 0 0.5"/>{ball.replace(f"0 0 {radius}", "0 0 1")}</worldbody></mujoco>'
    plate = quiet(myriapod.load, plate_text)
    print(f"\n{'dt / ms':>7}  {'apex error e=0':>14} {'e=0.5':>9} {'e=1':>9}   {'balls through the plate':>23}   MuJoCo: through")
    for dt in STEPS:
        errors = []
        for e in (0, 0.5, 1):
            with quiet(myriapod.Batch, model, envs, dt=dt, task="none", threads=1, restitution=e, restitution_speed=0.01, precision="f64") as batch:
                q = np.array(batch.get("q"), float)
                height = 0.5 + 0.003 * np.arange(envs) / 4
                q[:, 2] = radius + height
                batch.set("q", q)
                top, turned = np.zeros(envs), np.zeros(envs, int)
                last = np.zeros(envs)
                for _ in range(int(0.9 / dt)):
                    batch.step(1)
                    z, rate = np.asarray(batch.get("q"))[:, 2], np.asarray(batch.get("v"))[:, 2]
                    turned += (last < -0.5) & (rate > last + 0.5)
                    top, last = np.where(turned == 1, np.maximum(top, z - radius), top), rate.copy()
                errors.append(np.abs(top - e * e * height).max())
        start, speed = 0.505 + radius + 0.02 + 0.0005 * np.arange(envs), -0.025 / dt
        with quiet(myriapod.Batch, plate, envs, dt=dt, task="none", threads=1, speed_limit=1e4) as batch:
            q, v = np.array(batch.get("q"), float), np.zeros((envs, 6))
            q[:, 2], v[:, 2] = start, speed
            batch.set("q", q), batch.set("v", v)
            batch.step(20)
            through = int((np.asarray(batch.get("q"))[:, 2] < 0.5).sum())
        beside = ""
        if mujoco:
            peer = mujoco.MjModel.from_xml_string(plate_text)
            peer.opt.timestep = dt
            passed = 0
            for z in start:
                data = mujoco.MjData(peer)
                data.qpos[2], data.qvel[2] = z, speed
                mujoco.mj_step(peer, data, 20)
                passed += data.qpos[2] < 0.5
            beside = f"{passed} of {envs}"
        print(f"{1e3 * dt:7g}  {errors[0]:14.1e} {errors[1]:9.1e} {errors[2]:9.1e}   {through:>15} of {envs}   {beside:>15}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--envs", type=int, default=4)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    args = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        mujoco = None
    robots(args, mujoco)
    balls(mujoco)


if __name__ == "__main__":
    main()
