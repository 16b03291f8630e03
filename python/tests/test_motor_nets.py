"""Motors that are networks: beside truth of ../shared/oracles, beside PyTorch, files, what is refused."""
import json
import pathlib
import pickle

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, FormatError, ModelBuilder, Motor, MotorNet

ORACLE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracles" / "worlds2" / "actuators.json"
NO_TORCH = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
DT, MASS = 0.005, 0.001


def slider(motor, **actuator):
    builder = ModelBuilder("slider")
    body = builder.body("a", joint="prismatic", mass=MASS, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    builder.actuator(body, motor=motor, **actuator)
    return builder.compile()


def forces(net, errors, rates, **settings):
    """What a motor of this net gives, step by step: its mass is put back to error and rate before each."""
    settings = {"precision": "f64", **settings}
    with Batch(slider(Motor(net.kind, net=net)), 1, task="none", dt=DT, spin_damping=0, **settings) as batch:
        batch.set("gravity", np.zeros((1, 3)))
        given = []
        for error, rate in zip(errors, rates, strict=True):
            for field, value in (("q", 0.0), ("v", rate), ("target", error)):
                batch.set(field, np.array([[value]]))
            batch.step(1)
            given.append((batch.v[0, 0] - rate) * MASS / DT)
        assert not batch.quarantined.any()
        return np.array(given)


def some_net(kind, seed=0, units=(8, 8), **more):
    random = np.random.default_rng(seed)
    gates = 4 if kind == "net_lstm" else 1
    inputs = [2 * len(more.get("history", (0,))), *units]
    rows = [*(gates * n for n in units), 1]
    return MotorNet(kind, [random.normal(0, 0.7, (r, n)) for r, n in zip(rows, inputs)], [random.normal(0, 0.3, r) for r in rows],
                    recurrent=[random.normal(0, 0.5, (4 * n, n)) for n in units] if gates == 4 else (), **more)


def of_oracle(case):
    if case["kind"] == "net_mlp":
        return MotorNet("net_mlp", case["weights"], case["biases"], activation=case["activation"], history=case["history"],
                        position_scale=case["position_scale"], velocity_scale=case["velocity_scale"])
    layers = case["layers"]
    return MotorNet("net_lstm", [*(layer["w_in"] for layer in layers), [case["w_out"]]], [*(layer["b"] for layer in layers), [case["b_out"]]],
                    recurrent=[layer["w_hidden"] for layer in layers])


@pytest.mark.skipif(not ORACLE.exists(), reason="truth that none of the project's code computed lies in ../shared/oracles")
def test_sequences_beside_the_oracle():
    seen = set()
    for case in json.loads(ORACLE.read_text())["sequences"]:
        if case["kind"] not in ("net_mlp", "net_lstm"):
            continue
        seen.add(case["kind"])
        truth = np.array(case["output"])
        off = np.abs(forces(of_oracle(case), case["error"], case["rate"]) - truth)
        assert (off <= 1e-12 * np.maximum(1, np.abs(truth))).all(), off.max()
        off = np.abs(forces(of_oracle(case), case["error"], case["rate"], precision="f32") - truth)
        assert (off <= 3e-6 * np.maximum(1, np.abs(truth))).all(), off.max()
    assert seen == {"net_mlp", "net_lstm"}


# ---- PyTorch -----------------------------------------------------------------------------------------------------


def torch_modules(torch):
    """An LSTM with its last layer, and a perceptron of each activation; numbers in double."""
    torch.manual_seed(3)

    class Sea(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(2, 8, 2, batch_first=True)
            self.linear = torch.nn.Linear(8, 1)
            self.register_buffer("in_scale", torch.tensor([5.0, 0.3]))
            self.register_buffer("out_scale", torch.tensor(20.0))

        def forward(self, x, hc: tuple[torch.Tensor, torch.Tensor]):
            y, hc = self.lstm(x * self.in_scale, hc)
            return self.out_scale * self.linear(y), hc

    perceptrons = [torch.nn.Sequential(torch.nn.Linear(6, 19), bend(), torch.nn.Linear(19, 9), bend(), torch.nn.Linear(9, 1, bias=False))
                   for bend in (torch.nn.Tanh, torch.nn.ELU, torch.nn.Softsign, torch.nn.ReLU)]
    return Sea().double(), [module.double() for module in perceptrons]


def signals(n):
    random = np.random.default_rng(5)
    return np.cumsum(random.normal(0, 0.05, n)) * 0.2, random.normal(0, 3, n)


def test_a_thousand_steps_beside_torch(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    sea, perceptrons = torch_modules(torch)
    errors, rates = signals(1000)
    with torch.no_grad():
        state, truth = (torch.zeros(2, 1, 8).double(), torch.zeros(2, 1, 8).double()), []
        for e, v in zip(errors, rates):
            y, state = sea(torch.tensor([[[e, v]]]), state)
            truth.append(y.item())
        torch.jit.script(sea).save(tmp_path / "sea.pt")
        for module in (sea, torch.jit.load(tmp_path / "sea.pt")):
            net = MotorNet.from_torch(module)
            assert (net.kind, net.units, net.n_states, net.torque_scale) == ("net_lstm", (8, 8), 32, 20)
            assert np.abs(forces(net, errors, rates) - truth).max() <= 1e-12 * np.abs(truth).max()
        looks = [np.concatenate([values[:1], values[:1], values]) for values in (-errors, 0.1 * rates)]
        inputs = torch.tensor(np.stack([values[2 - back : 1002 - back] for values in looks for back in (0, 1, 2)], 1))
        for module in perceptrons:
            net = MotorNet.from_torch(module, history=(0, 1, 2), position_scale=-1, velocity_scale=0.1, torque_scale=7)
            truth = 7 * module(inputs).numpy()[:, 0]
            assert np.abs(forces(net, errors, rates) - truth).max() <= 1e-12 * np.abs(truth).max(), net.activation


def test_modules_that_are_no_nets_are_refused():
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    nn = torch.nn
    sea, _ = torch_modules(torch)
    odd = nn.Sequential(nn.Linear(2, 4), nn.ELU(alpha=0.5), nn.Linear(4, 1))
    sea.register_buffer("mean", torch.zeros(2))
    for module, words in ((nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1)), "between two Linear must be an activation"),
                          (nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Tanh()), "between two Linear"),
                          (nn.Sequential(nn.Linear(2, 4), nn.GELU(), nn.Linear(4, 1)), "module 1 is a GELU"),
                          (nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), "activations relu, tanh"),
                          (nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2)), r"weights\[1\] has shape \(2, 4\)"),
                          (odd, "alpha of its ELU is 0.5"), (nn.LSTM(2, 8), "made of LSTM, but"), (sea, "buffer mean of 2 numbers"),
                          (nn.Sequential(nn.LSTM(2, 8, bidirectional=True), nn.Linear(16, 1)), "two directions"), (7, "is int, but must be")):
        with pytest.raises(ArgumentError, match=words):
            MotorNet.from_torch(module)
    assert MotorNet.from_torch(nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1)), activation="softsign").activation == "softsign"


# ---- models, files, refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["net_mlp", "net_lstm"])
def test_nets_belong_to_models_files_and_pickles(kind, tmp_path):
    net = some_net(kind, history=(0, 3), units=(5, 11), torque_scale=3, position_scale=-1.25)
    net.save(tmp_path / "net.json")
    again = MotorNet.read(tmp_path / "net.json")
    assert again == net == pickle.loads(pickle.dumps(net)) and again is not net and len({again, net}) == 1
    assert net != some_net(kind, history=(0, 3), units=(5, 11), torque_scale=3.0000001, position_scale=-1.25)
    assert (again.kind, again.units, again.history, again.position_scale, again.torque_scale) == (kind, (5, 11), (0, 3), -1.25, 3)
    assert again.n_states == 7 + (2 * 16 if kind == "net_lstm" else 0)
    motor = Motor(kind, {"stall": 120, "speed": 7.5}, net=net)
    robot = myriapod.load("anymal")
    model = robot.with_motors({"*": motor, "*_KFE": Motor("dc", {"stall": 120, "speed": 7.5})})
    hashes = {model.hash}
    hashes.add(robot.with_motors({"*": Motor(kind, {"stall": 120, "speed": 7.5}, net=some_net(kind)), "*_KFE": model.actuators[2].motor}).hash)
    assert len(hashes) == 2
    del again, net
    assert [a.motor.kind for a in model.actuators] == [kind, kind, "dc"] * 4 and model.actuators[0].motor == motor
    twice = pickle.loads(pickle.dumps(model))
    assert twice.hash == model.hash
    builder = ModelBuilder("two")
    builder.add_model(model), builder.add_model(twice, prefix="second/")
    del model, twice
    both = builder.compile()
    assert both.actuators[12].motor == motor
    with Batch(both, 3, task="none", dt=0.0025) as batch:
        assert batch.activation.shape == (3, 16 * motor.net.n_states)
        batch.step(40)
        assert not batch.quarantined.any() and np.abs(batch.activation).max() > 0.01


def test_falling_limits_of_a_net():
    """With a stall torque and a speed the force stays below what falls with the speed, as that of dc does."""
    net = MotorNet("net_mlp", [np.zeros((1, 2)), [[0.0]]], [[0.0], [100.0]])
    with Batch(slider(Motor("net_mlp", {"stall": 40, "speed": 6}, net=net), upper=25, lower=-25), 1, task="none", dt=DT, precision="f64") as batch:
        batch.set("gravity", np.zeros((1, 3)))
        for rate in (-9.0, 0.0, 2.0, 2.5, 5.0, 7.0, 20.0):
            batch.set("v", np.array([[rate]]))
            batch.step(1)
            force = (batch.v[0, 0] - rate) * MASS / DT
            assert force == pytest.approx(min(25, 40 * (1 - min(rate, 6 * (1 + 25 / 40)) / 6)), abs=1e-12), rate


@pytest.mark.parametrize(("times", "flips", "grows"), [(0.9, False, False), (1.9, True, False), (2.1, True, True)])
def test_nets_are_explicit(times, flips, grows):
    """A net that damps by dt slope / inertia = times: what docs/actuators.md says of it."""
    net = MotorNet("net_mlp", [[[0.0, -1.0], [0.0, 1.0]], [[1.0, -1.0]]], [[0.0, 0.0], [0.0]], activation="relu", torque_scale=times * MASS / DT)
    with Batch(slider(Motor("net_mlp", net=net)), 1, task="none", dt=DT, precision="f64", spin_damping=0) as batch:
        batch.set("gravity", np.zeros((1, 3)))
        batch.set("v", np.array([[1e-3]]))
        rates = [1e-3]
        for _ in range(20):
            batch.step(1)
            rates.append(batch.v[0, 0])
        assert rates == pytest.approx(1e-3 * (1 - times) ** np.arange(21), rel=1e-9)
        assert (rates[1] < 0) == flips and (abs(rates[-1]) > 1e-3) == grows


def test_nonsense_is_refused():
    net, lstm = some_net("net_mlp"), some_net("net_lstm")
    robot = myriapod.load("anymal")
    w, b = [np.ones((3, 2)), np.ones((1, 3))], [np.ones(3), np.ones(1)]
    nan = [np.ones((3, 2)), np.array([[1, np.nan, 1]])]
    wrong_ones = [
        (lambda: MotorNet("net", w, b), "must be one of net_mlp, net_lstm"),
        (lambda: MotorNet("net_mlp", w, b, activation="gelu"), "activation of a net"),
        (lambda: MotorNet("net_mlp", nan, b), r"weights\[1\]\[0\]\[1\] is nan"),
        (lambda: MotorNet("net_mlp", w[:1], b[:1]), "has 1 arrays"),
        (lambda: MotorNet("net_mlp", w, b[:1]), "biases has 1 arrays"),
        (lambda: MotorNet("net_mlp", w, b[::-1]), r"biases\[0\] has shape \(1,\)"),
        (lambda: MotorNet("net_mlp", w, b, recurrent=[w[0]]), "recurrent has 1 arrays, but must have 0"),
        (lambda: MotorNet("net_lstm", w, b, recurrent=[w[0]]), r"weights\[0\] has 3 rows"),
        (lambda: MotorNet("net_mlp", w, b, history=()), "history has 0"),
        (lambda: MotorNet("net_mlp", w, b, history=(65,)), r"history\[0\]"),
        (lambda: MotorNet("net_mlp", w, b, torque_scale=np.inf), "`torque_scale` is inf"),
        (lambda: MotorNet("net_mlp", [np.ones((129, 2)), np.ones((1, 129))], [np.ones(129), b[1]]), r"units\[0\] is 129, but must be 1 to 128"),
        (lambda: robot.with_motors(Motor("net_mlp")), "needs a net"),
        (lambda: robot.with_motors(Motor(net=net)), "its net is a net_mlp, but its motor is of kind pd"),
        (lambda: robot.with_motors(Motor("net_mlp", net=lstm)), "its net is a net_lstm"),
        (lambda: robot.with_motors(Motor("net_mlp", net=w)), "must be a MotorNet"),
        (lambda: robot.with_motors(Motor("net_mlp", {"stall": 9}, net=net)), "speed of its net_mlp motor is 0"),
    ]
    for wrong, words in wrong_ones:
        with pytest.raises(ArgumentError, match=words):
            wrong()


GOOD = {"myriapod_motor_net": 1, "kind": "net_mlp", "activation": "elu", "history": [0],
        "weights": [[[1, 2], [3, 4], [5, 6]], [[1, 2, 3]]], "biases": [[0, 1, 2], [3]]}


@pytest.mark.parametrize("change, words", [
    ({"weights": [[[1, 2], [3, float("nan")], [5, 6]], [[1, 2, 3]]]}, r"weights\[0\]\[1\]\[1\] is `NaN`"),
    ({"biases": [[0, 1, float("inf")], [3]]}, r"biases\[0\]\[2\] is `Infinity`"),
    ({"weights": [[[1, 2], [3], [5, 6]], [[1, 2, 3]]]}, r"weights\[0\]\[1\] has 1 numbers, the rows before it 2"),
    ({"kind": "net_lst"}, "did you mean `net_lstm`"),
    ({"weights": [[[1, 2], [3, 4], [5, 6]], [[1, 2]]]}, r"weights\[1\] has 1 rows of 2 numbers, but must have 1 of 3"),
    ({"biases": [[0, 1], [3]]}, r"biases\[0\] has 2 rows"),
    ({"weights": [[[1, 1e31], [3, 4], [5, 6]], [[1, 2, 3]]]}, r"weights\[0\]\[0\]\[1\] is 1e\+31"),
    ({"weights": [[[1] * 129]]}, r"weights\[0\]\[0\] has more than 128 numbers"),
    ({"weights": [[[1, 2]]] * 6}, "more than 5 members"),
    ({"biases": [[0.5] * 513]}, "has more than 512 numbers"),
    ({"history": [0.5]}, r"history\[0\] is 0.5"),
    ({"history": [65]}, r"history\[0\] is 65"),
    ({"history": [0, 1]}, r"weights\[0\] has 3 rows of 2 numbers, but must have 3 of 4"),
    ({"weights": 3}, "is not a list"),
    ({"myriapod_motor_net": 2}, "must be a whole number, 1 to 1"),
    ({"recurrent": [[[1]]]}, "`recurrent` has 1 members, but must have 0"),
    ({"weigths": []}, "did you mean `weights`"),
    ({"kind": "net_lstm", "activation": "tanh"}, "`recurrent` has 0 members, but must have 1"),
    ({"torque_scale": "x"}, "torque_scale is `\"x\"`, which is not a number"),
    ({"activation": "gelu"}, "is `gelu`, but must be one of tanh"),
    ({"weights": [[[1, 2], [3, 4]] * 65, [[1] * 130]]}, "has more than 128 numbers"),
])
def test_a_file_that_is_wrong_is_named(change, words, tmp_path):
    path = tmp_path / "net.json"
    path.write_text(json.dumps({**GOOD, **change}, indent=1))
    with pytest.raises(FormatError, match=rf"net.json:\d+: .*{words}"):
        MotorNet.read(path)


def test_damaged_files_are_refused_or_read(tmp_path):
    path = tmp_path / "net.json"
    whole = json.dumps(GOOD).encode()
    path.write_bytes(whole)
    assert forces(MotorNet.read(path), [0.3], [-0.2])[0] == pytest.approx(np.expm1(0.3 - 0.4) + 2 * 1.1 + 3 * 2.3 + 3, rel=1e-12)
    random = np.random.default_rng(2)
    read = 0
    for k in range(len(whole)):
        path.write_bytes(whole[:k])
        with pytest.raises(FormatError):
            MotorNet.read(path)
    for _ in range(2000):
        text = bytearray(whole)
        for at in random.integers(0, len(text), 1 + random.integers(3)):
            text[at] = random.choice(list(b'0123456789-.e,:[]{}" \n\0\xff"abc'))
        path.write_bytes(text)
        try:
            MotorNet.read(path)
            read += 1
        except FormatError as error:
            assert str(path) in str(error)
    assert 0 < read < 1500
    with pytest.raises(myriapod.FileError):
        MotorNet.read(tmp_path / "none.json")
