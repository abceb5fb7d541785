"""What all pictures share: a square page, drawn larger and shrunk, and a font that every machine has."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

SIZE = 672  # of a picture's sides, in pixels: twice what LLaVA-1.5's processor leaves of it
INK, PAPER = (20, 20, 20), (255, 255, 255)
OVERSAMPLING = 2

Colour = tuple[int, int, int]


class Canvas:
    """A page of `SIZE` x `SIZE` pixels; what is drawn in these coordinates is drawn smoothly.

    It is a square because processors of models cut one out of the middle (CLIP's, which LLaVA-1.5 has) or squeeze the
    picture into one: of a wider page they would cut off what the answer depends on.
    """

    def __init__(self, paper: Colour = PAPER) -> None:
        self._image = Image.new("RGB", (SIZE * OVERSAMPLING, SIZE * OVERSAMPLING), paper)
        self._draw = ImageDraw.Draw(self._image)

    def rectangle(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        *,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 3,
        radius: float = 0,
    ) -> None:
        """A box, its outline inside it."""
        box = tuple(x * OVERSAMPLING for x in (left, top, right, bottom))
        self._draw.rounded_rectangle(box, radius * OVERSAMPLING, fill, outline, round(width * OVERSAMPLING))

    def ellipse(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        *,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 3,
    ) -> None:
        """An ellipse in a box."""
        box = tuple(x * OVERSAMPLING for x in (left, top, right, bottom))
        self._draw.ellipse(box, fill, outline, round(width * OVERSAMPLING))

    def line(self, points: list[tuple[float, float]], *, fill: Colour = INK, width: float = 3) -> None:
        """Straight lines from point to point."""
        self._draw.line(
            [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points], fill, round(width * OVERSAMPLING), "curve"
        )

    def polygon(
        self,
        points: list[tuple[float, float]],
        *,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 3,
    ) -> None:
        """A polygon."""
        scaled = [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points]
        self._draw.polygon(scaled, fill, outline, round(width * OVERSAMPLING))

    def text(self, x: float, y: float, text: str, *, size: float = 28, fill: Colour = INK, anchor: str = "mm") -> None:
        """Text at a point; `anchor` as Pillow has it, the middle by default."""
        self._draw.text((x * OVERSAMPLING, y * OVERSAMPLING), text, fill, _font(round(size * OVERSAMPLING)), anchor)

    def turned_text(
        self, x: float, y: float, text: str, *, degrees: float, size: float = 28, fill: Colour = INK
    ) -> None:
        """Text around a point, turned counterclockwise by so many degrees."""
        font = _font(round(size * OVERSAMPLING))
        left, top, right, bottom = (round(edge) for edge in self._draw.textbbox((0, 0), text, font))
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), text, 255, font)
        turned = mask.rotate(degrees, Image.Resampling.BILINEAR, expand=True)
        corner = round(x * OVERSAMPLING - turned.width / 2), round(y * OVERSAMPLING - turned.height / 2)
        self._image.paste(fill, (*corner, corner[0] + turned.width, corner[1] + turned.height), turned)

    def image(self) -> Image.Image:
        """The finished picture, RGB."""
        return self._image.reduce(OVERSAMPLING)


_FONTS: dict[int, ImageFont.FreeTypeFont | ImageFont.ImageFont] = {}


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font (Aileron), which comes with it."""
    if size not in _FONTS:
        _FONTS[size] = ImageFont.load_default(size)
    return _FONTS[size]
