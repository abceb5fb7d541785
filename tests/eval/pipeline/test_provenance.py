"""What a manifest says of the judges: the weakest isolation among the hosts, and each host's own."""

from foveal.eval.pipeline.provenance import judge_facts


def judge(host: str, level: str) -> dict[str, object]:
    return {"host": host, "level": level, "time_factor": 1.0}


def test_the_host_that_isolates_least_speaks_for_the_run() -> None:
    facts = judge_facts([judge("a", "full"), judge("b", "seccomp"), judge("a", "full"), judge("c", "landlock")])
    assert facts["isolation"]["level"] == "seccomp"
    assert {host: (its["level"], its["num_judges"]) for host, its in facts["judge_hosts"].items()} == {
        "a": ("full", 2),
        "b": ("seccomp", 1),
        "c": ("landlock", 1),
    }
