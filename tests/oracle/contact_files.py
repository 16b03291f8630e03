"""contact/single.json and contact/multi.json: problems from seeds, and their answers."""
from fractions import Fraction
import random as plain

import mpmath as mp
import numpy as np

import many_contacts
import single_contact as one

SINGLE_SEED, MULTI_SEED = 71, 4242
# What single.json holds of each kind. `three`: as many solutions of Coulomb's law; `lift`: open, though the convex model acts; `ill`: condition
# number above 1e6.
QUOTA = {"open": 3, "stick": 4, "ellipse": 9, "hyperbola": 5, "three": 3, "lift": 4, "ill": 4, "frictionless": 2, "isotropic": 2}
STARTS = 12


# ---- one contact -------------------------------------------------------------------------------------------------------

def draw(random, kind):
    """G, c, mu with few binary digits, so that they are what is printed."""
    size = {"ill": 2e-3, "isotropic": 1.0}.get(kind, 0.2)
    a = random.normal(size=(3, 4)) * np.array([1.0, random.uniform(0.3, 2), random.uniform(0.2, 1.5)])[:, None]
    if kind == "ill":
        a[0] = a[1] * random.uniform(0.5, 2) + size * random.normal(size=4)
    g = a @ a.T + (0 if kind == "ill" else size * 0.1) * np.eye(3)
    if kind == "isotropic":
        g = np.eye(3) * random.uniform(0.2, 3)
    g = np.round(g * 2 ** 24) / 2 ** 24
    c = np.round(random.normal(size=3) * 2 ** 16) / 2 ** 16
    c[2] = abs(c[2]) if kind in ("three", "open", "lift") else -abs(c[2])
    mu = {"frictionless": 0.0, "three": random.uniform(0.7, 2), "hyperbola": random.uniform(0.7, 2)}.get(kind, random.uniform(0.05, 1.3))
    return (g + g.T) / 2, c, round(mu, 3)


def hopeless(g, c, mu, kind):
    """In double, before the roots are looked for: an open contact has other answers only where it would stick."""
    still = -np.linalg.solve(g, c)
    return kind == "three" and not np.hypot(still[0], still[1]) < mu * still[2]


def clear(G, c, mu, solutions, best, lowest):
    """Not at the border between two modes, where rounding would decide."""
    wide = mp.mpf("1e-3")
    still = one.stick(G, c)
    if abs(c[2]) < wide or abs(mp.hypot(still[0], still[1]) - mu * still[2]) < wide * max(abs(x) for x in still):
        return False
    if abs(mu * mp.hypot(c[0], c[1]) - c[2]) < wide:
        return False
    for mode, impulse in solutions + [best, lowest]:
        w = one.velocity(G, c, impulse)
        if mode == "slip" and (mp.hypot(w[0], w[1]) < wide or impulse[2] < wide * wide):
            return False
    return all(max(abs(a - b) for a, b in zip(x[1], y[1])) > wide for i, x in enumerate(solutions) for y in solutions[:i])


def kind_of(G, c, mu, condition, solutions, best, lowest):
    count = len(solutions)
    if condition > 1e6:
        return "ill"
    if mu == 0:
        return "frictionless"
    if all(G[i, k] == 0 for i in range(3) for k in range(i)):
        return "isotropic"
    if count != 1:
        return {3: "three"}.get(count, "none")
    if solutions[0][0] == "open" and lowest[0] != "open":
        return "lift"  # it would only pass near, and the convex model acts
    if best[0] == "slip":
        return "ellipse" if mu * mp.hypot(G[2, 0], G[2, 1]) < G[2, 2] else "hyperbola"
    return best[0]


def numbers(values):
    """Doubles; what is whole without its point, so that files are short."""
    out = [float(x) for x in values]
    return [int(x) if x == int(x) and abs(x) < 1e15 else x for x in out]


def single():
    left, problems = dict(QUOTA), []
    random = np.random.default_rng(SINGLE_SEED)
    with mp.workdps(one.DIGITS):
        for turn in range(200000):
            wanted = [k for k, n in left.items() if n]
            if not wanted:
                break
            kind = wanted[turn % len(wanted)]
            g, c0, mu0 = draw(random, kind)
            condition = np.linalg.cond(g)
            if not 1 <= condition < 1e9 or np.linalg.eigvalsh(g)[0] <= 0 or hopeless(g, c0, mu0, kind):
                continue
            G, c, mu = one.matrix(g), mp.matrix([mp.mpf(x) for x in c0]), mp.mpf(mu0)
            solutions = one.all_of_coulomb(G, c, mu)
            mode, impulse, energy = one.dissipation(G, c, mu)
            lowest = one.convex(G, c, mu)
            found = kind_of(G, c, mu, condition, solutions, (mode, impulse), lowest)
            if not left.get(found) or not clear(G, c, mu, solutions, (mode, impulse), lowest):
                continue
            left[found] -= 1

            def entry(name, l):
                return {"mode": name, "lam": numbers(l), "v": numbers([0 if abs(x) < 1e-25 else x for x in one.velocity(G, c, l)])}

            problems.append({"id": len(problems), "kind": found, "mu": mu0, "G": [numbers(row) for row in g], "c": numbers(c0), "cond_G": float(condition),
                             "ncp": {"n_solutions": len(solutions), "solutions": [entry(*s) for s in solutions]},
                             "hwangbo": {**entry(mode, impulse), "E": float(energy)}, "ccp": entry(*lowest), "lambda_v0": numbers(one.stick(G, c))})
    if any(left.values()):
        raise ArithmeticError(f"not found: {left}")
    return {"format": "oracle-contact-single-1", "how": "tests/oracle/make.py: random problems, answers by all roots of a polynomial, 40 digits",
            "conventions": "v = G lam + c, z the normal, |lam_T| <= mu lam_z; ncp: every solution; hwangbo: least energy, E; ccp: the convex minimum",
            "seed": SINGLE_SEED, "problems": problems}


# ---- several contacts --------------------------------------------------------------------------------------------------

def dyadic(random, least, most, parts):
    return Fraction(random.randint(int(least * parts), int(most * parts)), parts)


def exact(values):
    """Fractions as doubles. ArithmeticError: one is not exactly a double."""
    for row in values:
        for x in row:
            if Fraction(float(x)) != x:
                raise ArithmeticError(f"{x} is not exactly a double")
    return np.array([[float(x) for x in row] for row in values])


def times(A, B):
    return [[sum((a * b for a, b in zip(row, column) if a and b), Fraction(0)) for column in zip(*B)] for row in A]


def inertia_of_bodies(powers):
    """Free bodies: mass and moments 2^p; M and its inverse."""
    n = len(powers)
    return ([[Fraction(2) ** powers[i] if i == k else Fraction(0) for k in range(n)] for i in range(n)],
            [[Fraction(2) ** -powers[i] if i == k else Fraction(0) for k in range(n)] for i in range(n)])


def inertia_of_joints(random, n):
    """A dense M = L D L' and its inverse, both exact: L is unit lower triangular with few entries, D has powers of two."""
    L = [[Fraction(int(i == k)) for k in range(n)] for i in range(n)]
    for i in range(1, n):
        for k in random.sample(range(i), min(i, 2)):
            L[i][k] = dyadic(random, -1, 1, 4)
    inverse = [[Fraction(int(i == k)) for k in range(n)] for i in range(n)]
    for i in range(n):
        for k in range(i):
            if L[i][k]:
                inverse[i] = [a - L[i][k] * b for a, b in zip(inverse[i], inverse[k])]
    powers = [random.randint(-2, 2) for _ in range(n)]
    D = inertia_of_bodies(powers)
    return times(times(L, D[0]), list(zip(*L))), times(times(list(zip(*inverse)), D[1]), inverse)


def point(body, bodies, r, sign=1):
    """Rows of J of a point r of a free body (velocity in world axes, spin), z the normal."""
    cross = [[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]]  # -[r]x
    rows = [[Fraction(0)] * (6 * bodies) for _ in range(3)]
    for i in range(3):
        rows[i][6 * body + i] = Fraction(sign)
        for k in range(3):
            rows[i][6 * body + 3 + k] = Fraction(sign * cross[i][k])
    return rows


def both(a, b):
    return [[x + y for x, y in zip(p, q)] for p, q in zip(a, b)]


def plate(random, feet, mass):
    """A rigid body on `feet` points: more than two make G singular."""
    r = [(dyadic(random, -1, 1, 16), dyadic(random, -1, 1, 16), Fraction(-1, 4)) for _ in range(feet)]
    J = [row for p in r for row in point(0, 1, p)]
    return inertia_of_bodies([mass] * 3 + [mass - 3, mass - 3, mass - 2]), J


def tower(random, levels, ratio):
    """Bodies on top of each other, two points between each two; the mass grows by 2^ratio in all."""
    powers, J = [], []
    for b in range(levels):
        mass = ratio * b // max(levels - 1, 1)
        powers += [mass] * 3 + [mass - 4] * 3
        for side in (-1, 1):
            x, y = Fraction(side, 4), dyadic(random, -0.25, 0.25, 32)
            rows = point(b, levels, (x, y, Fraction(-1, 8)))
            J += both(rows, point(b - 1, levels, (x, y, Fraction(1, 8)), -1)) if b else rows
    return inertia_of_bodies(powers), J


def legs(random, contacts, joints):
    J = [[dyadic(random, -1, 1, 16) if random.random() < 0.6 else Fraction(0) for _ in range(joints)] for _ in range(3 * contacts)]
    return inertia_of_joints(random, joints), J


KINDS = ([("legs", (2, 7)), ("legs", (2, 6)), ("legs", (3, 10)), ("legs", (4, 13)), ("legs", (3, 6)), ("legs", (4, 9))] +
         [("plate", (2, 0)), ("plate", (3, 1)), ("plate", (4, 0)), ("plate", (4, 3)), ("plate", (6, 0)), ("plate", (5, -2))] +
         [("tower", (1, 0)), ("tower", (2, 0)), ("tower", (2, 10)), ("tower", (2, 17)), ("tower", (2, 20)), ("tower", (2, -10)), ("tower", (3, 4))])
BUILDERS = {"legs": legs, "plate": plate, "tower": tower}


def problem(random, kind, arguments):
    (M, inverse), J = BUILDERS[kind](random, *arguments)
    G = exact(times(times(J, inverse), list(zip(*J))))
    nv = len(M)
    along = random.choice((1, 0.25))  # the less it moves along the ground, the more sticks
    free = [[dyadic(random, -1, 1, 64) if kind == "legs" else dyadic(random, -along, along, 64)] for _ in range(nv)]
    for k in range(nv):
        if kind != "legs" and k % 6 == 2:
            free[k] = [dyadic(random, -1.5, -0.5, 64)]
    g = exact(times(J, free)).ravel()
    mu = [round(random.uniform(0.2, 1.3), 2) for _ in range(len(g) // 3)]
    return exact(M), exact(J), exact(free).ravel(), G, g, np.array(mu)


def interesting(kind, modes):
    """Two contacts act, and something slides in a tower: heavy on light that all sticks is a linear system."""
    return len(modes) - modes.count("o") >= min(len(modes), 2) and (kind != "tower" or "d" in modes)


def sweeps_arrive(G, g, mu, w):
    """Whether plain sweeps over the contacts, from rest, come to the fixed point with velocity `w`; at large mass ratios they need millions."""
    l = many_contacts.sweeps(G, g, mu, "hwangbo", np.zeros(len(g)), 2000, 1.0)
    return bool(np.abs(G @ l + g - w).max() <= 1e-6 * np.abs(g).max())


def multi():
    problems, random, starts = [], plain.Random(MULTI_SEED), np.random.default_rng(MULTI_SEED)
    for kind, arguments in KINDS:
        for _ in range(40):
            M, J, free, G, g, mu = problem(random, kind, arguments)
            if np.abs(g).max() < 0.1 or min(np.linalg.eigvalsh(G[i:i + 3, i:i + 3])[0] for i in range(0, len(g), 3)) < 1e-9:
                continue
            values = np.linalg.eigvalsh(G)
            kept = values[values > 1e-12 * values[-1]]
            lowest, missed = many_contacts.answers(G, g, mu, "ccp", starts, 3)
            full, missing = many_contacts.answers(G, g, mu, "ncp", starts, STARTS)
            # two contacts act, and the modes are clear: the first answer of the convex model and of the law was found
            if len(lowest) == 1 and not missed and full and missing <= STARTS // 3 and interesting(kind, full[0][0]):
                break
        else:
            raise ArithmeticError(f"{kind} {arguments}: no clear problem")
        per_contact, _ = many_contacts.answers(G, g, mu, "hwangbo", starts, 6)
        condition = float(kept[-1] / kept[0])
        singular = len(kept) < len(values)
        G_rows, fixed = [numbers(row) for row in G], {"converged": any(sweeps_arrive(G, g, mu, p[2]) for p in per_contact)}
        if per_contact:
            fixed.update(modes=per_contact[0][0], lam=numbers(per_contact[0][1]), v=numbers(tidy(per_contact[0][2])))
        problems.append({
            "id": len(problems), "source": f"{kind} {arguments}", "nc": len(mu), "mu": numbers(mu), "rank_G": len(kept), "full_rank": not singular,
            "cond_G_nonzero": condition, "G": G_rows, "g": numbers(g), "M": [numbers(row) for row in M], "J": [numbers(row) for row in J],
            "v_free": numbers(free),
            "ncp": {"starts": STARTS, "not_ended": missing, "velocity_unique_over_starts": len(full) == 1,
                    "solutions": [{"modes": m, "lam": numbers(l), "v": numbers(tidy(w))} for m, l, w in full[:2]]},
            "ccp": {"modes": lowest[0][0], "lam": numbers(lowest[0][1]), "v": numbers(tidy(lowest[0][2]))},
            "hwangbo_fixed_point": fixed,
            "compare": {"ncp_velocity": len(full) == 1, "ncp_impulse": len(full) == 1 and not singular, "ccp_velocity": True,
                        "ccp_impulse": not singular, "tolerance_velocity_rel": max(1e-9, 1e-15 * condition)}})
        print(f"multi {len(problems) - 1}: {kind} {arguments}, condition {condition:.1e}, modes {full[0][0]}, {len(full)} answers, "
              f"{missing} starts did not end, per contact {[p[0] for p in per_contact]}", flush=True)
    return {"format": "oracle-contact-multi-1", "how": "tests/oracle/make.py: G = J M^-1 J' without rounding, answers by Newton's method with 60 digits",
            "conventions": "per contact (x, y, z), z the normal; v = G lam + g, g = J v_free; modes: o open, s stick, d slide. `compare`: what is unique",
            "seed": MULTI_SEED, "problems": problems}


def tidy(velocity):
    return [0 if abs(x) < 1e-25 else x for x in velocity]
