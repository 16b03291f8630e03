#!/usr/bin/env python3
"""Figures 9 to 17 and Tables II, III of Le Lidec et al. (Contact models in robotics: a comparative analysis), by the solvers here.

    python bench/reproduce_004.py [--only fig9 fig13 ...] [--quick]

Needs the Python package and matplotlib (`bench/setup_venv.sh`). Plots and tables go to bench/results/004, a sentence per claim to the
terminal. Names: the paper's CCP/ADMM is admm-ccp, NCP/PGS pgs-004, LCP/PGS pgs-lcp, RaiSim bisection, MuJoCo newton-diag, Drake newton-compliant.
docs/reproductions.md says what comes out and where it differs from the paper."""
import numpy as np

import figures
import paper_004_models as models
import paper_004_motion as motion
import paper_004_solvers as solvers

FIGURES = {"fig9": motion.pyramid_bias, "fig10": motion.energy, "fig11": motion.step_length, "fig12": motion.internal_forces,
           "fig13": solvers.mass_ratio, "stack": solvers.stack_holds,
           "fig14": models.compliance, "fig15": motion.self_consistency, "fig16": solvers.convergence,
           "fig17": solvers.timing, "tables": models.ticks}


def main():
    args = figures.arguments(__doc__.splitlines()[0], list(FIGURES)).parse_args()
    report = figures.Report(args.results / "004", args.quick)
    np.seterr(all="raise", under="ignore")
    for name in args.only:
        report.say(f"{name}: {FIGURES[name].__doc__.splitlines()[0]}")
        FIGURES[name](report)
    report.say(f"{len(report.failed)} claims differ" if report.failed else "every claim looked at holds")


if __name__ == "__main__":
    main()
