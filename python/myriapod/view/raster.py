"""Triangles to pixels, in NumPy: which triangle is nearest in each pixel. All triangles of a stage at once, then all their rows, then all pixels."""
from __future__ import annotations

import numpy as np

NOTHING = np.uint64(0)


def _numbered(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of things with so many parts each: the thing of every part, and the part's number in it."""
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner), dtype=np.int32) - first.astype(np.int32)[owner]


def spans(corners: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows of pixels whose centres lie in triangles (n, 3, 2) [pixels]: triangle, y, first x, number of pixels. Edges that two triangles share
    leave no pixel out and give none twice."""
    x, y = corners[..., 0], corners[..., 1]
    order = np.argsort(y, axis=1)
    x, y = np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1)
    top = np.clip(np.ceil(y[:, 0] - 0.5), 0, height).astype(np.int32)
    end = np.clip(np.ceil(y[:, 2] - 0.5), 0, height).astype(np.int32)
    off = (x.max(1) < 0) | (x.min(1) > width)
    t, line = _numbered(np.where(off, 0, np.maximum(end - top, 0)))
    line += top[t]
    at = line + 0.5
    with np.errstate(divide="ignore", invalid="ignore"):  # of edges along a row, which no centre is between
        slope = (x[:, [2, 1, 2]] - x[:, [0, 0, 1]]) / (y[:, [2, 1, 2]] - y[:, [0, 0, 1]])
    upper = at < y[t, 1]
    long = x[t, 0] + (at - y[t, 0]) * slope[t, 0]
    short = np.where(upper, x[t, 0] + (at - y[t, 0]) * slope[t, 1], x[t, 1] + (at - y[t, 1]) * slope[t, 2])
    left = np.clip(np.ceil(np.minimum(long, short) - 0.5), 0, width).astype(np.int32)
    right = np.clip(np.ceil(np.maximum(long, short) - 0.5), 0, width).astype(np.int32)
    some = right > left
    return t[some], line[some], left[some], (right - left)[some]


def planes(corners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(n, 3) a, b, c of the plane a x + b y + c through values (n, 3) at the corners (n, 3, 2); zero where they lie on a line."""
    (x1, y1), (x2, y2) = (corners[:, k].T - corners[:, 0].T for k in (1, 2))
    det = x1 * y2 - x2 * y1
    inverse = np.divide(1.0, det, out=np.zeros_like(det), where=np.abs(det) > 1e-9)
    v1, v2 = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    a, b = (v1 * y2 - v2 * y1) * inverse, (x1 * v2 - x2 * v1) * inverse
    return np.stack([a, b, values[:, 0] - a * corners[:, 0, 0] - b * corners[:, 0, 1]], -1)


def nearest(corners: np.ndarray, closeness: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (m,) y * width + x that something covers, and the triangle nearest there. closeness: (n, 3) 1 / depth > 0 at the corners."""
    t, y, x, count = spans(corners, width, height)
    plane = planes(corners, closeness).astype(np.float32)
    start = plane[t, 0] * (x + 0.5) + plane[t, 1] * (y + 0.5) + plane[t, 2]
    s, k = _numbered(count)
    depth = np.maximum(start[s] + plane[t, 0][s] * k, np.float32(1e-30)).astype(np.float32)
    keys = depth.view(np.uint32).astype(np.uint64) << np.uint64(32) | t[s].astype(np.uint64)
    buffer = np.full(width * height, NOTHING)
    np.maximum.at(buffer, (y * width + x)[s] + k, keys)  # floats above zero are in the order of their bits
    pixels = np.flatnonzero(buffer)
    return pixels, (buffer[pixels] & np.uint64(0xFFFFFFFF)).astype(np.int64)


def covered(corners: np.ndarray, width: int, height: int) -> np.ndarray:
    """(height, width) bool: pixels that some triangle covers."""
    _, y, x, count = spans(corners, width, height)
    mask = np.zeros(width * height, bool)
    s, k = _numbered(count)
    mask[(y * width + x)[s] + k] = True
    return mask.reshape(height, width)
