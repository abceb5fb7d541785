"""The published MMCode data, from the Hugging Face Hub."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from foveal.eval.benchmarks.mmcode.files import count_splits

REPOSITORY = "likaixin/MMCode"
TEST_FILE = "mmcode_test.jsonl.gz"
PAGE = f"https://huggingface.co/datasets/{REPOSITORY}"


def fetch_mmcode(destination: Path) -> dict[Path, str]:
    """Download every file of problems that is published into a folder: the test split, and what else there is.

    Returns what each file holds, by its path. Raises `ValueError` in one line that says what to do if there is no way
    to the Hub, or if it has no such file.
    """
    try:
        files = list(_download(destination))
    except OSError as error:
        raise ValueError(
            f"cannot download {TEST_FILE} ({type(error).__name__}): get {PAGE}/resolve/main/{TEST_FILE} on a machine "
            f"with a network, put it at {destination / TEST_FILE}, and give `--data` that path"
        ) from error
    if not files:
        raise ValueError(f"{PAGE} has no file of problems (*.jsonl, *.jsonl.gz) any more: see its card")
    return {file: _described(file) for file in files}


def _described(file: Path) -> str:
    splits = count_splits(file)
    return ", ".join(f"{number} problems of split {split}" for split, number in sorted(splits.items()))


def _download(destination: Path) -> Iterator[Path]:
    import httpx2
    from huggingface_hub import hf_hub_download, list_repo_files
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()  # a line per retry would bury the one that says what to do
    try:
        for name in sorted(list_repo_files(REPOSITORY, repo_type="dataset")):
            if name.endswith((".jsonl", ".jsonl.gz")):
                print(f"getting {PAGE}/resolve/main/{name}", file=sys.stderr, flush=True)
                hf_hub_download(REPOSITORY, name, repo_type="dataset", local_dir=destination)
                yield destination / name
    except (httpx2.HTTPError, HfHubHTTPError) as error:
        raise OSError(str(error)) from error
