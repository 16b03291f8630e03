"""004, the contact models: Fig. 14 (compliance) and Tables II, III, every tick measured."""
import myriapod
import numpy as np
import paper_004_solvers as solvers

PASS = 1e-6  # violation below which a law counts as kept


def compliance(report):
    """Fig. 14: a standing Solo-12, pushed; compliant contacts sink, creep, and share the load."""
    figure, axes = report.plots(3, "004 Fig. 14: Solo-12 standing, 10 N along x, NCP (admm-ncp), compliance [m/N]", width=4)
    values, steps, dt = [0.0, 1e-8, 1e-7, 1e-6], 200 if report.quick else 600, 1e-3
    sinking, creeping, spread, rows = [], [], [], []
    for value in values:
        with myriapod.Batch("solo12", 1, precision="f64", threads=1, solver="admm-ncp", tolerance=1e-9, max_sweeps=10000, friction=0.9, compliance=value,
                            compliance_tangent=value, sense=("contacts",)) as batch:
            wrench = np.zeros((1, batch.model.info.n_bodies, 6))
            wrench[0, 0, 0] = 10.0
            batch.step(200)
            batch.set("wrench", wrench)
            depth, across, touching = [], [], []
            for _ in range(steps):
                batch.step()
                impulse, point = batch.impulse[0], batch.contact_point[0]
                on = impulse[:, 2] > 0
                touching.append(on)
                depth.append(point[:, 2].copy())
                across.append(impulse[:, 1] / dt)
            depth, touching, across = np.array(depth), np.array(touching), np.array(across)
            always = touching.all(0)
            rate = np.diff(depth[:, always], axis=0) / dt
            along = np.abs(rate).mean() if always.any() else np.nan
            sinking.append(along)
            spread.append(np.abs(across[-1, always]).max() if always.any() else np.nan)
            axes[0].plot(dt * np.arange(steps), 1e3 * depth[:, always].mean(1), label=f"{value:g}")
            axes[1].plot(dt * np.arange(steps - 1), rate.mean(1))
            axes[2].plot(dt * np.arange(steps), across[:, always], lw=0.7)
            creeping.append(batch.q[0, 0])
            rows.append([value, along, spread[-1], batch.q[0, 0]])
    axes[0].set(xlabel="t [s]", ylabel="depth of the feet [mm]")
    axes[1].set(xlabel="t [s]", ylabel="normal velocity of the feet [m/s]")
    axes[2].set(xlabel="t [s]", ylabel="forces of the feet along y [N]")
    axes[0].legend(fontsize=7)
    ratio = sinking[2] / sinking[1]
    report.claim(5 < ratio < 15, f"the velocity into the ground grows with R: {', '.join(f'{s:.1e}' for s in sinking)} m/s; times {ratio:.1f} for ten times R")
    report.claim(sinking[0] < 1e-6, f"hard contacts: {sinking[0]:.1e} m/s")
    report.table("fig14", ["compliance_m_per_N", "normal_velocity_ms", "force_y_N", "x_m"], rows)
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


def ticks(report):
    """Tables II and III: what each model keeps and each algorithm does, measured."""
    random = np.random.default_rng(4)
    n = 40 if report.quick else 400
    problems = [random_problem(random, 1 + k % 4) for k in range(n)]
    printed = {"pgs-lcp": ("LCP", "  x", "~", "  x"), "admm-ccp": ("CCP", "-", "  x", "  x"), "bisection": ("RaiSim", "  x", "  x", "-"), "pgs-004": ("NCP", "  x", "  x", "  x"),
               "admm-ncp": ("NCP", "  x", "  x", "  x")}
    rows = []
    report.say("  Table II, violations on %d random coupled problems (median, largest) by the most exact solver of each model" % n)
    for solver, (model, *paper) in printed.items():
        got = []
        for k, (G, c, mu) in enumerate(problems):
            r = myriapod.solve(G, c, mu, solver=solver, tolerance=1e-10, max_sweeps=20000)
            if r.converged:
                got.append(laws(G, c, mu, r))
        got = np.array(got)
        kept = [bool((got[:, k] < PASS).all()) for k in range(3)]
        rows.append(["II", model, solver, len(got), *got.max(0), *kept])
        report.say(f"    {model:7} {solver:10} {len(got):4} solved; Signorini {np.median(got[:, 0]):.0e} {got[:, 0].max():.0e}, cone {got[:, 1].max():.0e}, "
                   f"dissipation {np.median(got[:, 2]):.0e} {got[:, 2].max():.0e}")
    keeps = {row[2]: row[7:] for row in rows}
    report.claim(keeps["pgs-004"] == [True] * 3 and keeps["admm-ncp"] == [True] * 3, "NCP keeps all three")
    report.claim(not keeps["admm-ccp"][0] and keeps["admm-ccp"][1], "CCP breaks Signorini, keeps the cone")
    report.claim(keeps["bisection"][0] and keeps["bisection"][1] and not keeps["bisection"][2], "RaiSim keeps Signorini and the cone, breaks maximum dissipation")
    report.claim(keeps["pgs-lcp"][0] and not keeps["pgs-lcp"][1], "LCP keeps Signorini, the round cone only approximately")

    # Table III: hard contacts; internal forces on a redundant problem; robust: mass ratio 1e6; how many random problems converge.
    redundant = redundant_cube()
    report.say("  Table III: largest penetration velocity, internal forces of a cube on four corners, mass ratio 1e6, share of the random problems solved")
    for solver in solvers.SOLVERS:
        deep, solved = 0.0, 0
        for G, c, mu in problems:
            r = myriapod.solve(G, c, mu, solver=solver, tolerance=1e-8, max_sweeps=20000)
            solved += r.converged
            if r.converged:
                deep = max(deep, -r.velocity[:, 2].min())
        inside = myriapod.solve(*redundant, solver=solver, tolerance=1e-9, max_sweeps=20000, minimum=True)
        robust = myriapod.solve(*solvers.stack_problem(1e6), solver=solver, tolerance=1e-8, max_sweeps=10000)
        rows.append(["III", "", solver, solved, deep, inside.internal, robust.residual, deep < PASS, inside.internal < 1e-4, robust.converged])
        report.say(f"    {solver:17} penetration {deep:.0e} m/s{' hard' if deep < PASS else ' soft'}; internal {inside.internal:.1e}; ratio 1e6: {robust.status}, {robust.residual:.0e}; "
                   f"{solved} of {n} solved")
    table = {row[2]: row for row in rows if row[0] == "III"}
    report.claim(all(table[s][7] for s in ("pgs-lcp", "pgs-004", "pgs-ccp", "admm-ccp", "admm-ncp", "bisection", "staggered")), "hard contacts by all but the two Newton methods")
    report.claim(not table["newton-diag"][7] and not table["newton-compliant"][7], "MuJoCo's and Drake's contacts are soft")
    report.claim(all(table[s][8] for s in ("admm-ccp", "staggered")), "ADMM and staggered projections leave no internal forces")
    report.claim(not table["pgs-004"][8] and not table["bisection"][8], "PGS and RaiSim do")
    report.table("tables", ["table", "model", "solver", "solved", "a", "b", "c", "tick_a", "tick_b", "tick_c"], rows)


def redundant_cube(edge=0.2, push=2.0, dt=1e-3, g=9.81):
    """A cube of 1 kg on four corners, pushed along x by less than friction can hold."""
    corners = [np.array([x, y, -1]) * edge / 2 for x in (-1, 1) for y in (-1, 1)]
    J = np.vstack([np.hstack([np.eye(3), -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])]) for r in corners])
    inverse = np.diag(np.r_[1.0, 1, 1, [6 / edge**2] * 3])
    return J @ inverse @ J.T, J @ np.array([push * dt, 0, -g * dt, 0, 0, 0]), np.full(4, 0.4)
