"""Where this Python keeps what a program needs: the executable, the standard library, shared libraries, numpy."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")
DEVICES = ("null", "random", "urandom")  # and not zero: what is mapped of it is memory in no account


def executable() -> str:
    """The real interpreter behind a virtual environment's link."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def readable_paths() -> list[str]:
    """Paths that a program may read: nothing else of this machine is in its sandbox."""
    prefix = os.path.realpath(sys.base_prefix)
    own = [executable(), f"{prefix}/lib", f"{prefix}/lib64"]
    paths = [path for path in (*SYSTEM_LIBRARIES, *own) if Path(path).exists()]
    return [path for path in paths if not any(path != other and path.startswith(other + "/") for other in paths)]


def site_folders() -> list[str]:
    """Folders of installed packages inside those paths, hidden from programs."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    prefix = os.path.realpath(sys.base_prefix)
    folders = (f"{prefix}/lib/{version}/site-packages", f"{prefix}/lib64/{version}/site-packages")
    return [folder for folder in (*folders, "/usr/lib/python3/dist-packages") if Path(folder).is_dir()]


def library_folders(libraries: tuple[str, ...]) -> dict[str, str]:
    """Folder name -> path of each library that is installed, and of the shared libraries of its wheel."""
    folders = {}
    for name in libraries:
        spec = importlib.util.find_spec(name)
        for location in (spec.submodule_search_locations or []) if spec else []:
            folders[name] = location
            if Path(f"{location}.libs").is_dir():
                folders[f"{name}.libs"] = f"{location}.libs"
    return folders
