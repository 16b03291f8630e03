"""Rows of several bodies: from (n, 3 k), x y z of one body behind the other, to (n, k), one number for each."""
from __future__ import annotations

from typing import Any

import numpy as np


def lengths(vectors: Any, axes: int = 3) -> Any:
    """of each vector its length; axes = 2: of its horizontal part"""
    squares = np.square(vectors[..., 0::3])
    for k in range(1, axes):
        squares = squares + np.square(vectors[..., k::3])
    return np.sqrt(squares)


def vertical(vectors: Any) -> Any:
    """of each vector its z"""
    return vectors[..., 2::3]


def summed_squares(x: Any) -> Any:
    """sum of x^2 over the rows"""
    return np.sum(np.square(x), axis=-1)


def beyond(x: Any, lower: Any, upper: Any) -> Any:
    """sum of what is below lower or above upper"""
    return np.sum(np.maximum(lower - x, 0.0) + np.maximum(x - upper, 0.0), axis=-1)
