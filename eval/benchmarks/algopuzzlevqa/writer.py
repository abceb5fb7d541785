"""Write a puzzle data set in the published layout, on several cores; whole or not at all."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from foveal.eval.baselines import BlindBaselines, Choice, blind_baselines
from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle, file_name, image_path
from foveal.eval.benchmarks.algopuzzlevqa.instances import Block, blocks, rows_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty
from foveal.eval.benchmarks.algopuzzlevqa.row import Row
from foveal.eval.files import new_folder
from foveal.eval.processes import Lost, Processes

Progress = Callable[[int, int], None]  # rows done, rows in all

JPEG_QUALITY = 95  # and colour at full resolution: published names end in .jpg, and lines and flat colours stay clean


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is wanted: so many instances of each puzzle."""

    puzzles: tuple[AnyPuzzle, ...]
    num_instances: int
    seed: int
    difficulty: Difficulty

    @property
    def num_rows(self) -> int:
        """The rows of all puzzles together."""
        return len(self.puzzles) * self.num_instances

    def command(self) -> str:
        """What makes the same again."""
        names = "".join(f" --puzzle {puzzle.name}" for puzzle in self.puzzles)
        return (
            f"foveal puzzles generate --instances {self.num_instances} --seed {self.seed} "
            f"--difficulty {self.difficulty}{names}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A data set that was made; `blind` has what can be got from the options of each puzzle alone."""

    plan: Plan
    seconds: float
    num_workers: int
    blind: dict[str, BlindBaselines]

    def lines(self) -> Iterator[str]:
        """Two lines for the terminal: rows and speed, and how far the best blind baseline is above chance."""
        num_rows, cores = self.plan.num_rows, f"{self.num_workers} core{'s' * (self.num_workers > 1)}"
        yield (
            f"{num_rows} instances of {_puzzles(len(self.plan.puzzles))}, each solved again from its row: "
            f"{self.seconds:.1f} s, {num_rows / self.seconds:.0f} a second on {cores}"
        )
        above = {p.paper_name: 100 * (self.blind[p.name].best - self.blind[p.name].random) for p in self.plan.puzzles}
        worst = max(above, key=lambda name: above[name])
        yield f"blind baselines (letter, rank, common value): at most {above[worst]:.1f} points over chance ({worst})"


def _puzzles(number: int) -> str:
    return f"{number} puzzle{'s' * (number > 1)}"


def write_data_set(
    out: Path, plan: Plan, *, num_workers: int | None = None, on_progress: Progress = lambda done, total: None
) -> Written:
    """Make the folder `out`: the same bytes from the same plan, whatever `num_workers` (default: one per core).

    Raises `ValueError` where `out` holds something already. A run that is killed leaves no `out`.
    """
    started = time.monotonic()
    work = [block for p in plan.puzzles for block in blocks(p, plan.difficulty, plan.seed, plan.num_instances)]
    num_workers = min(num_workers or len(os.sched_getaffinity(0)), len(work))
    blind = {}
    with new_folder(out) as folder:
        for puzzle in plan.puzzles:
            (folder / image_path(puzzle, 0)).parent.mkdir(parents=True)
        with closing(_made(partial(_write_pictures, folder), work, num_workers)) as rows_of_blocks:
            num_done = 0
            for puzzle in plan.puzzles:
                rows: list[Row] = []
                while len(rows) < plan.num_instances:
                    rows += next(rows_of_blocks)
                    on_progress(num_done + len(rows), plan.num_rows)
                num_done += len(rows)
                _write_rows(folder / file_name(puzzle), rows)
                blind[puzzle.name] = blind_baselines(
                    [Choice(options=tuple(row["options"]), answer=row["answer"]) for row in rows]
                )
        (folder / "SOURCE.txt").write_text(f"foveal {version('foveal')}: {plan.command()}\n", encoding="utf-8")
    return Written(plan=plan, seconds=time.monotonic() - started, num_workers=num_workers, blind=blind)


def _write_rows(file: Path, rows: Sequence[Row]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _write_pictures(folder: Path, block: Block) -> list[Row]:
    """Make a block's rows, each picture written as soon as it is drawn."""
    rows = []
    for row, picture in rows_of(block):
        picture.save(folder / row["image"], "JPEG", quality=JPEG_QUALITY, subsampling=0)
        rows.append(row)
    return rows


def _made(make: Callable[[Block], list[Row]], work: Sequence[Block], num_workers: int) -> Generator[list[Row]]:
    """The rows of the blocks, in their order, made here or by processes that end with this one."""
    if num_workers == 1:
        yield from map(make, work)
        return
    with Processes(num_workers, __name__) as processes:
        for outcome in processes.results(make, work):
            if isinstance(outcome.error, Lost):
                raise ValueError(
                    "a process that made instances was killed: run it again, with fewer --num-workers"
                ) from outcome.error
            if outcome.error is not None:
                raise outcome.error
            yield outcome.value
