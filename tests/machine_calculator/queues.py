"""Message queues (ADR-0019)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from blocks import Block
from events import Calendar, Event, Events, Program, start
from formats import FORMATS, Format
from machine import Machine
from memory import Store
from pe import Kind, Pe
from units import up_to_multiple

ELEMENT = 2
BEHIND_ALL_QUEUES = 1 << 31


class Unread:
    """19.16: what sends of a rank have still to read of its buffer, piece by piece."""

    def __init__(self, calendar: Calendar, slot: int) -> None:
        self._calendar, self._slot = calendar, slot
        self._pieces: Dict[int, List[Tuple[int, int, Event]]] = defaultdict(list)  # begin, end; by begin div slot

    def add(self, begin: int, length: int) -> Event:
        """To fire when the piece has been read."""
        read = Event(self._calendar)
        of_slot, piece = self._pieces[begin // self._slot], (begin, begin + length, read)
        of_slot.append(piece)
        read.then(lambda: of_slot.remove(piece))
        return read

    def _over(self, begin: int, end: int) -> Optional[Event]:
        for number in range(begin // self._slot - 1, (end - 1) // self._slot + 1):  # no piece is longer than a slot
            for first, last, read in self._pieces.get(number, ()):
                if first < end and begin < last and read.time is None:
                    return read
        return None

    def until_read(self, begin: int, length: int) -> Program:
        unread = self._over(begin, begin + length)
        while unread:
            yield unread
            unread = self._over(begin, begin + length)


@dataclass
class Place:
    """Where something begins: in a memory, or in the TCM. `unread` is of the rank, whose buffer it is in."""

    memory: Optional[Store]
    address: int
    unread: Optional[Unread] = None

    def until_read(self, begin: int, length: int) -> Program:
        if self.unread:
            yield from self.unread.until_read(self.address + begin, length)


@dataclass
class Message:
    bytes: int
    source: Optional[Place]  # nothing: the TCM
    read: Sequence[Event]  # 19.16: to fire when a piece has been read
    left: Event  # 28.8: its last packet has left the TCM
    pieces: Sequence[Tuple[int, int]]


def pieces(count: int, slot: int, layout: Format = FORMATS["bf16"]) -> List[Tuple[int, int]]:
    """19.2: begin and length of each; whole elements, or groups of them (34.11)."""
    slot -= slot % layout.bytes
    return [(begin, min(slot, count - begin)) for begin in range(0, count, slot)]


def copy(pe: Pe, source: Place, target: Place, count: int, launch: int, thread: int) -> Program:
    """19.11; 19.18: of a buffer in HBM, through TCM."""
    memory = source.memory
    if memory is None:
        yield from target.until_read(0, count)
        yield pe.take_piece(launch, count // ELEMENT, thread)[1]
        return
    number = (BEHIND_ALL_QUEUES + thread, launch)
    all_pieces = pieces(count, pe.machine.slot_bytes)
    reads: List[Event] = []
    written: List[Event] = []

    def read_next() -> None:
        if len(reads) < len(all_pieces):
            begin, length = all_pieces[len(reads)]
            reads.append(pe.read(memory, [Block.run(source.address + begin, length)], Kind.ADDED_TO, number))

    def write(block: Block) -> None:
        written.append(pe.write(memory, [block], Kind.RESULT, number)[1])

    for _ in range(pe.machine.slots):
        read_next()
    for place, (begin, length) in enumerate(all_pieces):
        yield reads[place]
        yield from target.until_read(begin, length)
        ended, usable = pe.take_piece(launch, length // ELEMENT, thread)
        usable.then(partial(write, Block.run(target.address + begin, length)))
        yield ended
        read_next()
    yield usable
    for event in written:
        yield event


def goes_on(machine: Machine, now: int) -> int:
    """19.4: when who had to wait goes on."""
    return now + machine.wake_latency if machine.wait == "sleep" else up_to_multiple(now, machine.poll_interval)


class MessageQueue:
    """To one receiver, or a group of several (65.2). `number` is its number and its launch's (19.12, 28.1)."""

    def __init__(self, sender: Pe, receivers: Sequence[Tuple[Pe, Optional[Place]]], number: Tuple[int, int]) -> None:
        self._machine, self._calendar = sender.machine, sender.calendar
        self._sender, self._number = sender, number
        self.receivers = [Receiver(sender, pe, slots, number) for pe, slots in receivers]
        self._messages: List[Message] = []
        self._posted = 0

    @staticmethod
    def room(machine: Machine) -> int:
        """19.1: of the slots of a queue."""
        return machine.slots * up_to_multiple(machine.slot_bytes, machine.burst)

    def receiver(self, pe: Pe) -> Receiver:
        return next(receiver for receiver in self.receivers if receiver.pe is pe)

    def send(self, count: int, source: Optional[Place] = None, layout: Format = FORMATS["bf16"]) -> Event:
        read: List[Event] = []
        all_pieces = pieces(count, self._machine.slot_bytes, layout)
        if source and source.unread:
            read = [source.unread.add(source.address + begin, length) for begin, length in all_pieces]
        message = Message(count, source, read, Event(self._calendar), all_pieces)
        self._messages.append(message)
        if len(self._messages) == 1:
            start(self._calendar, self._forward())
        return message.left

    def _forward(self) -> Program:
        """19.3."""
        while self._messages:
            message = self._messages[0]
            for number, (begin, length) in enumerate(message.pieces):
                yield from self._take_credits()
                self._submit(message, begin, length, message.read[number] if message.read else None)
            self._messages.pop(0)

    def _take_credits(self) -> Program:
        """65.2."""
        wanted = self._calendar.now
        for receiver in self.receivers:
            yield from receiver.credit()
        if self._calendar.now != wanted:
            yield goes_on(self._machine, self._calendar.now)

    def _submit(self, message: Message, begin: int, length: int, read: Optional[Event]) -> None:
        number, self._posted = self._posted, self._posted + 1
        last = begin + length == message.bytes

        def post() -> Event:
            """65.3."""
            copied = self._machine.multicast == "true"
            for group in [self.receivers] if copied else [[receiver] for receiver in self.receivers]:
                block = Block.run(group[0].slot(number), length)
                to = group[0].memory or [receiver.pe for receiver in group]
                left, landed = self._sender.post(to, block, self._number)
                for receiver, at_receiver in zip(group, landed):
                    at_receiver.then(partial(receiver.land, number, length))
            if last:
                left.then(message.left.fire)
            return left

        if message.source is None or message.source.memory is None:
            left = post()
            if read:
                left.then(read.fire)
        else:  # 19.9
            block = Block.run(message.source.address + begin, length)
            in_tcm = self._sender.read(message.source.memory, [block], Kind.TO_SEND, self._number)
            if read:
                in_tcm.then(read.fire)
            in_tcm.then(post)


class Receiver:
    """Its slots are in `slots`, or in its TCM."""

    def __init__(self, sender: Pe, pe: Pe, slots: Optional[Place], number: Tuple[int, int]) -> None:
        self._machine, self._calendar = pe.machine, pe.calendar
        self._sender, self.pe, self._number = sender, pe, number
        self.memory, self._address = (slots.memory, slots.address) if slots else (None, 0)
        self._credits = self._machine.slots  # that the sender has
        self._credit_came = Event(self._calendar)
        self._landed = Events(self._calendar)  # of each piece
        self._taken = 0
        self._begun: Optional[Event] = None

    def slot(self, number: int) -> int:
        slot = number % self._machine.slots
        return self._address + slot * up_to_multiple(self._machine.slot_bytes, self._machine.burst)

    def credit(self) -> Program:
        """For the sender."""
        if self._credits == 0:
            self._credit_came = Event(self._calendar)
            yield self._credit_came
        self._credits -= 1

    def land(self, number: int, length: int) -> None:
        """19.6."""
        landed = self._landed[number]
        if self.memory is None:
            landed.fire()
        else:
            block = Block.run(self.slot(number), length)
            self.pe.read(self.memory, [block], Kind.LANDED, self._number).then(landed.fire)

    def begin(self, count: int, layout: Format, call: int) -> Event:
        """28.26."""
        before, self._begun = self._begun, Event(self._calendar)
        start(self._calendar, self._receive_after(before, self._begun, count, layout, call))
        return self._begun

    def _receive_after(
        self, before: Optional[Event], received: Event, count: int, layout: Format, call: int
    ) -> Program:
        if before:
            yield before
        yield from self.receive(count, layout=layout, call=call)
        received.fire()

    def receive(
        self, count: int, into: Optional[Place] = None, adds: bool = False, thread: int = 0,
        layout: Format = FORMATS["bf16"], call: int = 0,
    ) -> Program:  # fmt: skip
        """19.8; of a buffer in HBM 19.9."""
        memory = into.memory if into else None
        all_pieces = pieces(count, self._machine.slot_bytes, layout)
        added_to: List[Event] = []
        written: List[Event] = []
        for number, (begin, length) in enumerate(all_pieces):
            if into and memory and adds:
                for more, size in all_pieces[len(added_to) : number + self._machine.slots]:
                    added_to.append(self._read_added_to(Block.run(into.address + more, size), memory))
            yield from self._piece()
            if memory and adds:
                yield added_to[number]
            if into:
                yield from into.until_read(begin, length)
            ended, usable = self.pe.take_piece(self._number[1], length // layout.bytes * layout.elements, thread, call)
            if into and memory:
                block = Block.run(into.address + begin, length)
                usable.then(self._writer(block, memory, written))
            yield ended
            self._give_back()
        yield usable
        assert not memory or len(written) == len(all_pieces)
        for event in written:
            yield event

    def _piece(self) -> Program:
        landed, self._taken = self._landed[self._taken], self._taken + 1
        if landed.time is None:
            wanted = self._calendar.now
            yield landed
            if self._calendar.now != wanted:
                yield goes_on(self._machine, self._calendar.now)

    def _read_added_to(self, block: Block, memory: Store) -> Event:
        return self.pe.read(memory, [block], Kind.ADDED_TO, self._number)

    def _writer(self, block: Block, memory: Store, written: List[Event]) -> Callable[[], None]:
        return lambda: written.append(self.pe.write(memory, [block], Kind.RESULT, self._number)[1])

    def _give_back(self) -> None:
        """19.3, 17.8."""
        calendar, size = self._calendar, self._machine.credit_bytes
        sender, receiver = self._sender.endpoint, self.pe.endpoint
        if size == 0:
            calendar.at(calendar.now + self._sender.network.latency(receiver, sender), self._credit_back)
        else:
            to = {sender: lambda packet: calendar.at(packet.tail, self._credit_back)}
            receiver.send(to, size, calendar.now, calendar.now, credit=True)

    def _credit_back(self) -> None:
        self._credits += 1
        if self._credit_came.time is None:
            self._credit_came.fire()
