"""Several contacts: G = J M^-1 J', exact in double, and its answers under three laws.

A first answer comes from plain iterations in double (ADMM, or sweeps over contacts), and up to four contacts also from Newton's method on every
choice of which are open, stick and slip. Then the equations of these modes are solved by Newton's method with 60 digits, least squares where G is singular, and the
answer counts only if every inequality of the law holds with 1e-25 to spare in violation. Nothing here calls the library."""
import itertools

import mpmath as mp
import numpy as np

MODES = "osd"  # open, stick, slides


# ---- first answers, in double ------------------------------------------------------------------------------------------

def project(x, mu):
    """Nearest points of the cones."""
    x = x.reshape(-1, 3)
    t = np.hypot(x[:, 0], x[:, 1])
    n = (mu * t + x[:, 2]) / (1 + mu * mu)
    edge = np.column_stack([mu * n * x[:, 0] / np.maximum(t, 1e-300), mu * n * x[:, 1] / np.maximum(t, 1e-300), n])
    out = np.where((t <= mu * x[:, 2])[:, None], x, np.where((mu * t <= -x[:, 2])[:, None], 0.0, edge))
    return out.ravel()


def violation(G, c, mu, l, law):
    w = (G @ l + c).reshape(-1, 3).copy()
    if law == "ncp":
        w[:, 2] += mu * np.hypot(w[:, 0], w[:, 1])
    w = w.ravel()
    return np.abs(l - project(l - w, mu)).max()


def admm(G, c, mu, law, start, sweeps):
    """Alternating directions on the problem scaled to blocks of trace 3."""
    nc = len(mu)
    d = scales(G)
    Gs, cs = G * np.outer(d, d), c * d
    scale = np.abs(cs).max()
    y, u, rho = start / d, np.zeros(3 * nc), 0.3
    inverse = np.linalg.inv(Gs + rho * np.eye(3 * nc))
    for k in range(sweeps):
        shift = np.zeros(3 * nc)
        if law == "ncp":
            w = (Gs @ y + cs).reshape(-1, 3)
            shift[2::3] = mu * np.hypot(w[:, 0], w[:, 1])
        x = inverse @ (rho * (y - u) - cs - shift)
        mixed = 1.6 * x - 0.6 * y
        old, y = y, project(mixed + u, mu)
        u += mixed - y
        if k % 50 == 49:
            if violation(Gs, cs, mu, y, law) < 1e-11 * scale:
                break
            primal, dual = np.abs(x - y).max(), rho * np.abs(y - old).max()
            if k < sweeps // 2 and not 0.1 < primal / max(dual, 1e-300) < 10:
                factor = 3.0 if primal > dual else 1 / 3.0
                rho, u = rho * factor, u / factor
                inverse = np.linalg.inv(Gs + rho * np.eye(3 * nc))
    return y * d


def one_contact(G, c, mu, law):
    """The impulse of one contact while the others rest: of Coulomb's law, or of least energy (Hwangbo 2018)."""
    if c[2] >= 0:
        return np.zeros(3)
    still = -np.linalg.solve(G, c)
    if np.hypot(still[0], still[1]) <= mu * still[2]:
        return still
    k = mu * mu / G[2, 2] if law == "hwangbo" else 0.0

    def at(a):
        u = np.array([mu * np.cos(a), mu * np.sin(a), np.ones_like(a)])
        return u, G[2] @ u

    a = 2 * np.pi * np.arange(5) / 5
    u, under = at(a)
    w = -c[2] * (G[:2] @ u) + np.outer(c[:2], under)
    values = (u[0] + k * G[2, 0]) * w[1] - (u[1] + k * G[2, 1]) * w[0]
    f = np.fft.fft(values) / 5
    z = np.roots([f[2], f[1], f[0], f[-1], f[-2]])
    a = np.angle(z[np.abs(np.abs(z) - 1) < 1e-6])
    u, under = at(a)
    n = -c[2] / under
    l = n * u
    w = G @ l + c[:, None]
    good = n > 0 if law == "hwangbo" else (n > 0) & (u[0] * w[0] + u[1] * w[1] < 0)
    if not good.any():
        return np.zeros(3)
    e = l[:, good] - still[:, None]
    return l[:, good][:, np.argmin(np.einsum("ik,ij,jk->k", e, G, e))]


def sweeps(G, c, mu, law, start, most, relax):
    l, nc = start.copy(), len(mu)
    scale = np.abs(c).max() / (np.trace(G) / len(c))
    for _ in range(most):
        moved = 0.0
        for i in range(nc):
            at = slice(3 * i, 3 * i + 3)
            block = G[at, at]
            new = one_contact(block, G[at] @ l + c[at] - block @ l[at], mu[i], law)
            step = relax * (new - l[at])
            moved = max(moved, np.abs(step).max())
            l[at] += step
        if moved < 1e-10 * scale:
            break
    return l


def scales(G):
    """Per contact, so that its block of G has trace 3: a cone stays a cone."""
    return np.repeat([1 / np.sqrt(np.trace(G[i:i + 3, i:i + 3]) / 3) for i in range(0, len(G), 3)], 3)


def newton(G, c, mu, modes, law, random):
    """The equations of the modes in double, from a random start; None where that leads nowhere."""
    active = [i for i, mode in enumerate(modes) if mode != "o"]
    rows = [3 * i + k for i in active for k in range(3)]
    size, y = np.abs(c).max(), np.zeros(len(rows))
    for j, i in enumerate(active):
        y[3 * j:3 * j + 3] = (0, 0, size) if modes[i] == "s" else (size * random.uniform(0.1, 2), random.uniform(-np.pi, np.pi), size)
    for _ in range(40):
        l, D, S, push = np.zeros(len(c)), np.zeros((len(c), len(rows))), np.zeros((len(c), len(rows))), np.zeros(len(c))
        for j, i in enumerate(active):
            at, to = slice(3 * i, 3 * i + 3), slice(3 * j, 3 * j + 3)
            if modes[i] == "s":
                l[at], D[at, to] = y[to], np.eye(3)
                continue
            n, a, s = y[to]
            co, si, f = np.cos(a), np.sin(a), mu[i]
            l[at] = f * n * co, f * n * si, n
            D[at, to] = [[f * co, -f * n * si, 0], [f * si, f * n * co, 0], [1, 0, 0]]
            along, turned = direction(law, G[3 * i + 2, at], f, a, np)
            push[at] = s * np.array(along)
            S[at, to] = np.column_stack([np.zeros(3), s * np.array(turned), along])
        wrong = (G @ l + c - push)[rows]
        if np.abs(wrong).max(initial=0.0) < 1e-10 * size:
            return l
        y = y - np.linalg.lstsq((G @ D - S)[rows], wrong, rcond=1e-13)[0]
        if not np.abs(y).max() < 1e12 * size:
            return None
    return None


def every_mode(G, c, mu, law, random, tries):
    """What Newton's method finds in every choice of modes, as (modes, impulse)."""
    d = scales(G)
    Gs, cs = G * np.outer(d, d), c * d
    for modes in itertools.product(MODES, repeat=len(mu)):
        for _ in range(tries if "d" in modes else 1):
            l = newton(Gs, cs, mu, modes, law, random)
            if l is None:
                continue
            if plausible(Gs, cs, mu, modes, l, law):
                yield "".join(modes), l * d


def plausible(G, c, mu, modes, l, law):
    """The inequalities of the law, to 1e-6."""
    w, size = (G @ l + c).reshape(-1, 3), 1e-6 * np.abs(c).max()
    for mode, x, u, f in zip(modes, l.reshape(-1, 3), w, mu):
        slip, t = np.hypot(u[0], u[1]), np.hypot(x[0], x[1])
        if mode == "o" and u[2] < (f * slip if law == "ccp" else 0) - size:
            return False
        if mode == "s" and t > f * x[2] + size:
            return False
        # friction against the motion; with coupling Hwangbo's model (2018) turns it, and the last word is of 60 digits
        if mode == "d" and (x[2] < -size or (law != "hwangbo" and x[0] * u[0] + x[1] * u[1] > size * size)):
            return False
    return True


# ---- the equations of the modes, with 60 digits --------------------------------------------------------------------------

def modes_of(G, c, mu, l):
    d = scales(G)
    w, ls, ws = ((G @ l + c) * d).reshape(-1, 3), np.abs(l / d).max(), np.abs(c * d).max()
    out = ""
    for i, x in enumerate((l / d).reshape(-1, 3)):
        if np.abs(x).max() <= 1e-6 * ls:
            out += "o"
        elif np.abs(w[i]).max() <= 1e-6 * ws:
            out += "s"
        else:
            out += "d"
    return out


def direction(law, Gii, mu, a, of=mp):
    """Where a sliding contact moves, and its derivative by the angle."""
    co, si, k = of.cos(a), of.sin(a), 0
    if law == "hwangbo":
        k = mu * mu / Gii[2]
        return [-(mu * co + k * Gii[0]), -(mu * si + k * Gii[1]), 0], [mu * si, -mu * co, 0]
    return [-co, -si, mu if law == "ccp" else 0], [si, -co, 0]


def polish(G, c, mu, l, law, modes=None):
    """Modes, impulse and velocity of 60 digits, or None where the modes (those of `l` unless given) have no valid answer."""
    modes = modes or modes_of(G, c, mu, l)
    with mp.workdps(60):
        m = len(c)
        Gm, cm = [[mp.mpf(x) for x in row] for row in G], [mp.mpf(x) for x in c]
        mum, x = [mp.mpf(f) for f in mu], [mp.mpf(v) for v in l]
        w0 = [cm[i] + mp.fsum(Gm[i][k] * x[k] for k in range(m)) for i in range(m)]
        unknown = {}
        for i, mode in enumerate(modes):
            if mode == "s":
                unknown[i] = x[3 * i:3 * i + 3]
            elif mode == "d":
                a = mp.atan2(x[3 * i + 1], x[3 * i]) if mum[i] > 0 else mp.mpf(0)
                unknown[i] = [x[3 * i + 2], a, mp.hypot(w0[3 * i], w0[3 * i + 1])]
        rows = [3 * i + k for i in unknown for k in range(3)]
        size, impulse = len(rows), None
        for _ in range(60):
            impulse, D, S = [mp.mpf(0)] * m, mp.zeros(m, size), mp.zeros(m, size)
            push = [mp.mpf(0)] * m
            for j, (i, (p, q, r)) in enumerate(unknown.items()):
                if modes[i] == "s":
                    impulse[3 * i:3 * i + 3] = [p, q, r]
                    for k in range(3):
                        D[3 * i + k, 3 * j + k] = 1
                    continue
                co, si, f = mp.cos(q), mp.sin(q), mum[i]
                impulse[3 * i:3 * i + 3] = [f * p * co, f * p * si, p]
                D[3 * i, 3 * j], D[3 * i + 1, 3 * j], D[3 * i + 2, 3 * j] = f * co, f * si, 1
                D[3 * i, 3 * j + 1], D[3 * i + 1, 3 * j + 1] = -f * p * si, f * p * co
                along, turned = direction(law, Gm[3 * i + 2][3 * i:3 * i + 3], f, q)
                for k in range(3):
                    push[3 * i + k] = r * along[k]
                    S[3 * i + k, 3 * j + 1], S[3 * i + k, 3 * j + 2] = r * turned[k], along[k]
            w = [cm[i] + mp.fsum(Gm[i][k] * impulse[k] for k in range(m)) for i in range(m)]
            if not size:
                break
            wrong = mp.matrix([w[i] - push[i] for i in rows])
            A = mp.matrix([[mp.fsum(Gm[i][k] * D[k, j] for k in range(m)) - S[i, j] for j in range(size)] for i in rows])
            normal = A.T * A
            top = max(abs(normal[k, k]) for k in range(size))
            for k in range(size):
                normal[k, k] += top * mp.mpf(10) ** -32
            step = mp.lu_solve(normal, -(A.T * wrong))
            for j, i in enumerate(unknown):
                unknown[i] = [unknown[i][k] + step[3 * j + k] for k in range(3)]
            if max(abs(s) for s in wrong) < mp.mpf(10) ** -45 * max(abs(s) for s in cm):
                break
        return (modes, impulse, w) if valid(modes, impulse, w, cm, mum, Gm, law) else None


def valid(modes, impulse, w, c, mu, G, law):
    """The law, every line of it, with 1e-25 of what is allowed to be rounding."""
    vs, ls = max(abs(x) for x in c), max([abs(x) for x in impulse] + [mp.mpf(10) ** -30])
    tiny = mp.mpf(10) ** -25
    for i, mode in enumerate(modes):
        l, u, f = impulse[3 * i:3 * i + 3], w[3 * i:3 * i + 3], mu[i]
        t, slip = mp.hypot(l[0], l[1]), mp.hypot(u[0], u[1])
        if l[2] < 0 or t - f * l[2] > tiny * ls:
            return False
        if mode == "o":
            if (f * slip if law == "ccp" else 0) > u[2] + tiny * vs:
                return False
        elif mode == "s":
            if max(slip, abs(u[2])) > tiny * vs:
                return False
        elif law == "ccp":
            if f * slip - u[2] > tiny * vs or abs(mp.fsum(l[k] * u[k] for k in range(3))) > tiny * vs * ls:
                return False
        else:
            k = f * f * l[2] / G[3 * i + 2][3 * i + 2] if law == "hwangbo" else 0
            x, y = l[0] + k * G[3 * i + 2][3 * i], l[1] + k * G[3 * i + 2][3 * i + 1]
            if abs(u[2]) > tiny * vs or abs(t - f * l[2]) > tiny * ls:
                return False
            if f > 0 and (abs(x * u[1] - y * u[0]) > tiny * vs * mp.hypot(x, y) or x * u[0] + y * u[1] > 0):
                return False
    return True


def least_energy(G, c, mu, impulse):
    """Each contact's impulse is the one of least energy while the others rest: a stationary point may be another one."""
    l = np.array([float(x) for x in impulse])
    for i in range(len(mu)):
        at = slice(3 * i, 3 * i + 3)
        block = G[at, at]
        if np.abs(one_contact(block, G[at] @ l + c[at] - block @ l[at], mu[i], "hwangbo") - l[at]).max() > 1e-6 * np.abs(l).max():
            return False
    return True


def answers(G, c, mu, law, random, starts):
    """Different answers (by velocity), each (modes, impulse, velocity), and how many of the starts did not end in one; the first is from rest."""
    found, misses, enumerated = [], 0, False

    def take(first, modes=None):
        got = polish(G, c, mu, first, law, modes)
        if got is None or (law == "hwangbo" and not least_energy(G, c, mu, got[1])):
            return False
        w = np.array([float(x) for x in got[2]])
        if all(np.abs(w - other).max() > 1e-9 * np.abs(c).max() for _, _, other in found):
            found.append((got[0], [float(x) for x in got[1]], w))
        return True

    if len(mu) <= 4:
        seen = set()
        for modes, first in every_mode(G, c, mu, law, random, 6):
            key = modes, tuple(np.round((G @ first + c) / np.abs(c).max(), 7) + 0.0)
            if key not in seen and len(seen) < 12:
                seen.add(key)
                take(first, modes)
        starts, enumerated = (starts, False) if not found else (starts // 2, True)
    size = np.abs(c).max() / np.abs(np.diag(G)).mean()
    for k in range(starts):
        start = np.zeros(len(c)) if k == 0 else project(random.normal(size=len(c)) * size * 10 ** random.uniform(-1, 1), mu)
        if enumerated and law == "ccp":  # a convex problem has one velocity
            break
        if law == "hwangbo" or (law == "ncp" and (k % 2 or enumerated)):
            first = sweeps(G, c, mu, law, start, 300 if enumerated or k else 4000, 1.0 if k < 4 else random.uniform(0.4, 1))
        else:
            first = admm(G, c, mu, law, start, 40000 if k == 0 else 8000)
        misses += not take(first) and not enumerated
        if len(found) == 3:
            break
    return found, misses
