"""Runs every scene in every engine that can say it, and keeps what measures.py and the scene's own judge make of each."""
from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import measures
import numpy as np
import scenes
from world import Scene

ENGINES = ("engine_myriapod", "engine_mujoco", "engine_bullet", "engine_drake")
STEPS = (0.001, 0.002, 0.005)  #: [s] of the variants that an engine calls MAIN; the others go at the middle one
MIDDLE = 0.002
ONE_STEP = {"rod": (0.0005, 0.001)}  #: scenes whose answer is that of one step
LONG = 20.0  #: [s]
QUICK = ("grip-20", "dry-99", "slide")  #: scenes of --quick, cut to QUICK_SECONDS
QUICK_SECONDS = 3.0


def engines() -> tuple[list[Any], list[str]]:
    """Modules of the engines that are there, and why others are not."""
    found, missing = [], []
    for name in ENGINES:
        module = importlib.import_module(name)
        why = module.available()
        (missing if why else found).append(why or module)
    return found, missing


def cannot(engine: Any, scene: Scene, variant: str) -> str:
    if scene.file and not getattr(engine, "READS_MJCF", False):
        return "does not read the scene's file (MJCF)"
    return engine.cannot(scene, variant)


def one(engine: Any, scene: Scene, variant: str, dt: float, frames: int = 600) -> dict[str, Any]:
    """A row of the report."""
    row: dict[str, Any] = {"scene": scene.name, "engine": engine.NAME, "variant": variant, "dt": dt, "seconds": scene.seconds}
    why = cannot(engine, scene, variant)
    if why:
        return {**row, "left_out": why}
    began = time.perf_counter()
    try:
        track = engine.run(scene, variant, dt, frames)
        far = measures.residuals(scene, track)
        figures = [{"name": f.name, "value": float(f.value), "unit": f.unit, "exact": f.exact, "digits": f.digits} for f in scene.judge(track)]
    except Exception as error:  # noqa: BLE001 an engine that breaks is a row of the report, not the end of it
        return {**row, "left_out": f"broke: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
    lost = not np.all(np.isfinite(track.position))
    with_contacts = bool(scene.touch or scene.file) and not scene.restitution
    return {**row, "figures": figures, "law_median": float(np.median(far)) if with_contacts else None, "law_max": float(np.max(far)) if with_contacts else None,
            "friction_work": measures.friction_work(track), "depth": measures.deepest(track), "ns_per_step": track.ns_per_step, "ns_alone": track.ns_alone,
            "iterations": track.iterations, "note": " ".join([track.note] * bool(track.note) + ["not finite"] * lost), "took": time.perf_counter() - began}


def plan(found: Sequence[Any], quick: bool) -> list[tuple[Any, Scene, str, float]]:
    """What is run, in the order of the report. Engines that are called step by step from Python take up to half a minute for one of the long scenes: there
    only what they call MAIN runs, at one step."""
    runs = []
    for scene in scenes.ALL.values():
        if quick and scene.name not in QUICK:
            continue
        short = scene.with_(seconds=min(scene.seconds, QUICK_SECONDS)) if quick else scene
        for engine in found:
            main = getattr(engine, "MAIN", tuple(engine.VARIANTS)[:1])
            for variant in engine.VARIANTS:
                slow = short.seconds > LONG and not getattr(engine, "READS_MJCF", False)
                if (quick or slow) and variant not in main:
                    continue
                steps = ONE_STEP.get(scene.name, STEPS if variant in main and not slow else (MIDDLE,)) if not quick else (MIDDLE,)
                runs += [(engine, short, variant, dt) for dt in steps]
    return runs


def run(quick: bool = False, log: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)) -> dict[str, Any]:
    found, missing = engines()
    runs, rows, began = plan(found, quick), [], time.perf_counter()
    for number, (engine, scene, variant, dt) in enumerate(runs, 1):
        row = one(engine, scene, variant, dt)
        rows.append(row)
        if "left_out" not in row or number % 25 == 0:
            told = row["left_out"] if "left_out" in row else f"{row['figures'][0]['name']} {row['figures'][0]['value']:.3g} {row['figures'][0]['unit']}"
            log(f"[{number}/{len(runs)}, {(time.perf_counter() - began) / 60:.1f} min] {scene.name}, {variant}, {1e3 * dt:g} ms: {told}")
    return {"rows": rows, "missing": missing, "versions": [f"{e.NAME} {e.version()}".replace(f"{e.NAME} {e.NAME}", e.NAME) for e in found],
            "minutes": (time.perf_counter() - began) / 60}
