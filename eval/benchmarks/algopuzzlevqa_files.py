"""AlgoPuzzleVQA's published layout on disk: a file of JSON lines per puzzle, the pictures beside, one row at a time.

`<name>.json` for each of the 18 published names (those there are), a row `image`, `question`, `options`, `answer`,
`solution`; ours has `state` and `query` too. `image` is relative to the folder. A picture is read when it is asked
for, so data without pictures do for what needs none. The published `.jpg` files of two puzzles hold PNG: what a picture
is, its bytes say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from eval.puzzle_data import DAMAGE, damage_of, problem_of
from eval.puzzles import PUZZLES
from judging.verdict import Checker, Limits
from serving.messages import Image

# The puzzle of each published file, by its name in the paper and in the paper's order.
_PUZZLES = {puzzle.published_name: puzzle for puzzle in PUZZLES.values()}
PAPER_NAMES = {puzzle.published_name: puzzle.paper_name for puzzle in PUZZLES.values()}
_FETCH = "fetch it again with `foveal data fetch algopuzzlevqa`, or generate it again"
_MAX_OPTIONS = 26
_LIMITS = Limits()
_CHECKER = Checker(any_of=True, ignore_case=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleProblem:
    """One question. `state` and `query` are the neutral form of our own data; the published data have none.

    `also_right` is what else is a right answer, by errata or in another form; `limits` and `checker` are for programs.
    """

    id: str
    puzzle: str
    question: str
    options: tuple[str, ...]
    answer: str
    solution: Mapping[str, Any]
    image_path: Path
    state: Mapping[str, Any] | None = None
    query: Mapping[str, Any] | None = None
    also_right: tuple[str, ...] = ()
    limits: Limits = _LIMITS
    checker: Checker = _CHECKER
    not_judgeable: str | None = None

    @property
    def categories(self) -> tuple[str, ...]:
        """The puzzle's name in the paper."""
        return (PAPER_NAMES[self.puzzle],)

    @property
    def answer_index(self) -> int:
        """The position of the right option."""
        return self.options.index(self.answer)

    @property
    def right(self) -> tuple[str, ...]:
        """All right answers; that of the data is the first."""
        return (self.answer, *self.also_right)

    def description(self) -> str:
        """All of the picture, in words. Raises `ValueError` where the row's fields do not give the state."""
        puzzle = _PUZZLES[self.puzzle]
        row: dict[str, Any] = {"question": self.question, "options": list(self.options), "solution": self.solution}
        if self.state is not None:
            row |= {"state": self.state, "query": self.query}
        try:
            state, _ = problem_of(puzzle, row)
            return puzzle.describe(state)
        except DAMAGE as error:
            raise ValueError(f"{self.id}: its picture cannot be described: {damage_of(error)}; {_FETCH}") from error

    def picture(self) -> Image:
        """The picture, read now. Raises `ValueError` where its file is missing or empty."""
        try:
            data = self.image_path.read_bytes()
        except OSError as error:
            raise ValueError(f"{self.id}: no picture at {self.image_path} ({error.strerror}); {_FETCH}") from error
        if not data:
            raise ValueError(f"{self.id}: the picture {self.image_path} is empty; {_FETCH}")
        return Image(data=data)


def load(folder: Path) -> Iterator[PuzzleProblem]:
    """The problems of a data set, puzzle by puzzle in the paper's order, each row when it is asked for.

    An id is `<published name>_<line from 0, 4 digits>`. Raises `ValueError` in one line that names file, line and fix
    for what cannot be read or would make a score wrong.
    """
    files = [file for name in PAPER_NAMES if (file := folder / f"{name}.json").is_file()]
    if not files:
        raise ValueError(
            f"no AlgoPuzzleVQA data in {folder}: none of {next(iter(PAPER_NAMES))}.json, .. is there; get them with "
            "`foveal data fetch algopuzzlevqa` or make some with `foveal puzzles generate`"
        )
    for file in files:
        yield from _problems(file)


def _problems(file: Path) -> Iterator[PuzzleProblem]:
    number = -1
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines):
                try:
                    problem = _problem(file, number, line)
                except ValueError as error:
                    raise ValueError(f"{file}:{number + 1}: {error}; {_FETCH}") from error
                yield problem
    except OSError as error:
        raise ValueError(f"{file}: cannot be read ({error.strerror}); check its permissions") from error
    if number < 0:
        raise ValueError(f"{file}: has no rows; {_FETCH}")


def _problem(file: Path, number: int, line: bytes) -> PuzzleProblem:
    row = _object(line)
    options = _options(row)
    answer = _text(row, "answer")
    if answer not in options:
        raise ValueError(f"the answer {answer[:50]!r} is none of the options")
    state, query = _mapping(row, "state"), _mapping(row, "query")
    if (state is None) != (query is None):
        raise ValueError("it has only one of `state` and `query`")
    solution = _mapping(row, "solution")
    if solution is None:
        raise ValueError("it has no `solution`")
    return PuzzleProblem(
        id=f"{file.stem}_{number:04}",
        puzzle=file.stem,
        question=_text(row, "question"),
        options=options,
        answer=answer,
        solution=solution,
        image_path=file.parent / _image_path(row),
        state=state,
        query=query,
    )


def _object(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    if not isinstance(row, dict):
        raise ValueError(f"not a JSON object but a {type(row).__name__}")
    return row


def _text(row: Mapping[str, Any], field: str) -> str:
    text = row.get(field)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"`{field}` must be a text, not {str(text)[:50]!r}")
    return text


def _options(row: Mapping[str, Any]) -> tuple[str, ...]:
    options = row.get("options")
    if not isinstance(options, list) or not 2 <= len(options) <= _MAX_OPTIONS:
        raise ValueError(f"`options` must be a list of 2 to {_MAX_OPTIONS} texts")
    if not all(isinstance(option, str) and option.strip() for option in options):
        raise ValueError("every option must be a text")
    if len({" ".join(option.split()).casefold() for option in options}) < len(options):
        raise ValueError("two options are the same")
    return tuple(options)


def _mapping(row: Mapping[str, Any], field: str) -> Mapping[str, Any] | None:
    value = row.get(field)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"`{field}` must be an object, not {str(value)[:50]!r}")
    return value


def _image_path(row: Mapping[str, Any]) -> PurePosixPath:
    """A path below the folder: a data set from elsewhere must not name other files of this machine."""
    path = PurePosixPath(_text(row, "image"))
    if path.is_absolute() or ".." in path.parts or "\0" in str(path):
        raise ValueError(f"`image` must be a path below the data's folder, not {str(path)[:50]!r}")
    return path
