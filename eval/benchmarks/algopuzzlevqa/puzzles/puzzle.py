"""What a puzzle is: a value with functions, one per file of this folder.

Source: Ghosal et al., "Are Language Models Puzzle Prodigies? Algorithmic Puzzles Unveil Serious Challenges in
Multimodal Reasoning" (AlgoPuzzleVQA), sections 2 and 3 and appendix B.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from PIL import Image

Difficulty: TypeAlias = Literal["easy", "paper", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "paper", "hard")

S = TypeVar("S")
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance(Generic[S, Q]):
    """One question, its right answer and the wrong options beside it (three; one on Board Tiling): distinct texts."""

    state: S
    query: Q
    answer: str
    negatives: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle(Generic[S, Q]):
    """One kind of puzzle.

    `generate` makes an instance with exactly one right answer; so that nothing can be guessed from the options, it
    draws the option values first, all alike, then which of them is right, then a state whose answer that is. `solve`
    is exact and looks nothing up. `draw` is a square picture, which a person reads at once, also at 336 x 336.
    `question` has all rules and the query; `describe` all of the state, in words, and `parse_description` reads it
    back. `is_possible` says whether an option could be the answer to a question like this one. `state_to_json` and
    `query_to_json` are the neutral form (JSON values, rows from the top, columns from the left), with their inverses;
    `solution` has the published fields; `from_published` reads a published row (`question`, `solution`; never its
    `answer`). `usual_form` is the one in which `solve` writes an answer that has others too.
    """

    name: str
    paper_name: str
    published_name: str
    num_options: int = 4
    generate: Callable[[Random, Difficulty], Instance[S, Q]]
    solve: Callable[[S, Q], str]
    draw: Callable[[S], Image.Image]
    question: Callable[[S, Q], str]
    describe: Callable[[S], str]
    parse_description: Callable[[str], S]
    is_possible: Callable[[S, Q, str], bool]
    state_to_json: Callable[[S], dict[str, Any]]
    state_from_json: Callable[[Mapping[str, Any]], S]
    query_to_json: Callable[[Q], dict[str, Any]]
    query_from_json: Callable[[Mapping[str, Any]], Q]
    solution: Callable[[S, Q], dict[str, Any]]
    from_published: Callable[[Mapping[str, Any]], tuple[S, Q]]
    usual_form: Callable[[str], str] = str

    def accepts(self, state: S, query: Q, answer: str) -> bool:
        """Whether an answer is right: the text of `solve`, or another form of the same."""
        return self.usual_form(answer) == self.solve(state, query)


class ContrastRandom(Random):
    """The randomness of one instance of a contrast set: of as many as a question has options.

    Up to their options its instances are drawn alike, from there on each from a seed of its own, and each option is the
    answer of one of them. So neither the options nor what was drawn before them says which is right.
    """

    def __init__(self, *, common_seed: int, own_seed: int, place: int) -> None:
        super().__init__(common_seed)
        self._own_seed, self._place = own_seed, place

    def chosen(self, options: Sequence[str]) -> str:
        """This instance's answer."""
        self.seed(self._own_seed)
        return options[self._place]


def drawn_options(rng: Random, values: Sequence[str], num_options: int = 4) -> tuple[str, tuple[str, ...]]:
    """An answer and wrong options, among the values that such a question has for answers: each as likely as any."""
    options = rng.sample(list(values), num_options)
    answer = rng.chosen(options) if isinstance(rng, ContrastRandom) else rng.choice(options)
    return answer, tuple(option for option in options if option != answer)
