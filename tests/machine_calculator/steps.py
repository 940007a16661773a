"""What schedules of collectives are made of (ADR-0018): ranks on grids, ranges of a buffer, steps of threads."""

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

Range = Tuple[int, int]  # begin and length, in elements


@dataclass(frozen=True)
class Step:
    does: str  # send, receive, reduce, copy
    begin: int
    length: int
    peer: Optional[int] = None
    copied_from: int = 0
    channel: int = 0


Thread = List[Step]
Threads = List[List[Thread]]  # of every rank


@dataclass(frozen=True)
class Request:
    collective: str
    algorithm: str
    count: int  # of elements
    chunk: int = 0
    root: int = 0
    root_die: str = "centre"


@dataclass(frozen=True)
class Grid:
    rows: int = 1
    columns: int = 1

    @property
    def count(self) -> int:
        return self.rows * self.columns

    def cells(self, count: int) -> "Grid":
        """20.1: so many cells that are whole rows, or the beginning of the first."""
        return Grid(1, count) if count <= self.columns else Grid(count // self.columns, self.columns)


@dataclass(frozen=True)
class Levels:
    """18.3: packages, each with the same dies, each with the same PEs."""

    packages: Grid
    dies: Grid
    pes: Grid

    @property
    def count(self) -> int:
        return self.packages.count * self.dies.count * self.pes.count


def block(elements: Range, groups: int, number: int) -> Range:
    """Balanced: the first ones are one element longer."""
    begin, length = elements
    size, longer = divmod(length, groups)
    return begin + number * size + min(number, longer), size + (number < longer)


def blocks(elements: Range, groups: int) -> List[Range]:
    return [block(elements, groups, number) for number in range(groups)]


def neighbour_order(grid: Grid) -> List[int]:
    """18.3: cells, numbered row by row."""
    rows, columns = grid.rows, grid.columns
    if rows > 1 and columns > 1 and rows % 2 == 0:
        order = list(range(columns))
        for row in range(1, rows):
            across = range(columns - 1, 0, -1) if row % 2 else range(1, columns)
            order += [row * columns + column for column in across]
        return order + [row * columns for row in range(rows - 1, 0, -1)]
    if rows > 1 and columns > 1 and columns % 2 == 0:
        turned = (divmod(cell, rows) for cell in neighbour_order(Grid(columns, rows)))
        return [row * columns + column for column, row in turned]
    return [
        row * columns + column
        for row in range(rows)
        for column in (range(columns) if row % 2 == 0 else range(columns - 1, -1, -1))
    ]


def ring_order(levels: Levels) -> List[int]:
    """18.3: rank by place."""
    return [
        (package * levels.dies.count + die) * levels.pes.count + pe
        for package in neighbour_order(levels.packages)
        for die in neighbour_order(levels.dies)
        for pe in neighbour_order(levels.pes)
    ]


class Writer:
    """Writes steps into a thread. 18.4: a range is cut into chunks; an empty one is no message."""

    def __init__(self, thread: Thread, chunk: int, channel: int = 0) -> None:
        self._thread, self._chunk, self._channel = thread, chunk, channel

    def pass_on(self, does: str, sources: Sequence[int], elements: Range, targets: Sequence[int]) -> None:
        """Each chunk is taken from each of `sources`, then at once sent to each of `targets`."""
        begin, length = elements
        size = self._chunk or length or 1
        for at in range(0, length, size):
            chunk = begin + at, min(size, length - at)
            self._thread += [Step(does, *chunk, peer, channel=self._channel) for peer in sources]
            self._thread += [Step("send", *chunk, peer, channel=self._channel) for peer in targets]

    def send(self, peer: int, elements: Range) -> None:
        self.pass_on("send", [], elements, [peer])

    def take(self, does: str, peer: int, elements: Range) -> None:
        self.pass_on(does, [peer], elements, [])

    def copy(self, source: Range, target: int) -> None:
        if source[1]:
            self._thread.append(Step("copy", target, source[1], copied_from=source[0]))
