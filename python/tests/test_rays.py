"""Rays from Python: patterns, what may be asked, scenes beside MuJoCo, and where it lies beside the tree ../shared/oracles/worlds2/rays.json, whose
answers none of the project's code computed."""
import json
import math
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, Model, Terrain, rays

ORACLE = Path(__file__).resolve().parents[3] / "shared" / "oracles" / "worlds2" / "rays.json"
BOUND = {"f64": 1e-12, "f32": 1e-5}  # x steepness, 1 / |direction . normal|
SHAPES = ("sphere", "capsule", "cylinder", "box", "hull")
CAMERA = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><geom name="wall" type="box" size="0.1 4 4" pos="3 0 0"/>
<body name="head" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/><site name="eye" pos="0.05 0 0" euler="90 -90 0"/>
<body name="arm" pos="0.5 0 0"><joint axis="0 1 0"/><geom name="palm" type="box" size="0.05 0.05 0.05" mass="1"/></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def batch():
    with Batch(Model.from_text(CAMERA), 3, precision="f64", threads=1) as made:
        yield made


# ---- patterns -------------------------------------------------------------------------------------------------------


def test_patterns():
    origin, direction = rays.grid(3, 2, cell=0.5, middle=(1, 0))
    np.testing.assert_allclose(origin, [[0.5, -0.25, 0], [0.5, 0.25, 0], [1, -0.25, 0], [1, 0.25, 0], [1.5, -0.25, 0], [1.5, 0.25, 0]], atol=1e-15)
    assert (direction == (0, 0, -1)).all()
    np.testing.assert_allclose(rays.ring(4, 2.0).origin, [[2, 0, 0], [0, 2, 0], [-2, 0, 0], [0, -2, 0]], atol=1e-15)
    lidar = rays.lidar(2, 4, elevation=(0, math.pi / 6), azimuth=(0, 2 * math.pi)).direction
    np.testing.assert_allclose(lidar[:4], [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], atol=1e-15)
    np.testing.assert_allclose(lidar[4], [math.sqrt(0.75), 0, 0.5], atol=1e-15)
    image = rays.pinhole(4, 2, fovy=math.pi / 2).direction
    np.testing.assert_allclose(image[0] / -image[0, 2], [-1.5, 0.5, -1], atol=1e-15)
    np.testing.assert_allclose(image[7] / -image[7, 2], [1.5, -0.5, -1], atol=1e-15)


@pytest.mark.parametrize("call, words", [
    (lambda: rays.grid(0), ["0 x 11"]),
    (lambda: rays.grid(cell=math.nan), ["cell_m is nan"]),
    (lambda: rays.ring(2.5), ["n is 2.5"]),
    (lambda: rays.lidar(1000, 1000), ["1000 x 1000", "65536"]),
    (lambda: rays.pinhole(fovy=4.0), ["fovy is 4"]),
])
def test_patterns_that_are_refused(call, words):
    with pytest.raises(ArgumentError) as raised:
        call()
    for word in words:
        assert word in str(raised.value)


# ---- what is seen ---------------------------------------------------------------------------------------------------


def test_a_camera(batch):
    origin, direction = rays.pinhole(1, 1)
    batch.q = [0, 0, 1, 1, 0, 0, 0, 0]
    seen = batch.rays(origin, direction, frame="eye")  # from within its own head, at the surface of that; then the palm, then the wall
    assert seen.distance.shape == (3, 1) and seen.distance.dtype == np.float64
    np.testing.assert_allclose(seen.distance, 0.05, atol=1e-14)
    palm, wall = batch.model.geom("palm").index, batch.model.geom("wall").index
    seen = batch.rays(origin, direction, frame="eye", exclude="body")
    np.testing.assert_allclose(seen.distance, 0.4, atol=1e-14)
    assert (seen.geom == palm).all()
    np.testing.assert_allclose(seen.normal, np.broadcast_to([-1.0, 0, 0], (3, 1, 3)), atol=1e-14)
    seen = batch.rays(None, direction, frame="eye", exclude="tree", ids=[2, 0])
    np.testing.assert_allclose(seen.distance, [[2.85], [2.85]], atol=1e-14)
    assert (seen.geom == wall).all()
    seen = batch.rays(None, direction, frame="eye", exclude="tree", range=2.0)
    assert np.isinf(seen.distance).all() and (seen.geom == rays.NOTHING).all() and not seen.normal.any()
    seen = batch.rays(None, direction, frame="eye", exclude="body", body="arm", want=("distance",))
    assert seen.normal is None and seen.geom is None


def test_own_rays_and_axes(batch):
    batch.q = [0, 0, 1, math.sqrt(0.5), 0, 0, math.sqrt(0.5), 0]  # turned to the left: its x is the world's y
    ways = np.array([[[1.0, 0, 0]], [[0, 0, -1]], [[0, -3, 0]]])
    seen = batch.rays(None, ways, frame="head", axes="world", exclude="tree")
    np.testing.assert_allclose(seen.distance[:, 0], [2.9, 1, np.inf])
    assert seen.geom[1, 0] == rays.GROUND and seen.geom[2, 0] == rays.NOTHING
    seen = batch.rays(None, ways, frame="head", axes="heading", exclude="tree", dtype=np.float32)
    assert seen.distance.dtype == np.float32
    np.testing.assert_allclose(seen.distance[:, 0], [np.inf, 1, 2.9], rtol=1e-6)
    seen = batch.rays([[0, 0, 2]], [[0, 0, -1]], shapes=False)
    np.testing.assert_allclose(seen.distance, 2)
    assert np.isinf(batch.rays([[0, 0, 2]], [[0, 0, -1]], shapes=False, ground=False).distance).all()


@pytest.mark.parametrize("given, words", [
    (dict(direction=[1, 0, 0]), ["direction has shape (3,)", "(rays, 3)"]),
    (dict(direction=[[[1, 0, 0]]]), ["(1, 1, 3)", "(3, 1, 3)"]),
    (dict(direction=[[0, 0, 0]]), ["direction[0] is (0, 0, 0)", "zero"]),
    (dict(direction=[[0, math.nan, 0]]), ["direction[0]", "finite"]),
    (dict(origin=[[0, 0, 1], [0, 0, 1]]), ["origin has shape (2, 3)"]),
    (dict(origin=[[0, 0, 1e9]]), ["origin[0]", "1000"]),
    (dict(frame="nose"), ["nose"]),
    (dict(axes="mine"), ["axes is 'mine'", "'heading'"]),
    (dict(exclude="all"), ["exclude is 'all'", "'tree'"]),
    (dict(body="nose"), ["nose"]),
    (dict(range=-1), ["range_m is -1"]),
    (dict(ids=[5]), ["ids[0] is 5"]),
    (dict(want="distance"), ["want"]),
])
def test_what_is_refused(batch, given, words):
    with pytest.raises(ArgumentError) as raised:
        batch.rays(**{"origin": None, "direction": [[0, 0, -1]], **given})
    for word in words:
        assert word in str(raised.value)


# ---- beside MuJoCo --------------------------------------------------------------------------------------------------

SCENE = """<mujoco><asset><mesh name="hull" vertex="0.1 0 0 -0.1 0.05 0 0 -0.1 0.02 0 0.02 0.15 0.03 0.02 -0.12"/></asset>
<worldbody><geom type="plane" size="0 0 1"/><geom type="box" size="0.2 0.3 0.1" pos="1 0.2 0.4" euler="20 30 40"/>
<geom type="cylinder" size="0.2 0.3" pos="-1 0.2 0.4" euler="70 30 40"/><geom type="mesh" mesh="hull" pos="0 1 0.5" euler="0 20 70"/>
<body name="a" pos="0.2 -0.9 0.6"><freejoint/><geom type="capsule" size="0.1 0.3" mass="1"/>
<body pos="0.3 0 0.1"><joint axis="0 1 0"/><geom type="sphere" size="0.15" mass="1"/></body></body></worldbody></mujoco>"""


def test_beside_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    random, steep_most, hits = np.random.default_rng(4), 50.0, 0
    with Batch(Model.from_text(SCENE), 1, precision="f64") as ours:
        for _ in range(20):
            q = np.concatenate([random.uniform(-0.5, 0.5, 3) + (0, 0, 1), random.normal(size=4), random.uniform(-2, 2, 1)])
            q[3:7] /= np.linalg.norm(q[3:7])
            ours.q, data.qpos[:] = q, q
            mujoco.mj_forward(model, data)
            origin, way = random.uniform(-1, 1, (60, 3)) + (0, 0, 1.1), random.normal(size=(60, 3))
            way /= np.linalg.norm(way, axis=1, keepdims=True)
            seen, geom = ours.rays(origin, way, range=1000.0), np.zeros(1, np.int32)
            for i in range(60):
                want = mujoco.mj_ray(model, data, origin[i], way[i], None, 1, -1, geom, None)
                steep = 1 / max(abs(way[i] @ seen.normal[0, i]), 1e-9)
                if steep > steep_most and np.isfinite(seen.distance[0, i]):
                    continue  # what MuJoCo's own rounding would decide
                want = -1 if want > 1000 else want
                assert (want < 0) == np.isinf(seen.distance[0, i])
                hits += want >= 0
                if want >= 0:
                    assert seen.distance[0, i] == pytest.approx(want, abs=1e-7 * steep)  # its meshes are kept in float32
                    assert (seen.geom[0, i] == rays.GROUND) == (geom[0] == 0)
    assert hits > 500


# ---- beside the oracle ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def oracle():
    if not ORACLE.exists():
        pytest.skip("may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree")
    return json.loads(ORACLE.read_text())


def _builder(oracle, shapes):
    """A model of shapes, each fixed to the world but those of a `body`, which is free and at the world's origin."""
    builder = myriapod.ModelBuilder("oracle")
    world, bodies = builder.body("world things", joint="fixed"), {}
    for number, shape in enumerate(shapes):
        if shape["type"] not in SHAPES:
            continue
        body = shape.get("body", "world")
        if body != "world" and body not in bodies:
            bodies[body] = builder.body(body, joint="free", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
        points = oracle["hulls"][shape["size"]] if shape["type"] == "hull" else None
        builder.geom(bodies.get(body, world), shape["type"], name=str(number), size=() if points else shape["size"], points=points,
                     position=shape["pos"], quaternion=shape["quat"])
    if not bodies:
        bodies["idle"] = builder.body("idle", joint="free", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
        builder.geom(bodies["idle"], "sphere", (0.1,))
    return builder.compile(), bodies


def _terrain(oracle, kind):
    field = next(f for f in oracle["fields"] if f["kind"] == kind)
    assert (field["x0"], field["y0"]) == (-field["cell"] * (field["n"] // 2),) * 2
    return Terrain(np.rint(np.array(field["heights"]) / 0.005).astype(np.int16), cell=field["cell"], step=0.005)


def _same(seen, i, truth, bound):
    if truth["distance"] is None:
        assert np.isinf(seen.distance[0, i])
        return
    assert seen.distance[0, i] == pytest.approx(truth["distance"], abs=bound * truth["steep"], rel=0)
    np.testing.assert_allclose(seen.normal[0, i], truth["normal"], atol=100 * bound * truth["steep"])


@pytest.mark.parametrize("precision", BOUND)
def test_single_shapes_of_the_oracle(oracle, precision):
    cases, done = [c for c in oracle["cases"] if c["shape"]["type"] in SHAPES], 0
    for case in cases:
        with Batch(_builder(oracle, [case["shape"]])[0], 1, precision=precision, threads=1, ground="off") as batch:
            seen = batch.rays([case["origin"]], [case["direction"]], range=1000.0, exclude="body", body="idle")
        edge = case["group"] == "edge" and precision == "f32"  # rounding of an origin may decide there
        if not edge or np.isfinite(seen.distance[0, 0]) == (case["distance"] is not None):
            _same(seen, 0, case, BOUND[precision])
        done += 1
    assert done == 408


@pytest.mark.parametrize("precision", BOUND)
def test_fields_of_the_oracle(oracle, precision):
    cases = [c for c in oracle["cases"] if c["shape"]["type"] == "hfield"]
    plain, _ = _builder(oracle, [])
    for kind in sorted({c["shape"]["size"] for c in cases}):
        with Batch(plain.on(_terrain(oracle, kind)), 1, precision=precision, threads=1) as batch:
            for case in cases:
                if case["shape"]["size"] == kind:
                    _same(batch.rays([case["origin"]], [case["direction"]], shapes=False), 0, case, BOUND[precision])
    assert len(cases) == 70


@pytest.mark.parametrize("precision", BOUND)
def test_scenes_of_the_oracle(oracle, precision):
    """11 shapes on a field, those of one body left out; and a depth image of each."""
    for scene in oracle["scenes"]:
        model, bodies = _builder(oracle, scene["shapes"])
        model = model.on(_terrain(oracle, scene["shapes"][0]["size"]))
        with Batch(model, 1, precision=precision, threads=1) as batch:
            batch.q = [0, 0, 0, 1, 0, 0, 0] * len(bodies)
            names = {-1: 0, -2: None, **{i: int(g.name) for i, g in enumerate(model.geoms)}}
            way = np.array([r["direction"] for r in scene["rays"]])
            # the oracle looked no farther than this on fields beyond their border
            options = dict(exclude="body", body=scene["left_out"], range=50.0)
            seen = batch.rays(np.broadcast_to(scene["origin"], way.shape), way, **options)
            for i, truth in enumerate(scene["rays"]):
                _same(seen, i, truth, BOUND[precision])
                assert names[seen.geom[0, i]] == truth["shape"]
            camera = scene["camera"]
            way = rays.pinhole(camera["width"], camera["height"], math.radians(camera["fovy_deg"])).direction
            w, x, y, z = np.array(camera["quat"]) / np.linalg.norm(camera["quat"])
            turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                             [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
            seen = batch.rays(np.broadcast_to(scene["origin"], way.shape), way @ turn.T, **options)
            truth = np.array([[np.inf if v is None else v for v in pair] for pair in camera["distance_depth"]])
            assert np.array_equal(np.isinf(truth[:, 0]), np.isinf(seen.distance[0])) and np.isfinite(truth).any()
            met = np.isfinite(truth[:, 0])
            steep = 1 / np.abs(np.einsum("ij,ij->i", way @ turn.T, seen.normal[0]))[met]
            assert (np.abs(seen.distance[0, met] - truth[met, 0]) <= BOUND[precision] * steep).all()
            assert (np.abs(seen.distance[0, met] * -way[met, 2] - truth[met, 1]) <= BOUND[precision] * steep).all()
