"""The whole machine: packages of dies of PEs, memories and links, and what the launches on it share."""

from typing import Dict, List, Optional, Sequence

from events import Calendar
from machine import Machine
from memory import Hbm, SharedHbm, Sram, Store
from network import Network
from pe import Pe
from queues import MessageQueue, Place
from units import up_to_multiple


class System:
    """PEs, and the partitions that they have or share, by number, in the order of 16.2."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.calendar = Calendar()
        self.network = Network(machine, self.calendar)
        self.pes: List[Pe] = []
        self.partitions: List[Store] = []
        self.srams: List[Sram] = []
        self._used: Dict[Optional[Store], int] = {}  # of partitions: everything from address 0 on
        for package in range(machine.levels.packages.count):
            self._add_package(package)
        self.network.connect()

    def _add_package(self, package: int) -> None:
        machine, network = self.machine, self.network
        count, named = machine.dies * machine.pes_per_die, machine.controllers_named
        per_die = named or [("", place) for place in range(machine.pes_per_die)]
        controllers = machine.dies * len(per_die)
        first = package * (2 * count + controllers + machine.dies + 2)
        for die in range(machine.dies):
            routers = [network.router(package, die, place) for place in range(machine.pes_per_die)]
            node = first + count + die * len(routers)
            self.pes += [Pe(network, node + place, router) for place, router in enumerate(routers)]
            node = first + 2 * count + die * len(per_die)
            memories = [Hbm(network, node + number, routers[place]) for number, (_, place) in enumerate(per_die)]
            for memory, (edge, _) in zip(memories, per_die):
                memory.endpoint.named = edge
            self.partitions += [SharedHbm(machine, memories)] * len(routers) if named else memories
            node = first + 2 * count + controllers + die
            self.srams.append(Sram(network, node, routers[machine.sram_router]))

    def launch(self) -> int:
        """19.13."""
        farthest = max(self.network.latency(self.network.hosts[0], pe.endpoint) for pe in self.pes)
        return self.machine.io_processor_latency + farthest

    def take(self, pe: int, size: int, alignment: int) -> int:
        """28.12, where nothing is given back: the address of room in a partition; 64.6: in memories of dies as in one."""
        partition = None if self.machine.controller_routers else self.partitions[pe]
        address = up_to_multiple(self._used.get(partition, 0), alignment)
        self._used[partition] = address + size
        return address

    def queue(self, sender: int, receivers: Sequence[int], number: int, launch: int) -> MessageQueue:
        places = [(self.pes[receiver], self._slots(receiver)) for receiver in receivers]
        return MessageQueue(self.pes[sender], places, (number, launch))

    def _slots(self, receiver: int) -> Optional[Place]:
        """19.1: of a queue, where the machine says; none: in the TCM."""
        if self.machine.tier == "hbm":
            address = self.take(receiver, MessageQueue.room(self.machine), self.machine.burst)
            return Place(self.partitions[receiver], address)
        if self.machine.tier == "sram":  # all addresses of it that begin a burst are alike
            return Place(self.srams[receiver // self.machine.pes_per_die], 0)
        return None
