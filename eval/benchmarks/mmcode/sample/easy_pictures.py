"""Pictures that illustrate the easy problems; their text says everything too."""

from __future__ import annotations

from foveal.eval.benchmarks.mmcode.sample.canvas import (
    BLUE,
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


def doubling_machine() -> bytes:
    """A number goes in, twice the number comes out."""
    sheet = Canvas(420, 140)
    sheet.box((140, 40), 140, 60, fill=BLUE)
    sheet.text((210, 70), "x 2", size=26)
    sheet.text((45, 70), "n = 7", size=22)
    sheet.arrow((85, 70), (137, 70))
    sheet.arrow((283, 70), (335, 70))
    sheet.text((372, 70), "14", size=22)
    return sheet.png()


def two_bars() -> bytes:
    """Two bars and their sum."""
    sheet = Canvas(360, 240)
    sheet.line((40, 200), (330, 200))
    for x, height, label, colour in ((70, 45, "3", BLUE), (160, 75, "5", RED), (250, 120, "8", GREEN)):
        sheet.box((x, 200 - height), 50, height, fill=colour)
        sheet.text((x + 25, 186 - height), label)
    for x, label in ((95, "a"), (185, "b"), (275, "a + b")):
        sheet.text((x, 218), label)
    return sheet.png()


def array_with_largest() -> bytes:
    """Five cells, the largest one marked."""
    return _cells(("3", "8", "15", "2", "9"), marked=2, note="largest")


def reversed_word() -> bytes:
    """A word, and the word read from its end."""
    sheet = Canvas(340, 190)
    for r, word in enumerate(("stone", "enots")):
        for c, letter in enumerate(word):
            sheet.box((60 + 44 * c, 25 + 95 * r), 44, 44, fill=BLUE if r == 0 else GREEN)
            sheet.text((82 + 44 * c, 47 + 95 * r), letter, size=22)
    sheet.arrow((170, 74), (170, 116))
    return sheet.png()


def summed_list() -> bytes:
    """Four cells and their sum."""
    return _cells(("4", "1", "6", "2"), marked=None, note="4 + 1 + 6 + 2 = 13")


def _cells(values: tuple[str, ...], marked: int | None, note: str) -> bytes:
    sheet = Canvas(70 + 56 * len(values), 150)
    for index, value in enumerate(values):
        x = 35 + 56 * index
        sheet.box((x, 40), 56, 48, fill=YELLOW if index == marked else WHITE)
        sheet.text((x + 28, 64), value, size=22)
        sheet.text((x + 28, 24), str(index), size=14, colour=GREY)
    at = sheet.width / 2 if marked is None else 63 + 56 * marked
    sheet.text((at, 120), note, colour=DARK_RED)
    return sheet.png()


def square_with_side() -> bytes:
    """A square, its side named."""
    sheet = Canvas(240, 220)
    sheet.box((50, 20), 150, 150, fill=GREEN)
    sheet.text((125, 95), "area = ?")
    sheet.text((125, 195), "side")
    sheet.text((25, 95), "side")
    return sheet.png()


def rectangle_with_sides() -> bytes:
    """A rectangle of unit squares, 5 by 3."""
    sheet = Canvas(320, 220)
    for row in range(3):
        for column in range(5):
            sheet.box((70 + 44 * column, 20 + 44 * row), 44, 44, fill=BLUE)
    sheet.text((180, 180), "w = 5")
    sheet.text((35, 86), "h = 3")
    return sheet.png()


def even_or_odd() -> bytes:
    """Pseudocode that tells even from odd."""
    return pseudocode(("read n", "if n mod 2 = 0 then", "    print even", "else", "    print odd"))


def pseudocode(lines: tuple[str, ...]) -> bytes:
    """Numbered lines; four blanks at a line's start indent it one step."""
    sheet = Canvas(430, 30 + 34 * len(lines))
    sheet.box((8, 8), 414, 14 + 34 * len(lines), fill="#f7f7f2")
    for number, line in enumerate(lines, start=1):
        y = 34 * number - 2
        depth = (len(line) - len(line.lstrip())) // 4
        sheet.text((40, y), str(number), anchor="rm", size=14, colour=GREY)
        sheet.text((56 + 34 * depth, y), line.strip(), anchor="lm", size=20)
    return sheet.png()


def cube_with_side() -> bytes:
    """A cube, its side named a."""
    sheet = Canvas(260, 230)
    sheet.polygon((40, 80), (150, 80), (150, 190), (40, 190), fill=BLUE)
    sheet.polygon((40, 80), (95, 35), (205, 35), (150, 80), fill=WHITE)
    sheet.polygon((150, 80), (205, 35), (205, 145), (150, 190), fill=LIGHT)
    sheet.text((95, 208), "a")
    sheet.text((24, 135), "a")
    sheet.text((190, 178), "a")
    return sheet.png()


def stairs_of_stars() -> bytes:
    """Rows of one, two, three and four stars."""
    sheet = Canvas(240, 190)
    for row in range(4):
        sheet.text((30, 32 + 40 * row), str(row + 1), size=16, colour=GREY)
        for column in range(row + 1):
            sheet.text((80 + 34 * column, 38 + 40 * row), "*", size=34)
    return sheet.png()


def receipt() -> bytes:
    """A receipt with three prices and their total."""
    sheet = Canvas(300, 180)
    rows = (("item", "price"), ("bread", "3"), ("cheese", "7"), ("apples", "4"), ("total", "14"))
    sheet.table((30, 10), (140, 100), rows)
    return sheet.png()


def chessboard_squares() -> bytes:
    """A board of 4 by 4 squares."""
    sheet = Canvas(230, 230)
    for row in range(4):
        for column in range(4):
            sheet.box((25 + 45 * column, 20 + 45 * row), 45, 45, fill=GREY if (row + column) % 2 else WHITE)
    sheet.text((115, 215), "n = 4")
    return sheet.png()


def tree_of_five() -> bytes:
    """A tree with five nodes and four edges."""
    sheet = Canvas(300, 230)
    places: dict[str, Point] = {"1": (150, 35), "2": (85, 110), "3": (215, 110), "4": (45, 190), "5": (125, 190)}
    for a, b in (("1", "2"), ("1", "3"), ("2", "4"), ("2", "5")):
        sheet.link(places[a], places[b])
    for label, place in places.items():
        sheet.node(place, label, fill=GREEN)
    return sheet.png()


def road_of_three() -> bytes:
    """A road from a house to a lake in three pieces."""
    sheet = Canvas(440, 170)
    stops: tuple[tuple[Point, str], ...] = (
        ((45, 110), "house"),
        ((160, 55), "mill"),
        ((280, 115), "bridge"),
        ((395, 60), "lake"),
    )
    for (a, _), (b, _), label in zip(stops, stops[1:], ("4 km", "6 km", "5 km"), strict=False):
        sheet.line(a, b, colour=GREY, width=6)
        sheet.text(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 20), label, colour=DARK_RED)
    for place, name in stops:
        sheet.disc(place, 8, fill=YELLOW)
        sheet.text((place[0], place[1] + 24), name)
    return sheet.png()
