"""Operators (ADR-0043): what they read and compute, shares, pieces, bounds."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import List, NamedTuple, Tuple

from machine import Machine
from queues import MessageQueue
from units import PICOSECONDS, ceil_div, duration, up_to_multiple

FP32 = 4
BYTES = {"bf16": 2, "fp16": 2, "fp32": 4}


class Passes(NamedTuple):
    """43.4: arithmetic, special, reduce."""

    arithmetic: int = 0
    special: int = 0
    reduce: int = 0


@dataclass(frozen=True)
class Kind:
    """43.1, 43.4."""

    matrices: int = 1  # of x's shape that are read
    parameters: int = 0
    classes: bool = False
    numbers: int = 0  # of a row's statistics
    makes_y: bool = True
    statistics: Passes = Passes()
    merging: Passes = Passes()
    finishing: Passes = Passes()
    applying: Passes = Passes()


SOFTMAX, MERGED = Passes(1, 1, 2), Passes(5, 2, 0)
KINDS = {
    "layernorm": Kind(
        parameters=2, numbers=2, statistics=Passes(2, 0, 2), merging=Passes(5), finishing=Passes(2, 1),
        applying=Passes(2),
    ),
    "rmsnorm": Kind(
        parameters=1, numbers=1, statistics=Passes(1, 0, 1), merging=Passes(1), finishing=Passes(1, 1),
        applying=Passes(2),
    ),
    "gelu": Kind(applying=Passes(4, 1)),
    "swish": Kind(applying=Passes(2, 1)),
    "softmax": Kind(numbers=2, statistics=SOFTMAX, merging=MERGED, finishing=Passes(1, 1), applying=Passes(1, 1)),
    "mse": Kind(matrices=2, makes_y=False, statistics=Passes(2, 0, 1)),
    "cross_entropy": Kind(
        classes=True, numbers=3, makes_y=False, statistics=SOFTMAX, merging=MERGED, finishing=Passes(2, 1, 1)
    ),
    "rotary": Kind(matrices=2, applying=Passes(2)),
}  # fmt: skip


@dataclass(frozen=True)
class Problem:
    operator: str
    batch: int
    sequence: int
    dimension: int
    dtype: str = "bf16"

    @property
    def rows(self) -> int:
        return self.batch * self.sequence


@dataclass(frozen=True)
class Piece:
    begin: int
    elements: int
    rows: int
    statistics: bool
    applies: bool
    first_of_row: bool = True
    last_of_row: bool = True


class Plan:
    """43.6, 43.7."""

    def __init__(self, machine: Machine, problem: Problem, pes: int) -> None:
        self.machine, self.problem, self.pes = machine, problem, pes
        self.kind = KINDS[problem.operator]
        self.element = BYTES[problem.dtype]
        self.rows = [problem.rows // pes + (1 if rank < problem.rows % pes else 0) for rank in range(pes)]
        self.active = sum(1 for rows in self.rows if rows)
        self._cut()

    def _whole(self, size: int) -> int:
        return up_to_multiple(size, self.machine.burst)

    def _tcm(self) -> int:
        machine = self.machine
        if self.kind.makes_y:
            return machine.tcm_capacity
        slots = MessageQueue.room(machine) * (self.pes - 1).bit_length() if machine.tier == "tcm" else 0
        return machine.tcm_capacity - (self.pes + 2) * machine.burst - slots

    def _room(self, unit: int, units: int, parts: bool) -> int:
        kind, piece = self.kind, self._whole(unit * units * self.element)
        room = 2 * piece * (kind.matrices + (1 if kind.makes_y else 0))
        room += kind.parameters * (2 * piece if parts else self._whole(self.problem.dimension * self.element))
        if kind.numbers:
            room += self._whole(FP32 * kind.numbers * (1 if parts else units))
        if kind.classes:
            room += self._whole(FP32 * self.rows[0])
        return room + (0 if kind.makes_y else self._whole(FP32))

    def _fits(self, unit: int, units: int, parts: bool) -> bool:
        return units >= 1 and self._room(unit, units, parts) <= self._tcm()

    def _cut(self) -> None:
        problem, machine = self.problem, self.machine
        small = 2 * ceil_div(machine.burst, 2 * self.element)
        unit, count, self.parts = small, ceil_div(self.rows[0] * problem.dimension, small), False
        if self.kind.numbers:
            unit, count = problem.dimension, self.rows[0]
            if not self._fits(unit, 1, False):
                unit, count, self.parts = small, ceil_div(problem.dimension, small), True
        wanted = max(
            ceil_div(count, 8),
            ceil(Fraction(machine.outstanding_bursts * machine.burst // 2, unit * self.element)),
        )
        units = min(wanted, count)
        while units > 1 and not self._fits(unit, units, self.parts):
            units -= 1
        assert self._fits(unit, units, self.parts)
        self.most = unit * units

    def pieces(self, rank: int) -> List[Piece]:
        dimension, rows, kind = self.problem.dimension, self.rows[rank], self.kind
        found: List[Piece] = []
        if not kind.numbers:
            for begin in range(0, rows * dimension, self.most):
                size = min(self.most, rows * dimension - begin)
                found.append(Piece(begin, size, 1, not kind.makes_y, kind.makes_y))
        elif not self.parts:
            for begin in range(0, rows * dimension, self.most):
                size = min(self.most, rows * dimension - begin)
                found.append(Piece(begin, size, size // dimension, True, kind.makes_y))
        else:
            for row in range(rows):
                for applies in (False, True) if kind.makes_y else (False,):
                    for column in range(0, dimension, self.most):
                        size = min(self.most, dimension - column)
                        ends = column == 0, column + size == dimension
                        found.append(Piece(row * dimension + column, size, 1, not applies, applies, *ends))
        return found

    # 43.3 to 43.5.

    def cycles(self, passes: Passes, elements: int) -> int:
        """6.13."""
        groups = ceil_div(elements, self.machine.lanes)
        special = ceil(passes.special * groups / Fraction(self.machine.special_rate))
        return passes.arithmetic * groups + special + ceil(passes.reduce * groups / Fraction(self.machine.reduce_rate))

    def occupied(self, cycles: int, fetched: int, stored: int) -> int:
        machine = self.machine
        return max(
            duration(cycles, machine.clock),
            duration(fetched, machine.fetch_bandwidth),
            duration(stored, machine.store_bandwidth),
        )

    def in_sum(self, piece: Piece) -> Tuple[bool, bool]:
        """Whether a piece goes into a sum, and whether there is one already."""
        goes = not self.kind.makes_y and piece.last_of_row
        before = piece.begin // self.problem.dimension if self.parts else piece.begin
        return goes, goes and before > 0

    def statistics(self, piece: Piece) -> int:
        kind = self.kind
        goes, adds = self.in_sum(piece)
        numbers = piece.rows * kind.numbers * FP32
        cycles = self.cycles(kind.statistics, piece.elements)
        fetched, stored = kind.matrices * piece.elements * self.element, numbers
        if kind.classes:
            fetched += piece.rows * FP32
        if not piece.first_of_row:
            cycles += self.cycles(kind.merging, piece.rows)
            fetched += numbers
        if piece.last_of_row:
            cycles += self.cycles(kind.finishing, piece.rows)
        if goes:
            stored += FP32
        if adds:
            cycles += self.cycles(Passes(1), 1)
            fetched += FP32
        return self.occupied(cycles, fetched, stored)

    def applying(self, piece: Piece) -> int:
        kind, size = self.kind, piece.elements * self.element
        fetched = (kind.matrices + kind.parameters) * size + piece.rows * kind.numbers * FP32
        return self.occupied(self.cycles(kind.applying, piece.elements), fetched, size)

    def mean(self) -> int:
        cycles = self.cycles(Passes(0, 0, 1), self.active) + self.cycles(Passes(1), 1)
        return self.occupied(cycles, FP32 * self.active, self.element)

    # 43.10, 43.11, with r, w and Q of 7.1.

    def _rates(self) -> Tuple[int, int, int]:
        machine = self.machine
        in_packet = ceil_div(machine.packet_bytes // machine.burst, machine.pseudo_channels)
        queued = machine.pseudo_channels * (machine.write_queue - 1 + in_packet) * machine.burst
        reading = min(machine.hbm_bandwidth, machine.link_bandwidth, machine.tcm_write_bandwidth)
        return reading, min(machine.link_bandwidth, machine.tcm_read_bandwidth), queued

    def moved(self, rank: int) -> Tuple[int, int]:
        """Bytes that a PE reads and writes, rank 0's part of 43.9 left out."""
        kind = self.kind
        if not self.rows[rank]:
            return 0, 0
        pieces = self.pieces(rank)
        read = sum(kind.matrices * piece.elements for piece in pieces) * self.element
        made = sum(piece.elements for piece in pieces if piece.applies) * self.element
        read += kind.parameters * (made if self.parts else self.problem.dimension * self.element)
        read += FP32 * self.rows[rank] if kind.classes else 0
        return read, made if kind.makes_y else FP32

    def bound(self) -> int:
        reading, writing, queued = self._rates()
        longest = 0
        for rank in range(self.pes):
            read, written = self.moved(rank)
            pieces = self.pieces(rank)
            vector = sum(self.statistics(piece) for piece in pieces if piece.statistics)
            vector += sum(self.applying(piece) for piece in pieces if piece.applies)
            hbm = duration(read + max(0, written - queued), self.machine.hbm_bandwidth)
            longest = max(longest, hbm, duration(read, reading), duration(written, writing), vector)
        return longest

    def roofline(self) -> int:
        """Of each term the least picoseconds: what one PE would take, divided and rounded up."""
        machine, kind, problem = self.machine, self.kind, self.problem
        elements = problem.rows * problem.dimension
        read = (kind.matrices * elements + kind.parameters * problem.dimension) * self.element
        read += FP32 * problem.rows if kind.classes else 0
        written = (elements if kind.makes_y else 1) * self.element
        reading, writing, queued = self._rates()
        hbm = read + max(0, written - self.pes * queued)
        passes = [a + b for a, b in zip(kind.statistics, kind.applying)]
        rates = 1, Fraction(machine.special_rate), Fraction(machine.reduce_rate)
        work = sum(ceil(count * elements / rate) for count, rate in zip(passes, rates))
        terms = ((hbm, machine.hbm_bandwidth, 1), (read, reading, 1), (written, writing, 1))
        longest = max(ceil_div(duration(amount, rate), self.pes * by) for amount, rate, by in terms)
        return max(longest, ceil_div(ceil_div(work * PICOSECONDS, machine.clock), self.pes * machine.lanes))
