"""Links, routers and endpoints: packets in time (ADR-0017)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Callable, Deque, Dict, Hashable, List, Optional, Set, Tuple, Union

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
    route: Route
    head: int  # when head and tail are where the packet is
    tail: int
    arrived: Callable[["Packet"], None]
    at: int = 0  # of the route: the next link


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
        channel = packet.route.hops[packet.at][1]
        self._inside[0 if self._shares_room else channel] += packet.bytes
        packet.head, packet.tail = now + self.latency, self.free + self.latency
        packet.at += 1
        self.target.take(self, channel, packet)
        return self.free


class Router:
    """17.2 - 17.7; a switch is one, too."""

    def __init__(self, calendar: Calendar, name: str, hop: int, channels: int) -> None:
        self.name = name
        self.package, self.row, self.column = -1, -1, -1  # of a router on a package's mesh
        self.hop = hop
        self.inputs: List[Link] = []  # in the order of 16.16
        self.outputs: Dict[Hashable, Link] = {}
        self._calendar, self._channels = calendar, channels
        self._alarm = Alarm(calendar, Phase.ROUTERS, self._decide)
        self._waiting: Dict[int, Deque[Packet]] = {}  # by input x channels + virtual channel, where there are any
        self._held: List[int] = []  # 17.5
        self._passed_over: Set[int] = set()  # channels: their first packets
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
        self._waiting.setdefault(self._number[link] * self._channels + channel, deque()).append(packet)
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
            packet = queue[0]
            link, channel = packet.route.hops[packet.at]
            port = 0 if number in self._passed_over else held[number // channels]
            if packet.head > now or link.free > now or port > now:
                may = max(packet.head, port, link.free)
                again = min(again or may, may)
            elif link.has_room(packet.bytes, channel):
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
            self._send(round_robin(askers, self._last_served.get(link, -1)), link)
            return
        offers: Dict[int, List[Tuple[int, Link]]] = {}
        for link, askers in asked.items():
            chosen = round_robin(askers, self._last_served.get(link, -1))
            offers.setdefault(chosen // channels, []).append((chosen, link))
        for number, offered in offers.items():
            chosen = round_robin([channel for channel, _ in offered], self._last_fed[number])
            self._send(chosen, dict(offered)[chosen])

    def _send(self, chosen: int, link: Link) -> None:
        number, channel = divmod(chosen, self._channels)
        calendar, source = self._calendar, self.inputs[number]
        self._last_fed[number] = self._last_served[link] = chosen
        queue = self._waiting[chosen]
        packet = queue.popleft()
        if not queue:
            del self._waiting[chosen]
        size = packet.bytes
        self._passed_over.discard(chosen)
        if self._held[number] <= calendar.now:
            self._pass_over(chosen)
        self._held[number] = max(self._held[number], calendar.now) + duration(size, source.bandwidth)
        entered = link.enter(packet, calendar.now)
        back = max(entered + source.latency, source.room_back[channel])
        source.room_back[channel] = back
        calendar.at(back, lambda: source.give_room_back(size, channel))


    def _pass_over(self, chosen: int) -> None:
        for other, queue in self._waiting.items():
            same_port = other // self._channels == chosen // self._channels
            if other != chosen and same_port and queue[0].head <= self._calendar.now:
                self._passed_over.add(other)


def round_robin(asking: List[int], last: int) -> int:
    if len(asking) == 1:
        return asking[0]
    return min([number for number in asking if number > last] or asking)


class Endpoint:
    """A PE's, a memory's or a host's end of the network: what it hands over (17.9), and what comes to it."""

    def __init__(self, calendar: Calendar, node: int, router: Router, find_route: FindRoute) -> None:
        self.node, self.router = node, router
        self.out: Link
        self._calendar, self._find_route = calendar, find_route
        self._data: Deque[Packet] = deque()
        self._credits: Deque[Packet] = deque()
        self._alarm = Alarm(calendar, Phase.ENDPOINTS, self._decide)

    def send(
        self, target: Endpoint, size: int, head: int, tail: int, arrived: Callable[[Packet], None], credit: bool = False
    ) -> None:
        packet = Packet(size, self._find_route(self, target, credit), head, tail, arrived)
        (self._credits if credit else self._data).append(packet)
        self.look(head)

    def look(self, time: int) -> None:
        self._alarm.set(max(time, self._calendar.now))

    def _decide(self) -> None:
        now, out = self._calendar.now, self.out
        if out.free > now:
            return
        for queue in (self._credits, self._data):
            if queue and queue[0].head <= now and out.has_room(queue[0].bytes, queue[0].route.hops[0][1]):
                self.look(out.enter(queue.popleft(), now))
                break
        for queue in (self._credits, self._data):
            if queue and queue[0].head > now:
                self.look(queue[0].head)

    def take(self, link: Link, channel: int, packet: Packet) -> None:
        packet.arrived(packet)


FindRoute = Callable[[Endpoint, Endpoint, bool], Route]
