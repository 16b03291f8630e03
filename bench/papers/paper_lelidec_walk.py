"""Le Lidec 2024, a walking quadruped: Fig. 18 (flat ground, friction 0.9), Fig. 19 (bumpy ground, friction 0.3), and what bumps do without the slip."""
import functools
from typing import NamedTuple

import myriapod
import numpy as np

from paper_lelidec_ground import bumpy, places
from paper_lelidec_robots import NAMES

WALKERS = ("pgs-lelidec", "nsgs", "bisection", "admm-ccp", "admm-ncp")
NCP = ("pgs-lelidec", "nsgs", "admm-ncp")
PERIOD, LIFT, CONTROL, DT = 0.2, 0.1, 10, 1e-3  # of the trot [s]; of a swinging foot [m], as high as bumps; steps that a target holds; [s]
KP, KD = 10.0, 0.2
SPEED, LEARN, MOST = 0.2, 0.1, 0.08  # wanted [m/s]; how fast the stride follows what is missing [m/s per m/s]; its limit [m]
PHASE = np.array([0, np.pi, np.pi, 0])  # diagonal pairs
LEG = 0.16  # thigh, and shin [m]
CYCLE = round(PERIOD / (CONTROL * DT))
TOLERANCE, SECONDS = 1e-6, 6.0


def trot(time, stride, home):
    """PD targets (n, 12) of a trot: below its hip a foot goes back on the ground by 2 stride, and forward through the air."""
    phase = 2 * np.pi * time / PERIOD + PHASE
    abduction, hip, knee = home.reshape(4, 3).T
    x = -LEG * (np.sin(hip) + np.sin(hip + knee)) - stride[:, None] * np.cos(phase)
    z = -LEG * (np.cos(hip) + np.cos(hip + knee)) + LIFT * np.maximum(0, np.sin(phase))
    half = np.sign(knee) * np.arccos(np.minimum(np.hypot(x, z) / (2 * LEG), 1))
    return np.stack([np.broadcast_to(abduction, x.shape), np.arctan2(-x, -z) - half, 2 * half], -1).reshape(-1, 12)


def forward(q, v):
    """Velocities along the headings [m/s]."""
    w, x, y, z = q[:, 3:7].T
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return v[:, 0] * np.cos(yaw) + v[:, 1] * np.sin(yaw)


class Trotters:
    """A batch of Solo-12s whose stride follows the velocity, in the place of the paper's MPC."""

    def __init__(self, solver, friction, robots, rough, reach=3.5, **more):
        model, self.ground = myriapod.Model("solo12"), bumpy() if rough else None
        self.batch = myriapod.Batch(model.on(self.ground) if rough else model, robots, task="none", kp=KP, kd=KD, friction=friction, solver=solver,
                                    tolerance=TOLERANCE, max_sweeps=10000, dt=DT, precision="f64", landing=0, threads=1, **more)
        if rough:
            self.batch.ground_at = places(self.ground, robots, reach)
        self.home, self.stride, self.velocities = self.batch.model.home[7:].copy(), np.full(robots, 0.01), []

    def walk(self, each_step=lambda: None):
        """For one control step."""
        self.batch.target = trot((len(self.velocities) + 1) * CONTROL * DT, self.stride, self.home)
        for _ in range(CONTROL):
            self.batch.step()
            each_step()
        self.velocities.append(forward(self.batch.q, self.batch.v))
        if len(self.velocities) >= CYCLE:
            self.stride = np.clip(self.stride + LEARN * (SPEED - np.mean(self.velocities[-CYCLE:], 0)) * CONTROL * DT, 0, MOST)

    def height(self):
        """Of the bases over the ground below them [m]."""
        q = self.batch.q
        return q[:, 2] - (self.ground.height(q[:, :2] + self.batch.ground_at[:, :2]) - self.batch.ground_at[:, 2] if self.ground else 0.0)

    def fallen(self):
        """How many lie on their side or back."""
        q = self.batch.q
        return int((1 - 2 * (q[:, 4]**2 + q[:, 5]**2) < 0.5).sum())


class Walk(NamedTuple):
    """What a walk leaves: by control steps and robots, and by steps and robots of its second half."""

    times: np.ndarray  #: (frames,) [s]
    velocity: np.ndarray  #: (frames, robots) of the base along its heading [m/s]
    broken: np.ndarray  #: (frames, robots) largest violation of the full law in a control step [N s, m/s]
    late: np.ndarray  #: (steps, robots) violation of the full law
    touching: np.ndarray  #: (steps, robots) has a contact that pushes
    sliding: np.ndarray  #: (steps, robots) has one that slides
    open: np.ndarray  #: (steps, robots) the solve did not converge
    fallen: int  #: robots that lie on their side or back at the end
    height: float  #: of the base over the ground at the end, mean [m]
    stats: object


@functools.cache
def walk(solver, friction, robots, rough=False, **more):
    """On flat ground robots are alike, on bumps each has its place."""
    frames = round(SECONDS / (CONTROL * DT))
    trotters = Trotters(solver, friction, robots, rough, **more)
    broken, late, touching, sliding, left = np.zeros((frames, robots)), [], [], [], []
    with trotters.batch as batch:
        def look():
            frame = len(trotters.velocities)
            violation = batch.residual_ncp
            broken[frame] = np.maximum(broken[frame], violation)
            if frame >= frames // 2:
                push, pull = batch.impulse[:, :, 2], np.hypot(*batch.impulse[:, :, :2].transpose(2, 0, 1))
                late.append(violation)
                touching.append((push > 0).any(1))
                sliding.append(((push > 0) & (pull > 0.999 * friction * push)).any(1))
                left.append(batch.residual > TOLERANCE)

        for _ in range(frames):
            trotters.walk(look)
        return Walk(CONTROL * DT * np.arange(1, frames + 1), np.array(trotters.velocities), broken, np.array(late), np.array(touching), np.array(sliding), np.array(left),
                    trotters.fallen(), float(trotters.height().mean()), batch.stats())


def speed_of(walked):
    """Mean of the second half [m/s], and its standard error over robots."""
    each = walked.velocity[len(walked.velocity) // 2:].mean(0)
    return each.mean(), each.std() / np.sqrt(len(each))


def smooth(values, n):
    return np.apply_along_axis(np.convolve, 0, values, np.ones(n) / n, mode="valid")


def parted(one, other, by=0.05):
    """When the velocities of half of the robots, means of a period, differ by more than `by` m/s between two walks [s]."""
    apart = np.abs(smooth(one.velocity, CYCLE) - smooth(other.velocity, CYCLE)) > by
    first = np.where(apart.any(0), apart.argmax(0), len(apart))
    at = int(np.median(first))
    return float(one.times[min(at + CYCLE - 1, len(one.times) - 1)])


def tell(report, walks):
    for solver, w in walks.items():
        (speed, error), (half, most) = speed_of(w), np.quantile(w.late, (0.5, 0.99))
        s = w.stats
        spread = f" +- {error:.4f}" if error > 1e-12 else ""
        report.say(f"  {NAMES[solver]:20} {speed:.4f}{spread} m/s, base {w.height:.3f} m high, {w.fallen} fell; law broken by {half:.0e} (p50), {most:.0e} (p99), {w.late.max():.0e} "
                   f"(most); {w.sliding.mean():.0%} of the steps slide; {s.iterations_mean:.1f} iterations, {s.stage_ns['solve']:.0f} ns per step; "
                   f"{s.not_converged} of {s.active_steps} solves not converged")


def picture():
    """Four robots on the bumps, after two seconds."""
    from myriapod.view.live import SENSE, BatchSource
    from myriapod.view.offscreen import Studio

    trotters = Trotters("nsgs", 0.3, 4, True, reach=0.5, sense=SENSE)
    with trotters.batch as batch:
        for _ in range(200):
            trotters.walk()
        return Studio(BatchSource(batch), np.arange(4), 880, 720).picture()


def curves(axes, walks):
    """Velocities and violations over time; rows of the table."""
    rows = []
    for solver, w in walks.items():
        mean, most = smooth(w.velocity, CYCLE), np.quantile(w.broken, 0.9, axis=1)
        axes[0].plot(w.times[CYCLE - 1:], mean.mean(1), label=NAMES[solver], lw=0.9)
        axes[1].semilogy(w.times, np.maximum(most, 1e-12), lw=0.7)
        rows += [[solver, t, v.mean(), v.std(), b] for t, v, b in zip(w.times, w.velocity, most)]
    axes[0].axhline(SPEED, color="k", lw=0.6)
    axes[0].set(xlabel="t [s]", ylabel="velocity forward, mean of a period [m/s]")
    axes[1].set(xlabel="t [s]", ylabel="violation of the full law [N s, m/s]")
    axes[0].legend(fontsize=7)
    return rows


def costs(axis, walks_by_label):
    for k, (label, walks) in enumerate(walks_by_label.items()):
        width = 0.8 / len(walks_by_label)
        axis.barh(np.arange(len(walks)) + width * k, [w.stats.stage_ns["solve"] for w in walks.values()], 0.95 * width, label=label)
    axis.set(yticks=np.arange(len(walks)) + 0.4 - width / 2, yticklabels=walks, ylim=(-0.5, len(walks) + 0.6), xscale="log", xlim=(10, None), xlabel="ns per robot-step in the solver")
    axis.xaxis.set_minor_formatter("")
    axis.legend(fontsize=7, loc="upper right", ncol=2)


HEADER = ["solver", "t_s", "velocity_ms", "velocity_sd_ms", "residual_ncp_p90"]


def flat(report):
    walks = {solver: walk(solver, 0.9, 8) for solver in WALKERS}
    tell(report, walks)
    figure, axes = report.plots(3, f"Le Lidec 2024 Fig. 18: Solo-12 trots on flat ground, friction 0.9, tolerance {TOLERANCE:g}", width=4.4)
    report.table("fig18", HEADER, curves(axes, walks))
    costs(axes[2], {"flat, friction 0.9": walks})
    report.save("fig18", figure)
    speeds = {s: speed_of(w)[0] for s, w in walks.items()}
    most = {s: w.broken.max() for s, w in walks.items()}
    report.claim(max(abs(v - SPEED) for v in speeds.values()) < 0.05 * SPEED, f"\"the target velocity .. is similarly reached .. with the different simulators\", {SPEED:g} m/s: " +
                 ", ".join(f"{NAMES[s]} {v:.4f} m/s" for s, v in speeds.items()))
    report.claim(max(most[s] for s in NCP) < 1e-5 < min(most["bisection"], most["admm-ccp"]),
                 "\"they do not equally respect the contact complementarity criterion\": NCP keeps it, RaiSim and CCP do not: at most " + ", ".join(f"{NAMES[s]} {m:.0e}" for s, m in most.items()))
    report.claim(max(w.sliding.mean() for w in walks.values()) < 0.2 and max(np.quantile(w.late, 0.5) for w in walks.values()) < 1e-5,
                 "\"the contacts are mainly sticking, leading to low violation\": a contact slides in " + ", ".join(f"{w.sliding.mean():.1%}" for w in walks.values()) + " of the steps")
    report.say("  the paper: \"per-contact approaches, e.g. PGS and RaiSim, are more efficient\"; here " + ", ".join(f"{s} {w.stats.stage_ns['solve']:.0f} ns" for s, w in walks.items()))


def ours(report, friction, robots):
    """The library's own solver on the bumps, which is in no paper."""
    s = walk("hybrid", friction, robots, True).stats
    report.claim(s.not_converged == 0, f"not in the paper: every solve of `hybrid`, the library's own, converges; {s.iterations_mean:.1f} iterations, {s.stage_ns['solve']:.0f} ns, {s.active_steps} solves")


def bumps(report):
    robots = 64 if report.quick else 400
    walks, even = {s: walk(s, 0.3, robots, True) for s in WALKERS}, {s: walk(s, 0.9, 8) for s in WALKERS}
    tell(report, walks)
    figure, axes = report.plots(4, f"Le Lidec 2024 Fig. 19: Solo-12 trots on bumps of 0.1 m, friction 0.3, tolerance {TOLERANCE:g}; {robots} robots, each at its own place", width=4.4)
    axes[0].imshow(picture())
    axes[0].axis("off")
    report.table("fig19", HEADER, curves(axes[1:], walks))
    axes[1].set_title("mean of the robots", fontsize=9)
    axes[2].set_title("90 % of the robots are below", fontsize=9)
    costs(axes[3], {"bumps, friction 0.3": walks, "flat, friction 0.9": even})
    report.save("fig19", figure)

    exact = walks["nsgs"]
    after = {s: parted(w, exact) for s, w in walks.items() if s != "nsgs"}
    report.claim(max(after["bisection"], after["admm-ccp"]) < min(after[s] for s in after if s in NCP), "\"the tracked velocity of the base quickly differs depending on the used simulator\": from "
                 "nsgs at the same place half of the robots are 0.05 m/s off after " + ", ".join(f"{NAMES[s]} {t:.2f} s" for s, t in after.items()) +
                 "; NCP solvers part too, as the walk is chaotic, but later")
    speeds = {s: speed_of(w) for s, w in walks.items()}
    paired = {s: speed_of(Walk(exact.times, w.velocity - exact.velocity, *[None] * 8)) for s, w in walks.items() if s != "nsgs"}
    report.differs(all(abs(d) < 3 * e for d, e in paired.values()), "\"the locomotion velocity generated from the RaiSim and CCP models significantly deviates from the NCP one\": robot by robot it does, "
                   f"on the mean over {robots} places no model differs from nsgs ({speeds['nsgs'][0]:.4f} m/s) by three standard errors: " +
                   ", ".join(f"{NAMES[s]} {d:+.4f} +- {e:.4f} m/s" for s, (d, e) in paired.items()))
    slip = {s: (np.quantile(w.late[w.sliding], 0.5), np.quantile(w.late[w.touching & ~w.sliding], 0.5)) for s, w in walks.items()}
    report.claim(all(slip[s][0] > 1e-5 for s in ("bisection", "admm-ccp")) and max(*(v for _, v in slip.values()), *(slip[s][0] for s in NCP)) < 1e-5,
                 "\"slippery contact points violate the contact complementarity criterion for the RaiSim and CCP contact modelings\": p50 where a contact slides, and where all stick, " +
                 ", ".join(f"{NAMES[s]} {a:.0e}, {b:.0e}" for s, (a, b) in slip.items()))
    pgs = walks["pgs-lelidec"]
    broken = pgs.late > 1e-5
    report.claim(broken.any() and pgs.open[broken].all() and not even["pgs-lelidec"].stats.not_converged,
                 f"\"NCP/PGS also violates the NCP criterion .. PGS was not able to converge\": {pgs.stats.not_converged} of {pgs.stats.active_steps} solves did not, on flat ground none; every step "
                 f"that breaks the law by more than 1e-5 ({broken.mean():.2%}) is one of those")
    more = {s: walks[s].stats.iterations_mean / even[s].stats.iterations_mean for s in WALKERS}
    report.claim(min(more[s] for s in WALKERS if not s.startswith("admm")) > max(more[s] for s in WALKERS if s.startswith("admm")),
                 "\"the complexity of contacts also hampers the solvers and reduces the gap between per-contact and ADMM approaches\": iterations against Fig. 18, " +
                 ", ".join(f"{NAMES[s]} {m:.1f} times" for s, m in more.items()))
    times = {s: (even[s].stats.stage_ns["solve"], walks[s].stats.stage_ns["solve"]) for s in WALKERS}
    report.say("  the paper: \"increased computations from the solvers, particularly for RaiSim\"; here " + ", ".join(f"{s} {a:.0f} -> {b:.0f} ns" for s, (a, b) in times.items()))
    gentle = walk("pgs-lelidec", 0.3, robots, True, relaxation=0.4)
    report.say(f"  is it the relaxation of 0.8? With 0.4 {gentle.stats.not_converged} of {gentle.stats.active_steps} solves of pgs-lelidec do not converge")
    ours(report, 0.3, robots)


def traits(problem, pairs):
    """Of a contact problem: does a sticking contact diverge under `pgs-lelidec` (pgs_lelidec.lane.h), and is a ball on two faces?"""
    blocks = [problem.G[i:i + 2, i:i + 2] for i in range(0, len(problem.G), 3)]
    uneven = any(0.8 * np.linalg.eigvalsh(block)[1] > 2 * block.diagonal().min() for block in blocks)
    return uneven, any(set(pair) <= set(problem.slots) for pair in pairs)


def who_does_not_converge(solver, robots):
    """Rows (solved, uneven, on two faces) of the steps of robots on bumps, friction 0.9."""
    trotters, rows, ahead = Trotters(solver, 0.9, robots, True), [], []
    with trotters.batch as batch:
        slots = batch.model.slots
        pairs = [(k, k + 1) for k in range(len(slots) - 1) if (slots[k].geom, slots[k].feature) == (slots[k + 1].geom, slots[k + 1].feature)]

        def look():
            nonlocal ahead
            rows.extend((bool(residual <= TOLERANCE), *found) for residual, found in zip(batch.residual, ahead) if found)
            ahead = [traits(problem, pairs) if len(problem.mu) else None for problem in batch.problems()]

        for _ in range(300):
            trotters.walk(look)
    return np.array(rows)


def grip(report):
    robots = 36 if report.quick else 144
    walks, even = {s: walk(s, 0.9, robots, True) for s in WALKERS}, {s: walk(s, 0.9, 8) for s in WALKERS}
    tell(report, walks)
    figure, axes = report.plots(3, f"Not in Le Lidec 2024: Fig. 19's bumps with Fig. 18's friction of 0.9, tolerance {TOLERANCE:g}; {robots} robots, each at its own place", width=4.4)
    report.table("fig19_grip", HEADER, curves(axes, walks))
    costs(axes[2], {"bumps, friction 0.9": walks, "flat, friction 0.9": even})
    report.save("fig19_grip", figure)
    slick = walk("pgs-lelidec", 0.3, 8).stats
    s = walks["pgs-lelidec"].stats
    report.claim(s.not_converged > 0 and not even["pgs-lelidec"].stats.not_converged and not slick.not_converged,
                 f"it is bumps, and not slip, at which NCP/PGS does not converge: {s.not_converged} of {s.active_steps} solves here, none on flat ground with friction 0.9, nor with 0.3")
    for solver, which, words in (("pgs-lelidec", 1, "a contact on which its relaxed step diverges"), ("nsgs", 2, "a foot on two faces at once")):
        found = who_does_not_converge(solver, 16 if report.quick else 64)
        solved = found[:, 0]
        there, elsewhere = found[~solved, which].mean(), found[solved, which].mean()
        report.claim(there > 5 * elsewhere, f"what is hard for {solver}: {there:.1%} of the {(~solved).sum()} problems that it does not solve have {words}, of those that it solves {elsewhere:.1%}")
    ours(report, 0.9, robots)
