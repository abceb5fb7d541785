"""Tests that GeeksForGeeks writes as prose (`n = 5`, `arr[] = {5,10,30}`) -> the arguments of a call.

The platform's driver is not in the data, so what it did is read off the starter code's signature. Covered: numbers,
strings with and without quotes, true and false, lists and matrices in any bracket, commas, semicolons or line ends
between assignments. Raised as `ValueError` with the reason, never guessed: everything else, among it trees and linked
lists, a list of a number and a word, names that leave open which parameter is meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from foveal.judging.verdict import Case

MAX_DEPTH = 8

_PROSE = re.compile(r"(?:^|[\s,;:])[A-Za-z_]\w*\s*(?:\[[^\]\n]*\]\s*)*=(?!=)")
_TARGET = re.compile(r"\s*([A-Za-z_]\w*)[ \t]*((?:\[\s*\w*\s*\][ \t]*)*)=(?!=)\s*")
_BETWEEN = re.compile(r"\s*[,;]?\s*")
_QUOTED = re.compile(r'"([^"\\\n]*)"|\'([^\'\\\n]*)\'|“([^”\\\n]*)”|‘([^’\\\n]*)’')
_WORD = re.compile(r"[^\s,;=(){}\[\]\"'“”‘’]+")
_KINDS = (
    ("integer", re.compile(r"[+-]?(?:0|[1-9]\d{0,4000})", re.ASCII)),
    ("real", re.compile(r"[+-]?(?:\d{1,300}\.\d{0,300}|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)),
    ("digits", re.compile(r"0\d+", re.ASCII)),
    ("truth", re.compile(r"true|false", re.IGNORECASE)),
    ("nothing", re.compile(r"null|none|nil|nullptr|nan|inf|infinity", re.IGNORECASE)),
    ("word", re.compile(r"[A-Za-z]\w*", re.ASCII)),
)
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_CLOSER = {"{": "}", "[": "]", "(": ")"}

# Which ways of writing may stand together for one parameter, and what they are then.
_READINGS: tuple[tuple[frozenset[str], type], ...] = (
    (frozenset({"integer"}), int),
    (frozenset({"integer", "real"}), float),
    (frozenset({"truth"}), bool),
    (frozenset({"quoted", "word", "truth"}), str),
    (frozenset({"integer", "digits"}), str),
)
_ANNOTATED: Mapping[str, tuple[type, frozenset[str]]] = {
    "int": (int, frozenset({"integer"})),
    "float": (float, frozenset({"integer", "real"})),
    "bool": (bool, frozenset({"truth"})),
    "str": (str, frozenset({"quoted", "word", "truth", "integer", "digits"})),
}

_COMMENT = re.compile(r"#[^\n]*|'''.*?'''|\"\"\".*?\"\"\"", re.DOTALL)
_SOLUTION = re.compile(r"^class[ \t]+Solution\b[^\n]*\n", re.MULTILINE)
_DEF = re.compile(r"^([ \t]*)def[ \t]+([^\W\d]\w*)[ \t]*\(([^()]*)\)[ \t]*(?:->[^:\n]*)?:", re.MULTILINE)
_NODES = re.compile(r"\b\w*Node\b")
_NODE_NAME = re.compile(r"root\d?|head\d?|node\d?", re.IGNORECASE)
# The driver builds these from what the prose calls edges: only the very name says that it did not.
_BUILT_NAME = re.compile(r"(?:adj|graph)\w*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is no list, as it was written: between quotes, or one word of some kind."""

    kind: str
    text: str


Written: TypeAlias = "Leaf | list[Written]"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the function to call; `annotation` is the innermost type, `depth` how many lists are around it."""

    name: str
    annotation: str | None = None
    depth: int | None = None


def is_prose(text: str) -> bool:
    """Whether a test's input assigns to names rather than being standard input."""
    return _PROSE.search(text) is not None


def calls_of(starter_code: str, cases: Iterable[Case]) -> tuple[str, tuple[Case, ...]]:
    """The function to call, and the cases as calls: the arguments in the signature's order, and all right results.

    Raises `ValueError` with the reason where the starter code or one of the cases leaves anything open.
    """
    cases = tuple(cases)
    name, parameters = signature_of(starter_code)
    columns = _columns([assignments(case.input) for case in cases])
    arguments = [_values(parameter, columns[prose]) for parameter, prose in _pairs(parameters, columns)]
    results = results_of([case.expected for case in cases])
    return name, tuple(
        Case(input=[column[number] for column in arguments], expected=results[number]) for number in range(len(cases))
    )


def signature_of(starter_code: str) -> tuple[str, tuple[Parameter, ...]]:
    """Name and parameters of the one public function, or method of `class Solution`, without `self`."""
    if _NODES.search(starter_code):
        raise ValueError("the starter code is about trees or linked lists, which prose does not spell out")
    code = _COMMENT.sub("", starter_code)
    in_class = _SOLUTION.search(code)
    found = [match for match in _DEF.finditer(code, in_class.end() if in_class else 0) if not match[2].startswith("_")]
    found = [match for match in found if bool(match[1]) == bool(in_class)]
    if len(found) != 1:
        raise ValueError(f"the starter code has {len(found)} public functions: which one to call is not said")
    [match] = found
    parameters = _parameters(match[3])
    if in_class and parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    if not parameters or any(_NODE_NAME.fullmatch(parameter.name) for parameter in parameters):
        raise ValueError(f"{match[2]} takes no arguments, or trees or linked lists, which prose does not spell out")
    return match[2], parameters


def assignments(text: str) -> dict[str, Written]:
    """What a test's input assigns: `N = 2, A[] = {1, 2}` -> {"N": 2, "A": [1, 2]}, each value as written."""
    written: dict[str, Written] = {}
    position = 0
    while position < len(text):
        target = _TARGET.match(text, position)
        if target is None:
            raise ValueError(f"no `name = value` at {text[position:]!r:.40}")
        value, position = _value(text, target.end())
        if target[1] in written or (target[2] and isinstance(value, Leaf)):
            raise ValueError(f"{target[1]} is assigned twice, or declared as a list and is none")
        written[target[1]] = value
        position = _next(text, position)
    if not written:
        raise ValueError("no `name = value` in a test's input")
    for leaf in (leaf for value in written.values() for leaf in _leaves(value)):
        if leaf.kind == "word" and leaf.text in written:
            raise ValueError(f"{leaf.text} is a name and a value in the same test")
    return written


def results_of(outputs: Sequence[str]) -> list[list[Any]]:
    """What a function may return for each of a problem's outputs: every value that prints so, the text itself last.

    A driver printed the result, and how is not in the data: `1 2 3` may be a list or a string, `Yes` a string or the
    truth. One word among outputs of several may be a list of one.
    """
    texts = [_output(output) for output in outputs]
    readings = [_read_output(text) for text in texts]
    sequences = any(isinstance(value, list) for values in readings for value in values)
    return [
        [*values, *([[value] for value in values if not isinstance(value, list)] if sequences else []), text]
        for text, values in zip(texts, readings, strict=True)
    ]


def _parameters(text: str) -> tuple[Parameter, ...]:
    try:
        [function] = ast.parse(f"def f({text}): pass").body
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"the starter code's parameters {text!r:.40} are not Python") from error
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise ValueError(f"the starter code's parameters {text!r:.40} are not plain names")
    return tuple(_parameter(argument) for argument in arguments.args)


def _parameter(argument: ast.arg) -> Parameter:
    if argument.annotation is None:
        return Parameter(argument.arg)
    depth, annotation = 0, argument.annotation
    while isinstance(annotation, ast.Subscript) and _name(annotation.value) in ("List", "list"):
        depth, annotation = depth + 1, annotation.slice
    name = _name(annotation)
    if name in ("List", "list"):
        return Parameter(argument.arg)
    if name not in _ANNOTATED:
        raise ValueError(f"the parameter {argument.arg} is of a type that prose does not spell out")
    return Parameter(argument.arg, name, depth)


def _name(annotation: ast.expr) -> str | None:
    return annotation.id if isinstance(annotation, ast.Name) else None


def _value(text: str, position: int, depth: int = 0) -> tuple[Written, int]:
    if position < len(text) and text[position] in _CLOSER:
        if depth == MAX_DEPTH:
            raise ValueError(f"lists nested deeper than {MAX_DEPTH}")
        return _list(text, position, depth)
    quoted = _QUOTED.match(text, position)
    if quoted is not None:
        return Leaf("quoted", quoted[quoted.lastindex or 1]), quoted.end()
    word = _WORD.match(text, position)
    kind = next((kind for kind, form in _KINDS if word and form.fullmatch(word[0])), None)
    if word is None or kind in (None, "nothing"):
        raise ValueError(f"a value that is no number, word, string or list: {text[position:]!r:.40}")
    return Leaf(str(kind), word[0]), word.end()


def _list(text: str, position: int, depth: int) -> tuple[Written, int]:
    """Items between commas, or numbers between blanks; a comma after the last item is let pass."""
    closer = _CLOSER[text[position]]
    items: list[Written] = []
    separators: set[str] = set()
    position = _skip(text, position + 1)
    while text[position : position + 1] != closer:
        item, position = _value(text, position, depth + 1)
        items.append(item)
        end = _skip(text, position)
        if text[end : end + 1] == ",":
            separators.add(",")
            end = _skip(text, end + 1)
        elif text[end : end + 1] != closer:
            separators.add(" ")
        position = end
    between_blanks = " " in separators
    if between_blanks and ("," in separators or any(_kind(item) not in ("integer", "real") for item in items)):
        raise ValueError("a list whose items are not between commas")
    return items, position + 1


def _next(text: str, position: int) -> int:
    """Where what follows a value begins."""
    between = _BETWEEN.match(text, position)
    assert between is not None
    if between.end() == position < len(text):
        raise ValueError(f"nothing separates the values at {text[position:]!r:.40}")
    return between.end()


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _kind(item: Written) -> str | None:
    return item.kind if isinstance(item, Leaf) else None


def _columns(tests: Sequence[Mapping[str, Written]]) -> dict[str, list[Written]]:
    if any(test.keys() != tests[0].keys() for test in tests):
        raise ValueError("the tests do not assign to the same names")
    return {name: [test[name] for test in tests] for name in tests[0]}


def _pairs(parameters: Sequence[Parameter], columns: Mapping[str, list[Written]]) -> list[tuple[Parameter, str]]:
    """Which name of the prose is which parameter: by its name, else by its place where no name says otherwise.

    Order alone is trusted where it is all there is: one name left, or no name of the prose in the signature. In
    between (`W, wt, val` for `W, values, weight`) it would be a guess. A name that is left over must be the length of
    an argument, which this signature does without.
    """
    chosen = _by_name([parameter.name for parameter in parameters], list(columns))
    open_parameters = [parameter.name for parameter in parameters if parameter.name not in chosen]
    left = [name for name in columns if name not in chosen.values()]
    by_order = len(open_parameters) == len(left) and (len(left) == 1 or not chosen)
    if by_order and not any(map(_BUILT_NAME.fullmatch, open_parameters)):
        chosen |= dict(zip(open_parameters, left, strict=True))
        open_parameters, left = [], []
    if open_parameters:
        raise ValueError(f"which of the tests' names is the parameter {open_parameters[0]} is not said")
    for name in left:
        if not _is_length(columns[name], [columns[prose] for prose in chosen.values()]):
            raise ValueError(f"the tests assign to {name}, which is no parameter")
    return [(parameter, chosen[parameter.name]) for parameter in parameters]


def _by_name(parameters: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The names as written, then, for what is left, without regard to case where that is unambiguous."""
    chosen = {name: name for name in parameters if name in names}
    for parameter in parameters:
        alike = [name for name in names if name.lower() == parameter.lower() and name not in chosen.values()]
        rivals = [name for name in parameters if name.lower() == parameter.lower() and name not in chosen]
        if parameter not in chosen and len(alike) == len(rivals) == 1:
            chosen[parameter] = alike[0]
    return chosen


def _is_length(column: Sequence[Written], others: Sequence[Sequence[Written]]) -> bool:
    return any(all(map(_counts, column, other)) for other in others)


def _counts(number: Written, value: Written) -> bool:
    """Whether `number` is how many items, rows, columns or characters `value` has."""
    if not isinstance(number, Leaf) or number.kind != "integer":
        return False
    if isinstance(value, Leaf):
        return value.kind in ("quoted", "word") and int(number.text) == len(value.text)
    lengths = {len(value), *(len(row) for row in value if isinstance(row, list))}
    return int(number.text) in lengths


def _values(parameter: Parameter, column: Sequence[Written]) -> list[Any]:
    """A parameter's arguments, one per test, all of one type."""
    if len({isinstance(value, list) for value in column}) > 1:
        raise ValueError(f"{parameter.name} is a list in some tests and none in others")
    if parameter.depth is not None and not all(_has_depth(value, parameter.depth) for value in column):
        raise ValueError(f"{parameter.name} is no {'list of ' * parameter.depth}{parameter.annotation} in the tests")
    kinds = {leaf.kind for value in column for leaf in _leaves(value)}
    return [_plain(value, _reading(parameter, kinds)) for value in column]


def _reading(parameter: Parameter, kinds: set[str]) -> type:
    if parameter.annotation is not None:
        reading, allowed = _ANNOTATED[parameter.annotation]
        if kinds <= allowed:
            return reading
    else:
        for allowed, reading in _READINGS:
            if kinds <= allowed:
                return reading
    raise ValueError(f"{parameter.name} is written as {' and '.join(sorted(kinds))}: its type is not clear")


def _has_depth(value: Written, depth: int) -> bool:
    if isinstance(value, Leaf):
        return depth == 0
    return depth > 0 and all(_has_depth(item, depth - 1) for item in value)


def _leaves(value: Written) -> list[Leaf]:
    return [value] if isinstance(value, Leaf) else [leaf for item in value for leaf in _leaves(item)]


def _plain(value: Written, reading: type) -> Any:
    if isinstance(value, list):
        return [_plain(item, reading) for item in value]
    return value.text.lower() == "true" if reading is bool else reading(value.text)


def _output(output: str) -> str:
    text = output.strip()
    if not text:
        raise ValueError("an output is empty, and what an empty one stands for is not said")
    if "->" in text or "explanation" in text.lower():
        raise ValueError(f"an output is a linked list or has prose of its own: {text!r:.40}")
    return text


def _read_output(text: str) -> list[Any]:
    """The values, other than the text itself, that print as `text`."""
    if text.lower() in _TRUTHS:
        return [_TRUTHS[text.lower()]]
    try:
        items = _written_items(text)
    except ValueError:
        return []  # no list and no number: `(()())`, `a+b`
    if len(items) == 1 and isinstance(items[0], Leaf):
        value = _plain_item(items[0])
        return [value] if value != text else []
    if len(items) == 1 or all(isinstance(item, list) for item in items):
        return [_plain_item(items[0] if len(items) == 1 else items)]
    lines = [line.split() for line in text.splitlines()]
    is_matrix = len(lines) > 1 and "," not in text and any(len(line) > 1 for line in lines)
    rows = [[_plain_item(_written_items(" ".join(line))) for line in lines]] if is_matrix else []
    return [_plain_item(items), *rows]


def _written_items(text: str) -> list[Written]:
    """The values of a text, between commas or blanks."""
    items: list[Written] = []
    position = 0
    while position < len(text):
        item, position = _value(text, position)
        items.append(item)
        position = _next(text, position)
    return items


def _plain_item(value: Written) -> Any:
    """A result: numbers where all are numbers, else strings."""
    kinds = {leaf.kind for leaf in _leaves(value)}
    reading = next((reading for allowed, reading in _READINGS if kinds <= allowed), str)
    return _plain(value, reading)
