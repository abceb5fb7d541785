"""Frozen dataclasses as Parquet rows: the schema is derived from the class, so the two cannot disagree."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from foveal.eval.files import written_whole
from foveal.eval.runs.older import OLDER

Row = TypeVar("Row")

SCALARS = {str: "string", int: "int64", float: "float64", bool: "bool_"}


def schema_of(row_type: type) -> Any:
    """The `pyarrow.Schema` of a dataclass: str, int, float, bool, a string enum, `X | None`, and `tuple[X, ...]`, where
    X may be a dataclass of the same kinds.

    Raises `TypeError` for a field of any other type.
    """
    import pyarrow as pa

    return pa.schema(_fields(row_type))


def _fields(row_type: type) -> list[Any]:
    return [_field(name, hint) for name, hint in _types(row_type).items()]


def _field(name: str, hint: Any) -> Any:
    import pyarrow as pa

    nullable = get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)
    inner = next(arg for arg in get_args(hint) if arg is not type(None)) if nullable else hint
    if get_origin(inner) is tuple:
        return pa.field(name, pa.list_(_scalar(name, get_args(inner)[0])), nullable=nullable)
    return pa.field(name, _scalar(name, inner), nullable=nullable)


def _scalar(name: str, hint: Any) -> Any:
    import pyarrow as pa

    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string()
    if hint in SCALARS:
        return getattr(pa, SCALARS[hint])()
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return pa.struct(_fields(hint))
    if getattr(hint, "__origin__", None) is not None and all(isinstance(arg, str) for arg in get_args(hint)):
        return pa.string()  # Literal["a", "b"]
    raise TypeError(f"{name}: {hint} has no Parquet type here")


def _types(row_type: Any) -> dict[str, Any]:
    """The types of the fields, in their order."""
    return _types_once(row_type)


@cache
def _types_once(row_type: type) -> dict[str, Any]:
    hints = get_type_hints(row_type)
    return {field.name: hints[field.name] for field in dataclasses.fields(row_type)}


def to_plain(row: Any) -> dict[str, Any]:
    """A row as a dict of JSON and Parquet values."""
    return {field.name: _plain(getattr(row, field.name)) for field in dataclasses.fields(row)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        # A lone surrogate in model output is no UTF-8; it must not cost the row.
        return str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    return to_plain(value) if dataclasses.is_dataclass(value) else value


def from_plain(row_type: type[Row], plain: Mapping[str, Any]) -> Row:
    """The inverse of `to_plain`; string enums come back as enums, lists as tuples, dicts as the dataclass they were."""
    hints = _types(row_type)
    return row_type(**{name: _typed(hints[name], value) for name, value in plain.items() if name in hints})


def _typed(hint: Any, value: Any) -> Any:
    if isinstance(value, list):
        inner = next((arg for arg in get_args(hint) if dataclasses.is_dataclass(arg)), None)
        return tuple(from_plain(inner, item) for item in value) if isinstance(inner, type) else tuple(value)
    if isinstance(value, str) and isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(value)
    return value


def write_rows(path: Path, row_type: type[Row], rows: Iterable[Row]) -> None:
    """Write a whole file under a temporary name, then rename: a reader sees all of it or none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([to_plain(row) for row in rows], schema=schema_of(row_type))
    with written_whole(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def read_rows(path: Path, row_type: type[Row], ids: Iterable[str] | None = None) -> Iterator[Row]:
    """The rows of one file, one batch in memory at a time; with `ids`, only those rows.

    Raises `ValueError` in one line for a file that is damaged; every page has a checksum.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    wanted = None if ids is None else pa.array(sorted(set(ids)), pa.string())
    with _damage_named(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        read = _reader(row_type, file.schema_arrow)
        for batch in file.iter_batches(batch_size=256):
            chosen = batch if wanted is None else batch.filter(pc.is_in(batch["id"], wanted))
            for plain in chosen.to_pylist():
                yield read(plain)


def _reader(row_type: type[Row], schema: Any) -> Callable[[Mapping[str, Any]], Row]:
    """What makes a row of a file's values: of those of this version, or of the one before."""
    import pyarrow as pa

    if schema.equals(schema_of(row_type)):
        return partial(from_plain, row_type)
    older = OLDER.get(row_type)
    if older is None or not schema.equals(schema_of(older)):
        raise pa.ArrowInvalid(f"another version of foveal wrote it: it has other columns than {row_type.__name__}")
    return lambda plain: row_of_any_version(row_type, plain)


def row_of_any_version(row_type: type[Row], plain: Mapping[str, Any]) -> Row:
    """A row of its values, also if the version before this one wrote them. Raises `TypeError` if a value is missing."""
    older = OLDER.get(row_type)
    if older is not None and plain.keys() == _types(older).keys():
        row: Row = from_plain(older, plain).as_now()
        return row
    return from_plain(row_type, plain)


def read_ids(path: Path) -> list[str]:
    """The `id` column of one file; nothing else is read."""
    import pyarrow.parquet as pq

    with _damage_named(path):
        table = pq.read_table(path, columns=["id"], page_checksum_verification=True)
    ids: list[str] = table["id"].to_pylist()
    return ids


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """pyarrow's own words do not say which file it is."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:200]
        raise ValueError(f"{path} is damaged ({why}): remove it, and the next run makes its rows again") from error
