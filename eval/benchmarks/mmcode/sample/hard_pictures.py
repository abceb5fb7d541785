"""Pictures that the hard problems cannot be solved without, and the facts drawn in them."""

from __future__ import annotations

from foveal.eval.benchmarks.mmcode.sample.canvas import (
    BLUE,
    DARK_BLUE,
    DARK_RED,
    GREEN,
    GREY,
    LIGHT,
    RED,
    WHITE,
    YELLOW,
    Canvas,
    Point,
)
from foveal.eval.benchmarks.mmcode.sample.easy_pictures import pseudocode

# Lamps and the cables between them, in metres.
CABLES = (
    ("A", "B", 4),
    ("A", "C", 2),
    ("B", "C", 1),
    ("B", "D", 5),
    ("C", "D", 8),
    ("C", "E", 10),
    ("D", "E", 2),
    ("D", "F", 6),
    ("E", "F", 3),
    ("B", "G", 13),
    ("F", "G", 1),
)


def lamp_network() -> bytes:
    """A weighted graph with seven nodes."""
    places: dict[str, Point] = {
        "A": (45, 150),
        "B": (150, 55),
        "C": (150, 250),
        "D": (290, 120),
        "E": (305, 265),
        "F": (425, 195),
        "G": (440, 55),
    }
    sheet = Canvas(490, 310)
    for a, b, metres in CABLES:
        sheet.link(places[a], places[b], label=str(metres))
    for label, place in places.items():
        sheet.node(place, label, fill=YELLOW)
    return sheet.png()


PRICES = {"soup": 4, "rice": 3, "fish": 9, "salad": 5, "tea": 2, "cake": 6}
REBATES = ((20, 3), (40, 8), (80, 20))


def canteen_menu() -> bytes:
    """The price of each dish."""
    sheet = Canvas(300, 250)
    rows = (("dish", "price"), *((dish, str(price)) for dish, price in PRICES.items()))
    sheet.table((30, 12), (140, 100), rows)
    return sheet.png()


def canteen_rebates() -> bytes:
    """What is taken off from which total on."""
    sheet = Canvas(340, 155)
    rows = (("total is at least", "rebate"), *((str(least), str(rebate)) for least, rebate in REBATES))
    sheet.table((20, 12), (180, 120), rows)
    return sheet.png()


def mystery_loop() -> bytes:
    """Pseudocode of a function of n."""
    lines = (
        "function f(n)",
        "    s = 0",
        "    for i = 1 to n do",
        "        if i mod 3 = 0 then",
        "            s = s + i",
        "        else",
        "            s = s - 1",
        "    return s",
    )
    return pseudocode(lines)


# One-way streets: the direction of each street from west to east (1) or back, from north (row 1) to south (1) or back.
ROW_DIRECTIONS = {1: 1, 2: -1, 3: 1, 4: -1}
COLUMN_DIRECTIONS = {"a": -1, "b": 1, "c": -1, "d": 1}
CLOSED = (("b", 2), ("b", 3))


def one_way_town() -> bytes:
    """A town of four by four crossings; arrows say which way each block may be driven."""
    x, y = {"a": 70, "b": 170, "c": 270, "d": 370}, {1: 60, 2: 140, 3: 220, 4: 300}
    sheet = Canvas(430, 350)
    for column in x:
        sheet.text((x[column], 20), column, colour=DARK_BLUE)
    for row in y:
        sheet.text((25, y[row]), str(row), colour=DARK_BLUE)
    for row, direction in ROW_DIRECTIONS.items():
        for left, right in zip("abc", "bcd", strict=True):
            a, b = (x[left] + 14, y[row]), (x[right] - 14, y[row])
            sheet.arrow(*((a, b) if direction == 1 else (b, a)))
    for column, direction in COLUMN_DIRECTIONS.items():
        for upper in (1, 2, 3):
            a, b = (x[column], y[upper] + 14), (x[column], y[upper + 1] - 14)
            if ((column, upper), (column, upper + 1)) == CLOSED:
                middle = (x[column], (y[upper] + y[upper + 1]) / 2)
                sheet.line((middle[0] - 10, middle[1] - 10), (middle[0] + 10, middle[1] + 10), colour=DARK_RED, width=4)
                sheet.line((middle[0] - 10, middle[1] + 10), (middle[0] + 10, middle[1] - 10), colour=DARK_RED, width=4)
            else:
                sheet.arrow(*((a, b) if direction == 1 else (b, a)))
    for column in x:
        for row in y:
            sheet.disc((x[column], y[row]), 9, fill=LIGHT)
    return sheet.png()


# The heron's jumps: columns to the right, rows up.
HERON_JUMPS = ((1, 2), (-1, 2), (2, 0), (-2, -1), (0, -3))
POOLS = ("c3", "d5", "b4", "f6", "e2", "g7", "h4")


def heron_jumps() -> bytes:
    """A piece in the middle of seven by seven squares, and the squares it can jump to."""
    sheet = Canvas(330, 330)
    for column in range(-3, 4):
        for row in range(-3, 4):
            fill = GREEN if (column, row) in HERON_JUMPS else WHITE
            sheet.box((11 + 44 * (column + 3), 11 + 44 * (3 - row)), 44, 44, fill=fill)
            if (column, row) in HERON_JUMPS:
                sheet.disc((33 + 44 * (column + 3), 33 + 44 * (3 - row)), 8, fill=DARK_BLUE)
    sheet.disc((165, 165), 17, fill=YELLOW)
    sheet.text((165, 165), "H")
    return sheet.png()


def heron_board() -> bytes:
    """A chessboard; the blue squares are pools."""
    sheet = Canvas(380, 380)
    for number, column in enumerate("abcdefgh"):
        sheet.text((50 + 40 * number, 362), column)
        sheet.text((15, 332 - 40 * number), str(number + 1))
        for row in range(1, 9):
            pool = f"{column}{row}" in POOLS
            fill = BLUE if pool else (LIGHT if (number + row) % 2 else WHITE)
            sheet.box((30 + 40 * number, 352 - 40 * row), 40, 40, fill=fill)
            if pool:
                sheet.text((50 + 40 * number, 372 - 40 * row), "~", size=26, colour=DARK_BLUE)
    return sheet.png()


# Cubes on each square, from the back to the front; no column is hidden.
HEAP = ((4, 3, 1), (3, 1, 1), (2, 1, 0))


def cube_heap() -> bytes:
    """A heap of cubes seen from above the front corner."""
    sheet = Canvas(360, 330)

    def at(x: float, y: float, z: float) -> Point:
        return 180 + (x - y) * 40, 165 + (x + y) * 22 - z * 38

    for y, row in enumerate(HEAP):
        for x, height in enumerate(row):
            if height == 0:
                sheet.polygon(at(x, y, 0), at(x + 1, y, 0), at(x + 1, y + 1, 0), at(x, y + 1, 0), outline=GREY, width=1)
            for z in range(height):
                sheet.polygon(
                    at(x, y, z + 1), at(x + 1, y, z + 1), at(x + 1, y + 1, z + 1), at(x, y + 1, z + 1), fill=WHITE
                )
                sheet.polygon(
                    at(x, y + 1, z), at(x + 1, y + 1, z), at(x + 1, y + 1, z + 1), at(x, y + 1, z + 1), fill=BLUE
                )
                sheet.polygon(
                    at(x + 1, y, z), at(x + 1, y + 1, z), at(x + 1, y + 1, z + 1), at(x + 1, y, z + 1), fill=LIGHT
                )
    return sheet.png()


PARENTS = {2: 7, 11: 7, 5: 2, 9: 2, 4: 11, 1: 5, 12: 5, 3: 4, 8: 4, 6: 12, 10: 8}


def river_tree() -> bytes:
    """A tree of twelve nodes, its root on top."""
    places: dict[int, Point] = {
        7: (215, 35),
        2: (120, 105),
        11: (320, 105),
        5: (75, 180),
        9: (170, 180),
        4: (320, 180),
        1: (35, 255),
        12: (115, 255),
        3: (265, 255),
        8: (375, 255),
        6: (115, 330),
        10: (375, 330),
    }
    sheet = Canvas(430, 365)
    for child, parent in PARENTS.items():
        sheet.link(places[parent], places[child])
    for number, place in places.items():
        sheet.node(place, str(number), fill=GREEN)
    return sheet.png()


TAIL, LOOP = (17, 4, 29), (8, 15, 3, 42, 11, 6)


def pointer_walk() -> bytes:
    """A linked list whose last cell points back into it."""
    corners: tuple[Point, ...] = (
        *((20.0 + 95 * n, 100.0) for n in range(3)),
        (305, 100),
        (390, 25),
        (485, 25),
        (580, 100),
        (485, 175),
        (390, 175),
    )
    sheet = Canvas(660, 250)
    for (x, y), value in zip(corners, (*TAIL, *LOOP), strict=True):
        sheet.box((x, y), 54, 44, fill=WHITE if value in TAIL else BLUE)
        sheet.text((x + 27, y + 22), str(value), size=20)
    for n in range(3):
        sheet.arrow((74 + 95 * n, 122), (113 + 95 * n, 122))
    sheet.arrow((332, 98), (387, 52))
    sheet.arrow((444, 47), (483, 47))
    sheet.arrow((539, 52), (600, 98))
    sheet.arrow((600, 146), (541, 192))
    sheet.arrow((485, 197), (446, 197))
    sheet.arrow((390, 192), (337, 147))
    sheet.text((47, 45), "head", colour=DARK_RED)
    sheet.arrow((47, 58), (47, 96), colour=DARK_RED)
    return sheet.png()


def figure_1() -> bytes:
    """The first figure of the pattern."""
    return _diamond(1)


def figure_2() -> bytes:
    """The second figure of the pattern."""
    return _diamond(2)


def figure_3() -> bytes:
    """The third figure of the pattern."""
    return _diamond(3)


def _diamond(number: int) -> bytes:
    size = 30 * (2 * number - 1) + 40
    sheet = Canvas(max(size, 90), size)
    middle = (max(size, 90) / 2, size / 2)
    for column in range(1 - number, number):
        for row in range(1 - number, number):
            if abs(column) + abs(row) < number:
                sheet.box((middle[0] + 30 * column - 15, middle[1] + 30 * row - 15), 30, 30, fill=YELLOW)
    return sheet.png()


FENCE = ((1, 1), (9, 1), (9, 5), (6, 3), (4, 5), (6, 8), (1, 8))


def garden_fence() -> bytes:
    """A polygon on squared paper."""

    def at(x: float, y: float) -> Point:
        return 45 + 34 * x, 365 - 34 * y

    sheet = Canvas(430, 410)
    for n in range(11):
        sheet.line(at(n, 0), at(n, 10), colour=LIGHT, width=1)
        sheet.line(at(0, n), at(10, n), colour=LIGHT, width=1)
        sheet.text((at(n, 0)[0], 385), str(n), size=14)
        sheet.text((25, at(0, n)[1]), str(n), size=14)
    sheet.polygon(*(at(x, y) for x, y in FENCE), fill=GREEN, width=3)
    for x, y in FENCE:
        sheet.disc(at(x, y), 4, fill=DARK_RED, outline=DARK_RED)
    sheet.text((413, 365), "x", colour=DARK_BLUE)
    sheet.text((45, 11), "y", colour=DARK_BLUE)
    return sheet.png()


# Which bars are lit: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "0101111",
    "1110010",
    "1111111",
    "1111010",
)


def segment_digits() -> bytes:
    """The ten digits as this display shows them."""
    sheet = Canvas(520, 290)
    for digit, lit in enumerate(SEGMENTS):
        x, y = 30 + 100 * (digit % 5), 15 + 140 * (digit // 5)
        w, h = 46, 42
        bars: tuple[tuple[Point, Point], ...] = (
            ((x, y), (x + w, y)),
            ((x, y), (x, y + h)),
            ((x + w, y), (x + w, y + h)),
            ((x, y + h), (x + w, y + h)),
            ((x, y + h), (x, y + 2 * h)),
            ((x + w, y + h), (x + w, y + 2 * h)),
            ((x, y + 2 * h), (x + w, y + 2 * h)),
        )
        for (a, b), on in zip(bars, lit, strict=True):
            if on == "1":
                unit = (6 if a[0] != b[0] else 0, 6 if a[1] != b[1] else 0)
                sheet.line((a[0] + unit[0], a[1] + unit[1]), (b[0] - unit[0], b[1] - unit[1]), colour=DARK_RED, width=7)
        sheet.text((x + w / 2, y + 2 * h + 24), str(digit), size=15, colour=GREY)
    return sheet.png()


STEP, START, MODULUS = ((2, 1), (3, 5)), (1, 4), 1_000_003


def matrix_step() -> bytes:
    """A recurrence of two numbers as a matrix; the paper is transparent."""
    sheet = Canvas(470, 170, transparent=True)
    _column(sheet, 60, ("x(k+1)", "y(k+1)"), 84)
    sheet.text((122, 60), "=", size=22)
    _column(sheet, 185, ("2   1", "3   5"), 80)
    _column(sheet, 275, ("x(k)", "y(k)"), 66)
    sheet.text((375, 60), "mod 1000003")
    sheet.text((225, 140), "x(0) = 1,   y(0) = 4", size=20)
    return sheet.png()


def _column(sheet: Canvas, x: float, entries: tuple[str, str], width: float) -> None:
    for y, entry in zip((42, 78), entries, strict=True):
        sheet.text((x, y), entry, size=20)
    for side in (-1, 1):
        edge = x + side * width / 2
        sheet.line((edge - side * 8, 20), (edge, 20), (edge, 100), (edge - side * 8, 100))


def gate_circuit() -> bytes:
    """Four switches, four gates, one lamp."""
    sheet = Canvas(560, 300)
    rows = {"a": 45.0, "b": 105.0, "c": 185.0, "d": 245.0}
    for name, y in rows.items():
        sheet.text((25, y), name, size=22, colour=DARK_BLUE)
    gates: tuple[tuple[str, Point, str], ...] = (
        ("AND", (120, 50), BLUE),
        ("XOR", (120, 190), YELLOW),
        ("NOT", (250, 190), RED),
        ("OR", (360, 105), GREEN),
    )
    sheet.line((40, 45), (70, 45), (70, 65), (120, 65))
    sheet.line((40, 105), (70, 105), (70, 85), (120, 85))
    sheet.line((40, 185), (70, 185), (70, 205), (120, 205))
    sheet.line((40, 245), (70, 245), (70, 225), (120, 225))
    sheet.line((190, 75), (300, 75), (300, 120), (360, 120))
    sheet.line((190, 215), (250, 215))
    sheet.line((320, 215), (340, 215), (340, 140), (360, 140))
    sheet.line((430, 130), (480, 130))
    for name, (x, y), colour in gates:
        sheet.box((x, y), 70, 50, fill=colour)
        sheet.text((x + 35, y + 25), name)
    sheet.disc((500, 130), 20, fill=YELLOW)
    sheet.text((500, 165), "lamp")
    return sheet.png()
