"""The order of a composite's tiles, and what of them is in the registers already (6.2, 6.15)."""

from typing import Iterator, NamedTuple, Tuple

from machine import Machine
from matrices import Range


class Place(NamedTuple):
    tile: Tuple[int, int, int]  # i, j, k
    first: bool  # along K
    last: bool
    has_a: bool  # as the tile before
    has_b: bool


def in_order(machine: Machine, rows: Range, columns: Range, depth: Range) -> Iterator[Place]:
    for top in range(*rows, machine.register_rows):
        down = range(top, min(top + machine.register_rows, rows[1]))
        for left in range(*columns, machine.register_columns):
            across = range(left, min(left + machine.register_columns, columns[1]))
            by_rows = len(across) >= len(down)
            places = [(i, j) for i in down for j in across] if by_rows else [(i, j) for j in across for i in down]
            for k in range(*depth):
                for i, j in places:
                    has_a, has_b = by_rows and j > left, not by_rows and i > top
                    yield Place((i, j, k), k == depth[0], k == depth[1] - 1, has_a, has_b)
