"""Breadth-first search over the states of a puzzle: shortest ways, and states at a given distance."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def shortest_path(start: N, end: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
    """The states from `start` to `end`, both included, in as few moves as can be.

    Raises ValueError if no moves lead there.
    """
    came_from: dict[N, N] = {start: start}
    frontier = [start]
    while frontier and end not in came_from:
        frontier = _next_layer(frontier, came_from, successors)
    if end not in came_from:
        raise ValueError(f"{end!r} cannot be reached from {start!r}")
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def layers(start: N, successors: Callable[[N], Iterable[N]], depth: int) -> list[list[N]]:
    """The states at each distance from `start`: 0, 1, ... up to `depth`, or to the last there is."""
    came_from: dict[N, N] = {start: start}
    found = [[start]]
    while len(found) <= depth and (layer := _next_layer(found[-1], came_from, successors)):
        found.append(layer)
    return found


def _next_layer(frontier: list[N], came_from: dict[N, N], successors: Callable[[N], Iterable[N]]) -> list[N]:
    """The new states one move from the frontier, in the order found, so that a seed gives the same everywhere."""
    layer = []
    for state in frontier:
        for successor in successors(state):
            if successor not in came_from:
                came_from[successor] = state
                layer.append(successor)
    return layer
