"""The high end of the sample: what is asked for is only in the picture."""

from __future__ import annotations

from foveal.eval.benchmarks.mmcode.sample import hard_answers as answers
from foveal.eval.benchmarks.mmcode.sample import hard_pictures as draw
from foveal.eval.benchmarks.mmcode.sample.sample_problem import SampleProblem

_LAMP_NETWORK = SampleProblem(
    id="foveal_lamp_network",
    name="Lamp network",
    categories=("Graph",),
    difficulty="medium",
    question="""Seven lamps A to G are joined by cables. The number on a cable is its length in metres.

![image](1.png)

A signal runs from one lamp to another along the cables, in any direction, on the shortest way.

Input: one line with two letters from A to G, separated by a space.

Output: the length of the shortest way between the two lamps, in metres. It is 0 if they are the same lamp.

Example input:
A D

Example output:
8""",
    pictures=(draw.lamp_network,),
    inputs=("A D\n", "A A\n", "A G\n", "G A\n", "E C\n", "B G\n", "C F\n", "D D\n", "G E\n"),
    answer=answers.shortest_cable,
    solution="""import heapq

cables = "A-B 4,A-C 2,B-C 1,B-D 5,C-D 8,C-E 10,D-E 2,D-F 6,E-F 3,B-G 13,F-G 1"
near = {lamp: [] for lamp in "ABCDEFG"}
for cable in cables.split(","):
    ends, metres = cable.split()
    a, b = ends.split("-")
    near[a].append((b, int(metres)))
    near[b].append((a, int(metres)))

start, goal = input().split()
best = {start: 0}
heap = [(0, start)]
while heap:
    length, lamp = heapq.heappop(heap)
    if length > best[lamp]:
        continue
    for other, metres in near[lamp]:
        if length + metres < best.get(other, 10**9):
            best[other] = length + metres
            heapq.heappush(heap, (best[other], other))
print(best[goal])
""",
)

_CANTEEN = SampleProblem(
    id="foveal_canteen",
    name="Canteen",
    categories=("Table",),
    difficulty="medium",
    question="""The canteen sells the dishes of this table.

![image](1.png)

From certain totals on, a rebate is taken off the bill once, always the largest rebate that the total before it allows:

![image](2.png)

Input: the first line has the number n of dishes ordered (0 <= n <= 1000). Each of the next n lines has the name of a
dish and how many portions of it were ordered. A dish may be named more than once.

Output: the amount to be paid.

Example input:
2
soup 2
fish 1

Example output:
17""",
    pictures=(draw.canteen_menu, draw.canteen_rebates),
    inputs=(
        "2\nsoup 2\nfish 1\n",
        "0\n",
        "1\nsoup 5\n",
        "2\nfish 2\nfish 2\n",
        "3\nfish 4\ntea 1\nrice 1\n",
        "2\nfish 4\ntea 2\n",
        "3\nsoup 20\nsalad 0\ncake 0\n",
        "3\nfish 8\nsalad 1\ntea 1\n",
        "6\nsoup 10\nrice 10\nfish 10\nsalad 10\ntea 10\ncake 10\n",
    ),
    answer=answers.canteen_bill,
    solution="""price = {"soup": 4, "rice": 3, "fish": 9, "salad": 5, "tea": 2, "cake": 6}
total = 0
for _ in range(int(input())):
    dish, count = input().split()
    total += price[dish] * int(count)
if total >= 80:
    total -= 20
elif total >= 40:
    total -= 8
elif total >= 20:
    total -= 3
print(total)
""",
)

_MYSTERY_LOOP = SampleProblem(
    id="foveal_mystery_loop",
    name="Mystery loop",
    categories=("Pseudocode",),
    difficulty="hard",
    question="""The picture shows a function f in pseudocode.

![image](1.png)

Write a function f(n) that returns the same integer for every n with 0 <= n <= 10^18. The loop itself is far too slow
for the largest n.

Example: f(4) returns 0.""",
    pictures=(draw.mystery_loop,),
    inputs=((4,), (0,), (1,), (2,), (3,), (6,), (1000,), (10**18,), (10**18 - 1,), (999999999999999998,)),
    answer=answers.mystery_loop,
    solution="""def f(n):
    m = n // 3
    return 3 * m * (m + 1) // 2 - (n - m)
""",
    fn_name="f",
    starter_code="def f(n):\n    ",
)

_ONE_WAY_TOWN = SampleProblem(
    id="foveal_one_way_town",
    name="One-way town",
    categories=("Map", "Graph"),
    difficulty="medium",
    question="""A town has sixteen crossings, named by their column (a to d) and their row (1 to 4). The streets may be
driven one way only, as the arrows show. Where there is a cross, the street is closed.

![image](1.png)

A block is the piece of a street between two neighbouring crossings.

Input: one line with two crossings, separated by a space.

Output: the smallest number of blocks that must be driven from the first crossing to the second. Every crossing can be
reached from every other.

Example input:
a1 b2

Example output:
2""",
    pictures=(draw.one_way_town,),
    inputs=(
        "a1 b2\n",
        "a1 a1\n",
        "b2 b3\n",
        "a4 a1\n",
        "c3 b3\n",
        "d4 d1\n",
        "a1 d4\n",
        "b3 a2\n",
        "c1 c4\n",
        "d1 a4\n",
    ),
    answer=answers.blocks_to_drive,
    solution="""from collections import deque

start, goal = input().split()


def nexts(place):
    c, r = "abcd".index(place[0]), int(place[1])
    across = c + (1 if r % 2 == 1 else -1)
    if 0 <= across < 4:
        yield "abcd"[across] + str(r)
    along = r + (1 if c % 2 == 1 else -1)
    if 1 <= along <= 4 and not (c == 1 and r == 2):
        yield "abcd"[c] + str(along)


blocks = {start: 0}
queue = deque([start])
while queue:
    place = queue.popleft()
    for other in nexts(place):
        if other not in blocks:
            blocks[other] = blocks[place] + 1
            queue.append(other)
print(blocks[goal])
""",
)

_HERON = SampleProblem(
    id="foveal_heron",
    name="The heron",
    categories=("Chessboard",),
    difficulty="hard",
    question="""A new piece, the heron, jumps on a chessboard. From the square marked H it can jump to the squares
with a dot, and to no others. It may jump over any square.

![image](1.png)

On this board some squares are pools, drawn in blue. The heron must not land in a pool.

![image](2.png)

Both pictures are seen from the same side.

Input: one line with two squares of the board that are not pools, such as a1 and h8, separated by a space.

Output: the smallest number of jumps from the first square to the second, or -1 if it cannot be reached.

Example input:
a1 b3

Example output:
1""",
    pictures=(draw.heron_jumps, draw.heron_board),
    inputs=(
        "a1 b3\n",
        "a1 a1\n",
        "a1 h8\n",
        "h8 a1\n",
        "d4 d3\n",
        "a8 b8\n",
        "e5 h1\n",
        "g8 h8\n",
        "h1 a8\n",
        "h7 a1\n",
    ),
    answer=answers.heron_jumps,
    solution="""from collections import deque

start, goal = input().split()
pools = {"c3", "d5", "b4", "f6", "e2", "g7", "h4"}
jumps = {start: 0}
queue = deque([start])
while queue:
    square = queue.popleft()
    for right, up in ((1, 2), (-1, 2), (2, 0), (-2, -1), (0, -3)):
        column = chr(ord(square[0]) + right)
        row = int(square[1]) + up
        other = column + str(row)
        if "a" <= column <= "h" and 1 <= row <= 8 and other not in pools and other not in jumps:
            jumps[other] = jumps[square] + 1
            queue.append(other)
print(jumps.get(goal, -1))
""",
)

_CUBE_HEAP = SampleProblem(
    id="foveal_cube_heap",
    name="Heap of cubes",
    categories=("3D Geometry",),
    difficulty="hard",
    question="""Equal cubes are glued together to a heap on a floor of three by three squares.

![image](1.png)

No cube floats: below every cube there are cubes down to the floor. Behind the visible columns nothing is hidden, every
column shows at least its top. The square drawn with thin lines is empty.

Every cube has edges of length a. The whole heap is painted on the outside, its underside too.

Input: one line with the integer a (1 <= a <= 10^9).

Output: the painted area.

Example input:
1

Example output:
50""",
    pictures=(draw.cube_heap,),
    inputs=("1\n", "2\n", "3\n", "10\n", "1000000000\n", "12345\n"),
    answer=answers.painted_area,
    solution="""heap = [[4, 3, 1], [3, 1, 1], [2, 1, 0]]
a = int(input())
area = 0
for r in range(3):
    for c in range(3):
        if heap[r][c] == 0:
            continue
        area += 2
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            other = heap[r + dr][c + dc] if 0 <= r + dr < 3 and 0 <= c + dc < 3 else 0
            area += max(0, heap[r][c] - other)
print(area * a * a)
""",
)

_MEETING_POINT = SampleProblem(
    id="foveal_meeting_point",
    name="Where two waters meet",
    categories=("Tree",),
    difficulty="medium",
    question="""Water flows through a tree of streams from every node to the node drawn above it, and ends in the root
at the top.

![image](1.png)

A boat starts at node u and another at node v; both drift to the root. Return the first node that lies on the way of
both. A boat's start lies on its way.

Example: meet(1, 6) returns 5.""",
    pictures=(draw.river_tree,),
    inputs=((1, 6), (9, 9), (7, 10), (3, 10), (6, 12), (1, 3), (9, 1), (8, 3), (11, 10), (6, 9)),
    answer=answers.meeting_point,
    solution="""class Solution:
    def meet(self, u, v):
        above = {2: 7, 11: 7, 5: 2, 9: 2, 4: 11, 1: 5, 12: 5, 3: 4, 8: 4, 6: 12, 10: 8}
        way = {u}
        while u in above:
            u = above[u]
            way.add(u)
        while v not in way:
            v = above[v]
        return v
""",
    fn_name="meet",
    starter_code="class Solution:\n    def meet(self, u: int, v: int) -> int:\n        ",
)

_POINTER_WALK = SampleProblem(
    id="foveal_pointer_walk",
    name="Pointer walk",
    categories=("Linear Data Structure", "Graph"),
    difficulty="medium",
    question="""A linked list of nine cells has a mistake: its last cell points back into the list.

![image](1.png)

A walk starts in the cell that head points to and follows the arrow out of the present cell k times.

Input: one line with the integer k (0 <= k <= 10^18).

Output: the number in the cell where the walk ends.

Example input:
4

Example output:
15""",
    pictures=(draw.pointer_walk,),
    inputs=("4\n", "0\n", "2\n", "3\n", "8\n", "9\n", "10\n", "1000000000000000000\n", "999999999999999999\n"),
    answer=answers.pointer_walk,
    solution="""tail = [17, 4, 29]
loop = [8, 15, 3, 42, 11, 6]
k = int(input())
print(tail[k] if k < 3 else loop[(k - 3) % 6])
""",
)

_GROWING_TILES = SampleProblem(
    id="foveal_growing_tiles",
    name="Growing tiles",
    categories=("Patterns", "2D Geometry"),
    difficulty="medium",
    question="""A pattern of tiles grows from figure to figure.

Figure 1: ![image](1.png)

Figure 2: ![image](2.png)

Figure 3: ![image](3.png)

Input: one line with the integer n (1 <= n <= 10^9).

Output: the number of tiles in figure n.

Example input:
2

Example output:
5""",
    pictures=(draw.figure_1, draw.figure_2, draw.figure_3),
    inputs=("2\n", "1\n", "3\n", "4\n", "100\n", "1000000000\n"),
    answer=answers.tiles_of_figure,
    solution="n = int(input())\nprint(n * n + (n - 1) * (n - 1))\n",
)

_GARDEN_FENCE = SampleProblem(
    id="foveal_garden_fence",
    name="Garden fence",
    categories=("2D Geometry",),
    difficulty="hard",
    question="""The thick line is the fence of a garden; its corners lie on whole numbers.

![image](1.png)

Input: the first line has the number q of questions (1 <= q <= 1000). Each of the next q lines has two integers x and y
with 0 <= x, y <= 10.

Output: for each question one line: inside, outside or fence, for the place of the point (x, y).

Example input:
3
2 2
1 5
8 7

Example output:
inside
fence
outside""",
    pictures=(draw.garden_fence,),
    inputs=(
        "3\n2 2\n1 5\n8 7\n",
        "1\n4 5\n",
        "4\n5 4\n5 5\n4 4\n6 4\n",
        "5\n0 0\n10 10\n0 8\n7 8\n6 8\n",
        "4\n7 3\n8 4\n9 5\n8 5\n",
        "121\n" + "".join(f"{x} {y}\n" for x in range(11) for y in range(11)),
    ),
    answer=answers.garden_places,
    solution="""corners = [(1, 1), (9, 1), (9, 5), (6, 3), (4, 5), (6, 8), (1, 8)]


def place(x, y):
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if cross == 0 and min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
            return "fence"
        if (y1 > y) != (y2 > y) and (cross > 0) == (y2 > y1):
            inside = not inside
    return "inside" if inside else "outside"


for _ in range(int(input())):
    x, y = map(int, input().split())
    print(place(x, y))
""",
)

_SEGMENTS = SampleProblem(
    id="foveal_segments",
    name="Lit segments",
    categories=("Others",),
    difficulty="medium",
    question="""A display shows each digit with lit bars. The picture shows how this display writes the ten digits.

![image](1.png)

Input: one line with a number of 1 to 1000 digits. Zeros in front are shown too.

Output: how many bars are lit when the display shows the number.

Example input:
10

Example output:
8""",
    pictures=(draw.segment_digits,),
    inputs=("10\n", "8\n", "6\n", "7\n", "9\n", "0042\n", "0123456789\n", "6" * 500 + "9" * 500 + "\n"),
    answer=answers.lit_segments,
    solution="""bars = {"0": 6, "1": 2, "2": 5, "3": 5, "4": 4, "5": 5, "6": 5, "7": 4, "8": 7, "9": 5}
print(sum(bars[digit] for digit in input().strip()))
""",
)

_MATRIX_STEP = SampleProblem(
    id="foveal_matrix_step",
    name="Two numbers, many steps",
    categories=("Math",),
    difficulty="hard",
    question="""Two numbers x and y change from step to step as the picture says. Both are taken modulo 1000003.

![image](1.png)

Write a function state(k) that returns the list [x(k), y(k)] for 0 <= k <= 10^18.

Example: state(1) returns [6, 23].""",
    pictures=(draw.matrix_step,),
    inputs=((1,), (0,), (2,), (3,), (10,), (1000,), (10**18,)),
    answer=answers.state_after,
    solution="""def state(k):
    mod = 1000003
    result, base = (1, 0, 0, 1), (2, 1, 3, 5)

    def times(p, q):
        return (
            (p[0] * q[0] + p[1] * q[2]) % mod,
            (p[0] * q[1] + p[1] * q[3]) % mod,
            (p[2] * q[0] + p[3] * q[2]) % mod,
            (p[2] * q[1] + p[3] * q[3]) % mod,
        )

    while k:
        if k & 1:
            result = times(result, base)
        base = times(base, base)
        k >>= 1
    return [(result[0] + 4 * result[1]) % mod, (result[2] + 4 * result[3]) % mod]
""",
    fn_name="state",
    starter_code="def state(k):\n    ",
)

_CIRCUIT = SampleProblem(
    id="foveal_circuit",
    name="Gates and a lamp",
    categories=("Others",),
    difficulty="medium",
    question="""Four switches a, b, c and d lead through gates to a lamp.

![image](1.png)

Write a function lamp(a, b, c, d) that takes four booleans, True for a switch that is on, and returns True if the lamp
shines and False if it does not.

Example: lamp(True, True, True, False) returns True.""",
    pictures=(draw.gate_circuit,),
    inputs=(
        (True, True, True, False),
        *((bool(n & 8), bool(n & 4), bool(n & 2), bool(n & 1)) for n in range(14)),
        (True, True, True, True),
    ),
    answer=answers.lamp_shines,
    solution="def lamp(a, b, c, d):\n    return (a and b) or not (c ^ d)\n",
    fn_name="lamp",
    starter_code="def lamp(a, b, c, d):\n    ",
)

HARD_PROBLEMS = (
    _LAMP_NETWORK,
    _CANTEEN,
    _MYSTERY_LOOP,
    _ONE_WAY_TOWN,
    _HERON,
    _CUBE_HEAP,
    _MEETING_POINT,
    _POINTER_WALK,
    _GROWING_TILES,
    _GARDEN_FENCE,
    _SEGMENTS,
    _MATRIX_STEP,
    _CIRCUIT,
)
