"""Le Lidec 2024, what is simulated: a cube dragged over the ground, a pushed quadruped, a pushed humanoid, a ball dropped in
a hand. Talos and the Allegro hand are those of example-robot-data (pip install example-robot-data), where that is installed or $EXAMPLE_ROBOT_DATA
names its folder of robots; else a biped on flat feet and a hand of capsules stand in."""
import os
import pathlib
import warnings

import myriapod
import numpy as np

MU, G0 = 0.4, 9.81
SUNK = 1e-6  # [m], so that no contact of a cube at rest waits for rounding
SOLVERS = ("bisection", "nsgs", "pgs-lelidec", "pgs-lcp", "pgs-ccp", "prox", "staggered", "admm-ccp", "admm-ncp", "newton-diag", "newton-compliant")
NAMES = {"pgs-lelidec": "NCP (pgs-lelidec)", "nsgs": "NCP (nsgs)", "admm-ncp": "NCP (admm-ncp)", "bisection": "RaiSim (bisection)", "admm-ccp": "CCP (admm-ccp)",
         "pgs-ccp": "CCP (pgs-ccp)", "pgs-lcp": "LCP (pgs-lcp)", "prox": "NCP (prox)", "staggered": "NCP (staggered)", "newton-diag": "MuJoCo (newton-diag)",
         "newton-compliant": "Drake (newton-compliant)"}


def cube(solver, dt, envs=1, tolerance=1e-9, friction=MU, **more):
    """1 kg, edge 0.2 m, at rest on the ground."""
    batch = myriapod.Batch("cube", envs, solver=solver, dt=dt, tolerance=tolerance, max_sweeps=10000, precision="f64", landing=0, friction=friction, threads=1, task="none", **more)
    q = batch.q.copy()
    q[:, 2] -= SUNK
    batch.set("q", q)
    return batch


def slide(solver, dt, velocities, seconds, **more):
    """A cube per row of `velocities` (n, 2) [m/s] let go on the ground: times, positions (steps, n, 3), velocities (steps, n, 3)."""
    n = len(velocities)
    with cube(solver, dt, n, **more) as batch:
        v = np.zeros((n, 6))
        v[:, :2] = velocities
        batch.set("v", v)
        steps = round(seconds / dt)
        states = batch.rollout(nsteps=steps, state_out=np.empty((n, steps, 13)))
    return dt * np.arange(1, steps + 1), states[:, :, :3].transpose(1, 0, 2), states[:, :, 7:10].transpose(1, 0, 2)


def drag(solver, dt, rate, seconds, keep=1, **more):
    """A force rate * t [N] along x at the centre: times, positions, velocities, impulses of the corners [N s] of every keep-th step."""
    times, positions, velocities, impulses = [], [], [], []
    with cube(solver, dt, **more) as batch:
        wrench = np.zeros((1, 1, 6))
        for step in range(round(seconds / dt)):
            wrench[0, 0, 0] = rate * step * dt
            batch.set("wrench", wrench)
            batch.step()
            if (step + 1) % keep == 0:
                times.append((step + 1) * dt)
                positions.append(batch.q[0, :3].copy())
                velocities.append(batch.v[0].copy())
                impulses.append(batch.impulse[0].copy())
    return np.array(times), np.array(positions), np.array(velocities), np.array(impulses)


def box_inertia(mass, x, y, z):
    return mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y, 0, 0, 0])


def biped():
    """90 kg on two flat feet, six hinges a leg, knees a little bent: in Talos' place where that is missing. Eight contacts on 18 dof."""
    builder = myriapod.ModelBuilder("biped")
    lean = 0.2  # of the thigh, forward, and of the shin, back
    trunk = builder.body("trunk", joint="free", mass=48, com=(0, 0, 0.25), inertia=box_inertia(48, 0.25, 0.4, 0.7))
    for side, y in (("left", 0.1), ("right", -0.1)):
        parent, at = trunk, (0, y, 0)
        turn = {"yaw": (0, 0, 1), "roll": (1, 0, 0), "pitch": (0, 1, 0)}
        for joint, mass, down, tilt in (("yaw", 2, 0, 0), ("roll", 2, 0, 0), ("pitch", 8, 0.4, -lean), ("knee", 6, 0.4, 2 * lean), ("ankle", 1, 0, -lean), ("foot", 2, 0.1, 0)):
            size = (0.2, 0.12, 0.04) if joint == "foot" else (0.1, 0.1, max(down, 0.1))
            parent = builder.body(f"{side}-{joint}", parent, axis=turn.get(joint, turn["roll" if joint == "foot" else "pitch"]), position=at,
                                  quaternion=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0), mass=mass, com=(0, 0, -down / 2), inertia=box_inertia(mass, *size), armature=0.01)
            at = (0, 0, -down)
        builder.geom(parent, "box", (0.1, 0.06, 0.02), position=(0.03, 0, -0.08))
    builder.home(trunk, (0, 0, 0.8 * np.cos(lean) + 0.1 - SUNK))
    return builder.compile()


def example(folder, below, name):
    """A file of example-robot-data; None: it is not here."""
    given = os.environ.get("EXAMPLE_ROBOT_DATA")
    if given and (path := pathlib.Path(given) / folder / below / f"{name}.urdf").exists():
        return str(path)
    try:
        return myriapod.known.find(f"example-robot-data:{folder}/{name}")
    except myriapod.Error:
        return None


TALOS, ALLEGRO = example("talos_data", "robots", "talos_reduced"), example("allegro_hand_description", "urdf", "allegro_right_hand")
HUMANOID, HAND = "Talos" if TALOS else "biped", "ball in Allegro" if ALLEGRO else "ball in a hand"
# half_sitting of its SRDF [rad]
HALF_SITTING = {"leg_{}_3_joint": -0.411354, "leg_{}_4_joint": 0.859395, "leg_{}_5_joint": -0.448041, "leg_{}_6_joint": -0.001708, "arm_{}_4_joint": -0.525366,
                "arm_{}_7_joint": 0.1}
MIRRORED = {"arm_{}_1_joint": 0.25847, "arm_{}_2_joint": 0.173046, "arm_{}_3_joint": -0.0002}


def talos():
    """90 kg, 32 hinges, in half_sitting, its lower sole on the ground; shapes are hulls of its meshes."""
    folders = [str(parent) for parent in pathlib.Path(TALOS).parents[2:5]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", myriapod.ModelWarning)
        model = myriapod.Model(TALOS, mesh_path=folders)
        home = model.home.copy()
        for side, sign in (("left", 1), ("right", -1)):
            for name, angle in [*HALF_SITTING.items(), *((n, sign * a) for n, a in MIRRORED.items())]:
                home[model.joint(name.format(side)).q] = angle
        home[model.joint("torso_2_joint").q] = 0.006761
        home[2] -= myriapod.Model(TALOS, mesh_path=folders, home=home)._info.lowest_m + SUNK
        return myriapod.Model(TALOS, mesh_path=folders, home=home)


def ball_in_allegro():
    """The hand of boxes and round finger tips, palm up, fingers a little bent, and over their roots a ball of 7 cm and 100 g."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", myriapod.ModelWarning)
        hand = myriapod.Model(ALLEGRO, root="fixed", home=BENT)
        builder = myriapod.ModelBuilder("ball in Allegro")
        builder.add_model(hand, position=(0, 0, 0.5), quaternion=(np.sqrt(0.5), 0, -np.sqrt(0.5), 0))
        ball = builder.body("ball", joint="free", mass=0.1, inertia=(*[0.4 * 0.1 * 0.035**2] * 3, 0, 0, 0))
        builder.geom(ball, "sphere", (0.035,))
        builder.home(ball, (-0.03, 0.01, 0.57))
        return builder.compile()


BENT = np.tile([0.0, 0.6, 0.6, 0.6], 4)
BENT[12:] = (0.9, 0.3, 0.3, 0.3)  # the thumb
CONTACTS_ALONE = {"joint-friction": "off", "joint-limits": "off"}  # a robot's own dry friction would be rows of the problem
# Name: model, settings, gains (kp, kd; None: the task's), force of the push [N]
ROBOTS = {"Solo-12": ("solo12", {"task": "stand"}, None, 10.0),
          HUMANOID: (talos if TALOS else biped, {"task": "none", **CONTACTS_ALONE}, (3000.0, 30.0), 80.0),
          HAND: (ball_in_allegro, {"task": "none", **CONTACTS_ALONE}, (1.0, 0.05), 0.0) if ALLEGRO else ("hand-ball", {"task": "none"}, None, 0.0)}


def robot(name, envs=1, ground=None, **settings):
    """A batch of one of ROBOTS, friction 0.9, and the force that pushes it. ground: a map under it, instead of the plane."""
    model, own, gains, force = ROBOTS[name]
    model = model() if callable(model) else myriapod.Model(model)
    batch = myriapod.Batch(model.on(ground) if ground else model, envs, precision="f64", landing=0, threads=1, max_sweeps=10000, friction=0.9, **own, **settings)
    if gains:
        batch.kp, batch.kd = gains
    return batch, force


def push(batch, force, t, direction=None):
    """At the root: along `direction`, or turning as in the authors' code."""
    wrench = np.zeros((batch.envs, batch.model.n_bodies, 6))
    wrench[:, 0, :3] = force * (np.sin(2 * t + np.arange(3)) if direction is None else np.asarray(direction))
    batch.set("wrench", wrench)


def recorded(name, seconds):
    """The contact problem of a robot that has been pushed for so long."""
    batch, force = robot(name, solver="nsgs", tolerance=1e-9)
    with batch:
        for step in range(round(seconds / 1e-3)):
            push(batch, force, step * 1e-3)
            batch.step()
        return batch.problems()[0]
