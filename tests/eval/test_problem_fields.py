"""The checker of a row: what it may hold, and what is wrong with one is said in one line."""

import pytest

from foveal.eval.problem_fields import ProblemFields, read_fields
from foveal.judging.verdict import Checker, Limits


def checker_of(value, kind):
    return read_fields(ProblemFields, {"checker": value}).checker_for(kind)


def test_no_checker_is_the_default():
    assert checker_of(None, "stdin") == checker_of({}, "call") == checker_of({"program": None}, "call") == Checker()


def test_every_field_is_taken():
    fields = {"ignore_case": True, "absolute_tolerance": 0, "relative_tolerance": 1e-4, "unordered": "tokens"}
    assert checker_of(fields | {"any_of": True}, "stdin") == Checker(**fields, any_of=True)
    assert checker_of({"program": "raise SystemExit(0)"}, "call").program == "raise SystemExit(0)"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "must be an object"),
        ("ignore_case", "must be an object"),
        ({"ignorecase": True}, "did you mean 'ignore_case'?"),
        ({"zzz": True}, "there are: ignore_case"),
        ({5: True}, "checker: unknown key 5"),
        ({"ignore_case": 1}, "true or false, not 1"),
        ({"any_of": "yes"}, "true or false"),
        ({"absolute_tolerance": True}, "a number from 0"),
        ({"absolute_tolerance": "1e-6"}, "a number from 0"),
        ({"relative_tolerance": -1}, "a number from 0"),
        ({"relative_tolerance": float("nan")}, "a number from 0"),
        ({"relative_tolerance": float("inf")}, "a number from 0"),
        ({"relative_tolerance": 10**400}, "a number from 0"),
        ({"ignore_case": True, "\ud800": 1}, "checker: unknown key '\\ud800'"),
        ({"unordered": True}, "lines or tokens"),
        ({"unordered": ["lines"]}, "lines or tokens"),
        ({"unordered": "nested"}, "lines or tokens"),
        ({"program": ""}, "must be the source"),
        ({"program": 5}, "must be the source"),
        ({"program": "#" * 200_000}, "must be the source"),
        ({"program": "x = "}, "is not Python: line 1"),
        ({"program": "\0"}, "is not Python"),
        ({"program": "pass", "ignore_case": True}, "decides alone"),
    ],
)
def test_a_checker_that_is_wrong_is_refused(value, message):
    with pytest.raises(ValueError, match="checker") as raised:
        checker_of(value, "stdin")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


def test_limits_are_what_is_written_and_else_as_they_were():
    assert read_fields(ProblemFields, {}).limits(Limits(output_mib=3)) == Limits(output_mib=3)
    written = read_fields(ProblemFields, {"time_limit_s": 2, "memory_limit_mb": 0.5, "checker": None})
    assert written.limits(Limits()) == Limits(cpu_seconds=2.0, wall_seconds=6.0, memory_mib=1)
