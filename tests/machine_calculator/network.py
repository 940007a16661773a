"""Links, routers and endpoints of one package (ADR-0016, ADR-0017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Tuple, Union

from events import Alarm, Calendar, Phase
from machine import Machine
from units import ceil_div, duration


@dataclass
class Packet:
    bytes: int
    target: Endpoint
    channel: int
    is_credit: bool
    head: int  # when head and tail are where the packet is
    tail: int
    arrived: Callable[["Packet"], None]


class Link:
    """4.7, 17.1, 17.4. What a PE takes needs no room, what a memory takes has its port's (4.18)."""

    def __init__(
        self,
        source: Union[Router, Endpoint],
        target: Union[Router, Endpoint],
        bandwidth: int,
        latency: int,
        buffer: Optional[int],
        channels: int,
    ) -> None:
        self.source, self.target = source, target
        self.bandwidth, self.latency, self.buffer = bandwidth, latency, buffer
        # 4.18: the port of a memory counts what is in it in all virtual channels together.
        self.shares_room = not isinstance(target, Router)
        self.inside = [0] * channels
        self.room_back = [0] * channels  # 17.4: not before the room of the packets before it
        self.free = 0
        self.busy = 0
        self.bytes = 0

    def _counter(self, channel: int) -> int:
        return 0 if self.shares_room else channel

    def has_room(self, packet: Packet) -> bool:
        if self.buffer is None:
            return True
        return self.inside[self._counter(packet.channel)] + packet.bytes <= max(self.buffer, 2 * packet.bytes)

    def give_room_back(self, packet_bytes: int, channel: int) -> None:
        self.inside[self._counter(channel)] -= packet_bytes
        self.source.look(0)

    def enter(self, packet: Packet, now: int) -> int:
        """Returns when the link is free again."""
        occupied = duration(packet.bytes, self.bandwidth)
        self.busy += occupied
        self.bytes += packet.bytes
        self.free = max(now + occupied, packet.tail)
        self.inside[self._counter(packet.channel)] += packet.bytes
        packet.head, packet.tail = now + self.latency, self.free + self.latency
        self.target.take(self, packet)
        return self.free


class Router:
    """17.2 - 17.7."""

    def __init__(self, network: Network, row: int, column: int) -> None:
        self.network, self.row, self.column = network, row, column
        self.inputs: List[Link] = []  # in the order of 16.16
        self.outputs: Dict[Union[str, Endpoint], Link] = {}
        self._alarm = Alarm(network.calendar, Phase.ROUTERS, self._decide)
        self._waiting: List[List[List[Packet]]] = []  # by input and virtual channel
        self._held: List[int] = []  # 17.5
        self._last_fed: List[int] = []  # 17.6: of an input port
        self._last_served: Dict[int, int] = {}  # of a link

    @property
    def name(self) -> str:
        machine = self.network.machine
        die = self.row // machine.rows * machine.die_columns + self.column // machine.columns
        number = self.row % machine.rows * machine.columns + self.column % machine.columns
        return f"package0.die{die}.router{number}"

    def finish(self) -> None:
        self._waiting = [[[] for _ in range(self.network.channels)] for _ in self.inputs]
        self._held = [0] * len(self.inputs)
        self._last_fed = [-1] * len(self.inputs)
        self._number = {id(link): number for number, link in enumerate(self.inputs)}

    def look(self, time: int) -> None:
        self._alarm.set(max(time, self.network.calendar.now))

    def take(self, link: Link, packet: Packet) -> None:
        hop = self.network.machine.hop
        packet.head, packet.tail = packet.head + hop, packet.tail + hop
        self._waiting[self._number[id(link)]][packet.channel].append(packet)
        self.look(packet.head)

    def _decide(self) -> None:
        while self._serve_once():
            pass

    def _serve_once(self) -> bool:
        """One round of 17.6: false where nobody can be served."""
        now, channels = self.network.calendar.now, self.network.channels
        asked: Dict[int, Tuple[Link, List[int]]] = {}
        for number, queues in enumerate(self._waiting):
            if self._held[number] > now:
                continue
            for channel, queue in enumerate(queues):
                if not queue or queue[0].head > now:
                    continue
                link = self.network.next_link(self, queue[0].target)
                if link.free <= now and link.has_room(queue[0]):
                    asked.setdefault(id(link), (link, []))[1].append(number * channels + channel)
        offers: Dict[int, List[Tuple[int, Link]]] = {}
        for link, askers in asked.values():
            chosen = round_robin(askers, self._last_served.get(id(link), -1))
            offers.setdefault(chosen // channels, []).append((chosen, link))
        for number, offered in offers.items():
            chosen = round_robin([channel for channel, _ in offered], self._last_fed[number])
            self._send(number, chosen, dict(offered)[chosen])
        return bool(offers)

    def _send(self, number: int, chosen: int, link: Link) -> None:
        calendar, source, channel = self.network.calendar, self.inputs[number], chosen % self.network.channels
        self._last_fed[number] = self._last_served[id(link)] = chosen
        packet = self._waiting[number][channel].pop(0)
        size = packet.bytes
        self._held[number] = calendar.now + duration(size, source.bandwidth)
        self.look(self._held[number])
        entered = link.enter(packet, calendar.now)
        self.look(entered)
        back = max(entered + source.latency, source.room_back[channel])
        source.room_back[channel] = back
        calendar.at(back, lambda: source.give_room_back(size, channel))


def round_robin(asking: List[int], last: int) -> int:
    return min([number for number in asking if number > last] or asking)


class Endpoint:
    """A PE's or a memory's end of the network: what it hands over (17.9), and what comes to it."""

    def __init__(self, network: Network, node: int, router: Router, latency: int) -> None:
        self.network, self.node, self.router, self.latency = network, node, router, latency
        self.out: Link
        self._data: List[Packet] = []
        self._credits: List[Packet] = []
        self._alarm = Alarm(network.calendar, Phase.ENDPOINTS, self._decide)

    def send(
        self, target: Endpoint, size: int, head: int, tail: int, arrived: Callable[[Packet], None], credit: bool = False
    ) -> None:
        channel = self.network.credit_channel if credit else self.network.data_channel(target)
        packet = Packet(size, target, channel, credit, head, tail, arrived)
        (self._credits if credit else self._data).append(packet)
        self.look(head)

    def look(self, time: int) -> None:
        self._alarm.set(max(time, self.network.calendar.now))

    def _decide(self) -> None:
        now = self.network.calendar.now
        if self.out.free > now:
            return
        for queue in (self._credits, self._data):
            if queue and queue[0].head <= now and self.out.has_room(queue[0]):
                self.look(self.out.enter(queue.pop(0), now))
                break
        for queue in (self._credits, self._data):
            if queue and queue[0].head > now:
                self.look(queue[0].head)

    def take(self, link: Link, packet: Packet) -> None:
        packet.arrived(packet)


class Network:
    """The routers of a package; endpoints are added router by router. One package has one class (16.11)."""

    def __init__(self, machine: Machine, calendar: Calendar) -> None:
        self.machine, self.calendar = machine, calendar
        self.channels = machine.virtual_channels + 1
        self.credit_channel = machine.virtual_channels
        self._routers = {
            (row, column): Router(self, row, column)
            for row in range(machine.die_rows * machine.rows)
            for column in range(machine.die_columns * machine.columns)
        }
        self.links: List[Link] = []

    def router(self, die: int, number: int) -> Router:
        machine = self.machine
        row = die // machine.die_columns * machine.rows + number // machine.columns
        return self._routers[row, die % machine.die_columns * machine.columns + number % machine.columns]

    def endpoint(self, node: int, router: Router, latency: int, port_buffer: Optional[int]) -> Endpoint:
        """16.3."""
        machine = self.machine
        made = Endpoint(self, node, router, latency)
        made.out = Link(made, router, machine.link_bandwidth, latency, machine.buffer, self.channels)
        router.inputs.append(made.out)
        router.outputs[made] = Link(router, made, machine.link_bandwidth, latency, port_buffer, self.channels)
        self.links += [made.out, router.outputs[made]]
        return made

    def connect_routers(self) -> None:
        """16.3, 16.4; to be called when all endpoints are there. Inputs come from north, west, east, south (16.16)."""
        ways = {"south": (-1, 0), "east": (0, -1), "west": (0, 1), "north": (1, 0)}  # out of the neighbour
        for (row, column), router in self._routers.items():
            for way, (down, right) in ways.items():
                neighbour = self._routers.get((row + down, column + right))
                if neighbour is None:
                    continue
                link = self._between(neighbour, router)
                neighbour.outputs[way] = link
                router.inputs.append(link)
                self.links.append(link)
        for router in self._routers.values():
            router.finish()

    def _between(self, one: Router, other: Router) -> Link:
        machine = self.machine
        if one.row // machine.rows == other.row // machine.rows and (
            one.column // machine.columns == other.column // machine.columns
        ):
            return Link(one, other, machine.link_bandwidth, machine.wire_router, machine.buffer, self.channels)
        side = machine.rows if one.row == other.row else machine.columns
        connections = ceil_div(machine.crossing_connections, side)
        bandwidth, buffer = connections * machine.crossing_bandwidth, connections * machine.crossing_buffer
        return Link(one, other, bandwidth, 2 * machine.crossing_port, buffer, self.channels)

    def next_link(self, router: Router, target: Endpoint) -> Link:
        """16.7: along the row, then along the column, then out."""
        to = target.router
        if to.column != router.column:
            return router.outputs["east" if to.column > router.column else "west"]
        if to.row != router.row:
            return router.outputs["south" if to.row > router.row else "north"]
        return router.outputs[target]

    @property
    def between_routers(self) -> List[Link]:
        """In the order of their numbers (16.16)."""
        ways = ("east", "west", "north", "south")
        return [
            self._routers[place].outputs[way]
            for place in sorted(self._routers)
            for way in ways
            if way in self._routers[place].outputs
        ]

    @property
    def ports(self) -> List[Link]:
        return [link for link in self.links if isinstance(link.source, Endpoint) or isinstance(link.target, Endpoint)]

    def busiest_link(self) -> Tuple[str, int]:
        """30.8: its name, if any is at work, and for how long that is."""
        link = max(self.between_routers, key=lambda link: link.busy)
        assert isinstance(link.source, Router) and isinstance(link.target, Router)
        return f"{link.source.name} -> {link.target.name}" if link.busy else "", link.busy

    def data_channel(self, target: Endpoint) -> int:
        """17.8, with one class of c channels: (d div c) mod c."""
        count = self.machine.virtual_channels
        return target.node // count % count

    def latency(self, source: Endpoint, target: Endpoint) -> int:
        """16.12: of a message without bytes over the idle network."""
        time, router = source.latency + self.machine.hop, source.router
        while router is not target.router:
            link = self.next_link(router, target)
            assert isinstance(link.target, Router)
            time, router = time + link.latency + self.machine.hop, link.target
        return time + target.latency
