"""What a manifest says of the judges: the weakest isolation among the hosts, and each host's own."""

from dataclasses import replace
from pathlib import Path

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.errata import load_errata
from foveal.eval.pipeline.provenance import judged_by_another, judged_now, manifest_of
from foveal.eval.runs.record import ErrataFacts


def judge(host: str, level: str) -> dict[str, object]:
    return {"host": host, "level": level, "time_factor": 1.0}


def test_the_host_that_isolates_least_speaks_for_the_run() -> None:
    judges = [judge("a", "full"), judge("b", "seccomp"), judge("a", "full"), judge("c", "landlock")]
    begun = manifest_of(Path("data"), ["p", "q"], {}, engines=[])
    assert (begun.judge_version, begun.runs_programs, judged_by_another(begun)) == (None, False, False)
    manifest = judged_now(begun, judges, Path("errata.yaml"), load_errata(MMCODE.default_errata))
    assert manifest.isolation is not None
    assert manifest.isolation["level"] == "seccomp"
    assert {host: (its["level"], its["num_judges"]) for host, its in manifest.judge_hosts.items()} == {
        "a": ("full", 2),
        "b": ("seccomp", 1),
        "c": ("landlock", 1),
    }
    assert manifest.errata == ErrataFacts(file=str(Path("errata.yaml").resolve()), num_problems=0)
    assert not judged_by_another(manifest)
    assert manifest.judge is not None
    assert judged_by_another(replace(manifest, judge=replace(manifest.judge, version="another")))
    assert not judged_by_another(None)
