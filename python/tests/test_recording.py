"""A recording holds what the batch had, and says how it is damaged."""
import myriapod
import numpy as np
import pytest
from myriapod import Recording


@pytest.fixture
def written(batch, tmp_path):
    path, seen = tmp_path / "run.myr", {"q": [], "impulse": [], "time": []}
    with Recording.create(batch, path, envs=[7, 2], fields=seen, every=3) as recording:
        for k in range(10):
            batch.step(1)
            recording.append()
            if k % 3 == 0:
                for name, frames in seen.items():
                    frames.append(batch.get(name, ids=[7, 2]).reshape(2, -1))
        assert recording.frames == 4 and not recording.complete
    return path, {name: np.array(frames) for name, frames in seen.items()}


def test_what_is_read_is_what_was(written):
    path, seen = written
    with Recording.open(path) as recording:
        assert recording.fields == ("q", "impulse", "time") and recording.complete and recording.dtype == np.float32 and len(recording) == 4
        assert recording.envs.tolist() == [7, 2] and np.allclose(recording.time, 0.003 * np.arange(4)) and recording.origin["model"] == "anymal"
        for name in recording:
            assert recording[name].shape == (4, 2, seen[name].shape[2]) and (recording[name] == seen[name]).all()
        out = np.zeros((2, 2, 19))
        assert recording.read("q", 1, 2, np.float64, out) is out and (out == seen["q"][1:3]).all()
    with pytest.raises(myriapod.StateError, match="closed"):
        _ = recording["q"]


def test_other_formats(written, tmp_path):
    path, seen = written
    with Recording.open(path) as recording:
        recording.to_npz(tmp_path / "run.npz")
        with np.load(tmp_path / "run.npz") as archive:
            assert (archive["q"] == seen["q"]).all() and (archive["frame_time"] == recording.time).all()
        h5py = pytest.importorskip("h5py")
        recording.to_hdf5(tmp_path / "run.h5")
        with h5py.File(tmp_path / "run.h5") as file:
            assert (file["impulse"][:] == seen["impulse"]).all() and file.attrs["model"] == "anymal" and file["env_ids"][:].tolist() == [7, 2]


def test_damage_and_early_ends(written):
    path, seen = written
    content = path.read_bytes()
    path.write_bytes(content[:-300])
    with Recording.open(path) as recording:
        assert not recording.complete and recording.frames == 3 and (recording["q"] == seen["q"][:3]).all()
    damaged = bytearray(content)
    damaged[-700] ^= 4
    path.write_bytes(damaged)
    with Recording.open(path) as recording, pytest.raises(myriapod.FormatError, match=r"run.myr' is damaged: the checksum of frame \d"):
        _ = recording["q"]
    path.write_bytes(b"\x93NUMPY")
    with pytest.raises(myriapod.FormatError, match="not a recording"):
        Recording.open(path)


def test_mistakes(batch, tmp_path):
    path = tmp_path / "run.myr"
    for call, error, words in [
        (lambda: Recording.create(batch, path, fields=("q", "height")), KeyError, "height"),
        (lambda: Recording.create(batch, path, envs=[20]), ValueError, "20"),
        (lambda: Recording.create(batch, path, every=0), ValueError, "every"),
        (lambda: Recording.create(batch, path, dtype=np.int32), TypeError, "int32"),
        (lambda: Recording.create(batch, path, fields=("q", "q")), ValueError, "twice"),
        (lambda: Recording.create(batch, tmp_path / "no" / "where"), OSError, "where"),
        (lambda: Recording.open(path), OSError, "run.myr"),
    ]:
        with pytest.raises(error, match=words) as caught:
            call()
        assert isinstance(caught.value, myriapod.Error)
    assert not path.exists()
    with Recording.create(batch, path) as recording:
        recording.append()
        with pytest.raises(myriapod.StateError, match="written"):
            _ = recording["q"]
    with Recording.open(path) as recording:
        with pytest.raises(myriapod.StateError, match="to be read"):
            recording.append()
        with pytest.raises(myriapod.UnknownKeyError, match="impulse"):
            _ = recording["impulse"]
        with pytest.raises(myriapod.ArgumentError, match="there are 1"):
            recording.read("q", 1, 1)
    batch.close()
    with pytest.raises(myriapod.StateError, match="closed"):
        Recording.create(batch, path)
