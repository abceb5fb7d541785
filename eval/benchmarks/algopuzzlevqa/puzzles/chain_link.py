"""Chain Link: the least time in which pieces of chain, cut open and welded, become one closed necklace."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """Single open links, and segments of so many closed links each."""

    num_open: int
    closed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Minutes for one cut and for one weld."""

    cut: int
    weld: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    """How many open links, how many segments in all, and at most how many of the lengths 1, 2, ..."""

    num_open: range
    num_segments: range
    most_of_length: tuple[int, ...]


_BOUNDS: dict[Difficulty, _Bounds] = {
    "easy": _Bounds(num_open=range(2), num_segments=range(4, 8), most_of_length=(3, 3, 3, 2)),
    "paper": _Bounds(num_open=range(5), num_segments=range(8, 17), most_of_length=(4, 4, 4, 3, 2)),
    "hard": _Bounds(num_open=range(5), num_segments=range(17, 25), most_of_length=(6, 6, 6, 5, 4, 3)),
}
_MINUTES = range(2, 6)


def generate(rng: Random, difficulty: Difficulty) -> Instance[Chains, Times]:
    """The open links and the times first, of which the question tells, then the number of cuts, then the segments."""
    bounds = _BOUNDS[difficulty]
    num_open = rng.choice(bounds.num_open)
    query = Times(cut=rng.choice(_MINUTES), weld=rng.choice(_MINUTES))
    minutes = {str(_minutes(num_open, cuts, query)): cuts for cuts in _possible_cuts(bounds, num_open)}
    answer, negatives = drawn_options(rng, list(minutes))
    state = _with_cuts(rng, bounds, num_open, minutes[answer])
    return Instance(state=state, query=query, answer=answer, negatives=negatives)


def _possible_cuts(bounds: _Bounds, num_open: int) -> range:
    """Every number between those for the fewest, shortest and for the most, longest segments (see `_with_cuts`)."""
    lengths = [length for length, most in enumerate(bounds.most_of_length, start=1) for _ in range(most)]
    shortest = lengths[: bounds.num_segments[0] - num_open]
    longest = lengths[num_open - bounds.num_segments[-1] :]
    return range(num_cuts(num_open, shortest), num_cuts(num_open, longest) + 1)


def _with_cuts(rng: Random, bounds: _Bounds, num_open: int, cuts: int) -> Chains:
    """Random segments, made more or longer, fewer or shorter, one at a time until they need so many cuts.

    One more segment, or a longer one, needs as many cuts or one more: the number wanted is never stepped over.
    """
    lengths = [length for length, most in enumerate(bounds.most_of_length, start=1) for _ in range(most)]
    closed = rng.sample(lengths, rng.choice(bounds.num_segments) - num_open)
    while (needed := num_cuts(num_open, closed)) != cuts:
        step = 1 if needed < cuts else -1
        closed = rng.choice(_neighbours(bounds, num_open, closed, step))
    rng.shuffle(closed)
    return Chains(num_open=num_open, closed=tuple(closed))


def _neighbours(bounds: _Bounds, num_open: int, closed: list[int], step: int) -> list[list[int]]:
    """The segments with one of them one link longer (`step` 1) or shorter (-1), one more or one fewer."""
    room = {length: most - closed.count(length) for length, most in enumerate(bounds.most_of_length, start=1)}
    others = [closed[:i] + closed[i + 1 :] for i in range(len(closed))]
    found = [[*rest, length + step] for rest, length in zip(others, closed, strict=True) if room.get(length + step)]
    if num_open + len(closed) + step in bounds.num_segments:
        found += others if step < 0 else [[*closed, length] for length, free in room.items() if free]
    return found


def solve(state: Chains, query: Times) -> str:
    """The minutes, by cutting the shortest segments first (paper, appendix A.4)."""
    return str(_minutes(state.num_open, num_cuts(state.num_open, state.closed), query))


def num_cuts(num_open: int, closed: Sequence[int]) -> int:
    """The fewest cuts after which there is an open link for each closed segment, to join it to the next one."""
    lengths = sorted(closed, reverse=True)
    cuts = 0
    while num_open + cuts < len(lengths):
        cuts += 1
        lengths[-1] -= 1
        if not lengths[-1]:
            lengths.pop()
    return cuts


def _minutes(num_open: int, cuts: int, query: Times) -> int:
    """Every open link is welded once in the end."""
    return cuts * query.cut + (num_open + cuts) * query.weld


_STEEL: Colour = (40, 90, 160)
_OPEN: Colour = (215, 60, 30)
_BOARD: Colour = (244, 246, 250)
_COLUMNS = 3
_GAP_DEGREES = 70  # of an open link, at its top right


def draw(state: Chains) -> Image.Image:
    """One cell per segment; closed links are blue rings through each other, open ones single red rings with a gap."""
    segments = [0] * state.num_open + list(state.closed)
    num_rows = -(-len(segments) // _COLUMNS)
    canvas, width, height = Canvas(), SIZE // _COLUMNS, SIZE // num_rows
    pitch = min(56.0, height / 2.2, (width - 20) / (max(state.closed, default=1) + 0.6))
    for i, length in enumerate(segments):
        left, top = i % _COLUMNS * width, i // _COLUMNS * height
        canvas.rectangle(left + 4, top + 4, left + width - 4, top + height - 4, fill=_BOARD, radius=8)
        if length:
            _draw_segment(canvas, left + width / 2, top + height / 2, length, pitch)
        else:
            _draw_open_link(canvas, left + width / 2, top + height / 2, pitch * 0.68)
    return canvas.image()


def _draw_segment(canvas: Canvas, x: float, y: float, length: int, pitch: float) -> None:
    """Links side by side, each overlapping the next so that they are seen to be linked and can be counted."""
    radius = pitch * 0.62
    first = x - pitch * (length - 1) / 2
    for i in range(length):
        link = first + i * pitch
        canvas.ellipse(link - radius, y - radius * 1.2, link + radius, y + radius * 1.2, outline=_STEEL, width=6)


def _draw_open_link(canvas: Canvas, x: float, y: float, radius: float) -> None:
    angles = [math.radians(degrees) for degrees in range(0, 361 - _GAP_DEGREES, 10)]
    canvas.line([(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles], fill=_OPEN, width=7)


def question(state: Chains, query: Times) -> str:
    """The rules and the times; how many links there are is in the picture."""
    return (
        "The picture shows all the pieces of chain that you have: each box holds one segment, whose blue rings are its "
        "closed links, or one single red ring with a gap, which is an open link that hangs on nothing. Cutting opens "
        "one closed link, anywhere in its segment, so that it comes off its neighbours, and takes "
        f"{query.cut} minutes. Welding closes one open link, which may first be hung into one or two other links, and "
        f"takes {query.weld} minutes. Nothing is done at the same time as something else. All links must end in one "
        "closed necklace, a ring in which every link hangs in exactly two others and none is open. How many minutes "
        "does it take at least?"
    )


def describe(state: Chains) -> str:
    """One sentence for the number of single open links and one for the length of each closed segment, in links."""
    lengths = ", ".join(str(length) for length in state.closed) or "none"
    return f"Number of single open links: {state.num_open}. Closed links in each of the other segments: {lengths}."


_DESCRIPTION = re.compile(
    r"Number of single open links: (\d+)\. Closed links in each of the other segments: (none|\d+(?:, \d+)*)\."
)


def parse_description(text: str) -> Chains:
    """The chains described; ValueError if the text is no description of any."""
    match = _DESCRIPTION.fullmatch(text)
    if not match:
        raise ValueError(f"no description of chains: {text!r}")
    return Chains(num_open=int(match[1]), closed=tuple(int(length) for length in re.findall(r"\d+", match[2])))


def is_possible(state: Chains, query: Times, option: str) -> bool:
    """Minutes that some chains with as many open links, and as many segments as the difficulty has, need."""
    num_segments = state.num_open + len(state.closed)
    for bounds in _BOUNDS.values():
        if num_segments in bounds.num_segments:
            possible_cuts = _possible_cuts(bounds, state.num_open)
            return option in {str(_minutes(state.num_open, cuts, query)) for cuts in possible_cuts}
    raise ValueError(f"no question is about {num_segments} segments")


def state_to_json(state: Chains) -> dict[str, Any]:
    """The neutral form: the number of single open links, and the length of each closed segment in links."""
    return {"open_pieces": state.num_open, "closed_segments": list(state.closed)}


def state_from_json(data: Mapping[str, Any]) -> Chains:
    """The chains of a neutral form."""
    return Chains(num_open=data["open_pieces"], closed=tuple(data["closed_segments"]))


def query_to_json(query: Times) -> dict[str, Any]:
    """The neutral form: the minutes that one cut and one weld take."""
    return {"cut_minutes": query.cut, "weld_minutes": query.weld}


def query_from_json(data: Mapping[str, Any]) -> Times:
    """The times of a neutral form."""
    return Times(cut=data["cut_minutes"], weld=data["weld_minutes"])


def solution(state: Chains, query: Times) -> dict[str, Any]:
    """The published fields; `steps` counts the open links and the segments of each length, cut by cut."""
    lengths = sorted(state.closed, reverse=True)
    cuts = num_cuts(state.num_open, state.closed)
    longest = max(5, *state.closed) if state.closed else 5
    steps = []
    for cut in range(cuts + 1):
        steps.append([state.num_open + cut, *(lengths.count(length) for length in range(1, longest + 1))])
        if lengths:
            lengths[-1] -= 1
            lengths = lengths if lengths[-1] else lengths[:-1]
    return {
        "steps": steps,
        "cuts": cuts,
        "joins": state.num_open + cuts,
        "each_cut_time": query.cut,
        "each_join_time": query.weld,
        "total_time": _minutes(state.num_open, cuts, query),
    }


def from_published(row: Mapping[str, Any]) -> tuple[Chains, Times]:
    """A published row's chains, before the first cut, shortest first, and times."""
    fields = row["solution"]
    num_open, *counts = fields["steps"][0]
    closed = tuple(length for length, count in enumerate(counts, start=1) for _ in range(count))
    return Chains(num_open=num_open, closed=closed), Times(cut=fields["each_cut_time"], weld=fields["each_join_time"])


CHAIN_LINK: Puzzle[Chains, Times] = Puzzle(
    name="chain_link",
    paper_name="Chain Link",
    published_name="chain_link",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=state_to_json,
    state_from_json=state_from_json,
    query_to_json=query_to_json,
    query_from_json=query_from_json,
    solution=solution,
    from_published=from_published,
)
