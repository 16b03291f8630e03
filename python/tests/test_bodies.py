"""Bodies that touch each other, and the shapes that touch the ground alone."""
import pickle

import numpy as np
import pytest

from myriapod import ArgumentError, Batch, LimitError, Model, ModelBuilder
from myriapod.view.frame import SlotPlaces, world_forces
from myriapod.view.primitives import hull
from myriapod.view.shapes import collision_shapes


def _free(builder, name, at):
    body = builder.body(name, joint="free", mass=1.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    builder.home(body, at)
    return body


def test_a_ball_on_a_box_that_somebody_holds():
    builder = ModelBuilder("table")
    table = builder.geom(builder.body("table", joint="fixed"), "box", (0.5, 0.5, 0.1), position=(0, 0, 1), friction=0.3)
    ball = builder.geom(_free(builder, "ball", (0.1, 0.2, 1.1999)), "sphere", (0.1,), friction=0.6)
    model = builder.compile()
    slots = model.slots
    assert [(s.geom, s.other, s.body, s.other_body, s.feature, s.friction) for s in slots] == [(ball, -1, 0, -1, 0, 0.6), (ball, table, 0, -1, 0, 0.6)]
    with Batch(model, 3, task="none", threads=1, precision="f64", sense=("contacts", "bodies")) as batch:
        batch.step(200)
        force = world_forces(batch.get("impulse"), batch.get("contact_normal"), 1e-3)
        assert np.allclose(force[:, 1], (0, 0, 9.81), atol=1e-2) and np.abs(force[:, 0]).max() == 0
        assert np.allclose(batch.get("contact_point")[:, 1], (0.1, 0.2, 1.1), atol=1e-3)
        assert SlotPlaces(model).points(batch.get("body_pose")).shape == (3, 2, 3)
    builder.pair(table, ball, touch=False)
    assert len(builder.compile().slots) == 1
    with pytest.raises(ArgumentError, match="both"):
        builder.pair(ball, ball)
    with pytest.raises(ArgumentError, match="home"):
        builder.home(0, (0, 0, 0))


def test_forces_follow_the_contact_frame():
    for normal in ((0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)):
        z = np.array(normal)
        along = np.array([0.0, 1, 0] if abs(z[0]) > 0.9 else [1.0, 0, 0])
        x = along - z * (along @ z)
        x /= np.linalg.norm(x)
        force = world_forces(np.array([[[1.0, 2.0, 3.0]]]), z[None, None], 0.5)[0, 0]
        assert np.allclose((force @ x, force @ np.cross(z, x), force @ z), (2, 4, 6))


def test_cylinders_and_hulls_on_the_ground():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
    builder = ModelBuilder("shapes")
    for name, x in (("drum", 0.0), ("stone", 1.0)):
        body = _free(builder, name, (x, 0, 0.09999))  # deeper ones come out within the step, and a contact is shown where it was
        if name == "drum":
            builder.geom(body, "cylinder", (0.2, 0.1))
        else:
            builder.geom(body, "hull", points=np.concatenate([corners, np.zeros((5, 3)), 0.5 * corners]))
    model = builder.compile()
    assert [g.n_slots for g in model.geoms] == [4, 8] and model.geoms[1].points == tuple(map(tuple, corners))
    with Batch(model, 1, task="none", threads=1, precision="f64", sense=("contacts", "bodies")) as batch:
        batch.step(1)
        touching = np.abs(batch.get("contact_normal"))[0].sum(-1) > 0
        assert touching.sum() == 3 + 4
        places = SlotPlaces(model).points(batch.get("body_pose"))[0]
        assert np.abs(places - batch.get("contact_point")[0])[touching].max() < 1e-4
    assert len(collision_shapes(model)) == 2
    with pytest.raises(ArgumentError, match="points of a sphere"):
        builder.geom(0, "sphere", (0.1,), points=corners)
    with pytest.raises(ArgumentError, match="points of a hull"):
        builder.geom(0, "hull")
    with pytest.raises(LimitError, match="corners"):
        ball = np.random.default_rng(1).normal(size=(100, 3))
        builder.geom(0, "hull", points=ball / np.linalg.norm(ball, axis=1, keepdims=True))


def test_hulls_are_drawn_whole():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
    vertices, faces = hull(corners)
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normal = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", normal, a) > 0).all()  # outwards
    assert np.linalg.norm(normal, axis=1).sum() / 2 == pytest.approx(2 * 2 * (8 + 12 + 24))  # each face of four corners twice


@pytest.mark.parametrize("name, envs", [("stack-2", 3), ("hand-ball", 2)])
def test_scenes_that_ship(name, envs):
    model = Model(name)
    with Batch(model, envs, task="none", threads=1, precision="f64") as batch:
        batch.step(1000)
        last = batch.get("q")[0, -7:]  # the upper cube on the lower one; the ball rolls between the fingers, on the palm
        at = (0, 0, 0.3) if name == "stack-2" else (0, 0, 0.35)
        assert np.abs(last[:2]).max() < 0.02 and last[2] == pytest.approx(at[2], abs=2e-3)


def test_models_in_models():
    robot, cube = Model("solo12"), Model("cube")
    builder = ModelBuilder("yard")
    builder.add_model(robot, "left/", position=(0, -2, 0))
    builder.add_model(robot, "right/", position=(0, 2, 0), quaternion=(0, 0, 0, 1))
    builder.add_model(cube, position=(0, 0, 3))
    builder.pair_friction(builder.find_geom("cube"), -1, 0.25)
    with pytest.raises(ArgumentError, match="already"):
        builder.add_model(cube)
    with pytest.raises(ArgumentError, match="no body"):
        builder.find_body("left")
    model = pickle.loads(pickle.dumps(builder)).compile()
    assert model.hash == builder.compile().hash and model.nu == 24 and abs(model.mass - 2 * robot.mass - cube.mass) < 1e-12
    assert [s.friction for s in model.slots if model.geoms[s.geom].name == "cube" and s.other < 0] == [0.25] * 8
    home = model.home
    assert np.allclose(home[19:26], (0, 2, robot.home[2], 0, 0, 0, 1)) and np.array_equal(home[7:19], robot.home[7:]) and home[40] == 3.1
    floating = ModelBuilder("held")
    floating.add_model(robot, root="fixed")
    assert floating.compile().nq == 12
