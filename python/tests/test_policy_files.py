"""Files of policies that are damaged, or say something else than a multilayer perceptron: each is refused by a word, and nothing is half-loaded."""
import io
import warnings
import zipfile

import myriapod
import numpy as np
import pytest
from myriapod import Policy, TorchPolicy

NO_TORCH = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
RANDOM = np.random.default_rng(1)
W, B = RANDOM.normal(size=(4, 12)).astype(np.float32), RANDOM.normal(size=4).astype(np.float32)


def refuse(path, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # nothing overflows on the way
        with pytest.raises(myriapod.FormatError) as caught:
            Policy.load(path)
    assert str(path) in str(caught.value) and words in str(caught.value), str(caught.value)


@pytest.fixture
def good(tmp_path):
    Policy([W], [B], task="anymal-flat").save(tmp_path / "good.npz")
    return dict(np.load(tmp_path / "good.npz"))


@pytest.mark.parametrize("change, words", [
    ({"w0": np.full((4, 12), 1e39)}, "w0 has numbers that float32 cannot hold"),
    ({"b0": np.full(4, 1e300)}, "b0 has numbers that float32 cannot hold"),
    ({"mean": np.full(12, 1e39)}, "mean has numbers that float32 cannot hold"),
    ({"std": np.full(12, 1e39)}, "std has numbers that float32 cannot hold"),
    ({"std": np.full(12, 1e-300)}, "std positive"),
    ({"w0": np.full((4, 12), np.nan)}, "w0 has numbers that are not finite"),
    ({"w0": np.ones((4, 12), complex)}, "w0 has dtype complex128"),
    ({"settings": "[" * 100000}, "its settings are not JSON"),
    ({"settings": "[1]"}, "must be a JSON object"),
    ({"settings": np.arange(3)}, "settings has dtype int64"),
    ({"n_obs": np.arange(2)}, "n_obs has dtype int64 and shape (2,)"),
    ({"n_obs": "x"}, "n_obs has dtype <U1"),
    ({"n_obs": 13}, "n_obs is 13, but w0 has 12 columns"),
    ({"activation": np.array(["elu", "relu"])}, "activation has dtype <U4 and shape (2,)"),
    ({"robot": np.arange(3)}, "robot has dtype int64"),
])
def test_an_array_that_is_wrong_is_named(good, change, words, tmp_path):
    np.savez(tmp_path / "evil.npz", **{**good, **change})
    refuse(tmp_path / "evil.npz", words)


@pytest.mark.parametrize("name", ["p" * 300, "p\0", "q/" * 5000 + "p"])
@pytest.mark.parametrize("ending", ["", ".npz", ".onnx", ".pt", ".pth", ".jit"])
def test_a_name_that_no_file_can_have(name, ending, tmp_path):
    with pytest.raises(myriapod.Error):
        Policy.load(tmp_path / (name + ending))
    with pytest.raises(myriapod.Error):
        Policy([W], [B]).save(tmp_path / (name + ending))


@pytest.mark.parametrize("name", ["w0", "n_obs", "settings", "std"])
def test_a_member_that_is_no_array(good, name, tmp_path):
    """np.load gives bytes for it."""
    with zipfile.ZipFile(tmp_path / "good.npz") as source, zipfile.ZipFile(tmp_path / "evil.npz", "w") as out:
        for member in source.namelist():
            data = bytearray(source.read(member))
            data[3] ^= 8 if member == f"{name}.npy" else 0
            out.writestr(member, bytes(data))
    refuse(tmp_path / "evil.npz", f"`{name}` is damaged")


@pytest.mark.parametrize("letters", [[0x390000], [0x61, 0x110000, 0x62]])
def test_a_text_of_numbers_that_are_no_letters(good, letters, tmp_path):
    """Python raises a SystemError for some, and takes others."""
    np.savez(tmp_path / "evil.npz", **{**good, "robot": np.frombuffer(np.uint32(letters).tobytes(), f"<U{len(letters)}").reshape(())})
    refuse(tmp_path / "evil.npz", "`robot` is damaged: it is not text")


def test_an_array_that_is_there_twice(good, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile's own
        with zipfile.ZipFile(tmp_path / "evil.npz", "w") as out:
            for name in (*good, "w0"):
                held = io.BytesIO()
                np.save(held, good[name])
                out.writestr(f"{name}.npy", held.getvalue())
    refuse(tmp_path / "evil.npz", "`w0` twice")


def test_what_unpacks_to_gigabytes_is_not_unpacked(good, tmp_path):
    np.savez(tmp_path / "more.npz", **good, extra=np.zeros(3))
    assert Policy.load(tmp_path / "more.npz").n_obs == 12  # an array that is not part of a policy is not read
    with zipfile.ZipFile(tmp_path / "evil.npz", "w", zipfile.ZIP_DEFLATED) as out, out.open("w0.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (1 << 14, 1 << 14)})
        for _ in range(1 << 8):
            member.write(bytes(1 << 22))
    refuse(tmp_path / "evil.npz", "unpack to 1073741952 bytes")


# ---- ONNX ------------------------------------------------------------------------------------------------------------


def onnx_file(path, nodes, numbers, observations=12, functions=(), **constants):
    """numbers, constants: initializers; w (4, 12), b (4,) and wt (12, 4) are there."""
    from onnx import TensorProto, helper, numpy_helper

    held = {"w": W, "b": B, "wt": W.T, **constants}
    made = [helper.make_node(op, inputs, [output], **keys) for op, inputs, output, keys in nodes]
    graph = helper.make_graph(made, "g", [helper.make_tensor_value_info("obs", TensorProto.FLOAT, observations)],
                              [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 4])],
                              [numpy_helper.from_array(np.ascontiguousarray(held[name]), name) for name in numbers])
    path.write_bytes(helper.make_model(graph, functions=list(functions)).SerializeToString())


GEMM = ("Gemm", ["obs", "w", "b"], "out", {"transB": 1})
MATMUL = [("MatMul", ["obs", "wt"], "m", {}), ("Add", ["m", "b"], "out", {})]
ANY = ["n", 12]
BAD_ONNX = [
    ([("Gemm", ["obs", "w", "b"], "out", {"transB": 1, "domain": "evil"})], ["w", "b"], {}, "node 0: Gemm is of the domain `evil`"),
    (MATMUL, ["wt", "b"], {"b": B.reshape(4, 1)}, "node 1: Add takes `b` of shape (4, 1)"),
    (MATMUL, ["wt", "b"], {"b": B.reshape(1, 1, 4)}, "node 1: Add takes `b` of shape (1, 1, 4)"),
    ([GEMM], ["w", "b"], {"b": B.reshape(4, 1)}, "node 0: Gemm takes `b` of shape (4, 1)"),
    ([("Sub", ["obs", "s"], "x", {}), ("Gemm", ["x", "w", "b"], "out", {"transB": 1})], ["w", "b", "s"], {"s": np.ones((12, 1), np.float32)},
     "node 0: Sub takes `s` of shape (12, 1)"),
    ([GEMM], ["w", "b"], {"w": np.full((4, 12), 1e300)}, "w0 has numbers that float32 cannot hold"),
    ([GEMM], ["w", "b", "b"], {}, "the constant `b` twice"),
    ([("Add", ["w", "w"], "w", {}), GEMM], ["w", "b"], {}, "node 0: Add writes `w`, which is there already"),
    ([GEMM, ("Identity", ["b"], "w", {})], ["w", "b"], {}, "node 1: Identity writes `w`"),
    ([("Identity", ["obs"], "obs", {}), GEMM], ["w", "b"], {}, "node 0: Identity writes `obs`"),
    ([("Add", ["x", "y"], "w", {}), GEMM], ["x", "y", "b"], {"x": np.ones((30000, 1), np.float32), "y": np.ones((1, 30000), np.float32)},
     "node 0: Add takes constants of shapes (30000, 1) and (1, 30000)"),
    ([("Gemm", ["obs", "w", "obs"], "out", {"transB": 1})], ["w"], {}, "must take `obs` once"),
    ([("Gemm", ["obs", "", "w"], "out", {})], ["w"], {}, "must multiply what is before it by a matrix"),
    ([("MatMul", ["obs", "wt", "b"], "out", {})], ["wt", "b"], {}, "MatMul has 3 inputs"),
    ([MATMUL[0], ("Add", ["m", "b"], "out", {"axis": 0})], ["wt", "b"], {}, "Add has the attribute `axis`"),
    ([("Gemm", ["obs", "w", "b"], "out", {"transB": 1, "alpha": 2.0})], ["w", "b"], {}, "alpha is 2"),
]


@pytest.mark.parametrize("nodes, numbers, constants, words", BAD_ONNX)
def test_a_node_that_means_something_else_is_named(nodes, numbers, constants, words, tmp_path):
    pytest.importorskip("onnx", reason="may skip: onnx is a choice")
    onnx_file(tmp_path / "evil.onnx", nodes, numbers, ANY, **constants)
    refuse(tmp_path / "evil.onnx", words)


def test_what_an_observation_is_wide(tmp_path):
    pytest.importorskip("onnx", reason="may skip: onnx is a choice")
    onnx_file(tmp_path / "wide.onnx", [GEMM], ["w", "b"], ["n", 1])
    refuse(tmp_path / "wide.onnx", "its input `obs` has dimensions [0, 1]")
    onnx_file(tmp_path / "deep.onnx", [GEMM], ["w", "b"], ["n", 3, 12])
    refuse(tmp_path / "deep.onnx", "its input `obs` has dimensions [0, 3, 12]")
    for wide in (["n", 12], ["n", "k"], [1, 12], None):
        onnx_file(tmp_path / "fits.onnx", [GEMM], ["w", "b"], wide)
        assert Policy.load(tmp_path / "fits.onnx").n_obs == 12


def test_an_operator_of_its_own(tmp_path):
    onnx = pytest.importorskip("onnx", reason="may skip: onnx is a choice")
    own = onnx.helper.make_function("", "Gemm", ["a", "w", "b"], ["y"], [onnx.helper.make_node("Identity", ["a"], ["y"])], [onnx.helper.make_opsetid("", 17)])
    onnx_file(tmp_path / "evil.onnx", [GEMM], ["w", "b"], ANY, functions=[own])
    refuse(tmp_path / "evil.onnx", "gives the operator Gemm a meaning of its own")


@pytest.mark.parametrize("shape", [(4,), (1, 4), (1,), (1, 1), ()])
def test_shapes_that_onnx_spreads_as_a_bias(shape, tmp_path):
    """What is not refused is what ONNX says."""
    pytest.importorskip("onnx", reason="may skip: onnx is a choice")
    from onnx.reference import ReferenceEvaluator

    b = np.float32(np.arange(1, 1 + max(1, int(np.prod(shape)))).reshape(shape))
    seen = RANDOM.normal(size=(3, 12)).astype(np.float32)
    onnx_file(tmp_path / "fits.onnx", MATMUL, ["wt", "b"], ANY, b=b)
    wanted = ReferenceEvaluator(str(tmp_path / "fits.onnx")).run(None, {"obs": seen})[0]
    assert np.allclose(Policy.load(tmp_path / "fits.onnx")(seen), wanted, atol=1e-5)


# ---- torch -----------------------------------------------------------------------------------------------------------


def test_checkpoints_whose_numbers_are_not_there(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    path, good, bias = tmp_path / "evil.pt", torch.ones(4, 12), torch.ones(4)
    for weight, words in ((good.to_sparse(), "`actor.0.weight` is float32, sparse_coo"), (good.to("meta"), "`actor.0.weight` is float32, strided, on meta"),
                          (good.to(torch.complex64), "`actor.0.weight` is complex64"), (good.double() * 1e39, "w0 has numbers that float32 cannot hold"),
                          (torch.ones(1).expand(100000, 100000), "`actor.0.weight` has 10000000000 numbers, more than the file holds")):
        torch.save({"model_state_dict": {"actor.0.weight": weight, "actor.0.bias": bias}}, path)
        assert path.stat().st_size < 4096
        refuse(path, words)
    for extra, words in (({"mlp.0.weight": good}, "the weight of layer 0 twice"), ({"actor.\u00b2.weight": good}, "which is not a layer"),
                         ({f"actor.{'1' * 5000}.weight": good}, "which is not a layer"),
                         ({"obs_normalizer._mean": torch.ones(1, 12), "actor_obs_normalizer._mean": torch.ones(1, 12)}, "there is another mean")):
        torch.save({"model_state_dict": {"actor.0.weight": good, "actor.0.bias": bias, **extra}}, path)
        refuse(path, words)


def test_torchscript_that_is_not_finite(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    linear = torch.nn.Linear(12, 4)
    torch.jit.script(linear).save(str(tmp_path / "good.pt"))
    assert isinstance(Policy.load(tmp_path / "good.pt"), TorchPolicy)
    with torch.no_grad():
        linear.weight[1, 2] = float("inf")
    torch.jit.script(linear).save(str(tmp_path / "evil.pt"))
    refuse(tmp_path / "evil.pt", "`weight` has numbers that are not finite")
    for beside in ('{"task": "x", "robot": "", "model_hash": "", "settings": "abc", "version": ""}', "null", "[" * 100000, '{"evil": 1}'):
        torch.jit.script(torch.nn.Linear(12, 4)).save(str(tmp_path / "told.pt"), _extra_files={"myriapod.json": beside})
        refuse(tmp_path / "told.pt", "myriapod.json in it")


def test_a_policy_says_what_it_is():
    assert repr(Policy([W], [B])) == "<Policy 12 - 4, elu>" and repr(Policy([W], [B], "tanh", task="go2-flat")) == "<Policy 12 - 4, tanh, of task go2-flat>"
