"""Judge a run's answers again, by the judge as it is now; nothing is generated, no engine and no GPU is asked for.

The new scores grow in a hidden folder of the run, named by what they rest on, and take the place of the old ones by one
rename when all are there: killed before it, the run has its old scores, and the same command goes on; killed after it,
the new ones. So a run never has scores of two judges. The old ones are not kept; `rejudged.json` says which verdicts
changed.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Benchmark, Problem
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import Errata, load_errata
from foveal.eval.files import data_sha256
from foveal.eval.grading.version import grading_packages, grading_version
from foveal.eval.pipeline.canaries import chosen
from foveal.eval.pipeline.pipeline import Judged, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.ray_session import ray_session
from foveal.eval.pipeline.run_options import check_cache
from foveal.eval.pipeline.session import Session
from foveal.eval.runs.data import data_of
from foveal.eval.runs.problem_row import problem_row
from foveal.eval.runs.record import Manifest, RunConfig, config_json
from foveal.eval.runs.run_dir import RunDir, write_json
from foveal.eval.runs.score import Score
from foveal.eval.selection import with_ids
from foveal.judging.sandbox import DEFAULT_LEVEL, Level
from foveal.judging.verdict import Matching, Policy
from foveal.serving.generation import Generation

UNFINISHED = ".rejudge-"
MAX_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RejudgeOptions:
    """What the user asked for, as on the command line. None: as it was (the data's place, checker, every case)."""

    run: Path
    data: Path | None = None
    errata: Path | None = None
    matching: Matching | None = None
    every_case: bool | None = None
    no_cache: bool = False
    num_workers: int | None = None
    require_isolation: Level = DEFAULT_LEVEL
    ray_address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """What came of it: how the scores came about, `num_before` of them in a call that was interrupted, and the verdicts
    that are not what they were, by id: old, new.
    """

    judged: Judged
    num_before: int
    changed: Mapping[str, tuple[str, str]]

    def lines(self) -> list[str]:
        """For the terminal."""
        before = f", {self.num_before} before the interruption" if self.num_before else ""
        lines = [f"{self.judged}{before}", f"verdicts changed: {len(self.changed)}"]
        width = max(map(len, self.changed), default=0)
        for score_id, (old, new) in itertools.islice(self.changed.items(), MAX_LISTED):
            lines.append(f"  {score_id:{width}}  {old} -> {new}")
        if len(self.changed) > MAX_LISTED:
            lines.append(f"  ... and {len(self.changed) - MAX_LISTED} more, in rejudged.json")
        return lines


def rejudge(options: RejudgeOptions) -> Rejudged:
    """Judge all answers of a run again and replace its scores.

    Raises `ValueError` in one line where there is no run, no answer in it, or not the data it was made on, and
    `Interrupted` after a signal; the run is as it was then.
    """
    run = RunDir.taken(options.run)
    try:
        work = _work_of(options, run)
        new = _begun(work)
        try:
            num_before = len(new.table("scores", Score).ids())
            with ray_session(options.ray_address):
                judged = asyncio.run(_judge(work, new))
            done = Rejudged(judged=judged, num_before=num_before, changed=_changed(run, new))
            write_json(new.path / "rejudged.json", {"before": _basis(run), "now": _basis(new), **asdict(done)})
        finally:
            new.close()
        for stale in ("report.md", "report.json"):
            (run.path / stale).unlink(missing_ok=True)
        run.replace_by(new.path)
    finally:
        run.close()
    return done


def _basis(run: RunDir) -> dict[str, Any]:
    """What a run's scores rest on."""
    config = run.config()
    return {
        "judge": run.started().judge_version,
        "judging": asdict(config.judging),
        "errata_sha256": config.errata_sha256,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """A run and what is to be done with it."""

    options: RejudgeOptions
    run: RunDir
    config: RunConfig
    manifest: Manifest
    benchmark: Benchmark[Any]
    data: Path
    errata_file: Path | None
    errata: Errata

    def problems(self) -> Iterable[Problem]:
        split = self.config.selection.split
        return with_ids(self.benchmark.problems(self.data, self.errata, split), self.manifest.problem_ids)

    def packages(self) -> tuple[str, ...]:
        """Those, beside foveal, whose code decides verdicts."""
        return grading_packages(self.benchmark, self.config.judging, self.problems())

    def plan(self) -> Plan:
        config = self.config
        return Plan(
            benchmark=self.benchmark,
            problems=self.problems,
            setting=config.setting,
            num_samples=config.num_samples,
            sampling=config.sampling,
            extra_turns=config.extra_turns,
        )


def _work_of(options: RejudgeOptions, run: RunDir) -> _Work:
    config, manifest = run.config(), run.started()
    if not run.table("generations", Generation).ids():
        raise ValueError(f"{run.path}: the run has no answers yet; `foveal run` makes them")
    benchmark = benchmark_named(config.benchmark)
    policy = Policy(
        matching=options.matching or config.judging.matching,
        every_case=config.judging.every_case if options.every_case is None else options.every_case,
    )
    benchmark.check_policy(config.setting, policy)
    check_cache(benchmark, config.setting, no_cache=options.no_cache)
    errata_file = options.errata or _path(manifest.errata.file if manifest.errata else None)
    errata = load_errata(errata_file or benchmark.default_errata)
    data = data_of(run, config.data_sha256, options.data, Path(manifest.data), benchmark.sample_data())
    warning = benchmark.errata_warning(data, errata, config.selection.split) if options.errata is not None else None
    if warning is not None:
        print(warning, file=sys.stderr)
    return _Work(
        options=options,
        run=run,
        config=replace(config, judging=policy, errata_sha256=data_sha256(Path(errata.source))),
        manifest=manifest,
        benchmark=benchmark,
        data=data,
        errata_file=errata_file,
        errata=errata,
    )


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _begun(work: _Work) -> RunDir:
    """The folder of the new scores: a new one, or what an interrupted call with the same outcome has left."""
    version = grading_version(work.packages())
    basis = json.dumps([config_json(work.config), version, work.options.no_cache], sort_keys=True)
    name = f"{UNFINISHED}{hashlib.sha256(basis.encode()).hexdigest()[:12]}"
    for other in work.run.path.glob(f"{UNFINISHED}*"):
        if other.name != name:
            shutil.rmtree(other)
    return RunDir.open(work.run.path / name, work.config)


async def _judge(work: _Work, new: RunDir) -> Judged:
    options = work.options
    baselines = work.benchmark.baselines(work.problems())
    session = Session(
        plan=work.plan(),
        run=new,
        progress=Progress(len(work.manifest.problem_ids) * work.config.num_samples),
        manifest=lambda engines: replace(work.manifest, data=str(work.data), baselines=baselines),
        problem_rows=(problem_row(problem, work.benchmark.facts(problem)) for problem in work.problems()),
        canary_ids=chosen(work.benchmark, work.config.setting, work.problems()),
        errata=work.errata,
        errata_file=work.errata_file,
        policy=work.config.judging,
        require_isolation=options.require_isolation,
        packages=work.packages(),
        num_workers=options.num_workers,
        no_cache=options.no_cache,
        generations=work.run.table("generations", Generation),
    )
    return await session.conduct()


def _changed(run: RunDir, new: RunDir) -> dict[str, tuple[str, str]]:
    """Ids of the answers whose verdict is another one now; one that has none is `no score`."""
    before = {score.id: score.verdict for score in run.table("scores", Score).read()}
    now = {score.id: score.verdict for score in new.table("scores", Score).read()}
    pairs = {score_id: (before.get(score_id, "no score"), now.get(score_id, "no score")) for score_id in before | now}
    return {score_id: pair for score_id, pair in pairs.items() if pair[0] != pair[1]}
