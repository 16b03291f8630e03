"""Le Lidec 2024, what the solvers reach and cost: Fig. 13 (mass ratios), Fig. 16 (convergence), Fig. 17 (timings)."""
import myriapod
import numpy as np

from paper_lelidec_ground import bumpy, places
from paper_lelidec_robots import HAND, HUMANOID, SOLVERS, push, recorded, robot

PER_CONTACT = ("bisection", "nsgs", "pgs-lelidec", "pgs-ccp")
GLOBAL = ("admm-ccp", "admm-ncp", "staggered", "newton-diag", "newton-compliant")
LINES = {solver: "-" if k < 10 else "--" for k, solver in enumerate(SOLVERS)}  # colours come round after ten
ROBOTS = ("Solo-12", HUMANOID, HAND)
REACHED = 1e-6  # the paper's criterion
ALL = ("bisection", "bisection-paper", "golden", "quartic", "nsgs", "pgs", "pgs-lelidec", "pgs-lcp", "pgs-ccp", "prox", "staggered", "admm-ccp", "admm-ncp", "newton-diag", "newton-compliant")


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
    ratios = [1.0, 1e3, 1e6] if report.quick else [10.0**k for k in range(7)]
    figure, axes = report.plots(2, "Le Lidec 2024 Fig. 13: a cube on a cube of 1 g, one step from rest, cold start, at most 1e4 iterations")
    rows, own, ncp, needed = [], {}, {}, {}
    for solver in SOLVERS:
        own[solver], ncp[solver] = [], []
        for ratio in ratios:
            far = myriapod.solve(*stack_problem(ratio), solver=solver, tolerance=0.0, max_sweeps=10000)
            near = myriapod.solve(*stack_problem(ratio), solver=solver, tolerance=REACHED, max_sweeps=10000)
            own[solver].append(max(far.residual, 1e-17))
            ncp[solver].append(max(far.residual_ncp, 1e-17))
            needed[solver, ratio] = near.iterations if near.converged else None
            rows.append([solver, ratio, far.residual, far.residual_ncp, far.iterations, far.status, near.iterations, near.status])
        for axis, found in zip(axes, (own[solver], ncp[solver])):
            axis.loglog(ratios, found, LINES[solver], ms=3, marker="o", label=solver)
        report.say(f"    {solver:17} " + "; ".join(f"{ratio:.0e}: {needed[solver, ratio] or 'not'}, {r:.0e}" for ratio, r in zip(ratios, own[solver])))
    axes[0].set(xlabel="mass ratio", ylabel="residual of the solver's own model")
    axes[1].set(xlabel="mass ratio", ylabel="residual of the full law")
    axes[1].legend(fontsize=6)
    for solver in PER_CONTACT:
        report.claim(needed[solver, 1e6] is None and ncp[solver][-1] > 1e-3, f"{solver} hits 1e4 iterations at 1e6 and violates the full law: {ncp[solver][-1]:.1e}")
    for solver in GLOBAL:
        report.claim(needed[solver, 1e6] is not None, f"{solver} converges at 1e6: to {REACHED:g} in {needed[solver, 1e6]} iterations, at most to {own[solver][-1]:.0e}")
    report.claim(all(own[s][0] < own[s][-1] for s in PER_CONTACT), "\"the accuracy improves when the ratio between the masses gets close to one\": per contact")
    report.differs(min(ncp[s][-1] for s in ("newton-diag", "newton-compliant")) > 1e-2, "\"Newton approaches appear to be robust\": so they are, on their own law. The R that they take is relative to G, whose "
                   f"largest block is the light cube's: under the heavy one contacts give way, and the full law is violated by {min(ncp[s][-1] for s in ('newton-diag', 'newton-compliant')):.1g}")
    report.claim(max(own[s][-1] for s in GLOBAL) < 1e-6 < min(own[s][-1] for s in PER_CONTACT), "\"ADMM and Newton are less affected by this ratio than PGS\"")
    report.table("fig13", ["solver", "mass_ratio", "residual", "residual_ncp", "iterations", "status", f"iterations_to_{REACHED:g}", f"status_at_{REACHED:g}"], rows)
    report.save("fig13", figure)


def stack_holds(report):
    ratios, steps = ([1, 1e6], 100) if report.quick else ([10.0**k for k in range(7)], 500)
    solvers = ("bisection", "nsgs", "pgs-lelidec", "staggered", "admm-ccp", "admm-ncp", "newton-diag", "newton-compliant") if report.quick else ALL
    rows = []
    for solver in solvers:
        line = []
        for ratio in ratios:
            with myriapod.Batch(f"stack-2-{ratio:g}", 1, precision="f64", landing=0, threads=1, solver=solver, tolerance=1e-6, max_sweeps=10000, task="none") as batch:
                start = batch.q.copy()
                batch.step(steps)
                moved = np.abs(batch.q - start)[0]
                s, lost = batch.stats(), int(batch.quarantined.sum())
            sunk, aside = max(moved[2], moved[9]), max(moved[[0, 1, 7, 8]])
            holds = not lost and max(sunk, aside) < 1e-3
            rows.append([solver, ratio, holds, sunk, aside, s.residual_p50, s.residual_max, s.residual_ncp_max, s.iterations_mean, s.not_converged, s.active_steps])
            line.append(f"{ratio:.0e} {'stands' if holds else 'FALLS'} {1e3 * sunk:.1e} mm {s.residual_max:.0e} ({s.not_converged}/{s.active_steps})")
        report.say(f"    {solver:17} " + "; ".join(line))
    report.table("fig13_simulated", ["solver", "mass_ratio", "holds", "sunk_m", "aside_m", "residual_p50", "residual_max", "residual_ncp_max", "iterations_mean",
                                     "not_converged", "solves"], rows)
    stack_plot(report, rows)
    held = {(row[0], row[1]): row[2] for row in rows}
    report.claim(all(held[s, ratios[0]] for s in solvers), "at equal masses every solver holds the stack")
    report.claim(all(held[s, ratios[-1]] for s in ("admm-ccp", "admm-ncp", "staggered")), "ADMM and staggered projections hold it at 1e6")
    report.claim(not any(held[s, ratios[-1]] for s in PER_CONTACT if s in solvers), "per-contact methods do not")
    sunk = {(row[0], row[1]): row[3] for row in rows}
    report.differs(all(sunk[s, ratios[-1]] > 0.02 for s in solvers if s.startswith("newton")), "nor do the Newton solvers, though they converge: what R lets through adds up from step to step, in proportion to the mass ratio")


def stack_plot(report, rows):
    figure, axes = report.plots(2, "Le Lidec 2024 Fig. 13, simulated: a cube of 1 kg under one of 1 to 1e6 kg, 0.5 s at 1 ms, tolerance 1e-6, warm start")
    for k, solver in enumerate(dict.fromkeys(row[0] for row in rows)):
        mine = [row for row in rows if row[0] == solver]
        for axis, at in zip(axes, (3, 6)):
            axis.loglog([row[1] for row in mine], [max(row[at], 1e-12) for row in mine], "os^"[k // 10] + "-", ms=3, lw=0.9, label=solver)
    axes[0].axhline(1e-3, color="k", lw=0.6)
    axes[0].set(xlabel="mass ratio", ylabel="sunk, the more of the two cubes [m]")
    axes[1].set(xlabel="mass ratio", ylabel="largest residual [N s, m/s]")
    axes[0].legend(fontsize=6, ncol=2)
    report.save("fig13_simulated", figure)


def convergence(report):
    problems = {name: recorded(name, seconds) for name, seconds in (("Solo-12", 0.1), (HUMANOID, 0.05))}
    problems = {name: (p.G, p.c, p.mu) for name, p in problems.items()} | {"cubes, 1 : 1000": stack_problem(1e3)}
    caps = sorted({round(c) for c in np.geomspace(1, 1000 if report.quick else 10000, 16 if report.quick else 60)})
    figure, axes = report.plots(6, "Le Lidec 2024 Fig. 16: residual of the own model, one recorded step, cold start, f64", width=3.2)
    rows, reached, steps = [], {}, {}
    for k, (name, (G, c, mu)) in enumerate(problems.items()):
        values = np.linalg.eigvalsh(G)
        values = values[values > 1e-10 * values[-1]]
        report.say(f"  {name}: {len(mu)} contacts, G of rank {len(values)} of {len(G)}, condition number without what is zero {values[-1] / values[0]:.0f}")
        for solver in SOLVERS:
            W, curve = 8, []
            for cap in caps:
                r = min((myriapod.solve([G] * W, [c] * W, [mu] * W, solver=solver, tolerance=0.0, max_sweeps=cap)[0] for _ in range(1 if report.quick or cap > 1000 else 5)),
                        key=lambda result: result.solve_s)
                curve.append((r.iterations, r.solve_s, max(r.residual, 1e-17)))
                rows.append([name, solver, r.iterations, r.solve_s, r.residual, r.residual_ncp])
                if r.iterations < cap or r.residual < 1e-14:  # at rounding some go on until their cap
                    break
            reached[name, solver] = min(c[2] for c in curve)
            steps[name, solver] = [next((c[0] for c in curve if c[2] < level), None) for level in (1e-5, 1e-9)]
            axes[2 * k].loglog([c[0] for c in curve], [c[2] for c in curve], LINES[solver], label=solver, lw=0.9)
            axes[2 * k + 1].loglog([1e6 * c[1] for c in curve], [c[2] for c in curve], LINES[solver], label=solver, lw=0.9)
            report.say(f"    {name} {solver:17} iterations to 1e-5: {steps[name, solver][0]}, to 1e-9: {steps[name, solver][1]}; best {reached[name, solver]:.0e}; {1e6 * curve[-1][1]:.0f} us to the end")
        axes[2 * k].set(xlabel="iterations", ylabel="residual", title=name)
        axes[2 * k + 1].set(xlabel="time per problem [us], 8 in lanes", title=name)
    axes[0].legend(fontsize=6)
    for name in problems:
        for solver in GLOBAL:
            report.claim(reached[name, solver] < 1e-9, f"{solver} \"can get to higher precision\", {name}: {reached[name, solver]:.0e}")
    report.claim(all(steps[name, solver][0] for name in ("Solo-12", HUMANOID) for solver in PER_CONTACT), f"PGS is \"reasonably fast to reach mild accuracy\" (1e-5): Solo-12 and {HUMANOID}, in " +
                 ", ".join(f"{steps[name, 'pgs-lelidec'][0]}" for name in ("Solo-12", HUMANOID)) + " sweeps or less")
    report.claim(min(reached["cubes, 1 : 1000", solver] for solver in PER_CONTACT) > 1e-5, "PGS \"saturates before reaching high precision in complex\" cases: the cubes")
    worst = max(reached[HUMANOID, solver] for solver in PER_CONTACT)
    report.differs(worst < 1e-9, f"on the {HUMANOID} PGS does not saturate: its sweeps reach {worst:.0e}. The paper's do, on Talos")
    report.table("fig16", ["problem", "solver", "iterations", "time_s", "residual", "residual_ncp"], rows)
    report.save("fig16", figure)


def run_pushed(name, ground, envs, steps, **settings):
    """Statistics of robots that are pushed all the time: on a plane from the start on, on bumps after they have come down on them."""
    batch, force = robot(name, envs, ground, **settings)
    with batch:
        if ground:
            batch.ground_at = places(ground, envs)
            batch.step(300)
            batch.clear_stats()
        for step in range(steps):
            push(batch, force, step * 1e-3)
            batch.step()
        return batch.stats()


def pushed(report, ground=None):
    """Rows (robot, start, solver, ns, iterations, largest residual, solves not converged, solves) by robot, warm start or not, and solver."""
    envs, steps = (16, 50) if report.quick and not ground else (64, 200)  # fewer places on the bumps would say nothing
    runs = 1 if report.quick else 3
    table = {}
    for name in ROBOTS:
        for warm in (0, 1):
            for solver in SOLVERS:
                s = min((run_pushed(name, ground, envs, steps, solver=solver, tolerance=1e-6, warm_start=warm) for _ in range(runs)), key=lambda s: s.stage_ns["solve"])
                table[name, warm, solver] = [name, "warm" if warm else "cold", solver, s.stage_ns["solve"], s.iterations_mean, s.residual_max, s.not_converged, s.active_steps]
        for solver in SOLVERS:
            cold, warm = table[name, 0, solver], table[name, 1, solver]
            report.say(f"    {name} {solver:17} cold {cold[3]:9.0f} ns, {cold[4]:7.1f} iterations; warm {warm[3]:9.0f} ns, {warm[4]:7.1f}; not converged {cold[6]}, {warm[6]} of {cold[7]}")
    return table


def bars(report, figure_name, title, table):
    figure, axes = report.plots(3, title + ", f64, tolerance 1e-6, at most 1e4 iterations, 1 thread", width=4.4)
    for axis, name in zip(axes, ROBOTS):
        for warm in (0, 1):
            axis.barh(np.arange(len(SOLVERS)) + 0.4 * warm, [table[name, warm, solver][3] for solver in SOLVERS], 0.38, label="warm" if warm else "cold")
        axis.set(yticks=np.arange(len(SOLVERS)) + 0.2, yticklabels=SOLVERS, xscale="log", xlabel="ns per robot-step", title=name)
        axis.xaxis.set_minor_formatter("")
    axes[0].legend()
    report.table(figure_name, ["robot", "start", "solver", "ns", "iterations", "residual_max", "not_converged", "solves"], list(table.values()))
    report.save(figure_name, figure)


def timing(report):
    table = pushed(report)
    for name in ROBOTS:
        times = [table[name, 0, solver][3] for solver in ("nsgs", "pgs-lelidec", "admm-ccp", "newton-diag")]
        report.say(f"  {name}, the paper: cold PGS < ADMM < Newton; here nsgs, pgs-lelidec, admm-ccp, newton-diag: {', '.join(f'{t:.0f}' for t in times)} ns")
    fewer = [(n, s) for n in ROBOTS for s in SOLVERS if not s.startswith("newton") and table[n, 0, s][6] == 0 and table[n, 1, s][6] == 0]
    report.claim(all(table[n, 1, s][4] <= 1.05 * table[n, 0, s][4] for n, s in fewer), f"a warm start takes no more iterations, where all solves converge ({len(fewer)} cases)")
    newton = [(table[n, 0, "newton-diag"][4], table[n, 1, "newton-diag"][4]) for n in ("Solo-12", HUMANOID)]
    report.differs(all(warm > cold for cold, warm in newton), "Newton's warm start from the last impulse takes more iterations than from zero: newton-diag, Solo-12 and " + f"{HUMANOID}, " +
                   ", ".join(f"{cold:.1f} cold, {warm:.1f} warm" for cold, warm in newton))
    bars(report, "fig17", "Le Lidec 2024 Fig. 17: time of a solve per robot-step", table)


def hand_after(ground, steps=200):
    """Positions of the hand and its ball after a while."""
    batch, _ = robot(HAND, 1, ground, solver="nsgs", tolerance=1e-6)
    with batch:
        batch.step(steps)
        return batch.q.copy()


def timing_on_bumps(report):
    ground = bumpy()
    table = pushed(report, ground)
    left = {solver: [table[name, 0, solver][6] for name in ("Solo-12", HUMANOID)] for solver in SOLVERS}
    solid, weak = ("admm-ccp", "admm-ncp", "newton-diag", "newton-compliant"), ("pgs-lelidec", "pgs-lcp")
    report.claim(all(max(left[s]) == 0 for s in solid) and all(left[s][0] > 0 for s in weak), "\"Gauss-Seidel-like approaches appear to be sufficient for mild conditions but are not robust enough\": cold "
                 f"solves not converged, Solo-12 and {HUMANOID}, " + ", ".join(f"{s} {a} and {b}" for s, (a, b) in left.items()))
    report.claim(np.array_equal(hand_after(ground), hand_after(None)), f"the {HAND} is above the ground and does not see it: after 0.2 s its bits are those over the plane")
    bars(report, "fig17_bumps", "Not in Le Lidec 2024: Fig. 17's robots on the bumps of Fig. 19", table)
