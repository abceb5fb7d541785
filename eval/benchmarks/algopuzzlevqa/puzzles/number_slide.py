"""Number Slide: what the 15 puzzle and its smaller and larger kin look like after some moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.number_slide_board import (
    LINES,
    AfterSequence,
    Board,
    CountPositions,
    ExtremeSum,
    Move,
    Query,
    Stat,
    Tiles,
    board_of,
    boards_after,
    final_lines,
    flat,
    measured,
    moves_from,
    paths_of,
    played,
    solve,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

_SIDES: dict[Difficulty, tuple[int, ...]] = {"easy": (3, 4), "paper": (3, 4, 4, 5), "hard": (5, 6)}
_COUNTED_SIDES: dict[Difficulty, tuple[int, ...]] = {"easy": (5,), "paper": (5,), "hard": (6, 7)}
_COUNTED_MOVES: dict[Difficulty, tuple[int, ...]] = {"easy": (2,), "paper": (2, 3), "hard": (4,)}
_EXTREME_MOVES: dict[Difficulty, tuple[int, ...]] = {"easy": (1, 2), "paper": (1, 2, 3, 4), "hard": (3, 4)}
_SEQUENCE_MOVES: dict[Difficulty, tuple[int, ...]] = {"easy": (1, 2), "paper": (2, 3, 4), "hard": (5, 6, 7, 8)}
_ROUNDS = 20  # of new tiles in all places: nearly always one is enough
_SWAPS = 2_000  # of two tiles towards an answer: a few dozen are usual


def generate(rng: Random, difficulty: Difficulty) -> Instance[Board, Query]:
    """Three kinds of question, as often as in the published data.

    On 3 x 3 and 4 x 4 boards the open position is at a corner, at a side or inside, so that a number of moves leads to
    one of three numbers of boards: too few for four options. Positions are counted on larger boards only, after more
    than one move.
    """
    kind = rng.choices((_count_positions, _extreme_sum, _after_sequence), (30, 35, 35))[0]
    return kind(rng, difficulty)


def _count_positions(rng: Random, difficulty: Difficulty) -> Instance[Board, Query]:
    n, moves = rng.choice(_COUNTED_SIDES[difficulty]), rng.choice(_COUNTED_MOVES[difficulty])
    counts = _counts(n, moves)
    answer, negatives = drawn_options(rng, [str(count) for count in sorted(set(counts))])
    tiles = rng.sample(range(1, n * n), n * n - 1)
    tiles.insert(rng.choice([place for place, count in enumerate(counts) if str(count) == answer]), 0)
    query = CountPositions(moves=moves)
    return Instance(state=board_of(tiles), query=query, answer=answer, negatives=negatives)


@lru_cache
def _counts(n: int, moves: int) -> tuple[int, ...]:
    """The number of boards after so many moves, for each place of the open position."""
    boards = (tuple((tile - place) % (n * n) for tile in range(n * n)) for place in range(n * n))
    return tuple(len(boards_after(tiles, n, moves)) for tiles in boards)


def _extreme_sum(rng: Random, difficulty: Difficulty) -> Instance[Board, Query]:
    n, moves = rng.choice(_SIDES[difficulty]), rng.choice(_EXTREME_MOVES[difficulty])
    query = ExtremeSum(moves=moves, stat=rng.choice(("min", "max")), line=rng.choice(LINES))
    return _with_drawn_answer(rng, n, rng.randrange(n * n), query)


def _after_sequence(rng: Random, difficulty: Difficulty) -> Instance[Board, Query]:
    n = rng.choice(_SIDES[difficulty])
    open_at = place = rng.randrange(n * n)
    sequence: list[Move] = []
    for _ in range(rng.choice(_SEQUENCE_MOVES[difficulty])):
        move, place = rng.choice(list(moves_from(place, n)))
        sequence.append(move)
    query = AfterSequence(
        sequence=tuple(sequence), stat=rng.choice(("min", "max", "sum")), line=rng.choice(("row", "column"))
    )
    return _with_drawn_answer(rng, n, open_at, query)


def _with_drawn_answer(rng: Random, n: int, open_at: int, query: ExtremeSum | AfterSequence) -> Instance[Board, Query]:
    """Tiles in any order, then two swapped at a time as long as that does not lead away from the answer."""
    answer, negatives = drawn_options(rng, [str(number) for number in _answers(n, query)])
    lines = _lines_of_places(n, open_at, query)

    def measure(tiles: Sequence[int]) -> int:
        return measured([[tiles[place] for place in line] for line in lines], query)

    for _ in range(_ROUNDS):
        tiles = rng.sample(range(1, n * n), n * n - 1)
        tiles.insert(open_at, 0)
        if _swap_towards(rng, tiles, int(answer), measure):
            return Instance(state=board_of(tiles), query=query, answer=answer, negatives=negatives)
    raise RuntimeError(f"no {n} x {n} board with the answer {answer} to {query} in {_ROUNDS} rounds")


def _answers(n: int, query: ExtremeSum | AfterSequence) -> range:
    """Eight numbers (six on 3 x 3) in the middle of what such boards have, or at the end if one tile is asked."""
    most, width = n * n - 1, 6 if n == 3 else 8
    if query.stat == "sum" or isinstance(query, ExtremeSum):
        mean = (n - 1) * (most + 1) // 2  # of all tiles of a line but one
        first = mean if query.stat == "max" else mean - width // 2
        return range(first, first + width)
    return range(1, width + 1) if query.stat == "min" else range(most - width + 1, most + 1)


def _lines_of_places(n: int, open_at: int, query: ExtremeSum | AfterSequence) -> list[Tiles]:
    """Where the tiles start that can end in the line: boards whose tiles are their places (the open one is -1)."""
    tiles = tuple(-1 if place == open_at else place for place in range(n * n))
    return sorted({tuple(sorted(set(line) - {-1})) for line in final_lines(tiles, n, query, -1)})


def _swap_towards(rng: Random, tiles: list[int], answer: int, measure: Callable[[Sequence[int]], int]) -> bool:
    places = [place for place, tile in enumerate(tiles) if tile]
    off = abs(measure(tiles) - answer)
    for _ in range(_SWAPS):
        if off == 0:
            return True
        one, other = rng.sample(places, 2)
        tiles[one], tiles[other] = tiles[other], tiles[one]
        off_now = abs(measure(tiles) - answer)
        if off_now > off:
            tiles[one], tiles[other] = tiles[other], tiles[one]
        else:
            off = off_now
    return False


_WALL: Colour = (200, 30, 30)
_TILE: Colour = (250, 236, 200)
_OPEN: Colour = (110, 110, 110)


def draw(state: Board) -> Image.Image:
    """Pale tiles with large numbers inside a red wall; the open position is grey and empty."""
    wall, gap, n = 14, 4, len(state.grid)
    side = (SIZE - 2 * wall) / n
    canvas = Canvas(paper=_WALL)
    canvas.rectangle(wall, wall, SIZE - wall, SIZE - wall, fill=_OPEN)
    for row, tiles in enumerate(state.grid):
        for column, tile in enumerate(tiles):
            left, top = wall + column * side, wall + row * side
            if tile:
                box = (left + gap, top + gap, left + side - gap, top + side - gap)
                canvas.rectangle(*box, fill=_TILE, radius=side * 0.08)
                canvas.text(left + side / 2, top + side / 2, str(tile), size=side * 0.5)
    return canvas.image()


_LINE_WORDS: dict[str, str] = {
    "top_row": "top row",
    "bottom_row": "bottom row",
    "left_column": "leftmost column",
    "right_column": "rightmost column",
}


def question(state: Board, query: Query) -> str:
    """The rules, the size of the board and what is asked after the moves; the tiles are in the picture.

    Source: paper, appendix A.11. An answer is a number: of boards, on a tile, or a sum.
    """
    n = len(state.grid)
    return (
        f"A sliding puzzle has {n} rows and {n} columns. {n * n - 1} numbered tiles lie in it; one position is open "
        "(grey in the picture). In one move a tile beside, above or below the open position slides into it, so that "
        "the open position moves one step up, down, left or right; no tile leaves the red wall. From the position "
        f"shown, {_asked(query)}"
    )


def _asked(query: Query) -> str:
    if isinstance(query, CountPositions):
        return (
            f"exactly {query.moves} moves are made; a move may undo the one before. How many different positions of "
            "the board can there be at the end?"
        )
    if isinstance(query, ExtremeSum):
        moves = f"exactly {query.moves} move{'s are' if query.moves > 1 else ' is'} made, as you like"
        undo = "; a move may undo the one before" if query.moves > 1 else ""
        extreme = {"min": "smallest", "max": "largest"}[query.stat]
        return (
            f"{moves}{undo}. What is the {extreme} sum that the numbers in the {_LINE_WORDS[query.line]} can have at "
            "the end? The open position counts as 0."
        )
    wanted = {"min": "smallest number", "max": "largest number", "sum": "sum of the numbers"}[query.stat]
    moves = "one move is" if len(query.sequence) == 1 else f"{len(query.sequence)} moves are"
    return (
        f"{moves} made in which the open position goes {', '.join(query.sequence)}. What is the {wanted} on the tiles "
        f"in the {query.line} where the open position then is?"
    )


_ROW_TEXT = re.compile(r"Row \d+: ([\dopen, ]+)\.")


def describe(state: Board) -> str:
    """One sentence for the board's size and one for each row from the top: the tiles' numbers, or `open`."""
    n = len(state.grid)
    rows = (", ".join(str(tile) if tile else "open" for tile in row) for row in state.grid)
    lines = " ".join(f"Row {number}: {row}." for number, row in enumerate(rows, 1))
    return f"The board has {n} rows and {n} columns. These are its tiles, from top to bottom and left to right. {lines}"


def parse_description(text: str) -> Board:
    """The board that `describe` wrote. Raises `ValueError` if the text has no row."""
    rows = _ROW_TEXT.findall(text)
    if not rows:
        raise ValueError(f"not a description of a sliding puzzle: {text!r}")
    return Board(grid=tuple(tuple(0 if tile == "open" else int(tile) for tile in row.split(", ")) for row in rows))


def is_possible(state: Board, query: Query, option: str) -> bool:
    """Whether tiles in another order, and the open position elsewhere if it is free, can have that answer."""
    n, number = len(state.grid), int(option)
    if isinstance(query, CountPositions):
        return number in _counts(n, query.moves)
    most = n * n - 1
    if query.stat == "sum" or isinstance(query, ExtremeSum):
        longest = n if isinstance(query, ExtremeSum) else n - 1
        return sum(range(1, n)) <= number <= sum(range(most - longest + 1, most + 1))
    return 1 <= number <= most - n + 2 if query.stat == "min" else n - 1 <= number <= most


_LISTED_MOVES = 4  # the paper's most: of more there would be thousands of boards in a row


def solution(state: Board, query: Query) -> dict[str, Any]:
    """Every path of moves with its board; of a longer sequence than the paper has, this path alone."""
    tiles, n = flat(state), len(state.grid)
    moves = len(query.sequence) if isinstance(query, AfterSequence) else query.moves
    if isinstance(query, AfterSequence) and moves > _LISTED_MOVES:
        paths = {query.sequence: played(tiles, n, query.sequence)}
    else:
        paths = paths_of(tiles, n, moves)
    grids = {path: [list(row) for row in board_of(board).grid] for path, board in paths.items()}
    return {
        "starting_grid": [list(row) for row in state.grid],
        "total_moves": moves,
        "path_track": {", ".join(path): grid for path, grid in grids.items()},
        "possible_states": list(grids.values()),
        "unique_positions": len(boards_after(tiles, n, moves)),
    }


_PUBLISHED_MOVES = re.compile(r"perform exactly (\d+) moves?")
_PUBLISHED_EXTREME = re.compile(r"the (minimum|maximum) sum .* across the (top|bottom|left|right) most (row|column)")
_PUBLISHED_SEQUENCE = re.compile(
    r"following sequence: ([a-z, ]+)\. What is the (minimum number|maximum number|sum of numbers) (?:in|of) the "
    r"(row|column)"
)
_PUBLISHED_STATS: dict[str, Stat] = {"minimum": "min", "maximum": "max", "sum": "sum"}


def from_published(row: Mapping[str, Any]) -> tuple[Board, Query]:
    """The query is in the question's words only."""
    grid = row["solution"]["starting_grid"]
    return board_of([tile for tiles in grid for tile in tiles]), _published_query(row["question"])


def _published_query(question: str) -> Query:
    moves = _PUBLISHED_MOVES.search(question)
    if moves is None:
        raise ValueError(f"a question without a number of moves: {question!r}")
    if sequence := _PUBLISHED_SEQUENCE.search(question):
        steps, stat, line = sequence.groups()
        return query_from_json(
            {
                "kind": "after_sequence",
                "sequence": steps.split(", "),
                "stat": _PUBLISHED_STATS[stat.split()[0]],
                "line": line,
            }
        )
    if extreme := _PUBLISHED_EXTREME.search(question):
        stat, side, line = extreme.groups()
        return query_from_json(
            {
                "kind": "extreme_sum",
                "moves": int(moves[1]),
                "stat": _PUBLISHED_STATS[stat],
                "line": f"{side}_{line}",
            }
        )
    if "How many unique final board positions" in question:
        return CountPositions(moves=int(moves[1]))
    raise ValueError(f"a question of no known kind: {question!r}")


def query_to_json(query: Query) -> dict[str, Any]:
    """The neutral form: `kind` says which of the three questions it is, the other fields are those of its class."""
    if isinstance(query, CountPositions):
        return {"kind": "count_positions", "moves": query.moves}
    if isinstance(query, ExtremeSum):
        return {"kind": "extreme_sum", "moves": query.moves, "stat": query.stat, "line": query.line}
    return {"kind": "after_sequence", "sequence": list(query.sequence), "stat": query.stat, "line": query.line}


def query_from_json(value: Mapping[str, Any]) -> Query:
    """The question of a neutral form. Raises `ValueError` if its `kind` is unknown."""
    if value["kind"] == "count_positions":
        return CountPositions(moves=value["moves"])
    if value["kind"] == "extreme_sum":
        return ExtremeSum(moves=value["moves"], stat=value["stat"], line=value["line"])
    if value["kind"] == "after_sequence":
        return AfterSequence(sequence=tuple(value["sequence"]), stat=value["stat"], line=value["line"])
    raise ValueError(f"no kind of query is called {value['kind']!r}")


NUMBER_SLIDE: Puzzle[Board, Query] = Puzzle(
    name="number_slide",
    paper_name="Number Slide",
    published_name="number_slide",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"grid": [list(row) for row in state.grid]},
    state_from_json=lambda value: Board(grid=tuple(tuple(row) for row in value["grid"])),
    query_to_json=query_to_json,
    query_from_json=query_from_json,
    solution=solution,
    from_published=from_published,
)
