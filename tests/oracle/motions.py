"""contact/analytic.json: motions that a formula gives, or an ordinary differential equation written from Lagrange's or Euler's equations and
integrated by Taylor series with 25 digits. Names and parameters of the contact cases are those of tests/laws/test_laws_contact.c and test_laws_impact.c.

Every case is of 1 kg under g = 9.81 m/s^2 and steps of 1 ms unless it says otherwise."""
from fractions import Fraction
import math

import mpmath as mp

G = Fraction("9.81")
DT = Fraction("0.001")


def case(name, title, setup, expected):
    return {"id": name, "title": title, "setup": setup, "expected": expected}


# ---- blocks ------------------------------------------------------------------------------------------------------------

def slides():
    """v_k = v_0 - k mu g dt down to 0; x_k = x_(k-1) + v_k dt."""
    for mu, v0 in (("0.1", 1), ("0.3", 1), ("0.4", 1), ("0.5", 2), ("0.8", 3)):
        loss = Fraction(mu) * G * DT
        full = math.ceil(v0 / loss) - 1
        distance = DT * (full * v0 - loss * full * (full + 1) / 2)
        yield case(f"slide_stop_mu{mu}_v{v0}", "a block slides to rest", {"mass": 1, "mu": float(mu), "v0": [v0, 0, 0], "dt": float(DT)}, {
            "distance_continuous": float(Fraction(v0 * v0) / (2 * Fraction(mu) * G)), "distance_discrete_semi_implicit": float(distance),
            "full_slip_steps": full, "first_step_at_rest": full + 1, "lateral_displacement": 0, "normal_velocity": 0,
            "total_normal_impulse_per_step": float(G * DT)})


def inclines():
    """Rests where tan(angle) <= mu, else a = g (sin - mu cos); x after n steps is a dt^2 n (n + 1) / 2."""
    steps, degree, critical = 1000, mp.pi / 180, mp.atan(mp.mpf("0.5"))
    little = degree / 10000
    for name, mu, angle, sticks in (("stick", "0.5", 20 * degree, True), ("just_below", "0.5", critical - little, True), ("at", "0.5", critical, True),
                                    ("just_above", "0.5", critical + little, False), ("slip", "0.3", 30 * degree, False),
                                    ("steep", "0.9", 60 * degree, False), ("frictionless", "0", 15 * degree, False)):
        g, dt = mp.mpf("9.81"), mp.mpf("0.001")
        a = mp.mpf(0) if sticks else g * (mp.sin(angle) - mp.mpf(mu) * mp.cos(angle))
        yield case(f"incline_{name}", "a block at rest on an incline", {"mass": 1, "mu": float(mu), "angle_rad": float(angle), "dt": 0.001, "steps": steps}, {
            "sticks": sticks, "acceleration_along_slope": float(a), "speed_after_steps": float(a * steps * dt),
            "distance_discrete_semi_implicit": float(a * dt * dt * steps * (steps + 1) / 2)})


def dragged():
    """Slips once min(rate t, cap) exceeds mu g; from there on speed and place are integrals of the force's."""
    for name, mu, rate, cap in (("caption", "0.4", "20", None), ("contactbench_cube_example", "0.4", "39.24", "17.6580"), ("contactbench_mu0.9", "0.9", "39.24", "17.6580")):
        f, r = Fraction(mu) * G, Fraction(rate)
        start = f / r
        bend = min(Fraction(cap) / r, 1) if cap else Fraction(1)
        ramp, rest = bend - start, 1 - bend
        speed = r * ramp ** 2 / 2
        place = r * ramp ** 3 / 6 + speed * rest
        if cap:
            speed, place = speed + (Fraction(cap) - f) * rest, place + (Fraction(cap) - f) * rest ** 2 / 2
        yield case(f"dragged_cube_{name}", "a cube is dragged by a growing force", {
            "mass": 1, "edge": 0.2, "mu": float(mu), "force": f"min({rate}*t, {cap or 'inf'}) N along x at the centre"},
            {"slip_starts_at_t": float(start), "velocity_at_t1": float(speed), "position_at_t1": float(place)})


def pyramids():
    """The box pyramid brakes each axis of the contact by mu g alone."""
    for angle in (15, 30, 45, 60):
        v = [mp.cos(angle * mp.pi / 180), -mp.sin(angle * mp.pi / 180)]
        brake = mp.mpf("0.4") * mp.mpf("9.81")
        yield case(f"lcp_bias_{angle}", "a block slides at an angle to the axes of a box pyramid", {"mass": 1, "mu": 0.4, "v0": [1, 0, 0],
                   "contact_frame_rotated_by_deg": angle},
                   {"displacement_in_contact_axes": [float(x * abs(x) / (2 * brake)) for x in v], "stop_times_per_axis": [float(abs(x) / brake) for x in v]})


# ---- balls -------------------------------------------------------------------------------------------------------------

def balls():
    """A solid ball keeps its angular momentum about the contact: 5/7 of the speed is left when it rolls. On an incline it rolls where
    tan(angle) <= 7/2 mu."""
    r = Fraction("0.1")
    for v0, mu in ((1, "0.3"), (2, "0.1")):
        t, f = 2 * v0 / (7 * Fraction(mu) * G), Fraction(mu) * G
        yield case(f"sphere_slide_to_roll_v{v0}", "a ball launched without spin", {"mass": 1, "radius": float(r), "v0": v0, "mu": float(mu)}, {
            "final_speed": float(Fraction(5 * v0, 7)), "final_spin": float(Fraction(5 * v0, 7) / r), "time_to_roll": float(t),
            "distance_to_roll": float(v0 * t - f * t * t / 2), "energy_lost": float(Fraction(v0 * v0, 7))})
    for angle, mu in ((10, "0.5"), (30, "0.5"), (40, "0.2")):
        down, load = mp.mpf("9.81") * mp.sin(angle * mp.pi / 180), mp.mpf("9.81") * mp.cos(angle * mp.pi / 180)
        rolls = mp.tan(angle * mp.pi / 180) <= 7 * mp.mpf(mu) / 2
        force = 2 * down / 7 if rolls else mp.mpf(mu) * load
        yield case(f"sphere_incline_{angle}_mu{mu}", "a ball on an incline", {"mass": 1, "radius": 0.1, "angle_deg": angle, "mu": float(mu)}, {
            "rolls_without_slip": bool(rolls), "acceleration": float(down - force), "angular_acceleration": float(5 * force / 2 / mp.mpf("0.1")),
            "friction_force": float(force)})


def impacts():
    height = Fraction(1, 2)
    steps = next(k for k in range(1, 10000) if height - G * DT * DT * k * (k + 1) / 2 <= 0)
    yield case("drop_inelastic", "a ball falls and stays", {"mass": 1, "radius": 0.1, "height": 0.5, "restitution": 0, "dt": 0.001}, {
        "final_centre_height": 0.1, "final_velocity": [0, 0, 0], "gap_form_steps_to_contact": steps})
    fall = mp.sqrt(2 * mp.mpf("0.5") / mp.mpf("9.81"))
    for word in ("0.25", "0.50", "0.80"):
        e = mp.mpf(word)
        yield case(f"bounce_e{word}", "a ball bounces", {"mass": 1, "radius": 0.1, "height": 0.5, "restitution": float(e)}, {
            "apex_heights": [float(e ** (2 * n) / 2) for n in range(1, 6)],
            "impact_times": [float(fall * (1 + 2 * mp.fsum(e ** k for k in range(1, n + 1)))) for n in range(5)]})
    cases = []
    for g in ("20", "30", "25", "15", "10", "7.5", "6", "5.1", "5.01", "5.001", "5", "4", "1", "0"):
        h, pull, mu, v = Fraction("0.1"), -Fraction(g), Fraction(1, 2), [Fraction(1), Fraction(0), Fraction(-1)]
        free = v[2] + h * pull
        p = max(-(free + Fraction("0.15") / h), Fraction(0))  # the gap closes at the end of the step
        f = min(mu * p, v[0])
        cases.append({"g": float(pull), "p_n": float(p), "p_f": [float(-f), 0], "v_next": [float(v[0] - f), 0, float(free + p)]})
    yield case("particle_003", "a particle above the ground, one step", {"mass": 1, "q": [1, 1, 0.15], "v": [1, 0, -1], "mu": 0.5, "dt": 0.1}, {"cases": cases})


# ---- motion without contact --------------------------------------------------------------------------------------------

def integrate(rate, start, times):
    with mp.workdps(25):
        solution = mp.odefun(rate, 0, [mp.mpf(x) for x in start], tol=mp.mpf(10) ** -20)
        return [solution(mp.mpf(t)) for t in times]


def tumbling():
    """Euler's equations and the quaternion's rate."""
    inertia, omega, q = [1.5, 2.5, 3.25], [0.3, 1.75, -0.2], [1, 0, 0, 0]

    def rate(_, y):
        (a, b, c), (w, x, z, u) = y[:3], y[3:]
        I = [mp.mpf(i) for i in inertia]
        return [(I[1] - I[2]) * b * c / I[0], (I[2] - I[0]) * c * a / I[1], (I[0] - I[1]) * a * b / I[2],
                (-x * a - z * b - u * c) / 2, (w * a + z * c - u * b) / 2, (w * b + u * a - x * c) / 2, (w * c + x * b - z * a) / 2]

    times = ["0.25", "0.5", "1"]
    path = integrate(rate, omega + q, times)
    return case("free_rigid_body", "a body tumbles freely", {"inertia": inertia, "omega0_body": omega, "q0_wxyz": q}, {
        "kinetic_energy": sum(i * w * w for i, w in zip(inertia, omega)) / 2,
        "trajectory": [{"t": float(t), "omega_body": [float(x) for x in y[:3]], "q_wxyz": [float(x) for x in y[3:]]} for t, y in zip(times, path)]})


def top():
    """A symmetric top on a fixed point, Lagrange's equations with its two constant momenta."""
    s = {"I1_about_pivot": 0.25, "I3": 0.04, "mass": 1, "com_distance": 0.35, "gravity": 9.81, "theta0": 0.5, "spin_about_axis": 50.0}
    I1, I3, theta0, spin = (mp.mpf(s[k]) for k in ("I1_about_pivot", "I3", "theta0", "spin_about_axis"))
    weight = mp.mpf("9.81") * mp.mpf(s["com_distance"])
    along = I3 * spin
    upward = along * mp.cos(theta0)

    def rate(_, y):
        theta, dtheta, _ = y
        si, co = mp.sin(theta), mp.cos(theta)
        turn = (upward - along * co) / (I1 * si * si)
        return [dtheta, turn * turn * si * co - along * turn * si / I1 + weight * si / I1, turn]

    times = ["0.1", "0.3", "0.5"]
    path = integrate(rate, [theta0, 0, 0], times)
    return case("heavy_top", "a symmetric top, released with pure spin", s, {
        "trajectory": [{"t": float(t), "theta": float(y[0]), "phi": float(y[2])} for t, y in zip(times, path)]})


def pendulum():
    """Two rods of 1 kg and 1 m: Lagrange's equations in the angles from the vertical."""
    start = [1.2, 0.4, 0.5, -1.0]

    def rate(_, y):
        a, b, da, db = y
        g, c, s = mp.mpf("9.81"), mp.cos(a - b) / 2, mp.sin(a - b) / 2
        ra, rb = -s * db * db - 3 * g * mp.sin(a) / 2, s * da * da - g * mp.sin(b) / 2
        det = mp.mpf(4) / 9 - c * c
        return [da, db, (ra / 3 - c * rb) / det, (4 * rb / 3 - c * ra) / det]

    times = ["0.25", "0.5", "1"]
    path = integrate(rate, start, times)
    return case("double_pendulum_rods", "two rods on hinges about y", {"mass": 1, "length": 1, "gravity": 9.81, "initial": start,
                "angles": "of each rod from the vertical, then their rates; q1 = theta1, q2 = theta2 - theta1"},
                {"trajectory": [{"t": float(t), "theta": [float(y[0]), float(y[1])], "theta_dot": [float(y[2]), float(y[3])]} for t, y in zip(times, path)]})


def swinging():
    """Small swings of n hanging rods: K x = w^2 M x in the angles from the vertical."""
    out = {}
    for n in (1, 2, 3, 5, 10, 20, 50):
        g = mp.mpf("9.81")
        below = [n - 1 - i for i in range(n)]
        K = [g * (below[i] + mp.mpf(1) / 2) for i in range(n)]
        A = mp.matrix(n, n)
        for i in range(n):
            for k in range(n):
                m = below[max(i, k)] + (mp.mpf(1) / 3 if i == k else mp.mpf(1) / 2)
                A[i, k] = m / mp.sqrt(K[i] * K[k])
        values = mp.eigsy(A, eigvals_only=True)
        out[str(n)] = sorted(float(1 / mp.sqrt(v)) for v in values)[:5]
    return case("chain_small_oscillation", "n rods hang and swing", {"mass": 1, "length": 1, "gravity": 9.81}, {"lowest_angular_frequencies": out})


def file():
    with mp.workdps(30):
        cases = [c for family in (slides, inclines, dragged, pyramids, balls, impacts) for c in family()]
        cases += [tumbling(), top(), pendulum(), swinging()]
    return {"format": "oracle-analytic-1", "gravity": 9.81, "how": "tests/oracle/make.py: closed forms, and Taylor series of 25 digits", "cases": cases}
