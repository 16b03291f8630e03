"""How far an answer is from the model that its solver is for, where that is not the full law: beside law.py, NumPy alone. Definitions:
docs/contact.md, Residuals.

All are scale-free as problem.violation has it: impulses in units of ls, velocities of vs. With compliance R the law holds of w = (G + R) impulse + c."""
from __future__ import annotations

import numpy as np

import law
from problem import Problem, violation

#: Names of models: the hard law, convex on G, convex on G + R, pyramids, and Hwangbo's per-contact maximum dissipation.
MODELS = ("full", "convex", "convex, soft", "box", "diamond", "hwangbo")


def box(l: np.ndarray, w: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """The pyramid |l_x|, |l_y| <= mu l_N: what is left of l when w has been taken off it and the rest was clamped."""
    limit = np.maximum(mu * l[:, 2], 0)[:, None]
    tangent = l[:, :2] - np.clip(l[:, :2] - w[:, :2], -limit, limit)
    return np.maximum(_normal(l, w), np.max(np.abs(tangent), axis=1, initial=0.0))


def diamond(l: np.ndarray, w: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """The diamond |l_x| + |l_y| <= mu l_N: likewise, with its nearest point."""
    limit = np.maximum(mu * l[:, 2], 0)[:, None]
    a = l[:, :2] - w[:, :2]
    over = 0.5 * np.maximum(np.sum(np.abs(a), axis=1, keepdims=True) - limit, 0)
    size = np.maximum(np.abs(a) - over, 0)
    nearest = np.copysign(np.where(over > 0, np.minimum(size, limit), size), a)
    return np.maximum(_normal(l, w), np.max(np.abs(l[:, :2] - nearest), axis=1, initial=0.0))


def hwangbo(l: np.ndarray, w: np.ndarray, mu: np.ndarray, G_z: np.ndarray) -> np.ndarray:
    """Maximum dissipation of each contact (Hwangbo 2018): the nearest of its modes open, stick, slide. G_z: (n, 3), the normal's row of each G_ii."""
    pull, slip = np.hypot(l[:, 0], l[:, 1]), np.hypot(w[:, 0], w[:, 1])
    cone = pull - mu * l[:, 2]
    open_ = np.maximum(np.linalg.norm(l, axis=1), -w[:, 2])
    stick = np.maximum(np.maximum(np.linalg.norm(w, axis=1), cone), -l[:, 2])
    coupling = np.where(G_z[:, 2] > 0, mu * mu * l[:, 2] / np.where(G_z[:, 2] > 0, G_z[:, 2], 1), 0)
    u = l[:, :2] + coupling[:, None] * G_z[:, :2]
    length = np.hypot(u[:, 0], u[:, 1])
    behind = (length > 0) & (np.sum(u * w[:, :2], axis=1) < 0)
    across = np.abs(u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / np.where(length > 0, length, 1)
    direction = np.where(mu > 0, np.where(behind, across, slip), 0)
    slide = np.maximum(np.maximum(np.abs(cone), np.abs(w[:, 2])), np.maximum(-l[:, 2], direction))
    return np.minimum(open_, np.minimum(stick, slide))


def _cones(l: np.ndarray, lifted: np.ndarray, mu: np.ndarray, divided: bool) -> np.ndarray:
    if divided:
        return law.convex(l, lifted, mu)
    product = np.abs(np.einsum("ij,ij->i", l, lifted))
    return np.maximum(np.maximum(law.from_cone(l, mu), law.from_dual(lifted, mu)), product)


def _normal(l: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.abs(l[:, 2] - np.maximum(l[:, 2] - w[:, 2], 0))


def distance(problem: Problem, impulse: np.ndarray, model: str, R: np.ndarray | None = None, divided: bool = True) -> float:
    """How far an answer is from `model`, one of MODELS. R: (m,), the diagonal of the compliance that the solver worked with [1/kg]; None: none.
    Full and convex on G are problem.violation's own; not finite: infinite.

    divided: the product of impulse and velocity is divided by the larger of its factors, as law.py has it. `myriapod solve` reports it as it is."""
    if R is None and divided and model in ("full", "convex"):
        return violation(problem, impulse, model)
    if not np.all(np.isfinite(impulse)):
        return float("inf")
    l, w, stairs = scaled(problem, impulse, R)
    if l is None:
        return 0.0 if not np.any(impulse) else float("inf")
    n, mu = 3 * problem.contacts, problem.mu
    of_l, of_w = l[:n].reshape(-1, 3), w[:n].reshape(-1, 3)
    if model == "box":
        far = box(of_l, of_w, mu)
    elif model == "diamond":
        far = diamond(of_l, of_w, mu)
    elif model == "hwangbo":
        far = hwangbo(of_l, of_w, mu, normal_rows(problem, R))
    elif model in ("full", "convex", "convex, soft"):
        lift = mu * np.hypot(of_w[:, 0], of_w[:, 1]) if model == "full" else 0 * mu
        far = _cones(of_l, of_w + np.stack([0 * mu, 0 * mu, lift], axis=1), mu, divided)
    else:
        raise ValueError(f"model '{model}' is none of {', '.join(MODELS)}")
    return float(np.max(np.concatenate([far, law.rows(l[n:], w[n:], stairs)]), initial=0.0))


def scaled(problem: Problem, impulse: np.ndarray, R: np.ndarray | None = None) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Impulses in ls, velocities in vs, and staircases in both; None in place of the first where the problem has no scale."""
    n, vs = 3 * problem.contacts, np.max(np.abs(problem.c), initial=0.0)
    diagonal = problem.G.diagonal()
    mobility = np.max(np.concatenate([diagonal[:n].reshape(-1, 3).mean(axis=1), diagonal[n:]]), initial=0.0)
    ls = max(np.max(np.abs(impulse), initial=0.0), vs / mobility if mobility > 0 else 0.0)
    velocity = problem.G @ impulse + problem.c + (0 if R is None else R * impulse)
    if vs == 0 or ls == 0:
        return None, velocity, problem.rows
    return impulse / ls, velocity / vs, problem.rows / np.array([ls, vs, vs])


def normal_rows(problem: Problem, R: np.ndarray | None = None) -> np.ndarray:
    """The normal's row of each contact's own block, (nc, 3)."""
    i = 3 * np.arange(problem.contacts)
    G = problem.G.tocsr() if hasattr(problem.G, "tocsr") else problem.G
    rows = np.stack([np.asarray(G[i + 2, i + k]).reshape(-1) for k in range(3)], axis=1) if len(i) else np.zeros((0, 3))
    if R is not None and len(i):
        rows[:, 2] += R[i + 2]
    return rows
