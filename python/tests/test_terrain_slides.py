"""Nothing catches on a map: bench/agree/terrain_slides.py, whose bodies must keep their speed here; what MuJoCo makes of the same map is not judged."""
import importlib.util
import math
import os
import pathlib

import pytest

ROOT = pathlib.Path(os.environ.get("MYRIAPOD_SOURCE", pathlib.Path(__file__).parents[2]))
_spec = importlib.util.spec_from_file_location("terrain_slides", ROOT / "bench" / "agree" / "terrain_slides.py")
slides = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(slides)


@pytest.mark.parametrize("precision, change, off", [("f64", 1e-6, 1e-5), ("f32", 1e-4, 1e-3)])
@pytest.mark.parametrize("body", list(slides.BODIES))
def test_a_flat_map_takes_nothing(body, precision, change, off):
    seen = slides.ours("flat", body, precision, 0.002, 4.0)
    assert seen["normals"] > 1000 and seen["no face"] == 0
    assert seen["change"] <= change and seen["off"] <= off


@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("body", list(slides.BODIES))
def test_folds_have_no_normals_of_their_own(body, precision):
    seen = slides.ours("folds", body, precision, 0.002, 4.0)
    assert seen["normals"] > 1000 and seen["no face"] == 0


def test_folds_take_their_part_of_a_balls_speed():
    part = 7 * (1 - math.cos(slides.DEGREE))  # down the diagonal there are seven
    assert slides.ours("folds", "ball", "f64", 5e-4, 4.0)["change"] == pytest.approx(part, rel=0.1)


def test_mujoco_slides_beside():
    pytest.importorskip("mujoco")
    for kind in slides.FACES:
        seen = slides.mujocos(kind, "ball", 0.002, 4.0)
        print(kind, seen)
        assert seen["normals"] > 1000 and math.isfinite(seen["change"])
