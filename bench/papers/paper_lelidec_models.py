"""Le Lidec 2024, the contact models: Fig. 14 (compliance) and Tables II, III, every tick measured."""
import myriapod
import numpy as np

from paper_lelidec_robots import NAMES, SOLVERS, drag, push, robot
from paper_lelidec_solvers import stack_problem

PASS = 1e-6  # violation, scale-free, below which a law counts as kept
DT = 1e-3


def standing(compliance, seconds, rest=0.1, pushed=0.12):
    """Solo-12, 10 N along x for 20 ms: impulses [N s] and velocities [m/s] of its four feet, (steps, 4, 3) each; least rank of G."""
    batch, force = robot("Solo-12", solver="admm-ncp", tolerance=1e-10, compliance=compliance, compliance_tangent=compliance)
    impulses, velocities, rank = [], [], 12
    with batch:
        batch.step(5)  # from the start the lowest foot touches, and not the others
        for step in range(round(seconds / DT)):
            push(batch, force if rest <= step * DT < pushed else 0.0, 0.0, (1, 0, 0))
            (problem,) = batch.problems()
            batch.step()
            if len(problem.mu) != 4:
                raise SystemExit(f"Solo-12 has {len(problem.mu)} feet on the ground after {step} steps")
            impulse = batch.impulse[0][problem.slots]
            impulses.append(impulse)
            velocities.append((problem.G @ impulse.ravel()).reshape(-1, 3) + problem.c)
            rank = min(rank, np.linalg.matrix_rank(problem.G))
    return np.array(impulses), np.array(velocities), rank


def compliance(report):
    figure, axes = report.plots(3, "Le Lidec 2024 Fig. 14: Solo-12 standing, 10 N along x from 0.1 to 0.12 s, NCP (admm-ncp), compliance [m/N]", width=4)
    values, seconds = (0.0, 1e-8, 1e-7, 1e-6), 0.2 if report.quick else 0.3
    sinking, creeping, spread, rows = {}, {}, {}, []
    for value in values:
        impulse, velocity, rank = standing(value, seconds)
        time, late = DT * np.arange(len(impulse)), slice(round(0.12 / DT), None)
        sinking[value] = -velocity[late, :, 2].mean()
        along, across = velocity[:, :, 0].mean(1), impulse[:, :, 1] / DT
        creeping[value] = along.min(), along.max()
        spread[value] = across[-50:].max(1).mean() - across[-50:].min(1).mean()
        axes[0].plot(time, -velocity[:, :, 2].mean(1), label=f"{value:g}")
        axes[1].plot(time, along)
        axes[2].plot(time, across, f"C{values.index(value)}", lw=0.7)
        rows.append([value, sinking[value], *creeping[value], spread[value]])
        report.say(f"  {value:g} m/N: into the ground at {sinking[value]:.2e} m/s; velocity along x {creeping[value][0]:.1e} to {creeping[value][1]:.1e} m/s; forces along y spread over {spread[value]:.3f} N")
    axes[0].set(xlabel="t [s]", ylabel="feet into the ground [m/s]")
    axes[0].set_yscale("symlog", linthresh=1e-6)
    axes[1].set(xlabel="t [s]", ylabel="velocity of the feet along x, mean [m/s]")
    axes[2].set(xlabel="t [s]", ylabel="forces of the feet along y [N]")
    axes[0].legend(fontsize=7)
    report.claim(all(abs(sinking[b] / sinking[a] / 10 - 1) < 0.1 for a, b in zip(values[1:], values[2:])),
                 "what breaks Signorini's law grows linearly with R: " + ", ".join(f"{s:.2e}" for s in sinking.values()) + " m/s")
    report.claim(abs(sinking[0.0]) < 1e-8, f"rigid contacts keep it: {sinking[0.0]:.0e} m/s")
    report.claim(np.abs(creeping[0.0]).max() < 1e-8 and all(creeping[v][0] < -10 * v < 10 * v < creeping[v][1] for v in values[1:]),
                 "\"the vanishing of dry friction, resulting in tangential oscillations instead of a null velocity\": rigid feet stand still, compliant ones are pushed to and fro")
    report.differs(rank == 12, "\"removing the jamming internal forces\": on four point feet there are none, G has full rank and the forces are unique; "
                   f"they spread over {spread[0.0]:.2f} N rigid, {spread[1e-6]:.2f} N at 1e-6 m/N. On the cube of Fig. 12:")
    report.table("fig14", ["compliance_m_per_N", "sinking_ms", "least_along_ms", "most_along_ms", "spread_y_N"], rows)

    inside = []
    for solver in ("pgs-lelidec", "nsgs", "bisection"):
        for value in values:
            t, _, _, impulse = drag(solver, DT, 20.0, 0.1, compliance=value, compliance_tangent=value)
            inside.append([solver, value, np.abs(impulse[t > 0.08, :, 1]).max() / DT])
        mine = [row[2] for row in inside if row[0] == solver]
        report.claim(mine[0] > 0.1 and mine[-1] < 1e-2 * mine[0], f"{NAMES[solver]}, sticking cube: forces across the pull {', '.join(f'{f:.1e}' for f in mine)} N")
    report.table("fig14_cube", ["solver", "compliance_m_per_N", "force_y_N"], inside)
    report.save("fig14", figure)


def random_problem(random, contacts):
    """Contacts of a system of 18 degrees of freedom with unit mobility, coupled throughout."""
    J = random.standard_normal((3 * contacts, 18))
    return J @ J.T / 18, random.standard_normal((contacts, 3)), np.full(contacts, 0.6)


def laws(G, c, mu, result):
    """Violations, scale-free, of Signorini, Coulomb's cone and maximum dissipation by an answer: the largest over contacts."""
    vs = np.abs(c).max()
    ls = max(np.abs(result.impulse).max(), vs / max(np.trace(G[i:i + 3, i:i + 3]) / 3 for i in range(0, len(G), 3)))
    l, w = result.impulse / ls, result.velocity / vs
    t, slip = np.hypot(l[:, 0], l[:, 1]), np.hypot(w[:, 0], w[:, 1])
    signorini = np.maximum.reduce([-l[:, 2], -w[:, 2], np.abs(l[:, 2] * w[:, 2])]).max()
    cone = np.maximum(t - mu * l[:, 2], 0).max()
    dissipation = np.linalg.norm(l[:, :2] * slip[:, None] + mu[:, None] * np.maximum(l[:, 2:], 0) * w[:, :2], axis=1).max()
    return signorini, cone, dissipation


def eq24(G, w, l, mu):
    """How far a sliding contact is from Le Lidec 2024 (24), w_T = -s (lambda_T + mu^2 lambda_N / G_NN G_NT), s >= 0, relative to |w_T|."""
    u = l[:2] + mu**2 * l[2] / G[2, 2] * G[2, :2]
    s = max(0.0, -(w[:2] @ u) / (u @ u))
    return np.linalg.norm(w[:2] + s * u) / np.linalg.norm(w[:2])


def ticks(report):
    random = np.random.default_rng(4)
    n = 100 if report.quick else 1000
    problems = [random_problem(random, 1 + k % 4) for k in range(n)]
    rows = table_2(report, problems) + table_3(report, problems)
    report.table("tables", ["table", "model", "solver", "solved", "a", "b", "c", "tick_a", "tick_b", "tick_c"], rows)


def table_2(report, problems):
    answers, rows = {}, []
    figure, axes = report.plots(3, "Le Lidec 2024 Table II, measured: violation of each law on random coupled problems, sorted (nothing drawn at 1e-18)", width=4)
    report.say(f"  Table II: violations on {len(problems)} random coupled problems, largest and share of the problems that keep the law to {PASS:g}")
    for solver in ("pgs-lcp", "pgs-ccp", "admm-ccp", "bisection", "pgs-lelidec", "admm-ncp", "nsgs"):
        model = NAMES[solver].split()[0]
        # the paper's relaxation of 0.8 makes sweeps of 1 / min(G_xx, G_yy) diverge on some blocks (docs/contact.md)
        answers[solver] = [(p, r) for p in problems for r in [myriapod.solve(*p, solver=solver, tolerance=1e-10, max_sweeps=20000, relaxation=0.4)] if r.converged]
        got = np.array([laws(*p, r) for p, r in answers[solver]])
        share = (got < PASS).mean(0)
        for axis, violations, law in zip(axes, got.T, ("Signorini", "Coulomb's cone", "maximum dissipation")):
            axis.semilogy(np.linspace(0, 100, len(got)), np.sort(np.maximum(violations, 1e-18)), label=f"{model} ({solver})", lw=1)
            axis.set(title=law, xlabel="percent of the problems", ylabel="violation, scale-free")
        rows.append(["II", model, solver, len(got), *got.max(0), *(share == 1)])
        report.say(f"    {model:7} {solver:10} {len(got):4} solved; " +
                   ", ".join(f"{law} {'kept' if s == 1 else 'BROKEN'} ({worst:.0e}, kept in {s:.0%})" for law, worst, s in zip(("Signorini", "cone", "dissipation"), got.max(0), share)))
    axes[0].legend(fontsize=6)
    report.save("tables", figure)
    keeps = {row[2]: list(row[7:]) for row in rows}
    report.claim(all(keeps[s] == [True] * 3 for s in ("pgs-lelidec", "admm-ncp", "nsgs")), "NCP keeps all three laws")
    report.claim(all(keeps[s][:2] == [False, True] for s in ("admm-ccp", "pgs-ccp")), "CCP breaks Signorini, keeps the cone")
    report.claim(keeps["bisection"] == [True, True, False], "RaiSim keeps Signorini and the cone, breaks maximum dissipation")
    report.claim(keeps["pgs-lcp"][:2] == [True, False], "LCP keeps Signorini, the cone only approximately")
    sliding = [(G[3 * i:3 * i + 3, 3 * i:3 * i + 3], r.velocity[i], r.impulse[i], mu[i]) for (G, _, mu), r in answers["bisection"] for i in range(len(mu)) if r.modes[i] == "d"]
    off = max(eq24(*contact) for contact in sliding)
    report.claim(off < 1e-6, f"(24), the law that RaiSim's sliding contacts obey: holds for {len(sliding)} of them to {off:.0e}")
    sharp = {relaxation: sum(myriapod.solve(*p, solver="pgs-lelidec", tolerance=1e-10, max_sweeps=20000, relaxation=relaxation).converged for p in problems) for relaxation in (0.8, 0.4)}
    report.say(f"    pgs-lelidec solves {sharp[0.8]} with the paper's relaxation 0.8 and {sharp[0.4]} with 0.4")
    return rows


def redundant_cube(edge=0.2, pull=2.0, dt=1e-3, g=9.81):
    """A cube of 1 kg on four corners, pulled along x by less than friction can hold."""
    corners = [np.array([x, y, -1]) * edge / 2 for x in (-1, 1) for y in (-1, 1)]
    J = np.vstack([np.hstack([np.eye(3), -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])]) for r in corners])
    inverse = np.diag(np.r_[1.0, 1, 1, [6 / edge**2] * 3])
    return J @ inverse @ J.T, J @ np.array([pull * dt, 0, -g * dt, 0, 0, 0]), np.full(4, 0.4)


def table_3(report, problems):
    rows, n = [], len(problems)
    cube = redundant_cube()
    report.say("  Table III: largest penetration velocity; internal forces of a cube on four corners; residual at mass ratio 1e6; share of the random problems solved")
    for solver in SOLVERS:
        # relaxation: see table_2
        results = [myriapod.solve(*p, solver=solver, tolerance=1e-8, max_sweeps=20000, relaxation=0.4) for p in problems]
        deep = max(-r.velocity[:, 2].min() / np.abs(p[1]).max() for p, r in zip(problems, results) if r.converged)
        solved = sum(r.converged for r in results)
        inside = myriapod.solve(*cube, solver=solver, tolerance=1e-9, max_sweeps=20000, minimum=True, relaxation=0.4)
        robust = myriapod.solve(*stack_problem(1e6), solver=solver, tolerance=1e-6, max_sweeps=10000, relaxation=0.4)
        rows.append(["III", NAMES[solver], solver, solved, deep, inside.internal, robust.residual, deep < PASS, inside.internal < 1e-6, robust.converged])
        report.say(f"    {solver:17} {'hard' if deep < PASS else 'SOFT'} ({deep:.0e}); internal forces {'none' if inside.internal < 1e-6 else 'SOME'} ({inside.internal:.1e}); "
                   f"ratio 1e6 {'solved' if robust.converged else 'NOT'} ({robust.residual:.0e}); {solved / n:.1%} of {n} solved")
    table = {row[2]: row for row in rows}
    soft = ("newton-diag", "newton-compliant")
    report.claim(all(table[s][7] == (s not in soft) for s in SOLVERS), "hard contacts: all but MuJoCo's and Drake's")
    report.claim(all(table[s][8] for s in ("admm-ccp", "admm-ncp", "staggered", *soft)), "no internal forces: ADMM, staggered projections, Newton")
    report.claim(not any(table[s][8] for s in ("pgs-lelidec", "pgs-lcp", "pgs-ccp", "bisection", "nsgs")), "PGS and RaiSim leave some")
    report.claim(all(table[s][9] for s in ("admm-ccp", "admm-ncp", "staggered", *soft)), "robust: ADMM, staggered projections, Newton")
    report.claim(not any(table[s][9] for s in ("pgs-lelidec", "pgs-lcp", "pgs-ccp", "bisection", "nsgs")), "PGS and RaiSim are not")
    report.claim(all(table[s][3] == n for s in ("admm-ccp", *soft)), "what has a guarantee, the convex problems by ADMM and Newton, solves all random ones")
    return rows
