"""Figures beside a robot: lines of words and bars with names, as Markdown for the browser and in a picture's corner."""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from . import ViewError

_INK, _BAR, _LESS = (40, 44, 50), (70, 110, 170), (200, 120, 40)  # words, bars, bars of what is below zero


@dataclass
class Panel:
    """words: lines; bars: names and numbers; largest: the number whose bar has the full length."""

    words: list[str] = field(default_factory=list)
    bars: list[tuple[str, float]] = field(default_factory=list)
    largest: float = 1.0

    def markdown(self) -> str:
        """For the browser."""
        if not self.bars:
            return "\n\n".join(self.words)
        wide = max(len(name) for name, _ in self.bars)
        rows = [f"{name:{wide}} {value:8.4f} {'█' * round(12 * self.length(value))}{'' if value >= 0 else ' -'}" for name, value in self.bars]
        return "\n\n".join(self.words) + "\n\n```\n" + "\n".join(rows) + "\n```"

    def length(self, value: float) -> float:
        """Of a bar, 0 to 1."""
        return min(abs(value) / max(self.largest, 1e-30), 1.0) if np.isfinite(value) else 0.0


def need_pillow() -> None:
    """ViewError: pictures cannot have words, as Pillow is missing."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise ViewError("words in pictures need Pillow: pip install pillow") from None


@lru_cache(4)
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def paint(image: np.ndarray, panel: Panel) -> np.ndarray:
    """The panel in the upper left corner of an image (h, w, 3) uint8, as another image."""
    from PIL import Image, ImageDraw

    picture = Image.fromarray(image)
    draw = ImageDraw.Draw(picture, "RGBA")
    size = max(9, round(len(image) / 40))
    font, row, gap = _font(size), round(1.3 * size), size // 2
    names = max((draw.textlength(name, font=font) for name, _ in panel.bars), default=0.0)
    number, bar = draw.textlength("-000.0000", font=font), 8 * size
    words = max((draw.textlength(line, font=font) for line in panel.words), default=0.0)
    wide = max(words, names + number + bar + 2 * gap if panel.bars else 0.0) + 2 * gap
    draw.rectangle((gap, gap, gap + wide, 3 * gap + row * (len(panel.words) + len(panel.bars))), fill=(255, 255, 255, 190))
    y = 2 * gap
    for line in panel.words:
        draw.text((2 * gap, y), line, fill=_INK, font=font)
        y += row
    for name, value in panel.bars:
        begin = 2 * gap + names + gap
        draw.text((2 * gap, y), name, fill=_INK, font=font)
        draw.text((begin + number, y), f"{value:.4f}", fill=_INK, font=font, anchor="ra")
        draw.rectangle((begin + number + gap, y + 0.25 * size, begin + number + gap + bar * panel.length(value), y + size), fill=_BAR if value >= 0 else _LESS)
        y += row
    return np.asarray(picture)
