"""Programs from Python: beside the same arithmetic in NumPy, the same bits on every instruction set; text, pickling, messages."""
import pickle

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, FileError, FormatError, Program
from myriapod.programs.program import INSTRUCTIONS

from test_locomotion import instruction_sets

REWARD = """myriapod_program 1
name tracking
input q 19
input v 18
input command 3
constant down 0 0 -1
turn = slice q 3 4
linear = slice v 0 3
seen = quat_rotate_back turn linear
level = quat_rotate_back turn down
error = sub command seen
flat = slice error 0 2
squared = dot flat flat
narrow = mul squared -4
tracking = exp narrow
tilt = slice level 0 2
lean = dot tilt tilt
fast = norm v
over = gt fast 10
kept = where over 0 tracking
output tracking kept
output lean lean
output level level
"""


def by_numpy(q, v, command):
    w, u = q[:, 3:4], q[:, 4:7]

    def back(x):
        t = -2 * np.cross(u, x)
        return x + w * t - np.cross(u, t)

    seen, level = back(v[:, :3]), back(np.broadcast_to([0.0, 0.0, -1.0], u.shape))
    tracking = np.exp(-4 * ((command - seen)[:, :2] ** 2).sum(1))
    return np.where(np.linalg.norm(v, axis=1) > 10, 0, tracking)[:, None], (level[:, :2] ** 2).sum(1)[:, None], level


def states(n, dtype=np.float64):
    rng = np.random.default_rng(n)
    q, v = rng.normal(size=(n, 19)), rng.normal(size=(n, 18)) * rng.uniform(0, 4, (n, 1))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return {"q": q.astype(dtype), "v": v.astype(dtype), "command": rng.normal(size=(n, 3)).astype(dtype)}


@pytest.mark.parametrize("precision, tolerance", [("f64", 1e-12), ("f32", 2e-5)])
def test_a_reward_beside_numpy(precision, tolerance):
    program, given = Program(REWARD), states(1000)
    made = program(**given, precision=precision)
    for name, want in zip(("tracking", "lean", "level"), by_numpy(**given)):
        np.testing.assert_allclose(made[name], want, rtol=tolerance, atol=tolerance)
        assert made[name].dtype == (np.float64 if precision == "f64" else np.float32)
    assert program.inputs == {"q": 19, "v": 18, "command": 3} and program.outputs == {"tracking": 1, "lean": 1, "level": 3}


def test_the_same_bits_on_every_instruction_set():
    program, given = Program(REWARD), states(101, np.float32)
    want = program(**given)
    for isa in instruction_sets():
        assert all(np.array_equal(want[name], made) for name, made in program(**given, isa=isa).items())
        some = program(**{name: array[40:53] for name, array in given.items()}, isa=isa)
        assert all(np.array_equal(want[name][40:53], made) for name, made in some.items())


def test_text_and_pickles_are_the_same_program(tmp_path):
    program = Program(REWARD)
    (tmp_path / "reward.txt").write_text(str(program))
    (tmp_path / "marked.txt").write_text(str(program), encoding="utf-8-sig")  # as some editors do
    files = [Program.read(tmp_path / name) for name in ("reward.txt", "marked.txt")]
    for again in (Program(str(program)), pickle.loads(pickle.dumps(program)), *files):
        assert again.hash == program.hash and str(again) == str(program) and again.instructions == program.instructions
    assert repr(program).startswith("<Program tracking: q, v, command -> tracking, lean, level;")
    assert len(INSTRUCTIONS) > 45 and all(INSTRUCTIONS.values())


def test_what_is_wrong_is_said(tmp_path):
    with pytest.raises(FormatError, match="reward.txt:3: there is no instruction `exq`; did you mean 'exp'"):
        Program("myriapod_program 1\ninput q 2\na = exq q\noutput o a", "reward.txt")
    with pytest.raises(FileError, match="nowhere"):
        Program.read("/nowhere/at/all")
    (tmp_path / "latin.txt").write_bytes(b"myriapod_program 1\n# \xfc\n")
    for path, why in ((tmp_path / "latin.txt", "latin.txt: it is not a text in UTF-8"), ("of\0.txt", "no file can be called so")):
        with pytest.raises(FileError, match=why):
            Program.read(path)
    program = Program("myriapod_program 1\ninput q 2\ninput k 1\na = mul q k\noutput o a")
    assert np.array_equal(program(q=[[1, 2], [3, 4]], k=[2, 3])["o"], [[2, 4], [9, 12]])
    for given, why in (({"q": [[1, 2]]}, "has the inputs q, k, but was given q"), ({"q": [[1, 2, 3]], "k": [1]}, r"q has shape \(1, 3\), but must be \(n, 2\)"),
                       ({"q": [[1, 2]], "k": [1, 2]}, r"k has shape \(2,\), but must be \(1, 1\)")):
        with pytest.raises(ArgumentError, match=why):
            program(**given)
    with pytest.raises(ArgumentError, match="must hold numbers"):
        program(q=[[1, 2j]], k=[1])
    program.outputs["more"] = 9  # a copy
    assert program.outputs == {"o": 2} and np.array_equal(program(q=[[1, 2]], k=[2])["o"], [[2, 4]])
    with pytest.raises(ArgumentError, match="precision"):
        program(q=[[1, 2]], k=[1], precision="f16")
    with pytest.raises(ArgumentError, match="sse9"):
        program(q=[[1, 2]], k=[1], isa="sse9")


def test_a_program_on_a_batch():
    with myriapod.Batch("anymal", 64, task="trot", threads=1, precision="f64") as batch:
        batch.step(100)
        made = Program(REWARD)(q=batch.q, v=batch.v, command=np.zeros((64, 3)), precision="f64")
        np.testing.assert_allclose(made["tracking"], by_numpy(batch.q, batch.v, np.zeros((64, 3)))[0], rtol=1e-12)
