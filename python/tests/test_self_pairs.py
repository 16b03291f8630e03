"""Which shapes of a robot touch each other, as Python asks for it."""
import math
import pickle

import pytest

import myriapod

BALL = '<geom name="{}" type="sphere" size=".1"/>'
ARM = ('<mujoco model="m"><default><joint range="-100 100"/></default><worldbody><body name="a" pos="0 0 1"><freejoint/>' + BALL.format("ga")
       + '<body name="b" pos=".3 0 0"><joint/>' + BALL.format("gb") + '<body name="c" pos=".3 0 0"><joint/>' + BALL.format("gc")
       + '<body name="d" pos=".3 0 0"><joint/>' + BALL.format("gd") + "</body></body></body></body></worldbody></mujoco>")


def names(model, pairs):
    return {tuple(sorted((model.geoms[pair.geom].name, model.geoms[pair.other].name))) for pair in pairs}


def test_the_option_is_off_auto_or_all():
    everything = {("ga", "gc"), ("ga", "gd"), ("gb", "gd")}
    models = {word: myriapod.Model.from_text(ARM, label="m.xml", self_collision=word) for word in ("off", "auto", "all")}
    assert [model.self_collision for model in models.values()] == ["off", "auto", "all"]
    assert not models["off"].pairs and names(models["all"], models["all"].pairs) == everything
    auto = models["auto"]  # bent by 100 degrees each, only the ends of the arm meet
    assert names(auto, auto.pairs) | names(auto, auto.dropped) == everything and names(auto, auto.pairs) == {("ga", "gd")}
    assert all(pair.reason == "never near" and pair.gap == pytest.approx(0.6 * math.cos(math.radians(50)) - 0.2, abs=1e-4) and pair.share == 0 for pair in auto.dropped)
    assert len({model.hash for model in models.values()}) == 3
    for model in models.values():
        assert pickle.loads(pickle.dumps(model)).hash == model.hash
    for wrong in ("some", 1):
        with pytest.raises(myriapod.ArgumentError, match="self_collision"):
            myriapod.Model.from_text(ARM, label="m.xml", self_collision=wrong)


def test_what_is_built_is_off_until_asked():
    def chain(*words):
        builder, body = myriapod.ModelBuilder("chain"), -1
        for i in range(4):
            body = builder.body(f"b{i}", body, "revolute" if i else "free", position=(0.3, 0, 0), axis=(0, 0, 1) if i else None, mass=1, inertia=(1, 1, 1, 0, 0, 0))
            builder.geom(body, "sphere", (0.1,))
        for word in words:
            builder.self_collision(word)
        return builder.compile()

    assert chain().self_collision == "off" and not chain().pairs
    assert len(chain("auto").pairs) == 3 and len(chain("all").pairs) == 3 and not chain("all", "off").pairs
    model = chain("auto")
    assert pickle.loads(pickle.dumps(model)).hash == model.hash != chain().hash
    with pytest.raises(myriapod.ArgumentError, match="self_collision"):
        chain("sometimes")
