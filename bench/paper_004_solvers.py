"""004, what the solvers reach and cost: Fig. 13 (mass ratios), Fig. 16 (convergence), Fig. 17 (timings)."""
import myriapod
import numpy as np

SOLVERS = ["bisection", "pgs-004", "pgs-ccp", "pgs-lcp", "prox", "staggered", "admm-ccp", "admm-ncp", "newton-diag", "newton-compliant"]
PER_CONTACT = ("bisection", "pgs-004", "pgs-ccp")
GLOBAL = ("admm-ccp", "admm-ncp", "staggered", "newton-diag", "newton-compliant")


def stack_problem(ratio, edge=0.2, dt=1e-3, g=9.81):
    """Two cubes at rest, one on the other, pushed down by one step of gravity: masses 1e-3 kg and ratio * 1e-3 kg, four corners each;
    the upper four act between the cubes. Friction 0.9 on the floor, 0.95 between the cubes, as in the authors' code."""
    masses = np.array([1e-3, 1e-3 * ratio])
    inverse = np.concatenate([np.r_[[1 / m] * 3, [6 / (m * edge**2)] * 3] for m in masses])
    J = np.zeros((24, 12))
    corners = [np.array([x, y, z]) * edge / 2 for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)]

    def point(r):
        """Velocity of the point r of a body from (v, omega)."""
        return np.hstack([np.eye(3), -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])])

    for i in range(4):
        J[3 * i:3 * i + 3, :6] = point(corners[i])
        J[12 + 3 * i:15 + 3 * i, 6:] = point(corners[i])
        J[12 + 3 * i:15 + 3 * i, :6] = -point(corners[4 + i])
    free = np.tile([0.0, 0, -g * dt, 0, 0, 0], 2)
    return J @ np.diag(inverse) @ J.T, J @ free, np.array([0.9] * 4 + [0.95] * 4)


def mass_ratio(report):
    """Fig. 13: a heavy cube on a light one."""
    ratios = [1.0, 1e3, 1e6] if report.quick else [10.0**k for k in range(7)]
    figure, axes = report.plots(2, "004 Fig. 13: a cube on a cube of 1 g, one step from rest, cold start, 1e4 iterations")
    rows, end = [], {}
    for solver in SOLVERS:
        own, ncp = [], []
        for ratio in ratios:
            r = myriapod.solve(*stack_problem(ratio), solver=solver, tolerance=1e-9, max_sweeps=10000)
            own.append(max(r.residual, 1e-17))
            ncp.append(max(r.residual_ncp, 1e-17))
            rows.append([solver, ratio, r.residual, r.residual_ncp, r.iterations, r.status])
        axes[0].loglog(ratios, own, "o-", ms=3, label=solver)
        axes[1].loglog(ratios, ncp, "o-", ms=3, label=solver)
        end[solver] = rows[-1]
    axes[0].set(xlabel="mass ratio", ylabel="residual of the solver's own model")
    axes[1].set(xlabel="mass ratio", ylabel="residual of the full law")
    axes[0].legend(fontsize=6)
    for solver in PER_CONTACT:
        report.claim(end[solver][5] != "converged", f"{solver} does not converge at 1e6: {end[solver][5]}, residual {end[solver][2]:.1e}")
    for solver in GLOBAL:
        report.claim(end[solver][5] == "converged", f"{solver} converges at 1e6: {end[solver][5]} after {end[solver][4]}, residual {end[solver][2]:.1e}")
    report.table("fig13", ["solver", "mass_ratio", "residual", "residual_ncp", "iterations", "status"], rows)
    report.save("fig13", figure)


def stack_holds(report):
    """Fig. 13, simulated: the stack stands on its own for half a second, or does not."""
    ratios, steps = ([1, 1e3, 1e6], 100) if report.quick else ([10.0**k for k in range(7)], 500)
    rows = []
    for solver in SOLVERS:
        line = []
        for ratio in ratios:
            with myriapod.Batch(f"stack-2-{ratio:g}", 1, precision="f64", threads=1, solver=solver, tolerance=1e-6, max_sweeps=10000, task="none") as batch:
                start = batch.q.copy()
                batch.step(steps)
                moved = np.abs(batch.q - start)[0]
                s, lost = batch.stats(), int(batch.quarantined.sum())
            sunk, aside = max(moved[2], moved[9]), max(moved[[0, 1, 7, 8]])
            holds = not lost and sunk < 1e-3 and aside < 1e-3
            rows.append([solver, ratio, holds, sunk, aside, s.residual_p50, s.residual_max, s.residual_ncp_max, s.iterations_mean, s.not_converged, s.active_steps])
            line.append(f"{ratio:.0e} {'stands' if holds else 'falls'} {s.residual_max:.0e}")
        report.say(f"    {solver:17} " + "; ".join(line))
    report.table("fig13_simulated", ["solver", "mass_ratio", "holds", "sunk_m", "aside_m", "residual_p50", "residual_max", "residual_ncp_max", "iterations_mean",
                                     "not_converged", "solves"], rows)
    held = {(row[0], row[1]): row[2] for row in rows}
    report.claim(all(held[s, ratios[0]] for s in SOLVERS), "at equal masses every solver holds the stack")
    report.claim(all(held[s, ratios[-1]] for s in ("admm-ccp", "admm-ncp")), "ADMM holds it at 1e6")


def recorded(name, steps, force, seconds=0.3, **settings):
    """Contact problems of a standing robot that is pushed by a turning force at its root, one per step once it is pushed."""
    with myriapod.Batch(name, 1, precision="f64", threads=1, solver="pgs", tolerance=1e-9, **settings) as batch:
        wrench = np.zeros((1, batch.model.info.n_bodies, 6))
        problems = []
        for step in range(round(seconds / 1e-3)):
            t = step * 1e-3
            wrench[0, 0, :3] = force * np.sin(2 * t + np.arange(3))
            batch.set("wrench", wrench)
            if step % max(1, round(seconds / 1e-3 / steps)) == 0:
                problems += batch.problems()
            batch.step()
    return [p for p in problems if len(p.mu) > 0]


def convergence(report):
    """Fig. 16: residual against iteration and time on one recorded step of Solo-12 and of the stack of two cubes."""
    # a quadruped on four feet has no redundant contact; the box-footed humanoid of the paper is not shipped, the stack stands in for it
    solo = recorded("solo12", 1, 12.0, friction=0.9)[-1]
    sets = {"Solo-12, standing, pushed": (solo.G, solo.c, solo.mu), "two cubes, mass ratio 100": stack_problem(100.0)}
    caps = sorted({round(c) for c in np.geomspace(1, 2000 if report.quick else 10000, 25 if report.quick else 60)})
    figure, axes = report.plots(4, "004 Fig. 16: residual of the own model, cold start, f64", width=3.8)
    rows, reached = [], {}
    for k, (name, problem) in enumerate(sets.items()):
        for solver in SOLVERS:
            W = 8
            curve = []
            for cap in caps:
                r = min((myriapod.solve([problem[0]] * W, [problem[1]] * W, [problem[2]] * W, solver=solver, tolerance=0.0, max_sweeps=cap)[0] for _ in range(3)),
                        key=lambda result: result.solve_s)
                curve.append((r.iterations, r.solve_s, max(r.residual, 1e-17)))
                rows.append([name, solver, r.iterations, r.solve_s, r.residual, r.residual_ncp])
                if r.iterations < cap:
                    break
            reached[name, solver] = min(c[2] for c in curve)
            axes[2 * k].loglog([c[0] for c in curve], [c[2] for c in curve], label=solver, lw=0.9)
            axes[2 * k + 1].loglog([1e6 * c[1] for c in curve], [c[2] for c in curve], label=solver, lw=0.9)
        axes[2 * k].set(xlabel="iterations", ylabel="residual", title=name)
        axes[2 * k + 1].set(xlabel="time per problem [us], 8 in lanes", title=name)
    axes[0].legend(fontsize=6)
    for (name, solver), r in reached.items():
        if solver in ("admm-ccp", "admm-ncp", "newton-diag", "newton-compliant", "staggered"):
            report.claim(r < 1e-9, f"{solver} reaches high accuracy on {name}: {r:.1e}")
    report.table("fig16", ["problem", "solver", "iterations", "time_s", "residual", "residual_ncp"], rows)
    report.save("fig16", figure)


def timing(report):
    """Fig. 17: mean time of a solve along a trajectory, cold and warm."""
    envs, steps = (64, 100) if report.quick else (256, 500)
    figure, axes = report.plots(2, "004 Fig. 17: time of a solve per robot-step, f64, tolerance 1e-6, at most 1e4 iterations; 1 thread", width=6)
    rows = []
    for axis, (robot, force) in zip(axes, (("solo12", 12.0), ("anymal", 80.0))):
        for warm in (0, 1):
            cost, names = [], []
            for solver in SOLVERS:
                with myriapod.Batch(robot, envs, precision="f64", threads=1, solver=solver, tolerance=1e-6, max_sweeps=10000, warm_start=warm, task="stand",
                                    friction=0.9) as batch:
                    wrench = np.zeros((1, batch.model.info.n_bodies, 6))
                    wrench[0, 0, 0] = force
                    batch.set("wrench", wrench)
                    batch.step(100)
                    batch.clear_stats()
                    batch.step(steps)
                    s = batch.stats()
                cost.append(s.stage_ns["solve"])
                names.append(solver)
                rows.append([robot, "warm" if warm else "cold", solver, s.stage_ns["solve"], s.iterations_mean, s.residual_max, s.not_converged, s.active_steps])
            axis.barh(np.arange(len(names)) + 0.4 * warm, cost, 0.38, label="warm" if warm else "cold")
            axis.set(yticks=np.arange(len(names)) + 0.2, yticklabels=names, xscale="log", xlabel="ns per robot-step", title=robot)
            if warm:
                table = {(r[1], r[2]): r for r in rows if r[0] == robot}
                for solver in ("pgs-004", "admm-ccp", "newton-diag"):
                    cold, hot = table["cold", solver], table["warm", solver]
                    report.claim(hot[4] <= cold[4], f"{robot}, {solver}: {cold[4]:.1f} iterations cold, {hot[4]:.1f} warm")
                times = [table["cold", solver][3] for solver in ("pgs-004", "admm-ccp", "newton-diag")]
                report.claim(times == sorted(times), f"{robot}, cold: PGS < ADMM < Newton in time ({', '.join(f'{t:.0f} ns' for t in times)})")
    axes[0].legend()
    report.table("fig17", ["robot", "start", "solver", "ns", "iterations", "residual_max", "not_converged", "solves"], rows)
    report.save("fig17", figure)
