"""Rings, and everybody to everybody (18.5)."""

from dataclasses import replace
from typing import List, Sequence

from steps import Levels, Range, Request, Threads, Writer, block, blocks, ring_order


class Ring:
    """One of `members`, at `place`; `owned`: the ranges of each place."""

    def __init__(self, writer: Writer, members: Sequence[int], place: int, owned: Sequence[Sequence[Range]]) -> None:
        self._writer, self._place, self._count, self._owned = writer, place, len(members), owned
        self._following = members[(place + 1) % len(members)]
        self._previous = members[place - 1]

    def _of(self, distance: int) -> Sequence[Range]:
        return self._owned[(self._place - distance) % self._count]

    def _send(self, distance: int) -> None:
        for elements in self._of(distance):
            self._writer.send(self._following, elements)

    def _take(self, does: str, distance: int, on: bool) -> None:
        for elements in self._of(distance):
            self._writer.pass_on(does, [self._previous], elements, [self._following] if on else [])

    def reduce_scatter(self, passes_last_on: bool = False) -> None:
        if self._count > 1:
            self._send(1)
            for distance in range(2, self._count + 1):
                self._take("reduce", distance, distance < self._count or passes_last_on)

    def all_gather(self, sent_first: bool = False) -> None:
        if self._count > 1 and not sent_first:
            self._send(0)
        for distance in range(1, self._count):
            self._take("receive", distance, distance < self._count - 1)

    def all_reduce(self) -> None:
        """The reduced own block is passed on from the last reduce of the first part."""
        self.reduce_scatter(passes_last_on=True)
        self.all_gather(sent_first=True)


def plan_rings(request: Request, levels: Levels, threads: Threads) -> None:
    """ring, bidirectional_ring."""
    order = ring_order(levels)
    if request.algorithm == "ring":
        _plan_ring(request, order, [], threads)
    else:
        _plan_ring(request, order, [2, 0], threads)
        _plan_ring(request, order[::-1], [2, 1], threads)


def _plan_ring(request: Request, order: List[int], part: List[int], threads: Threads) -> None:
    """`part`: of how many which one of every block this ring has; nothing: all."""
    count, channel = len(order), part[1] if part else 0

    def own(elements: Range) -> Range:
        return block(elements, *part) if part else elements

    whole = 0, request.count
    owned = [[own(block(whole, count, rank))] for rank in order]
    for place, rank in enumerate(order):
        threads[rank].append([])
        writer = Writer(threads[rank][-1], request.chunk, channel)
        if count == 1:
            continue
        if request.collective in ("broadcast", "reduce"):  # a chain from, or to, the root
            reduces = request.collective == "reduce"
            along = (place - order.index(request.root) - reduces) % count
            previous, following = [order[place - 1]], [order[(place + 1) % count]]
            writer.pass_on(
                "reduce" if reduces else "receive",
                previous if along > 0 else [], own(whole), following if along < count - 1 else [],
            )  # fmt: skip
            continue
        ring = Ring(writer, order, place, owned)
        {"all_reduce": ring.all_reduce, "reduce_scatter": ring.reduce_scatter, "all_gather": ring.all_gather}[
            request.collective
        ]()


def plan_direct(request: Request, levels: Levels, threads: Threads) -> None:
    """direct, pairwise."""
    for rank, of_rank in enumerate(threads):
        of_rank.append([])
        _plan_direct(request, levels.count, rank, Writer(of_rank[0], request.chunk))


def plan_two_shot(request: Request, levels: Levels, threads: Threads) -> None:
    """direct's reduce_scatter, then its all_gather."""
    plan_direct(replace(request, collective="reduce_scatter"), levels, threads)
    for rank, (thread,) in enumerate(threads):
        _plan_direct(replace(request, collective="all_gather"), levels.count, rank, Writer(thread, request.chunk))


def _plan_direct(request: Request, ranks: int, rank: int, writer: Writer) -> None:
    count, collective = request.count, request.collective
    whole = 0, count
    of = blocks(whole, ranks)
    sent = {  # to a peer
        "all_reduce": lambda peer: (count, count),
        "reduce_scatter": lambda peer: of[peer],
        "all_to_all": lambda peer: of[peer],
        "all_gather": lambda peer: of[rank],
        "broadcast": lambda peer: whole if rank == request.root else (0, 0),
        "reduce": lambda peer: whole if peer == request.root else (0, 0),
    }[collective]
    taken = {  # from a peer
        "all_reduce": lambda peer: whole,
        "reduce_scatter": lambda peer: of[rank],
        "all_to_all": lambda peer: (count + of[peer][0], of[peer][1]),
        "all_gather": lambda peer: of[peer],
        "broadcast": lambda peer: whole if peer == request.root else (0, 0),
        "reduce": lambda peer: whole if rank == request.root else (0, 0),
    }[collective]
    does = "reduce" if "reduce" in collective else "receive"
    if collective == "all_to_all":
        writer.copy(of[rank], count + of[rank][0])
    elif collective == "all_reduce" and ranks > 1:
        writer.copy(whole, count)
    after = [(rank + distance) % ranks for distance in range(1, ranks)]
    before = [(rank - distance) % ranks for distance in range(1, ranks)]
    if request.algorithm == "pairwise":
        for to, source in zip(after, before):
            writer.send(to, sent(to))
            writer.take(does, source, taken(source))
        return
    for to in after:
        writer.send(to, sent(to))
    for source in before:
        writer.take(does, source, taken(source))
