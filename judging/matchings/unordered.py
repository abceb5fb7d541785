"""Whether two collections hold the same things in any order, where numbers need only be close."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

MAX_STEPS = 1_000_000  # beyond what sorting pairs; a program must not keep its judge busy

Shape: TypeAlias = str | tuple[bytes, ...]
Same: TypeAlias = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing: things that are the same have the same `shape`, and those of one shape are sorted by `order`."""

    value: Any
    shape: Shape
    order: Any


class Patience:
    """How many steps a comparison may still take."""

    def __init__(self) -> None:
        self.left = MAX_STEPS


def same_bag(given: Iterable[Item], wanted: Iterable[Item], same: Same, patience: Patience) -> bool:
    """Whether the given things can be paired with the wanted ones so that each pair is the same.

    Sorted, nearly all are found at once. What is left, such as reals that are close but sort differently, is tried one
    with another while there is patience.
    """
    by_shape, wanted_by_shape = _by_shape(given), _by_shape(wanted)
    if {shape: len(items) for shape, items in by_shape.items()} != {
        shape: len(items) for shape, items in wanted_by_shape.items()
    }:
        return False
    return all(_pair(by_shape[shape], items, same, patience) for shape, items in wanted_by_shape.items())


def _by_shape(items: Iterable[Item]) -> dict[Shape, list[Item]]:
    by_shape: dict[Shape, list[Item]] = defaultdict(list)
    for item in items:
        by_shape[item.shape].append(item)
    return by_shape


def _pair(given: list[Item], wanted: list[Item], same: Same, patience: Patience) -> bool:
    pairs = zip(sorted(given, key=_order), sorted(wanted, key=_order), strict=True)
    left = [(item.value, wish.value) for item, wish in pairs if not same(item.value, wish.value)]
    values, step = [value for value, _ in left], 1 + len(wanted[0].shape)
    for _, wish in left:
        for position, value in enumerate(values):
            patience.left -= step
            if patience.left < 0:
                return False
            if same(value, wish):
                del values[position]
                break
        else:
            return False
    return True


def _order(item: Item) -> Any:
    return item.order
