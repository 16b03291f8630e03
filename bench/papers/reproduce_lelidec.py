#!/usr/bin/env python3
"""Figs. 9 to 19 and Tables II, III of Le Lidec 2024, by the solvers here.

    python bench/papers/reproduce_lelidec.py [--only fig9 fig13 ...] [--quick]

Needs a build (the Python package is taken out of it, bench/tools/build_package.py), and NumPy, cffi and matplotlib (`bench/setup_venv.sh`). Plots and
tables go to bench/results/lelidec, a sentence per claim to the terminal; a claim that does not hold is the exit status. Times decide no claim.
The paper's CCP/ADMM is `admm-ccp` here, NCP/PGS `pgs-lelidec`, LCP/PGS `pgs-lcp`, CCP/PGS `pgs-ccp`, RaiSim `bisection`, MuJoCo `newton-diag`,
Drake `newton-compliant`. docs/reproductions.md says what comes out and where it differs from the paper."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import build_package
import figures



def of(module, function, caption):
    def show(report):
        import importlib  # these modules need the package, which is found once --build is known

        getattr(importlib.import_module(f"paper_lelidec_{module}"), function)(report)

    show.__doc__ = caption
    return show


FIGURES = {
    "fig9": of("motion", "pyramid_bias", "Fig. 9: a pyramid in the place of the cone bends the path of a sliding cube"),
    "fig10": of("motion", "energy", "Fig. 10: without Signorini's law a sliding cube hops, and its energy is not Coulomb's"),
    "fig11": of("motion", "step_length", "Fig. 11: CCP differs from NCP in proportion to dt"),
    "fig12": of("motion", "internal_forces", "Fig. 12: four contacts leave forces open that move nothing, and solvers fill them differently"),
    "fig13": of("solvers", "mass_ratio", "Fig. 13: a heavy cube on a light one, one step"),
    "stack": of("solvers", "stack_holds", "Fig. 13, simulated: which solvers hold the stack up"),
    "fig14": of("models", "compliance", "Fig. 14: a standing robot, pushed, with compliant contacts"),
    "fig15": of("motion", "self_consistency", "Fig. 15: each model against itself at a small dt"),
    "fig16": of("solvers", "convergence", "Fig. 16: residual against iteration and time"),
    "fig17": of("solvers", "timing", "Fig. 17: mean time of a solve along a trajectory, cold and warm"),
    "fig17_bumps": of("solvers", "timing_on_bumps", "Fig. 17's robots on the bumps of Fig. 19 (not in the paper)"),
    "fig18": of("walk", "flat", "Fig. 18: a trotting Solo-12, friction 0.9"),
    "fig19": of("walk", "bumps", "Fig. 19: the same on bumpy ground, friction 0.3"),
    "fig19_grip": of("walk", "grip", "Fig. 19's bumps with Fig. 18's friction (not in the paper)"),
    "tables": of("models", "ticks", "Tables II and III: what each model keeps and each algorithm does, measured"),
}

if __name__ == "__main__":
    figures.run(__doc__.splitlines()[0], "lelidec", FIGURES, prepare=build_package.put_on_path)
