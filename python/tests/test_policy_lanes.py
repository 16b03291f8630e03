"""Policies in lanes: `LaneTask.rollout`, and the files of others that `Policy.load` reads."""
import copy
import pickle
import warnings

import myriapod
import numpy as np
import pytest
from myriapod import FileError, FormatError, LaneTask, Locomotion, Policy
from myriapod.policies.lanes import Lanes, lanes_of

KEPT = dict(observation=True, action=True, state=True, terms=True)


def policy_of(sizes=(48, 33, 16, 12), activation="elu", normal=True, seed=1):
    random = np.random.default_rng(seed)
    weights = [(random.standard_normal((b, a)) / np.sqrt(a)).astype(np.float32) for a, b in zip(sizes, sizes[1:])]
    biases = [(0.1 * random.standard_normal(b)).astype(np.float32) for b in sizes[1:]]
    around = dict(mean=random.standard_normal(sizes[0]), std=random.uniform(0.5, 2, sizes[0])) if normal else {}
    return Policy(weights, biases, activation, **around)


def walk(policy, steps=12, **settings):
    with_defaults = {"num_envs": 35, "threads": 1, "seed": 3, "episode": 0.16, **settings}
    task = Locomotion("anymal-flat", **with_defaults)
    try:
        return task.rollout(policy, steps, **KEPT), task.batch.hash(), task.final()
    finally:
        task.close()


def assert_same(a, b):
    for name in a._fields:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype and np.array_equal(x, y), name


@pytest.mark.parametrize("keys", [{}, {"autoreset": "next-step"}, {"autoreset": "disabled", "dtype": np.float64}, {"precision": "f64", "threads": 2}])
def test_a_rollout_is_its_steps_bit_for_bit(keys):
    policy = policy_of()
    own = Lanes(policy)
    lanes, state, final = walk(policy, **keys)
    by_hand, state_by_hand, _ = walk(lambda seen: own(seen), **{**keys, "threads": 3})
    assert_same(lanes, by_hand)
    assert state == state_by_hand and len(final.ids) == 0
    assert lanes.truncated.any() and lanes.episode_length.max() == 8
    assert lanes.state.shape == (35, 12, 19 + 18) and lanes.action.shape == (35, 12, 12) and np.abs(lanes.terms).sum() > 0


def test_pieces_do_not_show(monkeypatch):
    whole, state, _ = walk(policy_of(), steps=23)
    monkeypatch.setattr("myriapod._pace.PIECE_S", 1e-9)
    pieces, same, _ = walk(policy_of(), steps=23)
    assert_same(whole, pieces)
    assert state == same


def test_only_what_is_asked_for_is_kept():
    task = LaneTask("hold", 5, robot="solo12", threads=1)
    got = task.rollout(policy_of((task.num_observations, 12)), 3)
    assert (got.observation, got.action, got.state, got.terms) == (None,) * 4 and got.reward.shape == (5, 3)
    with pytest.raises(myriapod.ArgumentError, match="for 7 observations, but the task has"):
        task.rollout(policy_of((7, 12)), 3)
    with pytest.raises(myriapod.ArgumentError, match="steps is -1"):
        task.rollout(policy_of((task.num_observations, 12)), -1)
    with pytest.raises(myriapod.ArgumentError, match="policy is int"):
        task.rollout(3, 3)
    task.close()


@pytest.mark.parametrize("sizes", [(48, 12), (48, 128, 64, 32, 12), (5, 512, 3), (70, 1, 17, 33, 16, 2)])
@pytest.mark.parametrize("activation", ["elu", "relu", "tanh"])
def test_lanes_are_numpy_to_rounding(sizes, activation):
    policy = policy_of(sizes, activation)
    seen = np.random.default_rng(2).standard_normal((200, sizes[0])).astype(np.float32)
    assert np.abs(Lanes(policy, 2)(seen) - policy(seen)).max() < 5e-6
    assert np.array_equal(Lanes(policy, 2)(seen), Lanes(policy, 1, "auto")(seen))


def test_a_policy_too_large_for_lanes_acts_step_by_step():
    big = policy_of((48, 600, 12), normal=False)
    with pytest.raises(myriapod.ArgumentError, match=r"hidden\[0\] is 600"):
        Lanes(big)
    with pytest.raises(myriapod.ArgumentError, match="activation is 'identity'"):
        Lanes(policy_of((48, 9, 12), "identity"))
    assert_same(walk(big)[0], walk(lambda seen: big(seen))[0])


def test_numbers_that_change_are_seen():
    policy = policy_of()
    first = walk(policy)[0]
    assert lanes_of(policy, 1) is lanes_of(policy, 1)
    policy.biases[-1][3] += 1
    assert not np.array_equal(walk(policy)[0].action, first.action)
    policy.biases[-1][3] = np.nan
    with pytest.raises(myriapod.ArgumentError, match="biases of layer 2, number 3, is not finite"):
        walk(policy)


def test_a_policy_that_has_acted_can_be_copied():
    policy = policy_of()
    first = walk(policy)[0]
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert_same(first, walk(other)[0])


def test_a_policy_in_the_place_of_a_control_array():
    from myriapod import rollout

    policy, keys = policy_of(), dict(profile=myriapod.TASKS["anymal-flat"].profile, seed=3, threads=2, episode=0.16)
    wanted = walk(policy, autoreset="disabled", num_envs=20)[0].state
    with myriapod.Batch("anymal", 20, **keys) as batch:
        state, _ = rollout.rollout("anymal", batch, control=policy, nstep=12)
    assert np.array_equal(state[:, :, 1:], wanted)
    with myriapod.Batch("anymal", 20, **keys, sense="bodies") as batch:
        again, sensed = rollout.rollout("anymal", batch, control=policy, nstep=12, sensors=["body_pose"])
    assert np.array_equal(state, again) and sensed.shape[:2] == (20, 12)
    fresh, _ = rollout.rollout("anymal", control=policy, nstep=3, task="locomotion", initial_state=state[:4, 3])
    assert fresh.shape == (4, 3, 1 + 37) and np.isfinite(fresh).all()
    with pytest.raises(myriapod.StateError, match="create it with task"):
        rollout.rollout("anymal", control=policy, nstep=3, task="stand")


# ---- files of others ---------------------------------------------------------------------------------------------------


def load(path, **keys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Policy.load(path, **keys)


def assert_same_policy(a, b):
    assert a.activation == b.activation and len(a.weights) == len(b.weights)
    for x, y in zip((*a.weights, *a.biases, a.mean), (*b.weights, *b.biases, b.mean)):
        assert np.array_equal(x, y)
    assert np.allclose(a.std, b.std, rtol=1e-6)


def save_onnx(policy, path, style="gemm", edit=None):
    onnx = pytest.importorskip("onnx", reason="may skip: the package onnx is a choice")
    h, constants, nodes, at = onnx.helper, [], [], "obs"

    def constant(name, array):
        constants.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(op, *inputs, **attributes):
        nodes.append(h.make_node(op, list(inputs), [f"x{len(nodes)}"], name=f"n{len(nodes)}", **attributes))
        return nodes[-1].output[0]

    at = node("Sub", at, constant("mean", policy.mean))
    at = node("Div", at, constant("std", policy.std))
    for k, (w, b) in enumerate(zip(policy.weights, policy.biases)):
        if style == "gemm":
            at = node("Gemm", at, constant(f"w{k}", w), constant(f"b{k}", b), transB=1)
        else:
            at = node("Add", node("MatMul", at, constant(f"w{k}", w.T)), constant(f"b{k}", b))
        if k + 1 < len(policy.weights):
            at = node({"elu": "Elu", "relu": "Relu", "tanh": "Tanh"}[policy.activation], at)
    if edit:
        at = edit(node, nodes, at) or at
    value = lambda name: h.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)  # noqa: E731
    onnx.save(h.make_model(h.make_graph(nodes, "policy", [value("obs")], [value(at)], constants)), path)


@pytest.mark.parametrize("style", ["gemm", "matmul"])
@pytest.mark.parametrize("activation", ["elu", "relu", "tanh"])
def test_onnx(tmp_path, style, activation):
    policy = policy_of(activation=activation)
    save_onnx(policy, tmp_path / "p.onnx", style)
    assert_same_policy(load(tmp_path / "p.onnx"), policy)


def test_onnx_that_is_no_policy(tmp_path):
    policy, path = policy_of(), tmp_path / "p.onnx"

    def refused(words, edit, style="gemm"):
        save_onnx(policy, path, style, edit)
        with pytest.raises(FormatError, match=words) as told:
            load(path)
        assert str(told.value).startswith(f"{path}: ") and "\n" not in str(told.value)

    refused(r"node 7 \(`n7`\): Softmax is not known", lambda node, nodes, at: node("Softmax", at))
    refused("an activation .tanh. behind the last layer", lambda node, nodes, at: node("Tanh", at))
    refused("its activations differ: elu, tanh", lambda node, nodes, at: setattr(nodes[3], "op_type", "Tanh"))
    refused(r"node 3 \(`n3`\): alpha is 0.5", lambda node, nodes, at: nodes[3].attribute.extend([__import__("onnx").helper.make_attribute("alpha", 0.5)]))
    refused(r"node 7 \(`n7`\): Add takes `x2`, `x6`", lambda node, nodes, at: node("Add", "x2", at))
    refused(r"node 7 \(`n7`\): Sub does not normalise", lambda node, nodes, at: node("Sub", at, "b2"))
    refused("its output `x4` does not come out of the last node, which gives `x6`", lambda node, nodes, at: "x4")
    save_onnx(policy, path)
    whole = path.read_bytes()
    for share in (0, 0.2, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(FormatError, match="p.onnx: ") as told:
            load(path)
        assert "\n" not in str(told.value)
    path.write_bytes(b"<robot/>" * 40)
    with pytest.raises(FormatError, match="p.onnx"):
        load(path)
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path / "absent.onnx")


def checkpoint(policy, style):
    torch = pytest.importorskip("torch", reason="may skip: torch is a choice")
    layers = {}
    for k, (w, b) in enumerate(zip(policy.weights, policy.biases)):
        layers[f"{2 * k}.weight"], layers[f"{2 * k}.bias"] = torch.from_numpy(w.copy()), torch.from_numpy(b.copy())
    normal = {"_mean": torch.from_numpy(policy.mean[None].copy()), "_std": torch.from_numpy(policy.std[None] - np.float32(0.01)),
              "_var": torch.ones(1, policy.n_obs), "count": torch.tensor(3)}
    if style == "new":
        actor = {"distribution.std_param": torch.ones(12), **{f"mlp.{k}": v for k, v in layers.items()}, **{f"obs_normalizer.{k}": v for k, v in normal.items()}}
        return {"actor_state_dict": actor, "critic_state_dict": {"mlp.0.weight": torch.ones(1, 48)}, "iter": 3}
    model = {"std": torch.ones(12), **{f"actor.{k}": v for k, v in layers.items()}, "critic.0.weight": torch.ones(1, 48)}
    return {"model_state_dict": model, "obs_norm_state_dict": normal, "iter": 3}


@pytest.mark.parametrize("style", ["new", "old"])
def test_checkpoints_of_rsl_rl(tmp_path, style):
    torch = pytest.importorskip("torch", reason="may skip: torch is a choice")
    policy, path = policy_of(activation="tanh"), tmp_path / "model_3.pt"
    held = checkpoint(policy, style)
    torch.save(held, path)
    assert_same_policy(load(path, activation="tanh"), policy)
    assert load(path).activation == "elu"
    state = held["actor_state_dict" if style == "new" else "model_state_dict"]
    first = "mlp" if style == "new" else "actor"

    def refused(words, **change):
        torch.save({**held, **change}, path)
        with pytest.raises(FormatError, match=words) as told:
            load(path)
        assert str(told.value).startswith(f"{path}: ") and "\n" not in str(told.value)

    name = next(k for k in held if k.endswith("state_dict") and held[k] is state)
    refused("holds `rnn.weight`, which is not a layer", **{name: {**state, "rnn.weight": torch.ones(3)}})
    refused("holds 'std', which is not a tensor", **{name: {**state, "std": [1.0]}})
    refused("has no bias of layer 2", **{name: {k: v for k, v in state.items() if k != f"{first}.2.bias"}})
    refused("w1 has 5 columns, but w0 has 33 rows", **{name: {**state, f"{first}.2.weight": torch.ones(16, 5)}})
    refused("w0 has numbers that are not finite", **{name: {**state, f"{first}.0.weight": torch.full((33, 48), float("nan"))}})
    torch.save({"weights": 3}, path)
    with pytest.raises(FormatError, match="has neither `actor_state_dict` nor `model_state_dict`"):
        load(path)
    torch.save(held, path)
    whole = path.read_bytes()
    for share in (0, 0.3, 0.9):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(FormatError, match="model_3.pt") as told:
            load(path)
        assert "\n" not in str(told.value)


def test_a_checkpoint_by_rsl_rl_itself(tmp_path):
    torch = pytest.importorskip("torch", reason="may skip: torch is a choice")
    pytest.importorskip("rsl_rl.models", reason="may skip: rsl_rl is a choice")
    from rsl_rl.models import MLPModel
    from tensordict import TensorDict

    seen = TensorDict({"policy": torch.randn(9, 48)}, batch_size=[9])
    actor = MLPModel(seen, {"actor": ["policy"]}, "actor", 12, (33, 16), "elu", True,
                     {"class_name": "rsl_rl.modules.distribution.GaussianDistribution", "init_std": 0.5})
    for _ in range(3):
        actor.update_normalization(TensorDict({"policy": 2 + 3 * torch.randn(50, 48)}, batch_size=[50]))
    torch.save({"actor_state_dict": actor.state_dict(), "iter": 1}, tmp_path / "model_1.pt")
    actor.eval()
    wanted = actor(seen).detach().numpy()
    assert np.abs(load(tmp_path / "model_1.pt")(seen["policy"].numpy()) - wanted).max() < 1e-5
    onnx = pytest.importorskip("onnx", reason="may skip: the package onnx is a choice")
    assert onnx
    exported = actor.as_onnx(verbose=False).eval()
    torch.onnx.export(exported, exported.get_dummy_inputs(), str(tmp_path / "p.onnx"), input_names=["obs"], output_names=["actions"], dynamo=False)
    assert np.abs(load(tmp_path / "p.onnx")(seen["policy"].numpy()) - wanted).max() < 1e-5
