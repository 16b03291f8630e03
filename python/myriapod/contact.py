"""Contact problems without a robot: w = G impulse + c under the contact law that the solver is for."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._arrays import whole
from ._library import ArgumentError, check, ffi, lib, text
from .settings import Settings

_F64 = np.dtype(np.float64)


@dataclass(frozen=True)
class ContactResult:
    """A solved problem of nc contacts; per contact the triple (x, y, z) with z the normal. Arrays are float64 and the reader's own."""

    impulse: np.ndarray  #: (nc, 3) [N s]
    velocity: np.ndarray  #: (nc, 3), G impulse + c [m/s]
    modes: np.ndarray  #: (nc,) of one-letter strings: o open, s stick, d slide
    residual: float  #: violation of the solver's own model, scale-free (docs/contact.md); infinite where the status is "not finite", 0 without contacts
    residual_ncp: float  #: violation of the full Coulomb-Signorini law, scale-free
    iterations: int  #: sweeps
    status: str  #: "converged", "stalled", ...
    solve_s: float  #: time in the solver [s]: that of a tile of problems, divided by those that shared it
    R: np.ndarray  #: (nc, 3): the compliance that the solver worked with [1/kg], its own choice included
    row_impulse: np.ndarray  #: (nr + bilateral,) of the rows behind the contacts [N s]
    row_velocity: np.ndarray  #: (nr + bilateral,) [m/s]
    minimum: np.ndarray | None = None  #: (nc, 3), where asked for: the impulse of least norm that gives the same velocity [N s]
    internal: float | None = None  #: where asked for: |impulse - minimum| / |impulse|, the share of internal forces
    row_R: np.ndarray | None = None  #: (nr + bilateral,): R of the rows behind the contacts

    @property
    def converged(self) -> bool:
        """Was the tolerance reached? (A solve that was not is a result all the same, with its residual.)"""
        return self.status == text(lib.myr_solve_status_text(lib.MYR_CONVERGED))


@dataclass(frozen=True)
class ContactProblem:
    """The contact problem of one environment, w = G impulse + c, as `Batch.problems` gives it. Arrays are float64 and the reader's own."""

    G: np.ndarray  #: (3 nc + nr, 3 nc + nr) Delassus matrix, contacts first, then joint rows [1/kg]
    c: np.ndarray  #: (nc, 3) free contact velocity [m/s]
    mu: np.ndarray  #: (nc,) friction coefficients
    start: np.ndarray  #: (nc, 3) warm start [N s]
    R: np.ndarray  #: (nc, 3) compliance, the diagonal of R [1/kg]; zero where contacts are rigid
    slots: np.ndarray  #: (nc,) of int, the slot that each contact is, as in `Batch.impulse`
    rows: np.ndarray  #: (nr, 3) f, lo, hi of each joint row: docs/contact.md, Joint rows
    row_c: np.ndarray  #: (nr,) free velocity [m/s]
    row_start: np.ndarray  #: (nr,) warm start [N s]
    row_ids: np.ndarray  #: (nr,) of int, the joint row that each is, as in `Batch.row_impulse`
    patches: np.ndarray  #: (nc,) of int, 0, 1, ..: which contacts are of one patch, what two bodies share


def _coefficients(mu: Any, name: str) -> np.ndarray:
    taken = arrays.take(mu, f"{name}mu", _F64)
    if taken.ndim != 1:
        raise ArgumentError(f"{name}mu has shape {taken.shape}, but must be (nc,)")
    return taken


class _Problem:
    """One problem's arrays, held while the library reads and writes them."""

    def __init__(self, G: Any, c: Any, mu: Any, start: Any, R: Any, rows: Any, row_c: Any, row_start: Any, patches: Any, bilateral: int, minimum: bool, name: str) -> None:
        self.mu = _coefficients(mu, name)
        nc = len(self.mu)
        self.stairs = None if rows is None else arrays.take(rows, f"{name}rows", _F64)
        if self.stairs is not None and (self.stairs.ndim != 2 or self.stairs.shape[1] != 3):
            raise ArgumentError(f"{name}rows has shape {self.stairs.shape}, but must be (nr, 3) = f, lo, hi of each row")
        self.nr, self.bilateral = 0 if self.stairs is None else len(self.stairs), bilateral
        others = self.nr + bilateral
        m = 3 * nc + others
        self.G = arrays.take(G, f"{name}G", _F64)
        arrays.want_shape(self.G, (m, m), f"{name}G", "(3 nc + nr + bilateral, the same) with nc from mu" if others else "(3 nc, 3 nc) with nc from mu")
        self.c = self._numbers(c, row_c, f"{name}c", f"{name}row_c", nc, others)
        self.start = None if start is None and row_start is None else self._numbers(start, row_start, f"{name}start", f"{name}row_start", nc, others)
        self.R = None if R is None else self._numbers(R, np.zeros(others), f"{name}R", "", nc, others)
        self.patches = None
        if patches is not None:
            numbers = arrays.take(patches, f"{name}patches", np.dtype(np.int64))
            arrays.want_shape(numbers, (nc,), f"{name}patches", "(nc,) with nc from mu")
            self.patches = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
        self.minimum = np.zeros(m) if minimum else None
        self.impulse, self.velocity, self.modes = np.zeros(m), np.zeros(m), np.zeros(nc, np.uint8)
        self.used, self.first = np.zeros(m), 3 * nc

    def _numbers(self, triples: Any, rows: Any, name: str, rows_name: str, nc: int, others: int) -> np.ndarray:
        """Those of the contacts, then those of the rows."""
        contacts = np.zeros((nc, 3)) if triples is None else self._triples(triples, name, nc)
        if not others:
            return contacts
        last = np.zeros(others) if rows is None else arrays.take(rows, rows_name, _F64)
        arrays.want_shape(last, (others,), rows_name, "(nr + bilateral,)")
        return np.concatenate([contacts.reshape(-1), last])

    @staticmethod
    def _triples(value: Any, name: str, nc: int) -> np.ndarray:
        array = arrays.take(value, name, _F64)
        if array.shape != (nc, 3):
            arrays.want_shape(array, (3 * nc,), name, "(3 nc,), or (nc, 3)")
        return array

    def fill(self, problem: Any, result: Any) -> None:
        problem.contacts, problem.rows, problem.bilateral = len(self.mu), self.nr, self.bilateral
        for name in ("G", "c", "mu", "start", "R", "stairs"):
            setattr(problem, name, arrays.pointer(getattr(self, name), "double *"))
        problem.patches = arrays.pointer(self.patches, "int *")
        result.impulse, result.velocity = arrays.pointer(self.impulse, "double *"), arrays.pointer(self.velocity, "double *")
        result.R = arrays.pointer(self.used, "double *")
        result.minimum = arrays.pointer(self.minimum, "double *")
        result.modes = arrays.pointer(self.modes, "char *")

    def result(self, c: Any) -> ContactResult:
        first = self.first
        impulse, velocity, used = (x[:first].reshape(-1, 3) for x in (self.impulse, self.velocity, self.used))
        minimum = None if self.minimum is None else self.minimum[:first].reshape(-1, 3)
        return ContactResult(impulse, velocity, self.modes.view("S1").astype("U1"), c.residual, c.residual_ncp, c.iterations,
                             text(lib.myr_solve_status_text(c.status)), c.solve_s, used, self.impulse[first:], self.velocity[first:], minimum,
                             None if self.minimum is None else c.internal, self.used[first:])


def _answers(kind: str, call: Callable[..., int], held: Sequence[Any], used: Settings) -> list[ContactResult]:
    """What a solve of the library answers to problems of that kind, each a _Problem or each a _Large."""
    problems, results = ffi.new(f"{kind}[]", max(len(held), 1)), ffi.new("myr_contact_result[]", max(len(held), 1))
    for problem, of, to in zip(held, problems, results):
        problem.fill(of, to)
    check(call(problems, len(held), used._c, results))
    return [problem.result(of) for problem, of in zip(held, results)]


def _many(G: Any) -> bool:
    """A list of matrices or a stack (n, 3 nc, 3 nc), and not one matrix?"""
    if isinstance(G, (list, tuple)):
        return len(G) == 0 or np.ndim(G[0]) == 2
    return np.ndim(G) == 3


def solve(G: Any, c: Any, mu: Any, start: Any = None, *, R: Any = None, rows: Any = None, row_c: Any = None, row_start: Any = None, patches: Any = None, bilateral: int = 0, minimum: bool = False, settings: Settings | None = None, **settings_keys: Any) -> ContactResult | list[ContactResult]:
    """Solve one contact problem, or a list or stack of them (then every argument is one, and so is the answer).

    G: (3 nc, 3 nc) Delassus matrix, symmetric [1/kg]. c: (3 nc,) or (nc, 3) free contact velocity [m/s]. mu: (nc,) coefficients >= 0.
    start: like c, warm start [N s]; None: zero. R: like c, compliance >= 0, the diagonal of R [1/kg], with which the law holds of
    (G + R) impulse + c; None: hard contacts.

    rows: (nr, 3), f, lo, hi of scalar rows, limits and dry friction of joints, which come behind the contacts in G (docs/contact.md, Joint
    rows); infinite: no limit. bilateral: how many rows with w = 0 come last, the same in all problems. row_c: (nr + bilateral,) their free
    velocity; row_start: their warm start. G is then (3 nc + nr + bilateral, the same).

    patches: (nc,) whole numbers; contacts that have the same one are of one patch, what two bodies share: `hybrid` takes them at once. None: each by itself.

    minimum: also compute the impulse of least norm and the share of internal forces. settings_keys: `solver`, `tolerance`, `max_sweeps`, `precision`, ... over `settings`;
    the precision is f64 unless they say otherwise. A problem's bits do not depend on its neighbours. Raises ArgumentError, which
    names the problem and the array, also where G has a diagonal that no bodies give; that a solver did not converge is not an error: see `status` and `residual`."""
    used = Settings(precision="f64") if settings is None else settings.copy()
    used.update(**settings_keys)
    many = _many(G)
    sequences: list[Sequence[Any]] = [G, c, mu] if many else [[G], [c], [mu]]
    n = len(sequences[0])
    sequences += [([None] * n if x is None else x) if many else [x] for x in (start, R, rows, row_c, row_start, patches)]
    if {len(s) for s in sequences} != {n}:
        raise ArgumentError(f"G, c, mu, start, R, rows, row_c, row_start and patches are of {', '.join(str(len(s)) for s in sequences)} problems, but must be as many")
    count = whole(bilateral, "bilateral", 0, 2**31 - 1)
    held = [_Problem(of_G, of_c, of_mu, of_start, of_R, of_rows, of_row_c, of_row_start, of_patches, count, minimum, f"problem {i}: " if many else "")
            for i, (of_G, of_c, of_mu, of_start, of_R, of_rows, of_row_c, of_row_start, of_patches) in enumerate(zip(*sequences, strict=True))]
    solved = _answers("myr_contact_problem", lib.myr_solve_contacts, held, used)
    return solved if many else solved[0]


class _Large:
    """One large problem's arrays, held while the library reads and writes them."""

    def __init__(self, G: Any, c: Any, mu: Any, start: Any, name: str) -> None:
        self.mu = _coefficients(mu, name)
        m = 3 * len(self.mu)
        if np.shape(G) != (m, m):
            raise ArgumentError(f"{name}G has shape {np.shape(G)}, but must be (3 nc, 3 nc) with nc from mu = {(m, m)}")
        if not hasattr(G, "tocoo"):
            raise ArgumentError(f"{name}G is {type(G).__name__}, but must be a matrix of scipy.sparse (solve takes dense ones)")
        self.first, self.column, self.blocks = _blocks(G.tocoo(), len(self.mu))
        self.c = _Problem._triples(c, f"{name}c", len(self.mu))
        self.start = None if start is None else _Problem._triples(start, f"{name}start", len(self.mu))
        self.impulse, self.velocity, self.modes = np.zeros(m), np.zeros(m), np.zeros(len(self.mu), np.uint8)

    def fill(self, problem: Any, result: Any) -> None:
        problem.contacts = len(self.mu)
        problem.first, problem.column = arrays.pointer(self.first, "int64_t *"), arrays.pointer(self.column, "int *")
        for name in ("blocks", "c", "mu", "start"):
            setattr(problem, name, arrays.pointer(getattr(self, name), "double *"))
        result.impulse, result.velocity = arrays.pointer(self.impulse, "double *"), arrays.pointer(self.velocity, "double *")
        result.modes = arrays.pointer(self.modes, "char *")

    def result(self, c: Any) -> ContactResult:
        impulse, velocity, none = self.impulse.reshape(-1, 3), self.velocity.reshape(-1, 3), np.zeros(0)
        return ContactResult(impulse, velocity, self.modes.view("S1").astype("U1"), c.residual, c.residual_ncp, c.iterations,
                             text(lib.myr_solve_status_text(c.status)), c.solve_s, np.zeros_like(impulse), none, none)


def _blocks(G: Any, nc: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """first, column and blocks of myr_large_problem: with each diagonal block and each block's partner, be it zero."""
    row, column = np.asarray(G.row, np.int64), np.asarray(G.col, np.int64)
    i, k, diagonal = row // 3, column // 3, np.arange(nc, dtype=np.int64)
    places = np.unique(np.concatenate([i * nc + k, k * nc + i, diagonal * nc + diagonal]))
    blocks = np.zeros((len(places), 3, 3))
    np.add.at(blocks, (np.searchsorted(places, i * nc + k), row % 3, column % 3), np.asarray(G.data, np.float64))
    first = np.searchsorted(places, np.arange(nc + 1, dtype=np.int64) * nc).astype(np.int64)
    return first, (places % nc if nc else places).astype(np.int32), blocks


def solve_large(G: Any, c: Any, mu: Any, start: Any = None, *, settings: Settings | None = None, **settings_keys: Any) -> ContactResult | list[ContactResult]:
    """Solve a problem of many contacts, up to 100 000, in double, or a list of them side by side on `threads`.

    G: (3 nc, 3 nc), a matrix of scipy.sparse, symmetric [1/kg]. c, mu, start: as for `solve`. The solvers that take it are `nsgs`, the
    default here, and by a sparse factor `admm-ncp` and `admm-ccp`, where the library was built with CXSparse, which packages are not
    (docs/problems.md, Large problems); ArgumentError says why another does not. Contacts alone: no rows, no compliance."""
    used = Settings(precision="f64", solver="nsgs") if settings is None else settings.copy()
    used.update(**settings_keys)
    many = isinstance(G, (list, tuple))
    sequences: list[Sequence[Any]] = [G, c, mu] if many else [[G], [c], [mu]]
    n = len(sequences[0])
    sequences.append([None] * n if start is None else start if many else [start])
    if {len(s) for s in sequences} != {n}:
        raise ArgumentError(f"G, c, mu and start are of {', '.join(str(len(s)) for s in sequences)} problems, but must be as many")
    held = [_Large(of_G, of_c, of_mu, of_start, f"problem {i}: " if many else "")
            for i, (of_G, of_c, of_mu, of_start) in enumerate(zip(*sequences, strict=True))]
    solved = _answers("myr_large_problem", lib.myr_solve_large, held, used)
    return solved if many else solved[0]
