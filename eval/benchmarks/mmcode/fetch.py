"""The published MMCode data, from the Hugging Face Hub."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A file of a data set repository on the Hub."""

    repository: str
    file: str

    @property
    def page(self) -> str:
        """Where a browser downloads it."""
        return f"https://huggingface.co/datasets/{self.repository}/resolve/main/{self.file}"


PUBLISHED = Published(repository="likaixin/MMCode", file="mmcode_test.jsonl.gz")


def fetch_mmcode(destination: Path) -> Path:
    """Download the published test set into the folder `destination`; returns the path of its file.

    Raises `ValueError` in one line that says what to do if there is no way to it.
    """
    published = PUBLISHED
    print(f"getting {published.page}", file=sys.stderr, flush=True)
    try:
        return _download(published, destination)
    except OSError as error:
        raise ValueError(
            f"cannot download {published.file} ({type(error).__name__}): get {published.page} on a machine with a "
            f"network, put it at {destination / published.file}, and give `--data` that path"
        ) from error


def _download(published: Published, destination: Path) -> Path:
    import httpx2
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()  # a line per retry would bury the one that says what to do
    try:
        return Path(hf_hub_download(published.repository, published.file, repo_type="dataset", local_dir=destination))
    except (httpx2.HTTPError, HfHubHTTPError) as error:
        raise OSError(str(error)) from error
