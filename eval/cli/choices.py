"""What a user can choose from: for help texts and for completion, which look it up when they are asked for.

Nothing here is imported before that: the benchmarks alone take longer than `foveal --help` may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from foveal.eval.benchmark import Benchmark


def benchmark_names() -> list[str]:
    """The benchmarks there are, those of other packages too."""
    from foveal.eval import benchmarks

    return list(benchmarks.benchmark_names())


def setting_names(benchmark_name: str) -> list[str]:
    """The settings of a benchmark; none if there is no such benchmark."""
    return [name for benchmark in _benchmarks(benchmark_name) for name in benchmark.settings]


def split_names(benchmark_name: str) -> list[str]:
    """The parts of a benchmark's data; none if it has no parts, or if there is no such benchmark."""
    return [name for benchmark in _benchmarks(benchmark_name) for name in benchmark.splits]


def category_names(benchmark_name: str) -> list[str]:
    """The categories of a benchmark; none if there is no such benchmark."""
    return [name for benchmark in _benchmarks(benchmark_name) for name in benchmark.all_categories]


def model_names() -> list[str]:
    """The models there is a config for."""
    from foveal.serving.models.folders import model_files

    return [file.stem for file in model_files()]


def built_model_names() -> list[str]:
    """The models that can be built on this machine."""
    from foveal.serving.models.built import BUILDS

    return sorted(BUILDS)


def puzzle_names() -> list[str]:
    """The puzzles of the paper."""
    from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES

    return list(PUZZLES)


def matching_names() -> list[str]:
    """The ways to match there are."""
    from foveal.judging import matchings

    return list(matchings.matching_names())


def words(name: str) -> str:
    """What a help text with `{name}` has there. Raises `KeyError` for a name that no help text may use."""
    return {
        "benchmarks": lambda: ", ".join(benchmark_names()),
        "settings": lambda: _by_benchmark(setting_names),
        "splits": lambda: _by_benchmark(split_names),
        "best_settings": lambda: "; ".join(filter(None, map(_best_settings, benchmark_names()))),
        "built_models": lambda: ", ".join(built_model_names()),
        "puzzles": lambda: ", ".join(puzzle_names()),
        "matchings": lambda: ", ".join(matching_names()),
        "num_puzzles": lambda: str(len(puzzle_names())),
    }[name]()


def _by_benchmark(names_of: Callable[[str], list[str]]) -> str:
    listed = {name: names_of(name) for name in benchmark_names()}
    return "; ".join(f"{name}: {', '.join(names)}" for name, names in listed.items() if names)


def _best_settings(benchmark_name: str) -> str:
    return "".join(map(_best_settings_of, _benchmarks(benchmark_name)))


def _best_settings_of(benchmark: Benchmark[Any]) -> str:
    name = benchmark.name
    with_pictures = benchmark.best_setting(reads_pictures=True)
    if all(facts.pictures for facts in benchmark.settings.values()):
        return f"{with_pictures} for {name}"
    without = benchmark.best_setting(reads_pictures=False)
    if with_pictures == without:
        return f"{with_pictures} for {name}"
    return f"{with_pictures} for {name}, or {without} if the model reads no pictures"


def _benchmarks(name: str) -> list[Benchmark[Any]]:
    """The benchmark of that name; none if there is none, or if the package that adds it is broken."""
    from foveal.eval.benchmarks import benchmark_named

    try:
        return [benchmark_named(name)]
    except ValueError:
        return []


def complete_benchmark(incomplete: str) -> list[str]:
    """Completions of a benchmark's name."""
    return _starting(incomplete, benchmark_names())


def complete_model(incomplete: str) -> list[str]:
    """Completions of a model's name; a path is left to the shell."""
    return _starting(incomplete, model_names())


def complete_built_model(incomplete: str) -> list[str]:
    """Completions of a model that can be built."""
    return _starting(incomplete, built_model_names())


def complete_puzzle(incomplete: str) -> list[str]:
    """Completions of a puzzle's name, those of other packages too."""
    from foveal.eval.benchmarks.algopuzzlevqa import puzzles

    return _starting(incomplete, puzzles.puzzle_names())


def complete_matching(incomplete: str) -> list[str]:
    """Completions of a way to match."""
    return _starting(incomplete, matching_names())


def complete_setting(context: typer.Context, incomplete: str) -> list[str]:
    """Completions of a setting of the benchmark that stands in the line."""
    return _starting(incomplete, _of_benchmark(context, setting_names))


def complete_split(context: typer.Context, incomplete: str) -> list[str]:
    """Completions of a part of the data of the benchmark that stands in the line."""
    return _starting(incomplete, _of_benchmark(context, split_names))


def complete_category(context: typer.Context, incomplete: str) -> list[str]:
    """Completions of a category of the benchmark that stands in the line."""
    return _starting(incomplete, _of_benchmark(context, category_names))


def _of_benchmark(context: typer.Context, names_of: Callable[[str], list[str]]) -> Iterable[str]:
    """The names of the benchmark before the cursor, or of the one that is taken without `--benchmark`."""
    return names_of(context.params["benchmark"])


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
