"""Le Lidec 2024, a walking quadruped: Fig. 18 (friction 0.9), and what of Fig. 19 a flat ground has (friction 0.3; the paper's is bumpy)."""
import myriapod
import numpy as np

from paper_lelidec_robots import NAMES

WALKERS = ("pgs-lelidec", "nsgs", "bisection", "admm-ccp", "admm-ncp")
PERIOD, LIFT, CONTROL, ENVS = 0.3, 0.6, 10, 8
SPEED, LEARN, MOST = 0.2, 0.3, 0.28  # wanted [m/s]; how fast the stride follows what is missing [rad/s per m/s]; its limit [rad]
PHASE = np.array([0, np.pi, np.pi, 0])  # diagonal pairs


def trot(time, stride, home):
    """PD targets (12,) of a trot: the legs swing by the hips' flexion, knees fold in the swing."""
    phase = 2 * np.pi * time / PERIOD + PHASE
    out = home.reshape(4, 3).copy()
    out[:, 1] += stride * np.cos(phase)
    out[:, 2] += np.sign(out[:, 2]) * LIFT * np.maximum(0, np.sin(phase))
    return out.reshape(12)


def forward(q, v):
    """Velocity along the heading [m/s]."""
    w, x, y, z = q[3:7]
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return float(v[0] * np.cos(yaw) + v[1] * np.sin(yaw))


def walk(solver, friction, seconds, dt=1e-3):
    """A stride that follows the velocity, in the place of the paper's MPC. Time, velocity of the base forward [m/s], largest residual of the full law [N s, m/s] and ns of the solver in every control step; not converged; path."""
    rows = []
    with myriapod.Batch("solo12", ENVS, task="none", kp=4.0, kd=0.1, friction=friction, solver=solver, tolerance=1e-6, max_sweeps=10000, dt=dt, precision="f64", landing=0, threads=1) as batch:
        home, left, stride, speeds = batch.model.home[7:].copy(), 0, 0.1, []
        for frame in range(round(seconds / (CONTROL * dt))):
            time = (frame + 1) * CONTROL * dt
            batch.target = np.tile(trot(time, stride, home), (ENVS, 1))
            batch.clear_stats()
            batch.step(CONTROL)
            s = batch.stats()
            rows.append((time, forward(batch.q[0], batch.v[0]), s.residual_ncp_max or 0.0, s.stage_ns["solve"], s.contacts_mean))
            left += s.not_converged
            speeds.append(rows[-1][1])
            cycle = round(PERIOD / (CONTROL * dt))
            if len(speeds) >= cycle:
                stride = float(np.clip(stride + LEARN * (SPEED - np.mean(speeds[-cycle:])) * CONTROL * dt, 0, MOST))
        return np.array(rows), left, batch.q[0].copy()


def smooth(values, n):
    return np.convolve(values, np.ones(n) / n, mode="valid")


def show(report, figure_name, friction, title):
    seconds = 6.0
    figure, axes = report.plots(3, title, width=4.4)
    table, speed, broken, cost, off = [], {}, {}, {}, {}
    cycle = round(PERIOD / (CONTROL * 1e-3))
    for solver in WALKERS:
        rows, left, q = walk(solver, friction, seconds)
        mean = smooth(rows[:, 1], cycle)
        late = rows[:, 0] > seconds / 2
        speed[solver], broken[solver], cost[solver], off[solver] = rows[late, 1].mean(), np.quantile(rows[late, 2], (0.5, 0.99)), rows[:, 3].mean(), left
        axes[0].plot(rows[cycle - 1:, 0], mean, label=NAMES[solver], lw=0.9)
        axes[1].semilogy(rows[:, 0], np.maximum(rows[:, 2], 1e-12), lw=0.7)
        table += [[solver, *row] for row in rows]
        report.say(f"  {NAMES[solver]:20} {speed[solver]:.4f} m/s, base {q[2]:.3f} m high; law broken by {broken[solver][0]:.0e} (p50), {broken[solver][1]:.0e} (p99); {cost[solver]:.0f} ns per step; {left} solves not converged")
    axes[2].barh(np.arange(len(WALKERS)), [cost[s] for s in WALKERS])
    axes[2].set(yticks=np.arange(len(WALKERS)), yticklabels=WALKERS, xlabel="ns per robot-step in the solver")
    axes[0].set(xlabel="t [s]", ylabel="velocity forward, mean of a period [m/s]")
    axes[1].set(xlabel="t [s]", ylabel="largest violation of the full law [N s, m/s]")
    axes[0].legend(fontsize=7)
    report.table(figure_name, ["solver", "t_s", "velocity_ms", "residual_ncp", "solve_ns", "contacts"], table)
    report.save(figure_name, figure)
    return speed, broken, cost, off


def flat(report):
    speed, broken, cost, off = show(report, "fig18", 0.9, "Le Lidec 2024 Fig. 18: Solo-12 trots on flat ground, friction 0.9, tolerance 1e-6")
    report.claim(max(abs(s - SPEED) for s in speed.values()) < 0.05 * SPEED, f"\"the target velocity .. is similarly reached .. with the different simulators\", {SPEED:g} m/s: " +
                 ", ".join(f"{NAMES[s]} {v:.3f} m/s" for s, v in speed.items()))
    report.claim(max(broken[s][1] for s in ("pgs-lelidec", "nsgs", "admm-ncp")) < 1e-4 < max(broken["bisection"][1], broken["admm-ccp"][1]),
                 "\"they do not equally respect the contact complementarity criterion\": NCP keeps it, RaiSim and CCP do not: p99 " +
                 ", ".join(f"{NAMES[s]} {b[1]:.0e}" for s, b in broken.items()))
    report.say("  the paper: \"per-contact approaches, e.g. PGS and RaiSim, are more efficient\"; here " + ", ".join(f"{s} {c:.0f} ns" for s, c in cost.items()))


def slippery(report):
    speed, broken, _, off = show(report, "fig19", 0.3, "Le Lidec 2024 Fig. 19 but for the bumps: Solo-12 trots on flat ground, friction 0.3, tolerance 1e-6")
    report.claim(max(broken[s][0] for s in ("bisection", "admm-ccp")) > 10 * max(broken[s][0] for s in ("nsgs", "admm-ncp")),
                 "\"slippery contact points violate the contact complementarity criterion for the RaiSim and CCP contact modelings\": p50 " +
                 ", ".join(f"{NAMES[s]} {b[0]:.0e}" for s, b in broken.items()))
    exact = [speed[s] for s in ("pgs-lelidec", "nsgs", "admm-ncp")]
    report.claim(min(abs(speed[s] - exact[1]) for s in ("bisection", "admm-ccp")) > 3 * (max(exact) - min(exact)),
                 "\"the locomotion velocity generated from the RaiSim and CCP models significantly deviates from the NCP one\": " +
                 ", ".join(f"{NAMES[s]} {v:.4f} m/s" for s, v in speed.items()))
    report.differs(not any(off.values()), "\"NCP/PGS also violates the NCP criterion\", as it does not converge: here, without bumps, every solve of every solver does")
