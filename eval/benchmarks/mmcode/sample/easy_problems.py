"""The low end of the sample: problems that a small model can solve from their text alone."""

from __future__ import annotations

from foveal.eval.benchmarks.mmcode.sample import easy_pictures as draw
from foveal.eval.benchmarks.mmcode.sample.sample_problem import SampleProblem

_DOUBLE = SampleProblem(
    id="foveal_double",
    name="Doubling machine",
    categories=("Math",),
    difficulty="easy",
    question="""A machine doubles numbers. Read an integer n from one line and print n * 2.

![image](1.png)

Input: one line with the integer n (-1000000 <= n <= 1000000).

Output: the integer n * 2.

Example input:
7

Example output:
14""",
    pictures=(draw.doubling_machine,),
    inputs=("7\n", "0\n", "-5\n", "1\n", "1000000\n", "-1000000\n"),
    answer=lambda text: f"{int(text) << 1}\n",
    solution="n = int(input())\nprint(n * 2)\n",
)

_SUM_OF_TWO = SampleProblem(
    id="foveal_sum_of_two",
    name="Two bars",
    categories=("Others",),
    difficulty="easy",
    question="""A chart has two bars. Read their heights a and b from one line and print a + b.

![image](1.png)

Input: one line with two integers a and b, separated by a space.

Output: the sum a + b.

Example input:
3 5

Example output:
8""",
    pictures=(draw.two_bars,),
    inputs=("3 5\n", "0 0\n", "-4 9\n", "-10 -20\n", "1000000000000 1\n", "99 -99\n"),
    answer=lambda text: f"{sum(int(word) for word in text.split())}\n",
    solution="a, b = map(int, input().split())\nprint(a + b)\n",
)

_LARGEST = SampleProblem(
    id="foveal_largest",
    name="Largest number",
    categories=("Linear Data Structure",),
    difficulty="easy",
    question="""Write a function largest(nums) that returns the largest number of the list nums. The list is not empty.

![image](1.png)

Example: largest([3, 8, 15, 2, 9]) returns 15.""",
    pictures=(draw.array_with_largest,),
    inputs=(([3, 8, 15, 2, 9],), ([4],), ([-7, -3, -12],), ([5, 5, 5, 5],), ([0, -1, 10**9],), ([9, 10],)),
    answer=lambda nums: sorted(nums)[-1],
    solution="def largest(nums):\n    return max(nums)\n",
    fn_name="largest",
    starter_code="def largest(nums):\n    ",
)

_REVERSED_WORD = SampleProblem(
    id="foveal_reversed_word",
    name="From the end",
    categories=("Linear Data Structure",),
    difficulty="easy",
    question="""Write a function reverse_word(word) that returns the letters of the string word in reverse order.

![image](1.png)

Example: reverse_word("stone") returns "enots".""",
    pictures=(draw.reversed_word,),
    inputs=(("stone",), ("a",), ("",), ("level",), ("ab",), ("abcdefghijklmnopqrstuvwxyz",)),
    answer=lambda word: "".join(reversed(word)),
    solution="def reverse_word(word):\n    return word[::-1]\n",
    fn_name="reverse_word",
    starter_code="def reverse_word(word):\n    ",
)

_LIST_TOTAL = SampleProblem(
    id="foveal_list_total",
    name="Total of a list",
    categories=("Linear Data Structure",),
    difficulty="easy",
    question="""Given a list of integers nums, return the sum of all its numbers. The sum of an empty list is 0.

![image](1.png)

Example: for nums = [4, 1, 6, 2] return 13.""",
    pictures=(draw.summed_list,),
    inputs=(([4, 1, 6, 2],), ([],), ([-5],), ([0, 0, 0],), ([10**12, 1, -1],), (list(range(100)),)),
    answer=lambda nums: sum(sorted(nums)),
    solution="""class Solution:
    def total(self, nums):
        return sum(nums)
""",
    fn_name="total",
    starter_code="class Solution:\n    def total(self, nums: List[int]) -> int:\n        ",
)

_SQUARE_AREA = SampleProblem(
    id="foveal_square_area",
    name="Area of a square",
    categories=("2D Geometry",),
    difficulty="easy",
    question="""Write a function square_area(side) that returns the area of a square with the given side.

![image](1.png)

Example: square_area(5) returns 25.""",
    pictures=(draw.square_with_side,),
    inputs=((5,), (0,), (1,), (12,), (1000,), (123456789,)),
    answer=lambda side: side**2,
    solution="def square_area(side):\n    return side * side\n",
    fn_name="square_area",
    starter_code="def square_area(side):\n    ",
)

_RECTANGLE = SampleProblem(
    id="foveal_rectangle",
    name="Tiles of a rectangle",
    categories=("2D Geometry",),
    difficulty="easy",
    question="""A rectangle has two sides. Read their lengths w and h from one line and print w * h, the
number of tiles.

![image](1.png)

Input: one line with two integers w and h, separated by a space.

Output: the product w * h.

Example input:
5 3

Example output:
15""",
    pictures=(draw.rectangle_with_sides,),
    inputs=("5 3\n", "1 1\n", "0 9\n", "12 12\n", "100000 100000\n", "7 1\n"),
    answer=lambda text: f"{sum([int(text.split()[0])] * int(text.split()[1]))}\n",
    solution="w, h = map(int, input().split())\nprint(w * h)\n",
)

_EVEN_OR_ODD = SampleProblem(
    id="foveal_even_or_odd",
    name="Even or odd",
    categories=("Pseudocode",),
    difficulty="easy",
    question="""Write a function even_or_odd(n) that returns the string "even" if the integer n is even, and the
string "odd" if n is odd.

![image](1.png)

Example: even_or_odd(7) returns "odd".""",
    pictures=(draw.even_or_odd,),
    inputs=((7,), (0,), (-2,), (-3,), (10**18,), (99,)),
    answer=lambda n: "even" if str(n)[-1] in "02468" else "odd",
    solution="""def even_or_odd(n):
    if n % 2 == 0:
        return "even"
    return "odd"
""",
    fn_name="even_or_odd",
    starter_code="def even_or_odd(n):\n    ",
)

_CUBE = SampleProblem(
    id="foveal_cube",
    name="Volume of a cube",
    categories=("3D Geometry",),
    difficulty="easy",
    question="""Write a function cube_volume(a) that returns the volume of a cube with sides of length a.

![image](1.png)

Example: cube_volume(3) returns 27.""",
    pictures=(draw.cube_with_side,),
    inputs=((3,), (0,), (1,), (2,), (10,), (1000000,)),
    answer=lambda a: a**3,
    solution="def cube_volume(a):\n    return a * a * a\n",
    fn_name="cube_volume",
    starter_code="def cube_volume(a):\n    ",
)

_STAIRS = SampleProblem(
    id="foveal_stairs",
    name="Stairs of stars",
    categories=("Patterns",),
    difficulty="easy",
    question="""Read one integer n and print n lines. Line number i has i stars (the character *), so the first line
has one star and the last line has n stars.

![image](1.png)

Input: one line with the integer n (1 <= n <= 50).

Output: n lines of stars.

Example input:
4

Example output:
*
**
***
****""",
    pictures=(draw.stairs_of_stars,),
    inputs=("4\n", "1\n", "2\n", "3\n", "10\n", "50\n"),
    answer=lambda text: "".join("*" * i + "\n" for i in range(1, int(text) + 1)),
    solution='n = int(input())\nfor i in range(1, n + 1):\n    print("*" * i)\n',
)

_RECEIPT = SampleProblem(
    id="foveal_receipt",
    name="Receipt",
    categories=("Table",),
    difficulty="easy",
    question="""Read the prices of a receipt from one line and print their sum.

![image](1.png)

Input: one line with at least one integer, separated by spaces.

Output: the sum of the integers.

Example input:
3 7 4

Example output:
14""",
    pictures=(draw.receipt,),
    inputs=("3 7 4\n", "5\n", "0 0\n", "100 200 300 400 500\n", "1 1 1 1 1 1 1 1 1 1\n", "999999999999 1\n"),
    answer=lambda text: f"{sum(map(int, text.split()))}\n",
    solution="prices = list(map(int, input().split()))\nprint(sum(prices))\n",
)

_BOARD_SQUARES = SampleProblem(
    id="foveal_board_squares",
    name="Squares of a board",
    categories=("Chessboard",),
    difficulty="easy",
    question="""A chessboard has n rows and n columns. Write a function num_squares(n) that returns n * n, the number
of its squares.

![image](1.png)

Example: num_squares(4) returns 16.""",
    pictures=(draw.chessboard_squares,),
    inputs=((4,), (8,), (1,), (0,), (1000,), (123456,)),
    answer=lambda n: n**2,
    solution="def num_squares(n):\n    return n * n\n",
    fn_name="num_squares",
    starter_code="def num_squares(n):\n    ",
)

_TREE_EDGES = SampleProblem(
    id="foveal_tree_edges",
    name="Edges of a tree",
    categories=("Tree",),
    difficulty="easy",
    question="""A tree with n nodes has n - 1 edges. Write a function num_edges(n) that returns n - 1.

![image](1.png)

Example: num_edges(5) returns 4.""",
    pictures=(draw.tree_of_five,),
    inputs=((5,), (1,), (2,), (100,), (1000000000,)),
    answer=lambda n: n + ~0,
    solution="def num_edges(n):\n    return n - 1\n",
    fn_name="num_edges",
    starter_code="def num_edges(n):\n    ",
)

_ROAD = SampleProblem(
    id="foveal_road",
    name="Road to the lake",
    categories=("Map",),
    difficulty="easy",
    question="""A road has three pieces. Read their lengths a, b and c from one line and print a + b + c.

![image](1.png)

Input: one line with three integers a, b and c, separated by spaces.

Output: the sum a + b + c.

Example input:
4 6 5

Example output:
15""",
    pictures=(draw.road_of_three,),
    inputs=("4 6 5\n", "0 0 0\n", "1 2 3\n", "1000 1 10\n", "123456789 987654321 5\n"),
    answer=lambda text: f"{sum(map(int, text.split()))}\n",
    solution="a, b, c = map(int, input().split())\nprint(a + b + c)\n",
)

EASY_PROBLEMS = (
    _DOUBLE,
    _SUM_OF_TWO,
    _LARGEST,
    _REVERSED_WORD,
    _LIST_TOTAL,
    _SQUARE_AREA,
    _RECTANGLE,
    _EVEN_OR_ODD,
    _CUBE,
    _STAIRS,
    _RECEIPT,
    _BOARD_SQUARES,
    _TREE_EDGES,
    _ROAD,
)
