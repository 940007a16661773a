"""How the PEs run a collective (19.9, 30.9)."""

from collections import defaultdict
from typing import Dict, List, Optional, Set, Tuple

from events import Program, start
from queues import MessageQueue, Place, copy
from schedules import Request, Schedule, Step, buffer_elements
from system import System
from units import up_to_multiple

ELEMENT = 2


class Collective:
    """One launch, on all PEs of a machine. To `lay_out` before it starts."""

    def __init__(self, system: System, request: Request, ring: List[int], launch: int) -> None:
        self._system, self._launch = system, launch
        self._steps = Schedule(request, ring).steps
        self.ends = [0] * len(ring)
        self.buffer_bytes = buffer_elements(request) * ELEMENT
        self._buffers: List[Place] = []  # none: they lie in TCM
        self._queues: Dict[Tuple[int, int], MessageQueue] = {}

    @property
    def slots_room(self) -> int:
        """Of the slots of all queues that lead to a PE, of that with most (19.9)."""
        senders: Dict[int, Set[int]] = defaultdict(set)
        for rank, steps in enumerate(self._steps):
            for step in steps:
                if step.does == "send" and step.peer is not None:
                    senders[step.peer].add(rank)
        most = max((len(of_a_pe) for of_a_pe in senders.values()), default=0)
        return most * MessageQueue.room(self._system.machine)

    def lay_out(self, used: int) -> None:
        """30.9: `used` is what the GEMM needs of a TCM at most. Behind its matrices lie buffers in HBM."""
        system = self._system
        machine = system.machine
        if used + self.slots_room + up_to_multiple(self.buffer_bytes, machine.burst) > machine.tcm_capacity:
            alignment = machine.burst * machine.pseudo_channels
            self._buffers = [
                Place(system.partitions[rank], system.take(rank, self.buffer_bytes, alignment))
                for rank in range(len(self._steps))
            ]
        for rank, steps in enumerate(self._steps):  # 19.1: numbered as sends first name them
            for step in steps:
                if step.does == "send" and step.peer is not None and (rank, step.peer) not in self._queues:
                    number = len(self._queues)
                    self._queues[rank, step.peer] = system.queue(rank, step.peer, number, self._launch)

    @property
    def in_hbm(self) -> bool:
        return bool(self._buffers)

    def start(self) -> None:
        for rank in range(len(self._steps)):
            start(self._system.calendar, self._thread(rank))

    def _thread(self, rank: int) -> Program:
        """19.11."""
        pe = self._system.pes[rank]
        for step in self._steps[rank]:
            yield from pe.call(self._launch)
            count = step.length * ELEMENT
            if step.does == "copy":
                yield from self._copy(rank, step)
                continue
            assert step.peer is not None
            if step.does == "send":
                self._queues[rank, step.peer].send(count, self._place(rank, step.begin))
            else:
                queue = self._queues[step.peer, rank]
                yield from queue.receive(count, self._place(rank, step.begin), step.does == "reduce")
        self.ends[rank] = self._system.calendar.now

    def _place(self, rank: int, element: int) -> Optional[Place]:
        if not self._buffers:
            return None
        return Place(self._buffers[rank].memory, self._buffers[rank].address + element * ELEMENT)

    def _copy(self, rank: int, step: Step) -> Program:
        pe = self._system.pes[rank]
        source, target = self._place(rank, step.copied_from), self._place(rank, step.begin)
        if source and target:
            yield from copy(pe, source, target, step.length * ELEMENT, self._launch)
        elif step.length:
            _, usable = pe.take_piece(self._launch, step.length)
            yield usable
