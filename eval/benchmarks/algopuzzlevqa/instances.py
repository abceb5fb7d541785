"""The rows of a data set that we make: a hundred at a time, from a seed, each checked before it is kept.

So they are the same on however many cores they are made. Rows come in contrast sets of as many as a question has
options: the same options, and each the answer of one. Sets, and where the right option stands, are dealt out over the
hundred in a random order of their own for each puzzle. Each letter, each rank and each value is thus right as often as
any other: what the options alone give is exactly chance.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle, image_path, problem_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import puzzle_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import ContrastRandom, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.row import Row

BLOCK = 100  # rows: as many as the published files have
_TRIES = 50  # to make a row that is not in its block yet: easy puzzles may have no other


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows `start` to `start + size` of a puzzle's file: what a process makes at a time."""

    puzzle: str
    difficulty: Difficulty
    seed: int
    start: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deal:
    """What a row gets of its block: its contrast set, which option of the set is its answer, and where that stands."""

    contrast_set: int
    place: int
    position: int


def blocks(puzzle: AnyPuzzle, difficulty: Difficulty, seed: int, num_instances: int) -> list[Block]:
    """All of a file; the last one is shorter where the rows are no whole hundreds."""
    return [
        Block(
            puzzle=puzzle.name,
            difficulty=difficulty,
            seed=seed,
            start=start,
            size=min(BLOCK, num_instances - start),
        )
        for start in range(0, num_instances, BLOCK)
    ]


def rows_of(block: Block) -> Iterator[tuple[Row, Image.Image]]:
    """The rows, no two alike if that can be, and their pictures. A row that is wrong is a bug: `RuntimeError`."""
    puzzle = puzzle_of(block.puzzle)
    seen: set[str] = set()
    for i, deal in enumerate(_deals(block, puzzle.num_options)):
        for attempt in range(_TRIES):
            row, instance = _row(block, puzzle, i, deal, attempt)
            text = json.dumps((row["question"], row["state"]))
            if text not in seen:
                break
        seen.add(text)
        _check(puzzle, instance, json.loads(json.dumps(row)))
        yield row, puzzle.draw(instance.state)


def _deals(block: Block, num_options: int) -> Iterator[_Deal]:
    rng = Random(_seed(block, "deal", block.size))
    members = [divmod(member, num_options) for member in range(block.size)]
    positions = [member % num_options for member in range(block.size)]
    rng.shuffle(members)
    rng.shuffle(positions)
    for (contrast_set, place), position in zip(members, positions, strict=True):
        yield _Deal(contrast_set=contrast_set, place=place, position=position)


def _row(block: Block, puzzle: AnyPuzzle, i: int, deal: _Deal, attempt: int) -> tuple[Row, Instance[object, object]]:
    rng = ContrastRandom(
        common_seed=_seed(block, "contrast set", deal.contrast_set),
        own_seed=_seed(block, "row", i, attempt),
        place=deal.place,
    )
    instance = puzzle.generate(rng, block.difficulty)
    state, query = instance.state, instance.query
    options = rng.sample(instance.negatives, len(instance.negatives))
    options.insert(deal.position, instance.answer)
    row = {
        "image": image_path(puzzle, block.start + i),
        "question": puzzle.question(state, query),
        "options": options,
        "answer": instance.answer,
        "solution": puzzle.solution(state, query),
        "state": puzzle.state_to_json(state),
        "query": puzzle.query_to_json(query),
    }
    return row, instance


def _seed(block: Block, *parts: object) -> int:
    """A number for `Random` that nothing else has: puzzles, difficulties and rows tell nothing of each other."""
    text = json.dumps((block.seed, block.puzzle, block.difficulty, block.start, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _check(puzzle: AnyPuzzle, instance: Instance[object, object], row: Row) -> None:
    """Look at a row as its reader will: read back, solved again, its options and its description judged."""
    state, query = problem_of(puzzle, row)
    options = row["options"]
    faults = {
        "is not read back as it was": (state, query) != (instance.state, instance.query),
        "has another answer": puzzle.solve(state, query) != row["answer"],
        "has another number of options": len(set(options)) != puzzle.num_options,
        "has an option that cannot be": not all(puzzle.is_possible(state, query, option) for option in options),
        "has not one right option": [o for o in options if puzzle.accepts(state, query, o)] != [row["answer"]],
        "is not what it is described as": puzzle.parse_description(puzzle.describe(state)) != state,
    }
    for fault, is_there in faults.items():
        if is_there:
            raise RuntimeError(f"{row['image']} {fault}: {json.dumps(row)}")
