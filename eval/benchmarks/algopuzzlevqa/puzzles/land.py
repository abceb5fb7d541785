"""A square of land divided into regions with irregular outlines, no border of which is short.

A Voronoi diagram of random points, which the published maps are, has borders that nobody sees: two regions then are
neighbours by a hair. Here the square is a bent honeycomb whose cells grow together to regions. Three cells meet in
every corner, so no two regions touch in a point alone, and the shortest border is a side of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
_Corner: TypeAlias = tuple[int, int]  # the line between two rows of cells, and its place on it in half cells

_ZIGZAG, _JITTER = 0.14, 0.1  # of a cell's height: what makes bricks hexagons, and these unequal


def land(rng: Random, columns: int, rows: int, num_regions: int) -> tuple[list[set[int]], list[tuple[Point, ...]]]:
    """For each region its neighbours and its outline: corners in the unit square, counterclockwise, y upwards.

    Regions are as many cells of `columns` x `rows`, or more; none lies within another.
    """
    cells = _cells(columns, rows)
    beside = _neighbours(cells)
    for _ in range(1000):
        region_of = _grown(rng, beside, num_regions)
        outlines = _outlines(cells, region_of, num_regions)
        if outlines:
            break
    else:
        raise AssertionError("every land has a region within another")
    neighbours: list[set[int]] = [set() for _ in range(num_regions)]
    for cell, others in enumerate(beside):
        neighbours[region_of[cell]] |= {region_of[other] for other in others} - {region_of[cell]}
    places = _places(rng, columns, rows)
    return neighbours, [tuple(places[corner] for corner in outline) for outline in outlines]


def _cells(columns: int, rows: int) -> list[list[_Corner]]:
    """The corners of each cell, all in the same sense; every other row is set off by half a cell, as bricks are."""
    cells = []
    for row in range(rows):
        walls = sorted({0, *range(row % 2, 2 * columns, 2), 2 * columns})
        for left, right in pairwise(walls):
            lower = [(row, place) for place in range(left, right + 1)]
            upper = [(row + 1, place) for place in range(right, left - 1, -1)]
            lower = [lower[0], lower[-1]] if row == 0 else lower
            upper = [upper[0], upper[-1]] if row == rows - 1 else upper
            cells.append(lower + upper)
    return cells


def _sides(corners: Sequence[_Corner]) -> list[tuple[_Corner, _Corner]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _neighbours(cells: Sequence[Sequence[_Corner]]) -> list[list[int]]:
    """The cells on the other side of each cell's sides."""
    owner = {side: cell for cell, corners in enumerate(cells) for side in _sides(corners)}
    return [[owner[end, start] for start, end in _sides(corners) if (end, start) in owner] for corners in cells]


def _grown(rng: Random, beside: Sequence[Sequence[int]], num_regions: int) -> list[int]:
    """The region of each cell: they start at random cells, and the smallest that can takes the next one."""
    region_of = [-1] * len(beside)
    sizes = [1] * num_regions
    for region, cell in enumerate(rng.sample(range(len(beside)), num_regions)):
        region_of[cell] = region
    while -1 in region_of:
        reachable = [
            cell
            for cell, others in enumerate(beside)
            if region_of[cell] < 0 and any(region_of[other] >= 0 for other in others)
        ]
        cell = rng.choice(reachable)
        region = min((region_of[other] for other in beside[cell] if region_of[other] >= 0), key=sizes.__getitem__)
        region_of[cell] = region
        sizes[region] += 1
    return region_of


def _outlines(
    cells: Sequence[Sequence[_Corner]], region_of: Sequence[int], num_regions: int
) -> list[list[_Corner]] | None:
    """Each region's corners in order; None if a region has a hole."""
    after: list[dict[_Corner, _Corner]] = [{} for _ in range(num_regions)]
    owner = {side: region_of[cell] for cell, corners in enumerate(cells) for side in _sides(corners)}
    for (start, end), region in owner.items():
        if owner.get((end, start)) != region:
            after[region][start] = end
    outlines = []
    for steps in after:
        outline = [next(iter(steps))]
        while (corner := steps[outline[-1]]) != outline[0]:
            outline.append(corner)
        if len(outline) < len(steps):
            return None
        outlines.append(outline)
    return outlines


def _places(rng: Random, columns: int, rows: int) -> dict[_Corner, Point]:
    """Where the corners lie, to five decimals as in the published maps; those on the square's sides stay there."""
    places = {}
    for line in range(rows + 1):
        for place in range(2 * columns + 1):
            x, y = place / (2 * columns), line / rows
            if 0 < place < 2 * columns:
                x += rng.uniform(-_JITTER, _JITTER) / rows
            if 0 < line < rows:
                wall_goes_up = (place - line) % 2 == 0
                y += ((_ZIGZAG if wall_goes_up else -_ZIGZAG) + rng.uniform(-_JITTER, _JITTER)) / rows
            places[line, place] = round(x, 5), round(y, 5)
    return places
