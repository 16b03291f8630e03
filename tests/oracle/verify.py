#!/usr/bin/env python3
"""Checks every stored answer of tests/oracle in plain double arithmetic, by other means than those that made it; numpy alone.

single.json    each solution by its law; that there are no others by a walk around the cone; the least energy by the same walk
multi.json     G = J M^-1 J' and g = J v_free; every answer by its law, scale-free, to 1e-12; per-contact ones by a walk around each cone
analytic.json  slides step by step, what is dragged and what bounces by small steps, motions by their energies and momenta
rbd/           M, bias and acc by Newton and Euler's recursion on forces, as in no line of bodies.py; kinetic energy; com as the gradient of potential"""
import json
import math
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
A = np.array


def load(name):
    with open(HERE / name, encoding="utf-8") as file:
        return json.load(file)


def expect(good, *what):
    if not good:
        raise SystemExit("wrong: " + " ".join(str(w) for w in what))


# ---- contacts ----------------------------------------------------------------------------------------------------------

def broken(G, c, mu, l, law):
    """How far the law is from held: impulses by the largest of them, velocities by the largest of c."""
    w = G @ l + c
    ls, ws, worst = max(np.abs(l).max(), 1e-300), np.abs(c).max(), 0.0
    for i, f in enumerate(mu):
        a, u = l[3 * i:3 * i + 3] / ls, w[3 * i:3 * i + 3] / ws
        t, slip = math.hypot(*a[:2]), math.hypot(*u[:2])
        worst = max(worst, t - f * a[2])
        if law == "ccp":
            worst = max(worst, f * slip - u[2], abs(a @ u))
            continue
        worst = max(worst, -u[2], abs(a[2] * u[2]))
        x = a[:2] + (f * f * a[2] / G[3 * i + 2, 3 * i + 2] * G[3 * i + 2, 3 * i:3 * i + 2] if law == "hwangbo" else 0)
        length = math.hypot(*x) if law == "hwangbo" else f * a[2]
        worst = max(worst, *np.abs(x * slip + length * u[:2]))
    return worst


def around(G, c, mu, n=40001):
    """Impulses on the edge of the cone that stop the normal motion, and what they leave; a walk around it."""
    a = np.linspace(0.0, 2 * np.pi, n)
    p = A([mu * np.cos(a), mu * np.sin(a), np.ones(n)])
    load = -c[2] / (G[2] @ p)
    w = G @ (load * p) + c[:, None]
    return load, load * p, w, np.cos(a), np.sin(a)


def count_slips(G, c, mu):
    load, _, w, co, si = around(G, c, mu)
    across, along = co * w[1] - si * w[0], co * w[0] + si * w[1]
    turn = (across[:-1] * across[1:] < 0) & (along[:-1] < 0) & (along[1:] < 0) & (load[:-1] > 0) & (load[1:] > 0)
    return int(turn.sum())


def least_energy(G, c, mu, l):
    """No impulse of the walk is better than l; the walk meets it only to its own step."""
    load, p, _, _, _ = around(G, c, mu, 20001)
    p = p[:, load > 0]
    least = (np.einsum("ik,ij,jk->k", p, G, p) / 2 + c @ p).min()
    return l @ G @ l / 2 + c @ l <= least + 1e-9 * abs(least)


def check_single():
    worst, count = 0.0, 0
    for p in load("contact/single.json")["problems"]:
        G, c, mu = A(p["G"], float), A(p["c"], float), p["mu"]
        still, allowed = -np.linalg.solve(G, c), 1e-12 * max(1.0, 1e-4 * p["cond_G"])
        for law, stored in [("ncp", s) for s in p["ncp"]["solutions"]] + [("ccp", p["ccp"]), ("hwangbo", p["hwangbo"])]:
            l = A(stored["lam"], float)
            r = broken(G, c, [mu], l, law) / allowed * 1e-12
            worst, count = max(worst, r), count + 1
            expect(r <= 1e-12, "single", p["id"], law, r)
            expect(np.abs(G @ l + c - A(stored["v"])).max() <= 1e-13 * max(1, np.abs(G).max() * np.abs(l).max()), "single", p["id"], law, "velocity")
        sticks = math.hypot(*still[:2]) <= mu * still[2]
        expect(len(p["ncp"]["solutions"]) == int(c[2] >= 0) + int(sticks) + (count_slips(G, c, mu) if mu > 0 else int(c[2] < 0)), "single", p["id"], "number of solutions")
        expect(p["hwangbo"]["mode"] == ("open" if c[2] >= 0 else "stick" if sticks else "slip"), "single", p["id"], "mode")
        expect(p["hwangbo"]["mode"] != "slip" or least_energy(G, c, mu, A(p["hwangbo"]["lam"])), "single", p["id"], "energy")
    print(f"single.json: {count} answers, law held to {worst:.1e}")


def check_multi():
    worst, count = dict.fromkeys(("ncp", "ccp", "hwangbo"), 0.0), 0
    for p in load("contact/multi.json")["problems"]:
        G, g, mu, J, M = A(p["G"], float), A(p["g"], float), A(p["mu"], float), A(p["J"], float), A(p["M"], float)
        expect(np.abs(J @ np.linalg.solve(M, J.T) - G).max() <= 1e-12 * np.abs(G).max() and np.array_equal(J @ A(p["v_free"], float), g), "multi", p["id"], "G, g")
        expect(np.linalg.matrix_rank(G, 1e-12 * np.linalg.norm(G, 2)) == p["rank_G"], "multi", p["id"], "rank")
        stored = [("ncp", s) for s in p["ncp"]["solutions"]] + [("ccp", p["ccp"])]
        if "lam" in p["hwangbo_fixed_point"]:
            stored.append(("hwangbo", p["hwangbo_fixed_point"]))
        for law, s in stored:
            l = A(s["lam"], float)
            r = broken(G, g, mu, l, law)
            # the rounding of G l, where the impulses of heavy bodies cancel
            allowed = 1e-12 + 1e-15 * (np.abs(G) @ np.abs(l)).max() / np.abs(g).max()
            worst[law], count = max(worst[law], r), count + 1
            expect(r <= allowed, "multi", p["id"], law, r, allowed)
            for i in range(len(mu)) if law == "hwangbo" else ():
                at = slice(3 * i, 3 * i + 3)
                free = G[at] @ l + g[at] - G[at, at] @ l[at]
                expect(s["modes"][i] != "d" or least_energy(G[at, at], free, mu[i], l[at]), "multi", p["id"], "energy of contact", i)
    print(f"multi.json: {count} answers, laws held to", ", ".join(f"{k} {v:.1e}" for k, v in worst.items()))


# ---- closed forms ------------------------------------------------------------------------------------------------------

def check_slide(s, e):
    v, x, k = s["v0"][0], 0.0, 0
    while v > 0:
        v, k = max(v - s["mu"] * 9.81 * s["dt"], 0.0), k + 1
        x += v * s["dt"]
    return k == e["first_step_at_rest"] and abs(x - e["distance_discrete_semi_implicit"]) < 1e-12 and abs(x - e["distance_continuous"]) < s["v0"][0] * s["dt"]


def check_dragged(s, e):
    rate, cap = (float(x) for x in s["force"].removeprefix("min(").split(")")[0].split("*t, "))
    v = x = 0.0
    n = 200000
    for k in range(n):
        v = max(v + (min(rate * (k + 0.5) / n, cap) - s["mu"] * 9.81) / n, 0.0)
        x += v / n
    return abs(v - e["velocity_at_t1"]) < 1e-3 and abs(x - e["position_at_t1"]) < 1e-3


def check_bounce(s, e):
    z, v, t, dt, times, tops = s["height"], 0.0, 0.0, 1e-5, [], []
    while len(times) < 3:
        v, t = v - 9.81 * dt, t + dt
        z += v * dt
        if z <= 0 and v < 0:
            v, z = -s["restitution"] * v, 0.0
            times.append(t)
            tops.append(v * v / (2 * 9.81))
    return np.abs(A(times) - e["impact_times"][:3]).max() < 1e-3 and np.abs(A(tops) - e["apex_heights"][:3]).max() < 1e-3


def check_tumbling(s, e):
    I, w0 = A(s["inertia"]), A(s["omega0_body"])
    for p in e["trajectory"]:
        w, (a, b, c, d) = A(p["omega_body"]), p["q_wxyz"]
        R = A([[1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)], [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
               [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)]])
        if np.abs(R @ (I * w) - I * w0).max() > 1e-13 or abs(w @ (I * w) / 2 - e["kinetic_energy"]) > 1e-13:
            return False
    return True


def check_top(s, e):
    """Runge and Kutta on the body's quaternion: no angle, no momentum that is constant by itself."""
    I, r = A([s["I1_about_pivot"], s["I1_about_pivot"], s["I3"]]), s["com_distance"]
    y = A([math.cos(s["theta0"] / 2), 0, math.sin(s["theta0"] / 2), 0, 0, 0, s["spin_about_axis"]])

    def rate(y):
        (a, b, c, d), w = y[:4], y[4:]
        down = A([2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)])
        torque = np.cross([0, 0, r], -9.81 * down)
        return np.concatenate([0.5 * A([-b * w[0] - c * w[1] - d * w[2], a * w[0] + c * w[2] - d * w[1], a * w[1] + d * w[0] - b * w[2], a * w[2] + b * w[1] - c * w[0]]),
                               (torque - np.cross(w, I * w)) / I])

    n, worst = 5000, 0.0
    for k in range(1, n + 1):
        h = 0.5 / n
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
        for p in e["trajectory"]:
            if k == round(p["t"] / h):
                a, b, c, d = y[:4]
                axis = 2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)
                worst = max(worst, abs(math.acos(axis[2]) - p["theta"]), abs(math.atan2(axis[1], axis[0]) - p["phi"]))
    return worst < 1e-8


def check_pendulum(s, e):
    def energy(a, b, da, db):
        return 2 * da * da / 3 + db * db / 6 + da * db * math.cos(a - b) / 2 - 9.81 * (1.5 * math.cos(a) + 0.5 * math.cos(b))
    return all(abs(energy(*p["theta"], *p["theta_dot"]) - energy(*s["initial"])) < 1e-12 for p in e["trajectory"])


def check_swings(_, e):
    for n in (int(k) for k in e["lowest_angular_frequencies"]):
        rods = np.tril(np.ones((n, n)), -1) + np.eye(n) / 2  # centre of rod i from the angles
        K = np.diag(9.81 * rods.sum(axis=0))
        w = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(rods.T @ rods + np.eye(n) / 12, K)).real))
        if np.abs(w[:5] / e["lowest_angular_frequencies"][str(n)] - 1).max() > 1e-10:
            return False
    return True


def check_analytic():
    checks = {"slide_": check_slide, "dragged_": check_dragged, "bounce_": check_bounce, "free_rigid": check_tumbling, "heavy": check_top,
              "double": check_pendulum, "chain_": check_swings}
    done = 0
    for c in load("contact/analytic.json")["cases"]:
        for start, check in checks.items():
            if c["id"].startswith(start):
                expect(check(c["setup"], c["expected"]), "analytic", c["id"])
                done += 1
    print(f"analytic.json: {done} cases simulated")


def main():
    check_single()
    check_multi()
    check_analytic()
    import verify_bodies
    verify_bodies.main(HERE, ROOT, expect)
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
