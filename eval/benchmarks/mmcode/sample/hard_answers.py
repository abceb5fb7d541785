"""Expected results of the hard problems, computed from the facts the pictures are drawn from, by the plainest means."""

from __future__ import annotations

import itertools
from typing import TypeVar

from foveal.eval.benchmarks.mmcode.sample.hard_pictures import (
    CABLES,
    CLOSED,
    COLUMN_DIRECTIONS,
    FENCE,
    HEAP,
    HERON_JUMPS,
    LOOP,
    MODULUS,
    PARENTS,
    POOLS,
    PRICES,
    REBATES,
    ROW_DIRECTIONS,
    SEGMENTS,
    START,
    STEP,
    TAIL,
)

Place = TypeVar("Place", tuple[str, int], tuple[int, int])


def shortest_cable(text: str) -> str:
    """Floyd's algorithm over the cables of the picture."""
    lamps = "ABCDEFG"
    metres = {(a, b): 0 if a == b else 10**9 for a in lamps for b in lamps}
    for a, b, length in CABLES:
        metres[a, b] = metres[b, a] = length
    for via, a, b in itertools.product(lamps, repeat=3):
        metres[a, b] = min(metres[a, b], metres[a, via] + metres[via, b])
    start, goal = text.split()
    return f"{metres[start, goal]}\n"


def canteen_bill(text: str) -> str:
    """The dishes one by one, then the largest rebate that applies."""
    words = text.split()[1:]
    total = sum(PRICES[dish] * int(count) for dish, count in zip(words[::2], words[1::2], strict=True))
    return f"{total - max((rebate for least, rebate in REBATES if total >= least), default=0)}\n"


def mystery_loop(n: int) -> int:
    """The loop itself where it is short; else whole blocks of three at once, then the rest."""
    if n <= 10**5:
        return sum(i if i % 3 == 0 else -1 for i in range(1, n + 1))
    blocks, rest = divmod(n, 3)
    return sum((3 * blocks * (blocks + 1) // 2, -2 * blocks, -rest))


def blocks_to_drive(text: str) -> str:
    """Relaxation over the streets of the picture until nothing changes."""
    streets = set()
    for row, direction in ROW_DIRECTIONS.items():
        for left, right in itertools.pairwise("abcd"):
            a, b = (left, row), (right, row)
            streets.add((a, b) if direction == 1 else (b, a))
    for column, direction in COLUMN_DIRECTIONS.items():
        for upper in (1, 2, 3):
            a, b = (column, upper), (column, upper + 1)
            if (a, b) != CLOSED:
                streets.add((a, b) if direction == 1 else (b, a))
    start, goal = ((word[0], int(word[1])) for word in text.split())
    return f"{_fewest_steps(streets, start, goal)}\n"


def heron_jumps(text: str) -> str:
    """Relaxation over all jumps of the board."""
    squares = {(column, row) for column in range(8) for row in range(8)}
    dry = squares - {("abcdefgh".index(pool[0]), int(pool[1]) - 1) for pool in POOLS}
    jumps = {
        (square, landing)
        for square in dry
        for right, up in HERON_JUMPS
        if (landing := (square[0] + right, square[1] + up)) in dry
    }
    start, goal = (("abcdefgh".index(word[0]), int(word[1]) - 1) for word in text.split())
    return f"{_fewest_steps(jumps, start, goal)}\n"


def _fewest_steps(steps: set[tuple[Place, Place]], start: Place, goal: Place) -> int:
    reached = {start}
    for count in range(len(steps) + 1):
        if goal in reached:
            return count
        reached |= {b for a, b in steps if a in reached}
    return -1


def painted_area(text: str) -> str:
    """Every face of every cube whose neighbour is no cube."""
    cubes = {(x, y, z) for y, row in enumerate(HEAP) for x, height in enumerate(row) for z in range(height)}
    sides = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = sum((x + i, y + j, z + k) not in cubes for x, y, z in cubes for i, j, k in sides)
    return f"{faces * int(text) ** 2}\n"


def meeting_point(u: int, v: int) -> int:
    """The first node of one way that is on the other."""
    return next(node for node in _way_to_root(u) if node in _way_to_root(v))


def _way_to_root(node: int) -> list[int]:
    return [node, *(_way_to_root(PARENTS[node]) if node in PARENTS else [])]


def pointer_walk(text: str) -> str:
    """The walk itself, cut short by whole rounds of the loop."""
    cells = (*TAIL, *LOOP)
    steps = int(text)
    if steps > 100:
        steps -= (steps - 100) // len(LOOP) * len(LOOP)
    cell = 0
    for _ in range(steps):
        cell = cell + 1 if cell + 1 < len(cells) else len(TAIL)
    return f"{cells[cell]}\n"


def tiles_of_figure(text: str) -> str:
    """Row by row for small figures; four triangles around the middle tile for large ones."""
    n = int(text)
    if n <= 1000:
        return f"{sum(2 * (n - abs(row)) - 1 for row in range(1 - n, n))}\n"
    return f"{1 + 4 * (n * (n - 1) // 2)}\n"


def garden_places(text: str) -> str:
    """Winding number of the fence around each point."""
    numbers = list(map(int, text.split()))[1:]
    return "".join(_garden_place(x, y) + "\n" for x, y in zip(numbers[::2], numbers[1::2], strict=True))


def _garden_place(x: int, y: int) -> str:
    winding = 0
    for (x1, y1), (x2, y2) in itertools.pairwise((*FENCE, FENCE[0])):
        side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)
        if side == 0 and (x - x1) * (x - x2) <= 0 and (y - y1) * (y - y2) <= 0:
            return "fence"
        if y1 <= y < y2 and side > 0:
            winding += 1
        if y2 <= y < y1 and side < 0:
            winding -= 1
    return "inside" if winding else "outside"


def lit_segments(text: str) -> str:
    """The bars of each digit as drawn."""
    return f"{sum(SEGMENTS[int(digit)].count('1') for digit in text.strip())}\n"


def state_after(k: int) -> list[int]:
    """Step by step; for many steps the matrix is squared by halves."""
    if k <= 1000:
        x, y = START
        for _ in range(k):
            x, y = (STEP[0][0] * x + STEP[0][1] * y) % MODULUS, (STEP[1][0] * x + STEP[1][1] * y) % MODULUS
        return [x, y]
    (a, b), (c, d) = _power(k)
    return [(a * START[0] + b * START[1]) % MODULUS, (c * START[0] + d * START[1]) % MODULUS]


_Matrix = tuple[tuple[int, int], tuple[int, int]]


def _power(k: int) -> _Matrix:
    if k == 1:
        return STEP
    half = _power(k // 2)
    whole = _product(half, half)
    return _product(whole, STEP) if k % 2 else whole


def _product(p: _Matrix, q: _Matrix) -> _Matrix:
    columns = tuple(zip(*q, strict=True))
    (a, b), (c, d) = (
        [sum(x * y for x, y in zip(row, column, strict=True)) % MODULUS for column in columns] for row in p
    )
    return (a, b), (c, d)


def lamp_shines(a: bool, b: bool, c: bool, d: bool) -> bool:
    """What the gates do."""
    return all((a, b)) or c == d
