"""Operators (ADR-0043): the PEs' programs."""

from typing import Dict, List, Tuple

from blocks import Block
from events import Event, Program, start
from operators import FP32, Piece, Plan
from pe import Pe
from queues import MessageQueue
from system import System
from units import duration


class Run:
    """43.6, 43.8, 43.9: the matrices in the partitions, a program for each PE."""

    def __init__(self, system: System, plan: Plan) -> None:
        self._system, self._plan = system, plan
        self._queues: Dict[Tuple[int, int, int], MessageQueue] = {}
        self.ends = [0] * plan.pes
        self._at: List[Dict[str, int]] = [self._lay_out(rank) for rank in range(plan.pes)]

    def _lay_out(self, rank: int) -> Dict[str, int]:
        plan, machine, system = self._plan, self._system.machine, self._system
        alignment = machine.burst * machine.pseudo_channels
        rows, dimension = plan.rows[rank], plan.problem.dimension
        sizes: Dict[str, int] = {}
        if rows:
            for number in range(plan.kind.matrices):
                sizes[f"matrix{number}"] = rows * dimension * plan.element
            for number in range(plan.kind.parameters):
                sizes[f"parameter{number}"] = dimension * plan.element
            if plan.kind.classes:
                sizes["classes"] = rows * FP32
            if plan.kind.makes_y:
                sizes["y"] = rows * dimension * plan.element
        if rank == 0 and not plan.kind.makes_y:
            sizes["sums"] = plan.active * machine.burst
            sizes["mean"] = plan.element
        return {name: system.take(rank, size, alignment) for name, size in sizes.items()}

    def start(self) -> None:
        for rank in range(self._plan.pes):
            start(self._system.calendar, self._program(rank, self._system.pes[rank]))

    def _program(self, rank: int, pe: Pe) -> Program:
        if self._plan.rows[rank]:
            yield from self._pieces(rank, pe)
        if not self._plan.kind.makes_y:
            yield from self._mean(rank, pe)
        self.ends[rank] = self._system.calendar.now

    def _load(self, rank: int, pe: Pe, name: str, begin: int, size: int, into: List[Event]) -> Program:
        yield from pe.call(0)
        block = Block.run(self._at[rank][name] + begin, size)
        into.append(pe.read(self._system.partitions[rank], [block]))

    def _wait(self, pe: Pe, event: Event) -> Program:
        yield from pe.call(0)
        yield event

    def _compute(self, pe: Pe, occupied: int) -> Program:
        """43.3."""
        yield from pe.call(0)
        yield pe.vector.ask((0, 0), occupied)
        machine = self._system.machine
        yield self._system.calendar.now + duration(machine.vector_latency_cycles, machine.clock)

    def _load_piece(self, rank: int, pe: Pe, piece: Piece, into: List[Event]) -> Program:
        plan = self._plan
        begin, size = piece.begin * plan.element, piece.elements * plan.element
        for number in range(plan.kind.matrices):
            yield from self._load(rank, pe, f"matrix{number}", begin, size, into)
        if plan.parts and piece.applies:
            column = piece.begin % plan.problem.dimension * plan.element
            for number in range(plan.kind.parameters):
                yield from self._load(rank, pe, f"parameter{number}", column, size, into)

    def _pieces(self, rank: int, pe: Pe) -> Program:
        plan, pieces = self._plan, self._plan.pieces(rank)
        first: List[Event] = []
        coming: List[Event] = []
        stores: List[Event] = []  # of all that make y
        if not plan.parts:
            for number in range(plan.kind.parameters):
                size = plan.problem.dimension * plan.element
                yield from self._load(rank, pe, f"parameter{number}", 0, size, first)
        if plan.kind.classes:
            yield from self._load(rank, pe, "classes", 0, plan.rows[rank] * FP32, first)
        yield from self._load_piece(rank, pe, pieces[0], coming)
        for event in first:
            yield from self._wait(pe, event)
        for number, piece in enumerate(pieces):
            loaded, coming = coming, []
            if number + 1 < len(pieces):
                yield from self._load_piece(rank, pe, pieces[number + 1], coming)
            for event in loaded:
                yield from self._wait(pe, event)
            if piece.applies and len(stores) >= 2:
                yield from self._wait(pe, stores[-2])
            if piece.statistics:
                yield from self._compute(pe, plan.statistics(piece))
            if piece.applies:
                yield from self._compute(pe, plan.applying(piece))
                yield from pe.call(0)
                block = Block.run(self._at[rank]["y"] + piece.begin * plan.element, piece.elements * plan.element)
                stores.append(pe.write(self._system.partitions[rank], [block])[1])
        for event in stores[-2:]:
            yield from self._wait(pe, event)

    def _store(self, pe: Pe, address: int, size: int) -> Program:
        """Into rank 0's partition, and the wait."""
        yield from pe.call(0)
        written = pe.write(self._system.partitions[0], [Block.run(address, size)])[1]
        yield from self._wait(pe, written)

    def _mean(self, rank: int, pe: Pe) -> Program:
        plan, burst = self._plan, self._system.machine.burst
        if plan.rows[rank]:
            yield from self._store(pe, self._at[0]["sums"] + rank * burst, FP32)
        yield from self._barrier(rank, pe)
        if rank == 0:
            yield from pe.call(0)
            blocks = [Block.run(self._at[0]["sums"] + place * burst, FP32) for place in range(plan.active)]
            yield from self._wait(pe, pe.read(self._system.partitions[0], blocks))
            yield from self._compute(pe, plan.mean())
            yield from self._store(pe, self._at[0]["mean"], plan.element)

    def _barrier(self, rank: int, pe: Pe) -> Program:
        """28.10."""
        count, distance, number = self._plan.pes, 1, 0
        while distance < count:
            yield from pe.call(0)
            self._queue(rank, (rank + distance) % count, number).send(2)
            yield from pe.call(0)
            yield from self._queue((rank - distance) % count, rank, number).receivers[0].receive(2)
            distance, number = 2 * distance, number + 1

    def _queue(self, sender: int, receiver: int, channel: int) -> MessageQueue:
        key = sender, receiver, channel
        if key not in self._queues:
            number = sender * self._plan.pes + receiver
            self._queues[key] = self._system.queue(sender, [receiver], number, 0)
        return self._queues[key]
