"""One contact in closed form: every solution of the law of Signorini and Coulomb, the answer of Hwangbo 2018, the convex minimum.

An impulse on the edge of the cone is n (mu cos a, mu sin a, 1). Each law asks for the angle a where a trigonometric polynomial vanishes; in
z = exp(i a) it is a polynomial, and all its roots are found with 40 digits, so no solution is missed. Nothing here calls the library."""
import mpmath as mp

DIGITS = 40
ON_CIRCLE = mp.mpf(10) ** -18


def matrix(rows):
    return mp.matrix([[mp.mpf(x) for x in row] for row in rows])


def velocity(G, c, impulse):
    return [c[i] + mp.fsum(G[i, k] * impulse[k] for k in range(3)) for i in range(3)]


def zeros_on_circle(function, degree):
    """Angles at which a real trigonometric polynomial of that degree vanishes."""
    n = 2 * degree + 1
    values = [function(2 * mp.pi * k / n) for k in range(n)]
    poly = [mp.fsum(values[k] * mp.expjpi(-2 * mp.mpf(j) * k / n) for k in range(n)) / n for j in range(degree, -degree - 1, -1)]
    least = max(abs(p) for p in poly) * mp.mpf(10) ** (8 - DIGITS)
    while poly and abs(poly[0]) <= least:
        poly.pop(0)
    while poly and abs(poly[-1]) <= least:
        poly.pop()
    if len(poly) < 2:
        return []
    roots = mp.polyroots(poly, maxsteps=2000, extraprec=80)
    return [mp.arg(z) for z in roots if abs(abs(z) - 1) < ON_CIRCLE]


def on_cone(mu, a):
    return [mu * mp.cos(a), mu * mp.sin(a), mp.mpf(1)]


def normal_load(G, c, mu, a):
    """n of the impulse on the cone that stops the normal motion, as (numerator, denominator)."""
    p = on_cone(mu, a)
    return -c[2], mp.fsum(G[2, k] * p[k] for k in range(3))


def tangential(G, c, mu, a):
    """denominator times w_T of that impulse."""
    top, under = normal_load(G, c, mu, a)
    p = on_cone(mu, a)
    return [top * mp.fsum(G[i, k] * p[k] for k in range(3)) + under * c[i] for i in range(2)]


def stick(G, c):
    return [x for x in mp.lu_solve(G, -c)]


def inside(impulse, mu):
    return mp.hypot(impulse[0], impulse[1]) <= mu * impulse[2]


def all_of_coulomb(G, c, mu):
    """[(mode, impulse), ..] in the order open, stick, slip."""
    found = []
    if c[2] >= 0:
        found.append(("open", [mp.mpf(0)] * 3))
    still = stick(G, c)
    if inside(still, mu):
        found.append(("stick", still))
    if mu == 0:
        if c[2] < 0:
            found.append(("slip", [mp.mpf(0), mp.mpf(0), -c[2] / G[2, 2]]))
        return found

    def across(a):
        x, y = tangential(G, c, mu, a)
        return mp.cos(a) * y - mp.sin(a) * x

    for a in zeros_on_circle(across, 2):
        top, under = normal_load(G, c, mu, a)
        n = top / under
        impulse = [n * x for x in on_cone(mu, a)]
        w = velocity(G, c, impulse)
        if n > 0 and mp.cos(a) * w[0] + mp.sin(a) * w[1] < 0:
            found.append(("slip", impulse))
    return found


def dissipation(G, c, mu):
    """Mode, impulse, energy: of the impulses on the cone that stop the normal motion, the one of least kinetic energy (Hwangbo 2018)."""
    still = stick(G, c)

    def energy(impulse):
        d = mp.matrix([impulse[i] - still[i] for i in range(3)])
        return (d.T * G * d)[0] / 2

    if c[2] >= 0:
        return "open", [mp.mpf(0)] * 3, energy([mp.mpf(0)] * 3)
    if inside(still, mu):
        return "stick", still, mp.mpf(0)
    if mu == 0:
        impulse = [mp.mpf(0), mp.mpf(0), -c[2] / G[2, 2]]
        return "slip", impulse, energy(impulse)
    k = mu * mu / G[2, 2]

    def across(a):
        x, y = tangential(G, c, mu, a)
        return (mu * mp.cos(a) + k * G[2, 0]) * y - (mu * mp.sin(a) + k * G[2, 1]) * x

    best = None
    for a in zeros_on_circle(across, 2):
        top, under = normal_load(G, c, mu, a)
        if top / under <= 0:
            continue
        impulse = [top / under * x for x in on_cone(mu, a)]
        if best is None or energy(impulse) < best[1]:
            best = impulse, energy(impulse)
    return ("slip", *best)


def convex(G, c, mu):
    """Mode and impulse that minimize l.G.l / 2 + c.l over the cone: l in K, w in K*, l.w = 0."""
    if mu * mp.hypot(c[0], c[1]) <= c[2]:
        return "open", [mp.mpf(0)] * 3
    still = stick(G, c)
    if inside(still, mu):
        return "stick", still
    if mu == 0:
        return "slip", [mp.mpf(0), mp.mpf(0), -c[2] / G[2, 2]]

    def parts(a):  # n = top / under makes l.w = 0
        p = mp.matrix(on_cone(mu, a))
        return -mp.fsum(p[i] * c[i] for i in range(3)), (p.T * G * p)[0], G * p

    def across(a):
        top, under, moved = parts(a)
        return mp.cos(a) * (top * moved[1] + under * c[1]) - mp.sin(a) * (top * moved[0] + under * c[0])

    for a in zeros_on_circle(across, 3):
        top, under, _ = parts(a)
        impulse = [top / under * x for x in on_cone(mu, a)]
        w = velocity(G, c, impulse)
        if top / under > 0 and mp.cos(a) * w[0] + mp.sin(a) * w[1] < 0 and w[2] > 0:
            return "slip", impulse
    raise ArithmeticError("a convex problem has a minimum")
