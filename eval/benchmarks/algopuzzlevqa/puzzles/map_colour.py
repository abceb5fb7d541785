"""Map Colour: in how many ways the white regions of a map can be coloured, with four colours, no neighbours alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, PAPER, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.land import Point, land
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

ColourName: TypeAlias = Literal["red", "green", "blue", "yellow"]
COLOURS: tuple[ColourName, ...] = ("red", "green", "blue", "yellow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """Regions 1, 2, ...: which are neighbours (the lower number first) and their colours, None if white.

    `outlines` are the regions' corners in the unit square, y upwards, without which a map cannot be drawn. Which map it
    is they do not say: a map is what can be told in words.
    """

    adjacency: tuple[tuple[int, int], ...]
    colours: tuple[ColourName | None, ...]
    outlines: tuple[tuple[Point, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def white(self) -> list[int]:
        """The numbers of the regions that have no colour yet, in ascending order."""
        return [region for region, colour in enumerate(self.colours, start=1) if colour is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    """Cells of the land, of which the regions are made: columns and rows; numbers of regions and of white ones."""

    columns: int
    rows: int
    num_regions: range
    num_white: range


_BOUNDS: dict[Difficulty, _Bounds] = {
    "easy": _Bounds(columns=5, rows=5, num_regions=range(8, 11), num_white=range(2, 4)),
    "paper": _Bounds(columns=6, rows=7, num_regions=range(15, 21), num_white=range(2, 7)),
    "hard": _Bounds(columns=8, rows=8, num_regions=range(24, 29), num_white=range(7, 10)),
}
_TRIES_PER_MAP = 40


def generate(rng: Random, difficulty: Difficulty) -> Instance[Map, None]:
    """The number of white regions first, then that of ways and of regions, then maps until one has so many."""
    bounds = _BOUNDS[difficulty]
    num_white = rng.choice(bounds.num_white)
    answer, negatives = drawn_options(rng, [str(ways) for ways in possible_ways(num_white)])
    num_regions = rng.choice(bounds.num_regions)
    for _ in range(2000):
        neighbours, outlines = land(rng, bounds.columns, bounds.rows, num_regions)
        colours = _colouring(rng, neighbours)
        for _ in range(_TRIES_PER_MAP):
            white = _some_regions(rng, neighbours, num_white)
            if _num_ways(neighbours, colours, white) == int(answer):
                state = _numbered(rng, neighbours, outlines, colours, white)
                return Instance(state=state, query=None, answer=answer, negatives=negatives)
    raise AssertionError(f"no map with {num_white} white regions and {answer} ways")


def possible_ways(num_white: int) -> tuple[int, ...]:
    """The numbers of ways of which maps with so many white regions are easily found, from 1 to 8 as in the paper.

    Few white regions have no 5 or 7, and two of them, with coloured neighbours each, hardly more than 4.
    """
    if num_white == 2:
        return (1, 2, 3, 4)
    if num_white < 5:
        return (1, 2, 3, 4, 5, 6, 8)
    if num_white < 7:
        return (1, 2, 3, 4, 5, 6, 7, 8)
    return (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16)


def _colouring(rng: Random, neighbours: Sequence[set[int]]) -> list[int]:
    """A random colouring with four colours, by backtracking at the region with the most neighbouring colours.

    The first colours are preferred, by more or by less, so that some maps have regions with few colours around them.
    """
    frugality = rng.random()
    colours = [-1] * len(neighbours)

    def colour_rest() -> bool:
        uncoloured = [region for region, colour in enumerate(colours) if colour < 0]
        if not uncoloured:
            return True
        taken = {region: {colours[other] for other in neighbours[region]} for region in uncoloured}
        region = max(uncoloured, key=lambda region: (len(taken[region] - {-1}), rng.random()))
        free = [colour for colour in range(4) if colour not in taken[region]]
        if rng.random() >= frugality:
            rng.shuffle(free)
        for colour in free:
            colours[region] = colour
            if colour_rest():
                return True
        colours[region] = -1
        return False

    if not colour_rest():
        raise AssertionError("a map that four colours do not do for")
    return colours


def _some_regions(rng: Random, neighbours: Sequence[set[int]], count: int) -> list[int]:
    """Some regions, more often neighbours than not: apart from each other they are mostly left no choice."""
    chosen = [rng.randrange(len(neighbours))]
    while len(chosen) < count:
        near = sorted(set().union(*(neighbours[region] for region in chosen)) - set(chosen))
        region = rng.choice(near) if near and rng.random() < 0.7 else rng.randrange(len(neighbours))
        if region not in chosen:
            chosen.append(region)
    return chosen


def _num_ways(neighbours: Sequence[set[int]], colours: Sequence[int], white: Sequence[int]) -> int:
    known = [-1 if region in white else colour for region, colour in enumerate(colours)]
    return sum(1 for _ in _completions(neighbours, known, list(white)))


def _completions(neighbours: Sequence[set[int]], colours: list[int], white: list[int]) -> Iterator[list[int]]:
    """Every colouring of the white regions, by backtracking at the one with the fewest colours left.

    That is Knuth's Algorithm X (paper, appendix A.7) with a region's colours for the options of an item.
    """
    if not white:
        yield list(colours)
        return
    free = {region: set(range(4)) - {colours[other] for other in neighbours[region]} for region in white}
    region = min(white, key=lambda region: len(free[region]))
    rest = [other for other in white if other != region]
    for colour in sorted(free[region]):
        colours[region] = colour
        yield from _completions(neighbours, colours, rest)
    colours[region] = -1


def _numbered(
    rng: Random,
    neighbours: Sequence[set[int]],
    outlines: Sequence[tuple[Point, ...]],
    colours: Sequence[int],
    white: Sequence[int],
) -> Map:
    """The map with its regions numbered at random, the white ones last, and its colours named at random."""
    names = rng.sample(COLOURS, 4)
    coloured = [region for region in range(len(neighbours)) if region not in white]
    order = rng.sample(coloured, len(coloured)) + rng.sample(list(white), len(white))
    number = {region: i for i, region in enumerate(order, start=1)}
    adjacency = {
        (number[region], number[other])
        for region in order
        for other in neighbours[region]
        if number[region] < number[other]
    }
    return Map(
        adjacency=tuple(sorted(adjacency)),
        colours=tuple(None if region in white else names[colours[region]] for region in order),
        outlines=tuple(outlines[region] for region in order),
    )


def solve(state: Map, query: None) -> str:
    """The number of ways, all of them found."""
    return str(sum(1 for _ in ways(state)))


def ways(state: Map) -> Iterator[dict[int, ColourName]]:
    """Every way to colour the white regions."""
    neighbours: list[set[int]] = [set() for _ in state.colours]
    for one, other in state.adjacency:
        neighbours[one - 1].add(other - 1)
        neighbours[other - 1].add(one - 1)
    colours = [-1 if colour is None else COLOURS.index(colour) for colour in state.colours]
    white = state.white
    for completed in _completions(neighbours, colours, [region - 1 for region in white]):
        yield {region: COLOURS[completed[region - 1]] for region in white}


_FILLS: dict[ColourName | None, Colour] = {
    "red": (235, 75, 70),
    "green": (85, 185, 95),
    "blue": (105, 150, 245),
    "yellow": (252, 222, 70),
    None: PAPER,
}
_MARGIN = 8


def draw(state: Map) -> Image.Image:
    """The map with thick borders and a number in every region; ValueError for a map without outlines."""
    if len(state.outlines) != len(state.colours):
        raise ValueError("this map has no outlines; it cannot be drawn")
    canvas = Canvas()
    size = 36 if len(state.colours) <= 20 else 28
    outlines = [[_on_page(point) for point in outline] for outline in state.outlines]
    for outline, colour in zip(outlines, state.colours, strict=True):
        canvas.polygon(outline, fill=_FILLS[colour])
    for outline in outlines:
        canvas.line([*outline, *outline[:2]], fill=INK, width=5)
    for region, outline in enumerate(outlines, start=1):
        canvas.text(*_roomiest_point(outline), str(region), size=size)
    return canvas.image()


def _on_page(point: Point) -> Point:
    scale = SIZE - 2 * _MARGIN
    return _MARGIN + point[0] * scale, _MARGIN + (1 - point[1]) * scale


def _roomiest_point(outline: Sequence[Point]) -> Point:
    """Where a number fits: of the middles of some horizontals through the region the one farthest from its border."""
    top, bottom = min(y for _, y in outline), max(y for _, y in outline)
    middles = []
    for step in range(1, 12):
        y = top + (bottom - top) * step / 12
        across = _crossings(outline, y)
        middles += [((left + right) / 2, y) for left, right in zip(across[::2], across[1::2], strict=True)]
    return max(middles, key=lambda point: _room(outline, *point))


def _crossings(outline: Sequence[Point], level: float) -> list[float]:
    """Where the outline crosses a horizontal, from left to right."""
    found = []
    for (start_x, start_y), (end_x, end_y) in _sides(outline):
        if (start_y < level) != (end_y < level):
            found.append(start_x + (level - start_y) / (end_y - start_y) * (end_x - start_x))
    return sorted(found)


def _room(outline: Sequence[Point], x: float, y: float) -> float:
    """The squared distance of a point from the nearest side."""
    nearest = float(SIZE * SIZE)
    for (start_x, start_y), (end_x, end_y) in _sides(outline):
        along_x, along_y = end_x - start_x, end_y - start_y
        part = ((x - start_x) * along_x + (y - start_y) * along_y) / (along_x * along_x + along_y * along_y)
        part = min(max(part, 0.0), 1.0)
        gap_x, gap_y = start_x + part * along_x - x, start_y + part * along_y - y
        nearest = min(nearest, gap_x * gap_x + gap_y * gap_y)
    return nearest


def _sides(outline: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    return zip(outline, [*outline[1:], outline[0]], strict=True)


def question(state: Map, query: None) -> str:
    """The rules; regions, borders and colours are in the picture."""
    return (
        "The picture shows a map. Each of its regions has a number and is red, green, blue, yellow or, where it is not "
        "yet coloured, white. Each white region is to get one of these four colours such that no two regions that "
        "share a stretch of border have the same colour; regions that only touch in a point may have the same. The "
        "coloured regions stay as they are, and not all four colours need be used. Two ways to colour the white "
        "regions differ if any region has another colour. In how many different ways can all the white regions be "
        "coloured?"
    )


def describe(state: Map) -> str:
    """The number of regions, then a sentence for each: its colour or `white`, and the regions it borders on."""
    lines = [f"The map has {len(state.colours)} regions."]
    for region, colour in enumerate(state.colours, start=1):
        others = [a + b - region for a, b in state.adjacency if region in (a, b)]
        lines.append(f"Region {region} is {colour or 'white'} and borders on: {', '.join(map(str, others))}.")
    return " ".join(lines)


def parse_description(text: str) -> Map:
    """The map described, without outlines; ValueError if the text is no description of one."""
    match = re.match(r"The map has (\d+) regions\.", text)
    regions = re.findall(r"Region (\d+) is (\w+) and borders on: ([\d, ]*)\.", text)
    if not match or [region for region, _, _ in regions] != [str(i + 1) for i in range(int(match[1]))]:
        raise ValueError(f"no description of a map: {text!r}")
    pairs = {tuple(sorted((int(a), int(b)))) for a, _, others in regions for b in re.findall(r"\d+", others)}
    return Map(
        adjacency=tuple(sorted((a, b) for a, b in pairs)), colours=tuple(_colour(name) for _, name, _ in regions)
    )


def _colour(name: str) -> ColourName | None:
    return None if name == "white" else COLOURS[COLOURS.index(name.lower())]


def is_possible(state: Map, query: None, option: str) -> bool:
    """A number of ways of which there are questions about so many white regions."""
    return option in {str(ways) for ways in possible_ways(len(state.white))}


def state_to_json(state: Map) -> dict[str, Any]:
    """The neutral form, and `outlines`: each region's corners [x, y] in the unit square, y upwards."""
    return {
        "regions": len(state.colours),
        "adjacency": [list(pair) for pair in state.adjacency],
        "colours": {str(region): colour for region, colour in enumerate(state.colours, start=1) if colour},
        "uncoloured": state.white,
        "outlines": [[list(point) for point in outline] for outline in state.outlines],
    }


def state_from_json(data: Mapping[str, Any]) -> Map:
    """A map; one without `outlines` cannot be drawn."""
    return Map(
        adjacency=tuple(sorted((min(pair), max(pair)) for pair in data["adjacency"])),
        colours=tuple(_colour(data["colours"].get(str(i + 1), "white")) for i in range(data["regions"])),
        outlines=tuple(tuple((x, y) for x, y in outline) for outline in data.get("outlines", ())),
    )


def solution(state: Map, query: None) -> dict[str, Any]:
    """The published fields."""
    completed = list(ways(state))
    white = state.white
    return {
        "polygon_vertices": {
            str(region): [list(point) for point in outline] for region, outline in enumerate(state.outlines, start=1)
        },
        "polygon_adjacency_list": sorted(
            [list(pair) for pair in state.adjacency] + [list(reversed(pair)) for pair in state.adjacency]
        ),
        "known_colours": {str(i): colour.capitalize() for i, colour in enumerate(state.colours, start=1) if colour},
        "possible_colours_of_unknown": [
            {str(region): colour.capitalize() for region, colour in way.items()} for way in completed
        ],
        "unique_maps": len(completed),
        "total_regions": len(state.colours),
        "known_regions": [region for region, colour in enumerate(state.colours, start=1) if colour],
        "unknown_regions": white,
    }


def from_published(row: Mapping[str, Any]) -> tuple[Map, None]:
    """A published row's map; neighbours are those that its `solution` says, however short their border."""
    fields = row["solution"]
    regions = range(1, fields["total_regions"] + 1)
    state = Map(
        adjacency=tuple(sorted({(min(pair), max(pair)) for pair in fields["polygon_adjacency_list"]})),
        colours=tuple(_colour(fields["known_colours"].get(str(region), "white")) for region in regions),
        outlines=tuple(tuple((x, y) for x, y in fields["polygon_vertices"][str(region)]) for region in regions),
    )
    return state, None


MAP_COLOUR: Puzzle[Map, None] = Puzzle(
    name="map_colour",
    paper_name="Map Colour",
    published_name="map",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=state_to_json,
    state_from_json=state_from_json,
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
