"""What other packages add is found by name, costs nothing before that, and fails in one line that names the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foveal import plugins
from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmarks import BENCHMARKS, benchmark_named, benchmark_names
from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles, puzzle_files
from foveal.eval.benchmarks.algopuzzlevqa.ontology import PUZZLE_NAMES
from foveal.eval.benchmarks.algopuzzlevqa.problem import load
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES, puzzle_names, puzzle_of
from foveal.eval.benchmarks.algopuzzlevqa.tables import table_2
from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set
from foveal.eval.grading.version import grading_packages, grading_version
from foveal.eval.pipeline.provenance import judged_by_another, judged_now, manifest_of
from foveal.eval.result_table import RunTallies, Tally
from foveal.judging.matchings import matching_names, rules_of
from foveal.judging.verdict import STOP_EARLY, Policy
from foveal.judging.verdict_cache import VerdictCache
from foveal.judging.version import judge_version
from foveal.serving.engines import engine_of
from foveal.serving.models.config import list_model_configs, load_model_config
from foveal.serving.models.folders import broken_folders
from foveal.serving.models.weights import pinned, weights_of

ADDED = """
from dataclasses import replace
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.clock import CLOCK
from foveal.judging.matchings import MatchingRules
from foveal.serving.engines.scripted import ScriptedEngine

RIDDLES = replace(MMCODE, name="riddles")
SUNDIAL = replace(CLOCK, name="sundial", paper_name="Sundial", published_name="sundial")
AGAIN = replace(CLOCK, name="again", paper_name="Sundial", published_name="again")
ANYTHING = MatchingRules(
    same_output=lambda printed, expected, checker: True,
    same_result=lambda text, expected, checker: True,
    heeds_checker=False,
)
NOTHING = 3

def echo(config):
    return ScriptedEngine(lambda request: "```python\\nprint('nonsense')\\n```", config=config)
"""
MODEL = "model: engine:echo-1\nfamily: smollm2\nchat_template: chatml.jinja\nengine: echo\n"
ENTRIES = {
    "foveal.benchmarks": {"riddles": "acme.added:RIDDLES"},
    "foveal.puzzles": {"sundial": "acme.added:SUNDIAL"},
    "foveal.matchings": {"anything": "acme.added:ANYTHING"},
    "foveal.engines": {"echo": "acme.added:echo"},
    "foveal.models": {"acme": "acme.models"},
}

Install = Callable[..., Path]


def write_package(
    site: Path, package: str, entries: dict[str, dict[str, str]], files: dict[str, str], version: str = "1.0"
) -> None:
    """A package as an installer leaves it."""
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    info = site / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in of.items()) for group, of in entries.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))


ACME = {"acme/__init__.py": "", "acme/added.py": ADDED, "acme/models/echo_1.yaml": MODEL}


def forget() -> None:
    for cached in (plugins.plugins, plugins.code_digest, judge_version, grading_version):
        cached.cache_clear()  # type: ignore[attr-defined]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("acme", "other")]:
        del sys.modules[name]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package for this process: by default one that adds one of each kind."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def installed(
        package: str = "acme-evals",
        entries: dict[str, dict[str, str]] = ENTRIES,
        files: dict[str, str] = ACME,
        version: str = "1.0",
    ) -> Path:
        write_package(site, package, entries, files, version)
        forget()
        return site

    yield installed
    monkeypatch.undo()
    forget()


def test_one_of_each_kind_is_found_beside_ours(install: Install) -> None:
    install()
    assert benchmark_names() == (*BENCHMARKS, "riddles")
    assert benchmark_named("riddles").settings == BENCHMARKS["mmcode"].settings
    assert benchmark_named("mmcode") is BENCHMARKS["mmcode"]
    assert puzzle_names() == (*PUZZLES, "sundial")
    assert puzzle_of("sundial").paper_name == "Sundial"
    assert matching_names() == ("foveal", "published", "anything")
    assert rules_of("anything").same_output(b"1", b"2", None)  # type: ignore[arg-type]
    config = load_model_config("echo_1")
    assert config in list_model_configs()
    assert engine_of(config.engine)(config).info()["engine"] == "scripted"
    assert (pinned(config), weights_of(config)) == (config, "engine:echo-1")


def test_nothing_is_imported_before_its_name_is_asked_for(install: Install) -> None:
    install(files={**ACME, "acme/added.py": "raise SystemExit('imported')"})
    assert "riddles" in benchmark_names()
    assert "sundial" in puzzle_names()
    assert benchmark_named("mmcode") is BENCHMARKS["mmcode"]
    assert len(chosen_puzzles(())) == 18
    assert "acme.added" not in sys.modules


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def broken(", "SyntaxError"),
        ("X = 1", "AttributeError: module 'acme.added' has no attribute 'RIDDLES'"),
        ("RIDDLES = 3", "it is a int, not a foveal.eval.benchmark.Benchmark"),
        ("from foveal.eval.benchmarks.mmcode.benchmark import MMCODE as RIDDLES", "its name is 'mmcode'"),
        ("import warnings; warnings.warn('old')", "UserWarning: old"),
    ],
)
def test_a_broken_package_is_one_line_that_names_it(code: str, why: str, install: Install) -> None:
    install(files={**ACME, "acme/added.py": code})
    with pytest.raises(ValueError, match=r"^the benchmark 'riddles' of the package acme-evals 1\.0 cannot be") as error:
        benchmark_named("riddles")
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith("correct or uninstall acme-evals")


@pytest.mark.parametrize(
    ("group", "name", "ask"),
    [
        ("foveal.benchmarks", "mmcode", benchmark_named),
        ("foveal.puzzles", "clock", puzzle_of),
        ("foveal.matchings", "foveal", rules_of),
        ("foveal.engines", "vllm", engine_of),
    ],
)
def test_a_name_of_ours_is_not_taken_over(
    group: str, name: str, ask: Callable[[str], object], install: Install
) -> None:
    install(entries={group: {name: "acme.added:NOTHING"}})
    with pytest.raises(ValueError, match=f"the package acme-evals adds a .* '{name}', which is a name of foveal's own"):
        ask(name)


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    install()
    install("other-evals", {"foveal.benchmarks": {"riddles": "other:X"}}, {"other.py": "X = 1"})
    with pytest.raises(ValueError, match=r"the packages acme-evals and other-evals both add a benchmark 'riddles'"):
        benchmark_named("riddles")
    assert puzzle_of("sundial").name == "sundial"


def test_a_model_of_ours_is_not_taken_over(install: Install) -> None:
    install(files={**ACME, "acme/models/smollm2_135m.yaml": MODEL})
    with pytest.raises(ValueError, match=r"^foveal and the package acme-evals both have a model 'smollm2_135m'"):
        load_model_config("smollm2_135m")


def test_a_broken_folder_of_models_costs_only_its_models(install: Install) -> None:
    install(entries={"foveal.models": {"acme": "acme.nowhere"}})
    assert load_model_config("smollm2_135m").name == "smollm2_135m"
    with pytest.raises(ValueError, match=r"^the folder of models 'acme' of the package acme-evals 1\.0 cannot be"):
        load_model_config("echo_1")
    assert len(broken_folders()) == 1
    assert "smollm2_135m" in {config.name for config in list_model_configs()}


# Versions: what another package decides is in the version of what it decides.


def edited(site: Path) -> None:
    file = site / "acme" / "added.py"
    file.write_text(file.read_text() + "\n# changed\n")
    forget()


def test_a_matching_s_code_is_in_the_version_of_verdicts_it_decides(install: Install, tmp_path: Path) -> None:
    site = install()
    ours, added = judge_version(), judge_version("anything")
    assert ours != added
    key = VerdictCache(tmp_path, policy=Policy(matching="anything"), level="full")._judge[0]
    assert key == added
    edited(site)
    assert judge_version() == ours
    assert judge_version("anything") not in (ours, added)


def test_a_run_s_scores_rest_on_the_packages_that_decide_them(install: Install, tmp_path: Path) -> None:
    site = install()
    packages = grading_packages(benchmark_named("riddles"), STOP_EARLY, [])
    assert packages == ("acme-evals",)
    assert grading_packages(BENCHMARKS["mmcode"], STOP_EARLY, []) == ()
    assert grading_packages(BENCHMARKS["mmcode"], Policy(matching="anything"), []) == ("acme-evals",)
    from foveal.eval.errata import Errata

    begun = manifest_of(tmp_path, ["a"], {}, engines=[])
    judged = judged_now(begun, [{"host": "here"}], None, Errata(source="", problems={}), packages)
    assert judged.judge is not None
    assert judged.judge.packages == {"acme-evals": "1.0"}
    assert not judged_by_another(judged)
    edited(site)
    assert judged_by_another(judged)
    plain = judged_now(begun, [{"host": "here"}], None, Errata(source="", problems={}), ())
    assert not judged_by_another(plain)


def test_an_editable_package_lists_no_files_and_is_covered(install: Install) -> None:
    site = install()
    digest = plugins.code_digest("acme-evals")
    (site / "acme_evals-1.0.dist-info" / "RECORD").write_text("acme_evals.pth,,\n")
    forget()
    assert plugins.code_digest("acme-evals") == digest
    edited(site)
    assert plugins.code_digest("acme-evals") != digest
    assert plugins.code_digest("not-installed") != plugins.code_digest("not-either")


# A 19th puzzle.


def plan(*names: str) -> Plan:
    return Plan(puzzles=tuple(chosen_puzzles(names)), num_instances=4, seed=0, difficulty="easy")


def test_a_19th_puzzle_is_made_by_name_alone_and_loaded(install: Install, tmp_path: Path) -> None:
    install()
    assert [puzzle.name for puzzle in chosen_puzzles(("sundial", "clock"))] == ["clock", "sundial"]
    data = tmp_path / "data"
    write_data_set(data, plan("clock", "sundial"), num_workers=2)
    problems = list(load(data))
    assert [problem.categories for problem in problems] == [("Clock",), ("Sundial",)] * 4
    assert [problem.packages for problem in problems[:2]] == [(), ("acme-evals",)]
    benchmark = BENCHMARKS["algopuzzlevqa"]
    assert benchmark.all_categories == (*benchmark.categories, "Sundial")
    assert grading_packages(benchmark, STOP_EARLY, problems[:1]) == ()
    assert grading_packages(benchmark, STOP_EARLY, problems) == ("acme-evals",)


def test_rows_of_a_puzzle_that_is_not_installed_are_refused(install: Install, tmp_path: Path) -> None:
    install()
    data = tmp_path / "data"
    write_data_set(data, plan("clock", "sundial"), num_workers=1)
    (data / "notes.json").write_text('{"mine": 1}')
    assert [file.name for _, file in puzzle_files(data)] == ["clock.json", "sundial.json"]
    sys.path.remove(str(tmp_path / "site"))
    forget()
    with pytest.raises(ValueError, match=r"sundial\.json has rows of a puzzle 'sundial' that is not here: install"):
        puzzle_files(data)


def test_two_puzzles_that_a_table_would_mix_are_refused(install: Install) -> None:
    install(entries={"foveal.puzzles": {"sundial": "acme.added:SUNDIAL", "again": "acme.added:AGAIN"}})
    with pytest.raises(ValueError, match="have one paper_name, 'Sundial'"):
        chosen_puzzles(("sundial", "again"))


def test_the_average_of_the_paper_is_of_its_own_puzzles() -> None:
    fair = BlindBaselines(random=0.25, letter=0.25, rank=0.25, common_value=0.25)
    right = {**dict.fromkeys(PUZZLE_NAMES, 5), "Sundial": 10}
    tallies = {name: Tally(num_right=number, num_questions=10) for name, number in right.items()}
    with_it = RunTallies(label="m", setting="cot", tallies=tallies)
    of_paper = table_2([with_it], dict.fromkeys(PUZZLE_NAMES, fair))
    of_all = table_2([with_it], dict.fromkeys(right, fair))
    assert of_all.rows[:-1] == tuple(
        replace(row, cells=(replace(row.cells[0], p_adjusted=other.cells[0].p_adjusted), *row.cells[1:]))
        for row, other in zip(of_paper.rows, of_all.rows, strict=False)
    )
    assert [(row.label, row.section) for row in of_all.rows[-2:]] == [
        ("Average", ""),
        ("Sundial", "Puzzles of other packages"),
    ]
    assert "The average is over the puzzles of the paper alone" in of_all.note
    assert "The average is over" not in of_paper.note
    alone = table_2([with_it, with_it], {"Sundial": fair})
    assert [row.label for row in alone.rows] == ["Sundial", "Average of 1"]
    assert alone.rows[0].cells[0].value == 1


# Processes of their own: Ray's workers and the judge's look names up themselves.


DATA = {
    "problem_id": "p",
    "question": "q",
    "image_tags": ["Map"],
    "input_output": {"inputs": [""], "outputs": ["1"]},
    "solutions": ["print(1)"],
}


def foveal(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    command = [str(Path(sys.executable).parent / "foveal"), *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.alone
def test_a_run_s_workers_find_what_a_package_adds(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    write_package(tmp_path / "site", "acme-evals", ENTRIES, ACME)
    (tmp_path / "data.jsonl").write_text(json.dumps(DATA) + "\n")
    command = ["run", "--model", "echo_1", "--benchmark", "riddles", "--data", "data.jsonl", "--out", "run"]
    done = foveal(tmp_path, *command, "--matching", "anything", "--num-workers", "1")
    assert done.returncode == 0, done.stderr
    assert "echo_1 on riddles" in done.stdout
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["judge"]["packages"] == {"acme-evals": "1.0"}
    assert json.loads((tmp_path / "run" / "report.json").read_text())["verdicts"] == {"accepted": 1}
    again = foveal(tmp_path, "rejudge", "run", "--matching", "foveal", "--num-workers", "1")
    assert again.returncode == 0, again.stderr
    assert json.loads((tmp_path / "run" / "report.json").read_text())["verdicts"] == {"wrong_answer": 1}


@pytest.mark.alone
def test_the_judge_s_processes_find_a_way_to_match(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    write_package(tmp_path / "site", "acme-evals", ENTRIES, ACME)
    row = {"id": 1, "kind": "stdin", "response": "print(2)", "tests": {"inputs": [""], "outputs": ["1"]}}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n")
    command = ["judge", "answers.jsonl", "--out", "verdicts.jsonl", "--num-workers", "1"]
    assert foveal(tmp_path, *command, "--matching", "anything").returncode == 0
    assert json.loads((tmp_path / "verdicts.jsonl").read_text())["verdicts"] == ["accepted"]
    refused = foveal(tmp_path, *command, "--matching", "nothing")
    assert refused.returncode == 2
    assert refused.stderr == "foveal: no matching 'nothing'; there are: foveal, published, anything\n"
