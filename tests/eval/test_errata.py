"""Errata files: what they put right, and what is wrong with one is said in one line."""

import gzip
import json
from pathlib import Path

import pytest

from foveal.eval.errata import load_errata
from foveal.judging.verdict import Case, Checker, Limits

SHIPPED = Path(__file__).parents[2] / "eval" / "benchmarks" / "mmcode" / "errata.yaml"
CF_1092_F = Path(__file__).parents[3] / "shared" / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"

CASES = tuple(Case(input=f"{number}\n", expected=f"{number + 1}\n") for number in range(4))


def errata(tmp_path, text):
    path = tmp_path / "errata.yaml"
    path.write_text(text, encoding="utf-8")
    return load_errata(path)


def erratum(tmp_path, text):
    """The errata of one problem, `p`."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return errata(tmp_path, f"problems:\n  p:\n{lines}")


def test_a_problem_without_an_erratum_stays_as_it_is(tmp_path):
    found = errata(tmp_path, "problems: {}").corrected("p", "stdin", CASES, Limits())
    assert (found.cases, found.limits, found.checker, found.not_judgeable) == (CASES, Limits(), Checker(), None)


def test_a_problem_is_put_right(tmp_path):
    text = (
        "why: the statement accepts any order\n"
        "checker: {unordered: lines, absolute_tolerance: 0.001}\n"
        "also_right: {0: ['one', 7], 3: [[1, [2, 3]]]}\n"
        "skip_cases: [1]\n"
        "time_limit_s: 4.5\n"
        "memory_limit_mb: 1024\n"
    )
    found = erratum(tmp_path, text).corrected("p", "stdin", CASES, Limits())
    assert [(case.input, case.expected) for case in found.cases] == [
        ("0\n", ["1\n", "one", "7"]),
        ("2\n", ["3\n"]),
        ("3\n", ["4\n", "1\n2 3\n"]),
    ]
    assert found.checker == Checker(unordered="lines", absolute_tolerance=0.001, any_of=True)
    assert (found.limits.cpu_seconds, found.limits.wall_seconds, found.limits.memory_mib) == (4.5, 13.5, 1024)
    assert found.not_judgeable is None


def test_other_answers_of_calls_are_values(tmp_path):
    found = erratum(tmp_path, "why: w\nalso_right: {0: [[2, 1], null]}").corrected(
        "p", "call", (Case(input=[1], expected=[1, 2]),), Limits()
    )
    assert found.cases[0].expected == [[1, 2], [2, 1], None]


def test_what_cannot_be_judged_is_said(tmp_path):
    found = erratum(tmp_path, "why: w\nnot_judgeable: it is interactive").corrected("p", "stdin", CASES, Limits())
    assert found.not_judgeable == "it is interactive"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "must be a YAML mapping"),
        ("problem: {}", "one key, problems"),
        ("problems: []", "one key, problems"),
        ("problems: {}\nmore: 1", "one key, problems"),
        ("problems: {1: {why: w, not_judgeable: n}}", "write it in quotes"),
        ("problems: {p: {why: w, not_judgeable: n}, p: {why: w, not_judgeable: n}}", "there twice"),
        ("problems: {p: 5}", "p: it must be an object with checker, time_limit_s"),
        ("problems: {p: {skip_cases: [1]}}", "p: it lacks why"),
        ("problems: {p: {why: ' ', skip_cases: [1]}}", "p: why must be a text"),
        ("problems: {p: {why: w}}", "p: it changes nothing"),
        ("problems: {p: {why: w, checker: null}}", "p: it changes nothing"),
        ("problems: {p: {why: 5, skip_cases: [1]}}", "p: why must be a text that says what is wrong"),
        ("problems: {p: {why: w, not_judgeable: true}}", "p: not_judgeable must be a text"),
        ("problems: {p: {why: w, skip_case: [1]}}", "p: unknown key 'skip_case'; did you mean 'skip_cases'?"),
        ("problems: {p: {why: w, skip_cases: 1}}", "p: skip_cases must be a list of numbers of tests"),
        ("problems: {p: {why: w, skip_cases: [-1]}}", "p: skip_cases must be"),
        ("problems: {p: {why: w, skip_cases: [true]}}", "p: skip_cases must be"),
        ("problems: {p: {why: w, also_right: {'0': [1]}}}", "p: also_right must be a mapping of numbers"),
        ("problems: {p: {why: w, also_right: {0: 1}}}", "p: also_right must be a mapping"),
        ("problems: {p: {why: w, also_right: {0: []}}}", "p: also_right must be a mapping"),
        ("problems: {p: {why: w, time_limit_s: 0}}", "p: time_limit_s must be"),
        ("problems: {p: {why: w, memory_limit_mb: lots}}", "p: memory_limit_mb must be"),
        ("problems: {p: {why: w, checker: lines}}", "p: checker must be an object"),
        ("problems: {p: {why: w, checker: {case: true}}}", "p: checker: unknown key 'case'"),
        ("problems: {p: {why: w, checker: {any_of: true}}}", "p: checker: the data have one output a test"),
        ("problems: {p: {why: w, checker: {program: 'print('}}}", "p: checker: program is not Python: line 1"),
        ("problems: {p: {why: w, checker: {absolute_tolerance: " + "9" * 400 + "}}}", "p: checker: absolute_tolerance"),
        ("a: &a [x]\nproblems: {p: *a}", "aliases are not read"),
        ("problems: !!python/object/apply:os.system [true]", "is not YAML"),
        ("[" * 20_000, "is not YAML"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=r"errata\.yaml") as raised:
        errata(tmp_path, text)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("why: w\nskip_cases: [4]", "stdin", "there is no test 4: the problem has 4"),
        ("why: w\nalso_right: {9: ['x']}", "stdin", "there is no test 9"),
        ("why: w\nskip_cases: [0, 1, 2, 3]", "stdin", "skip_cases leaves no test"),
        ("why: w\nchecker: {unordered: items}", "stdin", "lines or tokens, not 'items'"),
        ("why: w\nchecker: {unordered: lines}", "call", "items or nested, not 'lines'"),
        ("why: w\nchecker: {program: pass}\nalso_right: {0: ['x']}", "stdin", "leave also_right out"),
    ],
)
def test_an_erratum_that_does_not_fit_its_problem_names_file_and_problem(tmp_path, text, kind, message):
    found = erratum(tmp_path, text)
    with pytest.raises(ValueError, match=r"errata\.yaml: p: ") as raised:
        found.corrected("p", kind, CASES, Limits())
    assert message in str(raised.value)


def test_the_shipped_errata_of_mmcode_are_true():
    """Where the data are: the tests that are skipped are those that break the statement."""
    shipped = load_errata(SHIPPED)
    if not CF_1092_F.exists():
        pytest.skip(f"{CF_1092_F} is not here")
    problem = json.loads(gzip.decompress(CF_1092_F.read_bytes()).decode().splitlines()[0])
    inputs = json.loads(problem["input_output"])["inputs"]
    broken = {number for number, text in enumerate(inputs) if min(map(int, text.split("\n")[1].split())) < 1}
    assert shipped.problems["cf_1092_F"].skip_cases == broken


def test_ids_that_are_not_in_the_data_are_counted_and_the_first_is_matched(tmp_path):
    entry = "{why: w, not_judgeable: n}"
    found = errata(tmp_path, f"problems: {{cf_1_A: {entry}, cf_1_b: {entry}, zz: {entry}}}")
    line = found.beside({"cf_1_A", "cf_1_B", "cf_2_A"})
    assert line == f"{found.source}: 2 of its 3 problems, the first 'cf_1_b' (did you mean 'cf_1_B'?), are not"
    assert "the first 'zz', are not" in errata(tmp_path, f"problems: {{zz: {entry}}}").beside(["cf_1_A"])
    assert found.beside(["cf_1_A", "cf_1_b", "zz", "more"]) is None
    assert errata(tmp_path, "problems: {}").beside([]) is None
