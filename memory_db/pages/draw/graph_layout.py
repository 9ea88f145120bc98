"""Where the nodes of a small graph stand, and the lines between them.

In: nodes in order, each with its steps from the centre and its parent. Out: places in a box, and curves as paths of an
SVG. Invariants: the centre is in the middle, one step away stands on an inner ring, two steps on an outer one; every
node of a side has a row of its own and its label runs outwards, so that no label covers another or leaves the box; the
same nodes give the same picture. Pure: no file, no clock, no chance.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 1000.0
MARGIN = 18.0
ROW = 26.0
"""Least distance of two rows of a side; a line of a label is `LINE` high."""

LINE = 15.0
LEAST_HEIGHT = 340.0

CHARACTER = 7.3
"""Width of a character of a label at most, in the mean of a line. Source: measured on text of 12 units in DejaVu Sans,
the widest of the usual fonts."""

GAP = 13.0
"""From the middle of a node to its label."""

RADIUS = 7.0
ARROW = 7.0

CENTRE_CHARACTERS, CENTRE_LINES = 20, 4

RINGS = {1: {1: (120.0, 120.0)}, 2: {1: (95.0, 85.0), 2: (175.0, 145.0)}}
"""For a picture of one step or two, for each ring: its distance from the middle at top and bottom, and what comes to
it at half the height."""


@dataclass(slots=True, frozen=True)
class Node:
    """Something to place: its label, how many steps it is from the centre, and by way of what."""

    key: str
    label: str
    hops: int
    parent: str | None = None


@dataclass(slots=True, frozen=True)
class NodePosition:
    """Where a node is. `side` is -1 left, 1 right, 0 the centre; `lines` are its label, from (`label_x`, `label_y`)."""

    key: str
    x: float
    y: float
    side: int
    lines: tuple[str, ...]
    label_x: float
    label_y: float

    @property
    def anchor(self) -> str:
        """Where the label begins, as SVG says it."""
        return {-1: "end", 0: "middle", 1: "start"}[self.side]

    def box(self) -> tuple[float, float, float, float]:
        """The label's left, top, right and bottom, at its widest."""
        width = max(map(columns, self.lines), default=0) * CHARACTER
        left = self.label_x - {-1: width, 0: width / 2, 1: 0.0}[self.side]
        top = self.label_y - LINE * 0.75
        return left, top, left + width, top + LINE * len(self.lines)


def place(nodes: Sequence[Node]) -> tuple[float, list[NodePosition]]:
    """The height of the picture, and where each node stands. The first node, without steps, is the centre.

    Children stand beside their parent; the order runs clockwise from the top.
    """
    sides = sides_of(nodes)
    rows = max(len(sides[-1]), len(sides[1]))
    height = max(LEAST_HEIGHT, rows * ROW + 2 * MARGIN)
    rings = RINGS[2 if any(node.hops > 1 for node in nodes) else 1]
    found = [centre_place(nodes[0], height)]
    for side, members in sides.items():
        apart = (height - 2 * MARGIN) / max(1, len(members))
        for row, node in enumerate(members):
            y = MARGIN + (row + 0.5) * apart
            near, more = rings[min(node.hops, max(rings))]
            away = near + more * math.sqrt(max(0.0, 1 - ((y - height / 2) / (height / 2)) ** 2))
            x = WIDTH / 2 + side * away
            room = int((WIDTH / 2 - away - GAP - 2) / CHARACTER)
            line = cut(node.label, min(room, 40 if node.hops > 1 or len(rings) == 1 else 30))
            found.append(
                NodePosition(node.key, round(x, 1), round(y, 1), side, (line,), round(x + side * GAP, 1), y + 4)
            )
    return height, found


def centre_place(node: Node, height: float) -> NodePosition:
    """The place of the centre, its label below it in a few lines."""
    lines = tuple(wrap(node.label, CENTRE_CHARACTERS, CENTRE_LINES))
    x, y = WIDTH / 2, height / 2 - LINE * len(lines) / 2
    return NodePosition(node.key, x, round(y, 1), 0, lines, x, round(y + 2.6 * GAP, 1))


def sides_of(nodes: Sequence[Node]) -> dict[int, list[Node]]:
    """The rows of both sides from top to bottom: families whole, the first half of them on the right."""
    children: dict[str | None, list[Node]] = {}
    for node in nodes[1:]:
        if node.hops > 1:
            children.setdefault(node.parent, []).append(node)
    families = []
    for node in nodes[1:]:
        if node.hops == 1:
            own = children.get(node.key, [])
            families.append([*own[: len(own) // 2], node, *own[len(own) // 2 :]])
    rows = sum(map(len, families))
    right: list[Node] = []
    left: list[list[Node]] = []
    for family in families:
        if not left and len(right) + len(family) / 2 <= rows / 2:
            right += family
        else:
            left.append(family)
    return {1: right, -1: [node for family in left[::-1] for node in family]}


def columns(text: str) -> int:
    """How many columns a text takes: wide characters count for two, and any that a font may draw wide as well."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" or ord(each) > 0x2E7F else 1 for each in text)


def fitting(text: str, room: int) -> int:
    """How many characters of a text fit into so many columns."""
    taken = 0
    for place, each in enumerate(text):
        taken += columns(each)
        if taken > room:
            return place
    return len(text)


def cut(text: str, room: int) -> str:
    """A text in one line of so many columns, with an ellipsis where it is cut."""
    line = " ".join(text.split())
    return line if columns(line) <= room else line[: fitting(line, room - 1)].rstrip() + "…"


def wrap(text: str, room: int, most: int) -> list[str]:
    """A text in at most so many lines of two columns and more, broken at spaces where it has some."""
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most - 1 and columns(rest) > room:
        end = fitting(rest, room)
        space = rest.rfind(" ", 1, end + 1)
        end = space if space > 0 else end
        lines.append(rest[:end])
        rest = rest[end:].lstrip()
    return [*lines, cut(rest, room)] if rest else lines


@dataclass(slots=True, frozen=True)
class Curve:
    """A line as the `d` of a path, and an arrow at its end."""

    path: str
    arrow: str


def curve(start: NodePosition, end: NodePosition, *, is_branch: bool, height: float, shift: float = 0.0) -> Curve:
    """The line between two nodes: a branch leaves and arrives level, another line bows towards the middle.

    `shift` moves its middle, so that two lines between the same nodes are two.
    """
    middle = WIDTH / 2
    if is_branch:
        half = (start.x + end.x) / 2
        first, second = (half, start.y + shift), (half, end.y + shift)
    else:
        x = (start.x + end.x) / 2
        bow = (x + (middle - x) * 0.45, (start.y + end.y) / 2 + (height / 2 - (start.y + end.y) / 2) * 0.2 + shift)
        first = second = bow
    ahead, aside = end.x - second[0], end.y - second[1]
    length = math.hypot(ahead, aside) or 1.0
    ahead, aside = ahead / length, aside / length
    tip = (end.x - ahead * (RADIUS + 1), end.y - aside * (RADIUS + 1))
    back = (tip[0] - ahead * ARROW, tip[1] - aside * ARROW)
    wing = (-aside * ARROW * 0.5, ahead * ARROW * 0.5)
    corners = [tip, (back[0] + wing[0], back[1] + wing[1]), (back[0] - wing[0], back[1] - wing[1])]
    controls = " ".join(f"{x:.0f} {y:.0f}" for x, y in (first, second, (end.x, end.y)))
    return Curve(
        f"M{start.x:.0f} {start.y:.0f}C{controls}", "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "Z"
    )
