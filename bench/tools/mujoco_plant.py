"""A task whose robots are MuJoCo's: this library observes, draws commands and keeps the task's memories, MuJoCo moves the robots. For sim_to_sim.py and
humanoid_gate.py. Of each robot's file all is as MuJoCo reads it, but that gains are the task's, and that only what the task lets touch does touch the floor.

    plant = Plant(policy, "g1-legs", 100, dt=0.0025)
    plant.step(policy)                  # a control step; then plant.q, plant.v, plant.action, plant.fallen"""
import fnmatch
import os
import pathlib
import sys
import tempfile

import mujoco
import mujoco.rollout
import numpy as np

import mujoco_model
from myriapod.envs.tasks import get_task
from myriapod.envs.trained import trained_task
from myriapod.settings import alike

sys.path.append(os.getcwd())  # where `python -m` looks, too, for the module of a task of one's own


def file_of(source):
    """The file of a robot that ships, or the one that was named."""
    robots = pathlib.Path(__file__).resolve().parents[2] / "robots"
    for path in (pathlib.Path(source), robots / f"{source}.xml", robots / f"{source}.urdf"):
        if path.suffix in (".xml", ".urdf") and path.is_file():
            return path
    raise FileNotFoundError(f"no file of the robot {source!r}")


def peer(core, dt, solref, cone, iterations, feet=None):
    """MuJoCo's model of the task's robot, on its ground. feet: of a task without a name."""
    model, kp, kd = core.model, core.batch.get("kp")[0], core.batch.get("kd")[0]
    path = file_of(model.made_of)
    if path.suffix == ".urdf":
        facts = {"home": model.home, "kp": kp.tolist(), "kd": kd.tolist(), "effort": [j.effort_limit for j in model.joints if j.u >= 0]}
        spec = mujoco.MjSpec.from_string(mujoco_model.mjcf(path, facts, dt, cone, True, True))
        floor = spec.geom("ground")
    else:
        spec = mujoco.MjSpec.from_file(str(path))
        feet = get_task(core.task).feet if feet is None else feet
        for geom in spec.geoms:
            seen = geom.contype == geom.conaffinity == 0  # and never touches
            touches = not seen and (not feet or any(fnmatch.fnmatch(geom.name, pattern) for pattern in feet))
            geom.contype, geom.conaffinity = (0, 1) if touches else (0, 0)
        for actuator, stiff, damp in zip(spec.actuators, kp, kd):
            if stiff > 0:
                actuator.gainprm[0], actuator.biasprm[1], actuator.biasprm[2] = stiff, -stiff, -damp
        floor = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=1, conaffinity=0, condim=3)
    ground_map = core.batch.model.terrain  # a task's setting may have made it
    if ground_map is not None:
        with tempfile.TemporaryDirectory() as folder:
            ground_map.export_mjcf(f"{folder}/ground.xml")
            ground = mujoco.MjSpec.from_file(f"{folder}/ground.xml")
            for geom in ground.geoms:
                geom.contype, geom.conaffinity, geom.friction = 1, 0, floor.friction
            spec.attach(ground, prefix="ground-", frame=spec.worldbody.add_frame())
            spec.delete(floor)
            made = spec.compile()
    else:
        made = spec.compile()
    made.opt.timestep, made.opt.cone, made.opt.iterations = dt, {"elliptic": 1, "pyramidal": 0}[cone], iterations
    made.opt.integrator, made.opt.solver = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtSolver.mjSOL_NEWTON
    if solref is not None:
        made.geom_solref[:, 0] = solref
    return made


def own(core, dt, cone, iterations):
    """MuJoCo's model of the task's robot, which is an MJCF, with the file's own contacts and gains."""
    model = mujoco.MjModel.from_xml_path(str(file_of(core.model.made_of)))
    model.opt.timestep, model.opt.cone, model.opt.iterations = dt, getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}"), iterations
    return model


def places(ours, theirs):
    """Number k of our q, and of our v, is this one of MuJoCo's."""
    frees = iter([theirs.joint(k) for k in range(theirs.njnt) if theirs.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE])  # by their order: a URDF's has no name
    joints = [(next(frees), 7, 6) if j.type == "free" else (theirs.joint(j.name), 1, 1) for j in ours.joints]
    return (np.array([m.qposadr[0] + i for m, nq, _ in joints for i in range(nq)]), np.array([m.dofadr[0] + i for m, _, nv in joints for i in range(nv)]))


class Plant:
    """`robots` of a policy's task, in MuJoCo, or with engine="myriapod" here. push: up to so many m/s along x and y, each robot after push_interval at a time of its own."""

    def __init__(self, policy, task, robots, *, dt=0.0025, solref=None, cone="pyramidal", iterations=100, push=0.0, push_interval=10.0, seed=1, threads=2,
                 engine="mujoco", robot=None, **settings):
        self.policy = policy
        self.core = trained_task(policy, task, robots, autoreset="disabled", seed=seed, robot=robot, threads=threads,
                                 **{**alike(), "push_speed": 0, "episode": 0, **settings})  # MuJoCo's robots are alike; no time ends an episode: it would act no more
        self.here = engine == "myriapod"
        self.random, self.push = np.random.default_rng(seed), push
        self.every = max(round(push_interval / self.core.dt), 1)
        self.due = self.random.integers(0, self.every, robots)
        self.clock, self.fallen = 0, np.zeros(robots, bool)
        self.q, self.v = (np.array(self.core.batch.get(name), np.float64) for name in ("q", "v"))
        self.action = np.zeros((robots, self.core.num_actions), np.float32)
        self.at = self._where()
        if not self.here:
            self._make_peer(dt, solref, cone, iterations, threads)

    def _where(self):
        """(robots, 3) where on the map of MuJoCo each robot's x = y = z = 0 is [m]."""
        batch = self.core.batch
        return np.array(batch.get("ground_at") if "ground_at" in batch.fields else np.zeros((batch.envs, 3)), np.float64)

    def _make_peer(self, dt, solref, cone, iterations, threads):
        self.model = peer(self.core, dt, solref, cone, iterations)
        self.substeps = round(self.core.dt / dt)
        if abs(self.substeps * dt - self.core.dt) > 1e-9:
            raise ValueError(f"a control step of {self.core.dt:g} s is not a whole number of steps of {dt:g} s")
        self.states = np.zeros((len(self.q), mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        self.datas = [mujoco.MjData(self.model) for _ in range(threads)]
        self.roll = mujoco.rollout.Rollout(nthread=threads)
        self.q_of, self.v_of = places(self.core.model, self.model)
        self._give()

    def _give(self):
        if self.here:
            return
        n = self.model.nq
        self.states[:, 1 + self.q_of], self.states[:, 1 + n + self.v_of] = self.q, self.v
        self.states[:, 1:4] += self.at

    def place(self, ids, q, v):
        """Put robots somewhere, in episodes that begin there; they count as standing."""
        self.core.reset(ids)
        self.at = self._where()  # a curriculum may have moved them
        self.q[ids], self.v[ids], self.fallen[ids] = q, v, False
        self._give()
        self._show()

    def _show(self):
        self.core.batch.set("q", self.q.astype(np.float32))
        self.core.batch.set("v", self.v.astype(np.float32))

    def step(self, policy):
        """A control step. `fallen` grows by those that the task would end, or MuJoCo has lost."""
        self.command = np.array(self.core.command if "command" in self.core.batch.fields else np.zeros(3), np.float64)  # of this control step
        self.action = policy(self.core.observe())
        self.fallen |= self.core.act(self.action).terminated  # in our own next step from MuJoCo's state
        if self.here:
            self.q, self.v = (np.array(self.core.batch.get(name), np.float64) for name in ("q", "v"))
        else:
            self._move(np.asarray(self.core.batch.target, np.float64))
        self.clock += 1
        if self.push > 0:
            pushed = (self.clock + self.due) % self.every == 0
            self.v[pushed, :2] += self.random.uniform(-self.push, self.push, (int(pushed.sum()), 2))
            self._give()
        if not self.here or self.push > 0:
            self._show()

    def _move(self, target):
        """A control step of MuJoCo's."""
        out, _ = self.roll.rollout(self.model, self.datas, self.states, np.repeat(target[:, None], self.substeps, axis=1))
        self.states, n = out[:, -1].copy(), self.model.nq
        lost = ~np.isfinite(self.states).all(1)
        self.states[lost] = 0
        self.states[lost, 4], self.fallen = 1, self.fallen | lost
        self.q, self.v = self.states[:, 1 + self.q_of], self.states[:, 1 + n + self.v_of]
        self.q[:, :3] -= self.at
