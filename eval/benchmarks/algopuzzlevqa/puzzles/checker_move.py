"""Checker Move: in how many moves green and red checkers get from one row of squares to another (Toads and Frogs)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.breadth_first import shortest_path
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

GREEN, RED, EMPTY = "G", "R", "_"
_NUM_CHECKERS: dict[Difficulty, range] = {"easy": range(1, 4), "paper": range(1, 6), "hard": range(4, 7)}
_SHORT, _LONG = range(1, 6), range(12, 24)  # moves; four checkers of each colour allow 24
_SHARE_OF_ALL = 0.24  # of the paper's questions, the others are short: as in the published data


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkers:
    """Two rows of squares, left to right, each "G", "R" or "_"."""

    start: str
    end: str


def generate(rng: Random, difficulty: Difficulty) -> Instance[Checkers, None]:
    """Any numbers of checkers, then any number of moves: few, many, or any that these allow."""
    num_green, num_red = 1, 1
    while num_green + num_red == 2:  # two checkers allow three moves: too few for four options
        num_green, num_red = (rng.choice(_NUM_CHECKERS[difficulty]) for _ in "GR")
    lengths = _LONG if difficulty == "hard" else _SHORT
    if difficulty == "paper" and rng.random() < _SHARE_OF_ALL:
        lengths = range(1, most_moves(num_green, num_red) + 1)
    answer, negatives = drawn_options(rng, [str(length) for length in lengths])
    state = _game(rng, num_green, num_red, int(answer))
    return Instance(state=state, query=None, answer=answer, negatives=negatives)


def most_moves(num_green: int, num_red: int) -> int:
    """The moves of a full exchange: every green jumps or is jumped by every red, and everyone slides once."""
    return num_green * num_red + num_green + num_red


def _game(rng: Random, num_green: int, num_red: int, num_moves: int) -> Checkers:
    """A random row that allows so many moves, and where random ones lead that leave enough of them.

    Every way between two rows has the same number of moves (a jump swaps a green and a red and nothing else does, and
    the squares passed are given), so the way need not be looked for.
    """
    moves_left = _moves_left(num_green, num_red)
    start = row = rng.choice([row for row, left in moves_left.items() if left >= num_moves])
    for still_to_do in range(num_moves - 1, -1, -1):
        row = rng.choice([after for after in moves(row) if moves_left[after] >= still_to_do])
    return Checkers(start=start, end=row)


@lru_cache
def _moves_left(num_green: int, num_red: int) -> dict[str, int]:
    """Every row of so many checkers, and how long a game from there can last."""
    known: dict[str, int] = {}

    def longest_from(row: str) -> int:
        if row not in known:
            known[row] = max((1 + longest_from(after) for after in moves(row)), default=0)
        return known[row]

    length = num_green + num_red + 1
    for empty in range(length):
        for greens in combinations([i for i in range(length) if i != empty], num_green):
            longest_from("".join(EMPTY if i == empty else GREEN if i in greens else RED for i in range(length)))
    return known


def moves(row: str) -> Iterator[str]:
    """The rows after one move: greens go right and reds left, a step, or two over one of the other colour."""
    left, right = row.split(EMPTY)
    if left.endswith("G"):
        yield f"{left[:-1]}_G{right}"
    if left.endswith("GR"):
        yield f"{left[:-2]}_RG{right}"
    if right.startswith("R"):
        yield f"{left}R_{right[1:]}"
    if right.startswith("GR"):
        yield f"{left}RG_{right[2:]}"


def solve(state: Checkers, query: None) -> str:
    """The number of moves, by breadth-first search; ValueError if the end cannot be reached."""
    return str(len(shortest_path(state.start, state.end, moves)) - 1)


_GREEN_FILL, _RED_FILL = (20, 150, 60), (215, 40, 40)
_BOARD: Colour = (250, 240, 215)


def draw(state: Checkers) -> Image.Image:
    """Start above, end below; a checker shows with an arrow the only direction it goes."""
    canvas = Canvas()
    for top, caption, row in ((20, "Start", state.start), (215, "End", state.end)):
        canvas.text(SIZE / 2, top + 22, caption, size=36)
        _draw_row(canvas, top + 105, row)
    canvas.line([(20, 205), (SIZE - 20, 205)], fill=(170, 170, 170), width=3)
    return canvas.image()


def _draw_row(canvas: Canvas, middle: float, row: str) -> None:
    side = min(100.0, (SIZE - 20) / len(row))
    left = (SIZE - side * len(row)) / 2
    for i, square in enumerate(row):
        x = left + (i + 0.5) * side
        canvas.rectangle(
            x - side / 2, middle - side / 2, x + side / 2, middle + side / 2, fill=_BOARD, outline=(20, 20, 20), width=3
        )
        if square != EMPTY:
            _draw_checker(canvas, x, middle, side * 0.4, square)


def _draw_checker(canvas: Canvas, x: float, y: float, radius: float, colour: str) -> None:
    fill, ahead = (_GREEN_FILL, 1) if colour == GREEN else (_RED_FILL, -1)
    canvas.ellipse(x - radius, y - radius, x + radius, y + radius, fill=fill, outline=(20, 20, 20), width=2)
    tip, tail, wing = x + ahead * radius * 0.7, x - ahead * radius * 0.7, radius * 0.42
    upper = [(tip, y), (x, y - wing * 1.3), (x, y - wing * 0.5), (tail, y - wing * 0.5)]
    lower = [(tail, y + wing * 0.5), (x, y + wing * 0.5), (x, y + wing * 1.3)]
    canvas.polygon([*upper, *lower], fill=(255, 255, 255))


def question(state: Checkers, query: None) -> str:
    """The rules, and how many checkers there are; both rows are in the picture.

    Source: paper, appendix A.3. An answer is a number of moves.
    """
    num_green, num_red = state.start.count(GREEN), state.start.count(RED)
    return (
        f"A row of {len(state.start)} squares holds {_checkers(num_green, 'green')} and {_checkers(num_red, 'red')}, "
        "at most one on a square, so that one square is empty. Green checkers move only to the right, red checkers "
        "only to the left. In one move a checker either slides to the empty square if that is the next one, or jumps "
        "over exactly one checker of the other colour to the empty square just behind it; it may not jump over a "
        "checker of its own colour. The row at the start and the row at the end are given. How many moves does it "
        "take to get from the start to the end?"
    )


def _checkers(number: int, colour: str) -> str:
    return f"{number} {colour} checker" + "s" * (number != 1)


_WORDS = {GREEN: "green", RED: "red", EMPTY: "empty"}
_LETTERS = {word: letter for letter, word in _WORDS.items()}
_DESCRIPTION = re.compile(r"Start, from left to right: ([a-z, ]+)\. End, from left to right: ([a-z, ]+)\.")


def describe(state: Checkers) -> str:
    """One sentence for the row at the start and one for the row at the end: a word for each square."""
    start, end = (", ".join(_WORDS[square] for square in row) for row in (state.start, state.end))
    return f"Start, from left to right: {start}. End, from left to right: {end}."


def parse_description(text: str) -> Checkers:
    """The rows that `describe` wrote.

    Raises `ValueError` if the text does not have its two sentences, `KeyError` if a square has another word.
    """
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a description of rows of checkers: {text!r}")
    start, end = ("".join(_LETTERS[word] for word in row.split(", ")) for row in match.groups())
    return Checkers(start=start, end=end)


def is_possible(state: Checkers, query: None, option: str) -> bool:
    """Whether checkers so many can need that many moves: a part of the full exchange has any length up to all of it."""
    return 1 <= int(option) <= most_moves(state.start.count(GREEN), state.start.count(RED))


def solution(state: Checkers, query: None) -> dict[str, Any]:
    """The published fields; `moves` has every row on a shortest way, the start and the end included."""
    return {
        "start_position": state.start,
        "end_position": state.end,
        "green_checkers": state.start.count(GREEN),
        "red_checkers": state.start.count(RED),
        "moves": shortest_path(state.start, state.end, moves),
    }


def from_published(row: Mapping[str, Any]) -> tuple[Checkers, None]:
    """The two rows in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    return Checkers(start=published["start_position"], end=published["end_position"]), None


CHECKER_MOVE: Puzzle[Checkers, None] = Puzzle(
    name="checker_move",
    paper_name="Checker Move",
    published_name="checker_move",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"start": state.start, "end": state.end},
    state_from_json=lambda value: Checkers(start=value["start"], end=value["end"]),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
