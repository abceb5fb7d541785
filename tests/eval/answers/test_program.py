"""The forms in which models hand over a program, and answers made to break the extractor."""

import time

import pytest

from foveal.eval.answers.code_blocks import MAX_MENDED_CHARS
from foveal.eval.answers.program import extract_code

CODE = "n = int(input())\nprint(n * 2)"
WRONG = "n = int(input())\nprint(n + 2)"
FUNCTION = "def triple(x):\n    return x * 3"


def fenced(code: str, info: str = "python", fence: str = "```") -> str:
    return f"{fence}{info}\n{code}\n{fence}"


PRINTS_TAG = "print('</think>')"

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
    "the tag's name in prose": f"I do not use the `<think>` tag.\n{fenced(CODE)}",
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

STDIN_FORMS |= {
    "byte order mark in the block": fenced("\ufeff" + CODE),
    "byte order mark, no fence": f"\n\ufeff{CODE}",
    "no fence, then prose": f"{CODE}\n\nThis doubles the number.",
    "prose, no fence, prose": f'Here is the solution:\n\n{CODE}\n\nIt\'s right (I think.\nDoesn\'t it """ double?\n',
    "prose that begins like code": f"if you like,\nfor all n:\n\n{CODE}\n\nDone, isn't it?",
    "much prose after": f"{CODE}\n" + "That's how it isn't done (or is it.\n" * 100,
    "wrapped with its thought in one fence": f"```\n<think>\nhmm\n</think>\n{CODE}\n```",
    "draft left open in an implied thought": f"so\n```python\n{WRONG}\n</think>\n{fenced(CODE)}",
    "draft left open in mid line": f"so\n```python\n{WRONG}</think>\n{fenced(CODE)}",
    "draft left open in an untagged fence": f"so\n```\n{WRONG} and\n</think>\n{fenced(CODE, '')}",
    "draft left open in a thought": f"<think>so\n```python\n{WRONG}\n</think>\n{fenced(CODE)}",
    "draft that prints the closing tag": f"<think>{fenced(PRINTS_TAG)}\n</think>\n{fenced(CODE)}",
    "same, closed on the fence's line": f"<think>{fenced(PRINTS_TAG)}</think>\n{fenced(CODE)}",
    "CodeLlama marks around a fence": f"[PYTHON]\n{fenced(CODE)}\n[/PYTHON]",
    "end of text after the fence": f"{fenced(CODE)}</s>",
    "end of text in an unclosed fence": f"```python\n{CODE}</s>",
}


STDIN_FORMS |= {
    "py3": fenced(CODE, "py3"),
    "python 3": fenced(CODE, "python 3"),
    "Python 3.11": fenced(CODE, "Python 3.11"),
    "file name": fenced(CODE, "python:main.py"),
    "{python}": fenced(CODE, "{python}"),
    "lang=python": fenced(CODE, "lang=python"),
    "language-python": fenced(CODE, "language-python"),
    "on one line": "n: ```python print(1)``` then\n" + fenced(CODE),
    "indented as code": "So:\n\n    n = int(input())\n    print(n * 2)\n\nDone.",
    "a tag without its fence": f"python\n{CODE}",
    "a heading without a fence": f"Solution\n\n{CODE}",
    "all of it as Markdown": f"````markdown\n# Solution\n{fenced(CODE)}\nDone.\n````",
    "all of it as Markdown, unmatched": f"```markdown\n# Solution\n{fenced(CODE)}\n```",
    "a reading snippet after": f"{fenced(CODE)}\nwhere\n{fenced('n = int(input())')}\nreads it.",
    "a reading snippet before": f"First\n{fenced('n = int(input())')}\nthen all:\n{fenced(CODE)}",
    "usage after": f"{fenced(CODE)}\nFor instance\n{fenced('print(2 * 2)  # 4')}",
    "ellipsis after": f"{fenced(CODE)}\nTemplate\n{fenced('...')}",
    "installation before": f"{fenced('pip install numpy', 'bash')}\n{fenced(CODE)}",
    "diff before": f"{fenced('-x' + chr(10) + '+y', 'diff')}\n{fenced(CODE)}",
    "session before": f"{fenced('>>> 2 * 2' + chr(10) + '4')}\n{fenced(CODE)}",
    "output tagged python": f"{fenced(CODE)}\nOutput:\n{fenced('8')}",
    "html details": f"<details><summary>Code</summary>\n\n{fenced(CODE)}\n\n</details>",
    "code tags": f"<code>\n{CODE}\n</code>",
    "pre and code tags": f"<pre><code class='language-python'>\n{CODE}\n</code></pre>",
    "solution tags": f"<solution>\n{CODE}\n</solution>",
    "carriage returns alone": fenced(CODE).replace("\n", "\r"),
    "final channel": f"<|channel|>analysis<|message|>{WRONG}<|end|><|channel|>final<|message|>{fenced(CODE)}",
    "upper case thought": f"<THINK>{fenced(WRONG)}</THINK>{fenced(CODE)}",
    "several thoughts": f"<think>a</think>b<think>{fenced(WRONG)}</think>\n{fenced(CODE)}",
    "unclosed after a draft": f"{fenced(WRONG)}\nBetter:\n```python\n{CODE}",
    "unclosed and broken after it": f"{fenced(CODE)}\nBetter:\n```python\nprint(int(inp",
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
    "endless thought that begins with a fence": f"<think>{fenced(CODE)}\nand then I run out of",
    "prose": "I cannot solve this.",
    "one word": "Sorry",
    "sample output only": fenced("8", ""),
    "inline code": "Sort with `sorted(a)`, then ``print(a)``.",
    "an echoed phrase alone": "I shall enclose it inside a ```python``` block.",
    "indented words": "So:\n\n    first read n\n    then print it\n",
    "a markdown block of words": fenced("# Idea\nSort it.", "markdown"),
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
    "tests that do not define it after": fenced(FUNCTION) + "\n" + fenced("def test():\n    assert triple(1) == 3"),
    "untagged, a usage tagged": f"{fenced(FUNCTION, '')}\n{fenced('print(triple(2))')}",
    "unclosed": f"```python\n{FUNCTION}",
    "prose around": f"The function:\n\n{FUNCTION}\n\nIt triples.",
    "indented as code": "So:\n\n    def triple(x):\n        return x * 3\n",
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


FENCES_IN_STRINGS = {
    "a string": f"mark = '''\n{fenced('x', '')}\n'''\n{CODE}",
    "a docstring": f'def f():\n    """\n    ```\n    f()\n    ```\n    """\n{CODE}',
    "one fence": f'x = """\n```\n"""\n{CODE}',
    "tagged fences": f'x = """\n{fenced("print(1)")}\n"""\n{CODE}',
    "a comment": f"# {fenced('x', '')[:3]}\n{CODE}",
}


@pytest.mark.parametrize("code", FENCES_IN_STRINGS.values(), ids=FENCES_IN_STRINGS)
def test_fences_in_strings_do_not_end_the_program(code):
    for response in (
        fenced(code),
        f"So:\n{fenced(code)}\nOutput:\n{fenced('8', '')}",
        f"1. So\n\n{fenced(code)}\n\n2. Done",
    ):
        assert (extract_code(response, kind="stdin") or "").strip() == code


def test_strings_that_never_end_are_mended_only_so_far(monkeypatch):
    sizes = []

    def parsed(text):
        sizes.append(len(text))

    monkeypatch.setattr("foveal.eval.answers.code_blocks.parsed", parsed)
    assert extract_code('```python\nx = """\n```\n' * 5_000, kind="stdin") is not None
    assert 0 < sum(sizes) <= MAX_MENDED_CHARS


def test_a_program_that_does_not_parse_is_handed_on_to_be_a_compile_error():
    assert (extract_code(fenced("print(1"), kind="stdin") or "").strip() == "print(1"


WORDS = [
    "<think>",
    "</think>",
    "</thinking>",
    "[PYTHON]",
    "[/PYTHON]",
    "</s>",
    "<|endoftext|>",
    "<|im_end|>",
    "[THINK]",
]
PLACES = {
    "in a string": "n = input()\nprint(n.replace('{}', 'x'))",
    "in a comment": "n = input()\n# {}\nprint(n)",
    "on a line of its own": "n = input()\nprint('''\n{}\n''')",
    "at the end": "print(input())  # {}",
}
FRAMES = {
    "fenced": "{}",
    "after a thought": "<think>\n```python\nprint(1)\n```\n</think>\n{}",
    "after an implied thought": "so\n```python\nprint(1)\n```\n</think>\n{}",
    "before another thought": "{}\n<think>\nor\n",
    "after the phrase": "It is inside a ```python``` block.\n\n{}\n\nThe ```python``` block reads n.",
    "with an unclosed tilde fence": "{}\n~~~\n8\n",
    "on the line of text": "<answer>{}</answer>",
    "then text": "{} That is all.",
}


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_what_a_closed_fence_holds_is_code_word_for_word(word, place, frame):
    code = place.format(word)
    found = extract_code(frame.format(fenced(code)), kind="stdin")
    assert found is not None
    assert found.strip() == code


@pytest.mark.parametrize("word", ["<think>", "</think>", "</s>"])
def test_what_stands_between_the_marks_of_codellama_is_code_word_for_word(word):
    code = f"n = input()\nprint(n.replace('{word}', 'x'))"
    assert (extract_code(f"[PYTHON]\n{code}\n[/PYTHON]", kind="stdin") or "").strip() == code


def test_blanks_in_a_string_stay():
    code = "s = '''a\n   \nb'''\nprint(len(s))\n"
    assert extract_code(f"```python\n{code}```", kind="stdin") == code


DEFINITIONS = {
    "inherited": "class Base:\n    def f(self, x): return x\nclass Solution(Base): pass",
    "inherited twice": "class A:\n    def f(self): pass\nclass B(A): pass\nclass Solution(B, object): pass",
    "annotated": "f: 'Callable' = lambda x: x",
    "async": "async def f(x): return x",
    "under if": "if True:\n    def f(x): return x",
    "under else": "if 0:\n    pass\nelse:\n    def f(x): return x",
    "in try": "try:\n    import numpy\nexcept ImportError:\n    def f(x): return x",
    "method under if": "class Solution:\n    if True:\n        def f(self, x): return x",
    "class under if": "if True:\n    class Solution:\n        def f(self, x): return x",
}


@pytest.mark.parametrize("code", DEFINITIONS.values(), ids=DEFINITIONS)
def test_what_defines_the_function(code):
    response = fenced(code) + "\n" + fenced("def other(): pass")
    assert (extract_code(response, kind="call", fn_name="f") or "").strip() == code


NO_DEFINITIONS = [
    "class Solution(Solution): pass",
    "f: int",
    "class Base:\n    def f(self): pass",
    "def g():\n    f = 1",
]


@pytest.mark.parametrize("code", NO_DEFINITIONS)
def test_what_does_not_define_the_function(code):
    other = "def other(): pass"
    assert (extract_code(fenced(code) + "\n" + fenced(other), kind="call", fn_name="f") or "").strip() == other


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


REPEATED = {
    "tilde fences on a line": "~~~ ",
    "backtick fences on a line": "``` ",
    "tagged fences on a line": "```a ",
    "tagged fences": "```a\n",
    "fences after text": "a ```\n",
    "pairs of fences": "~~~\n```\n",
    "blocks": "```\na\n```\n",
    "broken Python blocks": "```python\na b\n```\n",
    "blocks with a closing tag": "```\n</think>\n```\n",
    "blocks with a token": "```\n</s>\n```\n",
    "fences of every length": "".join("`" * n + "\n" + "~" * n + "\n" for n in range(22, 2, -1)),
    "runs too short by one": "`" * 19 + "x",
    "quotes": "> ",
    "quotes of many levels": "> > > > a\n",
    "list marks": "- ",
    "lists": "1. a\n",
    "lists in quotes": "> - a\n",
    "fences in lists": "- ```\n",
    "thoughts": "<think>",
    "ends of thoughts": "</think>\n",
    "thoughts and fences": "<think>\n```\n</think>\n",
    "CodeLlama marks": "[PYTHON]",
    "CodeLlama marks in pairs": "[PYTHON]\n[/PYTHON]\n",
    "prose like code": "for a b\n",
    "prose with apostrophes": "x = 1\nit isn't\n",
    "assignments": "a=1\n",
    "names": "a,",
    "blanks": " ",
    "tabs and newlines": "\t\n",
}


@pytest.mark.parametrize("start", ["```a\nx\n```\n", "````python\n", "~~~\n"])
@pytest.mark.parametrize("part", REPEATED.values(), ids=REPEATED)
def test_much_of_anything_after_a_fence_is_read(start, part):
    """What is quadratic takes minutes here."""
    code = extract_code(start + part * (MEGABYTE // 8 // len(part)), kind="call", fn_name="f")
    assert code is None or isinstance(code, str)


@pytest.mark.alone
@pytest.mark.parametrize("part", REPEATED.values(), ids=REPEATED)
def test_the_work_grows_with_the_answer_and_no_faster(part):
    def work(size: int) -> float:
        begun = time.process_time()
        extract_code(part * (size // len(part)), kind="stdin")
        return time.process_time() - begun

    # A machine that is busy with other work may disturb a measurement, not three of them.
    assert any(work(MEGABYTE // 8) < 10 * max(work(MEGABYTE // 32), 0.02) for _ in range(3))


@pytest.mark.parametrize("response", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", ["stdin", "call"])
def test_hostile_answers_neither_raise_nor_hang(response, kind):
    code = extract_code(response, kind=kind, fn_name="f")
    assert code is None or isinstance(code, str)
