"""A GEMM over several PEs (ADR-0030)."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from blocks import Block
from events import Event, Program, start
from formats import FORMATS
from matrices import MatrixPart, Range, Tiled, Tiles, placed
from memory import Store
from pe import Pe
from pipeline import Output, Pipeline, Tile, Where
from queues import MessageQueue, Place
from register_blocks import Place as TilePlace, in_order
from system import System
from units import up_to_multiple


# 34.1: what sums are stored as where that is another dtype.
RESULTS = {"fp8_e4m3": "bf16", "fp8_e5m2": "bf16", "int8": "int32", "tf32": "fp32", "mxfp8": "bf16", "mxfp4": "bf16"}


@dataclass(frozen=True)
class Problem:
    m: int
    k: int
    n: int
    variant: str
    placement: Tuple[str, str, str]  # of A, B and C
    layout: str = "blocked"
    dtype: str = "bf16"
    dtype_b: str = "as_a"
    grid: Optional[Tuple[int, int]] = None  # of `blocks`, where it is asked for

    @property
    def stored_b(self) -> str:
        return self.dtype if self.dtype_b == "as_a" else self.dtype_b

    @property
    def converts(self) -> bool:
        """34.8."""
        return self.stored_b != self.dtype


@dataclass(frozen=True)
class Loads:
    """Which operands a PE loads into its TCM, and what it needs of that at most."""

    a: bool
    b: bool
    room: int


class Gemm:
    """One launch: its matrices in the partitions, a program for each PE. Of each TCM it has `room`."""

    def __init__(self, system: System, problem: Problem, pes: Sequence[int], launch: int, room: int) -> None:
        self._system, self._problem, self._pes, self._launch, self._room = system, problem, pes, launch, room
        self._machine = system.machine
        self._queues: Dict[Tuple[int, Tuple[int, ...], int], MessageQueue] = {}
        self._begun = 0  # receives
        self.ends: List[int] = [0] * len(pes)
        self._copies: Dict[int, int] = {}  # of A or B
        machine = self._machine
        format_a, format_b = FORMATS[problem.dtype], FORMATS[problem.stored_b]
        format_c = FORMATS[RESULTS.get(problem.dtype, problem.dtype)]
        self._shape_a = Tiled(problem.m, problem.k, machine.tile_m, machine.tile_k, format_a)
        self._shape_b = Tiled(problem.k, problem.n, machine.tile_k, machine.tile_n, format_b)
        self._shape_c = Tiled(problem.m, problem.n, machine.tile_m, machine.tile_n, format_c)
        policy_a, policy_b, policy_c = problem.placement
        self._a = self._place(self._shape_a, policy_a, len(pes))
        self._b = self._place(self._shape_b, policy_b, len(pes))
        # 30.2: of each PE what lies in its partition; a product has the parts of all PEs that have a part of K.
        self._results: List[List[MatrixPart]]
        if problem.variant == "split_k":
            self._ring = sum(1 for part in self._a if part)
            products = [self._place(self._shape_c, policy_c, self._ring) for _ in range(self._ring)]
            self._results = products + [[] for _ in range(len(pes) - self._ring)]
        else:
            self._ring = 1 + max(rank for rank in range(len(pes)) if self._a[rank] or self._b[rank])
            self._results = [[part] for part in self._place(self._shape_c, policy_c, len(pes))]
        for rank, pe in enumerate(pes):
            self._lay_out(rank, pe)
        self.loads: List[Loads] = []
        self._prepare()

    def _place(self, shape: Tiled, policy: str, count: int) -> List[MatrixPart]:
        rows, columns = len(shape.heights), len(shape.widths)
        tiles = (placed(policy, rows, columns, count, rank, self._problem.grid) for rank in range(count))
        return [self._part(shape, of_rank) for of_rank in tiles]

    def _part(self, shape: Tiled, tiles: Tiles) -> MatrixPart:
        return MatrixPart(shape, tiles, self._problem.layout, self._machine.burst)

    def _lay_out(self, rank: int, pe: int) -> None:
        """30.2: A, B and C, each at the next multiple of burst x pseudo-channels; 64.6: of operands that are
        replicated one copy a die."""
        burst, alignment = self._machine.burst, self._machine.alignment
        of_matrices = ([self._a[rank]], [self._b[rank]], self._results[rank])
        for matrix, (parts, policy) in enumerate(zip(of_matrices, self._problem.placement)):
            size = sum(up_to_multiple(part.size, burst) for part in parts)
            if matrix in self._copies:
                base = self._copies[matrix]
            else:
                base = self._system.take(pe, up_to_multiple(size, alignment), alignment)
            if matrix < 2 and policy == "replicate" and self._machine.controller_routers:
                self._copies[matrix] = base
            for part in parts:
                part.base = base
                base += up_to_multiple(part.size, burst)

    # What is loaded.

    def _prepare(self) -> None:
        choose = self._ring_shift_loads if self._problem.variant == "ring_shift" else self._loads_where_that_saves
        self.loads = [choose(rank) for rank in range(len(self._pes))]

    def _needs(self, rank: int) -> Tuple[Tiles, Tiles]:
        """The tiles of A and of B that the PE's composite uses: of C's rows and columns, or of its part of K."""
        all_k = 0, len(self._shape_a.widths)
        if self._problem.variant == "split_k":
            a, b = self._a[rank], self._b[rank]
            return (a.rows, a.columns), (b.rows, b.columns)
        (part,) = self._results[rank]
        return (part.rows, all_k), (all_k, part.columns)

    def _stages(self, streams_a: bool, streams_b: bool) -> int:
        """6.10."""
        machine = self._machine
        streamed = streams_a * self._shape_a.tile_bytes + streams_b * self._shape_b.tile_bytes
        outputs = machine.output_depth * self._shape_c.tile_bytes
        return up_to_multiple(machine.stream_depth * streamed + outputs, machine.burst)

    def _room_of(self, part: MatrixPart) -> int:
        """28.13: whole bursts."""
        return up_to_multiple(part.size, self._machine.burst)

    @property
    def _queue_room(self) -> int:
        return MessageQueue.room(self._machine) if self._machine.tier == "tcm" else 0

    def _loads_where_that_saves(self, rank: int) -> Loads:
        """30.3; 30.5: beside the slots of a queue."""
        if not any(self._results[rank]):
            return Loads(False, False, 0)
        slots = self._queue_room if self._problem.variant == "split_k" else 0
        tiles_a, tiles_b = self._needs(rank)
        a, b = self._part(self._shape_a, tiles_a), self._part(self._shape_b, tiles_b)
        uses_a, uses_b = tiles_b[1][1] - tiles_b[1][0], tiles_a[0][1] - tiles_a[0][0]
        choices = [  # A first where both are equal
            (a.valid_bytes * (uses_a - 1), Loads(True, False, slots + self._room_of(a) + self._stages(False, True))),
            (b.valid_bytes * (uses_b - 1), Loads(False, True, slots + self._room_of(b) + self._stages(True, False))),
        ]
        saving = [(saved, loads) for saved, loads in choices if saved > 0 and loads.room <= self._room]
        if saving:
            return max(saving, key=lambda choice: choice[0])[1]
        return Loads(False, False, slots + self._stages(True, True))

    @property
    def _a_stays(self) -> bool:
        return self._problem.placement[2] == "rows"

    def _ring_shift_loads(self, rank: int) -> Loads:
        """30.4: what stays, beside two parts of what goes round, the stages and the slots of a queue."""
        if rank >= self._ring:
            return Loads(False, False, 0)
        stays, goes = (self._a, self._b) if self._a_stays else (self._b, self._a)
        room = 2 * self._room_of(goes[0]) + self._queue_room
        loaded = room + self._room_of(stays[rank]) + self._stages(False, False)
        if loaded <= self._room:
            return Loads(self._a_stays, not self._a_stays, loaded)
        return Loads(False, False, room + self._stages(self._a_stays, not self._a_stays))

    @property
    def needs_at_most(self) -> int:
        """30.9: of a TCM."""
        return max(loads.room for loads in self.loads)

    def start(self) -> None:
        for rank, pe in enumerate(self._pes):
            start(self._system.calendar, self._until_end(rank, self.program(rank, self._system.pes[pe])))

    def program(self, rank: int, pe: Pe) -> Program:
        programs = {"owner_computes": self._owner_computes, "ring_shift": self._ring_shift, "split_k": self._split_k}
        return programs[self._problem.variant](rank, pe)

    def _until_end(self, rank: int, program: Program) -> Program:
        yield from program
        self.ends[rank] = self._system.calendar.now

    # What the programs do.

    def _call(self, rank: int) -> Program:
        yield from self._system.pes[self._pes[rank]].call(self._launch)

    def _wait(self, rank: int, *events: Event) -> Program:
        """14.2."""
        yield from self._call(rank)
        for event in events:
            yield event

    def _queue(self, sender: int, *receivers: int, channel: int = 0) -> MessageQueue:
        """28.6, 65.2."""
        key = sender, receivers, channel
        if key not in self._queues:
            number, pes = sender * len(self._pes) + receivers[0], [self._pes[receiver] for receiver in receivers]
            self._queues[key] = self._system.queue(self._pes[sender], pes, number, self._launch)
        return self._queues[key]

    def _receive(self, part: MatrixPart, queue: MessageQueue, rank: int, into: Optional[Place] = None) -> Program:
        """28.9; what there is in HBM is added to."""
        receiver = queue.receiver(self._system.pes[self._pes[rank]])
        yield from receiver.receive(part.size, into, adds=into is not None, layout=part.format)

    def _begin_to_receive(self, part: MatrixPart, queue: MessageQueue, rank: int) -> Event:
        """28.26."""
        self._begun += 1
        return queue.receiver(self._system.pes[self._pes[rank]]).begin(part.size, part.format, self._begun)

    def _where(self, parts: Sequence[MatrixPart], rank: int, tile: Tuple[int, int]) -> Where:
        """30.2: the own partition where the tile is there, else the owner's."""
        owner = rank if tile in parts[rank] else next(r for r, part in enumerate(parts) if tile in part)
        return self._system.partitions[self._pes[owner]], parts[owner][tile]

    def _composite(
        self, rank: int, rows: Range, columns: Range, depth: Range, streams: Tuple[bool, bool]
    ) -> List[Tile]:
        """Its tiles; of A and of B whether they are streamed."""
        return [self._tile(rank, place, streams) for place in in_order(self._machine, rows, columns, depth)]

    def _tile(self, rank: int, place: TilePlace, streams: Tuple[bool, bool]) -> Tile:
        i, j, k = place.tile
        streamed: List[Where] = []
        if streams[0]:
            streamed.append(self._where(self._a, rank, (i, k)))
        if streams[1]:
            streamed.append(self._where(self._b, rank, (k, j)))
        valid = self._shape_a.heights[i], self._shape_a.widths[k], self._shape_b.widths[j]
        converted = valid[1] * valid[2] * self._problem.converts
        fetched = 0  # 6.7, 6.15, 34.2
        if streams[0] or not place.has_a:
            fetched += valid[0] * self._shape_a.format.run(valid[1])
        if streams[1] or converted or not place.has_b:
            fetched += valid[1] * self._shape_b.format.run(valid[2])
        output = self._output(rank, (i, j)) if place.last else None
        return Tile(self._problem.dtype, streamed, fetched, place.first, output, valid, converted)

    def _output(self, rank: int, tile: Tuple[int, int]) -> Output:
        (part,) = (part for part in self._results[rank] if tile in part)
        return Output(part[tile].bytes, (self._system.partitions[self._pes[rank]], part[tile]))

    def _load(self, rank: int, parts: Sequence[MatrixPart], tiles: Tiles) -> List[Event]:
        """30.3: a part that the PE has as it is, or tile by tile, in one transfer for each memory."""
        pe, own = self._system.pes[self._pes[rank]], parts[rank]
        if (own.rows, own.columns) == tiles:
            return [pe.read(self._system.partitions[self._pes[rank]], own.loaded())]
        return self._load_tiles(rank, parts, tiles)

    def _load_tiles(self, rank: int, parts: Sequence[MatrixPart], tiles: Tiles) -> List[Event]:
        pe, (rows, columns) = self._system.pes[self._pes[rank]], tiles
        transfers: Dict[Tuple[Store, bool], List[Block]] = {}  # 64.10: the own part's tiles are one of their own
        for i in range(*rows):
            for j in range(*columns):
                memory, block = self._where(parts, rank, (i, j))
                transfers.setdefault((memory, (i, j) in parts[rank]), []).append(block)
        return [pe.read(memory, blocks) for (memory, _), blocks in transfers.items()]

    def _load_or_ref(self, rank: int) -> Program:
        """30.3, 30.5: of A and of B, and the wait."""
        loads, loaded = self.loads[rank], None
        for does, parts, tiles in zip((loads.a, loads.b), (self._a, self._b), self._needs(rank)):
            yield from self._call(rank)
            if does:
                loaded = self._load(rank, parts, tiles)
        if loaded is not None:
            yield from self._wait(rank, *loaded)

    def _streamed(self, rank: int) -> Tuple[bool, bool]:
        return not self.loads[rank].a, not self.loads[rank].b

    def _owner_computes(self, rank: int, pe: Pe) -> Program:
        """30.3."""
        (part,) = self._results[rank]
        if not part:
            return
        pipeline = Pipeline(pe)
        yield from self._load_or_ref(rank)
        yield from self._call(rank)
        depth = 0, len(self._shape_a.widths)
        tiles = self._composite(rank, part.rows, part.columns, depth, self._streamed(rank))
        yield from self._wait(rank, pipeline.composite(tiles))

    def _ring_shift(self, rank: int, pe: Pe) -> Program:
        """30.4."""
        if rank >= self._ring:
            return
        pipeline, count, depth = Pipeline(pe), self._ring, (0, len(self._shape_a.widths))
        stays, goes = (self._a, self._b) if self._a_stays else (self._b, self._a)
        loads = self.loads[rank]
        streams = (not loads.a, False) if self._a_stays else (False, not loads.b)
        loaded: List[Event] = []
        if stays[rank]:
            yield from self._call(rank)
            if loads.a or loads.b:
                loaded = self._load(rank, stays, (stays[rank].rows, stays[rank].columns))
        if goes[rank]:
            yield from self._call(rank)
            yield from self._wait(rank, *self._load(rank, goes, (goes[rank].rows, goes[rank].columns)))
        yield from self._wait(rank, *loaded)
        for step in range(count):
            part, coming = goes[(rank + step) % count], goes[(rank + step + 1) % count]
            sent: List[Event] = []
            composite: List[Event] = []
            if step < count - 1 and part:
                yield from self._call(rank)
                sent = [self._queue(rank, (rank - 1) % count).send(part.size, layout=part.format)]
            if part and stays[rank]:
                yield from self._call(rank)
                a, b = (stays[rank], part) if self._a_stays else (part, stays[rank])
                composite = [pipeline.composite(self._composite(rank, a.rows, b.columns, depth, streams))]
            if step < count - 1 and coming:
                yield from self._call(rank)
                yield from self._receive(coming, self._queue((rank + 1) % count, rank), rank)
            yield from self._wait(rank, *sent)
            yield from self._wait(rank, *composite)

    def _split_k(self, rank: int, pe: Pe) -> Program:
        """30.5."""
        if rank >= self._ring:
            return
        pipeline, count, product = Pipeline(pe), self._ring, self._results[rank]
        yield from self._load_or_ref(rank)
        yield from self._call(rank)
        a, b = self._a[rank], self._b[rank]
        tiles = self._composite(rank, a.rows, b.columns, a.columns, self._streamed(rank))
        yield from self._wait(rank, pipeline.composite(tiles))
        partition = self._system.partitions[self._pes[rank]]
        for step in range(count - 1):
            part = product[(rank - 1 - step) % count]
            sent: List[Event] = []
            if part:
                yield from self._call(rank)
                place = Place(partition, part.base)
                sent = [self._queue(rank, (rank + 1) % count).send(part.size, place, part.format)]
            part = product[(rank - 2 - step) % count]
            if part:
                yield from self._call(rank)
                into = Place(partition, part.base)
                yield from self._receive(part, self._queue((rank - 1) % count, rank), rank, into)
            yield from self._wait(rank, *sent)
