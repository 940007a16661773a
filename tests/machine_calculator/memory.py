"""HBM controllers and SRAMs (ADR-0004, 19.7)."""

from dataclasses import dataclass, replace
from typing import Callable, Iterator, List, Optional, Protocol, Sequence, Tuple

from blocks import Block, Part, parts
from events import Alarm, Calendar, Phase
from links import Endpoint, Link, Packet, Router
from machine import Machine
from network import Network
from units import duration


class Asker(Protocol):
    """A PE."""

    endpoint: Endpoint

    def land(self, packet: Packet, done: Callable[[], None]) -> None:
        ...


@dataclass
class Request:
    """A packet to read or write, of whom, and what to do when it is delivered or acknowledged."""

    part: Part
    asker: Asker
    issue: int  # 4.17: its number among those of its asker
    done: Callable[[], None]
    posted: bool = False  # done when it is served, without an acknowledgement (19.5)
    link: Optional[Link] = None  # of a write: the one to the memory, with its size there
    bytes: int = 0


class Store:
    """What has addresses: a memory, or that of a die behind several controllers."""

    controllers: Sequence["Memory"]

    def packets(self, blocks: Sequence[Block]) -> List[Tuple["Memory", Part]]:
        """What a transfer of the blocks moves, and which controller has it."""
        raise NotImplementedError


class Memory(Store):
    """What HBM and SRAM have in common: who is first (4.17), and the way back."""

    def __init__(self, network: Network, node: int, router: Router, latency: int, port_buffer: int) -> None:
        self.machine: Machine = network.machine
        self.calendar: Calendar = network.calendar
        self.network = network
        self.endpoint = network.endpoint(node, router, latency, port_buffer)
        self.controllers = [self]
        self._reads: List[Request] = []
        self._writes: List[Request] = []
        self.alarm = Alarm(self.calendar, Phase.MEMORIES, self._act)

    def packets(self, blocks: Sequence[Block]) -> List[Tuple["Memory", Part]]:
        return [(self, part) for part in parts(self.machine, blocks)]

    def read(self, request: Request) -> None:
        """To be called when the request is issued: it is there the latency of the idle network later (4.9)."""

        def arrive() -> None:
            self._reads.append(request)
            self.alarm.set(self.calendar.now)

        self.calendar.at(self.calendar.now + self.network.latency(request.asker.endpoint, self.endpoint), arrive)

    def write(self, request: Request, packet: Packet) -> None:
        """To be called when the packet is foreseen at the port: it is there with its tail (4.10)."""
        request.link = self.endpoint.router.outputs[self.endpoint]
        request.bytes = packet.bytes

        def arrive() -> None:
            self._writes.append(request)
            self.alarm.set(self.calendar.now)

        self.calendar.at(packet.tail, arrive)

    def _act(self) -> None:
        def turn(request: Request) -> Tuple[int, int]:
            return request.asker.endpoint.node, request.issue

        reads, writes = sorted(self._reads, key=turn), sorted(self._writes, key=turn)
        self._reads, self._writes = [], []
        self.serve(reads, writes)

    def serve(self, reads: List[Request], writes: List[Request]) -> None:
        raise NotImplementedError

    def hand_over(self, request: Request, ready: int) -> None:
        size = request.part.bursts * self.machine.burst
        target = request.asker
        self.endpoint.send({target.endpoint: lambda packet: target.land(packet, request.done)}, size, ready, ready)

    def acknowledge(self, request: Request, served: int) -> None:
        way_back = 0 if request.posted else self.network.latency(self.endpoint, request.asker.endpoint)
        self.calendar.at(served + way_back, request.done)

    def give_room_back(self, request: Request, served: int) -> None:
        """4.18."""
        link, size = request.link, request.bytes
        assert link is not None
        self.calendar.at(served + link.latency, lambda: link.give_room_back(size, 0))


class Channel:
    """A pseudo-channel, and the queue of writes before it (4.5, 4.15, 4.16)."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._burst_time = duration(machine.burst * machine.pseudo_channels, machine.hbm_bandwidth)
        self._end = 0
        self._kind = ""
        self.waiting = 0
        self.held = 0  # a burst holds its place until its time on the channel ends
        self._worked: List[Tuple[int, int]] = []

    def worked_until(self, time: int) -> int:
        return sum(min(end, time) - begin for begin, end in self._worked if begin < time)

    def free_for(self, kind: str) -> int:
        """4.5: a turn-around later where the last burst was of the other kind."""
        return self._end + (self._machine.turnaround if self._kind not in ("", kind) else 0)

    def put(self, kind: str, bursts: int, now: int) -> List[int]:
        """The ends of bursts put on the channel one after the other."""
        begin = max(now, self.free_for(kind))
        ends = [begin + (number + 1) * self._burst_time for number in range(bursts)]
        self._end, self._kind = ends[-1], kind
        self._worked.append((begin, ends[-1]))
        return ends


class Hbm(Memory):
    def __init__(self, network: Network, node: int, router: Router) -> None:
        machine = network.machine
        super().__init__(network, node, router, machine.wire(machine.hbm_to_router), machine.hbm_port_buffer)
        self.channels = [Channel(machine) for _ in range(machine.pseudo_channels)]
        self._outside: List[Request] = []  # writes that have arrived and are not taken in

    def _spread(self, part: Part) -> Iterator[Tuple[Channel, int]]:
        """4.6."""
        count = self.machine.pseudo_channels
        for number in range(min(part.bursts, count)):
            bursts = part.bursts // count + (1 if number < part.bursts % count else 0)
            yield self.channels[(part.burst + number) % count], bursts

    def serve(self, reads: List[Request], writes: List[Request]) -> None:
        for request in reads:
            self._read(request)
        self._outside += writes
        while self._outside and self._has_room(self._outside[0]):
            self._take_in(self._outside.pop(0))
        now = self.calendar.now
        for channel in self.channels:  # 4.15: a channel that is free for a write begins one
            if channel.waiting and channel.free_for("write") <= now:
                self._write(channel, 1)
            if channel.waiting:
                self.alarm.set(channel.free_for("write"))

    def _read(self, request: Request) -> None:
        ends = [channel.put("read", bursts, self.calendar.now)[-1] for channel, bursts in self._spread(request.part)]
        self.hand_over(request, max(ends) + self.machine.read_latency)

    def _has_room(self, request: Request) -> bool:
        return all(channel.held < self.machine.write_queue for channel, _ in self._spread(request.part))

    def _take_in(self, request: Request) -> None:
        for channel, bursts in self._spread(request.part):
            channel.waiting += bursts
            channel.held += bursts
            if channel.waiting >= self.machine.write_batch:
                self._write(channel, channel.waiting)
        self.acknowledge(request, self.calendar.now)
        self.give_room_back(request, self.calendar.now)

    def _write(self, channel: Channel, bursts: int) -> None:
        def let_go() -> None:
            channel.held -= 1
            self.alarm.set(self.calendar.now)

        channel.waiting -= bursts
        for end in channel.put("write", bursts, self.calendar.now):
            self.calendar.at(end, let_go)


class SharedHbm(Store):
    """The memory of a die (64.3, 64.4)."""

    def __init__(self, machine: Machine, controllers: Sequence[Hbm]) -> None:
        self._machine, self.controllers = machine, controllers
        self._granule = machine.interleave // machine.burst

    def packets(self, blocks: Sequence[Block]) -> List[Tuple[Memory, Part]]:
        return [self._at_controller(part) for part in parts(self._machine, blocks, self._granule)]

    def _at_controller(self, part: Part) -> Tuple[Memory, Part]:
        granule, inside = divmod(part.burst, self._granule)
        turn, controller = divmod(granule, len(self.controllers))
        if self._machine.hash == "true":
            left = turn
            while left:
                controller += left
                left //= len(self.controllers)
            controller %= len(self.controllers)
        return self.controllers[controller], replace(part, burst=turn * self._granule + inside)


class Sram(Memory):
    """19.7: one packet after the other, reads and writes alike."""

    def __init__(self, network: Network, node: int, router: Router) -> None:
        machine = network.machine
        super().__init__(network, node, router, machine.wire(machine.sram_to_router), machine.sram_port_buffer)
        self._free = 0

    def _pass_port(self, size: int) -> int:
        self._free = max(self.calendar.now, self._free) + duration(size, self.machine.sram_bandwidth)
        return self._free

    def serve(self, reads: List[Request], writes: List[Request]) -> None:
        for request in reads:
            passed = self._pass_port(request.part.bursts * self.machine.burst)
            self.hand_over(request, passed + self.machine.sram_latency)
        for request in writes:
            passed = self._pass_port(request.bytes)
            self.acknowledge(request, passed + self.machine.sram_latency)
            self.give_room_back(request, passed)
