"""How the PEs run a collective (19.9, 30.9)."""

from collections import defaultdict
from typing import Dict, List, Optional, Set, Tuple

from events import Program, start
from memory import Store
from queues import ELEMENT, MessageQueue, Place, Unread, copy
from schedules import buffer_elements, schedule
from steps import Levels, Request
from system import System
from units import up_to_multiple

Ends = Tuple[int, int, int]  # of a queue: sender, receiver, channel


class Collective:
    """One launch, on the first PEs of a machine. To `lay_out` before it starts."""

    def __init__(self, system: System, request: Request, levels: Levels, launch: int = 0) -> None:
        self._system, self._launch = system, launch
        self.threads = schedule(request, levels)
        self.ends = [0] * len(self.threads)
        self.buffer_bytes = buffer_elements(request) * ELEMENT
        self.in_hbm = False
        self._buffers: List[Place] = []
        self._sends: Dict[Ends, int] = {}  # 19.1: numbered as sends first name them
        self.sent_bytes = 0
        for rank, threads in enumerate(self.threads):
            for step in (step for steps in threads for step in steps):
                if step.does == "send" and step.peer is not None:
                    self._sends.setdefault((rank, step.peer, step.channel), len(self._sends))
                    self.sent_bytes += step.length * ELEMENT
        self._queues: Dict[Ends, MessageQueue] = {}

    @property
    def steps(self) -> int:
        """20.3."""
        return max(sum(len(steps) for steps in threads) for threads in self.threads)

    @property
    def slots_room(self) -> int:
        """Of the slots of all queues that lead to a PE, of that with most (19.9)."""
        queues: Dict[int, Set[Ends]] = defaultdict(set)
        for ends in self._sends:
            queues[ends[1]].add(ends)
        most = max((len(to_a_pe) for to_a_pe in queues.values()), default=0)
        return most * MessageQueue.room(self._system.machine)

    def lay_out(self, used: int = 0) -> None:
        """30.9: `used` is what the GEMM needs of a TCM at most. Behind its matrices lie buffers in HBM."""
        system, machine = self._system, self._system.machine
        whole = up_to_multiple(self.buffer_bytes, machine.burst)
        self.in_hbm = used + self.slots_room + whole > machine.tcm_capacity
        for rank in range(len(self.threads)):
            memory: Optional[Store] = None
            address = 0
            if self.in_hbm:
                memory = system.partitions[rank]
                address = system.take(rank, self.buffer_bytes, machine.burst)
            self._buffers.append(Place(memory, address, Unread(system.calendar, machine.slot_bytes)))
        for ends, number in self._sends.items():
            self._queues[ends] = system.queue(ends[0], [ends[1]], number, self._launch)

    def start(self) -> None:
        for rank, threads in enumerate(self.threads):
            for number in range(len(threads)):
                start(self._system.calendar, self._thread(rank, number))

    def _thread(self, rank: int, number: int) -> Program:
        """19.11."""
        pe = self._system.pes[rank]
        for step in self.threads[rank][number]:
            yield from pe.call(self._launch, number)
            count, place = step.length * ELEMENT, self._place(rank, step.begin)
            if step.does == "copy":
                source = self._place(rank, step.copied_from)
                yield from copy(pe, source, place, count, self._launch, number)
                continue
            assert step.peer is not None
            if step.does == "send":
                self._queues[rank, step.peer, step.channel].send(count, place)
            else:
                (receiver,) = self._queues[step.peer, rank, step.channel].receivers
                yield from receiver.receive(count, place, step.does == "reduce", number)
        self.ends[rank] = max(self.ends[rank], self._system.calendar.now)

    def _place(self, rank: int, element: int) -> Place:
        buffer = self._buffers[rank]
        return Place(buffer.memory, buffer.address + element * ELEMENT, buffer.unread)
