"""Pinocchio's ADMM and PGS (pip: pin 4) on bare problems: DelassusOperatorDense of G, and a point contact constraint for each contact, which lends its cone and
coefficient alone; z is the normal there too. ADMM with `solve_ncp` is of the full law (de Saxcé's correction), without it of the convex one. PGS is of the
full law either way: in 4.1 the flag changes no bit of its answers.

For their benefit: the problem's own units, 20000 iterations, a row with Anderson acceleration and one with relaxed sweeps beside the defaults, and tolerances
looser and tighter until the law confirms (solver.ladder). `seconds` is Pinocchio's own clock (`measure_timings`), without Python; the operator is made before.

Left out. Scalar rows: the package has limits and dry friction of a robot's joints, not a staircase (f, lo, hi) of a bare problem. The sparse operator, and that
of a robot's own factorization: a bare G is dense."""
from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from problem import Problem
from solver import Answer, Failed, Solver, dense, ladder

ITERATIONS = 20000


def available() -> str:
    try:
        import pinocchio
    except ImportError as error:
        return f"not installed: Pinocchio (pip: pin), {error}"
    wanted = ("ADMMConstraintSolver", "PGSConstraintSolver", "DelassusOperatorDense", "PointContactConstraintModel")
    missing = [name for name in wanted if not hasattr(pinocchio, name)]
    return f"Pinocchio {pinocchio.__version__} has no {', '.join(missing)}: 4.0 or later has" if missing else ""


def _constraints(problem: Problem) -> tuple[Any, Any]:
    """One point contact for each, on a body of its own model: its Jacobian is never asked for."""
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in problem.mu:
        contact = pin.PointContactConstraintModel(model, joint)
        contact.setFriction(float(mu))
        one = pin.ConstraintModel(contact)
        models.append(one)
        datas.append(one.createData())
    return models, datas


def _solver(kind: str, ncp: bool, settings_keys: Mapping[str, float] = MappingProxyType({}), suffix: str = "") -> Solver:
    model = "full" if ncp else "convex"

    def solve(problem: Problem, accuracy: float) -> Answer:
        import pinocchio as pin

        if len(problem.rows):
            raise Failed("Pinocchio has no staircase of a bare row")
        G = dense(problem)
        vs, mobility = float(np.max(np.abs(problem.c), initial=0.0)) or 1.0, float(np.max(G.diagonal().reshape(-1, 3).mean(axis=1), initial=0.0)) or 1.0
        scaled, g = np.asfortranarray(G / mobility), np.ascontiguousarray(problem.c / vs)
        models, datas = _constraints(problem)

        def call(tolerance: float) -> Answer:
            settings = getattr(pin, f"{kind}SolverSettings")()
            settings.max_iterations, settings.solve_ncp = ITERATIONS, ncp
            settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
            settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
            settings.measure_timings = True
            for key, value in settings_keys.items():
                setattr(settings, key, value)
            operator, solver, result = pin.DelassusOperatorDense(scaled), getattr(pin, f"{kind}ConstraintSolver")(len(g)), getattr(pin, f"{kind}SolverResult")()
            said = solver.solve(operator, g, models, datas, settings, result)
            impulse = np.array(result.retrieveConstraintImpulses()).reshape(-1) * (vs / mobility)
            return Answer(impulse, 1e-6 * solver.getElapsedTime(), bool(said), int(result.iterations), word="converged" if said else "not converged")

        return ladder(problem, accuracy, model, call)

    return Solver(f"Pinocchio {kind}{suffix}" + ("" if ncp else ", convex"), "Pinocchio", model, False, solve, timed="its own clock")


def solvers() -> dict[str, Solver]:
    found = [_solver("ADMM", True), _solver("ADMM", True, {"anderson_capacity": 10}, ", Anderson 10"), _solver("ADMM", False),
             _solver("PGS", True), _solver("PGS", True, {"over_relaxation": 0.5}, ", relaxation 0.5")]
    return {solver.name: solver for solver in found}
