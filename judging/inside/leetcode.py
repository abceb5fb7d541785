"""The names and the types of arguments and results that call problems assume without saying so."""

# ruff: noqa: A004, UP029 - names of our own for builtins that the program may replace

from __future__ import annotations

import ast
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
from builtins import all, any, dict, enumerate, int, isinstance, issubclass, iter, len, list, next, type
from collections.abc import Callable
from typing import Any

MAX_NODES = 1_000_000  # a list that bites its own tail must end
MAX_HEAD_CHARS = 4096  # of a function in starter code

# The empty tree or linked list as a result; expected values write it as an empty list or as null.
NO_NODE = type("no node", (), {})()


class TreeNode:
    """A binary tree's node, as LeetCode defines it."""

    def __init__(self, val: Any = 0, left: TreeNode | None = None, right: TreeNode | None = None) -> None:
        self.val, self.left, self.right = val, left, right


class ListNode:
    """A linked list's node, as LeetCode defines it."""

    def __init__(self, val: Any = 0, next: ListNode | None = None) -> None:  # noqa: A002 - LeetCode's own name
        self.val, self.next = val, next


NODES = {"TreeNode": TreeNode, "ListNode": ListNode}


def assumed_names() -> dict[str, Any]:
    """What is in scope before a call program's first line; its own definitions replace them."""
    modules = (bisect, collections, functools, heapq, itertools, math, operator, random, re, string, typing)
    names: dict[str, Any] = {module.__name__: module for module in modules}
    names.update({name: getattr(typing, name) for name in typing.__all__})
    for module in (collections, heapq, bisect, itertools, functools):
        names.update({name: getattr(module, name) for name in dir(module) if not name.startswith("_")})
    return names | {"inf": math.inf, "TreeNode": TreeNode, "ListNode": ListNode}


class Shape:
    """An annotation as far as it matters: `node` names a tree's or a list's node, `items` is the shape of a list's."""

    def __init__(self, annotation: ast.expr | None = None) -> None:
        self.node = ""
        self.items: Shape | None = None
        while True:
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                annotation = _parsed(annotation.value)
            elif isinstance(annotation, ast.BinOp):  # X | None
                annotation = annotation.right if _is_none(annotation.left) else annotation.left
            elif isinstance(annotation, ast.Subscript) and _name(annotation.value) in ("Optional", "Union"):
                of = annotation.slice
                items = of.elts if isinstance(of, ast.Tuple) else [of]
                annotation = next((item for item in items if not _is_none(item)), None)
            else:
                break
        if isinstance(annotation, ast.Subscript) and _name(annotation.value) in ("List", "list", "Sequence"):
            self.items = Shape(annotation.slice)
        elif _name(annotation) in ("TreeNode", "ListNode"):
            self.node = _name(annotation)


class Signature:
    """What the starter code says of the function: the shapes of its arguments and result, whether it works in place.

    It says so in annotations, or, on LeetCode's older pages, in the docstring: `:type root: TreeNode`, `:rtype: void`.
    """

    def __init__(self, starter_code: str, fn_name: str) -> None:
        text = _text_from(starter_code, fn_name)
        function = _function(text)
        arguments = [*function.args.posonlyargs, *function.args.args] if function else []
        types = {name: _type(written) for name, written in re.findall(r":type +(\w+): *(\S.*)", text)}
        self.arguments = [Shape(a.annotation or types.get(a.arg)) for a in arguments if a.arg != "self"]
        returns = function.returns if function else None
        documented = re.search(r":rtype: *(\S.*)", text)
        if returns is None and documented:
            returns = _type(documented[1])
        self.result = Shape(returns)
        self.in_place = _is_none(returns) or _name(returns) == "void" or "Do not return anything" in text

    def adapted(self, arguments: list[Any], names: dict[str, Any]) -> list[Any]:
        """The arguments as the function wants them: trees and linked lists from lists, integer keys from strings."""
        return [_adapted(argument, self._argument(i), names) for i, argument in enumerate(arguments)]

    def answer(self, result: Any, arguments: list[Any], names: dict[str, Any]) -> Any:
        """The result, or the first argument of a function that works in place, with lists for trees and linked lists.

        `names` has `TreeNode` and `ListNode`.
        """
        if result is None and self.in_place and arguments:
            return _flattened(arguments[0], self._argument(0), names)
        return _flattened(result, self.result, names)

    def _argument(self, i: int) -> Shape:
        return self.arguments[i] if i < len(self.arguments) else UNKNOWN


def _text_from(starter_code: str, fn_name: str) -> str:
    """The starter code from the function's definition to the next one."""
    found = re.search(r"\bdef\s+" + re.escape(fn_name) + r"\s*\(", starter_code)
    text = starter_code[found.start() : found.start() + MAX_HEAD_CHARS] if found else ""
    return re.split(r"\n\s*(?:async\s+)?(?:def|class)\b", text, maxsplit=1)[0]


def _type(written: str) -> ast.expr | None:
    """A type in a docstring, where words may follow it."""
    parsed: ast.expr | None = _parsed(written) or _parsed(written.split()[0])
    return parsed


def _function(text: str) -> ast.FunctionDef | None:
    """The function's definition, whose body the starter code leaves out: its head ends at the colon where it parses."""
    for colon in re.finditer(":", text):
        parsed = _parsed(text[: colon.end()] + " pass", "exec")
        if parsed is not None and isinstance(parsed.body[0], ast.FunctionDef):
            return parsed.body[0]
    return None


def _parsed(text: str, mode: str = "eval") -> Any:
    try:
        tree = ast.parse(text.strip(), mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree.body if isinstance(tree, ast.Expression) else tree


def _name(node: ast.AST | None) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _adapted(argument: Any, shape: Shape, names: dict[str, Any]) -> Any:
    if isinstance(argument, list):
        if shape.node:
            return (_tree if shape.node == "TreeNode" else _linked)(argument, _class(names, NODES[shape.node]))
        return argument if shape.items is None else [_adapted(item, shape.items, names) for item in argument]
    # APPS: JSON made strings of integer keys (its own judge turns them back in the same way).
    if isinstance(argument, dict) and argument and all(re.fullmatch(r"-?\d+", key) for key in argument):
        return {int(key): value for key, value in argument.items()}
    return argument


def _flattened(value: Any, shape: Shape, names: dict[str, Any]) -> Any:
    kind = type(value)
    list_node, tree_node = _class(names, ListNode), _class(names, TreeNode)
    if issubclass(kind, list_node):
        return _values(value)
    if issubclass(kind, tree_node):
        return _level_order(value)
    if value is None and shape.node:
        return NO_NODE
    if kind is list:
        nodes = (list_node, tree_node)
        if shape.items is not None and (shape.items.node or shape.items.items):
            return [_flattened(item, shape.items, names) for item in value]
        if any(issubclass(type(item), nodes) for item in value):
            return [_flattened(item, ANY_NODE, names) for item in value]
    return value


def _class(names: dict[str, Any], assumed: type) -> type:
    """The class under a node's name: the program's own, if what it has under that name is one."""
    found = names.get(assumed.__name__)
    return found if isinstance(found, type) else assumed


UNKNOWN, ANY_NODE = Shape(), Shape(ast.Name("ListNode"))


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


def _values(head: Any) -> list[Any]:
    values: list[Any] = []
    while head is not None and len(values) < MAX_NODES:
        values.append(head.val)
        head = head.next
    return values


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


NO_SIGNATURE = Signature("", "")
