"""contact.solve_large: a matrix of scipy.sparse in, the same answers as contact.solve gives of the dense one."""
from types import SimpleNamespace

import numpy as np
import pytest

from myriapod import ArgumentError, contact
from myriapod._library import ffi, lib


def sparse(G):
    """What solve_large asks of a matrix of scipy.sparse."""
    row, col = np.nonzero(G)
    coo = SimpleNamespace(row=row, col=col, data=G[row, col])
    return SimpleNamespace(shape=G.shape, tocoo=lambda: coo)


def tower(nc, seed=0):
    """Contacts in a row, each coupled to the next one."""
    random = np.random.default_rng(seed)
    J = np.zeros((3 * nc, 3 * nc))
    for i in range(nc):
        J[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.eye(3)
        if i:
            J[3 * i : 3 * i + 3, 3 * i - 3 : 3 * i] = -np.eye(3)
    c = random.normal(size=(nc, 3)) * 0.1
    c[:, 2] -= 0.1
    return J @ J.T + np.eye(3 * nc), c, np.full(nc, 0.5)


@pytest.mark.parametrize("solver", ["nsgs", "admm-ncp"])
def test_it_solves_what_solve_solves(solver):
    G, c, mu = tower(12)
    keys = {"solver": solver, "tolerance": 1e-10, "max_sweeps": 20000}
    if lib.myr_solver_large_refusal(solver.encode()) != ffi.NULL:  # packages are built without CXSparse
        with pytest.raises(ArgumentError, match="CXSparse"):
            contact.solve_large(sparse(G), c, mu, **keys)
        return
    small, large = contact.solve(G, c, mu, **keys), contact.solve_large(sparse(G), c, mu, **keys)
    assert large.converged and large.residual_ncp < 1e-9
    assert np.max(np.abs(small.impulse - large.impulse)) < 1e-7 * np.max(np.abs(small.impulse))
    assert np.max(np.abs(large.velocity - (G @ large.impulse.reshape(-1)).reshape(-1, 3) - c)) < 1e-12


def test_more_than_solve_takes_and_many_at_once():
    given = [tower(300, seed) for seed in range(3)]
    keys = {"solver": "nsgs", "tolerance": 1e-6, "max_sweeps": 20000}
    solved = contact.solve_large([sparse(G) for G, _, _ in given], [c for _, c, _ in given], [mu for _, _, mu in given], threads=2, **keys)
    for (G, c, mu), of in zip(given, solved, strict=True):
        assert of.converged and np.array_equal(of.impulse, contact.solve_large(sparse(G), c, mu, **keys).impulse)
    assert contact.solve_large([], [], []) == []
    assert contact.solve_large(sparse(np.zeros((0, 0))), np.zeros((0, 3)), np.zeros(0), solver="nsgs").impulse.shape == (0, 3)


def test_what_it_refuses():
    G, c, mu = tower(3)
    with pytest.raises(ArgumentError, match="scipy.sparse"):
        contact.solve_large(G, c, mu, solver="nsgs")
    with pytest.raises(ArgumentError, match=r"problem 1: G has shape \(9, 9\)"):
        contact.solve_large([sparse(G), sparse(G)], [c, c[:2]], [mu, mu[:2]], solver="nsgs")
    with pytest.raises(ArgumentError, match="hybrid"):
        contact.solve_large(sparse(G), c, mu, solver="hybrid")
    with pytest.raises(ArgumentError, match="as many"):
        contact.solve_large([sparse(G)], [c], [mu, mu], solver="nsgs")
    with pytest.raises(ArgumentError, match="mu"):
        contact.solve_large(sparse(G), c, -mu, solver="nsgs")
    with pytest.raises(ArgumentError, match="not symmetric|symmetric"):
        contact.solve_large(sparse(G + np.triu(np.ones_like(G), 1)), c, mu, solver="nsgs")
