"""What other packages add to foveal by their entry points: benchmarks, puzzles, engines, models, ways to match.

A dict of ours is the table of contents of what ships; a `Catalogue` puts beside it what is installed. Entry points are
read when a name is asked for, never at import, and a package is imported when its own name is asked for. A package that
cannot be loaded costs only what it adds: one line that names it. No name is taken over silently: two packages that add
one name, or a package that adds a name of ours, are refused when that name is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

MAX_WHY_CHARS = 200
COMPILED = {".py", ".so", ".pyd"}  # what Python imports

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One name that a package adds; `package` is the name under which it is installed."""

    name: str
    package: str
    version: str
    entry: EntryPoint = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue(Generic[T]):
    """All there is of one kind, by name: what ships, and what other packages add.

    `word` is what one of them is called, `group` the entry points' group. `check` gets a name and what an entry point
    of that name holds, and returns it; it raises `ValueError` for what is none of the kind.
    """

    word: str
    group: str
    ours: Mapping[str, T]
    check: Callable[[str, Any], T]

    def names(self) -> tuple[str, ...]:
        """Ours in their order, then those of other packages by the alphabet; nothing is imported."""
        return (*self.ours, *sorted({plugin.name for plugin in plugins(self.group)} - self.ours.keys()))

    def get(self, name: str) -> T:
        """The one of that name.

        Raises `ValueError` in one line if there is none, if two packages claim the name, and if the package that adds
        it cannot be loaded.
        """
        plugin = self._plugin(name)
        if plugin is not None:
            return self.check_loaded(plugin)
        if name not in self.ours:
            raise ValueError(f"no {self.word} {name!r}; there are: {', '.join(self.names())}")
        return self.ours[name]

    def package_of(self, name: str) -> str | None:
        """The package that adds a name; None for one of ours, and for one that there is not."""
        plugin = self._plugin(name)
        return plugin.package if plugin else None

    def check_loaded(self, plugin: Plugin) -> T:
        """What a plug-in adds, if it is of the kind."""
        value = loaded(plugin, self.word)
        try:
            return self.check(plugin.name, value)
        except ValueError as error:
            raise broken(plugin, self.word, error) from error

    def _plugin(self, name: str) -> Plugin | None:
        found = [plugin for plugin in plugins(self.group) if plugin.name == name]
        if found and name in self.ours:
            raise ValueError(
                f"the package {found[0].package} adds a {self.word} {name!r}, which is a name of foveal's own: "
                f"uninstall {found[0].package}, or change the name there"
            )
        if len(found) > 1:
            packages = " and ".join(plugin.package for plugin in found)
            raise ValueError(f"the packages {packages} both add a {self.word} {name!r}: uninstall one of them")
        return found[0] if found else None


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """What the installed packages add to a group, by name and package."""
    found = [
        Plugin(name=entry.name, package=entry.dist.name, version=entry.dist.version, entry=entry)
        for entry in entry_points(group=group)
        if entry.dist is not None
    ]
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.package)))


def loaded(plugin: Plugin, word: str) -> Any:
    """What an entry point holds. Raises `ValueError` in one line, naming the package, if its import fails."""
    try:
        return plugin.entry.load()
    except (Exception, SystemExit) as error:  # the code of others may raise anything
        raise broken(plugin, word, error) from error


def broken(plugin: Plugin, word: str, error: BaseException) -> ValueError:
    """The error of a plug-in that is there and of no use."""
    said = " ".join(str(error).split())[:MAX_WHY_CHARS]
    why = said if type(error) is ValueError else f"{type(error).__name__}: {said}"
    return ValueError(
        f"the {word} {plugin.name!r} of the package {plugin.package} {plugin.version} cannot be loaded ({why}): "
        f"correct or uninstall {plugin.package}"
    )


@cache
def code_digest(package: str) -> str:
    """Hex SHA-256 over the name, the version and the Python files of an installed package.

    Covered are the files that its installation lists, and all in the packages that its entry points for foveal name: an
    editable installation lists nothing else. Not covered is what it imports of further packages. A package that is not
    installed has a digest of its own.
    """
    digest = hashlib.sha256(package.encode())
    try:
        dist = distribution(package)
    except PackageNotFoundError:
        return digest.hexdigest()
    digest.update(f"\0{dist.version}".encode())
    files = dict(_listed(dist)) | dict(_imported(dist))
    for name in sorted(files):
        digest.update(f"\0{name}\0".encode() + files[name].read_bytes())
    return digest.hexdigest()


def version_of(package: str) -> str:
    """The installed version of a package; "" if it is not installed."""
    try:
        return distribution(package).version
    except PackageNotFoundError:
        return ""


def _listed(dist: Distribution) -> Iterator[tuple[str, Path]]:
    """The files that an installation lists, by their names below the folder of installed packages."""
    for file in dist.files or ():
        path = Path(str(dist.locate_file(file)))
        if file.suffix in COMPILED and path.is_file():
            yield file.as_posix(), path


def _imported(dist: Distribution) -> Iterator[tuple[str, Path]]:
    """The files of the packages and modules that hold the entry points, by their names below the path they are on."""
    for top in {entry.module for entry in dist.entry_points if entry.group.startswith("foveal.")}:
        for path in _of_module(top):
            if path.is_file():
                yield path.name, path
            else:
                files = (file for file in path.rglob("*") if file.suffix in COMPILED)
                yield from ((file.relative_to(path.parent).as_posix(), file) for file in files)


def _of_module(module: str) -> list[Path]:
    """The folder of the outermost package of a module that is no namespace of several packages, or its file."""
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        try:
            spec = find_spec(".".join(parts[:depth]))
        except (Exception, SystemExit):  # the package of a deeper name is imported, and may be broken
            return []
        if spec is None:
            return []
        if spec.origin is not None or depth == len(parts):
            folders = spec.submodule_search_locations
            return [Path(folder) for folder in folders] if folders else [Path(str(spec.origin))]
    return []
