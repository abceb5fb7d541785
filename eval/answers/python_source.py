"""Whether a text is Python, asked of the parser alone: no code object is built and no constant folded."""

from __future__ import annotations

import ast
import warnings

MAX_PROGRAM_CHARS = 128 * 1024


def parsed(text: str) -> ast.Module | None:
    """The syntax tree of a text, or None where it is no Python, too long, or more than the parser copes with."""
    tree = _tree(text) if len(text) <= MAX_PROGRAM_CHARS else None
    return tree if isinstance(tree, ast.Module) else None


def syntax_error(text: str) -> SyntaxError | None:
    """What is wrong with a text, at which line from 1; None where nothing is. What is too much for it is its line 1."""
    tree = _tree(text)
    return tree if isinstance(tree, SyntaxError) else None


def ends_in_a_string(text: str) -> bool:
    """Whether a text breaks off within a string of several lines."""
    if len(text) > MAX_PROGRAM_CHARS:
        return False
    error = syntax_error(text)
    return error is not None and str(error.msg).startswith("unterminated triple-quoted")


def _tree(text: str) -> ast.Module | SyntaxError:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in an answer is not our warning
        try:
            return ast.parse(text)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError) as error:
            failure = SyntaxError(str(error))
            failure.lineno = 1
            return failure
