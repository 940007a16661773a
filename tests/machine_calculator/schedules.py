"""Schedules of collectives by the algorithms ring and direct (ADR-0018), one thread a rank."""

from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple

from machine import Machine

Range = Tuple[int, int]  # begin and length, in elements


@dataclass(frozen=True)
class Step:
    does: str  # send, receive, reduce, copy
    begin: int
    length: int
    peer: Optional[int] = None
    copied_from: int = 0


@dataclass(frozen=True)
class Request:
    collective: str
    algorithm: str
    count: int  # of elements
    chunk: int = 0


def buffer_elements(request: Request) -> int:
    """The table of ADR-0018."""
    twice = request.collective == "all_to_all" or (request.collective, request.algorithm) == ("all_reduce", "direct")
    return request.count * (2 if twice else 1)


def blocks(count: int, groups: int) -> List[Range]:
    """Balanced: the first ones are one element longer."""
    size, longer = divmod(count, groups)
    found, begin = [], 0
    for number in range(groups):
        length = size + (number < longer)
        found.append((begin, length))
        begin += length
    return found


def neighbour_order(rows: int, columns: int) -> List[Tuple[int, int]]:
    """18.3."""
    if rows > 1 and columns > 1 and rows % 2 == 0:
        order = [(0, column) for column in range(columns)]
        for row in range(1, rows):
            across = range(columns - 1, 0, -1) if row % 2 else range(1, columns)
            order += [(row, column) for column in across]
        return order + [(row, 0) for row in range(rows - 1, 0, -1)]
    if rows > 1 and columns > 1 and columns % 2 == 0:
        return [(row, column) for column, row in neighbour_order(columns, rows)]
    return [
        (row, column)
        for row in range(rows)
        for column in (range(columns) if row % 2 == 0 else range(columns - 1, -1, -1))
    ]


def ring_order(machine: Machine) -> List[int]:
    """18.3: rank by place."""
    return [
        (die_row * machine.die_columns + die_column) * machine.pes_per_die + row * machine.columns + column
        for die_row, die_column in neighbour_order(machine.die_rows, machine.die_columns)
        for row, column in neighbour_order(machine.rows, machine.columns)
    ]


class Schedule:
    """The steps of every rank. 18.4: a range is cut into chunks; an empty one is no message."""

    def __init__(self, request: Request, ring: Sequence[int]) -> None:
        self._request, self._ring = request, ring
        self._ranks = len(ring)
        self._blocks = blocks(request.count, self._ranks)
        self.steps: List[List[Step]] = [[] for _ in ring]
        if request.count == 0 or self._ranks == 1:
            return
        for rank in range(self._ranks):
            make = self._direct if request.algorithm == "direct" else self._by_ring
            make(rank, self.steps[rank].append)

    def _chunks(self, elements: Range) -> List[Range]:
        begin, length = elements
        size = self._request.chunk or length
        return [(begin + at, min(size, length - at)) for at in range(0, length, size or 1)]

    def _each(self, add: Callable[[Step], None], does: str, elements: Range, peer: int) -> None:
        for begin, length in self._chunks(elements):
            add(Step(does, begin, length, peer))

    def _direct(self, rank: int, add: Callable[[Step], None]) -> None:
        """18.5; the root is rank 0."""
        count, ranks = self._request.count, self._ranks
        after = [(rank + distance) % ranks for distance in range(1, ranks)]
        before = [(rank - distance) % ranks for distance in range(1, ranks)]
        whole, own = (0, count), self._blocks[rank]
        sends: List[Tuple[int, Range]] = []
        takes: List[Tuple[int, Range]] = []
        collective, does = self._request.collective, "receive"
        if collective == "broadcast":
            sends = [(peer, whole) for peer in after] if rank == 0 else []
            takes = [(0, whole)] if rank else []
        elif collective == "reduce":
            does = "reduce"
            sends = [(0, whole)] if rank else []
            takes = [(peer, whole) for peer in before] if rank == 0 else []
        elif collective == "all_reduce":
            does = "reduce"
            add(Step("copy", count, count))
            sends = [(peer, (count, count)) for peer in after]
            takes = [(peer, whole) for peer in before]
        elif collective == "all_gather":
            sends = [(peer, own) for peer in after]
            takes = [(peer, self._blocks[peer]) for peer in before]
        elif collective == "reduce_scatter":
            does = "reduce"
            sends = [(peer, self._blocks[peer]) for peer in after]
            takes = [(peer, own) for peer in before]
        else:
            assert collective == "all_to_all"
            add(Step("copy", count + own[0], own[1], copied_from=own[0]))
            sends = [(peer, self._blocks[peer]) for peer in after]
            takes = [(peer, (count + self._blocks[peer][0], own[1])) for peer in before]
        for peer, elements in sends:
            self._each(add, "send", elements, peer)
        for peer, elements in takes:
            self._each(add, does, elements, peer)

    def _by_ring(self, rank: int, add: Callable[[Step], None]) -> None:
        """18.5."""
        ranks, place = self._ranks, self._ring.index(rank)
        following, previous = self._ring[(place + 1) % ranks], self._ring[place - 1]
        collective = self._request.collective

        def pass_on(does: str, elements: Range, on: bool) -> None:
            for begin, length in self._chunks(elements):
                add(Step(does, begin, length, previous))
                if on:
                    add(Step("send", begin, length, following))

        def block(distance: int) -> Range:
            return self._blocks[self._ring[(place - distance) % ranks]]

        if collective in ("broadcast", "reduce"):  # a chain from, or to, the root
            begins = self._ring.index(0) + (collective == "reduce")
            along = (place - begins) % ranks
            does = "receive" if collective == "broadcast" else "reduce"
            if along == 0:
                self._each(add, "send", (0, self._request.count), following)
            else:
                pass_on(does, (0, self._request.count), along < ranks - 1)
            return
        if collective in ("reduce_scatter", "all_reduce"):
            self._each(add, "send", block(1), following)
            for distance in range(2, ranks + 1):
                pass_on("reduce", block(distance), distance < ranks or collective == "all_reduce")
        if collective == "all_gather":
            self._each(add, "send", block(0), following)
        if collective in ("all_gather", "all_reduce"):
            for distance in range(1, ranks):
                pass_on("receive", block(distance), distance < ranks - 1)
