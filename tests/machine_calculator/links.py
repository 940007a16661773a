"""Links, routers and endpoints: packets in time (ADR-0017)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Callable, Deque, Dict, Hashable, List, Optional, Sequence, Tuple, Union

from events import Alarm, Calendar, Phase
from units import duration


@dataclass
class Route:
    """The links from an endpoint to another, with the virtual channel on each (17.8), and 16.12 without bytes."""

    hops: List[Tuple[Link, int]]
    latency: int


@dataclass
class Packet:
    bytes: int
    ways: Sequence[Way]  # 65.4: to each of its receivers; up to the next link they are one
    head: int  # when head and tail are where the packet is
    tail: int
    at: int = 0  # of the routes: the next link

    @property
    def channel(self) -> int:
        """On the next link."""
        return self.ways[0][0].hops[self.at][1]

    def copies(self) -> Dict[Link, Packet]:
        """65.5: for each link by which routes go on."""
        by_link: Dict[Link, List[Way]] = {}
        for way in self.ways:
            by_link.setdefault(way[0].hops[self.at][0], []).append(way)
        if len(by_link) == 1:
            return dict.fromkeys(by_link, self)
        return {link: replace(self, ways=ways) for link, ways in by_link.items()}


Arrived = Callable[[Packet], None]
Way = Tuple[Route, Arrived]


@dataclass
class Buffered:
    """A packet in a router."""

    bytes: int
    head: int
    copies: Dict[Link, Packet]  # that have not left
    out: int = 0  # when the tails of those that have left are; none has: 0


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
        self._shares_room = not isinstance(target, Router)
        self._inside = [0] * channels
        self.room_back = [0] * channels  # 17.4: not before the room of the packets before it
        self.dimension = ""  # 16.11: of a link between packages, row or column
        self.goes_round = False
        self.free = 0
        self.busy = 0
        self.bytes = 0

    @property
    def name(self) -> str:
        assert isinstance(self.source, Router) and isinstance(self.target, Router)
        return f"{self.source.name} -> {self.target.name}"

    def has_room(self, size: int, channel: int) -> bool:
        if self.buffer is None:
            return True
        return self._inside[0 if self._shares_room else channel] + size <= max(self.buffer, 2 * size)

    def give_room_back(self, size: int, channel: int) -> None:
        self._inside[0 if self._shares_room else channel] -= size
        self.source.look(0)

    def enter(self, packet: Packet, now: int) -> int:
        """Returns when the link is free again."""
        occupied = duration(packet.bytes, self.bandwidth)
        self.busy += occupied
        self.bytes += packet.bytes
        self.free = max(now + occupied, packet.tail)
        channel = packet.channel
        self._inside[0 if self._shares_room else channel] += packet.bytes
        packet.head, packet.tail = now + self.latency, self.free + self.latency
        packet.at += 1
        self.target.take(self, channel, packet)
        return self.free


class Router:
    """17.2 - 17.7; a switch is one, too."""

    def __init__(self, calendar: Calendar, name: str, hop: int, channels: int, of_data: int) -> None:
        self.name = name
        self.package, self.row, self.column = -1, -1, -1  # of a router on a package's mesh
        self.hop = hop
        self.inputs: List[Link] = []  # in the order of 16.16
        self.outputs: Dict[Hashable, Link] = {}
        self._calendar, self._channels, self._of_data = calendar, channels, of_data
        self._alarm = Alarm(calendar, Phase.ROUTERS, self._decide)
        self._waiting: Dict[int, Deque[Buffered]] = {}  # by input x channels + virtual channel, where there are any
        self._held: List[int] = []  # 17.5
        self._last_fed: List[int] = []  # 17.6: of an input port
        self._last_served: Dict[Link, int] = {}

    def finish(self) -> None:
        self._held = [0] * len(self.inputs)
        self._last_fed = [-1] * len(self.inputs)
        self._number = {link: number for number, link in enumerate(self.inputs)}

    def look(self, time: int) -> None:
        self._alarm.set(max(time, self._calendar.now))

    def take(self, link: Link, channel: int, packet: Packet) -> None:
        packet.head, packet.tail = packet.head + self.hop, packet.tail + self.hop
        buffered = Buffered(packet.bytes, packet.head, packet.copies())
        self._waiting.setdefault(self._number[link] * self._channels + channel, deque()).append(buffered)
        self.look(packet.head)

    def _decide(self) -> None:
        while self._waiting:
            asked = self._asked()
            if not asked:
                return
            self._serve(asked)

    def _asked(self) -> Dict[Link, List[int]]:
        """17.2: the links that packets may enter, and from which channels; looks again when a time has come."""
        now, channels, held = self._calendar.now, self._channels, self._held
        asked: Dict[Link, List[int]] = {}
        again = 0
        for number, queue in self._waiting.items():
            first = queue[0]
            port = held[number // channels] if self._needs_port(number) else 0
            for link, packet in first.copies.items():
                if first.head > now or link.free > now or port > now:
                    may = max(first.head, port, link.free)
                    again = min(again or may, may)
                elif link.has_room(first.bytes, packet.channel):
                    if link in asked:
                        asked[link].append(number)
                    else:
                        asked[link] = [number]
        if again:
            self._alarm.set(again)
        return asked

    def _serve(self, asked: Dict[Link, List[int]]) -> None:
        """One round of 17.6."""
        channels = self._channels
        if len(asked) == 1:
            ((link, askers),) = asked.items()
            self._send(round_robin(askers, self._last_served.get(link, -1)), [link])
            return
        offers: Dict[int, Dict[int, List[Link]]] = {}  # to each port: by channel
        for link, askers in asked.items():
            chosen = round_robin(askers, self._last_served.get(link, -1))
            offers.setdefault(chosen // channels, {}).setdefault(chosen, []).append(link)
        for number, offered in offers.items():
            later = [channel for channel in offered if not self._needs_port(channel)]
            fed = [channel for channel in offered if channel not in later]
            for channel in later + ([round_robin(fed, self._last_fed[number])] if fed else []):
                self._send(channel, offered[channel])

    def _send(self, chosen: int, links: List[Link]) -> None:
        """65.5: copies of a channel's first packet."""
        number, channel = divmod(chosen, self._channels)
        calendar, source = self._calendar, self.inputs[number]
        queue = self._waiting[chosen]
        first = queue[0]
        size = first.bytes
        if self._needs_port(chosen):
            self._last_fed[number] = chosen
            self._held[number] = calendar.now + duration(size, source.bandwidth)
        for link in links:
            self._last_served[link] = chosen
            first.out = max(first.out, link.enter(first.copies.pop(link), calendar.now))
        if first.copies:
            return
        queue.popleft()
        if not queue:
            del self._waiting[chosen]
        back = max(first.out + source.latency, source.room_back[channel])
        source.room_back[channel] = back
        calendar.at(back, lambda: source.give_room_back(size, channel))

    def _needs_port(self, number: int) -> bool:
        """17.5: credits do not, nor copies behind the first (65.5)."""
        return number % self._channels < self._of_data and not self._waiting[number][0].out


def round_robin(asking: List[int], last: int) -> int:
    if len(asking) == 1:
        return asking[0]
    return min([number for number in asking if number > last] or asking)


class Endpoint:
    """A PE's, a memory's or a host's end of the network: what it hands over (17.9), and what comes to it."""

    def __init__(self, calendar: Calendar, node: int, router: Router, find_route: FindRoute) -> None:
        self.node, self.router = node, router
        self.named = ""  # of a controller: the edge, or the place (64.1)
        self.out: Link
        self._calendar, self._find_route = calendar, find_route
        self._data: Deque[Packet] = deque()
        self._credits: Deque[Packet] = deque()
        self._alarm = Alarm(calendar, Phase.ENDPOINTS, self._decide)

    def send(self, to: Dict[Endpoint, Arrived], size: int, head: int, tail: int, credit: bool = False) -> None:
        """To one or several, in their order."""
        first = next(iter(to))
        ways = [(self._find_route(self, target, first, credit), arrived) for target, arrived in to.items()]
        (self._credits if credit else self._data).append(Packet(size, ways, head, tail))
        self.look(head)

    def look(self, time: int) -> None:
        self._alarm.set(max(time, self._calendar.now))

    def _decide(self) -> None:
        now, out = self._calendar.now, self.out
        if out.free > now:
            return
        for queue in (self._credits, self._data):
            if queue and queue[0].head <= now and out.has_room(queue[0].bytes, queue[0].channel):
                self.look(out.enter(queue.popleft(), now))
                break
        for queue in (self._credits, self._data):
            if queue and queue[0].head > now:
                self.look(queue[0].head)

    def take(self, link: Link, channel: int, packet: Packet) -> None:
        ((_, arrived),) = packet.ways
        arrived(packet)


FindRoute = Callable[[Endpoint, Endpoint, Endpoint, bool], Route]
