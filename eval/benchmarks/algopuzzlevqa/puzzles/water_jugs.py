"""Water Jugs: the fewest pourings between jugs without scales that leave given amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.breadth_first import layers, shortest_path
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Litres: TypeAlias = tuple[int, ...]  # one number per jug, from left to right

_NUM_JUGS: dict[Difficulty, range] = {"easy": range(3, 4), "paper": range(3, 6), "hard": range(4, 5)}
_LARGEST: dict[Difficulty, int] = {"easy": 8, "paper": 14, "hard": 16}  # litres
_TRIES = 1000
_STEPS: dict[Difficulty, range] = {"easy": range(1, 5), "paper": range(1, 5), "hard": range(3, 9)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Jugs:
    """What the jugs hold when full, and what they hold at the start, in litres."""

    capacities: Litres
    start: Litres


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What the jugs are to hold at the end, in litres."""

    amounts: Litres


def generate(rng: Random, difficulty: Difficulty) -> Instance[Jugs, Goal]:
    """A goal that takes as many steps as any option says, if one starts rightly; then a start for the answer."""
    steps = _STEPS[difficulty]
    answer, negatives = drawn_options(rng, [str(n) for n in steps])
    capacities, path = _jugs_and_path(rng, difficulty, steps[-1])
    start = _start(rng, capacities, path, int(answer))
    return Instance(
        state=Jugs(capacities=capacities, start=start),
        query=Goal(amounts=path[-1]),
        answer=answer,
        negatives=negatives,
    )


def _jugs_and_path(rng: Random, difficulty: Difficulty, num_steps: int) -> tuple[Litres, list[Litres]]:
    """Capacities and, with these, a shortest way of so many steps from a random start."""
    for _ in range(_TRIES):
        sizes = rng.sample(range(1, _LARGEST[difficulty] + 1), rng.choice(_NUM_JUGS[difficulty]))
        capacities = tuple(sorted(sizes, reverse=True))
        start = tuple(rng.randint(0, capacity) for capacity in capacities)
        found = layers(start, partial(pourings, capacities), num_steps)
        if len(found) > num_steps:
            return capacities, _path(capacities, start, rng.choice(found[num_steps]))
    raise RuntimeError(f"no jugs were found with a way of {num_steps} steps")


def _start(rng: Random, capacities: Litres, path: list[Litres], num_steps: int) -> Litres:
    """Amounts from which the last of the path takes so many steps: any that come to be its last but `num_steps` - 1."""
    before = list(_before_pouring(capacities, path[-num_steps]))
    rng.shuffle(before)
    return next(amounts for amounts in before if len(_path(capacities, amounts, path[-1])) == num_steps + 1)


def _before_pouring(capacities: Litres, amounts: Litres) -> Iterator[Litres]:
    """The amounts from which one pouring leaves `amounts`: what is now empty, or has filled another, held more."""
    for origin, left in enumerate(amounts):
        for target, held in enumerate(amounts):
            if origin != target and (left == 0 or held == capacities[target]):
                for poured in range(1, min(capacities[origin] - left, held) + 1):
                    yield _moved(amounts, target, origin, poured)


def pourings(capacities: Litres, amounts: Litres) -> Iterator[Litres]:
    """The amounts after one step: a jug is poured into another until it is empty or the other is full."""
    for origin, held in enumerate(amounts):
        for target, capacity in enumerate(capacities):
            room = capacity - amounts[target]
            poured = held if held < room else room  # what `min` says, in half the time
            if poured and origin != target:
                yield _moved(amounts, origin, target, poured)


def _moved(amounts: Litres, origin: int, target: int, litres: int) -> Litres:
    after = list(amounts)
    after[origin] -= litres
    after[target] += litres
    return tuple(after)


def _path(capacities: Litres, start: Litres, end: Litres) -> list[Litres]:
    return shortest_path(start, end, partial(pourings, capacities))


def solve(state: Jugs, query: Goal) -> str:
    """The fewest steps, by breadth-first search; ValueError if no pouring leads to the goal."""
    return str(len(_path(state.capacities, state.start, query.amounts)) - 1)


_WATER: Colour = (95, 175, 240)
_GRID: Colour = (175, 175, 175)
_TOP, _BOTTOM, _LEFT = 70, 610, 74
_HALF = 42  # of a jug's width


def draw(state: Jugs) -> Image.Image:
    """Jugs beside a scale in litres: how high their sides are, and how high the water."""
    canvas = Canvas()
    highest = max(state.capacities)
    litre = (_BOTTOM - _TOP) / highest
    canvas.text(14, 28, "litres", size=28, anchor="lm")
    column = (SIZE - 10 - _LEFT) / len(state.capacities)
    middles = [_LEFT + (i + 0.5) * column for i in range(len(state.capacities))]
    for x, amount in zip(middles, state.start, strict=True):
        canvas.rectangle(x - _HALF, _BOTTOM - amount * litre, x + _HALF, _BOTTOM, fill=_WATER)
    _draw_scale(canvas, highest, litre)
    for i, (x, capacity) in enumerate(zip(middles, state.capacities, strict=True)):
        _draw_sides(canvas, x, _BOTTOM - capacity * litre)
        canvas.text(x, _BOTTOM + 34, f"jug {i + 1}", size=30)
    return canvas.image()


def _draw_scale(canvas: Canvas, highest: int, litre: float) -> None:
    """A line for every litre, over the water too, so that levels can be counted; numbers as far as there is room."""
    for level in range(highest + 1):
        y = _BOTTOM - level * litre
        numbered = highest <= 14 or level % 2 == 0
        canvas.line([(_LEFT - (14 if numbered else 0), y), (SIZE - 10, y)], fill=_GRID, width=2)
        if numbered:
            canvas.text(_LEFT - 22, y, str(level), size=26, anchor="rm")


def _draw_sides(canvas: Canvas, x: float, rim: float) -> None:
    left, right = x - _HALF, x + _HALF
    canvas.line([(left - 10, rim), (left, rim), (left, _BOTTOM)], fill=INK, width=6)
    canvas.line([(right + 10, rim), (right, rim), (right, _BOTTOM)], fill=INK, width=6)
    canvas.line([(left, _BOTTOM), (right, _BOTTOM)], fill=INK, width=6)


def question(state: Jugs, query: Goal) -> str:
    """The rules, the capacities and the goal in litres; what the jugs hold at the start is in the picture.

    Source: paper, appendix A.16. An answer is a number of steps.
    """
    return (
        f"There are {len(state.capacities)} jugs; from left to right they hold {_series(state.capacities)} litres when "
        "full. How much water each of them holds at the start is given. In one step water is poured from one jug into "
        "another until the first is empty or the second is full, whichever comes first; nothing is spilt, and no water "
        "comes in from elsewhere. At the end the jugs shall hold, from left to right, exactly "
        f"{_series(query.amounts)} litres. What is the smallest number of steps that does it?"
    )


def _series(litres: Litres) -> str:
    return ", ".join(map(str, litres[:-1])) + f" and {litres[-1]}"


_DESCRIPTION = re.compile(r"Jug (\d+) holds (\d+) of (\d+) litres\.")


def describe(state: Jugs) -> str:
    """A sentence for each jug from the left: what it holds at the start, and its capacity, in whole litres."""
    return " ".join(
        f"Jug {i + 1} holds {amount} of {capacity} litres."
        for i, (amount, capacity) in enumerate(zip(state.start, state.capacities, strict=True))
    )


def parse_description(text: str) -> Jugs:
    """The jugs that `describe` wrote. Raises `ValueError` if `describe` would write another text for them."""
    jugs = sorted(tuple(map(int, jug)) for jug in _DESCRIPTION.findall(text))
    state = Jugs(capacities=tuple(jug[2] for jug in jugs), start=tuple(jug[1] for jug in jugs))
    if not jugs or describe(state) != text:
        raise ValueError(f"not a description of jugs: {text!r}")
    return state


def is_possible(state: Jugs, query: Goal, option: str) -> bool:
    """Whether from somewhere it takes these jugs so many steps to this goal, both of which the question names."""
    frontier, seen = [query.amounts], {query.amounts}
    for _ in range(int(option) - 1):
        frontier = list(dict.fromkeys(_new_before(state.capacities, frontier, seen)))
        seen.update(frontier)
    return int(option) > 0 and next(_new_before(state.capacities, frontier, seen), None) is not None


def _new_before(capacities: Litres, frontier: list[Litres], seen: set[Litres]) -> Iterator[Litres]:
    return (before for amounts in frontier for before in _before_pouring(capacities, amounts) if before not in seen)


def solution(state: Jugs, query: Goal) -> dict[str, Any]:
    """The published fields, in litres; `steps` has the jugs after each step of a shortest way, the start first.

    Raises `ValueError` if no pouring leads to the goal.
    """
    path = _path(state.capacities, state.start, query.amounts)
    return {
        "num_jugs": len(state.capacities),
        "capacities": list(state.capacities),
        "total_water": sum(state.start),
        "start": list(state.start),
        "end": list(query.amounts),
        "steps": [list(amounts) for amounts in path],
        "num_steps": len(path) - 1,
    }


def from_published(row: Mapping[str, Any]) -> tuple[Jugs, Goal]:
    """The jugs and the goal in a published row's `solution`."""
    published = row["solution"]
    state = Jugs(capacities=tuple(published["capacities"]), start=tuple(published["start"]))
    return state, Goal(amounts=tuple(published["end"]))


WATER_JUGS: Puzzle[Jugs, Goal] = Puzzle(
    name="water_jugs",
    paper_name="Water Jugs",
    published_name="water_jugs",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"capacities": list(state.capacities), "start": list(state.start)},
    state_from_json=lambda value: Jugs(capacities=tuple(value["capacities"]), start=tuple(value["start"])),
    query_to_json=lambda query: {"goal": list(query.amounts)},
    query_from_json=lambda value: Goal(amounts=tuple(value["goal"])),
    solution=solution,
    from_published=from_published,
)
