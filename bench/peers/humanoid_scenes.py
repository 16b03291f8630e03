#!/usr/bin/env python3
"""The benchmark scenes of MuJoCo Warp on processor cores: the G1 that replays a dance, the humanoid that squats, and it under random controls.

    python bench/peers/humanoid_scenes.py FOLDER [--scenes g1,g1-stand] [--worlds 8192] [--seconds 5] [--after 0] [--threads 1,2] [--set KEY=VALUE ...]

FOLDER holds unitree_g1/scene_flat.xml, unitree_g1/shuffle_dance.npz and humanoid/humanoid.xml of google-deepmind/mujoco_warp (its folder benchmarks,
Apache-2.0). Runs where `myriapod` and `mujoco` are installed. Worlds differ by noise on where they start (--noise, 0.01 rad on joints). Both engines take the same
file, states, step (5 ms) and controls; MuJoCo its own defaults for the rest, by its own rollout, as the file is and again with contacts with the
ground alone.

A line for each: robot-steps/s (steps of 5 ms, controls every 20 ms), contacts per robot-step, and at the end who is upright (the root's z leans less than
45 degrees and it is higher than 60 % of where it started), and how deep the deepest contact is. `squat` is the phase of which MuJoCo Warp publishes its
humanoid: from the key of this name, controls of 0 and a hundredth of their range of noise; the robots sit down and stay. Its G1 has that noise, too,
on top of the dance, and none on where it starts. `humanoid` has controls of N(0, 1), and no published rate is of that. `g1-stand` is the G1 whose
actuators hold the dance's first frame; it topples within a second. --after: what is measured begins so many seconds later (the G1 lies after 3 s). The mean over all steps
counts, never a median: the few hard solves are the cost."""
import pathlib
import sys

import mujoco
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "agree"))
import mjcf_coverage
import mujoco_rolls
import myriapod

DT, EVERY = 0.005, 4
#: Steps/s of MuJoCo Warp by scene, on one RTX 6000 Ada, 8192 worlds, 1000 steps of 5 ms, with self-contact: google-deepmind/mujoco_warp, branch gh-pages at
#: 4b45e1a (22 August 2026), last lines of nightly/unitree_g1_flat.jsonl (2524705 at its commit 666969e, 12 August) and nightly/humanoid.jsonl (5672281 at
#: f76464f, 21 August). Their last ten entries: 2.52 to 2.53 M and 5.65 to 5.69 M. Its `ncon_mean`, 13.1 and 22.3, is not contacts but what has to
#: be allocated: the larger of contacts and pairs that pass the broad phase (mujoco_warp/testspeed.py). MuJoCo has about half as many contacts there.
PUBLISHED = {"g1": 2.52e6, "squat": 5.67e6}
NOISE, NOISE_TIME = 0.01, 0.1  # of controls in `squat`: share of half their range, and how long it lasts [s]
MUJOCO_WORLDS = 64  # it is slower; the rate per world does not depend on their number


def scene(folder, name, seconds, worlds, noise):
    """Path, states (worlds, nq), (nv,) and controls (frames, nu) or (worlds, frames, nu)."""
    draw = np.random.default_rng(1)
    if name in ("g1", "g1-stand"):
        dance = np.load(folder / "unitree_g1" / "shuffle_dance.npz")
        controls = dance["ctrl"].astype(np.float64)
        frames = round(seconds / (DT * EVERY))
        controls = controls[:1] if name == "g1-stand" else controls
        controls = np.tile(controls, (-(-frames // len(controls)), 1))[:frames]
        path, q0, v0 = folder / "unitree_g1" / "scene_flat.xml", dance["qpos"][0].astype(np.float64), dance["qvel"][0].astype(np.float64)
    else:
        path = folder / "humanoid" / "humanoid.xml"
        model = myriapod.Model(path)
        q0, v0 = model.home, np.zeros(model.nv)  # its first key, `squat`
        frames = round(seconds / (DT * EVERY))
        if name == "squat":  # the controls' range is -1 to 1
            rate = np.exp(-DT * EVERY / NOISE_TIME)
            controls = NOISE * np.sqrt(1 - rate * rate) * draw.uniform(-1, 1, (worlds, frames, model.nu))
            for k in range(1, frames):
                controls[:, k] += rate * controls[:, k - 1]
        else:
            controls = np.clip(draw.normal(0, 1, (worlds, frames, model.nu)), -1, 1)
    q = np.tile(q0, (worlds, 1))
    q[:, 7:] += draw.normal(0, noise, q[:, 7:].shape)
    return path, q, v0, controls


def upright(q, start):
    w, x, y, z = np.moveaxis(q[:, 3:7], 1, 0)
    return float(np.mean((w * w + z * z - x * x - y * y >= np.sqrt(0.5)) & (q[:, 2] > 0.6 * start)))


def ours(path, q, v, controls, before, threads, settings):
    model = myriapod.Model(path)
    batch = myriapod.Batch(model, len(q), task="none", dt=DT, decimation=EVERY, threads=threads, sense="contacts", **settings)
    batch.q, batch.v = q, np.tile(v, (len(q), 1))
    frames, depths = controls.shape[-2], []
    given = controls if controls.ndim == 3 else np.broadcast_to(controls, (len(q), *controls.shape))
    for k in range(frames):
        if k == before:
            batch.clear_stats()
            depths.clear()
        batch.control = given[:, k]
        batch.step(1)
        if k % 10 == 9:
            depths.append(np.asarray(batch.contact_depth).max(axis=1))
    stats, end = batch.stats(), np.asarray(batch.q)
    return {"engine": f"myriapod {batch.info.isa} f{8 * batch.info.precision} {batch.settings['solver']}", "rate": stats.robot_steps / stats.wall_s,
            "contacts": stats.contacts_mean, "not_converged": stats.not_converged / max(1, stats.active_steps), "residual_p99": stats.residual_ncp_p99,
            "upright": upright(end, q[0, 2]), "depth_p99": float(np.quantile(np.concatenate(depths), 0.99)), "quarantined": stats.quarantined,
            "height": float(np.median(end[:, 2]))}


def theirs(path, q, v, controls, before, threads, ground_alone):
    model = mjcf_coverage.read_into_mujoco(mujoco, path, "skip")  # what is left out weighs nothing and touches nothing
    model.opt.timestep = DT
    if ground_alone:
        on_world = model.geom_bodyid == 0
        model.geom_contype[on_world], model.geom_conaffinity[on_world] = 2, 0
        touches = (model.geom_contype | model.geom_conaffinity) != 0
        model.geom_contype[~on_world], model.geom_conaffinity[~on_world] = 0, np.where(touches[~on_world], 2, 0)
    n = min(len(q), MUJOCO_WORLDS * threads)
    given = controls[:n] if controls.ndim == 3 else np.broadcast_to(controls, (n, *controls.shape))
    out, rate = mujoco_rolls.rolled(model, mujoco_rolls.physics_states(model, q[:n], v), np.repeat(given, EVERY, axis=1), threads, EVERY * before)
    end, times = out[:, -1, 1:1 + model.nq], range(EVERY * 10 - 1, out.shape[1], EVERY * 10)
    contacts, depth = mujoco_rolls.contacts_in(model, out, range(0, n, 4), times)
    return {"engine": f"mujoco {mujoco.__version__} f64" + (", ground alone" if ground_alone else ""), "rate": rate, "contacts": contacts,
            "upright": upright(end, q[0, 2]), "depth_p99": depth, "height": float(np.median(end[:, 2]))}


def main():
    parser = mujoco_rolls.scene_flags(__doc__.splitlines()[0], "g1,squat,humanoid", 8192, 5.0, "1,2")
    parser.add_argument("--after", type=float, default=0.0, help="seconds of each world that are not measured, before those that are")
    parser.add_argument("--noise", type=float, default=0.01, help="on where joints start [rad]")
    args = parser.parse_args()
    settings, rows = dict(word.split("=", 1) for word in args.set), []
    for name in args.scenes.split(","):
        before = round(args.after / (DT * EVERY))
        path, q, v, controls = scene(args.folder, name, args.after + args.seconds, args.worlds, args.noise)
        print(f"{name}: {path.name}, {len(q)} worlds (MuJoCo {MUJOCO_WORLDS} a thread), {args.seconds:g} s in steps of {1e3 * DT:g} ms, after {args.after:g} s"
              + (f"; published, RTX 6000 Ada: {1e-6 * PUBLISHED[name]:.2f} M steps/s" if name in PUBLISHED else ""))
        print(mujoco_rolls.head("upright  height"))
        for threads in map(int, args.threads.split(",")):
            peers = [theirs(path, q, v, controls, before, threads, alone) for alone in (False, True)]
            for row in (ours(path, q, v, controls, before, threads, settings), *peers):
                row |= {"scene": name, "threads": threads, "ratio": row["rate"] / peers[1]["rate"]}
                rows.append(row)
                print(mujoco_rolls.line(row, f"{100 * row['upright']:5.1f} %  {row['height']:4.2f} m"))
    mujoco_rolls.write(args.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
