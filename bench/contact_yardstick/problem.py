"""A contact problem, w = G impulse + c under the law of law.py, as every solver of the leaderboard is given it."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import law


@dataclass(frozen=True)
class Problem:
    """Contacts first, three numbers each (x, y, z = normal), then scalar rows: limits and dry friction of joints."""

    set: str  #: the set's name
    id: str
    G: np.ndarray  #: (m, m) Delassus matrix [1/kg], symmetric, m = 3 nc + nr; or a scipy.sparse matrix, where a set is too large to be dense
    c: np.ndarray  #: (m,) free velocity [m/s]
    mu: np.ndarray  #: (nc,) friction coefficients
    rows: np.ndarray  #: (nr, 3) f, lo, hi of each row (docs/contact.md, Joint rows)
    patches: np.ndarray | None = None  #: (nc,) of int: contacts of one number are what two bodies share

    @property
    def contacts(self) -> int:
        return len(self.mu)


def violation(problem: Problem, impulse: np.ndarray, model: str = "full") -> float:
    """How far an answer is from the law, scale-free as `myriapod solve` has it: impulses in units of ls, velocities of vs = max |c|,
    ls = max(max |impulse|, vs / max_i(tr G_ii / 3)). The velocities are computed here, from the impulses; not finite: infinite.

    model: "full", the hard law of Coulomb; "convex", the same without its lift."""
    vs = np.max(np.abs(problem.c), initial=0.0)
    if not np.all(np.isfinite(impulse)):
        return float("inf")
    n = 3 * problem.contacts
    velocity = problem.G @ impulse + problem.c
    diagonal = problem.G.diagonal()
    mobility = np.max(np.concatenate([diagonal[:n].reshape(-1, 3).mean(axis=1), diagonal[n:]]), initial=0.0)
    ls = max(np.max(np.abs(impulse), initial=0.0), vs / mobility if mobility > 0 else 0.0)
    if vs == 0 or ls == 0:
        return 0.0 if not np.any(impulse) else float("inf")
    l, w = impulse / ls, velocity / vs
    which = law.full if model == "full" else law.convex
    far = which(l[:n].reshape(-1, 3), w[:n].reshape(-1, 3), problem.mu)
    stairs = problem.rows / np.array([ls, vs, vs])
    return float(np.max(np.concatenate([far, law.rows(l[n:], w[n:], stairs)]), initial=0.0))
