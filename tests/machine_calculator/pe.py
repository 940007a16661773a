"""A PE: its control processor, vector unit, TCM ports and DMA engines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Callable, Dict, List, Optional, Sequence, Tuple, Union

from blocks import Block, Part, parts
from events import Calendar, Event, Last, Phase, Program
from links import Arrived, Endpoint, Packet, Router
from machine import Machine
from memory import Memory, Request, Store
from network import Network
from units import ceil_div, duration


@dataclass(frozen=True)
class Record:
    """8.1."""

    unit: str
    stage: str
    begin: int
    end: int
    bytes: int = 0
    macs: int = 0


class Kind(IntEnum):
    """Transfers that are submitted for one instant go in this order (19.12)."""

    KERNEL = 0
    ADDED_TO = 1
    LANDED = 2
    TO_SEND = 3
    RESULT = 1
    POST = 2


class Server:
    """1.18: one after the other, in the order of asking; of one instant the lower turn first."""

    def __init__(self, pe: Pe, component: str) -> None:
        self._pe, self._component = pe, component
        self._asked: List[Tuple[Tuple[int, int], int, int, str, Event]] = []
        self._free = 0

    def ask(self, turn: Tuple[int, ...], service: int, stage: str = "") -> Event:
        """The end of the service."""
        calendar = self._pe.calendar
        ended = Event(calendar)
        self._asked.append((turn, len(self._asked), service, stage or self._component, ended))
        calendar.at(calendar.now, self._choose, Phase.UNITS)
        return ended

    def _choose(self) -> None:
        calendar = self._pe.calendar
        for _, _, service, stage, ended in sorted(self._asked, key=lambda asked: asked[:2]):
            begin = max(calendar.now, self._free)
            self._free = begin + service
            self._pe.records.append(Record(self._component, stage, begin, self._free))
            calendar.at(self._free, ended.fire)
        self._asked.clear()


@dataclass
class Transfer:
    packets: List[Tuple[Target, Part]]
    is_spread: bool  # over controllers
    turn: Tuple[int, ...]
    landed: Sequence[Event]  # of a post: at each receiver
    done: Event
    left: Event  # of a write: when its last packet has left the TCM
    component: str
    stage: str
    bytes: int
    taken_up: int = 0
    issued: int = 0
    ended: int = 0

    def record(self, now: int) -> Record:
        return Record(self.component, self.stage, self.taken_up, now, self.bytes)


class Engine:
    """4.11, 4.12: the DMA reader or writer."""

    def __init__(self, pe: Pe, issue: Callable[[Engine, Transfer, Target, Part], None]) -> None:
        self._pe, self._issue_packet = pe, issue
        self._calendar = pe.calendar
        self._credits = pe.machine.outstanding_bursts
        self._waiting: List[Transfer] = []
        self._current: Optional[Transfer] = None
        self._spread: List[Transfer] = []  # over controllers, taken up and not complete

    def submit(self, transfer: Transfer) -> None:
        self._waiting.append(transfer)
        self._calendar.at(self._calendar.now, self._choose, Phase.UNITS)

    def _choose(self) -> None:
        if self._current is None and self._waiting:
            self._current = min(self._waiting, key=lambda transfer: transfer.turn)
            self._waiting.remove(self._current)
            self._current.taken_up = self._calendar.now
            if self._current.is_spread:
                self._spread.append(self._current)
            self._calendar.at(self._calendar.now + self._pe.machine.setup_latency, self._issue)

    def _issue(self) -> None:
        transfer = self._current
        if transfer is None or self._calendar.now < transfer.taken_up + self._pe.machine.setup_latency:
            return
        while transfer.issued < len(transfer.packets):
            target, packet = transfer.packets[transfer.issued]
            if not transfer.landed:
                if self._credits < packet.bursts:
                    return
                self._credits -= packet.bursts
            transfer.issued += 1
            self._issue_packet(self, transfer, target, packet)
        self._current = None
        self._calendar.at(self._calendar.now, self._choose, Phase.UNITS)

    def end_packet(self, transfer: Transfer, packet: Part) -> None:
        """Delivered or acknowledged."""
        self._credits += packet.bursts
        self._calendar.at(self._calendar.now, self._issue)
        transfer.ended += 1
        if transfer.ended == len(transfer.packets):
            self._complete(transfer)

    def _complete(self, ended: Transfer) -> None:
        """64.5: those of memories of several controllers in order."""
        may = [ended]
        if ended.is_spread:
            undone = (n for n, transfer in enumerate(self._spread) if transfer.ended < len(transfer.packets))
            first = next(undone, len(self._spread))
            may, self._spread = self._spread[:first], self._spread[first:]
        for transfer in may:
            self._pe.records.append(transfer.record(self._calendar.now))
            transfer.done.fire()


class Pe:
    def __init__(self, network: Network, node: int, router: Router) -> None:
        self.machine: Machine = network.machine
        self.calendar: Calendar = network.calendar
        self.network = network
        self.endpoint = network.endpoint(node, router, network.machine.wire(network.machine.pe_to_router), None)
        self.records: List[Record] = []
        self.read_bytes = 0  # the transfers' own, as the reader and the writer had them
        self.written_bytes = 0
        self.sent_bytes = 0
        self.control = Server(self, "control")
        self.vector = Server(self, "vector")
        self.reader = Engine(self, self._issue_read)
        self.writer = Engine(self, self._issue_write)
        self._issues = 0
        self._submitted = 0
        self._read_port_free = 0
        self._write_port_free = 0

    def worked(self, unit: str) -> int:
        """How long a unit was at work, by its records."""
        return sum(record.end - record.begin for record in self.records if record.unit == unit)

    def call(self, launch: int, thread: int = 0) -> Program:
        """14.1, 19.11: the control time of a call or step."""
        if self.machine.control_latency:
            yield self.control.ask((thread, launch), self.machine.control_latency)
        else:  # 1.18: what takes no time is served at once
            now = self.calendar.now
            self.records.append(Record("control", "control", now, now))

    def take_piece(self, launch: int, elements: int, thread: int = 0, call: int = 0) -> Tuple[Event, Event]:
        """19.8, 28.26: when the vector unit has been through, and when the result can be used."""
        usable = Event(self.calendar)
        if self.machine.consumer == "inline":
            usable.fire()
            return usable, usable
        cycles = ceil_div(elements, self.machine.lanes)
        ended = self.vector.ask((thread, launch, call), duration(cycles, self.machine.clock))
        latency = duration(self.machine.vector_latency_cycles, self.machine.clock)
        ended.then(lambda: self.calendar.at(self.calendar.now + latency, usable.fire))
        return ended, usable

    def convert(self, elements: int) -> Event:
        """34.9: when the vector unit has been through (6.13), in front of all pieces (19.12)."""
        cycles = ceil(ceil_div(elements, self.machine.lanes) / Fraction(self.machine.convert_rate))
        return self.vector.ask((-1, 0), duration(cycles, self.machine.clock), "convert")

    def add(self, elements: int) -> Event:
        """32.6: likewise, of a result, which comes first of all (19.12)."""
        return self.vector.ask((-2, 0), duration(ceil_div(elements, self.machine.lanes), self.machine.clock))

    def read(
        self,
        memory: Store,
        blocks: Sequence[Block],
        kind: Kind = Kind.KERNEL,
        queue: Tuple[int, int] = (0, 0),
        stage: str = "load",
    ) -> Event:
        """When the blocks are in TCM. `queue`: its number, and its launch's."""
        transfer = self._transfer(memory, blocks, kind, queue, "dma_in", stage)
        self.read_bytes += transfer.bytes
        self.reader.submit(transfer)
        return transfer.done

    def write(
        self,
        memory: Store,
        blocks: Sequence[Block],
        kind: Kind = Kind.KERNEL,
        queue: Tuple[int, int] = (0, 0),
        stage: str = "store_out",
    ) -> Tuple[Event, Event]:
        """When the blocks have left the TCM, and when they are acknowledged."""
        transfer = self._transfer(memory, blocks, kind, queue, "dma_out", stage)
        self.written_bytes += transfer.bytes
        self.writer.submit(transfer)
        return transfer.left, transfer.done

    def post(self, to: Places, block: Block, queue: Tuple[int, int]) -> Tuple[Event, Sequence[Event]]:
        """19.5, 65.3: when the block has left the TCM, and when it has landed at each."""
        transfer = self._transfer(to, [block], Kind.POST, queue, "send", "send")
        receivers = 1 if isinstance(to, Store) else len(to)
        transfer.landed = [Last(self.calendar, len(transfer.packets)) for _ in range(receivers)]
        self.sent_bytes += block.bytes
        self.writer.submit(transfer)
        return transfer.left, transfer.landed

    def _transfer(
        self,
        to: Places,
        blocks: Sequence[Block],
        kind: Kind,
        queue: Tuple[int, int],
        component: str,
        stage: str,
    ) -> Transfer:
        self._submitted += 1
        turn = (self.calendar.now, kind, *queue, self._submitted)
        done, left = Event(self.calendar), Event(self.calendar)
        size = sum(block.bytes for block in blocks)
        packets: List[Tuple[Target, Part]] = []
        if isinstance(to, Store):
            packets += to.packets(blocks)
        else:
            packets += [(to, part) for part in parts(self.machine, blocks)]
        is_spread = isinstance(to, Store) and len(to.controllers) > 1
        return Transfer(packets, is_spread, turn, (), done, left, component, stage, size)

    def _issue_read(self, engine: Engine, transfer: Transfer, memory: Target, part: Part) -> None:
        assert isinstance(memory, Memory)
        self._issues += 1
        done = self._ender(engine, transfer, part)
        memory.read(Request(part, self, self._issues, done))

    def _issue_write(self, engine: Engine, transfer: Transfer, to: Target, part: Part) -> None:
        """4.8, 4.10: through the TCM read port and into the network."""
        self._issues += 1
        size = part.own if transfer.landed else part.bursts * self.machine.burst
        head = max(self.calendar.now, self._read_port_free)
        self._read_port_free = head + duration(size, self.machine.tcm_read_bandwidth)
        if transfer.issued == len(transfer.packets):
            self.calendar.at(self._read_port_free, lambda: self._leave(transfer))
        if isinstance(to, Memory):
            done = transfer.landed[0].fire if transfer.landed else self._ender(engine, transfer, part)
            request = Request(part, self, self._issues, done, bool(transfer.landed))
            ways: Dict[Endpoint, Arrived] = {to.endpoint: partial(to.write, request)}
        else:
            ways = {pe.endpoint: partial(pe.land, done=landed.fire) for pe, landed in zip(to, transfer.landed)}
        self.endpoint.send(ways, size, head, self._read_port_free)

    def _leave(self, transfer: Transfer) -> None:
        if transfer.landed:
            self.records.append(transfer.record(self.calendar.now))
        transfer.left.fire()

    def _ender(self, engine: Engine, transfer: Transfer, part: Part) -> Callable[[], None]:
        return lambda: engine.end_packet(transfer, part)

    def land(self, packet: Packet, done: Callable[[], None]) -> None:
        """4.8: through the TCM write port."""
        passed = duration(packet.bytes, self.machine.tcm_write_bandwidth)
        self._write_port_free = max(max(packet.head, self._write_port_free) + passed, packet.tail)
        self.calendar.at(self._write_port_free, done)


Target = Union[Memory, Sequence[Pe]]
Places = Union[Store, Sequence[Pe]]
