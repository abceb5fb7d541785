"""Table 1 of the AlgoPuzzleVQA paper as data: what visual and algorithmic features each of the 18 puzzles has."""

from __future__ import annotations

VISUAL_FEATURES = ("Colour", "Position", "Shape/Size", "Text")
ALGORITHMIC_FEATURES = (
    *("Arithmetic", "Boolean Logic", "Combinatorics", "Graphs"),
    *("Optimization", "Search", "Sets"),
)
FEATURES = (*VISUAL_FEATURES, *ALGORITHMIC_FEATURES)

# A column per feature, in the order above: x where the puzzle has it.
_TABLE_1 = """
Board Tiling      x x . .   x x . . . . .
Calendar          . x . x   x . . . . . .
Chain Link        . x x .   x . . . x . x
Checker Move      x x . .   x x . . . x .
Clock             . x x x   x . . . . . .
Colour Hue        x x . .   x . . . x . .
Map Colour        x x x x   x x x x . x .
Maze Solve        x x . .   x . . x x x .
Move Box          x x . .   x . . x x x .
N-Queens          . x . .   x x . . . x .
Number Slide      . x . x   x . x . x x x
Rotten Fruits     . x . .   x x . x x x .
Rubik's Cube      x x . .   x . . x . . .
Think A Dot       x x x .   x x . . . . x
Tower of Hanoi    . x x .   x x . . x x .
Water Jugs        . x x x   x x . . x x .
Wheel of Fortune  . x x x   x . . . . . .
Wood Slide        . x x .   x . . . x x .
"""


def _ontology() -> dict[str, tuple[str, ...]]:
    table = {}
    for line in _TABLE_1.strip().splitlines():
        name, _, marks = line.partition("  ")
        table[name] = tuple(f for f, mark in zip(FEATURES, marks.split(), strict=True) if mark == "x")
    return table


# The features of each puzzle, by the puzzle's name in the paper and in its order.
ONTOLOGY = _ontology()
PUZZLE_NAMES = tuple(ONTOLOGY)


def puzzles_with(feature: str) -> tuple[str, ...]:
    """The puzzles that have a feature, in the paper's order. Raises `ValueError` for a feature there is not."""
    if feature not in FEATURES:
        raise ValueError(f"no feature {feature!r}; there are: {', '.join(FEATURES)}")
    return tuple(name for name, features in ONTOLOGY.items() if feature in features)
