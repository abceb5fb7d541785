"""The forms in which models say which option they choose, and answers made to mislead the reader."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.answers.option import chosen_option
from foveal.eval.answers.plain_text import MAX_ANSWER_CHARS

MINUTES = ("3", "34", "27", "25")
SMALL = ("1", "2", "3", "5")
TIMES = ("1:14", "9:05", "4:23", "12:07")
DAYS = ("Monday", "Sunday", "Saturday", "Thursday")
PRIZES = ("Camera", "Laptop", "Ice Cream", "Car")
YES_NO = ("Yes", "No")
A, B, C, D = "A letter", "B letter", "C letter", "D letter"
FIRST, SECOND, THIRD, FOURTH = "A value", "B value", "C value", "D value"
NOTHING = None

LIST = "(A) 3\n(B) 34\n(C) 27\n(D) 25"
INLINE = "(A) 3 (B) 34 (C) 27 (D) 25"
# Name, options, answer, what it chooses.
OUTPUTS: tuple[tuple[str, tuple[str, ...], str, str | None], ...] = (
    # The letter, named as the answer.
    ("plain", MINUTES, "The answer is (B).", B),
    ("no brackets", MINUTES, "The answer is B.", B),
    ("no full stop", MINUTES, "The answer is B", B),
    ("small letter", MINUTES, "The answer is (b).", B),
    ("small, half a bracket", MINUTES, "The answer is b)", B),
    ("small, alone", MINUTES, "the answer is b.", B),
    ("square brackets", MINUTES, "Answer: [C]", C),
    ("angle brackets", MINUTES, "Answer: <C>", C),
    ("full width", MINUTES, "答え Answer：（Ｂ）", B),
    ("colon", MINUTES, "Answer: B", B),
    ("colon, no blank", MINUTES, "Answer:B", B),
    ("colon, next line", MINUTES, "Answer:\n\n(B)", B),
    ("dash", MINUTES, "Answer - B", B),
    ("no copula", MINUTES, "Answer (B)", B),
    ("heading", MINUTES, "Two cuts are not enough.\n\n## Final Answer\n\nB", B),
    ("heading of four", MINUTES, "#### Final Answer\n**B**", B),
    ("ans", MINUTES, "ANS: B", B),
    ("bold letter", MINUTES, "The answer is **B**.", B),
    ("bold all", MINUTES, "**The answer is: B**", B),
    ("bold with value", MINUTES, "The correct answer is **(B) 34**.", B),
    ("bold label", MINUTES, "**Answer:** (B)", B),
    ("italics", MINUTES, "*Answer*: _B_", B),
    ("code", MINUTES, "The answer is `B`.", B),
    ("quotes", MINUTES, 'The answer is "B".', B),
    ("single quotes", MINUTES, "The answer is 'B'.", B),
    ("curly quotes", MINUTES, "The answer is “B”.", B),
    ("html", MINUTES, "The answer is <b>B</b>.", B),
    ("answer tags", MINUTES, "<answer>B</answer>", B),
    ("answer tags with value", MINUTES, "so\n<answer> (B) 34 </answer>\n", B),
    ("boxed", MINUTES, "Thus $\\boxed{B}$.", B),
    ("boxed text", MINUTES, "\\[\n\\boxed{\\text{(B)}}\n\\]", B),
    ("boxed bold", MINUTES, "The final answer is $\\boxed{\\mathbf{B}}$.", B),
    ("LaTeX", MINUTES, "The answer is \\(B\\).", B),
    ("four hashes", MINUTES, "3 cuts.\n#### B", B),
    ("JSON", MINUTES, '{"reasoning": "A cut takes 5 minutes", "answer": "B"}', B),
    ("JSON in a fence", MINUTES, '```json\n{\n  "explanation": "so",\n  "final_answer": "(B)"\n}\n```', B),
    ("JSON option", MINUTES, '{"option": "B", "value": 34}', B),
    ("Python dict", MINUTES, "{'answer': 'B'}", B),
    ("option", MINUTES, "Option B", B),
    ("option in brackets", MINUTES, "Option (B): 34", B),
    ("correct option", MINUTES, "The correct option is B.", B),
    ("correct option, small", MINUTES, "Hence the correct option is (b) 34.", B),
    ("correct answer choice", MINUTES, "The correct answer choice is B", B),
    ("closest option", MINUTES, "I get 33 minutes. The closest option is (B) 34.", B),
    ("option that", MINUTES, "The correct option that matches our calculation is (B).", B),
    ("to the question", MINUTES, "So the answer to the question is (B).", B),
    ("would be", MINUTES, "The answer would be B, as each cut takes 5 minutes.", B),
    ("with its value", MINUTES, "The answer is B 34", B),
    ("value in brackets", MINUTES, "The answer is B (34 minutes).", B),
    ("comma value", MINUTES, "Answer: B, 34 minutes", B),
    ("dash value", MINUTES, "Answer: B - 34", B),
    ("is correct", MINUTES, "Option B is correct.", B),
    ("letter is correct", MINUTES, "A is too small. B is correct. C is wrong.", B),
    ("is the correct answer", MINUTES, "(B) 34 minutes is the correct answer.", B),
    ("is the right choice", MINUTES, "So B is the right choice, not C.", B),
    ("elimination", MINUTES, "(A) 3 - incorrect\n(B) 34 - correct\n(C) 27 - incorrect\n(D) 25 - incorrect", B),
    ("tick", MINUTES, "A) 3 ✗\nB) 34 ✓\nC) 27 ✗\nD) 25 ✗", B),
    ("choose", MINUTES, "I would choose (B).", B),
    ("go with", MINUTES, "It is hard to see, but I'll go with option B.", B),
    ("guess", MINUTES, "I cannot determine the answer from the image, but my best guess is (B).", B),
    ("corresponds", MINUTES, "She needs 34 minutes, which corresponds to option (B).", B),
    ("which is option", MINUTES, "She needs 34 minutes, which is option B.", B),
    ("so", MINUTES, "3 cuts and 9 welds: 33 minutes, about 34. So (B).", B),
    ("therefore option", MINUTES, "15 + 19 = 34. Therefore, option B", B),
    ("it is", MINUTES, "I'm not sure, but I think it's B.", B),
    ("so with its value", MINUTES, "A) 3 is too small, D) 25 too, so B) 34.", B),
    ("hence is the answer", MINUTES, "The total is 15 + 12 = 27 minutes. Hence C is the answer.", C),
    ("the choice is", MINUTES, "The choice is B.", B),
    ("verdict", MINUTES, "Final verdict: B", B),
    ("boxed letter and value", MINUTES, "**Final Answer:** $\\boxed{\\text{B: } 34}$", B),
    ("model's box marks", MINUTES, "<|begin_of_box|>B<|end_of_box|>", B),
    ("double brackets", MINUTES, "[[B]]", B),
    ("shouted", MINUTES, "ANSWER: OPTION (B)", B),
    ("arrow", MINUTES, "15 + 19 = 34 → B", B),
    ("second option", MINUTES, "The answer is the second option.", B),
    ("published second call", MINUTES, "Therefore, among (A) (B) (C) (D), the answer is: (D)", D),
    ("second call, only the end", MINUTES, " (D) 25.", D),
    # The letter and nothing else, first or last.
    ("letter", MINUTES, "B", B),
    ("letter and blanks", MINUTES, "\n  B  \n", B),
    ("letter and full stop", MINUTES, "B.", B),
    ("letter in brackets", MINUTES, "(B)", B),
    ("small letter alone", MINUTES, "b)", B),
    ("bold alone", MINUTES, "**B**", B),
    ("letter and value", MINUTES, "B) 34", B),
    ("letter, full stop, value", MINUTES, "B. 34 minutes", B),
    ("letter, colon, value", MINUTES, "B: 34", B),
    ("letter, end of text", MINUTES, "B</s>", B),
    ("first line", MINUTES, "B\n\nExplanation: a chain with 3 open pieces is cut.", B),
    ("first line with value", MINUTES, "(B) 34 minutes\n\nAlice has 12 segments. Each cut takes 5 minutes.", B),
    ("letter because", MINUTES, "B because (A) and (C) are wrong, not (D)", B),
    ("letter and prose", MINUTES, "B. Alice opens all pieces of the shortest segments first.", B),
    ("bracketed and prose", MINUTES, "(B) The fewest cuts are made on the shortest segments.", B),
    ("last line", MINUTES, "Each cut takes 5 minutes, each weld 2.\n\n(B)", B),
    ("last line bold", MINUTES, "Each cut takes 5 minutes, each weld 2.\n\n**(B) 34**", B),
    # The value.
    ("value", MINUTES, "34", SECOND),
    ("value and unit", MINUTES, "34 minutes", SECOND),
    ("value, unit, full stop", MINUTES, "34 min.", SECOND),
    ("value glued to its unit", MINUTES, "The answer is 34min.", SECOND),
    ("answer: value", MINUTES, "Answer: 34", SECOND),
    ("answer: value and unit", MINUTES, "answer: 34 minutes", SECOND),
    ("answer is value", MINUTES, "The answer is 34.", SECOND),
    ("approximately", MINUTES, "The answer is approximately 34 minutes.", SECOND),
    ("total of", MINUTES, "The answer is a total of 34 minutes", SECOND),
    ("decimal", MINUTES, "The answer is 34.0 minutes.", SECOND),
    ("in words", MINUTES, "The answer is thirty-four.", SECOND),
    ("boxed value", MINUTES, "\\boxed{34}", SECOND),
    ("boxed value and unit", MINUTES, "$$\\boxed{34 \\text{ minutes}}$$", SECOND),
    ("dollars", MINUTES, "The answer is $34$.", SECOND),
    ("hashes value", MINUTES, "15 + 19 = 34\n#### 34", SECOND),
    ("JSON number", MINUTES, '{"answer": 34}', SECOND),
    ("computed", MINUTES, "The answer is 3 × 5 + 19 = 34 minutes.", SECOND),
    ("computed, asterisk", MINUTES, "The answer is 3 * 5 + 19 = 34.", SECOND),
    ("which is", MINUTES, "The answer is the time for all cuts, which is 34.", SECOND),
    ("not but", MINUTES, "The answer is not 27 but 34.", SECOND),
    ("value is correct", MINUTES, "So 34 minutes is the correct answer.", SECOND),
    ("prose", MINUTES, "Alice needs 34 minutes", SECOND),
    ("but", MINUTES, "But 34.", SECOND),
    ("conclusion", MINUTES, "A cut takes 5 minutes. Therefore, Alice needs 34 minutes.", SECOND),
    (
        "conclusion, then a note",
        MINUTES,
        "Therefore, Alice needs 34 minutes.\n\nNote: each of the 3 cuts counts.",
        SECOND,
    ),
    ("conclusion and goodbye", MINUTES, "Thus the minimum time is 34 minutes. I hope this helps!", SECOND),
    ("conclusion computed", MINUTES, "So in total 3 cuts and 6 welds: 3 × 5 + 6 × 2 = 27 minutes.", THIRD),
    ("conclusion not", MINUTES, "The minimum is 34 minutes, not 27.", SECOND),
    ("conclusion, last letter", MINUTES, "Adding these up gives 34 minutes, i.e. (B).", B),
    ("grid", SMALL, "For the 3 x 3 grid, all kiwis are rotten after 5 minutes.", FOURTH),
    ("boards (A) and (B)", SMALL, "The minimum number of swaps to get from (A) to (B) is 3.", THIRD),
    ("board (A)", SMALL, "We need 3 swaps to restore the ideal state from (A).", THIRD),
    ("step numbers", SMALL, "Step 1: move left.\nStep 2: the goal is reached, so 5 moves are needed.", FOURTH),
    ("Q and A", MINUTES, "A: 34", SECOND),
    ("only one", SMALL, "Thus, only one swap is required.", FIRST),
    ("three", SMALL, "The minimum number of moves is three.", THIRD),
    ("parts and total", SMALL, "There are 2 yellow faces in the top row and 3 in the bottom row, total 5.", FOURTH),
    ("none remain", SMALL, "After 2 minutes, 3 kiwis remain fresh. After 5 minutes, none remain.", FOURTH),
    ("list numbers", SMALL, "1. Fill the jug.\n2. Pour it.\n3. The minimum is 5 steps.", FOURTH),
    ("time", TIMES, "The answer is 9:05.", SECOND),
    ("time with zero", TIMES, "The answer is 09:05 AM.", SECOND),
    ("time with a full stop", TIMES, "Answer: 9.05", SECOND),
    ("time of 24 hours", TIMES, "The event starts at 21:05.", SECOND),
    ("time in prose", TIMES, "It is 7:25 now. So the event starts at 9:05.", SECOND),
    ("time as published", TIMES, "The time will be 0:07", FOURTH),
    ("time from to", TIMES, "1:14 plus 3 hours 9 minutes = 4:23", THIRD),
    ("weekday", DAYS, "August 2 was a Sunday.", SECOND),
    ("weekday, small", DAYS, "answer: sunday", SECOND),
    ("weekday, short", DAYS, "Answer: Sun.", SECOND),
    ("weekday in prose", DAYS, "January 1 is a Monday. Therefore, August 2 of that year was a Sunday.", SECOND),
    ("prize", PRIZES, "You win the Laptop.", SECOND),
    ("prize of two words", PRIZES, "**Answer:** ice cream", THIRD),
    ("prize with an article", PRIZES, "The answer is a car.", FOURTH),
    ("yes", YES_NO, "Yes", FIRST),
    ("no and why", YES_NO, "No, because it Cannot be covered: (C) and (D) colours differ.", SECOND),
    ("yes in prose", YES_NO, "Yes, it is possible to place all 27 dominoes.", FIRST),
    ("answer no", YES_NO, "There are 28 light and 26 dark squares. Answer: No.", SECOND),
    ("option no", YES_NO, "The answer is (B) No.", B),
    ("not possible, shortly", YES_NO, "It's not possible to tile the board with these.", SECOND),
    ("cannot", YES_NO, "Therefore the board cannot be covered.", SECOND),
    ("dominoes left", YES_NO, "There are no dominoes left.", NOTHING),
    ("not possible", YES_NO, "The colours differ. Therefore, it is not possible to cover the board.", SECOND),
    ("impossible", YES_NO, "One colour has more squares, so this is impossible.", SECOND),
    ("possible", YES_NO, "Both colours have 27 squares. Hence, it is possible to cover it.", FIRST),
    # Several statements, contradictions.
    ("value with another letter", MINUTES, "The answer is 34 (C).", C),
    ("value or another letter", MINUTES, "The answer: 34 minutes, option C", C),
    ("reasons in labels", MINUTES, "The answer is B) 34. A) 3 is too low. C) 27 is too low.", B),
    (
        "options judged",
        MINUTES,
        "- **(A) 3**: no.\n- **(B) 34**: fits.\n- **(C) 27**: no.\n\nSo the answer is (B) 34.",
        B,
    ),
    ("corrected", MINUTES, "The answer is (A). Wait, that is one cut only. The answer is (B).", B),
    ("value then letter", MINUTES, "The answer is 34, so the correct option is (B).", B),
    ("letter contradicts value", MINUTES, "The answer is (B) 27.", B),
    ("letter contradicts value before", MINUTES, "The answer is 34. Therefore option C is correct.", C),
    ("first line corrected", MINUTES, "C\n\nLet me check: 15 + 19 = 34. The answer is B.", B),
    ("denied after", MINUTES, "The answer is (B). The answer is not (A), as that is one cut.", B),
    ("reasons after", MINUTES, "The answer is (B) since (A) is one cut and (D) forgets a weld.", B),
    ("supposed", MINUTES, "The answer is (B). If the answer is (C), one weld is missing.", B),
    ("restated list after", MINUTES, f"The answer is (B).\n\nOptions:\n{LIST}", B),
    ("restated list before", MINUTES, f"Options: {INLINE}\nAnswer: (B)", B),
    ("restated question", MINUTES, f"Question: how long?\nOptions: {INLINE}\nAnswer: B", B),
    ("next question invented", MINUTES, "B\n\nQuestion: And now?\nOptions: (A) 1 (B) 2\nAnswer: (A)", B),
    ("next turn invented", MINUTES, "The answer is B.\nUSER: Are you sure?\nASSISTANT: Sorry, the answer is C.", B),
    ("later none of the others", MINUTES, "The answer is (B). None of the other options fit.", B),
    # Thinking.
    ("thinking", MINUTES, "<think>The answer is (A)? No, (C).</think>\n\nThe answer is (B).", B),
    ("thinking, unopened", MINUTES, "maybe the answer is (A)\n</think>\nB", B),
    ("thinking, unclosed", MINUTES, "<think>The answer is (B). Let me check that again", NOTHING),
    ("thinking only", MINUTES, "<think>The answer is (B).</think>", NOTHING),
    ("thinking, its tag named", MINUTES, "I do not use the `<think>` tag. The answer is (B).", B),
    ("thinking, unclosed before a fence", MINUTES, "<think>```\nThe answer is (B).\n```", NOTHING),
    ("thinking and answer in one fence", MINUTES, "```\n<think>\nThe answer is (A)?\n</think>\nB\n```", B),
    # No option.
    ("nothing", MINUTES, "", NOTHING),
    ("blanks", MINUTES, " \n ", NOTHING),
    ("a chain", MINUTES, "A chain has to be cut first.", NOTHING),
    ("names", MINUTES, "Alice, Bob and Dora each take a part of the Chain; A, then C.", NOTHING),
    ("letter of prose", MINUTES, "The answer is A chain of open pieces.", NOTHING),
    ("small article", MINUTES, "The answer is a number that depends on the open pieces.", NOTHING),
    ("list only", MINUTES, LIST, NOTHING),
    ("list only, inline", MINUTES, f"The options are {INLINE}.", NOTHING),
    ("list as answer", MINUTES, f"Answer: {INLINE}", NOTHING),
    ("list as answers", MINUTES, f"Answer choices:\n{LIST}", NOTHING),
    ("letters only", MINUTES, "The answer is one of (A), (B), (C) and (D).", NOTHING),
    ("two letters", MINUTES, "The answer is (A) or (B).", NOTHING),
    ("two bare letters", MINUTES, "Answer: A or B", NOTHING),
    ("two values", MINUTES, "She needs 25 or 27 minutes.", NOTHING),
    ("only denied", MINUTES, "The answer is not (A).", NOTHING),
    ("only supposed", MINUTES, "Let us check whether the answer is (A).", NOTHING),
    ("outline", MINUTES, "A. Count the open pieces.\nB. Count the segments.\nC. Add the times.", NOTHING),
    ("outline of the answer", SMALL, "Answer: 1. Count the jugs. 2. Pour them.", NOTHING),
    ("none of these", MINUTES, "None of these.", NOTHING),
    ("none of the options", MINUTES, "I get 31, so none of the given options is correct.", NOTHING),
    ("not among", MINUTES, "The answer is (B)? No: the result, 31, is not among the options.", NOTHING),
    ("cannot determine", MINUTES, "The image shows 3 chains. I cannot determine the answer from it.", NOTHING),
    ("another value", MINUTES, "Perhaps (B). Final answer: 35", NOTHING),
    ("part of a number", MINUTES, "The answer is 134.", NOTHING),
    ("decimals", MINUTES, "The answer is 34.5 minutes.", NOTHING),
    ("fraction", SMALL, "The answer is 3/4.", NOTHING),
    ("negative", SMALL, "The answer is -3.", NOTHING),
    ("range", SMALL, "It takes 3-5 moves.", NOTHING),
    ("ordinal", SMALL, "The goal is reached in the 3rd row.", NOTHING),
    ("letter E", MINUTES, "The answer is (E).", NOTHING),
    ("C of two", YES_NO, "Therefore, among (A) (B) (C) (D), the answer is: (C)", NOTHING),
    ("D of two", YES_NO, "D", NOTHING),
    ("no longer", YES_NO, "The answer is no longer visible in the picture.", NOTHING),
    ("another weekday", DAYS, "January 1 is a Monday. The answer is Tuesday.", NOTHING),
    ("description", SMALL, "The image shows a wooden board with 3 jugs and a number of glasses of water.", NOTHING),
    ("question back", SMALL, "Is it 3?", NOTHING),
)


@pytest.mark.parametrize(("options", "output", "wanted"), [row[1:] for row in OUTPUTS], ids=[row[0] for row in OUTPUTS])
def test_outputs_are_read_as_a_person_reads_them(options: tuple[str, ...], output: str, wanted: str | None) -> None:
    assert reading(output, options) == wanted


def test_the_table_is_large_and_its_names_are_unique() -> None:
    assert len({name for name, *_ in OUTPUTS}) == len(OUTPUTS) >= 80


def reading(output: str, options: tuple[str, ...], *, is_cut: bool = False) -> str | None:
    chosen = chosen_option(output, options, is_cut=is_cut)
    return f"{'ABCDEFGH'[chosen.index]} {chosen.by}" if chosen else None


CUT = {
    "in the middle of a number": ("So the answer is 3", NOTHING),
    "in the middle of a word": ("So the answer is A", NOTHING),
    "after the bracket": ("So the answer is (B)", B),
    "after a statement": ("The answer is (B). Let me check: the first seg", B),
    "in the reasoning": ("Each cut takes 5 minutes. So 3 segments give 25 minutes. Next, the we", NOTHING),
    "at a line": ("Number of cuts:\n3\n", NOTHING),
    "in a list": (f"Options:\n{LIST[:-3]}", NOTHING),
}


@pytest.mark.parametrize(("output", "wanted"), CUT.values(), ids=list(CUT))
def test_cut_answers_need_a_statement(output: str, wanted: str | None) -> None:
    assert reading(output, MINUTES, is_cut=True) == wanted


def test_options_may_say_none_of_these() -> None:
    options = ("3", "4", "5", "None of these")
    assert reading("The answer is (D).", options) == D
    assert reading("Answer: None of these", options) == FOURTH


def test_two_options_that_differ_in_form_only_are_told_by_letter() -> None:
    assert reading("The answer is 0:07.", ("0:07", "12:07", "1:00", "2:00")) is None
    assert reading("The answer is (B).", ("0:07", "12:07", "1:00", "2:00")) == B


numbers = st.lists(st.integers(0, 99), min_size=4, max_size=4, unique=True)
times = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 59)), min_size=4, max_size=4, unique=True)
option_lists = st.one_of(
    numbers.map(lambda values: tuple(map(str, values))),
    times.map(lambda values: tuple(f"{hour}:{minute:02}" for hour, minute in values)),
    st.permutations(DAYS).map(tuple),
    st.permutations(PRIZES).map(tuple),
    st.permutations(YES_NO).map(tuple),
)
LETTER_FORMS = (
    *(
        "The answer is ({}).",
        "Answer: {}",
        "**{}**",
        "({})",
        "{}",
        "{}.",
        "Option {}",
        "\\boxed{{{}}}",
        "{}) it is so.",
    ),
    *('{{"answer": "{}"}}', "<think>(A) or (B)</think>{}", "I choose ({}).", "So the correct option is {}.", "#### {}"),
)
VALUE_FORMS = (
    *("The answer is {}.", "Answer: {}", "**{}**", "{}", "{}.", "\\boxed{{{}}}", "<answer>{}</answer>", "#### {}"),
    *('{{"answer": "{}"}}', "Therefore, the answer is **{}**.", "I think the correct answer is {}, as shown."),
)


@given(options=option_lists, which=st.integers(0, 3), form=st.sampled_from(LETTER_FORMS))
def test_every_letter_is_read_whatever_the_options(options: tuple[str, ...], which: int, form: str) -> None:
    chosen = chosen_option(form.format("ABCD"[which]), options)
    if which >= len(options):
        assert chosen is None
    else:
        assert chosen is not None
        assert (chosen.index, chosen.by) == (which, "letter")


@given(options=option_lists, which=st.integers(0, 3), form=st.sampled_from(VALUE_FORMS))
def test_every_value_is_read_whatever_the_options(options: tuple[str, ...], which: int, form: str) -> None:
    index = which % len(options)
    chosen = chosen_option(form.format(options[index]), options)
    assert chosen is not None
    assert (chosen.index, chosen.by) == (index, "value")


words = st.lists(st.sampled_from(["Alice", "a", "A", "chain", "Cut", "B", "Dora", "D", "wheel", "of", "Colour", "C"]))


@given(prose=words.map(" ".join), options=option_lists)
def test_capital_letters_in_prose_are_no_answer(prose: str, options: tuple[str, ...]) -> None:
    assert chosen_option(f"We see that {prose} goes on.", options) is None


@given(text=st.text(max_size=400), options=option_lists, is_cut=st.booleans())
def test_any_text_has_a_reading_or_none(text: str, options: tuple[str, ...], is_cut: bool) -> None:
    chosen = chosen_option(text, options, is_cut=is_cut)
    assert chosen is None or 0 <= chosen.index < len(options)


PIECES = (
    "The answer is ",
    "(A)",
    "B",
    " or ",
    "34",
    "\n",
    "not ",
    "<think>",
    "</think>",
    "Question: ",
    ". ",
    "$\\boxed{",
    "}",
)


@given(text=st.lists(st.sampled_from(PIECES), max_size=30).map("".join), options=option_lists)
def test_a_last_plain_statement_wins(text: str, options: tuple[str, ...]) -> None:
    """Whatever came before, outside thinking and in the same turn."""
    text = re.sub(r"<think>|Question: ", "", text)
    chosen = chosen_option(f"{text}\n\nFinal answer: (B)", options)
    assert chosen is not None
    assert (chosen.index, chosen.by) == (1, "letter")


MEGABYTE = 1_000_000
HOSTILE = (
    *("A", "1", " ", "\n", "(", "**", "$", "\\boxed{", "<think>", "</think>", "the answer is ", "the answer is 34 ="),
    *("(A) ", "A) 3 ", "3 ", "34 = ", "so A", "Question: ", "is correct ", "if ", "not 3 but ", "thirty ", "9:05 "),
    *("<a ", "\\frac{", "'", "12,345,", "1.000", "is a an the ", "1. x\n", "```\n", "none of the given ", "é", "ﷺ"),
    *("the answer is (A) or ", "the answer: the answer is a ", "Therefore, 3 is 34. ", "\u0301", "➊", "_", "*3*"),
    *(
        "✓",
        "∴",
        "=34",
        "3 (A) ",
        "(A) 3\n",
        "A → B ",
        "(34) ",
        "between 1 and ",
        "5 disks, ",
        "cannot be ",
        "34 because ",
    ),
    *("answer", "Option A and ", "initially ", "the current time is ", "。", "答案是", "\x0c", "\u2028"),
)


@pytest.mark.alone
@pytest.mark.parametrize("piece", HOSTILE, ids=map(repr, HOSTILE))
def test_time_does_not_grow_faster_than_the_text(piece: str) -> None:
    """Sixteen times the text within what is read takes 256 times the time if a scan is quadratic.

    A machine that is busy with other work may disturb a measurement, not three of them.
    """
    assert any(_grows_with_the_text(piece) for _ in range(3))


def _grows_with_the_text(piece: str) -> bool:
    short, read = _seconds(piece, MAX_ANSWER_CHARS // 16), _seconds(piece, MAX_ANSWER_CHARS)
    return read < 64 * max(short, 0.01) and _seconds(piece, MEGABYTE) < 64 * max(read, 0.01)


def _seconds(piece: str, length: int) -> float:
    """For whole pieces: where one is cut, a text may end in another way, and be read in another."""
    text = piece * (length // len(piece))
    start = time.process_time()
    chosen_option(text, ("34", "9:05", "Ice Cream", "Sunday"))
    return time.process_time() - start


def test_of_a_long_answer_the_end_is_read() -> None:
    assert reading("The answer is (A). " + "x " * MAX_ANSWER_CHARS + "The answer is (B).", MINUTES) == B


@pytest.mark.parametrize(
    "option", ["$100", "O’Neill", "“Quoted”", "_under_", "ＡＢＣ", "5% off", "N/A", "C++", "O'Neill", "Café", "=cmd"]
)
@pytest.mark.parametrize("said", ["The answer is {}.", "{}", "**Answer:** {}"])
def test_an_option_is_found_however_it_is_written(option: str, said: str) -> None:
    chosen = chosen_option(said.format(option), ("Laptop", option, "Boots", "Lamp"))
    assert chosen is not None
    assert chosen.index == 1
