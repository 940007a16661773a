"""Nodes, links and routes of a machine (ADR-0016)."""

from typing import Dict, Hashable, List, Optional, Tuple

from events import Calendar
from links import Endpoint, Link, Route, Router
from machine import Machine
from units import ceil_div

WAYS = ("east", "west", "north", "south")  # 16.16


class Network:
    """Routers and switches; endpoints are added router by router, then all are connected."""

    def __init__(self, machine: Machine, calendar: Calendar) -> None:
        self.machine, self.calendar = machine, calendar
        packages = machine.levels.packages.count
        several = packages > 1 or machine.routing == "perpendicular"
        self._classes = 2 if several and machine.virtual_channels > 1 else 1  # 16.11
        self._channels = machine.virtual_channels + self._classes  # 17.8: credits have further ones
        self._rows, self._columns = machine.die_rows * machine.rows, machine.die_columns * machine.columns
        self._routers = {
            (package, row, column): self._router(package, row, column)
            for package in range(packages)
            for row in range(self._rows)
            for column in range(self._columns)
        }
        self._switches = [self._switch(f"package{package}.switch") for package in range(packages)]
        for package, switch in enumerate(self._switches):
            switch.package = package
        self._hub = self._switch("system.switch")
        self._between_packages: List[Link] = []
        self._routes: Dict[Tuple[Endpoint, Endpoint, Endpoint, bool], Route] = {}
        self.hosts: List[Endpoint] = []
        self.links: List[Link] = []

    def _switch(self, name: str) -> Router:
        return Router(self.calendar, name, self.machine.switch_hop, self._channels, self.machine.virtual_channels)

    def _router(self, package: int, row: int, column: int) -> Router:
        machine = self.machine
        die = row // machine.rows * machine.die_columns + column // machine.columns
        number = row % machine.rows * machine.columns + column % machine.columns
        made = Router(
            self.calendar,
            f"package{package}.die{die}.router{number}",
            machine.hop,
            self._channels,
            machine.virtual_channels,
        )
        made.package, made.row, made.column = package, row, column
        return made

    def router(self, package: int, die: int, number: int) -> Router:
        machine = self.machine
        row = die // machine.die_columns * machine.rows + number // machine.columns
        return self._routers[package, row, die % machine.die_columns * machine.columns + number % machine.columns]

    # Links.

    def endpoint(self, node: int, router: Router, latency: int, port_buffer: Optional[int]) -> Endpoint:
        """16.3."""
        made = Endpoint(self.calendar, node, router, self.route)
        self._attach(made, self.machine.link_bandwidth, latency, self.machine.buffer, port_buffer)
        return made

    def _attach(self, made: Endpoint, bandwidth: int, latency: int, buffer: int, port_buffer: Optional[int]) -> None:
        router = made.router
        made.out = Link(made, router, bandwidth, latency, buffer, self._channels)
        router.inputs.append(made.out)
        router.outputs[made] = Link(router, made, bandwidth, latency, port_buffer, self._channels)
        self.links += [made.out, router.outputs[made]]

    def _connect(self, source: Router, way: Hashable, target: Router, link: Link) -> None:
        source.outputs[way] = link
        target.inputs.append(link)
        self.links.append(link)

    def connect(self) -> None:
        """To be called when all endpoints but the hosts are there. Inputs come in the order of 16.16."""
        self._connect_meshes()
        for package, switch in enumerate(self._switches):
            self._connect_switch(package, switch)
        self._connect_packages()
        for router in [*self._routers.values(), *self._switches, self._hub]:
            router.finish()

    def _connect_meshes(self) -> None:
        """16.3, 16.4. Inputs come from north, west, east, south."""
        ways = {"south": (-1, 0), "east": (0, -1), "west": (0, 1), "north": (1, 0)}  # out of the neighbour
        for (package, row, column), router in self._routers.items():
            for way, (down, right) in ways.items():
                neighbour = self._routers.get((package, row + down, column + right))
                if neighbour is not None:
                    self._connect(neighbour, way, router, self._between(neighbour, router))

    def _between(self, one: Router, other: Router) -> Link:
        machine = self.machine
        if one.row // machine.rows == other.row // machine.rows and (
            one.column // machine.columns == other.column // machine.columns
        ):
            latency = machine.wire(machine.router_to_router)
            return Link(one, other, machine.link_bandwidth, latency, machine.buffer, self._channels)
        return self._crossing(one, other, machine.rows if one.row == other.row else machine.columns)

    def _crossing(self, one: Router, other: Router, side: int) -> Link:
        machine = self.machine
        connections = ceil_div(machine.crossing_connections, side)
        bandwidth, buffer = connections * machine.crossing_bandwidth, connections * machine.crossing_buffer
        return Link(one, other, bandwidth, 2 * machine.crossing_port, buffer, self._channels)

    def _connect_switch(self, package: int, switch: Router) -> None:
        """16.5."""
        machine = self.machine
        for column in range(self._columns):
            router = self._routers[package, self._rows - 1, column]
            self._connect(router, "south", switch, self._crossing(router, switch, machine.columns))
            self._connect(switch, column, router, self._crossing(switch, router, machine.columns))
        host = Endpoint(self.calendar, -1, switch, self.route)
        self._attach(host, machine.host_bandwidth, machine.host_latency, machine.package_buffer, None)
        self.hosts.append(host)

    def _connect_packages(self) -> None:
        """16.6."""
        arrangement, count = self.machine.arrangement, len(self._switches)
        if arrangement == "switched":
            for switch in self._switches:
                self._connect_two(switch, "hub", self._hub, "row")
            for package, switch in enumerate(self._switches):
                self._connect_two(self._hub, package, switch, "row")
            return
        for package, switch in enumerate(self._switches):
            if arrangement == "fully_connected":
                for other in range(count):
                    if other != package:
                        self._connect_two(switch, ("package", other), self._switches[other], "row")
                continue
            for way in WAYS:
                other, goes_round = self._neighbour(package, way)
                if other is not None:
                    dimension = "row" if way in ("east", "west") else "column"
                    self._connect_two(switch, way, self._switches[other], dimension, goes_round)

    def _connect_two(
        self, source: Router, way: Hashable, target: Router, dimension: str, goes_round: bool = False
    ) -> None:
        machine = self.machine
        link = Link(
            source, target, machine.package_bandwidth, machine.package_latency, machine.package_buffer, self._channels
        )
        link.dimension, link.goes_round = dimension, goes_round
        self._connect(source, way, target, link)
        self._between_packages.append(link)

    @property
    def _closed(self) -> bool:
        return self.machine.arrangement in ("ring", "torus")

    def _neighbour(self, package: int, way: str) -> Tuple[Optional[int], bool]:
        """Of a ring, mesh or torus; and whether the link goes round the end."""
        grid = self.machine.levels.packages
        place = list(divmod(package, grid.columns))
        along, size = (1, grid.columns) if way in ("east", "west") else (0, grid.rows)
        step = place[along] + (1 if way in ("east", "south") else -1)
        goes_round = not 0 <= step < size
        if goes_round and (not self._closed or size <= 2):
            return None, False
        place[along] = step % size
        return place[0] * grid.columns + place[1], goes_round

    # Routes.

    def route(self, source: Endpoint, target: Endpoint, first: Endpoint, is_credit: bool) -> Route:
        """16.7 - 16.9, with the classes of 16.11 and the virtual channels of 17.8; 65.4: `first` of the receivers."""
        key = source, target, first, is_credit
        if key not in self._routes:
            self._routes[key] = self._find_route(source, target, first, is_credit)
        return self._routes[key]

    def latency(self, source: Endpoint, target: Endpoint) -> int:
        """16.12: of a message without bytes over the idle network."""
        return self.route(source, target, target, False).latency

    def _find_route(self, source: Endpoint, target: Endpoint, first: Endpoint, is_credit: bool) -> Route:
        columns_first = self._columns_first(source, target)
        route, link, of_class = Route([], 0), source.out, int(columns_first)
        dimension = ""
        while True:
            if link.dimension:
                of_class = 1 if link.goes_round else of_class if link.dimension == dimension else 0
            elif link.source in self._switches and isinstance(link.target, Router):
                of_class = 1
            dimension = link.dimension
            route.hops.append((link, self._channel(first, of_class, is_credit)))
            route.latency += link.latency
            if not isinstance(link.target, Router):
                return route
            route.latency += link.target.hop
            link = link.target.outputs[self._way(link.target, target, columns_first)]

    def _columns_first(self, source: Endpoint, target: Endpoint) -> bool:
        """64.11."""
        on_mesh = source.router not in self._switches and target.router not in self._switches
        if self.machine.routing == "xy" or not on_mesh or source.router.package != target.router.package:
            return False
        return source.named in ("north", "south") or target.named in ("east", "west")

    def _channel(self, target: Endpoint, of_class: int, is_credit: bool) -> int:
        """17.8."""
        of_class = of_class if self._classes > 1 else 0
        if is_credit:
            return self.machine.virtual_channels + of_class
        share = self.machine.virtual_channels // self._classes
        return of_class * share + target.node // share % share

    def _way(self, at: Router, target: Endpoint, columns_first: bool) -> Hashable:
        to = target.router
        if at is self._hub:
            return to.package
        if at in self._switches:
            if at.package != to.package:
                return self._to_package(at.package, to.package)
            return target if to is at else to.column
        if at.package != to.package or to in self._switches:
            return "south"
        if to.column != at.column and not (columns_first and to.row != at.row):
            return "east" if to.column > at.column else "west"
        if to.row != at.row:
            return "south" if to.row > at.row else "north"
        return target

    def _to_package(self, package: int, to: int) -> Hashable:
        """16.9."""
        if self.machine.arrangement == "switched":
            return "hub"
        if self.machine.arrangement == "fully_connected":
            return "package", to
        grid = self.machine.levels.packages
        (row, column), (to_row, to_column) = divmod(package, grid.columns), divmod(to, grid.columns)
        if column != to_column:
            return "east" if self._forth(column, to_column, grid.columns) else "west"
        return "south" if self._forth(row, to_row, grid.rows) else "north"

    def _forth(self, place: int, to: int, size: int) -> bool:
        return 2 * ((to - place) % size) <= size if self._closed and size > 2 else to > place

    # What is reported.

    @property
    def between_routers(self) -> List[Link]:
        """And switches, in the order of their numbers (16.16)."""
        found: List[Link] = []
        for package, switch in enumerate(self._switches):
            for row in range(self._rows):
                for column in range(self._columns):
                    outputs = self._routers[package, row, column].outputs
                    found += [outputs[way] for way in WAYS if way in outputs]
            found += [switch.outputs[column] for column in range(self._columns)]
        return found + self._between_packages

    @property
    def ports(self) -> List[Link]:
        return [link for link in self.links if isinstance(link.source, Endpoint) or isinstance(link.target, Endpoint)]

    def busiest_link(self) -> Tuple[str, int]:
        """30.8, 20.4: its name, if any is at work, and for how long that is."""
        link = max(self.between_routers, key=lambda link: link.busy)
        return link.name if link.busy else "", link.busy
