"""The forms in which models hand over a program, and answers made to break the extractor."""

import pytest

from eval.extract import extract_code

CODE = "n = int(input())\nprint(n * 2)"
WRONG = "n = int(input())\nprint(n + 2)"
FUNCTION = "def triple(x):\n    return x * 3"


def fenced(code: str, info: str = "python", fence: str = "```") -> str:
    return f"{fence}{info}\n{code}\n{fence}"


STDIN_FORMS = {
    "plain": f"The answer.\n\n{fenced(CODE)}\n\nDone.",
    "py": fenced(CODE, "py"),
    "upper": fenced(CODE, "PYTHON"),
    "Python3": fenced(CODE, "Python3"),
    "space before the tag": fenced(CODE, " python"),
    "attributes": fenced(CODE, 'python title="main.py" linenos'),
    "braces": fenced(CODE, "{.python .numberLines}"),
    "no tag": fenced(CODE, ""),
    "tildes": fenced(CODE, fence="~~~"),
    "four backticks": fenced(CODE, fence="````"),
    "longer close": f"```python\n{CODE}\n`````",
    "unclosed": f"Here:\n```python\n{CODE}",
    "in a list": "1. So:\n\n   ```python\n   n = int(input())\n   print(n * 2)\n   ```\n",
    "in a quote": "> ```python\n> n = int(input())\n> print(n * 2)\n> ```\n",
    "list with code at the margin": f"1. So:\n   ```python\n{CODE}\n   ```\n",
    "fence after text": f"Here is the code: ```python\n{CODE}\n```",
    "text after the closing fence": f"```python\n{CODE}\n``` That is all.",
    "no fence": CODE,
    "prose, then no fence": f"Here is the code, as asked.\n\n{CODE}",
    "end of text token": f"{CODE}<|im_end|>",
    "CodeLlama marks": f"[PYTHON]\n{CODE}\n[/PYTHON]",
    "echoed phrase": f"I enclose it inside a ```python``` block.\n\n{fenced(CODE)}\n\nThe ```python``` block reads n.",
    "echoed phrase at the line start": f"```python``` block:\n{fenced(CODE)}",
    "draft first": f"{fenced(WRONG)}\nNo. Corrected:\n{fenced(CODE)}",
    "broken last": f"{fenced(CODE)}\nor\n{fenced('print(2 * int(input())')}",
    "snippet last": f"{fenced(CODE)}\nwhere\n{fenced('x = len([1])')}",
    "output last": f"{fenced(CODE)}\nOutput:\n{fenced('8', '')}",
    "untagged input first": f"Input:\n{fenced('4', '')}\n{fenced(CODE)}",
    "other language first": f"{fenced('int main() {}', 'cpp')}\n{fenced(CODE)}",
    "thought": f"<think>{fenced(WRONG)}</think>\n{fenced(CODE)}",
    "thinking": f"<thinking>\n{fenced(WRONG)}\n</thinking>\n{fenced(CODE)}",
    "thought without an opening": f"so\n{fenced(WRONG)}\n</think>\n{fenced(CODE)}",
    "thought after": f"{fenced(CODE)}\n<think>or\n{fenced(WRONG)}\n</think>",
    "thought markers": f"<|begin_of_thought|>{fenced(WRONG)}\n<|end_of_thought|>\n<|begin_of_solution|>{fenced(CODE)}",
    "thought never ends after the answer": f"{fenced(CODE)}\n<think>hmm {fenced(WRONG)}",
    "byte order mark": "\ufeff" + fenced(CODE),
    "CRLF": fenced(CODE).replace("\n", "\r\n"),
    "answer tags": f"<answer>\n{fenced(CODE)}\n</answer>",
    "answer tag on the fence's line": f"<answer>{fenced(CODE)}</answer>",
}


@pytest.mark.parametrize("response", STDIN_FORMS.values(), ids=STDIN_FORMS)
def test_the_program_is_found(response):
    code = extract_code(response, kind="stdin")
    assert code is not None
    assert code.strip() == CODE


NO_PROGRAM = {
    "empty": "",
    "blank": " \n\t\n",
    "empty block": "```python\n```",
    "blank block": "```python\n\n  \n```",
    "comment only": "```python\n# your code here\n```",
    "other language": fenced("#include <x>", "cpp"),
    "endless thought": f"<think>\n{fenced(CODE)}\nand then I run out of",
    "prose": "I cannot solve this.",
    "one word": "Sorry",
    "sample output only": fenced("8", ""),
}


@pytest.mark.parametrize("response", NO_PROGRAM.values(), ids=NO_PROGRAM)
def test_no_program_is_none(response):
    assert extract_code(response, kind="stdin") is None


CALL_FORMS = {
    "usage after": fenced(FUNCTION) + "\nUsage:\n" + fenced("print(triple(2))"),
    "helper after": fenced(FUNCTION) + "\nwith\n" + fenced("def helper(x):\n    return x"),
    "draft first": fenced("def triple(x):\n    return x + 3") + "\n" + fenced(FUNCTION),
    "no fence": FUNCTION,
    "class only in prose": f"The class Solution style.\n{fenced(FUNCTION)}",
}


@pytest.mark.parametrize("response", CALL_FORMS.values(), ids=CALL_FORMS)
def test_the_block_that_defines_the_function_wins(response):
    code = extract_code(response, kind="call", fn_name="triple")
    assert code is not None
    assert code.strip() == FUNCTION


def test_a_method_of_solution_counts_as_the_function():
    solution = "class Solution:\n    def triple(self, x):\n        return x * 3"
    response = fenced(solution) + "\nTest:\n" + fenced("def check():\n    assert Solution().triple(1) == 3")
    assert (extract_code(response, kind="call", fn_name="triple") or "").strip() == solution


def test_backticks_inside_a_string_do_not_end_the_program():
    code = "mark = '```'\nprint(len(mark))"
    assert (extract_code(fenced(code), kind="stdin") or "").strip() == code


def test_a_program_that_does_not_parse_is_handed_on_to_be_a_compile_error():
    assert (extract_code(fenced("print(1"), kind="stdin") or "").strip() == "print(1"


MEGABYTE = 1 << 20
HOSTILE = {
    "backticks": "`" * MEGABYTE,
    "backtick lines": "```\n" * (MEGABYTE // 4),
    "backtick pairs": "``` ```" * (MEGABYTE // 7),
    "tildes": "~" * MEGABYTE,
    "unclosed fences of growing length": "\n".join("`" * n for n in range(3, 1400)),
    "quotes": ">" * MEGABYTE,
    "quoted fences": "> ```python\n" * (MEGABYTE // 12),
    "list marks": "- " * (MEGABYTE // 2),
    "thoughts": "<think>" * (MEGABYTE // 7),
    "end of thoughts": "</think>" * (MEGABYTE // 8),
    "blanks": " " * MEGABYTE,
    "newlines": "\n" * MEGABYTE,
    "nested brackets": fenced("(" * 100_000),
    "nested unary": fenced("x = " + "-" * 100_000 + "1"),
    "nested attributes": fenced("x" + ".a" * 60_000),
    "nested calls": fenced("f" + "()" * 60_000),
    "nested lambdas": fenced("lambda: " * 16_000 + "1"),
    "nested dicts": fenced("{1:" * 95 + "}" * 95),
    "nested f(": fenced("f(" * 190),
    "sums": fenced("1+" * 60_000 + "1"),
    "elifs": fenced("if a:\n  f()\n" + "elif b:\n  f()\n" * 8_000),
    "nul": fenced("print(1)\0"),
    "surrogate": fenced("print('\ud800')"),
    "power bomb": fenced("x = (10 ** 9) ** (10 ** 9)\nprint('a' * 10 ** 12)"),
}


@pytest.mark.parametrize("response", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", ["stdin", "call"])
def test_hostile_answers_neither_raise_nor_hang(response, kind):
    code = extract_code(response, kind=kind, fn_name="f")
    assert code is None or isinstance(code, str)
