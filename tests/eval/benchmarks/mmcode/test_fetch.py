"""Getting published data, with and without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.eval.benchmarks import fetch


def test_an_unknown_benchmark_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no published data for 'nope'; there are: algopuzzlevqa, mmcode"):
        fetch("nope", tmp_path)


def test_without_a_network_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ValueError, match="cannot download") as caught:
        fetch("mmcode", tmp_path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert "https://huggingface.co/datasets/likaixin/MMCode/resolve/main/mmcode_test.jsonl.gz" in message
    assert str(tmp_path / "mmcode_test.jsonl.gz") in message


@pytest.mark.parametrize("fault", ["timeout", "gone", "refused"])
def test_every_fault_of_the_hub_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    import httpx2
    import huggingface_hub
    from huggingface_hub.errors import RepositoryNotFoundError

    response = httpx2.Response(404, request=httpx2.Request("GET", "https://hub"))
    errors = {
        "timeout": httpx2.ConnectTimeout("slow\nlines"),
        "gone": RepositoryNotFoundError("no such repository", response=response),
        "refused": ConnectionRefusedError("refused"),
    }

    def fail(*_: object, **__: object) -> str:
        raise errors[fault]

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(ValueError, match="put it at") as caught:
        fetch("mmcode", tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def test_the_file_that_was_downloaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def download(repository: str, file: str, *, repo_type: str, local_dir: Path) -> str:
        assert (repository, repo_type) == ("likaixin/MMCode", "dataset")
        (local_dir / file).write_bytes(b"x")
        return str(local_dir / file)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    assert fetch("mmcode", tmp_path).read_bytes() == b"x"
