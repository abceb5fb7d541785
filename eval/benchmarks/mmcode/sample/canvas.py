"""A sheet to draw the sample's pictures on, in black and a few quiet colours."""

from __future__ import annotations

import io
import math
from typing import Literal, TypeAlias

from PIL import Image, ImageDraw, ImageFont

Point: TypeAlias = tuple[float, float]
Colour: TypeAlias = str

BLACK, WHITE, GREY, LIGHT = "#111111", "#ffffff", "#777777", "#dddddd"
BLUE, RED, GREEN, YELLOW = "#9ec5f0", "#e89a94", "#a6d8a0", "#f4dc8a"
DARK_RED, DARK_BLUE = "#b3261e", "#1f4e9c"

# Drawn larger, then reduced: Pillow does not smooth lines by itself.
_SCALE = 3


class Canvas:
    """Shapes and text in units of final pixels; `png()` gives the file's bytes, the same ones every time."""

    def __init__(self, width: int, height: int, *, transparent: bool = False) -> None:
        self.width, self.height = width, height
        mode, ground = ("RGBA", (255, 255, 255, 0)) if transparent else ("RGB", (255, 255, 255))
        self._image = Image.new(mode, (width * _SCALE, height * _SCALE), ground)
        self._draw = ImageDraw.Draw(self._image)

    def png(self) -> bytes:
        """The picture as a PNG file."""
        small = self._image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        if small.mode == "RGB":
            small = small.quantize(64, dither=Image.Dither.NONE)
        file = io.BytesIO()
        small.save(file, "PNG", optimize=True)
        return file.getvalue()

    def line(self, *points: Point, colour: Colour = BLACK, width: float = 2) -> None:
        """A line through the points."""
        self._draw.line([_scaled(p) for p in points], fill=colour, width=round(width * _SCALE), joint="curve")

    def arrow(self, start: Point, end: Point, *, colour: Colour = BLACK, width: float = 2) -> None:
        """A line with a head at its end."""
        self.line(start, end, colour=colour, width=width)
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        wings = [(end[0] - 11 * math.cos(angle + a), end[1] - 11 * math.sin(angle + a)) for a in (0.42, -0.42)]
        self.polygon(end, *wings, fill=colour, outline=colour)

    def polygon(self, *points: Point, fill: Colour | None = None, outline: Colour = BLACK, width: float = 2) -> None:
        """A closed shape."""
        scaled = [_scaled(p) for p in points]
        if fill:
            self._draw.polygon(scaled, fill=fill)
        self._draw.line([*scaled, scaled[0], scaled[1]], fill=outline, width=round(width * _SCALE), joint="curve")

    def box(self, corner: Point, width: float, height: float, *, fill: Colour | None = None, line: float = 2) -> None:
        """A rectangle by its top left corner."""
        (x, y) = corner
        self.polygon((x, y), (x + width, y), (x + width, y + height), (x, y + height), fill=fill, width=line)

    def disc(self, centre: Point, radius: float, *, fill: Colour | None = None, outline: Colour = BLACK) -> None:
        """A circle, filled or not."""
        (x, y) = _scaled(centre)
        r = radius * _SCALE
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill=fill, outline=outline, width=2 * _SCALE)

    def text(
        self,
        at: Point,
        text: str,
        *,
        size: int = 18,
        colour: Colour = BLACK,
        anchor: Literal["mm", "lm", "rm", "lt"] = "mm",
        ground: Colour | None = None,
    ) -> None:
        """Text, centred unless `anchor` (Pillow's) says otherwise; `ground` clears what lies behind it."""
        font = ImageFont.load_default(size * _SCALE)
        if ground:
            left, top, right, bottom = self._draw.textbbox(_scaled(at), text, font=font, anchor=anchor)
            margin = 3 * _SCALE
            self._draw.rectangle((left - margin, top - margin, right + margin, bottom + margin), fill=ground)
        self._draw.text(_scaled(at), text, fill=colour, font=font, anchor=anchor)

    def node(self, centre: Point, label: str, *, radius: float = 20, fill: Colour = WHITE) -> None:
        """A labelled circle: the node of a graph."""
        self.disc(centre, radius, fill=fill)
        self.text(centre, label)

    def link(self, start: Point, end: Point, *, radius: float = 20, label: str = "", directed: bool = False) -> None:
        """The edge between two nodes, its label on the middle."""
        length = math.dist(start, end)
        unit = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        a = (start[0] + radius * unit[0], start[1] + radius * unit[1])
        b = (end[0] - radius * unit[0], end[1] - radius * unit[1])
        self.arrow(a, b) if directed else self.line(a, b)
        if label:
            self.text(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), label, size=16, colour=DARK_RED, ground=WHITE)

    def table(
        self, corner: Point, widths: tuple[int, ...], rows: tuple[tuple[str, ...], ...], height: int = 32
    ) -> None:
        """A ruled table; its first row is the heading."""
        for r, row in enumerate(rows):
            x, y = corner[0], corner[1] + r * height
            for width, cell in zip(widths, row, strict=True):
                self.box((x, y), width, height, fill=LIGHT if r == 0 else WHITE)
                self.text((x + width / 2, y + height / 2), cell)
                x += width


def _scaled(point: Point) -> Point:
    return point[0] * _SCALE, point[1] * _SCALE
