"""A row of a puzzle data set as it is read: its fields are there and of the right kind, or it is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

MAX_OPTIONS = 26  # as many as there are letters
MAX_LINE_BYTES = 1 << 20  # the longest published row has 50,473 bytes


def row_of(line: bytes | str) -> Row:
    """The row on a line of a puzzle's file; `ValueError` where it is none, or would make a score wrong.

    `image` (a path below the folder of the data), `question`, `options`, `answer` and `solution` are needed; `state`
    and `query` are there both or not at all. What they hold is for the puzzle to read.
    """
    row = _object(line)
    if missing := [key for key in ("image", "question", "options", "answer", "solution") if row.get(key) is None]:
        raise ValueError(f"it has no {' and no '.join(missing)}")
    for key in ("image", "question", "answer"):
        if not isinstance(row[key], str) or not row[key].strip():
            raise ValueError(f"its {key} must be a text, not {str(row[key])[:50]!r}")
    _check_options(row["options"])
    if row["answer"] not in row["options"]:
        raise ValueError(f"its answer {row['answer'][:50]!r} is none of its options")
    _check_state(row)
    _check_path(row["image"])
    return row


def _object(line: bytes | str) -> Row:
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"longer than {MAX_LINE_BYTES} bytes")
    try:
        row = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep to be a row") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"no UTF-8 at byte {error.start}") from None
    if not isinstance(row, dict):
        raise ValueError("no JSON object")
    return row


def _check_options(options: Any) -> None:
    if not isinstance(options, list) or not 2 <= len(options) <= MAX_OPTIONS:
        raise ValueError(f"its options must be a list of 2 to {MAX_OPTIONS} texts")
    if not all(isinstance(option, str) and option.strip() for option in options):
        raise ValueError("each of its options must be a text")
    if len({" ".join(option.split()).casefold() for option in options}) < len(options):
        raise ValueError("two of its options are the same")


def _check_state(row: Mapping[str, Any]) -> None:
    if ("state" in row) != ("query" in row):
        raise ValueError("it has only one of state and query")
    for key in ("solution", "state"):
        if key in row and not isinstance(row[key], dict):
            raise ValueError(f"its {key} must be an object, not {str(row[key])[:50]!r}")


def _check_path(image: str) -> None:
    """A data set from elsewhere must not name other files of this machine."""
    path = PurePosixPath(image)
    if path.is_absolute() or ".." in path.parts or "\0" in image:
        raise ValueError(f"its image must be a path below the data's folder, not {image[:50]!r}")
