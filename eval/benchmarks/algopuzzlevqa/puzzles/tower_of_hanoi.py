"""Tower of Hanoi: the fewest moves between any two arrangements of disks on three rods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.breadth_first import layers, shortest_path
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Rods: TypeAlias = tuple[tuple[int, ...], ...]  # left to right, each from its bottom; disk 1 is the smallest

_NUM_DISKS: dict[Difficulty, range] = {"easy": range(3, 5), "paper": range(3, 7), "hard": range(6, 9)}
_TRIES = 1000
_DISTANCES: dict[Difficulty, range] = {"easy": range(1, 6), "paper": range(1, 7), "hard": range(8, 20)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Towers:
    """The disks on the rods at the start and at the end."""

    start: Rods
    end: Rods

    @property
    def num_disks(self) -> int:
        """The number of disks on all rods together."""
        return sum(len(rod) for rod in self.start)


def generate(rng: Random, difficulty: Difficulty) -> Instance[Towers, None]:
    """Any arrangement, and any of those at the distance drawn."""
    answer, negatives = drawn_options(rng, [str(n) for n in _DISTANCES[difficulty]])
    state = _apart(rng, rng.choice(_NUM_DISKS[difficulty]), int(answer))
    return Instance(state=state, query=None, answer=answer, negatives=negatives)


def _apart(rng: Random, num_disks: int, distance: int) -> Towers:
    for _ in range(_TRIES):  # from some arrangements of few disks everything is near
        found = layers(_any_arrangement(rng, num_disks), moves, distance)
        if len(found) > distance:
            return Towers(start=found[0][0], end=rng.choice(found[distance]))
    raise RuntimeError(f"no arrangement of {num_disks} disks was found with another {distance} moves away")


def _any_arrangement(rng: Random, num_disks: int) -> Rods:
    rods: list[list[int]] = [[], [], []]
    for disk in range(num_disks, 0, -1):
        rng.choice(rods).append(disk)
    return _rods(rods)


def _rods(rods: list[list[int]]) -> Rods:
    return tuple(tuple(rod) for rod in rods)


def moves(rods: Rods) -> Iterator[Rods]:
    """The arrangements after one move: a top disk goes to a rod that is empty or has a larger one on top."""
    for origin in range(3):
        for target in range(3):
            if rods[origin] and (not rods[target] or rods[target][-1] > rods[origin][-1]):
                after = list(rods)
                after[target] += rods[origin][-1:]
                after[origin] = rods[origin][:-1]
                yield tuple(after)


def solve(state: Towers, query: None) -> str:
    """The fewest moves, by breadth-first search."""
    return str(len(shortest_path(state.start, state.end, moves)) - 1)


_DISK_COLOURS: tuple[Colour, ...] = (
    (225, 60, 50),
    (245, 150, 40),
    (245, 215, 70),
    (80, 175, 80),
    (70, 190, 200),
    (105, 150, 235),
    (180, 135, 220),
    (225, 130, 185),
)
_WOOD: Colour = (130, 90, 55)
_PANEL = 328  # height of one arrangement
_BASE = 12  # height of the board that the rods stand on


def draw(state: Towers) -> Image.Image:
    """Start above, end below; disks carry their numbers, 1 on the smallest."""
    canvas = Canvas()
    for top, caption, rods in ((0, "Start", state.start), (SIZE - _PANEL, "End", state.end)):
        canvas.text(14, top + 26, caption, size=36, anchor="lm")
        _draw_rods(canvas, top + _PANEL - 46, rods, state.num_disks)
    canvas.line([(0, SIZE / 2), (SIZE, SIZE / 2)], fill=(170, 170, 170), width=3)
    return canvas.image()


def _draw_rods(canvas: Canvas, bottom: float, rods: Rods, num_disks: int) -> None:
    height = min(36.0, 216 / num_disks)
    canvas.rectangle(8, bottom, SIZE - 8, bottom + _BASE, fill=_WOOD)
    for i, rod in enumerate(rods):
        x = SIZE * (2 * i + 1) / 6
        canvas.rectangle(x - 6, bottom - 228, x + 6, bottom, fill=_WOOD, radius=5)
        canvas.text(x, bottom + _BASE + 18, f"rod {i + 1}", size=26)
        for level, disk in enumerate(rod):
            _draw_disk(canvas, x, bottom - height * level, height, disk, num_disks)


def _draw_disk(canvas: Canvas, x: float, bottom: float, height: float, disk: int, num_disks: int) -> None:
    half = 26 + (106 - 26) * disk / num_disks
    fill = _DISK_COLOURS[(disk - 1) % len(_DISK_COLOURS)]
    canvas.rectangle(x - half, bottom - height, x + half, bottom, fill=fill, outline=(20, 20, 20), width=2, radius=8)
    canvas.text(x, bottom - height / 2, str(disk), size=height * 0.85)


def question(state: Towers, query: None) -> str:
    """The rules and the number of disks; both arrangements are in the picture.

    Source: paper, appendix A.15. An answer is a number of moves.
    """
    return (
        f"There are three rods and {state.num_disks} disks, all of different size, that are stacked on the rods. In "
        "one move the topmost disk of a rod is put on another rod, which must be empty or have a larger disk on top: "
        "a disk never lies on a smaller one. The disks on the rods at the start and at the end are given. What is the "
        "smallest number of moves that leads from the start to the end?"
    )


_ROD = r"rod {} has (none|[\d, ]+)"
_ROW = ", ".join(_ROD.format(i) for i in (1, 2, 3)).replace(", rod", "; rod")
_DESCRIPTION = re.compile(
    rf"The disks are numbered by size, 1 is the smallest\. Start, each rod from bottom to top: {_ROW}\. "
    rf"End, each rod from bottom to top: {_ROW}\."
)


def describe(state: Towers) -> str:
    """The start, then the end: the disks on each of the three rods from bottom to top, 1 the smallest."""
    start, end = (
        "; ".join(f"rod {i + 1} has {', '.join(map(str, rod)) or 'none'}" for i, rod in enumerate(rods))
        for rods in (state.start, state.end)
    )
    return (
        f"The disks are numbered by size, 1 is the smallest. Start, each rod from bottom to top: {start}. "
        f"End, each rod from bottom to top: {end}."
    )


def parse_description(text: str) -> Towers:
    """The rods that `describe` wrote. Raises `ValueError` if the text does not describe three rods twice."""
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a description of disks on rods: {text!r}")
    rods = [[] if rod == "none" else [int(disk) for disk in rod.split(", ")] for rod in match.groups()]
    return Towers(start=_rods(rods[:3]), end=_rods(rods[3:]))


def is_possible(state: Towers, query: None, option: str) -> bool:
    """Whether so many disks can be that far from where they should be: no two arrangements are farther than 2^n - 1."""
    return 1 <= int(option) < 1 << state.num_disks


def solution(state: Towers, query: None) -> dict[str, Any]:
    """The published fields; `moves` has every arrangement on a shortest way, from `num_moves` 0 at the start."""
    path = shortest_path(state.start, state.end, moves)
    return {
        "start_position": _lists(state.start),
        "end_position": _lists(state.end),
        "moves": [{"position": _lists(rods), "num_moves": i} for i, rods in enumerate(path)],
    }


def _lists(rods: Rods) -> list[list[int]]:
    return [list(rod) for rod in rods]


def from_published(row: Mapping[str, Any]) -> tuple[Towers, None]:
    """Both arrangements in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    return Towers(start=_rods(published["start_position"]), end=_rods(published["end_position"])), None


TOWER_OF_HANOI: Puzzle[Towers, None] = Puzzle(
    name="tower_of_hanoi",
    paper_name="Tower of Hanoi",
    published_name="tower_of_hanoi",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {
        "disks": state.num_disks,
        "start": _lists(state.start),
        "end": _lists(state.end),
    },
    state_from_json=lambda value: Towers(start=_rods(value["start"]), end=_rods(value["end"])),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
