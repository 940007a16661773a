"""How the PEs run a collective whose buffers lie in HBM (19.9, 30.9)."""

from typing import Dict, List, Tuple

from events import Program, start
from queues import MessageQueue, Place, copy
from schedules import Request, Schedule, buffer_elements
from system import System

ELEMENT = 2


class Collective:
    """One launch, on all PEs of a machine."""

    def __init__(self, system: System, request: Request, ring: List[int], launch: int) -> None:
        self._system, self._launch = system, launch
        self._steps = Schedule(request, ring).steps
        self.ends = [0] * len(ring)
        burst, size = system.machine.burst, buffer_elements(request) * ELEMENT
        self._buffers = [Place(system.partitions[rank], system.take(rank, size, burst)) for rank in range(len(ring))]
        self._queues: Dict[Tuple[int, int], MessageQueue] = {}
        for rank, steps in enumerate(self._steps):  # 19.1: numbered as sends first name them
            for step in steps:
                if step.does == "send" and step.peer is not None and (rank, step.peer) not in self._queues:
                    number = len(self._queues)
                    self._queues[rank, step.peer] = system.queue(rank, step.peer, number, launch)

    def start(self) -> None:
        for rank in range(len(self._steps)):
            start(self._system.calendar, self._thread(rank))

    def _thread(self, rank: int) -> Program:
        """19.11."""
        pe, buffer = self._system.pes[rank], self._buffers[rank]
        for step in self._steps[rank]:
            yield from pe.call(self._launch)
            elements, count = Place(buffer.memory, buffer.address + step.begin * ELEMENT), step.length * ELEMENT
            if step.does == "copy":
                source = Place(buffer.memory, buffer.address + step.copied_from * ELEMENT)
                yield from copy(pe, source, elements, count, self._launch)
                continue
            assert step.peer is not None
            if step.does == "send":
                self._queues[rank, step.peer].send(count, elements)
            else:
                yield from self._queues[step.peer, rank].receive(count, elements, step.does == "reduce")
        self.ends[rank] = self._system.calendar.now
