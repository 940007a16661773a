"""SUMMA on a grid of PEs, by messages to several (30.18)."""

from collections import defaultdict
from math import ceil
from typing import Dict, List, Optional, Tuple

from events import Event, Program
from grid_gemm import Choices, GridGemm, counts
from matrices import Range, Tiles
from pe import Pe
from pipeline import Pipeline
from queues import MessageQueue
from register_blocks import in_order
from units import ceil_div, duration

OfOperands = Dict[Tuple[int, int], List[Event]]  # by operand and step or room


class GridMulticast(GridGemm):
    turns = 1

    def _prepare(self) -> None:
        super()._prepare()
        numbers = [divmod(step, self.pieces) for step in range(self.passes * self.pieces)]
        self._steps = [(of_c, self._piece(self.pieces, 0, piece)) for of_c, piece in numbers]
        self._fetched: List[OfOperands] = [defaultdict(list) for _ in self._pes]
        self._sent: List[OfOperands] = [defaultdict(list) for _ in self._pes]

    def choices(self) -> Choices:
        pieces = counts(len(self._shape_a.widths))
        return sorted(
            ((of_c, rooms, of_k) for of_c in counts(self.most_passes) for rooms in (3, 2) for of_k in pieces),
            key=self._estimate,
        )

    def _estimate(self, choice: Tuple[int, int, int]) -> int:
        """30.19."""
        machine, (passes, rooms, pieces) = self._machine, choice
        rate = min(machine.link_bandwidth, machine.tcm_write_bandwidth)

        def size(of_c: int, depth: Range) -> int:
            return sum(operand.valid_bytes for operand in self._operands(self._c_tiles(0, passes, of_c), depth))

        everything = duration(sum(size(of_c, self._piece(1, 0, 0)) for of_c in range(passes)), rate)
        steps = passes * pieces
        small = steps * (machine.setup_latency + machine.read_latency + 6 * machine.control_latency)
        if pieces > 1:
            sums = duration(self._sums(passes).valid_bytes, machine.fetch_bandwidth)
            small += sums * (passes if machine.accumulate_bandwidth else steps)
        first = duration(size(0, self._piece(pieces, 0, 0)), rate)
        rests = everything if rooms == 2 else 0
        return max(everything + rests, self._work(pieces)) + small + 2 * first

    def _work(self, pieces: int) -> int:
        """Of PE 0: 30.19."""
        machine, problem, (rows, columns) = self._machine, self._problem, self._first_sides()
        cells = machine.array_rows * machine.array_columns * machine.array_depth or machine.macs_per_cycle
        cycles = ceil(rows * problem.k * columns / (cells * machine.rate(problem.dtype)))
        of_a, fetched = self._shape_a.row_bytes(problem.k), 0
        tiles = (0, ceil_div(rows, machine.tile_m)), (0, ceil_div(columns, machine.tile_n))
        for place in in_order(machine, *tiles, (0, 1)):
            i, j, _ = place.tile
            if not place.has_a:
                fetched += min(machine.tile_m, rows - i * machine.tile_m) * of_a
            if not place.has_b or problem.converts:
                width = min(machine.tile_n, columns - j * machine.tile_n)
                fetched += problem.k * self._shape_b.format.run(width)
        (c,), sums = self._results[0], 4 * rows * columns
        by_store = max(pieces - 2, 0) if machine.accumulate_bandwidth else 0
        stored = duration(c.valid_bytes + (pieces - 1 - by_store) * sums, machine.store_bandwidth)
        if by_store:
            stored += duration(by_store * sums, machine.accumulate_bandwidth)
        return max(duration(cycles, machine.clock), duration(fetched, machine.fetch_bandwidth), stored)

    def _group(self, rank: int, operand: int) -> List[int]:
        """Of the PE's row, or column, who takes part: the sender, then the others."""
        row, column = divmod(rank, self._across)
        lines = (
            [row * self._across + other for other in range(self._across)],
            [other * self._across + column for other in range(self._down)],
        )
        line = [other for other in lines[operand] if self._results[other][0]]
        sender = line.pop((row, column + 1)[operand] % len(line))
        return [sender, *line]

    def _queue_of(self, rank: int, operand: int) -> MessageQueue:
        return self._queue(*self._group(rank, operand), channel=operand)

    def _sends(self, rank: int, operand: int) -> bool:
        return self._group(rank, operand)[0] == rank

    def program(self, rank: int, pe: Pe) -> Program:
        if not self._results[rank][0]:
            return
        pipeline, sent, ahead = Pipeline(pe), self._sent[rank], self.rooms - 1
        before: List[Event] = []
        for step in range(ahead):
            yield from self._fetch(rank, step)
        yield from self._pass_on(rank, 0)
        yield from self._receive(rank, 0)
        for step, (of_c, depth) in enumerate(self._steps):
            begun: List[Event] = []
            if self._needs(rank, step, 0) and self._needs(rank, step, 1):
                yield from self._call(rank)
                piece = step % self.pieces
                tiles = self._sum_tiles(
                    rank, self._c_tiles(rank, self.passes, of_c), depth, piece > 0, piece + 1 < self.pieces
                )
                begun = [pipeline.composite(tiles)]
            if self.rooms > 2:
                yield from self._pass_on(rank, step + 1)
            room = (step + ahead) % self.rooms
            yield from self._wait_for_all(rank, [before, sent[0, room], sent[1, room]])
            yield from self._fetch(rank, step + ahead)
            if self.rooms == 2:
                yield from self._pass_on(rank, step + 1)
            yield from self._receive(rank, step + 1)
            before = begun
        of_rooms = [sent[operand, room] for operand in (0, 1) for room in range(self.rooms)]
        yield from self._wait_for_all(rank, [before, *of_rooms])

    def _needs(self, rank: int, step: int, operand: int) -> Optional[Tiles]:
        """Tiles of A, or of B."""
        if step >= len(self._steps):
            return None
        of_c, depth = self._steps[step]
        tiles = self._tiles_of(self._c_tiles(rank, self.passes, of_c), depth)[operand]
        return tiles if all(begin < end for begin, end in tiles) else None

    def _fetch(self, rank: int, step: int) -> Program:
        for operand, parts in enumerate((self._a, self._b)):
            tiles = self._needs(rank, step, operand)
            if not tiles:
                continue
            yield from self._call(rank)
            if self._sends(rank, operand):
                self._fetched[rank][operand, step] = self._load_tiles(rank, parts, tiles)
            else:
                comes, queue = self._operand(operand, tiles), self._queue_of(rank, operand)
                self._fetched[rank][operand, step] = [self._begin_to_receive(comes, queue, rank)]

    def _pass_on(self, rank: int, step: int) -> Program:
        for operand in (0, 1):
            tiles = self._needs(rank, step, operand)
            if not tiles or not self._sends(rank, operand):
                continue
            yield from self._wait(rank, *self._fetched[rank][operand, step])
            if len(self._group(rank, operand)) > 1:
                yield from self._call(rank)
                part = self._operand(operand, tiles)
                left = self._queue_of(rank, operand).send(part.size, layout=part.format)
                self._sent[rank][operand, step % self.rooms] = [left]

    def _receive(self, rank: int, step: int) -> Program:
        for operand in (0, 1):
            if self._needs(rank, step, operand) and not self._sends(rank, operand):
                yield from self._wait(rank, *self._fetched[rank][operand, step])
