"""Arrays of others: where they are NumPy's or in DLPack, their numbers are used where they lie."""
import myriapod
import numpy as np
import pytest
from myriapod import _arrays


class Foreign:
    """A tensor of a library that knows DLPack and nothing else of NumPy."""

    def __init__(self, array, device=(1, 0), requires_grad=False):
        self.array, self.where, self.requires_grad = array, device, requires_grad

    def __dlpack__(self, **keys):
        return self.array.__dlpack__(**keys)

    def __dlpack_device__(self):
        return self.where


# Before 2.1 NumPy took every array of another library as read-only.
WRITABLE = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inputs_and_outputs_are_not_copied(dtype):
    array = np.arange(12, dtype=dtype).reshape(3, 4)
    for given in (array, Foreign(array)):
        assert _arrays.take(given, "x").ctypes.data == array.ctypes.data
        if WRITABLE or given is array:
            assert _arrays.output(given, "x", (3, 4), np.dtype(dtype)).ctypes.data == array.ctypes.data
    part = array[:, ::2]
    taken = _arrays.take(part, "x")
    assert taken.flags.c_contiguous and (taken == part).all() and taken.ctypes.data != array.ctypes.data
    assert _arrays.take([[1, 2]], "x").dtype == np.float64 and _arrays.take(np.arange(3), "x").dtype == np.float64
    assert (_arrays.take(array.astype(">f8"), "x") == array).all()


def test_through_the_batch(batch):
    q, out = np.full((20, 19), 0.5, np.float32), np.zeros((20, 19), np.float32)
    batch.q = Foreign(q)
    assert batch.get("q", out=Foreign(out) if WRITABLE else out).ctypes.data == out.ctypes.data
    assert (out == 0.5).all()


def test_other_devices_and_gradients(batch):
    q = np.zeros((20, 19), np.float32)
    with pytest.raises(myriapod.ArgumentError, match="device"):
        batch.q = Foreign(q, device=(2, 0))
    with pytest.raises(myriapod.ArgumentError, match="detach"):
        batch.q = Foreign(q, requires_grad=True)


def test_torch(batch):
    torch = pytest.importorskip("torch", reason="may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA")
    q = torch.zeros((20, 19), dtype=torch.float32)
    assert _arrays.take(q, "q").ctypes.data == q.data_ptr()
    batch.q = q + 0.25
    assert batch.get("q", out=q).ctypes.data == q.data_ptr() and bool((q == 0.25).all())
    batch.q = torch.zeros((19, 20)).T  # not contiguous: copied once
    with pytest.raises(myriapod.ArgumentError, match="detach"):
        batch.q = torch.zeros((20, 19), requires_grad=True)
    with pytest.raises(myriapod.ArgumentError, match="C-contiguous"):
        batch.get("q", out=torch.zeros((19, 20)).T)
    with pytest.raises(myriapod.ArrayTypeError):
        batch.q = torch.zeros((20, 19), dtype=torch.bfloat16)
    mask = torch.zeros(20, dtype=torch.bool)
    mask[2] = True
    batch.reset(mask)
    assert batch.q[2, 2] > 0.4 and batch.q[3, 2] == 0
