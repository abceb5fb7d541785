"""Getting published data, with and without a network."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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

    monkeypatch.setattr(huggingface_hub, "list_repo_files", fail)
    with pytest.raises(ValueError, match="put it at") as caught:
        fetch("mmcode", tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def rows(**splits: int) -> bytes:
    lines = [json.dumps({"data_split": split}) for split, number in splits.items() for _ in range(number)]
    return gzip.compress("\n".join(lines).encode())


FILES = {
    "README.md": b"a card",
    "logo.png": b"a picture",
    "mmcode_test.jsonl.gz": rows(test=3),
    "mmcode_all.jsonl.gz": rows(test=3, extra=5),
}


class Hub(BaseHTTPRequestHandler):
    """As much of the Hub as a download asks for: which files there are, what each is, and its bytes."""

    files = FILES

    def do_HEAD(self) -> None:
        self.answer(with_content=False)

    def do_GET(self) -> None:
        self.answer(with_content=True)

    def answer(self, *, with_content: bool) -> None:
        name = self.path.rpartition("/")[2]
        if self.path.startswith("/api/datasets/likaixin/MMCode"):
            known = [
                {"type": "file", "path": name, "rfilename": name, "size": len(content), "oid": "0" * 40}
                for name, content in self.files.items()
            ]
            listed = known if "/tree/" in self.path else {"id": "likaixin/MMCode", "sha": "0" * 40, "siblings": known}
            content = json.dumps(listed).encode()
        elif self.path.startswith("/datasets/likaixin/MMCode/resolve/") and name in self.files:
            content = self.files[name]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        for header, value in {"ETag": f'"{name}"', "X-Repo-Commit": "0" * 40, "Content-Length": len(content)}.items():
            self.send_header(header, str(value))
        self.end_headers()
        if with_content:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def fetched(hub: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The Hub's address is read when its package is imported: so in a process of its own."""
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "0", "HF_HOME": str(folder / "hub")}
    command = [str(Path(sys.executable).parent / "foveal"), "data", "fetch", "mmcode"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_split_is_fetched_and_each_file_says_what_it_holds(hub: str, tmp_path: Path) -> None:
    done = fetched(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "data/mmcode_all.jsonl.gz: 5 problems of split extra, 3 problems of split test",
        "data/mmcode_test.jsonl.gz: 3 problems of split test",
    ]
    assert "getting https://huggingface.co/datasets/likaixin/MMCode/resolve/main/mmcode_all.jsonl.gz" in done.stderr
    for name in ("mmcode_test.jsonl.gz", "mmcode_all.jsonl.gz"):
        assert (tmp_path / "data" / name).read_bytes() == FILES[name]
    assert not (tmp_path / "data" / "logo.png").exists()


def test_a_data_set_without_problems_says_so(hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "files", {"README.md": b"moved"})
    done = fetched(hub, tmp_path)
    assert done.returncode == 2
    assert "has no file of problems" in done.stderr
