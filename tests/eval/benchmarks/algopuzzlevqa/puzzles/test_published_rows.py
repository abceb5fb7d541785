"""Every puzzle against the published rows: their answers, options and fields, read without looking at the answer."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.data import Row, file_name
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.calendar_day import CALENDAR
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.clock import CLOCK
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.map_colour import MAP_COLOUR
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.move_box import MOVE_BOX

DATA = Path(__file__).parents[6] / "shared" / "algopuzzlevqa" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no published rows in {DATA}")


def published(name: str) -> Iterator[tuple[Row, Any, Any]]:
    """The rows, each with its state and query."""
    puzzle = PUZZLES[name]
    for line in (DATA / file_name(puzzle)).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row, *puzzle.from_published({"question": row["question"], "solution": row["solution"]})


@pytest.mark.parametrize("name", PUZZLES)
def test_the_published_answer_and_no_other_option_is_right(name: str) -> None:
    puzzle, num_rows = PUZZLES[name], 0
    for row, state, query in published(name):
        assert [o for o in row["options"] if puzzle.accepts(state, query, o)] == [row["answer"]], row["question"]
        assert puzzle.is_possible(state, query, puzzle.solve(state, query)), row["question"]
        num_rows += 1
    assert num_rows >= 50


def test_clock_answers_are_written_as_we_do_but_for_midnight() -> None:
    for row, state, query in published("clock"):
        assert row["answer"] == CLOCK.solve(state, query) or row["answer"].startswith("0:")


# On most others some options are none that the question can have.
ALL_POSSIBLE = [
    "board_tiling",
    "calendar",
    "move_box",
    "rotten_fruits",
    "rubiks_cube",
    "wheel_of_fortune",
    "wood_slide",
]


@pytest.mark.parametrize("name", ALL_POSSIBLE)
def test_published_options_are_possible(name: str) -> None:
    for row, state, query in published(name):
        assert all(PUZZLES[name].is_possible(state, query, option) for option in row["options"]), row["question"]


@pytest.mark.parametrize("name", PUZZLES)
def test_words_and_json_give_published_states_and_queries_back(name: str) -> None:
    puzzle = PUZZLES[name]
    for _, state, query in published(name):
        assert puzzle.parse_description(puzzle.describe(state)) == state
        assert puzzle.state_from_json(json.loads(json.dumps(puzzle.state_to_json(state)))) == state
        assert puzzle.query_from_json(json.loads(json.dumps(puzzle.query_to_json(query)))) == query


def alike(ours: Row, theirs: Row) -> bool:
    return ours == theirs


def same(*fields: str) -> Callable[[Row, Row], bool]:
    """What says the same, where the rest is a choice: of a year, or of a tiling."""
    return lambda ours, theirs: [ours[field] for field in fields] == [theirs[field] for field in fields]


def as_long(field: str) -> Callable[[Row, Row], bool]:
    """All but one field alike, and that one as long: there may be more than one shortest way."""

    def agree(ours: Row, theirs: Row) -> bool:
        return len(ours[field]) == len(theirs[field]) and {**ours, field: []} == {**theirs, field: []}

    return agree


def in_any_order(field: str) -> Callable[[Row, Row], bool]:
    def agree(ours: Row, theirs: Row) -> bool:
        def ordered(fields: Row) -> Row:
            return {**fields, field: sorted(json.dumps(item, sort_keys=True) for item in fields[field])}

        return ordered(ours) == ordered(theirs)

    return agree


def same_pieces(ours: Row, theirs: Row) -> bool:
    """Before the first cut: which link is cut then is a choice."""
    return ours["steps"][0] == theirs["steps"][0] and {**ours, "steps": []} == {**theirs, "steps": []}


def same_pushed_boxes(ours: Row, theirs: Row) -> bool:
    """As many steps; where there are several best ways theirs may be another."""
    return same("ids", "target")(ours, theirs) and ours["timestep"].keys() == theirs["timestep"].keys()


def same_wheel(ours: Row, theirs: Row) -> bool:
    """Boundaries within one turn, the segments of the turned wheel in any order."""

    def segments(fields: Row) -> Counter[tuple[float, str]]:
        starts = (start % 360 for start in fields["rotated_boundaries"])
        return Counter(zip(starts, fields["rotated_prizes"], strict=True))

    starts = [start % 360 for start in theirs["original_boundaries"]]
    return ours["original_boundaries"] == starts and segments(ours) == segments(theirs)


FIELDS_AGREE: dict[str, Callable[[Row, Row], bool]] = {
    "board_tiling": same("squares_of_color1"),
    "calendar": same("image_month", "query_month", "query_day"),
    "chain_link": same_pieces,
    "checker_move": as_long("moves"),
    "map_colour": in_any_order("possible_colours_of_unknown"),
    "move_box": same_pushed_boxes,
    "number_slide": in_any_order("possible_states"),
    "tower_of_hanoi": as_long("moves"),
    "water_jugs": as_long("steps"),
    "wheel_of_fortune": same_wheel,
    "wood_slide": as_long("moves"),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_the_fields_of_solution_agree(name: str) -> None:
    for row, state, query in published(name):
        ours, theirs = PUZZLES[name].solution(state, query), row["solution"]
        assert list(ours) == list(theirs)
        assert FIELDS_AGREE.get(name, alike)(ours, theirs), row["question"]


def test_the_box_goes_the_published_way_where_there_is_one_only() -> None:
    num_same = sum(MOVE_BOX.solution(state, query) == row["solution"] for row, state, query in published("move_box"))
    assert num_same > 25


def test_the_questions_on_calendars_say_as_the_published_ones_whether_it_is_a_leap_year() -> None:
    for row, state, query in published("calendar"):
        kind = "leap" if state.year_is_leap else "non-leap"
        assert f"of a {kind} year" in CALENDAR.question(state, query)
        assert f"particular {kind} year" in row["question"]


def test_published_maps_can_be_drawn() -> None:
    for _, state, _ in published("map_colour"):
        assert MAP_COLOUR.draw(state).size == (672, 672)
