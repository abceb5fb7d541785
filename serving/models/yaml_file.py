"""A YAML file that people write, read strictly: plain values only, each key once, no value that stands for another."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml


def read_yaml_mapping(file: Path) -> dict[str, Any]:
    """The names and values of a file. Raises `ValueError`, in one line, where it is not there or no such mapping."""
    try:
        values = yaml.load(file.read_text(encoding="utf-8"), Loader=_OneValuePerKey)
    except _Alias as error:
        raise ValueError(f"{file}: {error.problem}") from error
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ValueError(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ValueError(f"{file} must be a YAML mapping of names to values")
    return values


class _Alias(yaml.MarkedYAMLError):
    """A value that stands for another one."""


class _OneValuePerKey(yaml.SafeLoader):
    """YAML's own rule, which PyYAML does not keep: the second of two equal keys silently wins there.

    Aliases are refused: nine lines of them make a billion values, and one of itself none that can be recorded.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            line = event.start_mark.line + 1
            raise _Alias(problem=f"line {line}: write the value of *{event.anchor} out, aliases are not read")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key, count in Counter(keys).items():
            if count > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is there twice", node.start_mark)
        return super().construct_mapping(node, deep)
