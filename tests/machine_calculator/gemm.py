"""A GEMM over several PEs (ADR-0030)."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from events import Event, Program, start
from matrices import ELEMENT, MatrixPart, Range, Tiled, cut, placed
from pe import Pe
from pipeline import Pipeline, Tile, Where
from queues import MessageQueue, Place
from system import System
from units import up_to_multiple


@dataclass(frozen=True)
class Problem:
    m: int
    k: int
    n: int
    variant: str
    placement: Tuple[str, str, str]  # of A, B and C
    layout: str = "blocked"


class Gemm:
    """One launch: its matrices in the partitions, a program for each PE."""

    def __init__(self, system: System, problem: Problem, pes: Sequence[int], launch: int) -> None:
        self._system, self._problem, self._pes, self._launch = system, problem, pes, launch
        self._machine = system.machine
        self._queues: Dict[Tuple[int, int], MessageQueue] = {}
        self.ends: List[int] = [0] * len(pes)
        machine = self._machine
        self._shape_a = Tiled(problem.m, problem.k, machine.tile_m, machine.tile_k)
        self._shape_b = Tiled(problem.k, problem.n, machine.tile_k, machine.tile_n)
        self._shape_c = Tiled(problem.m, problem.n, machine.tile_m, machine.tile_n)
        policy_a, policy_b, policy_c = problem.placement
        if problem.variant == "split_k":
            policy_c = "replicate"  # 30.2: the product is as large as C
        self._a = self._place(self._shape_a, policy_a)
        self._b = self._place(self._shape_b, policy_b)
        self._c = self._place(self._shape_c, policy_c)
        for rank, pe in enumerate(pes):
            self._lay_out(rank, pe)

    def _place(self, shape: Tiled, policy: str) -> List[MatrixPart]:
        rows, columns, count = len(shape.heights), len(shape.widths), len(self._pes)
        layout, burst = self._problem.layout, self._machine.burst
        return [MatrixPart(shape, placed(policy, rows, columns, count, rank), layout, burst) for rank in range(count)]

    def _lay_out(self, rank: int, pe: int) -> None:
        """30.2: A, B and C, each at the next multiple of burst x pseudo-channels."""
        alignment = self._machine.burst * self._machine.pseudo_channels
        for part in (self._a[rank], self._b[rank], self._c[rank]):
            part.base = self._system.take(pe, up_to_multiple(part.size, alignment), alignment)

    def start(self) -> None:
        programs = {"owner_computes": self._owner_computes, "ring_shift": self._ring_shift, "split_k": self._split_k}
        for rank, pe in enumerate(self._pes):
            program = programs[self._problem.variant](rank, self._system.pes[pe])
            start(self._system.calendar, self._until_end(rank, program))

    def _until_end(self, rank: int, program: Program) -> Program:
        yield from program
        self.ends[rank] = self._system.calendar.now

    # What the programs do.

    def _call(self, rank: int) -> Program:
        yield from self._system.pes[self._pes[rank]].call(self._launch)

    def _wait(self, rank: int, event: Optional[Event]) -> Program:
        """14.2."""
        yield from self._call(rank)
        if event is not None:
            yield event

    def _queue(self, sender: int, receiver: int) -> MessageQueue:
        """28.6."""
        if (sender, receiver) not in self._queues:
            number = sender * len(self._pes) + receiver
            made = self._system.queue(self._pes[sender], self._pes[receiver], number, self._launch)
            self._queues[sender, receiver] = made
        return self._queues[sender, receiver]

    def _where(self, parts: Sequence[MatrixPart], rank: int, tile: Tuple[int, int]) -> Where:
        """30.2: the own partition where the tile is there, else the owner's."""
        owner = rank if tile in parts[rank] else next(r for r, part in enumerate(parts) if tile in part)
        return self._system.partitions[self._pes[owner]], parts[owner][tile]

    def _tiles(
        self, rank: int, columns: Range, depth: Range, streams_a: bool = True, streams_b: bool = True
    ) -> List[Tile]:
        """The tiles of the PE's rows of C in these columns (6.2)."""
        return [
            self._tile(rank, i, j, k, k == depth[1] - 1, streams_a, streams_b)
            for i in range(*self._c[rank].rows)
            for j in range(*columns)
            for k in range(*depth)
        ]

    def _tile(self, rank: int, i: int, j: int, k: int, last: bool, streams_a: bool, streams_b: bool) -> Tile:
        streamed: List[Where] = []
        if streams_a:
            streamed.append(self._where(self._a, rank, (i, k)))
        if streams_b:
            streamed.append(self._where(self._b, rank, (k, j)))
        edges = self._shape_a.heights[i] + self._shape_b.widths[j]
        fetched = edges * self._shape_a.widths[k] * ELEMENT  # 6.7
        partition = self._system.partitions[self._pes[rank]]
        return Tile(streamed, fetched, (partition, self._c[rank][i, j]) if last else None)

    @property
    def _all_k(self) -> Range:
        return 0, len(self._shape_a.widths)

    def _load(self, rank: int, part: MatrixPart) -> Event:
        pe = self._pes[rank]
        return self._system.pes[pe].read(self._system.partitions[pe], part.loaded())

    def _owner_computes(self, rank: int, pe: Pe) -> Program:
        """30.3."""
        if not self._c[rank]:
            return
        pipeline = Pipeline(pe)
        for _ in ("ref A", "ref B", "composite"):
            yield from self._call(rank)
        composite = pipeline.composite(self._tiles(rank, self._c[rank].columns, self._all_k))
        yield from self._wait(rank, composite)

    def _a_fits(self, rank: int) -> bool:
        """30.4: beside two parts of B and the output tiles."""
        machine = self._machine
        outputs = machine.output_depth * machine.tile_m * machine.tile_n * ELEMENT
        return self._a[rank].size + 2 * self._b[0].size + outputs <= machine.tcm_capacity

    def _ring_shift(self, rank: int, pe: Pe) -> Program:
        """30.4."""
        pipeline, count = Pipeline(pe), len(self._pes)
        loads_a = self._a_fits(rank)
        loaded_a: Optional[Event] = None
        if self._a[rank]:
            yield from self._call(rank)
            loaded_a = self._load(rank, self._a[rank]) if loads_a else None
        if self._b[rank]:
            yield from self._call(rank)
            yield from self._wait(rank, self._load(rank, self._b[rank]))
        yield from self._wait(rank, loaded_a)
        for step in range(count):
            part, coming = self._b[(rank + step) % count], self._b[(rank + step + 1) % count]
            sent: Optional[Event] = None
            composite: Optional[Event] = None
            if step < count - 1 and part:
                yield from self._call(rank)
                sent = self._queue(rank, (rank - 1) % count).send(part.size)
            if part and self._a[rank]:
                yield from self._call(rank)
                composite = pipeline.composite(self._tiles(rank, part.columns, self._all_k, not loads_a, False))
            if step < count - 1 and coming:
                yield from self._call(rank)
                yield from self._queue((rank + 1) % count, rank).receive(coming.size)
            yield from self._wait(rank, sent)
            yield from self._wait(rank, composite)

    def _split_k(self, rank: int, pe: Pe) -> Program:
        """30.5."""
        pipeline, count, product = Pipeline(pe), len(self._pes), self._c[rank]
        for _ in ("ref A", "ref B", "composite"):
            yield from self._call(rank)
        composite = pipeline.composite(self._tiles(rank, product.columns, self._a[rank].columns))
        yield from self._wait(rank, composite)
        partition = self._system.partitions[self._pes[rank]]
        rows = [product.rows_of_tiles(rows) for rows in cut(len(self._shape_c.heights), count)]
        for step in range(count - 1):
            begin, end = rows[(rank - 1 - step) % count]
            sent: Optional[Event] = None
            if begin < end:
                yield from self._call(rank)
                sent = self._queue(rank, (rank + 1) % count).send(end - begin, Place(partition, begin))
            begin, end = rows[(rank - 2 - step) % count]
            if begin < end:
                yield from self._call(rank)
                queue = self._queue((rank - 1) % count, rank)
                yield from queue.receive(end - begin, Place(partition, begin), adds=True)
            yield from self._wait(rank, sent)
