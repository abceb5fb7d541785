"""Messages of a prompt: the order of text and pictures is data, not markup."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from PIL.Image import Image as PILImage

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A run of text, exactly as the model shall see it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture as the bytes of an image file (PNG, JPEG, ... whatever Pillow reads)."""

    data: bytes

    @property
    def sha256(self) -> str:
        """Hex digest of the file's bytes; it pins the picture in a run and is the engine's cache key."""
        return hashlib.sha256(self.data).hexdigest()

    def open(self) -> PILImage:
        """Decode to RGB, transparent pixels painted on white (MMCode paper, section 3.2).

        Raises `ValueError` where Pillow cannot read the bytes.
        """
        import PIL.Image

        try:
            picture: PILImage = PIL.Image.open(io.BytesIO(self.data))
            picture.load()
        except PIL.UnidentifiedImageError as error:
            raise ValueError(f"a picture of {len(self.data)} bytes is in no format that Pillow reads") from error
        except (OSError, SyntaxError, PIL.Image.DecompressionBombError) as error:
            raise ValueError(f"a picture of {len(self.data)} bytes cannot be decoded: {error}") from error
        if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
            rgba = picture.convert("RGBA")
            picture = PIL.Image.alpha_composite(PIL.Image.new("RGBA", rgba.size, "white"), rgba)
        return picture.convert("RGB")


Part: TypeAlias = Text | Image


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation; its parts are in the order the model shall see them."""

    role: Role
    parts: tuple[Part, ...]


def pictures(messages: tuple[Message, ...]) -> tuple[Image, ...]:
    """All pictures of a conversation, in order."""
    return tuple(part for message in messages for part in message.parts if isinstance(part, Image))
