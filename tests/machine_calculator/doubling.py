"""recursive_doubling and halving_doubling (18.5)."""

from typing import List, Optional

from steps import Levels, Range, Request, Threads, Writer, block
from trees import plan_binomial


class Seats:
    """The first n - P pairs of ranks share a seat; the odd one is a guest."""

    def __init__(self, ranks: int) -> None:
        self.count = 1 << (ranks.bit_length() - 1)
        self.pairs = ranks - self.count

    def host(self, seat: int) -> int:
        return 2 * seat if seat < self.pairs else seat + self.pairs

    def guest(self, seat: int) -> Optional[int]:
        return 2 * seat + 1 if seat < self.pairs else None

    def is_guest(self, rank: int) -> bool:
        return rank < 2 * self.pairs and rank % 2 == 1

    def seat(self, rank: int) -> int:
        return rank // 2 if rank < 2 * self.pairs else rank - self.pairs


def plan_recursive_doubling(request: Request, levels: Levels, threads: Threads) -> None:
    if request.collective in ("broadcast", "reduce"):
        plan_binomial(request, levels, threads)
    else:
        plan_doubling(request, levels, threads)


def plan_doubling(request: Request, levels: Levels, threads: Threads) -> None:
    for rank, of_rank in enumerate(threads):
        of_rank.append([])
        if levels.count > 1:
            Doubling(request, levels.count, Writer(of_rank[0], request.chunk)).plan(rank)


class Doubling:
    """Of one rank. Ranks are shifted so that the root is the first."""

    def __init__(self, request: Request, ranks: int, writer: Writer) -> None:
        self._request, self._ranks, self._writer = request, ranks, writer
        self._collective = request.collective
        self._seats = Seats(ranks)
        self._whole = 0, request.count
        self._adds = request.collective not in ("all_gather", "broadcast")

    def plan(self, rank: int) -> None:
        shifted = (rank - self._request.root) % self._ranks
        if self._seats.is_guest(shifted):
            self._be_guest(shifted)
        elif self._request.algorithm == "recursive_doubling" and self._collective == "all_reduce":
            self._exchange_all(self._seats.seat(shifted))
        else:
            self._halve_and_double(self._seats.seat(shifted))

    def _rank(self, shifted: int) -> int:
        return (shifted + self._request.root) % self._ranks

    def _host(self, seat: int) -> int:
        return self._rank(self._seats.host(seat))

    def _own(self, shifted: int) -> Range:
        return block(self._whole, self._ranks, shifted)

    def _around(self, own: Range) -> List[Range]:
        """What precedes a block, then what follows it."""
        end = own[0] + own[1]
        return [(0, own[0]), (end, self._request.count - end)]

    def _of(self, first: int, count: int) -> Range:
        """The data of so many seats from the first on: of their ranks, or balanced blocks, one a seat."""

        def of_seat(seat: int) -> Range:
            if self._collective not in ("reduce_scatter", "all_gather"):
                return block(self._whole, self._seats.count, seat)
            guest, (begin, length) = self._seats.guest(seat), self._own(self._seats.host(seat))
            return begin, length + (0 if guest is None else self._own(guest)[1])

        begin, (last, length) = of_seat(first)[0], of_seat(first + count - 1)
        return begin, last + length - begin

    def _group(self, seat: int, size: int) -> Range:
        return self._of(seat // size * size, size)

    def _be_guest(self, guest: int) -> None:
        partner, own = self._rank(guest - 1), self._own(guest)
        if self._collective == "all_gather":
            self._writer.send(partner, own)
        elif self._adds:
            self._writer.send(partner, self._whole)
        for elements in self._out(own):
            self._writer.take("receive", partner, elements)

    def _out(self, own: Range) -> List[Range]:
        """What a guest gets in the end."""
        if self._collective == "reduce":
            return []
        if self._collective == "all_gather":
            return self._around(own)
        return [own if self._collective == "reduce_scatter" else self._whole]

    def _halve_and_double(self, seat: int) -> None:
        guest = self._seats.guest(seat)
        if guest is not None and self._collective == "all_gather":
            self._writer.take("receive", self._rank(guest), self._own(guest))
        elif guest is not None and self._adds:
            self._writer.take("reduce", self._rank(guest), self._whole)
        if self._adds:
            self._halve(seat)
        if self._collective == "broadcast":
            self._spread(seat)
        if self._collective == "reduce":
            self._gather(seat)
        elif self._collective != "reduce_scatter":
            self._double(seat)
        if guest is not None:
            for elements in self._out(self._own(guest)):
                self._writer.send(self._rank(guest), elements)

    def _distances(self) -> List[int]:
        return [1 << power for power in range(self._seats.count.bit_length() - 1)]

    def _halve(self, seat: int) -> None:
        for distance in reversed(self._distances()):
            other = seat ^ distance
            self._writer.send(self._host(other), self._group(other, distance))
            self._writer.take("reduce", self._host(other), self._group(seat, distance))

    def _double(self, seat: int) -> None:
        for distance in self._distances():
            other = seat ^ distance
            self._writer.send(self._host(other), self._group(seat, distance))
            self._writer.take("receive", self._host(other), self._group(other, distance))

    def _spread(self, seat: int) -> None:
        for distance in reversed(self._distances()):
            if seat % (2 * distance) == 0:
                self._writer.send(self._host(seat + distance), self._of(seat + distance, distance))
            elif seat % (2 * distance) == distance:
                self._writer.take("receive", self._host(seat - distance), self._of(seat, distance))

    def _gather(self, seat: int) -> None:
        for distance in self._distances():
            if seat % (2 * distance) == 0:
                self._writer.take("receive", self._host(seat + distance), self._of(seat + distance, distance))
            elif seat % (2 * distance) == distance:
                self._writer.send(self._host(seat - distance), self._of(seat, distance))

    def _exchange_all(self, seat: int) -> None:
        """recursive_doubling, all_reduce: each chunk reduced is passed on to the next exchange, or the guest."""
        guest = self._seats.guest(seat)
        first = [self._host(seat ^ 1)]
        if guest is None:
            self._writer.send(first[0], self._whole)
        else:
            self._writer.pass_on("reduce", [self._rank(guest)], self._whole, first)
        for distance in self._distances():
            following = [] if guest is None else [self._rank(guest)]
            if 2 * distance < self._seats.count:
                following = [self._host(seat ^ 2 * distance)]
            self._writer.pass_on("reduce", [self._host(seat ^ distance)], self._whole, following)
