"""A textbook projected Gauss-Seidel, to begin with: leaderboard.py --solver examples/pgs_numpy.py:pgs"""
import numpy as np


def pgs(G, c, mu, rows, accuracy, sweeps=2000):
    """Contacts and rows by turns, each a step along its own diagonal and back to its set. Returns impulses, and whether they have settled."""
    impulse, first = np.zeros(len(c)), 3 * len(mu)
    smallest = 1e-10 * G.diagonal().max()
    for _ in range(sweeps):
        before = impulse.copy()
        for i in range(0, first, 3):
            g = np.maximum(G.diagonal()[i:i + 3], smallest)
            impulse[i + 2] = max(0.0, impulse[i + 2] - (G[i + 2] @ impulse + c[i + 2]) / g[2])
            tangent = impulse[i:i + 2] - (G[i:i + 2] @ impulse + c[i:i + 2]) / max(g[0], g[1])
            impulse[i:i + 2] = tangent * min(1.0, mu[i // 3] * impulse[i + 2] / max(np.hypot(*tangent), 1e-300))
        for k, (f, lo, hi) in enumerate(rows, start=first):
            g = max(G[k, k], smallest)
            free = G[k] @ impulse - G[k, k] * impulse[k] + c[k]  # its velocity without its impulse
            impulse[k] = np.clip(-free / g, -f, f)
            impulse[k] += (np.clip(free + g * impulse[k], lo, hi) - (free + g * impulse[k])) / g
        if np.abs(impulse - before).max() <= 0.1 * accuracy * np.abs(impulse).max():
            return impulse, True
    return impulse, False
