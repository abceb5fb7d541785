"""The names and the argument types that call problems assume without saying so."""

# ruff: noqa: A004, UP029 - names of our own for builtins that the program may replace

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import math
import operator
import random
import re
import string
import typing
from builtins import all, dict, enumerate, int, isinstance, issubclass, iter, len, list, next, type
from collections.abc import Callable
from typing import Any

MAX_NODES = 1_000_000  # a list that bites its own tail must end


class TreeNode:
    """A binary tree's node, as LeetCode defines it."""

    def __init__(self, val: Any = 0, left: TreeNode | None = None, right: TreeNode | None = None) -> None:
        self.val, self.left, self.right = val, left, right


class ListNode:
    """A linked list's node, as LeetCode defines it."""

    def __init__(self, val: Any = 0, next: ListNode | None = None) -> None:  # noqa: A002 - LeetCode's own name
        self.val, self.next = val, next


def assumed_names() -> dict[str, Any]:
    """What is in scope before a call program's first line; its own definitions replace them."""
    modules = (bisect, collections, functools, heapq, itertools, math, operator, random, re, string, typing)
    names: dict[str, Any] = {module.__name__: module for module in modules}
    names.update({name: getattr(typing, name) for name in typing.__all__})
    for module in (collections, heapq, bisect, itertools, functools):
        names.update({name: getattr(module, name) for name in dir(module) if not name.startswith("_")})
    return names | {"inf": math.inf, "TreeNode": TreeNode, "ListNode": ListNode}


class Signature:
    """What the starter code says of the function: its arguments' annotations, and whether it works in place."""

    def __init__(self, starter_code: str, fn_name: str) -> None:
        found = re.search(
            r"def\s+" + re.escape(fn_name) + r"\s*\((?P<arguments>[^)]*)\)\s*(?:->\s*(?P<result>[^:\n]+))?:",
            starter_code,
        )
        arguments = _split(found["arguments"]) if found else []
        self.annotations = [a.partition(":")[2].partition("=")[0].strip() for a in arguments if a.strip() != "self"]
        self.in_place = found is not None and (found["result"] or "").strip() == "None"

    def adapted(self, arguments: list[Any], names: dict[str, Any]) -> list[Any]:
        """The arguments as the function wants them: trees and linked lists from lists, integer keys from strings."""
        return [
            self._adapt(argument, self.annotations[i] if i < len(self.annotations) else "", names)
            for i, argument in enumerate(arguments)
        ]

    def _adapt(self, argument: Any, annotation: str, names: dict[str, Any]) -> Any:
        bare = annotation.replace("Optional[", "").replace("]", "").replace("'", "").replace('"', "")
        bare = bare.replace("| None", "").strip()
        if bare == "TreeNode" and isinstance(argument, list):
            return _tree(argument, names["TreeNode"])
        if bare == "ListNode" and isinstance(argument, list):
            return _linked(argument, names["ListNode"])
        if bare == "List[ListNode" and isinstance(argument, list):
            return [_linked(values, names["ListNode"]) for values in argument]
        # APPS: JSON made strings of integer keys (its own judge turns them back in the same way).
        if isinstance(argument, dict) and argument and all(re.fullmatch(r"-?\d+", key) for key in argument):
            return {int(key): value for key, value in argument.items()}
        return argument


def flattened(value: Any, names: dict[str, Any]) -> Any:
    """A list for a tree or a linked list, anything else as it is. `names` has `TreeNode` and `ListNode`."""
    if issubclass(type(value), names["ListNode"]):
        values: list[Any] = []
        while value is not None and len(values) < MAX_NODES:
            values.append(value.val)
            value = value.next
        return values
    return _level_order(value) if issubclass(type(value), names["TreeNode"]) else value


def _split(arguments: str) -> list[str]:
    depth, parts = 0, [""]
    for char in arguments:
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _tree(values: list[Any], node: Callable[[Any], Any]) -> Any:
    if not values or values[0] is None:
        return None
    root = node(values[0])
    parents, rest = collections.deque([root]), iter(values[1:])
    while parents:
        parent = parents.popleft()
        for side in ("left", "right"):
            value = next(rest, None)
            if value is not None:
                child = node(value)
                setattr(parent, side, child)
                parents.append(child)
    return root


def _linked(values: list[Any], node: Callable[[Any], Any]) -> Any:
    head = None
    for value in reversed(values):
        following, head = head, node(value)
        head.next = following
    return head


def _level_order(root: Any) -> list[Any]:
    values: list[Any] = []
    level = collections.deque([root])
    while level and len(values) < MAX_NODES:
        node = level.popleft()
        values.append(None if node is None else node.val)
        if node is not None:
            level.extend((node.left, node.right))
    while values and values[-1] is None:
        values.pop()
    return values
