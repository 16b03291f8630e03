"""Maps: from arrays and generated, robots on them, and what of a map may not be."""
import copy
import gc
import pickle

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, ArrayTypeError, LimitError, Patch, PatchKind, StateError, Terrain


@pytest.fixture(scope="module")
def stairs():
    return Terrain.generate("stairs", levels=4)


def noise(nx=24, ny=17):
    return np.random.default_rng(3).uniform(-0.3, 0.3, (nx, ny)).astype(np.float32)


# ---- from an array --------------------------------------------------------------------------------------------------


def test_heights_come_back_to_the_bit():
    heights = noise()
    terrain = Terrain(heights, cell=0.25, origin=(3, 16), columns=True)
    assert terrain.heights.dtype == np.float32 and np.array_equal(terrain.heights, heights)
    assert (terrain.nx, terrain.ny, terrain.cell, terrain.step, terrain.origin) == (24, 17, 0.25, 0.0, (3, 16))
    assert (terrain.lowest, terrain.highest) == (heights.min(), heights.max())
    assert terrain.kinds.shape == (3, 3) and terrain.kinds.all() and terrain.kinds.dtype == np.bool_
    assert terrain.patches == [] and terrain.patch_levels == terrain.patch_columns == 0
    assert terrain.bytes > heights.nbytes


def test_whole_steps():
    steps = np.arange(-32768, 32768, 9, np.int32)[: 80 * 90].reshape(80, 90).astype(np.int16)
    terrain = Terrain(steps, step=0.01)
    assert terrain.step == 0.01 and terrain.origin == (39, 44)
    np.testing.assert_array_equal(terrain.heights, (steps * 0.01).astype(np.float32))
    assert Terrain(steps.T.copy().T, step=0.01).hash == terrain.hash  # not in one piece
    assert Terrain(steps, step=0.02).hash != terrain.hash


def test_kinds_and_friction_by_blocks():
    kinds = np.zeros((3, 3), bool)
    kinds[1, 2] = True
    terrain = Terrain(noise(), columns=kinds)
    assert np.array_equal(terrain.kinds, kinds)
    hashes = {Terrain(noise(), columns=kinds, friction=f).hash for f in (None, 0.5, np.full((3, 3), 0.5), np.eye(3))}
    assert len(hashes) == 3 and terrain.hash in hashes  # 0.5 for all is 0.5 in every block


@pytest.mark.parametrize("given, error, words", [
    (dict(heights=np.zeros((1, 5))), ArgumentError, ["nx is 1", "2"]),
    (dict(heights=np.zeros((2, 16385), np.int16)), LimitError, ["ny is 16385", "16384"]),
    (dict(heights=np.zeros(5)), ArgumentError, ["heights", "(5,)", "(nx, ny)"]),
    (dict(heights=np.zeros((4, 4), np.int64)), ArrayTypeError, ["heights", "int64", "int16"]),
    (dict(heights=[[0.0, 1.0], [0.0, float("nan")]]), ArgumentError, ["(1, 1)", "nan", "10000"]),
    (dict(heights=np.full((2, 2), 1e300)), ArgumentError, ["(0, 0)", "inf"]),
    (dict(cell=0.0), ArgumentError, ["cell_m is 0", "0.001"]),
    (dict(heights=np.zeros((4, 4), np.int16), step=2.0), ArgumentError, ["step_m is 2", "1e-6"]),
    (dict(origin=(0, 4)), ArgumentError, ["origin is 4", "0 .. 3"]),
    (dict(origin=(0, 1, 2)), ArgumentError, ["origin", "(i, k)"]),
    (dict(columns=np.zeros((2, 1), bool)), ArgumentError, ["columns", "(2, 1)", "(1, 1)", "8 x 8"]),
    (dict(columns=np.zeros((1, 1))), ArrayTypeError, ["columns", "float64", "bool"]),
    (dict(friction=2.5), ArgumentError, ["friction is 2.5", "1.992"]),
    (dict(friction=np.array([[np.nan]])), ArgumentError, ["friction is nan"]),
    (dict(friction=np.ones((2, 2))), ArgumentError, ["friction", "(2, 2)"]),
])
def test_what_is_refused(given, error, words):
    with pytest.raises(error) as raised:
        Terrain(**{"heights": np.zeros((4, 4)), **given})
    for word in words:
        assert word in str(raised.value)


# ---- generated ------------------------------------------------------------------------------------------------------


def test_the_same_plan_is_the_same_map():
    one, two, other = (Terrain.generate("rough", seed, levels=2, columns=2) for seed in (5, 5, 6))
    assert one.hash == two.hash != other.hash
    assert np.array_equal(one.heights, two.heights)
    assert (one.patch_levels, one.patch_columns) == (2, 2)
    patches = one.patches
    assert [(p.level, p.column) for p in patches] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all(isinstance(p, Patch) and p.kind == "rough" and p.size == 8 for p in patches) and patches[2].difficulty == 0.5
    assert one.patch(1, 0) == patches[2]
    # The origin of a patch: the highest sample within 1 m of its middle.
    at = np.array(patches[3].at)
    i, k = np.rint(at[:2] / one.cell).astype(int) + one.origin
    assert at[2] == pytest.approx(one.heights[i - 10 : i + 11, k - 10 : k + 11].max(), abs=1e-6)


def test_profiles_and_kinds_of_ones_own():
    assert {"legged-gym", "isaac-lab", "mjlab", "flat", "stairs"} <= set(Terrain.profiles())
    kinds = Terrain.profile_kinds("legged-gym")
    assert [k.kind for k in kinds] == ["slope", "slope", "rough", "stairs", "stairs", "obstacles"]
    assert sum(k.share for k in kinds) == pytest.approx(1) and kinds[3] == PatchKind("stairs", 0.35, -0.05, -0.23, platform=3, width=0.31)
    assert Terrain.generate("legged-gym", 2, kinds=kinds, levels=2).hash == Terrain.generate("legged-gym", 2, levels=2).hash
    pit = Terrain.generate("flat", levels=1, columns=2, border=0, cell=0.05, step=0.01, patch=4,
                           kinds=[PatchKind("flat"), PatchKind("pit", start=0.5, end=0.5, platform=1)])
    assert [p.kind for p in pit.patches] == ["flat", "pit"] and (pit.nx, pit.ny, pit.step) == (80, 160, 0.01)
    assert pit.lowest == -0.5 and pit.height((0, 2.0)) == -0.5 and pit.kinds.sum() == 100


@pytest.mark.parametrize("given, words", [
    (dict(profile="leged-gym"), ["leged-gym", "legged-gym", "stones"]),
    (dict(levels=0), ["levels is 0", "from 1"]),
    (dict(patch=7.7), ["patch_m is 7.7", "8"]),
    (dict(spread=2.0), ["spread is 2", "1"]),
    (dict(seed=-1), ["seed is -1"]),
    (dict(kinds=[]), ["kinds has 0 items", "1 to 16"]),
    (dict(kinds=["stairs"]), ["kinds[0] is str", "PatchKind"]),
    (dict(kinds=[PatchKind("stares")]), ["stares", "stairs"]),
    (dict(kinds=[PatchKind("x" * 16)]), ["kinds[0].kind", "xxxx"]),
])
def test_plans_that_are_refused(given, words):
    with pytest.raises(ArgumentError) as raised:
        Terrain.generate(**{"profile": "flat", **given})
    for word in words:
        assert word in str(raised.value)
    with pytest.raises(ArgumentError, match="not generated"):
        Terrain(np.zeros((4, 4))).patch(0, 0)
    with pytest.raises(ArgumentError, match="level"):
        Terrain.generate("flat", levels=1, columns=1).patch(1, 0)


# ---- asking ---------------------------------------------------------------------------------------------------------


def test_height_and_normal_of_a_slope():
    x, y = np.meshgrid(0.5 * np.arange(-20, 21), 0.5 * np.arange(-20, 21), indexing="ij")
    terrain = Terrain(0.25 * x - 0.5 * y, cell=0.5)  # exact in binary
    places = np.random.default_rng(0).uniform(-9, 9, (5, 40, 2))
    np.testing.assert_allclose(terrain.height(places), 0.25 * places[..., 0] - 0.5 * places[..., 1], atol=1e-12)
    np.testing.assert_allclose(terrain.normal(places), np.broadcast_to(np.array([-0.25, 0.5, 1]) / np.sqrt(1.3125), (5, 40, 3)), atol=1e-12)
    assert terrain.height((1.0, 2.0)) == -0.75 and terrain.height((1.0, 2.0)).shape == ()
    assert terrain.height((1e3, 0.0)) == 2.5  # the border goes on
    with pytest.raises(ArgumentError, match=r"place 1 is \(nan"):
        terrain.height([(0, 0), (np.nan, 0)])
    with pytest.raises(ArgumentError, match=r"xy has shape \(3,\)"):
        terrain.normal((1.0, 2.0, 3.0))


def test_columns_are_pillars():
    heights = np.zeros((16, 16), np.int16)
    heights[8:, :] = 40
    terrain = Terrain(heights, columns=True, origin=(8, 8))
    np.testing.assert_allclose(terrain.height([(-0.051, 0), (-0.049, 0), (0.3, 0)]), [0, 0.2, 0.2])
    assert np.array_equal(terrain.normal([(-0.051, 0), (0.3, 0)]), [[0, 0, 1], [0, 0, 1]])


# ---- the object -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terrain", [
    Terrain(noise(), cell=0.25, origin=(1, 2), columns=np.eye(3, dtype=bool), friction=0.25),
    Terrain((1000 * noise()).astype(np.int16), step=0.003),
    Terrain.generate("rough", 9, levels=2, columns=3, kinds=Terrain.profile_kinds("rough")),
], ids=["floats", "steps", "generated"])
def test_pickles(terrain):
    again = pickle.loads(pickle.dumps(terrain))
    assert again.hash == terrain.hash and again.patches == terrain.patches
    assert (again.cell, again.step, again.origin) == (terrain.cell, terrain.step, terrain.origin)
    assert copy.deepcopy(terrain) is terrain and copy.copy(terrain) is terrain
    how, given, _ = terrain.__reduce__()[1]
    with pytest.raises(myriapod.FormatError, match="is not the one that was pickled"):
        terrain.__reduce__()[0](how, given, "0" * 16)


def test_is_immutable_and_says_what_it_is(stairs):
    for name in ("cell", "heights", "celll"):
        with pytest.raises(AttributeError):
            setattr(stairs, name, 1.0)
    heights = stairs.heights
    heights[:] = 9
    assert stairs.heights.max() == np.float32(stairs.highest) != 9
    assert repr(stairs) == f"<Terrain {stairs.nx} x {stairs.ny}, cell 0.1 m, {stairs.lowest:.4g} .. {stairs.highest:.4g} m, 4 x 4 patches>"


# ---- robots on it ---------------------------------------------------------------------------------------------------


def test_a_model_on_a_map(robot, stairs):
    model = robot.on(stairs)
    assert model.terrain is stairs and robot.terrain is None
    assert model.hash != robot.hash and model.n_slots > robot.n_slots and model.nq == robot.nq
    assert model.source == robot.source and np.array_equal(model.home, robot.home) and "on <Terrain" in repr(model)
    flat = Terrain.generate("flat", levels=1)
    assert model.on(flat).hash == robot.on(flat).hash and model.on(flat).terrain is flat
    again = pickle.loads(pickle.dumps(model.on(flat)))
    assert again.hash == robot.on(flat).hash and again.terrain.hash == flat.hash and again.terrain.patch_levels == 1
    with pytest.raises(ArgumentError, match="terrain is str.*Terrain.generate"):
        robot.on("stairs")
    with pytest.raises(ArgumentError, match="a ball of geom.*cells of"):
        myriapod.Model("sphere").on(Terrain(np.zeros((9, 9)), cell=0.01))


def test_a_flat_map_is_the_plane_to_the_bit(robot):
    flat = robot.on(Terrain(np.zeros((65, 65), np.int16)))
    with myriapod.Batch(robot, 20, task="stand", threads=1, seed=3) as plane, myriapod.Batch(flat, 20, task="stand", threads=1, seed=3) as batch:
        batch.ground_at = [0.7, -1.1, 0.0]
        for each in (plane, batch):
            each.q = each.q + np.float32(0.02) * np.float32(np.arange(20)[:, None] % 3) * (np.arange(19) == 2)  # some fall a little
            each.step(200)
        assert np.array_equal(plane.q, batch.q) and np.array_equal(plane.v, batch.v)
        assert (plane.q[:, 2] > 0.4).all()


def test_ground_at_goes_to_samples(robot):
    with myriapod.Batch(robot.on(Terrain(np.zeros((65, 65), np.int16))), 3, precision="f64", threads=1) as batch:
        assert batch.shape("ground_at") == (3, 3) and np.array_equal(batch.ground_at, np.zeros((3, 3)))
        batch.set("ground_at", [[1.04, -2.06, 0.0123]], ids=[1])
        np.testing.assert_allclose(batch.ground_at, [[0, 0, 0], [1.0, -2.1, 0.01], [0, 0, 0]], atol=1e-12)
        kept = batch.ground_at
        batch.ground_at = kept
        assert np.array_equal(batch.ground_at, kept)
        batch.reset()
        assert np.array_equal(batch.ground_at, kept)
    with myriapod.Batch(robot, 3, threads=1) as batch:
        assert "ground_at" not in batch.fields
        with pytest.raises(StateError, match="ground_at.*a model on a map"):
            batch.ground_at = 0.0


@pytest.mark.parametrize("profile", ["stairs", "rough"])
def test_anymals_stand_on_patches(robot, profile):
    terrain = Terrain.generate(profile, levels=2)
    with myriapod.Batch(robot.on(terrain), 20, task="stand", threads=1) as batch:
        batch.place(levels=0)
        batch.step(2000)
        assert not batch.quarantined.any()
        assert np.abs(batch.v).max() < 0.5
        under = terrain.height(batch.q[:, :2] + batch.ground_at[:, :2]) - batch.ground_at[:, 2]
        above = batch.q[:, 2] - under
        assert (above > 0.4).all() and (above < 0.7).all()  # it stands at 0.54 on a plane
        if profile == "rough":
            assert np.ptp(batch.q[:, 2]) > 1e-4  # no two grounds are the same


def test_off_the_map_is_one_robots_fate(robot, stairs):
    with myriapod.Batch(robot.on(stairs), 4, task="stand", threads=1) as batch, myriapod.Batch(robot.on(stairs), 4, task="stand", threads=1) as calm:
        for each in (batch, calm):
            each.q = robot.home + 0.9 * np.eye(19)[0]  # its feet before the first riser, and no heading of its own
            each.place(levels=[3, 3, 3, 0], columns=[0, 1, 0, 2])  # columns 0 and 1 are equal: stairs down
        away = batch.get("q", [2])
        away[:, 0] = 70.0
        batch.set("q", away, ids=[2])
        for each in (batch, calm):
            each.v = 0.8 * np.eye(18)[0]  # towards it
            each.step(400)
        assert [myriapod.quarantine_text(int(k)) for k in batch.quarantined] == ["healthy", "healthy", "off the map", "healthy"]
        assert np.array_equal(batch.q[0], batch.q[1]) and np.array_equal(batch.v[0], batch.v[1])
        assert np.array_equal(batch.q[[0, 1, 3]], calm.q[[0, 1, 3]]) and not np.array_equal(batch.q[0], batch.q[3])


def test_place(robot, stairs):
    at = np.array([p.at for p in stairs.patches]).reshape(4, 4, 3)
    with myriapod.Batch(robot.on(stairs), 8, precision="f64", threads=1) as batch:
        start = batch.patch
        assert start.dtype == np.int64 and np.array_equal(start[:, 1], np.arange(8) % 4)
        np.testing.assert_allclose(batch.ground_at, at[start[:, 0], start[:, 1]], atol=1e-12)
        batch.place(levels=-1)
        assert np.array_equal(batch.patch, np.stack([np.full(8, 3), start[:, 1]], -1))
        batch.place(levels=[0, 2], columns=1, ids=[5, 6])
        wanted = np.stack([[3, 3, 3, 3, 3, 0, 2, 3], [0, 1, 2, 3, 0, 1, 1, 3]], -1)
        assert np.array_equal(batch.patch, wanted)
        np.testing.assert_allclose(batch.ground_at, at[wanted[:, 0], wanted[:, 1]], atol=1e-12)
        batch.reset()
        assert np.array_equal(batch.patch, wanted)
        for given, words in ((dict(levels=4), "levels has 4, but there are 0 .. 3"), (dict(columns=[0, 1]), r"columns has shape \(2,\), but must be \(8,\)"),
                             (dict(levels=0.5), "levels have dtype float64"), (dict(levels=0, ids=[99]), "99")):
            with pytest.raises(ArgumentError, match=words):
                batch.place(**given)
        assert np.array_equal(batch.patch, wanted)
        again = pickle.loads(pickle.dumps(batch))
        assert np.array_equal(again.ground_at, batch.ground_at) and np.array_equal(again.patch, wanted) and again.hash() == batch.hash()
        again.close()
    with myriapod.Batch(robot, 2, threads=1) as batch:
        with pytest.raises(StateError, match="on no map"):
            batch.place()
    with myriapod.Batch(robot.on(Terrain(np.zeros((9, 9)))), 2, threads=1) as batch:
        with pytest.raises(StateError, match="a map without patches"):
            batch.place()


def test_the_setting_terrain(robot):
    with myriapod.Batch(robot, 4, terrain="rough", terrain_seed=7, threads=1, sense=("contacts",)) as batch:
        model, terrain = batch.model, batch.model.terrain
        wanted = Terrain.generate("rough", 7)
        assert terrain.hash == wanted.hash and terrain.patches == wanted.patches and model.hash == robot.on(wanted).hash
        assert batch.shape("impulse") == (4, model.n_slots, 3) and model.n_slots > robot.n_slots
        batch.step(300)
        assert len(batch.problems()[0].mu) > 0
        with myriapod.Batch(model, 4, batch.settings) as same:  # the model is on that map already
            assert same.model.hash == model.hash
        again = pickle.loads(pickle.dumps(batch))
        assert again.hash() == batch.hash() and again.model.hash == model.hash
        again.close()
    with pytest.raises(ArgumentError, match="on a map already"):
        myriapod.Batch(model, 1, terrain="stairs")
    with pytest.raises(ArgumentError, match="'stares'.*stairs"):
        myriapod.Batch(robot, 1, terrain="stares")
    del batch, same, again, model  # the map outlives them, though others of its size are made
    gc.collect()
    others = [Terrain.generate("stairs") for _ in range(3)]
    assert np.array_equal(terrain.heights, wanted.heights) and others[0].bytes == wanted.bytes
    assert pickle.loads(pickle.dumps(terrain)).hash == wanted.hash


# ---- files ----------------------------------------------------------------------------------------------------------


def test_files_come_back(tmp_path):
    terrain = Terrain(noise(), cell=0.25, origin=(3, 16), columns=np.eye(3, dtype=bool), friction=0.5)
    terrain.save(tmp_path / "map.npz")
    assert Terrain.read(tmp_path / "map.npz").hash == terrain.hash
    with np.load(tmp_path / "map.npz") as file:
        assert np.array_equal(file["heights_m"], terrain.heights)
    np.save(tmp_path / "map.npy", terrain.heights)
    read = Terrain.read(tmp_path / "map.npy", cell=0.25, origin=(3, 16), columns=True)
    assert np.array_equal(read.heights, terrain.heights) and read.origin == (3, 16) and read.kinds.all()
    with pytest.raises(ArgumentError, match="cell"):
        Terrain.read(tmp_path / "map.npy")
    with pytest.raises(myriapod.FormatError, match="map.npz"):
        (tmp_path / "map.npz").write_bytes(b"PK\x03\x04 nothing more")
        Terrain.read(tmp_path / "map.npz")
    with pytest.raises(OSError, match="none.npz"):
        Terrain.read(tmp_path / "none.npz")


def test_mjcf_and_back(tmp_path):
    terrain = Terrain(noise(25, 17), cell=0.25)
    terrain.export_mjcf(tmp_path / "map.xml")
    back = Terrain.from_mjcf(tmp_path / "map.xml")
    np.testing.assert_allclose(back.heights, terrain.heights, atol=1e-6)
    with pytest.warns(UserWarning, match="columns"):
        Terrain(noise(25, 17), columns=np.eye(4, 3, dtype=bool)).export_mjcf(tmp_path / "mixed.xml")
