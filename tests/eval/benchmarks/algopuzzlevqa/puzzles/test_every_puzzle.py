"""What every puzzle promises, on 200 seeds of each difficulty; each puzzle's own file tests its answers.

There a second solver, written another way, goes over the same 200 seeds.
"""

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.calendar_day import WEEKDAYS
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

NUM_SEEDS = 200
NUM_GUESSED = 600  # more, as luck must be told from a leak
NUM_DRAWN = 5


@dataclass(frozen=True)
class Made:
    """Instances of one puzzle and difficulty, of the seeds 0, 1, ..."""

    puzzle: AnyPuzzle
    difficulty: Difficulty
    instances: list[Instance[Any, Any]]


@pytest.fixture(scope="module", params=product(PUZZLES, DIFFICULTIES), ids="-".join)
def made(request: pytest.FixtureRequest) -> Made:
    name, difficulty = request.param
    puzzle = PUZZLES[name]
    instances = [puzzle.generate(Random(seed), difficulty) for seed in range(NUM_GUESSED)]
    return Made(puzzle=puzzle, difficulty=difficulty, instances=instances)


def options_of(instance: Instance[Any, Any]) -> list[str]:
    return [instance.answer, *instance.negatives]


def test_there_are_18_and_all_but_board_tiling_have_four_options() -> None:
    assert len(PUZZLES) == 18
    assert {name: puzzle.num_options for name, puzzle in PUZZLES.items() if puzzle.num_options != 4} == {
        "board_tiling": 2
    }


def test_one_option_is_right_and_all_are_distinct_and_possible(made: Made) -> None:
    puzzle = made.puzzle
    for instance in made.instances[:NUM_SEEDS]:
        state, query, options = instance.state, instance.query, options_of(instance)
        assert len(options) == len(set(options)) == puzzle.num_options
        assert all(puzzle.is_possible(state, query, option) for option in options)
        assert puzzle.solve(state, query) == instance.answer
        assert [option for option in options if puzzle.accepts(state, query, option)] == [instance.answer]


def test_words_and_json_give_state_and_query_back(made: Made) -> None:
    puzzle = made.puzzle
    for instance in made.instances[:NUM_SEEDS]:
        state, query = instance.state, instance.query
        assert puzzle.parse_description(puzzle.describe(state)) == state
        assert puzzle.state_from_json(json.loads(json.dumps(puzzle.state_to_json(state)))) == state
        assert puzzle.query_from_json(json.loads(json.dumps(puzzle.query_to_json(query)))) == query


# Of these only the question's words say what is asked, of Chain Link nothing says in which order its segments lie.
ASKED_IN_WORDS = ("maze_solve", "number_slide", "think_a_dot", "wheel_of_fortune")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("name", [name for name in PUZZLES if name not in (*ASKED_IN_WORDS, "chain_link")])
def test_the_published_fields_give_state_and_query_back(name: str, difficulty: Difficulty) -> None:
    puzzle = PUZZLES[name]
    for seed in range(40):
        instance = puzzle.generate(Random(seed), difficulty)
        fields = json.loads(json.dumps(puzzle.solution(instance.state, instance.query)))
        assert puzzle.from_published({"question": "", "solution": fields}) == (instance.state, instance.query)


@pytest.mark.parametrize("name", ASKED_IN_WORDS)
def test_a_published_row_whose_question_asks_nothing_is_refused(name: str) -> None:
    puzzle = PUZZLES[name]
    instance = puzzle.generate(Random(0), "paper")
    fields = puzzle.solution(instance.state, instance.query)
    with pytest.raises(ValueError, match="question"):
        puzzle.from_published({"question": "What is to be seen?", "solution": fields})


@pytest.mark.parametrize("name", PUZZLES)
def test_other_words_are_no_description(name: str) -> None:
    with pytest.raises(ValueError, match=r"no description|not a description"):
        PUZZLES[name].parse_description("There is nothing to be seen.")


def test_a_seed_makes_one_instance(made: Made) -> None:
    again = [made.puzzle.generate(Random(seed), made.difficulty) for seed in range(10)]
    assert again == made.instances[:10]


def minutes(time: str) -> int:
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)


SORT_KEYS: dict[str, Callable[[str], int | str]] = {
    "board_tiling": str,
    "calendar": WEEKDAYS.index,
    "clock": minutes,
    "wheel_of_fortune": str,
}  # of the others: numbers by their size


def most_by_chance(num_options: int, num_guesses: int) -> float:
    """4.4 standard deviations above the share that is right by chance."""
    chance = 1 / num_options
    return chance + 4.4 * math.sqrt(chance * (1 - chance) / num_guesses)


def test_no_rank_of_an_option_gives_the_answer_away(made: Made) -> None:
    key = SORT_KEYS.get(made.puzzle.name, int)
    ranks = Counter(sorted(options_of(i), key=key).index(i.answer) for i in made.instances)
    assert max(ranks.values()) / NUM_GUESSED < most_by_chance(made.puzzle.num_options, NUM_GUESSED)


@pytest.mark.parametrize("largest_first", [False, True])
def test_no_common_value_gives_the_answer_away(made: Made, largest_first: bool) -> None:
    """Learnt from one half, tried on the other; of equally common values the smallest or the largest text is taken."""
    half = NUM_GUESSED // 2
    learnt = Counter(instance.answer for instance in made.instances[:half])
    hits = sum(
        max(sorted(options_of(instance), reverse=largest_first), key=learnt.__getitem__) == instance.answer
        for instance in made.instances[half:]
    )
    assert hits / half < most_by_chance(made.puzzle.num_options, half)


NARROW = {"colour_hue": 400}  # small tiles are not blown up


def test_pictures_are_legible_where_a_model_shrinks_them(made: Made) -> None:
    for instance in made.instances[:NUM_DRAWN]:
        picture = made.puzzle.draw(instance.state)
        assert picture.mode == "RGB"
        assert NARROW.get(made.puzzle.name, 672) <= max(picture.size) <= 672
